/*
 * Named semaphores where there is no /dev/shm.
 *
 * On the host's root /dev/shm is everybody's and is not granted, but
 * multiprocessing makes each of its locks with sem_open(3), whatever they are
 * for: its ThreadPool would fail. It takes the name away again at once, so
 * one without a name serves as well: made here when the real call is refused,
 * and shared with processes that are forked later.
 *
 * The loader finds these before those of libc (ld.so(8), LD_PRELOAD). As
 * prefault.c, this needs no libc: what it names is weak.
 */
#include <asm/errno.h>
#include <dlfcn.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "child/sys.h"

#define EXPORTED   __attribute__((visibility("default")))
#define O_CREAT_   0100
#define PAGE_BYTES 4096
#define MAGIC	   0x776569722d73656dULL

/* One page for each: there are few, and mapping needs no allocator. */
struct unnamed {
	sem_t semaphore;
	uint64_t magic;
};

extern void *(dlsym)(void *handle, const char *name) __attribute__((weak));
extern int *(__errno_location)(void)__attribute__((weak));
extern int(sem_init)(sem_t *, int, unsigned) __attribute__((weak));

/* Whether any was made, so that its name has to be forgotten too. */
static bool any_made;

static void *
real(const char *name)
{
	return dlsym != NULL ? dlsym(RTLD_NEXT, name) : NULL;
}

static bool
was_refused(void)
{
	int error = __errno_location != NULL ? *__errno_location() : 0;

	return error == EACCES || error == ENOENT || error == EPERM ||
	    error == ENOSYS;
}

static sem_t *
make_unnamed(unsigned value)
{
	struct unnamed *made;
	long addr;

	if (sem_init == NULL)
		return SEM_FAILED;
	addr = STUB_SYS(__NR_mmap, 0, PAGE_BYTES, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (addr < 0 && addr > -4096)
		return SEM_FAILED;
	made = (struct unnamed *)addr;
	if (sem_init(&made->semaphore, 1, value) != 0) {
		(void)STUB_SYS(__NR_munmap, addr, PAGE_BYTES);
		return SEM_FAILED;
	}
	made->magic = MAGIC;
	__atomic_store_n(&any_made, true, __ATOMIC_RELAXED);
	return &made->semaphore;
}

EXPORTED sem_t *
sem_open(const char *name, int flags, ...)
{
	sem_t *(*call)(const char *, int, ...) =
	    (sem_t * (*)(const char *, int, ...)) real("sem_open");
	sem_t *semaphore = SEM_FAILED;
	unsigned mode, value;
	va_list args;

	va_start(args, flags);
	mode = (flags & O_CREAT_) != 0 ? va_arg(args, unsigned) : 0;
	value = (flags & O_CREAT_) != 0 ? va_arg(args, unsigned) : 0;
	va_end(args);
	if (call != NULL)
		semaphore = call(name, flags, mode, value);
	if (semaphore == SEM_FAILED && (flags & O_CREAT_) != 0 && was_refused())
		semaphore = make_unnamed(value);
	return semaphore;
}

EXPORTED int
sem_unlink(const char *name)
{
	int (*call)(const char *) = (int (*)(const char *))real("sem_unlink");
	int r = call != NULL ? call(name) : -1;

	if (r < 0 && was_refused() &&
	    __atomic_load_n(&any_made, __ATOMIC_RELAXED))
		return 0;
	return r;
}

EXPORTED int
sem_close(sem_t *semaphore)
{
	int (*call)(sem_t *) = (int (*)(sem_t *))real("sem_close");

	/* A page of its own begins with it; no other does. */
	if (((uintptr_t)semaphore & (PAGE_BYTES - 1)) == 0 &&
	    __atomic_load_n(&any_made, __ATOMIC_RELAXED) &&
	    ((struct unnamed *)semaphore)->magic == MAGIC) {
		(void)STUB_SYS(__NR_munmap, semaphore, PAGE_BYTES);
		return 0;
	}
	return call != NULL ? call(semaphore) : -1;
}
