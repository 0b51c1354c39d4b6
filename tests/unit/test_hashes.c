/*
 * The checksum and the hash: published vectors, every length around a block,
 * and the two ways of computing each held against one another.
 */
#include "bindings/crc32c.h"
#include "bindings/sha256.h"

#include <setjmp.h>
#include <sha2.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define LONG 1000

static uint8_t bytes[LONG];

static void
fill_random(unsigned seed)
{
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 16);
	}
}

static struct wire_span
text_span(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
check_crc(struct wire_span span, uint32_t expected)
{
	uint32_t fast = 0;

	assert_int_equal(bind_crc32c(0, span), expected);
	assert_int_equal(bind_crc32c_plain(0, span), expected);
	if (bind_crc32c_fast(&fast, span))
		assert_int_equal(fast, expected);
	else
		assert_int_equal(fast, 0);
}

/* RFC 3720, B.4; its bytes are the words, little end first. */
static void
t_crc_of_the_rfc(void **state)
{
	uint8_t block[48] = {0x01, 0xc0};

	(void)state;
	check_crc(WIRE_LIT("123456789"), 0xe3069283);
	memset(bytes, 0, 32);
	check_crc((struct wire_span){bytes, 32}, 0x8a9136aa);
	memset(bytes, 0xff, 32);
	check_crc((struct wire_span){bytes, 32}, 0x62a8ab43);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	check_crc((struct wire_span){bytes, 32}, 0x46dd794e);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	check_crc((struct wire_span){bytes, 32}, 0x113fdb5c);
	block[16] = 0x14;
	block[22] = 0x04;
	block[27] = 0x14;
	block[31] = 0x18;
	block[32] = 0x28;
	block[40] = 0x02;
	check_crc((struct wire_span){block, 48}, 0xd9963a56);
}

static void
t_crc_of_any_length_start_and_split(void **state)
{
	(void)state;
	fill_random(1);
	for (size_t start = 0; start < 8; start++) {
		for (size_t len = 0; len < 100; len++) {
			struct wire_span all = {bytes + start, len};
			uint32_t plain = bind_crc32c_plain(0, all), crc = 0;
			size_t half = len / 3;

			if (bind_crc32c_fast(&crc, all))
				assert_int_equal(crc, plain);
			crc = bind_crc32c(0, (struct wire_span){all.p, half});
			crc = bind_crc32c(
			    crc, (struct wire_span){all.p + half, len - half});
			assert_int_equal(crc, plain);
		}
	}
}

static void
hex_of(const uint8_t hash[BIND_SHA256_LEN], char text[65])
{
	for (unsigned i = 0; i < BIND_SHA256_LEN; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static void
check_sha(struct wire_span span, const char *expected)
{
	uint8_t hash[BIND_SHA256_LEN];
	struct bind_sha256 sha;
	char text[65];

	bind_sha256_init(&sha);
	bind_sha256_add(&sha, span);
	bind_sha256_finish(&sha, hash);
	hex_of(hash, text);
	assert_string_equal(text, expected);
}

/* FIPS 180-4's examples. */
static void
t_sha_of_the_standard(void **state)
{
	(void)state;
	check_sha((struct wire_span){NULL, 0},
	    "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
	check_sha(WIRE_LIT("abc"),
	    "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	check_sha(
	    WIRE_LIT(
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
	    "248d6a61d20638b8e5c026930c3e6039"
	    "a33ce45964ff2167f6ecedd419db06c1");
}

/* Of any length and in any two parts, what libmd gives at once. */
static void
t_sha_of_any_length_and_split(void **state)
{
	uint8_t expected[BIND_SHA256_LEN], hash[BIND_SHA256_LEN];
	struct bind_sha256 sha;
	SHA2_CTX other;

	(void)state;
	fill_random(2);
	for (size_t len = 0; len < 260; len++) {
		SHA256Init(&other);
		SHA256Update(&other, bytes, len);
		SHA256Final(expected, &other);
		for (size_t split = 0; split <= len; split += 1 + len / 9) {
			bind_sha256_init(&sha);
			bind_sha256_add(&sha, (struct wire_span){bytes, split});
			bind_sha256_add(&sha,
			    (struct wire_span){bytes + split, len - split});
			bind_sha256_finish(&sha, hash);
			assert_memory_equal(hash, expected, sizeof(hash));
		}
	}
}

static void
t_sha_blocks_both_ways(void **state)
{
	uint32_t plain[8], fast[8];

	(void)state;
	for (unsigned seed = 0; seed < 200; seed++) {
		size_t count = 1 + seed % 15;

		fill_random(seed);
		memcpy(plain, bytes + LONG - sizeof(plain), sizeof(plain));
		memcpy(fast, plain, sizeof(fast));
		/* Not every processor has one: then there is one way. */
		if (!bind_sha256_blocks_fast(fast, bytes + seed % 3, count))
			return;
		bind_sha256_blocks_plain(plain, bytes + seed % 3, count);
		assert_memory_equal(plain, fast, sizeof(plain));
	}
}

static void
check_hmac(struct wire_span key, struct wire_span data, const char *expected)
{
	uint8_t hash[BIND_SHA256_LEN];
	struct bind_hmac hmac;
	char text[65];

	bind_hmac_init(&hmac, key);
	for (int again = 0; again < 2; again++) {
		bind_hmac(&hmac, data, hash);
		hex_of(hash, text);
		assert_string_equal(text, expected);
	}
}

/* RFC 4231, cases 1 to 4. */
static void
t_hmac_of_the_rfc(void **state)
{
	uint8_t key[25], data[50];

	(void)state;
	memset(key, 0x0b, sizeof(key));
	check_hmac((struct wire_span){key, 20}, text_span("Hi There"),
	    "b0344c61d8db38535ca8afceaf0bf12b"
	    "881dc200c9833da726e9376c2e32cff7");
	check_hmac(text_span("Jefe"), text_span("what do ya want for nothing?"),
	    "5bdcc146bf60754e6a042426089575c7"
	    "5a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	memset(data, 0xdd, sizeof(data));
	check_hmac((struct wire_span){key, 20}, (struct wire_span){data, 50},
	    "773ea91e36800e46854db8ebd09181a7"
	    "2959098b3ef8c122d9635514ced565fe");
	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i + 1);
	memset(data, 0xcd, sizeof(data));
	check_hmac((struct wire_span){key, 25}, (struct wire_span){data, 50},
	    "82558a389a443c0ea4cc819899f2083a"
	    "85f0faa3e578f8077a2e3ff46729665b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_crc_of_the_rfc),
	    cmocka_unit_test(t_crc_of_any_length_start_and_split),
	    cmocka_unit_test(t_sha_of_the_standard),
	    cmocka_unit_test(t_sha_of_any_length_and_split),
	    cmocka_unit_test(t_sha_blocks_both_ways),
	    cmocka_unit_test(t_hmac_of_the_rfc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
