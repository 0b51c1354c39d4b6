/*
 * The channel against a peer that writes what it likes.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/chan.h"
#include "supervisor/sys.h"

#define READY                                                                  \
	"{\"type\":\"ready\",\"protocol\":1,\"python\":\"3.11\",\"pid\":2,"    \
	"\"uid\":1,\"gid\":1,\"no_new_privs\":1,\"dumpable\":0,\"seccomp\":2," \
	"\"landlock\":{\"abi\":7,\"errno\":0},\"network\":{\"inet\":1,"        \
	"\"inet6\":1},\"fork\":1,\"descriptors\":[0,1,2,3],\"canaries\":"      \
	"{\"before\":[2],\"after\":[2]},\"environment\":[],\"limits\":"        \
	"{\"core\":[0,0],\"cpu\":[1,2],\"address_space\":[1,1],"               \
	"\"file_size\":[1,1],\"processes\":[1,1],\"open_files\":[1,1]}}\n"

struct peer {
	struct sup_loop loop;
	struct sup_chan chan;
	int fd; /* the child's end */
	size_t messages;
	size_t last_len;  /* of the last call's arguments */
	size_t reply_len; /* answers each call with so much; 0: with nothing */
	enum wire_err ended;
	bool has_ended;
	uint64_t offset;
	int taken; /* the descriptor that was handed on, or 0 */
	int full;  /* times reported full, minus times reported empty */
};

static void
fill_reply(struct wire_out *out, const void *arg)
{
	wire_msg_encode_reply_value(
	    out, 0, *(const struct wire_span *)arg, NULL);
}

/* A reply that is large, whoever asked for it. */
static void
answer(struct peer *p)
{
	char *value = malloc(p->reply_len);
	struct wire_span span = {(uint8_t *)value, p->reply_len};

	assert_non_null(value);
	memset(value, '1', p->reply_len);
	assert_int_equal(sup_chan_send(&p->chan, p->reply_len + 100, fill_reply,
			     &span, NULL),
	    WIRE_OK);
	free(value);
}

static void
on_message(void *arg, const struct wire_msg *msg)
{
	struct peer *p = arg;
	struct wire_msg run = {.type = WIRE_MSG_RUN};

	p->messages++;
	if (msg->type == WIRE_MSG_READY)
		assert_int_equal(
		    wire_session_step(&p->chan.session, &run), WIRE_OK);
	if (msg->type == WIRE_MSG_CALL)
		p->last_len = msg->u.call.arguments.len;
	if (msg->type == WIRE_MSG_CALL && p->reply_len > 0)
		answer(p);
}

static void
on_ended(void *arg, enum wire_err err, const struct wire_errinfo *info)
{
	struct peer *p = arg;

	assert_false(p->has_ended);
	p->has_ended = true;
	p->ended = err;
	p->offset = info->offset;
}

static void
on_full(void *arg, bool is_full)
{
	struct peer *p = arg;

	p->full += is_full ? 1 : -1;
}

static void
on_descriptor(void *arg, int fd)
{
	struct peer *p = arg;

	assert_int_equal(p->taken, 0);
	p->taken = fd;
}

static void
open_peer_that(struct peer *p, size_t frame_max, bool takes_fd)
{
	const struct wire_frame_limits limits = {
	    .frame_max = frame_max,
	    .bytes_max = 1 << 30,
	    .lines_max = WIRE_MAX_LINES,
	    .blanks_max = WIRE_MAX_BLANKS,
	};
	const struct sup_chan_handler handler = {
	    p, on_message, on_ended, on_full, takes_fd ? on_descriptor : NULL};
	int fds[2];

	memset(p, 0, sizeof(*p));
	assert_int_equal(sup_sys_socketpair(SOCK_STREAM, fds), 0);
	assert_int_equal(sup_loop_init(&p->loop, NULL), WIRE_OK);
	assert_int_equal(
	    sup_chan_open(&p->chan, &p->loop, fds[0], &limits, &handler, NULL),
	    WIRE_OK);
	p->fd = fds[1];
}

static void
open_peer(struct peer *p, size_t frame_max)
{
	open_peer_that(p, frame_max, false);
}

static void
close_peer(struct peer *p)
{
	sup_chan_close(&p->chan);
	sup_loop_release(&p->loop);
	sup_sys_close(&p->fd);
}

/* Turns until nothing is left to do. */
static void
turn(struct peer *p)
{
	for (int i = 0; i < 2000; i++)
		assert_int_equal(sup_loop_step(&p->loop, 0), WIRE_OK);
}

