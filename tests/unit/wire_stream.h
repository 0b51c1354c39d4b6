/*
 * A host as the tests of streams need it: bytes through splitter, decoder and
 * session, in every way of cutting them up.
 */
#ifndef WIRE_STREAM_H
#define WIRE_STREAM_H

#include "wire_help.h"

#include "wire/frame.h"
#include "wire/session.h"

#define FRAME_MAX (WIRE_MIB + WIRE_FRAME_SLACK)

static const struct wire_frame_limits usual = {
    FRAME_MAX, 80 * WIRE_MIB, WIRE_MAX_LINES, WIRE_MAX_BLANKS};

#define READY                                                                  \
	"{\"type\":\"ready\",\"protocol\":1,\"python\":\"3.11.2\",\"pid\":2,"  \
	"\"uid\":1,\"gid\":1,\"no_new_privs\":1,\"dumpable\":0,\"seccomp\":2," \
	"\"landlock\":{\"abi\":7,\"errno\":0},\"network\":{\"inet\":1,"        \
	"\"inet6\":1},\"fork\":1,\"descriptors\":[0,1,2,3],\"canaries\":"      \
	"{\"before\":[],\"after\":[]},\"environment\":[],\"limits\":{"         \
	"\"core\":[0,0],\"cpu\":[1,2],\"address_space\":[null,null],"          \
	"\"file_size\":[1,1],\"processes\":[9,9],\"open_files\":[9,9]}}\n"

/* What is allocated first; both grow as the supervisor's do. */
#define BUFFER_FIRST 1024UL
#define KEYS_FIRST   64UL

struct outcome {
	const char *word; /* of the error; "done", or "open" without one */
	uint64_t offset;
	uint64_t calls; /* accepted */
};

/* The ceilings of the host; a test may lower them for a while. */
static struct wire_frame_limits ceilings;

/* The most that any run has allocated. */
static size_t most_buffer, most_keys;

static struct wire_json_scratch scratch;
static struct wire_msg msg;

HELP int
setup(void **state)
{
	(void)state;
	ceilings = usual;
	scratch_new(&scratch, KEYS_FIRST);
	return 0;
}

HELP int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	return 0;
}

static enum wire_err
decode(struct wire_span line, struct wire_errinfo *info)
{
	enum wire_err err;
	size_t keys;

	for (;;) {
		err = wire_msg_decode(line, &scratch, &msg, info);
		if (err != WIRE_ERR_NEED_SCRATCH)
			return err;
		keys = scratch.keys_max * 4;
		if (keys > WIRE_MAX_OPEN_MEMBERS)
			keys = WIRE_MAX_OPEN_MEMBERS;
		assert_true(keys > scratch.keys_max);
		scratch_free(&scratch);
		scratch_new(&scratch, keys);
		if (keys > most_keys)
			most_keys = keys;
	}
}

/* One line; after `ready` the host answers with `run` at once. */
static enum wire_err
take_line(
    struct wire_session *session, struct wire_span line, uint64_t *ret_offset)
{
	static const struct wire_msg run = {.type = WIRE_MSG_RUN};
	struct wire_errinfo info;
	enum wire_err err;

	err = decode(line, &info);
	if (err != WIRE_OK) {
		*ret_offset += info.offset;
		return err;
	}
	err = wire_session_receive(session, &msg, true);
	if (err == WIRE_OK && msg.type == WIRE_MSG_READY)
		err = wire_session_step(session, &run);
	return err;
}

/* Room for the next read. The buffer is a block of just its size, so that a
 * sanitizer sees a byte too far, and is never over the frame ceiling. */
static size_t
make_room(struct wire_frame *frame, uint8_t **ret_p)
{
	size_t room, larger, most = ceilings.frame_max + 1;
	uint8_t *buf, *old = frame->buf;

	wire_frame_space(frame, ret_p, &room);
	if (room != 0)
		return room;
	larger = frame->buf_len * 2 < most ? frame->buf_len * 2 : most;
	assert_true(larger > frame->buf_len);
	buf = must_alloc(larger);
	wire_frame_move(frame, buf, larger);
	free(old);
	if (larger > most_buffer)
		most_buffer = larger;
	wire_frame_space(frame, ret_p, &room);
	assert_true(room != 0);
	return room;
}

/* How many bytes the next read gets; at is where it begins. */
typedef size_t cut_fn(struct wire_span stream, size_t at);

/* Takes the lines that are there; false when nothing more is read. */
static bool
take_lines(struct wire_frame *frame, struct wire_session *session,
    enum wire_err *ret_err, uint64_t *ret_offset)
{
	struct wire_span line;

