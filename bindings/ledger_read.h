/*
 * Reading a ledger, one frame after another, from pieces of a file.
 *
 * The reader holds the place in the file and the hash of the chain there; the
 * caller holds the bytes. It stops for good at the first frame that is not
 * what was written: the offset is that frame's, and the reason says what of it
 * is wrong. A record that was lost or moved shows at the first one after it.
 *
 * A file may end inside a frame, because the writer died or the disk was full:
 * then there is MORE to come that never will. Bytes that are all zero count as
 * such an end, too: some file systems extend a file before they fill it.
 *
 * SECURITY: a file is hostile input. Pure; no allocation, each byte is looked
 * at a bounded number of times.
 */
#ifndef BIND_LEDGER_READ_H
#define BIND_LEDGER_READ_H

#include "bindings/ledger_format.h"

/* X(constant, what is wrong with the frame) */
#define BIND_LEDGER_FAULTS(X)                                                  \
	X(MAGIC, "this is not the beginning of a ledger")                      \
	X(LENGTH, "its length is not a length")                                \
	X(CHECKSUM, "its bytes do not fit its checksum")                       \
	X(CHAIN, "it is not the record that followed the one before it")       \
	X(CONTENT, "it is not a record")

enum bind_ledger_fault {
	BIND_LEDGER_NO_FAULT,
#define X(name, text) BIND_LEDGER_FAULT_##name,
	BIND_LEDGER_FAULTS(X)
#undef X
	    BIND_LEDGER_FAULT_COUNT
};

/* "" for NO_FAULT. */
const char *bind_ledger_fault_text(enum bind_ledger_fault fault);

struct bind_ledger_reader {
	uint64_t offset; /* where the next frame begins */
	uint64_t records;
	uint8_t hash[BIND_SHA256_LEN];
	enum bind_ledger_fault fault; /* of the frame at offset */
};

enum bind_ledger_read {
	BIND_LEDGER_RECORD, /* one was taken off */
	BIND_LEDGER_MORE,   /* the bytes end first */
	BIND_LEDGER_ALTERED,
};

struct bind_ledger_item {
	uint64_t offset;		  /* in the file */
	size_t len;			  /* of the frame */
	struct wire_span payload;	  /* into the bytes given */
	struct bind_ledger_record record; /* likewise */
};

void bind_ledger_reader_init(struct bind_ledger_reader *reader);

/*
 * bytes are those of the file from reader->offset on. After RECORD the offset
 * has moved behind the frame and reader->hash is its hash. After MORE the
 * caller may come back with more bytes; BIND_LEDGER_FRAME_MAX of them are
 * always enough. The magic is taken by the way: offset moves with MORE, too.
 */
enum bind_ledger_read bind_ledger_read(struct bind_ledger_reader *reader,
    struct wire_span bytes, struct bind_ledger_item *ret_item);

#endif