static void
put(struct peer *p, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = sup_sys_send(p->fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
			continue;
		}
		/* Full, or closed on the other side after a violation. */
		assert_int_equal(sup_loop_step(&p->loop, 0), WIRE_OK);
		if (p->has_ended)
			return;
	}
}

static void
put_text(struct peer *p, const char *text)
{
	put(p, text, strlen(text));
	turn(p);
}

static void
t_calls_in_turn_are_handed_on(void **state)
{
	struct peer p;

	(void)state;
	open_peer(&p, 65536);
	put_text(&p, READY);
	put_text(&p,
	    "{\"type\":\"call\",\"id\":0,\"name\":\"a\",\"arguments\":{}}\n"
	    "{\"type\":\"call\",\"id\":1,\"name\":\"a\",\"arguments\":{}}\n");
	assert_int_equal(p.messages, 3);
	assert_false(p.has_ended);
	close_peer(&p);
}

static void
ends(const char *text, enum wire_err err, uint64_t offset)
{
	struct peer p;

	open_peer(&p, 65536);
	put_text(&p, READY);
	put_text(&p, text);
	assert_true(p.has_ended);
	assert_int_equal(p.ended, err);
	assert_int_equal(p.offset, sizeof(READY) - 1 + offset);
	/* Nothing after it is interpreted. */
	put_text(&p,
	    "{\"type\":\"call\",\"id\":0,\"name\":\"a\","
	    "\"arguments\":{}}\n");
	assert_int_equal(p.messages, 1);
	close_peer(&p);
}

static void
t_violations_end_it_once(void **state)
{
	(void)state;
	ends("{\"type\":\"call\",\"id\":1,\"name\":\"a\",\"arguments\":{}}\n",
	    WIRE_ERR_WRONG_ID, 0);
	ends("{\"type\":\"run\",\"program\":\"\",\"tools\":[],\"limits\":"
	     "{\"frame\":1,\"value\":1,\"arguments\":1}}\n",
	    WIRE_ERR_OUT_OF_TURN, 0);
	ends("{\"type\":\"reply\",\"id\":0,\"value\":1}\n",
	    WIRE_ERR_OUT_OF_TURN, 0);
	ends(READY, WIRE_ERR_OUT_OF_TURN, 0);
	ends("[1]\n", WIRE_ERR_NOT_OBJECT, 0);
	ends("\n \n{\"type\":\"x\"}\n", WIRE_ERR_UNKNOWN_TYPE, 11);
}

/* The buffer grows to the ceiling and stops there: n passes, n + 1 ends. */
static void
t_frame_ceiling_is_exact(void **state)
{
	static const char head[] = "{\"type\":\"call\",\"id\":0,\"name\":\"a\","
				   "\"arguments\":{\"x\":\"";
	static const char tail[] = "\"}}";
	size_t max = 300000;

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		size_t len = max + over, fill;
		char *line = malloc(len + 1);
		struct peer p;

		assert_non_null(line);
		fill = len - (sizeof(head) - 1) - (sizeof(tail) - 1);
		memcpy(line, head, sizeof(head) - 1);
		memset(line + sizeof(head) - 1, 'x', fill);
		memcpy(line + sizeof(head) - 1 + fill, tail, sizeof(tail) - 1);
		line[len] = '\n';
		open_peer(&p, max);
		put_text(&p, READY);
		put(&p, line, len + 1);
		turn(&p);
		assert_int_equal(p.has_ended, over == 1);
		if (over == 1)
			assert_int_equal(p.ended, WIRE_ERR_FRAME_TOO_LONG);
		else
			assert_int_equal(p.last_len, fill + 8);
		assert_true(p.chan.buf_len <= max + 1);
		close_peer(&p);
		free(line);
	}
}

/* More members than the table has at first: it grows and nothing is lost. */
static void
t_many_members_grow_the_table(void **state)
{
	struct peer p;
	size_t max = 1 << 20, len = 0;
	char *line = malloc(max);

	(void)state;
	assert_non_null(line);
	len += (size_t)snprintf(line, max,
	    "{\"type\":\"call\",\"id\":0,\"name\":\"a\",\"arguments\":{");
	for (int i = 0; i < 20000; i++)
		len += (size_t)snprintf(line + len, max - len, "%s\"k%d\":%d",
		    i == 0 ? "" : ",", i, i);
	len += (size_t)snprintf(line + len, max - len, "}}\n");
	open_peer(&p, max);
	put_text(&p, READY);
	put(&p, line, len);
	turn(&p);
	assert_false(p.has_ended);
	assert_int_equal(p.messages, 2);
	close_peer(&p);
	free(line);
}

