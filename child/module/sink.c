#include "child/module/sink.h"

#include <stdlib.h>

#include "wire/utf8.h"

#define BUFFER_MIN 1024
/* No token but strings and long integers takes more, comma included. */
#define TOKEN_MAX 64
/* Comma, quotes and colon around a string. */
#define AROUND_TEXT 4
/* Text that is only counted goes through the writer in such pieces. */
#define PIECE 1024

bool
stub_sink_init(struct stub_sink *sink, size_t max)
{
	uint8_t *buf = malloc(BUFFER_MIN);

	*sink = (struct stub_sink){.max = max};
	wire_out_init(&sink->out, buf, buf == NULL ? 0 : BUFFER_MIN);
	return buf != NULL;
}

void
stub_sink_release(struct stub_sink *sink)
{
	free(sink->out.buf);
	sink->out.buf = NULL;
}

uint64_t
stub_sink_size(const struct stub_sink *sink)
{
	return sink->passed + sink->out.len;
}

/* The buffer's largest size. A token over max still fits, so that a text of
 * exactly max bytes does. */
static size_t
cap(const struct stub_sink *sink)
{
	size_t size;

	if (!wire_add(sink->max, TOKEN_MAX, &size) || size < BUFFER_MIN)
		return sink->max < BUFFER_MIN ? BUFFER_MIN : sink->max;
	return size;
}

static bool
resize(struct stub_sink *sink, size_t size)
{
	uint8_t *buf = realloc(sink->out.buf, size);

	if (buf == NULL)
		return false;
	sink->out.buf = buf;
	sink->out.max = size;
	return true;
}

static void
start_counting(struct stub_sink *sink)
{
	sink->counting = true;
	sink->passed += sink->out.len;
	sink->out.len = 0;
}

/* Room for n more bytes; where the cap does not allow it, counts. */
static bool
make_room(struct stub_sink *sink, size_t n)
{
	size_t size;

	if (n <= sink->out.max - sink->out.len)
		return true;
	if (!sink->counting && n <= cap(sink) - sink->out.len) {
		size = sink->out.len + n;
		if (size < sink->out.max * 2)
			size = sink->out.max * 2;
		return resize(sink, size < cap(sink) ? size : cap(sink));
	}
	start_counting(sink);
	return n <= sink->out.max || resize(sink, n);
}

bool
stub_sink_token(struct stub_sink *sink)
{
	return make_room(sink, TOKEN_MAX);
}

bool
stub_sink_number(struct stub_sink *sink, struct wire_span text)
{
	if (!make_room(sink, text.len + 1))
		return false;
	wire_out_raw(&sink->out, text);
	return true;
}

/* What the text takes between its quotes, at most. */
static size_t
escaped_bound(struct wire_span text)
{
	size_t n = text.len, i;

	for (i = 0; i < text.len; i++) {
		if (text.p[i] < 0x20)
			n += 5;
		else if (text.p[i] == '"' || text.p[i] == '\\')
			n += 1;
	}
	return n;
}

static void
write_text(struct wire_out *out, struct wire_span text, bool is_key)
{
	if (is_key)
		wire_out_key_span(out, text);
	else
		wire_out_string(out, text);
}

/* Counts text, and leaves the writer as if it stood there. */
static bool
count_text(struct stub_sink *sink, struct wire_span text, bool is_key)
{
	uint8_t piece[PIECE * 6 + 2];
	struct wire_out out;
	size_t len, cut;

	while (text.len != 0) {
		cut = text.len;
		if (cut > PIECE)
			cut = wire_utf8_floor(text, PIECE);
		wire_out_init(&out, piece, sizeof(piece));
		wire_out_string(&out, (struct wire_span){text.p, cut});
		WIRE_BUG_IF(wire_out_finish(&out, &len) != WIRE_OK);
		sink->passed += len - 2;
		text.p += cut;
		text.len -= cut;
	}
	if (!stub_sink_token(sink))
		return false;
	write_text(&sink->out, WIRE_LIT(""), is_key);
	return true;
}

/* Writes text if it fits the buffer as it is. */
static bool
fits(struct stub_sink *sink, struct wire_span text, bool is_key)
{
	struct wire_out before = sink->out;

	write_text(&sink->out, text, is_key);
	if (sink->out.err == WIRE_OK)
		return true;
	WIRE_BUG_IF(sink->out.err != WIRE_ERR_NO_SPACE);
	sink->out = before;
	return false;
}

bool
stub_sink_text(struct stub_sink *sink, struct wire_span text, bool is_key)
{
	size_t need, left;

	/* First as if nothing had to be escaped, then for what it takes. */
	if (!sink->counting) {
		if (!make_room(sink, text.len + AROUND_TEXT))
			return false;
		if (!sink->counting && fits(sink, text, is_key))
			return true;
	}
	if (!sink->counting) {
		need = escaped_bound(text) + AROUND_TEXT;
		left = cap(sink) - sink->out.len;
		if (!make_room(sink, need < left ? need : left))
			return false;
		if (fits(sink, text, is_key))
			return true;
		start_counting(sink);
	}
	return count_text(sink, text, is_key);
}
