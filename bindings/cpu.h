/*
 * What this processor can do beyond what the program was compiled for.
 *
 * The processor is asked at the first question and not at start: in a virtual
 * machine each CPUID costs as much as many system calls, and most executions
 * never ask. The answer cannot change, so threads may ask at the same time.
 */
#ifndef BIND_CPU_H
#define BIND_CPU_H

#include <stdbool.h>

enum bind_cpu_feature {
	BIND_CPU_CRC32C = 1 << 0, /* x86: SSE 4.2; aarch64: CRC32 */
	BIND_CPU_SHA256 = 1 << 1, /* x86: SHA and SSE 4.1 */
};

bool bind_cpu_has(enum bind_cpu_feature feature);

#endif
