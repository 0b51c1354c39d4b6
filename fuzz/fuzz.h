/*
 * What every fuzz target shares: the entry point's prototype, and a check that
 * ends the process so that a fuzzer or the replay driver sees it.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined on the target and
 * what it tests, without driver.c. The driver replays files instead.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                                \
	do {                                                                   \
		if (!(condition))                                              \
			__builtin_trap();                                      \
	} while (0)

#endif
