/*
 * The channel's descriptor: whole frames out, decoded frames in.
 *
 * Owns: the read buffer, which grows up to the longest frame there may be,
 * and the table that finds duplicate members. Knows nothing of Python: no
 * function here needs the interpreter's lock, and those that block should be
 * called without it.
 *
 * The program shares the descriptor and may set O_NONBLOCK on it, so every
 * call copes with both kinds; interrupted calls come back to the caller.
 *
 * Threads: one reader and one writer at a time; the channel sees to that.
 *
 * Errors: the host is trusted and speaks the protocol, so bytes from it that
 * are no frame are a bug on one of the two sides. There is one outcome: a
 * line on stderr and exit status 125 (stub_link_die); where it is about what
 * the host wrote, the line has a word of PROTOCOL.md and the offset in the
 * host's stream (stub_link_refuse).
 */
#ifndef STUB_LINK_H
#define STUB_LINK_H

#include "wire/frame.h"
#include "wire/msg.h"

struct stub_link {
	int fd;
	struct wire_frame frame;
	struct wire_json_scratch scratch;
	void *scratch_mem;
	size_t keys_max;
	uint64_t seed;
};

/* How a call on the link ended. */
enum stub_link_event {
	STUB_LINK_MOVED,       /* some bytes went through, or all of them */
	STUB_LINK_WOULD_BLOCK, /* none, and the caller asked not to wait */
	STUB_LINK_INTERRUPTED, /* a signal handler ran */
	STUB_LINK_CLOSED,      /* the host is gone */
};

/* Ends the process, all threads of it: "weir: WHAT: DETAIL (NUMBER)". */
void stub_link_die(const char *what, const char *detail, long number)
    __attribute__((noreturn));

/* The same for a frame of the host's: its word and offset. */
void stub_link_refuse(enum wire_err err, uint64_t offset)
    __attribute__((noreturn));

/* Ends the process with a status and nothing said. */
void stub_link_exit(int status) __attribute__((noreturn));

/* Allocates; false without memory. */
bool stub_link_init(struct stub_link *link, int fd);

/* Reads on for as long as the host writes, and looks at nothing. Blocks. */
void stub_link_drop_rest(const struct stub_link *link);

/* Reads what is there; with wait, blocks until there is something. */
enum stub_link_event stub_link_read(struct stub_link *link, bool wait);

/* The next frame of what was read and the offset of its line; spans point
 * into the buffer and are good until the next read. False: none yet. */
bool stub_link_next(
    struct stub_link *link, struct wire_msg *ret_msg, uint64_t *ret_offset);

/* The stream has ended: refuses it when it did so inside a line. */
void stub_link_check_end(const struct stub_link *link);

/* Writes from *done on as much as goes, and moves *done. Does not block. */
enum stub_link_event stub_link_write(
    struct stub_link *link, struct wire_span frame, size_t *done);

/* Blocks until bytes can be written (*ret_readable false) or have come in. */
void stub_link_wait(struct stub_link *link, bool *ret_readable);

#endif
