/*
 * CRC-32C (Castagnoli; RFC 3720 12.1): the checksum of a ledger's frames.
 *
 * Finds accidents. What finds a forger is the chain (bindings/sha256.h). Pure,
 * but for asking the processor once.
 */
#ifndef BIND_CRC32C_H
#define BIND_CRC32C_H

#include "wire/span.h"

/* crc is 0, or what the bytes before these gave. */
uint32_t bind_crc32c(uint32_t crc, struct wire_span bytes);

/* The two that it chooses from, for tests. fast is false and *crc untouched
 * where the processor has no instruction for it. */
uint32_t bind_crc32c_plain(uint32_t crc, struct wire_span bytes);
bool bind_crc32c_fast(uint32_t *crc, struct wire_span bytes);

#endif
