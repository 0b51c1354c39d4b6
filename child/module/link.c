#include "child/module/link.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "child/sys.h"

#define EXIT_BROKEN 125
#define BUFFER_MIN  (64 * WIRE_KIB)
#define KEYS_MIN    64
/* How long a reader yields the processor before it sleeps: a host that
 * answers at once is met awake, and a slow one costs no more than this. */
#define SPIN_NS 20000

void
stub_link_exit(int status)
{
	for (;;)
		STUB_SYS(__NR_exit_group, status);
}

void
stub_link_die(const char *what, const char *detail, long number)
{
	char line[200];
	int len = snprintf(
	    line, sizeof(line), "weir: %s: %s (%ld)\n", what, detail, number);

	if (len > (int)sizeof(line) - 1)
		len = (int)sizeof(line) - 1;
	/* Nobody is left to hear of a failure. */
	(void)STUB_SYS(__NR_write, 2, line, len);
	stub_link_exit(EXIT_BROKEN);
}

void
stub_link_refuse(enum wire_err err, uint64_t offset)
{
	stub_link_die("channel", wire_err_word(err), (long)offset);
}

/* (Re)allocates the key table; what it held is over between two scans. */
static bool
grow_scratch(struct stub_link *link, size_t keys_max)
{
	free(link->scratch_mem);
	link->scratch_mem = malloc(wire_json_scratch_size(keys_max));
	if (link->scratch_mem == NULL)
		return false;
	wire_json_scratch_init(
	    &link->scratch, link->scratch_mem, keys_max, link->seed);
	link->keys_max = keys_max;
	return true;
}

bool
stub_link_init(struct stub_link *link, int fd)
{
	/* The host meters what comes from tools; a frame has its maximum, the
	 * stream does not end before the execution does. */
	static const struct wire_frame_limits limits = {
	    .frame_max = WIRE_MAX_FRAME,
	    .bytes_max = UINT64_MAX,
	    .lines_max = UINT64_MAX,
	    .blanks_max = UINT64_MAX,
	};
	uint8_t *buf = malloc(BUFFER_MIN);

	*link = (struct stub_link){.fd = fd};
	/* SECURITY: results come from strangers, through the host; a seed they
	 * cannot know keeps the key table linear. */
	(void)STUB_SYS(__NR_getrandom, &link->seed, sizeof(link->seed), 0);
	if (buf == NULL || !grow_scratch(link, KEYS_MIN)) {
		free(buf);
		return false;
	}
	wire_frame_init(&link->frame, &limits, buf, BUFFER_MIN);
	return true;
}

/* Doubles the buffer, which is full of one unfinished line. */
static void
grow_buffer(struct stub_link *link)
{
	size_t len = link->frame.buf_len * 2;
	uint8_t *old = link->frame.buf;
	uint8_t *buf;

	if (len > WIRE_MAX_FRAME + 1)
		len = WIRE_MAX_FRAME + 1;
	buf = malloc(len);
	if (buf == NULL)
		stub_link_die("channel", "no memory for a frame", (long)len);
	wire_frame_move(&link->frame, buf, len);
	free(old);
}

static uint64_t
now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long
receive(int fd, uint8_t *p, size_t len, int flags)
{
	return STUB_SYS(__NR_recvfrom, fd, p, len, flags, 0, 0);
}

void
stub_link_drop_rest(const struct stub_link *link)
{
	static uint8_t sink[64 * 1024];
	struct pollfd poll_fd = {link->fd, POLLIN, 0};
	long r;

	do {
		r = receive(link->fd, sink, sizeof(sink), 0);
		if (r == -EAGAIN)
			(void)STUB_SYS(__NR_ppoll, &poll_fd, 1, 0, 0, 0);
	} while (r > 0 || r == -EAGAIN || r == -EINTR);
}

/* Waits for bytes: awake for a moment, then asleep. */
static long
receive_waiting(int fd, uint8_t *p, size_t len)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};
	uint64_t until = now_ns() + SPIN_NS;
	long r;

	for (;;) {
		r = receive(fd, p, len, MSG_DONTWAIT);
		if (r != -EAGAIN)
			return r;
		if (now_ns() >= until)
			break;
		STUB_SYS(__NR_sched_yield);
	}
	r = receive(fd, p, len, 0);
	if (r != -EAGAIN)
		return r;
	/* The program made the description non-blocking. */
	r = STUB_SYS(__NR_ppoll, &poll_fd, 1, 0, 0, 0);
	if (r < 0)
		return r;
	return receive(fd, p, len, MSG_DONTWAIT);
}

enum stub_link_event
stub_link_read(struct stub_link *link, bool wait)
{
	uint8_t *p;
	size_t room;
	long r;

	wire_frame_space(&link->frame, &p, &room);
	if (room == 0) {
		grow_buffer(link);
		wire_frame_space(&link->frame, &p, &room);
	}
	r = wait ? receive_waiting(link->fd, p, room)
		 : receive(link->fd, p, room, MSG_DONTWAIT);
	if (r > 0) {
		wire_frame_commit(&link->frame, (size_t)r);
		return STUB_LINK_MOVED;
	}
	if (r == 0 || r == -ECONNRESET)
		return STUB_LINK_CLOSED;
	if (r == -EINTR)
		return STUB_LINK_INTERRUPTED;
	if (r == -EAGAIN)
		return STUB_LINK_WOULD_BLOCK;
	stub_link_die("channel", "cannot read: error", -r);
}

bool
stub_link_next(
    struct stub_link *link, struct wire_msg *ret_msg, uint64_t *ret_offset)
{
	struct wire_errinfo info = {"", 0, 0};
	struct wire_span line;
	enum wire_err err;

	if (!wire_frame_next(&link->frame, &line, ret_offset, &err)) {
		if (err != WIRE_OK)
			stub_link_refuse(err, link->frame.err_offset);
		return false;
	}
	for (;;) {
		err = wire_msg_decode(line, &link->scratch, ret_msg, &info);
		if (err != WIRE_ERR_NEED_SCRATCH)
			break;
		if (!grow_scratch(link, link->keys_max * 2))
			stub_link_die(
			    "channel", "no memory for keys", (long)line.len);
	}
	if (err != WIRE_OK)
		stub_link_refuse(err, *ret_offset + info.offset);
	return true;
}

void
stub_link_check_end(const struct stub_link *link)
{
	enum wire_err err = wire_frame_end(&link->frame);

	if (err != WIRE_OK)
		stub_link_refuse(err, link->frame.base + link->frame.start);
}

enum stub_link_event
stub_link_write(struct stub_link *link, struct wire_span frame, size_t *done)
{
	while (*done < frame.len) {
		/* No address: the filter allows sendto only like this. */
		long r = STUB_SYS(__NR_sendto, link->fd, frame.p + *done,
		    frame.len - *done, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);

		if (r == -EINTR)
			continue;
		if (r == -EAGAIN)
			return STUB_LINK_WOULD_BLOCK;
		if (r == -EPIPE || r == -ECONNRESET)
			return STUB_LINK_CLOSED;
		if (r < 0)
			stub_link_die("channel", "cannot write: error", -r);
		*done += (size_t)r;
	}
	return STUB_LINK_MOVED;
}

void
stub_link_wait(struct stub_link *link, bool *ret_readable)
{
	struct pollfd poll_fd = {link->fd, POLLIN | POLLOUT, 0};
	long r = STUB_SYS(__NR_ppoll, &poll_fd, 1, 0, 0, 0);

	*ret_readable = r > 0 && (poll_fd.revents & POLLIN) != 0;
}
