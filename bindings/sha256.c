#include "bindings/sha256.h"

#include <sha2.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "bindings/cpu.h"
#include "wire/err.h"

/* --- blocks --------------------------------------------------------------- */

void
bind_sha256_blocks_plain(uint32_t state[8], const uint8_t *blocks, size_t count)
{
	for (; count > 0; count--, blocks += BIND_SHA256_BLOCK)
		SHA256Transform(state, blocks);
}

#ifdef __x86_64__
/* FIPS 180-4, 4.2.2. */
static const uint32_t constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf,
    0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
    0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
    0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee,
    0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

#define FAST __attribute__((target("sha,sse4.1")))

/* The next four words of the message schedule, from the sixteen before. */
FAST static inline __m128i
extend(__m128i a, __m128i b, __m128i c, __m128i d)
{
	__m128i next = _mm_sha256msg1_epu32(a, b);

	next = _mm_add_epi32(next, _mm_alignr_epi8(d, c, 4));
	return _mm_sha256msg2_epu32(next, d);
}

/*
 * The instructions want the state as the two halves ABEF and CDGH, highest
 * word first (Intel SDM vol. 2, SHA256RNDS2), and do two rounds at a time.
 */
FAST static void
instructions(uint32_t state[8], const uint8_t *blocks, size_t count)
{
	const __m128i big_endian =
	    _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i abcd, efgh, abef, cdgh, w[4], sum;

	abcd = _mm_loadu_si128((const __m128i *)(const void *)state);
	efgh = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
	abcd = _mm_shuffle_epi32(abcd, 0xb1);
	efgh = _mm_shuffle_epi32(efgh, 0x1b);
	abef = _mm_alignr_epi8(abcd, efgh, 8);
	cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
	for (; count > 0; count--, blocks += BIND_SHA256_BLOCK) {
		const __m128i abef_before = abef, cdgh_before = cdgh;

#pragma GCC unroll 16
		for (unsigned i = 0; i < 16; i++) {
			if (i < 4)
				w[i] = _mm_shuffle_epi8(
				    _mm_loadu_si128(
					(const __m128i *)(const void *)(blocks +
					    16UL * i)),
				    big_endian);
			else
				w[i % 4] = extend(w[i % 4], w[(i + 1) % 4],
				    w[(i + 2) % 4], w[(i + 3) % 4]);
			sum = _mm_add_epi32(w[i % 4],
			    _mm_loadu_si128(
				(const __m128i *)(const void *)(constants +
				    4UL * i)));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(
			    abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	abef = _mm_shuffle_epi32(abef, 0x1b);
	cdgh = _mm_shuffle_epi32(cdgh, 0xb1);
	abcd = _mm_blend_epi16(abef, cdgh, 0xf0);
	efgh = _mm_alignr_epi8(cdgh, abef, 8);
	_mm_storeu_si128((__m128i *)(void *)state, abcd);
	_mm_storeu_si128((__m128i *)(void *)(state + 4), efgh);
}
#endif

bool
bind_sha256_blocks_fast(uint32_t state[8], const uint8_t *blocks, size_t count)
{
#ifdef FAST
	if (bind_cpu_has(BIND_CPU_SHA256)) {
		instructions(state, blocks, count);
		return true;
	}
#endif
	(void)state;
	(void)blocks;
	(void)count;
	return false;
}

static void
hash_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
	if (count > 0 && !bind_sha256_blocks_fast(state, blocks, count))
		bind_sha256_blocks_plain(state, blocks, count);
}

/* --- bytes ---------------------------------------------------------------- */

void
bind_sha256_init(struct bind_sha256 *sha)
{
	/* FIPS 180-4, 5.3.3. */
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
	    0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(sha->state, first, sizeof(first));
	sha->len = 0;
}

void
bind_sha256_add(struct bind_sha256 *sha, struct wire_span bytes)
{
	size_t held = sha->len % BIND_SHA256_BLOCK;
	size_t whole;

	sha->len += bytes.len;
	if (held > 0 && bytes.len >= BIND_SHA256_BLOCK - held) {
		memcpy(sha->held + held, bytes.p, BIND_SHA256_BLOCK - held);
		hash_blocks(sha->state, sha->held, 1);
		bytes.p += BIND_SHA256_BLOCK - held;
		bytes.len -= BIND_SHA256_BLOCK - held;
		held = 0;
	}
	if (held == 0) {
		whole = bytes.len / BIND_SHA256_BLOCK;
		hash_blocks(sha->state, bytes.p, whole);
		if (whole > 0)
			bytes.p += whole * BIND_SHA256_BLOCK;
		bytes.len -= whole * BIND_SHA256_BLOCK;
	}
	if (bytes.len > 0)
		memcpy(sha->held + held, bytes.p, bytes.len);
}

void
bind_sha256_finish(struct bind_sha256 *sha, uint8_t ret[BIND_SHA256_LEN])
{
	size_t held = sha->len % BIND_SHA256_BLOCK;

	sha->held[held++] = 0x80;
	if (held > BIND_SHA256_BLOCK - 8) {
		memset(sha->held + held, 0, BIND_SHA256_BLOCK - held);
		hash_blocks(sha->state, sha->held, 1);
		held = 0;
	}
	memset(sha->held + held, 0, BIND_SHA256_BLOCK - 8 - held);
	for (unsigned i = 0; i < 8; i++)
		sha->held[BIND_SHA256_BLOCK - 1 - i] =
		    (uint8_t)(sha->len << 3 >> 8 * i);
	hash_blocks(sha->state, sha->held, 1);
	for (unsigned i = 0; i < BIND_SHA256_LEN; i++)
		ret[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* --- with a key ----------------------------------------------------------- */

static void
prepare(uint32_t state[8], struct wire_span key, uint8_t pad)
{
	struct bind_sha256 sha;
	uint8_t block[BIND_SHA256_BLOCK];

	memset(block, pad, sizeof(block));
	for (size_t i = 0; i < key.len; i++)
		block[i] ^= key.p[i];
	bind_sha256_init(&sha);
	hash_blocks(sha.state, block, 1);
	memcpy(state, sha.state, sizeof(sha.state));
	explicit_bzero(block, sizeof(block));
}

void
bind_hmac_init(struct bind_hmac *hmac, struct wire_span key)
{
	WIRE_BUG_IF(key.len > BIND_SHA256_BLOCK);
	prepare(hmac->inner, key, 0x36);
	prepare(hmac->outer, key, 0x5c);
}

void
bind_hmac(const struct bind_hmac *hmac, struct wire_span bytes,
    uint8_t ret[BIND_SHA256_LEN])
{
	struct bind_sha256 sha = {.len = BIND_SHA256_BLOCK};

	memcpy(sha.state, hmac->inner, sizeof(sha.state));
	bind_sha256_add(&sha, bytes);
	bind_sha256_finish(&sha, ret);
	memcpy(sha.state, hmac->outer, sizeof(sha.state));
	sha.len = BIND_SHA256_BLOCK;
	bind_sha256_add(&sha, (struct wire_span){ret, BIND_SHA256_LEN});
	bind_sha256_finish(&sha, ret);
}