	while (wire_frame_next(frame, &line, ret_offset, ret_err)) {
		*ret_err = take_line(session, line, ret_offset);
		/* The first answer counts. */
		if (*ret_err != WIRE_OK || session->state == WIRE_SESSION_DONE)
			return false;
	}
	if (*ret_err == WIRE_OK)
		return true;
	*ret_offset = frame->err_offset;
	return false;
}

static struct outcome
run(struct wire_span stream, cut_fn *cut)
{
	struct outcome got = {"open", 0, 0};
	struct wire_session session;
	struct wire_frame frame;
	enum wire_err err = WIRE_OK;
	uint64_t offset = 0;
	uint8_t *space;
	size_t at = 0, n, room, first = BUFFER_FIRST;
	bool more;

	if (first > ceilings.frame_max + 1)
		first = ceilings.frame_max + 1;
	wire_session_init(&session);
	wire_frame_init(&frame, &ceilings, must_alloc(first), first);
	while ((more = take_lines(&frame, &session, &err, &offset)) &&
	    at != stream.len) {
		room = make_room(&frame, &space);
		n = cut(stream, at);
		if (n > room)
			n = room;
		memcpy(space, stream.p + at, n);
		wire_frame_commit(&frame, n);
		at += n;
	}
	if (more) {
		offset = frame.base + frame.start;
		err = wire_frame_end(&frame);
	}
	free(frame.buf);
	got.calls = session.next_id;
	if (err != WIRE_OK) {
		got.word = wire_err_word(err);
		got.offset = offset;
	} else if (session.state == WIRE_SESSION_DONE) {
		got.word = "done";
	}
	return got;
}

/* --- ways of cutting ----------------------------------------------------- */

static size_t
cut_nowhere(struct wire_span stream, size_t at)
{
	return stream.len - at;
}

static size_t
cut_everywhere(struct wire_span stream, size_t at)
{
	(void)stream;
	(void)at;
	return 1;
}

/* Before each newline, between it and what follows, and one byte later. */
static size_t
cut_at_newlines(struct wire_span stream, size_t at)
{
	const uint8_t *newline;

	if (stream.p[at] == '\n' || (at != 0 && stream.p[at - 1] == '\n'))
		return 1;
	newline = memchr(stream.p + at, '\n', stream.len - at);
	return newline == NULL ? stream.len - at
			       : (size_t)(newline - (stream.p + at));
}

static size_t split;

static size_t
cut_in_two(struct wire_span stream, size_t at)
{
	return at < split ? split - at : stream.len - at;
}

static uint64_t cut_state;

/* Pieces of all sizes, small ones more often. */
static size_t
cut_anywhere(struct wire_span stream, size_t at)
{
	size_t most = (size_t)1 << random_below(&cut_state, 17);
	size_t n = 1 + random_below(&cut_state, most);

	return n < stream.len - at ? n : stream.len - at;
}

/* Streams up to this length are split in two at every place. */
#define SPLIT_EVERYWHERE 4096
#define RANDOM_CUTS	 8

static void
expect_same(const char *name, struct wire_span stream, cut_fn *cut,
    const struct outcome *whole)
{
	struct outcome got = run(stream, cut);

	if (strcmp(got.word, whole->word) != 0 || got.offset != whole->offset ||
	    got.calls != whole->calls)
		fail_msg("%s: %s at %llu, but %s at %llu when cut (%zu)", name,
		    whole->word, (unsigned long long)whole->offset, got.word,
		    (unsigned long long)got.offset, split);
}

/* The same outcome for each way of cutting it up. */
static struct outcome
deliver(const char *name, struct wire_span stream)
{
	struct outcome whole = run(stream, cut_nowhere);
	unsigned i;

	expect_same(name, stream, cut_everywhere, &whole);
	expect_same(name, stream, cut_at_newlines, &whole);
	for (split = 1; split < stream.len && stream.len <= SPLIT_EVERYWHERE;
	     split++)
		expect_same(name, stream, cut_in_two, &whole);
	cut_state = 0x9e3779b97f4a7c15ULL;
	for (i = 0; i < RANDOM_CUTS; i++)
		expect_same(name, stream, cut_anywhere, &whole);
	return whole;
}

/* And of the stream with a second copy behind it. */
HELP void
expect(const char *name, struct wire_span stream, const char *word,
    const char *word_twice, uint64_t calls)
{
	struct growing twice = {NULL, 0, 0};
	struct outcome got = deliver(name, stream);

	if (strcmp(got.word, word) != 0 || got.calls != calls)
		fail_msg("%s: %s at %llu after %llu calls", name, got.word,
		    (unsigned long long)got.offset,
		    (unsigned long long)got.calls);
	grow_bytes(&twice, stream.p, stream.len);
	grow_bytes(&twice, stream.p, stream.len);
	got = deliver(name, grown(&twice));
	if (strcmp(got.word, word_twice) != 0)
		fail_msg("%s twice: %s", name, got.word);
	free(twice.p);
}

#endif
