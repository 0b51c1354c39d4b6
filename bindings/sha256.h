/*
 * SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104): the chain of a ledger, and
 * the hashes in it.
 *
 * libmd has the function in plain C; where the processor has instructions for
 * it, the blocks go through those, which is several times as fast: an append,
 * and the arguments of a call, are hashed on the event loop's own time.
 *
 * No allocation; pure, but for asking the processor once.
 */
#ifndef BIND_SHA256_H
#define BIND_SHA256_H

#include "wire/span.h"

#define BIND_SHA256_LEN	  32
#define BIND_SHA256_BLOCK 64

struct bind_sha256 {
	uint32_t state[8];
	uint64_t len; /* bytes so far */
	uint8_t held[BIND_SHA256_BLOCK];
};

void bind_sha256_init(struct bind_sha256 *sha);
void bind_sha256_add(struct bind_sha256 *sha, struct wire_span bytes);
void bind_sha256_finish(struct bind_sha256 *sha, uint8_t ret[BIND_SHA256_LEN]);

/* A key, prepared: what it contributes to every hash is hashed once. It is
 * secret like the key itself. */
struct bind_hmac {
	uint32_t inner[8], outer[8];
};

/* A key of at most BIND_SHA256_BLOCK bytes. */
void bind_hmac_init(struct bind_hmac *hmac, struct wire_span key);
void bind_hmac(const struct bind_hmac *hmac, struct wire_span bytes,
    uint8_t ret[BIND_SHA256_LEN]);

/* The two that it chooses from, for tests: over whole blocks. fast is false,
 * and nothing done, where the processor has no instructions for it. */
void bind_sha256_blocks_plain(
    uint32_t state[8], const uint8_t *blocks, size_t count);
bool bind_sha256_blocks_fast(
    uint32_t state[8], const uint8_t *blocks, size_t count);

#endif
