#include "bindings/crc32c.h"

#include <string.h>

#include "bindings/cpu.h"

/* The polynomial 0x1EDC6F41, reflected, over each half of a byte. */
static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede,
    0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d, 0x82f63b78,
    0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a,
    0xf36e6f75};

uint32_t
bind_crc32c_plain(uint32_t crc, struct wire_span bytes)
{
	crc = ~crc;
	for (size_t i = 0; i < bytes.len; i++) {
		crc ^= bytes.p[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

#if defined(__x86_64__)
#define FAST __attribute__((target("sse4.2")))
#define STEP8(crc, word)                                                       \
	((uint32_t)__builtin_ia32_crc32di((uint64_t)(crc), (word)))
#define STEP1(crc, byte) __builtin_ia32_crc32qi((crc), (byte))
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#ifdef __clang__
#define FAST		 __attribute__((target("crc")))
#define STEP8(crc, word) __builtin_arm_crc32cd((crc), (word))
#define STEP1(crc, byte) __builtin_arm_crc32cb((crc), (byte))
#else
#define FAST		 __attribute__((target("+crc")))
#define STEP8(crc, word) __builtin_aarch64_crc32cx((crc), (word))
#define STEP1(crc, byte) __builtin_aarch64_crc32cb((crc), (byte))
#endif
#endif

#ifdef FAST
FAST static uint32_t
instructions(uint32_t crc, struct wire_span bytes)
{
	uint64_t word;

	crc = ~crc;
	for (; bytes.len >= sizeof(word); bytes.len -= sizeof(word)) {
		memcpy(&word, bytes.p, sizeof(word));
		crc = STEP8(crc, word);
		bytes.p += sizeof(word);
	}
	for (; bytes.len > 0; bytes.len--)
		crc = STEP1(crc, *bytes.p++);
	return ~crc;
}
#endif

bool
bind_crc32c_fast(uint32_t *crc, struct wire_span bytes)
{
#ifdef FAST
	if (bind_cpu_has(BIND_CPU_CRC32C)) {
		*crc = instructions(*crc, bytes);
		return true;
	}
#endif
	(void)crc;
	(void)bytes;
	return false;
}

uint32_t
bind_crc32c(uint32_t crc, struct wire_span bytes)
{
	if (!bind_crc32c_fast(&crc, bytes))
		crc = bind_crc32c_plain(crc, bytes);
	return crc;
}
