/*
 * Raw system calls for the child side: no libc, no errno, no allocation.
 *
 * Each wrapper returns what the kernel returns: a result, or -errno. The stub
 * has no libc start-up at all, and the module must not depend on the libc
 * that the interpreter was built with, so both use these. Only x86_64 and
 * aarch64.
 */
#ifndef STUB_SYS_H
#define STUB_SYS_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
static inline long
stub_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile(
	    "syscall"
	    : "=a"(ret)
	    : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	    : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long
stub_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "weir runs on x86_64 and aarch64"
#endif

/* Up to six arguments; missing ones are 0. */
#define STUB_SYS(nr, ...) STUB_SYS_((nr), ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define STUB_SYS_(nr, a, b, c, d, e, f, ...)                                   \
	stub_sys6((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), \
	    (long)(f))

#endif
