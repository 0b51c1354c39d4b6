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

struct outcome {
	const char *word; /* of the error; "done", or "open" without one */
	uint64_t offset;
	uint64_t calls; /* accepted */
};

static struct wire_json_scratch scratch;
static uint8_t *buffer;
static struct wire_msg msg;

HELP int
setup(void **state)
{
	(void)state;
	scratch_new(&scratch, WIRE_MAX_OPEN_MEMBERS);
	buffer = must_alloc(FRAME_MAX + 1);
	return 0;
}

HELP int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	free(buffer);
	return 0;
}

/* One line; after `ready` the host answers with `run` at once. */
static enum wire_err
take_line(
    struct wire_session *session, struct wire_span line, uint64_t *ret_offset)
{
	static const struct wire_msg run = {.type = WIRE_MSG_RUN};
	struct wire_errinfo info;
	enum wire_err err;

	err = wire_msg_decode(line, &scratch, &msg, &info);
	if (err != WIRE_OK) {
		*ret_offset += info.offset;
		return err;
	}
	err = wire_session_receive(session, &msg, true);
	if (err == WIRE_OK && msg.type == WIRE_MSG_READY)
		err = wire_session_step(session, &run);
	return err;
}

/* How many bytes the next read gets; at is where it begins. */
typedef size_t cut_fn(struct wire_span stream, size_t at);

static struct outcome
run(struct wire_span stream, cut_fn *cut)
{
	struct outcome got = {"open", 0, 0};
	struct wire_session session;
	struct wire_frame frame;
	struct wire_span line;
	enum wire_err err = WIRE_OK;
	uint64_t offset = 0;
	uint8_t *space;
	size_t at = 0, n, room;

	wire_session_init(&session);
	wire_frame_init(&frame, &usual, buffer, FRAME_MAX + 1);
	for (;;) {
		while (wire_frame_next(&frame, &line, &offset, &err)) {
			err = take_line(&session, line, &offset);
			/* The first answer counts; nothing more is read. */
			if (err != WIRE_OK ||
			    session.state == WIRE_SESSION_DONE)
				goto out;
		}
		if (err != WIRE_OK) {
			offset = frame.err_offset;
			goto out;
		}
		if (at == stream.len)
			break;
		wire_frame_space(&frame, &space, &room);
		assert_true(room > 0);
		n = cut(stream, at);
		if (n > room)
			n = room;
		memcpy(space, stream.p + at, n);
		wire_frame_commit(&frame, n);
		at += n;
	}
	offset = frame.base + frame.start;
	err = wire_frame_end(&frame);
out:
	got.calls = session.next_id;
	if (err != WIRE_OK) {
		got.word = wire_err_word(err);
		got.offset = offset;
	} else if (session.state == WIRE_SESSION_DONE) {
		got.word = "done";
	}
	return got;
}

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

/* The same outcome for each way of cutting it up. */
static struct outcome
deliver(const char *name, struct wire_span stream)
{
	static cut_fn *const cuts[] = {cut_everywhere, cut_at_newlines};
	struct outcome whole = run(stream, cut_nowhere), got;
	size_t i;

	for (i = 0; i < 2; i++) {
		got = run(stream, cuts[i]);
		if (strcmp(got.word, whole.word) != 0 ||
		    got.offset != whole.offset || got.calls != whole.calls)
			fail_msg("%s: %s at %llu, but %s at %llu when cut",
			    name, whole.word, (unsigned long long)whole.offset,
			    got.word, (unsigned long long)got.offset);
	}
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