static void
t_end_of_stream(void **state)
{
	struct peer p;

	(void)state;
	open_peer(&p, 65536);
	put_text(&p, READY);
	sup_sys_close(&p.fd);
	turn(&p);
	assert_true(p.has_ended);
	assert_int_equal(p.ended, WIRE_ERR_CLOSED);
	close_peer(&p);
	open_peer(&p, 65536);
	put_text(&p, READY "{\"type\":");
	sup_sys_close(&p.fd);
	turn(&p);
	assert_int_equal(p.ended, WIRE_ERR_PARTIAL_FRAME);
	assert_int_equal(p.offset, sizeof(READY) - 1);
	close_peer(&p);
}

static size_t
count_fds(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* A blank line, and two descriptors with it. */
static void
put_fds(struct peer *p)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec iov = {(void *)(uintptr_t) "\n", 1};
	struct msghdr msg = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	int fds[2] = {0, 1};

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	assert_int_equal(sendmsg(p->fd, &msg, 0), 1);
}

/* Descriptors that come along are closed and counted (SCM_RIGHTS). */
static void
t_smuggled_descriptors_are_closed(void **state)
{
	struct peer p;
	size_t before;

	(void)state;
	open_peer(&p, 65536);
	before = count_fds();
	for (int i = 0; i < 20; i++)
		put_fds(&p);
	turn(&p);
	assert_int_equal(count_fds(), before);
	assert_int_equal(p.chan.fds_closed, 40);
	assert_false(p.has_ended);
	close_peer(&p);
}

/* One, with the first byte, where it is waited for; never another. */
static void
t_one_descriptor_is_taken(void **state)
{
	struct peer p;
	size_t before;

	(void)state;
	open_peer_that(&p, 65536, true);
	before = count_fds();
	for (int i = 0; i < 3; i++)
		put_fds(&p);
	put_text(&p, READY);
	put_fds(&p);
	turn(&p);
	assert_true(p.taken > 2);
	assert_true((fcntl(p.taken, F_GETFD) & FD_CLOEXEC) != 0);
	assert_int_equal(count_fds(), before + 1);
	assert_int_equal(p.chan.fds_closed, 7);
	assert_int_equal(p.messages, 1);
	assert_false(p.has_ended);
	sup_sys_close(&p.taken);
	close_peer(&p);
}

/* What comes with a later byte is not it, though it is the first. */
static void
t_a_late_descriptor_is_closed(void **state)
{
	struct peer p;
	size_t before;

	(void)state;
	open_peer_that(&p, 65536, true);
	before = count_fds();
	put_text(&p, "\n");
	put_fds(&p);
	put_text(&p, READY);
	put_fds(&p);
	turn(&p);
	assert_int_equal(p.taken, 0);
	assert_int_equal(count_fds(), before);
	assert_int_equal(p.chan.fds_closed, 4);
	assert_false(p.has_ended);
	close_peer(&p);
}

/* An urgent byte is no part of the stream, and does not keep the loop busy. */
static void
t_out_of_band_bytes_are_dropped(void **state)
{
	struct peer p;

	(void)state;
	open_peer(&p, 4096);
	/* KERNEL: since 5.15, when configured; else no such byte exists. */
	if (send(p.fd, "!", 1, MSG_OOB) == 1)
		turn(&p);
	put_text(&p, READY);
	(void)send(p.fd, "!", 1, MSG_OOB);
	put_text(&p,
	    "{\"type\":\"call\",\"id\":0,\"name\":\"x\",\"arguments\":{}}\n");
	(void)send(p.fd, "!", 1, MSG_OOB);
	turn(&p);
	assert_false(p.has_ended);
	assert_int_equal(p.messages, 2);
	assert_false(sup_sys_is_readable(p.chan.watch.fd));
	close_peer(&p);
}

/* A child that does not read: nothing blocks, the mark is reported, and what
 * waits goes when it reads again. */
