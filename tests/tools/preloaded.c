/*
 * preloaded: an interpreter for tests of prefault.so, as far as that looks at
 * one: data that nobody has touched, and the arena hook of Python's C API.
 *
 * Prints how many of the pages are there at main, of the data, of a first
 * arena and of a second, each "PRESENT/ALL"; then each variable of its
 * environment.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DATA  (1024UL * 1024)
#define ARENA (1024UL * 1024)
#define EACH  256 /* pages of either, of 4 KiB */

struct arenas {
	void *context;
	void *(*alloc)(void *context, size_t size);
	void (*free)(void *context, void *arena, size_t size);
};

void PyObject_SetArenaAllocator(const struct arenas *allocator);

static struct arenas hook;
static unsigned char data[DATA + 4096];

__attribute__((visibility("default"))) void
PyObject_SetArenaAllocator(const struct arenas *allocator)
{
	hook = *allocator;
}

static void
print_present(const char *what, const unsigned char *start)
{
	unsigned char pages[EACH];
	uintptr_t from = ((uintptr_t)start + 4095) & ~(uintptr_t)4095;
	int present = 0;

	/* Of anonymous memory: what has a page (mincore(2)). */
	if (mincore((void *)from, EACH * 4096UL, pages) < 0) {
		perror("mincore");
		return;
	}
	for (size_t i = 0; i < EACH; i++)
		present += pages[i] & 1;
	printf("%s %d/%d\n", what, present, EACH);
}

int
main(void)
{
	print_present("data", data);
	for (int i = 0; hook.alloc != NULL && i < 2; i++) {
		unsigned char *arena = hook.alloc(hook.context, ARENA);

		if (arena == NULL)
			return 1;
		print_present(i == 0 ? "first" : "second", arena);
		memset(arena, 1, ARENA);
		hook.free(hook.context, arena, ARENA);
	}
	/* More than an address space has. */
	if (hook.alloc != NULL &&
	    hook.alloc(hook.context, SIZE_MAX / 2) != NULL)
		puts("memory out of nothing");
	for (char **variable = environ; *variable != NULL; variable++)
		puts(*variable);
	return 0;
}
