/*
 * Target: what of the child's module knows nothing of Python.
 *
 * The first byte, a letter, chooses. Properties:
 *  d  integers between decimal and hexadecimal text (child/module/decimal.h):
 *     what long division by hand gives, both ways, up to the limit of digits
 *     and refused one past it; a byte that is no digit is refused;
 *  s  the sink (child/module/sink.h): its size is that of the text which a
 *     writer without a limit makes of the same steps, and up to the maximum it
 *     holds that text, whatever was too large on the way;
 *  l  the link (child/module/link.h): host frames, cut anywhere and of any
 *     length, come out as the messages that they are when they are decoded at
 *     once, at their offsets. Only streams without an offence go in: after
 *     one the link ends the process, as it should.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child/module/decimal.h"
#include "child/module/link.h"
#include "child/module/sink.h"

/* --- decimal -------------------------------------------------------------- */

/* Long division: text in one base to text in another, naively. */
static size_t
convert(
    const uint8_t *text, size_t len, unsigned from, unsigned to, uint8_t *out)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *left = malloc(len + 1);
	size_t count = 0, i, begin = 0;

	FUZZ_REQUIRE(left != NULL);
	for (i = 0; i < len; i++)
		left[i] = (uint8_t)(strchr(digits, text[i]) - digits);
	do {
		unsigned rest = 0;

		for (i = begin; i < len; i++) {
			rest = rest * from + left[i];
			left[i] = (uint8_t)(rest / to);
			rest %= to;
		}
		out[count++] = (uint8_t)digits[rest];
		while (begin < len && left[begin] == 0)
			begin++;
	} while (begin < len);
	free(left);
	for (i = 0; i < count / 2; i++) {
		uint8_t swapped = out[i];

		out[i] = out[count - 1 - i];
		out[count - 1 - i] = swapped;
	}
	return count;
}

/* The number modulo a prime of 61 bits: for texts that long division takes
 * too long for. */
static uint64_t
residue(struct wire_span text, unsigned base)
{
	const unsigned __int128 prime = (1ULL << 61) - 1;
	unsigned __int128 value = 0;
	size_t i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];

		value = value * base +
		    (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		value %= prime;
	}
	return (uint64_t)value;
}

/* Whether a number in base 16 has at most 4300 decimal digits. 0: it begins
 * like 10 ** 4300, so that this cannot tell. */
static int
is_short_hex(struct wire_span text)
{
	static const char least[] = "1392bd7c2a1aa84a72e2056d3b17f01c";
	int order;

	while (text.len != 0 && *text.p == '0') {
		text.p++;
		text.len--;
	}
	if (text.len != 3572)
		return text.len < 3572 ? 1 : -1;
	order = memcmp(text.p, least, sizeof(least) - 1);
	return order < 0 ? 1 : order == 0 ? 0 : -1;
}

/* Digits: those of the input, then more of a generator up to a length, which
 * is small, or about as large as may be. */
static size_t
digits_of(struct wire_span *in, unsigned base, size_t max, uint8_t *text)
{
	size_t len = fuzz_uint(in, 2), i;
	uint32_t seed = fuzz_byte(in), digit;
	uint8_t kind = fuzz_byte(in);

	len = len < 0xf000 ? len % 200 : max + 1 - len % 4;
	for (i = 0; i < len; i++) {
		if (kind == 0)
			digit = base - 1;
		else if (kind == 1)
			digit = i == 0;
		else if (kind == 2)
			digit = i == len - 1;
		else if (in->len != 0)
			digit = fuzz_byte(in);
		else
			digit = fuzz_random(&seed);
		text[i] = (uint8_t) "0123456789abcdef"[digit % base];
	}
	return len;
}

static void
check_result(
    struct wire_span text, unsigned from, bool done, struct wire_span got)
{
	unsigned to = from == 10 ? 16 : 10;
	int is_short = from == 10 ? 1 : is_short_hex(text);
	uint8_t want[512];
	size_t len;

	FUZZ_REQUIRE(is_short == 0 || done == (is_short > 0));
	if (!done)
		return;
	FUZZ_REQUIRE(got.len >= 1 && (got.p[0] != '0' || got.len == 1));
	FUZZ_REQUIRE(residue(text, from) == residue(got, to));
	if (text.len > 200)
		return;
	len = convert(text.p, text.len, from, to, want);
	FUZZ_REQUIRE(got.len == len && memcmp(got.p, want, len) == 0);
}

