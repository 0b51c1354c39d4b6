/*
 * prefault.so: the interpreter's first memory in a few system calls instead
 * of five hundred page faults.
 *
 * An interpreter's start touches its own writable data and its first heap
 * arena page by page, and nearly all of it. A fault costs 0.5 us on bare
 * metal and 10 us on a virtual machine: there, half of a start. Asked for at
 * once, the same pages cost a twentieth.
 *
 * The loader maps this file into the interpreter before its main (LD_PRELOAD
 * in the child's environment, see launch.c; ld.so(8)). It is only ever a
 * matter of speed: whatever is missing here (an older kernel, a static
 * interpreter, another allocator) leaves that part to the faults. The file
 * is bound read-only and the program has not begun when it runs.
 *
 * No libc of its own, so that it can be loaded beside glibc as beside musl:
 * what it needs of the process it names as weak symbols.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "child/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14, madvise(2) */
#endif

/* Less is not worth a system call; more is no interpreter's start. */
#define DATA_MIN (64UL * 1024)
#define DATA_MAX (8UL * 1024 * 1024)
/* One arena of CPython 3.10 and later, four of those before. */
#define ARENA_SUM (1024L * 1024)

#define PRELOAD "LD_PRELOAD="

/* PyObjectArenaAllocator of Python's C API: outside the stable ABI, the same
 * since 3.4. */
struct arenas {
	void *context;
	void *(*alloc)(void *context, size_t size);
	void (*free)(void *context, void *arena, size_t size);
};

extern char **environ __attribute__((weak));
extern int dl_iterate_phdr(
    int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
    __attribute__((weak));
extern void PyObject_SetArenaAllocator(struct arenas *allocator)
    __attribute__((weak));

static long arena_left = ARENA_SUM;

/* --- the heap --------------------------------------------------------------
 */

static void *
arena_alloc(void *context, size_t size)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	long addr;

	(void)context;
	/* Interpreters of one process may have a lock each (PEP 684). */
	if (size <= ARENA_SUM &&
	    __atomic_fetch_sub(&arena_left, (long)size, __ATOMIC_RELAXED) >=
		(long)size)
		flags |= MAP_POPULATE;
	else
		__atomic_store_n(&arena_left, 0, __ATOMIC_RELAXED);
	addr =
	    STUB_SYS(__NR_mmap, 0, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	return addr < 0 && addr > -4096 ? NULL : (void *)addr;
}

static void
arena_free(void *context, void *arena, size_t size)
{
	(void)context;
	(void)STUB_SYS(__NR_munmap, arena, size);
}

/* --- data ------------------------------------------------------------------
 */

static uintptr_t
page_down(uintptr_t address)
{
	/* 64 KiB pages, as aarch64 may have, only make this call fail. */
	return address & ~(uintptr_t)4095;
}

/* One loaded object: its writable segments, from where the loader has not
 * made them read-only again (PT_GNU_RELRO). */
static int
prefault_object(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t relro = 0;

	(void)size;
	(void)data;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO)
			relro = info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + p->p_vaddr;
		uintptr_t to = page_down(from + p->p_memsz + 4095);

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
			continue;
		if (relro > from && relro <= to)
			from = relro;
		from = page_down(from);
		if (to - from >= DATA_MIN && to - from <= DATA_MAX)
			(void)STUB_SYS(
			    __NR_madvise, from, to - from, MADV_POPULATE_WRITE);
	}
	return 0;
}

/* --- the start -------------------------------------------------------------
 */

/* The variable has done its work: neither the program nor what it may start
 * is meant to see it. */
static void
forget_variable(void)
{
	char **to = environ;

	for (char **from = environ; *from != NULL; from++) {
		bool same = true;

		for (size_t i = 0; same && i < sizeof(PRELOAD) - 1; i++)
			same = (*from)[i] == PRELOAD[i];
		if (!same)
			*to++ = *from;
	}
	*to = NULL;
}

__attribute__((constructor)) static void
prefault(void)
{
	if (dl_iterate_phdr != NULL)
		(void)dl_iterate_phdr(prefault_object, NULL);
	if (PyObject_SetArenaAllocator != NULL) {
		struct arenas arenas = {NULL, arena_alloc, arena_free};

		PyObject_SetArenaAllocator(&arenas);
	}
	if (&environ != NULL && environ != NULL)
		forget_variable();
}
