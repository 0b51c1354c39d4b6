/*
 * The channel of one execution, on the host's side (W3, W5, W7, S12).
 *
 * Owns: the descriptor, the read buffer (it grows to the frame ceiling and no
 * further), the table that finds duplicates, the frames that wait to be
 * written (queue.h). Everything that arrives is hostile: it is metered, cut
 * into lines, decoded and held against the session's table before anybody sees
 * it. Nothing here blocks or raises SIGPIPE; descriptors that come along are
 * closed and counted, all but one for who asks for it.
 *
 * One thread. Callbacks come from the loop; they may close the channel.
 */
#ifndef SUP_CHAN_H
#define SUP_CHAN_H

#include "supervisor/loop.h"
#include "supervisor/queue.h"
#include "wire/frame.h"
#include "wire/msg.h"
#include "wire/session.h"

/* Past this, waiting replies hold up further tool calls, and stand in a file
 * (S12). */
#define SUP_CHAN_QUEUE_HIGH SUP_QUEUE_MEMORY
/* One turn reads no more than this. */
#define SUP_CHAN_TURN_BYTES (64UL * 1024)
#define SUP_CHAN_TURN_LINES 256

struct sup_chan_handler {
	void *arg;
	/* An accepted message; its spans are good until this returns. */
	void (*message)(void *arg, const struct wire_msg *msg);
	/* The stream is over: err is what ended it (a violation, at
	 * info->offset of the stream), WIRE_ERR_CLOSED, or NO_MEMORY or SYSTEM
	 * for something of our own. Comes once. */
	void (*ended)(
	    void *arg, enum wire_err err, const struct wire_errinfo *info);
	/* The queue of frames has passed the mark, or is empty again. */
	void (*full)(void *arg, bool is_full);
	/* The descriptor that came with the first byte of the stream, now the
	 * callee's. NULL: none is taken. */
	void (*descriptor)(void *arg, int fd);
};

struct sup_chan {
	struct sup_loop *loop;
	struct sup_watch watch;
	struct sup_chan_handler handler;
	struct wire_frame frame;
	uint8_t *buf;
	size_t buf_len;
	struct wire_json_scratch scratch;
	void *scratch_mem;
	struct wire_session session;
	struct sup_queue queue; /* to be written */
	bool is_full;
	bool ended;	     /* nothing more is read */
	bool broken;	     /* nobody reads at the other end */
	bool busy;	     /* a message is being handled */
	bool held;	     /* nothing is written for now */
	unsigned fds_closed; /* descriptors that the program sent along */
	uint64_t seed;
};

/* Takes over fd on success. */
WIRE_MUST_USE enum wire_err sup_chan_open(struct sup_chan *chan,
    struct sup_loop *loop, int fd, const struct wire_frame_limits *limits,
    const struct sup_chan_handler *handler, struct wire_errinfo *info);

/* Fine for a channel that is all zero, watch.fd -1, and never was open. */
void sup_chan_close(struct sup_chan *chan);

/* Handles what has already arrived, without waiting, until there is nothing
 * or the channel has ended. For the moment when its writer is known dead. */
void sup_chan_drain(struct sup_chan *chan);

/* Nothing after this is interpreted (an accepted `done`, a decided end). */
void sup_chan_stop(struct sup_chan *chan);

/* Frames are queued and not written until the release. */
void sup_chan_hold(struct sup_chan *chan);
void sup_chan_release(struct sup_chan *chan);

/*
 * Queues one frame: fill in is called with a writer over max bytes. Fails with
 * NO_SPACE when the frame does not fit, and with what the queue fails with;
 * then the channel cannot go on.
 */
WIRE_MUST_USE enum wire_err sup_chan_send(struct sup_chan *chan, size_t max,
    void (*fill)(struct wire_out *out, const void *arg), const void *arg,
    struct wire_errinfo *info);

#endif
