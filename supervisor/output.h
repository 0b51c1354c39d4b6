/*
 * One captured stream (S6, S7): byte-exact up to a cap, drained beyond it,
 * with the head and the tail that a preview needs.
 *
 * Owns: the read end, the captured bytes, the tail. Memory is at most the
 * cap plus the preview, whatever the program writes.
 */
#ifndef SUP_OUTPUT_H
#define SUP_OUTPUT_H

#include "supervisor/loop.h"
#include "wire/json_out.h"

#define SUP_OUTPUT_TURN (64UL * 1024)

/* Where the bytes also go as they come; false: pause until resumed. */
typedef bool sup_output_sink(void *arg, const uint8_t *bytes, size_t len);

struct sup_output {
	struct sup_loop *loop;
	struct sup_watch watch;
	size_t cap, preview;
	uint8_t *captured;
	size_t captured_len, captured_size;
	uint8_t *tail; /* a ring of the last `preview` bytes */
	size_t tail_at;
	uint64_t bytes; /* all that was written */
	int error;	/* errno of reading it; 0: none */
	bool is_short;	/* memory was short: less was captured than the cap */
	sup_output_sink *sink;
	void *sink_arg;
};

/* Takes over fd, which is non-blocking, on success. */
WIRE_MUST_USE enum wire_err sup_output_open(struct sup_output *output,
    struct sup_loop *loop, int fd, size_t cap, size_t preview,
    sup_output_sink *sink, void *sink_arg, struct wire_errinfo *info);

/* Stops reading and closes the descriptor; what was captured stays. */
void sup_output_stop(struct sup_output *output);
void sup_output_release(struct sup_output *output);

/* Reads on after the sink said stop. */
void sup_output_resume(struct sup_output *output);

/* Takes what is in the pipe now; for when its writers are dead. */
void sup_output_drain(struct sup_output *output);

/* Bytes beyond the cap. */
uint64_t sup_output_omitted(const struct sup_output *output);

/*
 * The preview as a JSON string: all of it, or 60 per cent of the budget from
 * the start and 40 from the end, cut between characters, with a line between
 * that counts what is left out.
 */
void sup_output_preview(const struct sup_output *output, struct wire_out *out);

/* Most bytes that sup_output_preview can write. */
size_t sup_output_preview_max(const struct sup_output *output);

#endif