static void
check_decimal(struct wire_span in)
{
	bool to_hex = fuzz_byte(&in) & 1;
	size_t max = to_hex ? WIRE_MAX_INT_DIGITS : STUB_MAX_HEX_DIGITS;
	/* Blocks of exactly what the contract asks. */
	size_t room = to_hex ? STUB_MAX_HEX_DIGITS : WIRE_MAX_INT_DIGITS;
	uint8_t *text = malloc(max + 1), *out = malloc(room);
	bool (*turn)(struct wire_span, uint8_t *, size_t *) =
	    to_hex ? stub_hex_from_decimal : stub_decimal_from_hex;
	struct wire_span span = {text, 0}, got = {out, 0};
	bool done;

	FUZZ_REQUIRE(text != NULL && out != NULL);
	span.len = digits_of(&in, to_hex ? 10 : 16, max, text);
	done = turn(span, out, &got.len);
	FUZZ_REQUIRE(!done || got.len <= room);
	FUZZ_REQUIRE(!done || span.len <= max);
	if (span.len != 0 && span.len <= max) {
		check_result(span, to_hex ? 10 : 16, done, got);
		text[fuzz_byte(&in) % span.len] = fuzz_byte(&in) | 0x80;
		FUZZ_REQUIRE(!turn(span, out, &got.len));
	}
	free(text);
	free(out);
}

/* --- the sink ------------------------------------------------------------- */

/* Text of any length, in characters of one to four bytes and escapes. */
static struct wire_span
make_text(struct wire_span *in, uint8_t *buf, size_t max)
{
	static const char *const parts[] = {"x", "\"", "\n", "\x01", "\xc3\xa9",
	    "\xf0\x9f\x98\x80", "abcdefgh", "\xe2\x82\xac"};
	size_t len = fuzz_byte(in), used = 0;
	uint32_t seed = fuzz_byte(in);

	/* An escape takes six bytes for one; more than a piece of the sink. */
	len = len > 200 ? (len - 200) * 32 : len;
	while (used < len && used + 8 <= max / 3) {
		const char *part =
		    parts[seed & 1 ? fuzz_random(&seed) % 8 : seed / 2 % 8];

		memcpy(buf + used, part, strlen(part));
		used += strlen(part);
	}
	return (struct wire_span){buf, used};
}

/* One step on both; an array all the way, so that values may follow. */
static void
sink_step(struct wire_span *in, struct stub_sink *sink, struct wire_out *plain,
    uint8_t *scratch, size_t max)
{
	struct wire_span text;

	switch (fuzz_byte(in) % 4) {
	case 0:
		text = make_text(in, scratch, max);
		FUZZ_REQUIRE(stub_sink_text(sink, text, false));
		wire_out_string(plain, text);
		break;
	case 1:
		FUZZ_REQUIRE(stub_sink_token(sink));
		wire_out_int(&sink->out, -5);
		wire_out_int(plain, -5);
		break;
	case 2:
		memset(scratch, '7', max);
		text = (struct wire_span){scratch, 1 + fuzz_uint(in, 2) % 4300};
		FUZZ_REQUIRE(stub_sink_number(sink, text));
		wire_out_raw(plain, text);
		break;
	default:
		FUZZ_REQUIRE(stub_sink_token(sink));
		wire_out_begin_object(&sink->out);
		wire_out_begin_object(plain);
		text = make_text(in, scratch, max);
		FUZZ_REQUIRE(stub_sink_text(sink, text, true));
		wire_out_key_span(plain, text);
		FUZZ_REQUIRE(stub_sink_token(sink));
		wire_out_null(&sink->out);
		wire_out_end_object(&sink->out);
		wire_out_null(plain);
		wire_out_end_object(plain);
		break;
	}
}

#define STEPS_MAX 16
#define TEXT_MAX  4400
#define PLAIN_MAX (STEPS_MAX * (2UL * TEXT_MAX + 16))