static void
t_unread_replies_wait(void **state)
{
	struct peer p;
	size_t len = 200000;
	char *value = malloc(len), *sink = malloc(1 << 20);
	struct wire_span span = {(uint8_t *)value, len};
	size_t got = 0, sent = 0;

	(void)state;
	assert_non_null(value);
	assert_non_null(sink);
	memset(value, '1', len);
	open_peer(&p, 65536);
	put_text(&p, READY);
	for (int i = 0; i < 10; i++)
		assert_int_equal(
		    sup_chan_send(&p.chan, len + 100, fill_reply, &span, NULL),
		    WIRE_OK);
	assert_int_equal(p.full, 1);
	sent = sup_queue_waiting(&p.chan.queue);
	assert_true(sent >= SUP_CHAN_QUEUE_HIGH);
	for (int i = 0; i < 20000 && sup_queue_waiting(&p.chan.queue) > 0;
	     i++) {
		ssize_t n = recv(p.fd, sink, 1 << 20, MSG_DONTWAIT);

		if (n > 0)
			got += (size_t)n;
		assert_int_equal(sup_loop_step(&p.loop, 0), WIRE_OK);
	}
	assert_int_equal(sup_queue_waiting(&p.chan.queue), 0);
	assert_int_equal(p.full, 0);
	assert_true(got > 0);
	/* One that is gone: what is sent is dropped, without a signal. */
	sup_sys_close(&p.fd);
	for (int i = 0; i < 10; i++)
		assert_int_equal(
		    sup_chan_send(&p.chan, len + 100, fill_reply, &span, NULL),
		    WIRE_OK);
	assert_int_equal(sup_queue_waiting(&p.chan.queue), 0);
	close_peer(&p);
	free(value);
	free(sink);
}

/* Nor is one read whose replies fill the queue: lines that are there already
 * wait as well. */
static void
t_lines_wait_when_the_queue_is_full(void **state)
{
	struct peer p;
	char text[64 * 120];
	size_t len = 0;

	(void)state;
	open_peer(&p, 65536);
	put_text(&p, READY);
	p.reply_len = 400000;
	for (int i = 0; i < 60; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "{\"type\":\"call\",\"id\":%d,\"name\":\"a\","
		    "\"arguments\":{}}\n",
		    i);
	put(&p, text, len);
	turn(&p);
	assert_int_equal(p.full, 1);
	/* Full at a megabyte, and the socket takes some before. */
	assert_in_range(p.messages, 3, 12);
	close_peer(&p);
}

/* 2 MB that wait for the peer. */
static void
owe_replies(struct peer *p)
{
	static uint8_t value[200000];
	const struct wire_span span = {value, sizeof(value)};

	memset(value, '1', sizeof(value));
	for (int i = 0; i < 10; i++)
		assert_int_equal(sup_chan_send(&p->chan, span.len + 100,
				     fill_reply, &span, NULL),
		    WIRE_OK);
	assert_int_equal(p->full, 1);
}

/* What is held is not written, wakes nobody, and goes with the release. */
static void
t_held_frames(void **state)
{
	static const char call[] = "{\"type\":\"call\",\"id\":0,"
				   "\"name\":\"x\",\"arguments\":{}}\n";
	const struct wire_span span = WIRE_LIT("\"held\"");
	struct peer p;
	char text[512];
	ssize_t n;

	(void)state;
	open_peer(&p, 4096);
	put_text(&p, READY);
	sup_chan_hold(&p.chan);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
		    sup_chan_send(&p.chan, 100, fill_reply, &span, NULL),
		    WIRE_OK);
	turn(&p);
	assert_int_equal(recv(p.fd, text, sizeof(text), MSG_DONTWAIT), -1);
	assert_false(sup_sys_is_readable(p.loop.epoll_fd));
	sup_chan_release(&p.chan);
	n = recv(p.fd, text, sizeof(text), MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(sup_queue_waiting(&p.chan.queue), 0);
	for (int i = 0; i < n; i++)
		p.messages += text[i] == '\n';
	assert_int_equal(p.messages, 1 + 3);
	/* Past the mark, it is full until the release. */
	sup_chan_hold(&p.chan);
	owe_replies(&p);
	turn(&p);
	assert_int_equal(p.full, 1);
	/* Of a peer that is known dead the lines are taken all the same. */
	put(&p, call, strlen(call));
	sup_sys_close(&p.fd);
	sup_chan_drain(&p.chan);
	assert_int_equal(p.full, 0);
	assert_int_equal(p.messages, 1 + 3 + 1);
	assert_int_equal(p.ended, WIRE_ERR_CLOSED);
	close_peer(&p);
}

/* It leaves replies unread and closes both directions: that is its end, and
 * nothing that the loop would turn for. */
static void
t_hang_up_of_a_deaf_peer(void **state)
{
	struct peer p;

	(void)state;
	open_peer(&p, 4096);
	put_text(&p, READY);
	owe_replies(&p);
	assert_int_equal(shutdown(p.fd, SHUT_RDWR), 0);
	turn(&p);
	assert_true(p.has_ended);
	assert_int_equal(p.ended, WIRE_ERR_CLOSED);
	assert_int_equal(sup_queue_waiting(&p.chan.queue), 0);
	assert_int_equal(p.full, 0);
	assert_false(sup_sys_is_readable(p.loop.epoll_fd));
	close_peer(&p);
}

