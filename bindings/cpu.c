#include "bindings/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#define ASKED (1 << 30)

static int
ask(void)
{
	int found = ASKED;

#if defined(__x86_64__) || defined(__i386__)
	unsigned a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d) == 0)
		return found;
	if ((c & bit_SSE4_2) != 0)
		found |= BIND_CPU_CRC32C;
	if ((c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0 &&
	    __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0)
		found |= BIND_CPU_SHA256;
#elif defined(__aarch64__)
	if ((getauxval(AT_HWCAP) & HWCAP_CRC32) != 0)
		found |= BIND_CPU_CRC32C;
#endif
	return found;
}

bool
bind_cpu_has(enum bind_cpu_feature feature)
{
	static int known;
	int found = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (found == 0) {
		found = ask();
		__atomic_store_n(&known, found, __ATOMIC_RELAXED);
	}
	return (found & (int)feature) != 0;
}