static void
check_sink(struct wire_span in)
{
	size_t max = fuzz_uint(&in, 2), len, kept, steps;
	uint8_t *buf = malloc(PLAIN_MAX), *scratch = malloc(TEXT_MAX);
	struct stub_sink sink;
	struct wire_out plain;

	FUZZ_REQUIRE(buf != NULL && scratch != NULL);
	FUZZ_REQUIRE(stub_sink_init(&sink, max));
	wire_out_init(&plain, buf, PLAIN_MAX);
	FUZZ_REQUIRE(stub_sink_token(&sink));
	wire_out_begin_array(&sink.out);
	wire_out_begin_array(&plain);
	for (steps = 0; steps < STEPS_MAX && in.len != 0; steps++)
		sink_step(&in, &sink, &plain, scratch, TEXT_MAX);
	FUZZ_REQUIRE(stub_sink_token(&sink));
	wire_out_end_array(&sink.out);
	wire_out_end_array(&plain);
	FUZZ_REQUIRE(wire_out_finish(&plain, &len) == WIRE_OK);
	FUZZ_REQUIRE(wire_out_finish(&sink.out, &kept) == WIRE_OK);
	FUZZ_REQUIRE(stub_sink_size(&sink) == len);
	if (len <= max)
		FUZZ_REQUIRE(
		    kept == len && memcmp(sink.out.buf, buf, len) == 0);
	stub_sink_release(&sink);
	free(buf);
	free(scratch);
}

/* --- the link ------------------------------------------------------------- */

#define STREAM_MAX (300 * 1024)
#define KEYS	   2048

/* Appends to the stream of the host; what does not fit is left out. */
struct stream {
	uint8_t *p;
	size_t len;
};

static void
append(struct stream *s, const void *p, size_t len)
{
	if (len > STREAM_MAX - s->len)
		return;
	if (len != 0)
		memcpy(s->p + s->len, p, len);
	s->len += len;
}

/* A reply whose value is long, or has many members. */
static void
append_reply(struct stream *s, bool wide, size_t amount)
{
	static const char head[] = "{\"type\":\"reply\",\"id\":7,\"value\":";
	char member[32];
	size_t i;

	if (amount * 16 + 64 > STREAM_MAX - s->len)
		return;
	append(s, head, sizeof(head) - 1);
	append(s, wide ? "{" : "\"", 1);
	for (i = 0; i < amount; i++) {
		(void)snprintf(member, sizeof(member), "%s\"%zu\":0",
		    i == 0 ? "" : ",", i);
		append(s, wide ? member : "0123456789abcdef",
		    wide ? strlen(member) : 16);
	}
	append(s, wide ? "}}\n" : "\"}\n", 3);
}

static void
make_stream(struct wire_span in, struct stream *s)
{
	while (in.len != 0) {
		uint8_t op = fuzz_byte(&in);
		const uint8_t *end;
		struct wire_span line;

		if (op == 'L' || op == 'W') {
			append_reply(s, op == 'W',
			    fuzz_uint(&in, 2) % (op == 'W' ? 1000 : 9000));
			continue;
		}
		end = in.len == 0 ? NULL : memchr(in.p, '\n', in.len);
		line = fuzz_bytes(
		    &in, end == NULL ? in.len : (size_t)(end + 1 - in.p));
		append(s, line.p, line.len);
	}
}

/* The lines that are frames and where they stand, up to an offence. */
struct told {
	struct wire_msg *msg;
	uint64_t *offset;
	size_t count, bytes; /* bytes: up to the last of their newlines */
	size_t longest;	     /* bytes of any line */
};

#define FRAMES_MAX 16