/* Who has only stopped writing gets every reply. */
static void
t_half_closed_peer_is_answered(void **state)
{
	char *sink = malloc(1 << 20);
	struct peer p;
	size_t want, got = 0;

	(void)state;
	assert_non_null(sink);
	open_peer(&p, 4096);
	put_text(&p, READY);
	owe_replies(&p);
	want = 10 *
	    (200000 +
		sizeof("{\"type\":\"reply\",\"id\":0,"
		       "\"value\":}"));
	assert_int_equal(shutdown(p.fd, SHUT_WR), 0);
	for (int i = 0; i < 20000 && got < want; i++) {
		ssize_t n = recv(p.fd, sink, 1 << 20, MSG_DONTWAIT);

		if (n > 0)
			got += (size_t)n;
		assert_int_equal(sup_loop_step(&p.loop, 0), WIRE_OK);
	}
	assert_int_equal(got, want);
	assert_true(p.has_ended);
	assert_int_equal(p.ended, WIRE_ERR_CLOSED);
	assert_false(sup_sys_is_readable(p.loop.epoll_fd));
	close_peer(&p);
	free(sink);
}

/* 300 calls at once take more than one turn, and none is lost. */
static void
t_a_turn_takes_a_bounded_share(void **state)
{
	struct peer p;
	char lines[300 * 64];
	size_t len = 0;

	(void)state;
	open_peer(&p, 65536);
	put_text(&p, READY);
	for (int i = 0; i < 300; i++)
		len += (size_t)snprintf(lines + len, sizeof(lines) - len,
		    "{\"type\":\"call\",\"id\":%d,\"name\":\"a\","
		    "\"arguments\":{}}\n",
		    i);
	assert_int_equal(sup_sys_send(p.fd, lines, len), len);
	assert_int_equal(sup_loop_step(&p.loop, 0), WIRE_OK);
	assert_int_equal(p.messages, 1 + SUP_CHAN_TURN_LINES);
	turn(&p);
	assert_int_equal(p.messages, 301);
	close_peer(&p);
}

/* More calls than one turn takes, and then the end of the child: all of them
 * were written before it. */
static void
t_lines_of_a_dead_peer_are_taken(void **state)
{
	struct peer p;
	char lines[300 * 64];
	size_t len = 0;

	(void)state;
	open_peer(&p, 4096);
	put_text(&p, READY);
	for (int i = 0; i < 300; i++)
		len += (size_t)snprintf(lines + len, sizeof(lines) - len,
		    "{\"type\":\"call\",\"id\":%d,\"name\":\"x\","
		    "\"arguments\":{}}\n",
		    i);
	put(&p, lines, len);
	sup_sys_close(&p.fd);
	assert_int_equal(sup_loop_step(&p.loop, 0), WIRE_OK);
	assert_in_range(p.messages, 2, 300);
	sup_chan_drain(&p.chan);
	assert_int_equal(p.messages, 301);
	assert_int_equal(p.ended, WIRE_ERR_CLOSED);
	close_peer(&p);
}

/* Who knew it could name members so that they all collide. */
static void
t_each_channel_has_a_key_of_its_own(void **state)
{
	struct peer one, two;

	(void)state;
	open_peer(&one, 1000);
	open_peer(&two, 1000);
	assert_true(one.chan.seed != two.chan.seed);
	close_peer(&one);
	close_peer(&two);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_calls_in_turn_are_handed_on),
	    cmocka_unit_test(t_violations_end_it_once),
	    cmocka_unit_test(t_frame_ceiling_is_exact),
	    cmocka_unit_test(t_many_members_grow_the_table),
	    cmocka_unit_test(t_end_of_stream),
	    cmocka_unit_test(t_smuggled_descriptors_are_closed),
	    cmocka_unit_test(t_one_descriptor_is_taken),
	    cmocka_unit_test(t_a_late_descriptor_is_closed),
	    cmocka_unit_test(t_out_of_band_bytes_are_dropped),
	    cmocka_unit_test(t_unread_replies_wait),
	    cmocka_unit_test(t_lines_wait_when_the_queue_is_full),
	    cmocka_unit_test(t_lines_of_a_dead_peer_are_taken),
	    cmocka_unit_test(t_held_frames),
	    cmocka_unit_test(t_hang_up_of_a_deaf_peer),
	    cmocka_unit_test(t_half_closed_peer_is_answered),
	    cmocka_unit_test(t_a_turn_takes_a_bounded_share),
	    cmocka_unit_test(t_each_channel_has_a_key_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