static void
tell(const struct stream *s, struct wire_json_scratch *scratch,
    struct told *told)
{
	static const struct wire_frame_limits limits = {
	    STREAM_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	struct wire_frame frame;
	struct wire_span line;
	uint64_t offset;
	enum wire_err err;

	/* Over the stream itself, so that spans stay good. */
	wire_frame_init(&frame, &limits, s->p, STREAM_MAX + 1);
	wire_frame_commit(&frame, s->len);
	while (told->count < FRAMES_MAX &&
	    wire_frame_next(&frame, &line, &offset, &err)) {
		if (wire_msg_decode(line, scratch, &told->msg[told->count],
			NULL) != WIRE_OK)
			break;
		told->offset[told->count++] = offset;
		told->bytes = (size_t)offset + line.len + 1;
		if (line.len > told->longest)
			told->longest = line.len;
	}
}

/* The spans of both point to the same bytes in different buffers. */
static void
same_message(const struct wire_msg *a, const struct wire_msg *b)
{
	const struct wire_reply *x = &a->u.reply, *y = &b->u.reply;

	FUZZ_REQUIRE(a->type == b->type);
	if (a->type == WIRE_MSG_ABORT) {
		FUZZ_REQUIRE(
		    wire_span_equal(a->u.abort.reason, b->u.abort.reason));
	} else if (a->type == WIRE_MSG_RUN) {
		FUZZ_REQUIRE(
		    wire_span_equal(a->u.run.program, b->u.run.program));
		FUZZ_REQUIRE(wire_span_equal(a->u.run.tools, b->u.run.tools));
	} else if (a->type == WIRE_MSG_REPLY) {
		FUZZ_REQUIRE(x->id == y->id && x->kind == y->kind);
		FUZZ_REQUIRE(wire_span_equal(x->value, y->value));
		FUZZ_REQUIRE(wire_span_equal(x->handle, y->handle));
		FUZZ_REQUIRE(wire_span_equal(x->preview, y->preview));
		FUZZ_REQUIRE(wire_span_equal(x->message, y->message));
	}
}

static size_t
take_frames(struct stub_link *link, const struct told *told, size_t from)
{
	struct wire_msg msg;
	uint64_t offset;

	while (stub_link_next(link, &msg, &offset)) {
		FUZZ_REQUIRE(from < told->count);
		FUZZ_REQUIRE(offset == told->offset[from]);
		same_message(&msg, &told->msg[from++]);
	}
	return from;
}

static void
run_link(const struct stream *s, const struct told *told, uint32_t seed)
{
	static uint64_t seed_before;
	int fds[2];
	size_t fed = 0, taken = 0;
	struct stub_link link;

	FUZZ_REQUIRE(
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	FUZZ_REQUIRE(stub_link_init(&link, fds[0]));
	/* One that strangers cannot know is never the same twice. */
	FUZZ_REQUIRE(link.seed != seed_before);
	seed_before = link.seed;
	while (fed < told->bytes) {
		size_t n = 1 + fuzz_random(&seed) % 30000;

		n = seed & 0x100 ? 1 + n % 40 : n;
		n = n < told->bytes - fed ? n : told->bytes - fed;
		FUZZ_REQUIRE(send(fds[1], s->p + fed, n, 0) == (ssize_t)n);
		fed += n;
		/* What is there comes in, and the rest of it on the next
		 * turn, when the buffer had to grow. */
		FUZZ_REQUIRE(
		    stub_link_read(&link, seed & 0x200) == STUB_LINK_MOVED);
		taken = take_frames(&link, told, taken);
		while (stub_link_read(&link, false) == STUB_LINK_MOVED)
			taken = take_frames(&link, told, taken);
	}
	FUZZ_REQUIRE(taken == told->count);
	/* It doubles, and only for a line that needs it. */
	FUZZ_REQUIRE(link.frame.buf_len <= 65536 ||
	    link.frame.buf_len <= 2 * (told->longest + 1));
	close(fds[1]);
	FUZZ_REQUIRE(stub_link_read(&link, true) == STUB_LINK_CLOSED);
	close(fds[0]);
	free(link.frame.buf);
	free(link.scratch_mem);
}

static void
check_link(struct wire_span in)
{
	uint32_t seed = (uint32_t)fuzz_uint(&in, 2);
	struct stream s = {malloc(STREAM_MAX + 1), 0};
	struct told told = {calloc(FRAMES_MAX, sizeof(struct wire_msg)),
	    calloc(FRAMES_MAX, sizeof(uint64_t)), 0, 0, 0};
	void *mem = malloc(wire_json_scratch_size(KEYS));
	struct wire_json_scratch scratch;

	FUZZ_REQUIRE(s.p != NULL && told.msg != NULL && told.offset != NULL);
	FUZZ_REQUIRE(mem != NULL);
	wire_json_scratch_init(&scratch, mem, KEYS, 9);
	make_stream(in, &s);
	tell(&s, &scratch, &told);
	run_link(&s, &told, seed);
	free(s.p);
	free(told.msg);
	free(told.offset);
	free(mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};

	switch (fuzz_byte(&in)) {
	case 'd':
		check_decimal(in);
		break;
	case 's':
		check_sink(in);
		break;
	case 'l':
		check_link(in);
		break;
	default:
		break;
	}
	return 0;
}
