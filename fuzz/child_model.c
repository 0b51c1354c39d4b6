#include "fuzz/child_model.h"

#include <string.h>

#include "wire/limits.h"

/* A fuzzer is to explore the host, not what holds it to its word. */
#ifdef __clang__
#pragma clang attribute push(                                                  \
    __attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

#define ID_MAX 9007199254740991ULL

/* Words for fields that are not there or not what they should be. */
#define FIELDS                                                                 \
	(MODEL_WORD(MISSING_FIELD) | MODEL_WORD(BAD_FIELD) |                   \
	    MODEL_WORD(BAD_ID) | MODEL_WORD(TOO_MANY_MEMBERS))

void
model_init(struct model *model, const struct wire_frame_limits *limits,
    const uint8_t *bytes, const char *known)
{
	memset(model, 0, offsetof(struct model, calls));
	model->known =
	    (struct wire_span){(const uint8_t *)known, strlen(known)};
	model->limits = *limits;
	model->bytes = bytes;
}

static void
violate(struct model *m, uint64_t words, size_t from, size_t to)
{
	m->end = MODEL_VIOLATION;
	m->words = words;
	m->offset_min = from;
	m->offset_max = to;
}

/* At one byte exactly. */
static void
violate_at(struct model *m, uint64_t word, size_t at)
{
	violate(m, word, at, at);
}

/* Anywhere in the line. */
static void
violate_in(struct model *m, uint64_t words, struct wire_span line)
{
	violate(m, words, m->line, m->line + line.len);
}

/* --- fields --------------------------------------------------------------- */

static bool
is_string(struct wire_span object, const char *name, size_t raw_max)
{
	struct wire_span v;

	return naive_find(object, name, &v) && v.p[0] == '"' &&
	    v.len - 2 <= raw_max;
}

static bool
is_uint(struct wire_span object, const char *name, uint64_t min, uint64_t max,
    uint64_t *ret_value)
{
	struct wire_span v;

	return naive_find(object, name, &v) && naive_uint(v, max, ret_value) &&
	    *ret_value >= min;
}

static bool
has(struct wire_span object, const char *name)
{
	struct wire_span v;

	return naive_find(object, name, &v);
}

static bool
is_claim(struct wire_span error)
{
	static const char *const kinds[] = {
	    "exception", "invalid_value", "worker_exit", "step_budget"};
	struct wire_span kind;

	if (!naive_find(error, "kind", &kind))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (naive_is(kind, kinds[i]))
			return true;
	return false;
}

static bool
is_error(struct wire_span frame)
{
	struct wire_span error;
	uint64_t n;

	return naive_find(frame, "error", &error) && error.p[0] == '{' &&
	    naive_count(error) <= WIRE_MAX_FRAME_MEMBERS && is_claim(error) &&
	    is_string(error, "message", WIRE_MAX_MESSAGE) &&
	    (!has(error, "traceback") ||
		is_string(error, "traceback", WIRE_MAX_TRACEBACK)) &&
	    (!has(error, "line") ||
		is_uint(error, "line", 1, UINT32_MAX, &n)) &&
	    (!has(error, "status") ||
		is_uint(error, "status", 0, UINT32_MAX, &n));
}

static bool
has_good_extras(struct wire_span frame)
{
	struct wire_span v, key, text;
	size_t at = 0, count = 0;

	if (naive_find(frame, "returned", &v) && v.p[0] != 't' && v.p[0] != 'f')
		return false;
	if (!naive_find(frame, "warnings", &v))
		return true;
	if (v.p[0] != '[')
		return false;
	while (naive_next(v, &at, &key, &text))
		if (++count > WIRE_MAX_WARNINGS || text.p[0] != '"' ||
		    text.len - 2 > WIRE_MAX_WARNING)
			return false;
	return true;
}

static void
take_done(struct model *m, struct wire_span line, struct wire_span frame)
{
	bool error = has(frame, "error");

	m->done_value = naive_find(frame, "value", &m->value);
	m->done_oversize = has(frame, "oversize");
	if (m->done_value + m->done_oversize + error != 1 ||
	    (m->done_oversize &&
		!is_uint(frame, "oversize", 0, ID_MAX, &m->oversize)) ||
	    (error && !is_error(frame)) || !has_good_extras(frame))
		violate_in(m, FIELDS, line);
	else if (!m->running)
		violate_at(m, MODEL_WORD(OUT_OF_TURN), m->line);
	else
		m->end = MODEL_DONE;
}

static void
take_call(struct model *m, struct wire_span line, struct wire_span frame)
{
	struct model_call *call = &m->calls[m->call_count];
	struct wire_span id, name;
	uint64_t number;

	if (!naive_find(frame, "id", &id)) {
		violate_in(m, MODEL_WORD(MISSING_FIELD), line);
		return;
	}
	if (!naive_uint(id, ID_MAX, &number)) {
		violate_in(m, MODEL_WORD(BAD_ID), line);
		return;
	}
	if (!naive_find(frame, "name", &name) ||
	    !naive_find(frame, "arguments", &call->arguments)) {
		violate_in(
		    m, MODEL_WORD(MISSING_FIELD) | MODEL_WORD(BAD_FIELD), line);
		return;
	}
	if (name.p[0] != '"' ||
	    !naive_text(
		name, call->name, sizeof(call->name), &call->name_len) ||
	    call->name_len == 0 || call->arguments.p[0] != '{') {
		violate_in(m, MODEL_WORD(BAD_FIELD), line);
		return;
	}
	if (!m->running)
		violate_at(m, MODEL_WORD(OUT_OF_TURN), m->line);
	else if (number != m->call_count)
		violate_at(m, MODEL_WORD(WRONG_ID), m->line);
	else if (m->call_count == MODEL_CALLS - 1)
		m->unsure = true;
	else {
		m->argument_bytes += call->arguments.len;
		m->call_count++;
	}
}

static void
take_ready(struct model *m, struct wire_span line)
{
	if (m->running || m->reported) {
		violate_in(m, FIELDS | MODEL_WORD(OUT_OF_TURN), line);
		return;
	}
	switch (m->ready(m->arg, line)) {
	case MODEL_ACCEPTED:
		m->running = true;
		break;
	case MODEL_DENIED:
		m->end = MODEL_REFUSED;
		break;
	case MODEL_WRONG:
		violate_in(m, FIELDS, line);
		break;
	case MODEL_LATER:
		m->stalled = true;
		break;
	case MODEL_TAKEN:
		m->reported = true;
		break;
	}
}

/* --- lines ---------------------------------------------------------------- */

static void
take_frame(struct model *m, struct wire_span line)
{
	struct wire_span frame = naive_trim(line), type;
	struct model_json json;

	/* The one line of every input; that it is JSON is known. */
	if (frame.len == m->known.len &&
	    memcmp(frame.p, m->known.p, frame.len) == 0) {
		take_ready(m, line);
		return;
	}
	model_json(line, WIRE_MAX_DEPTH, true, WIRE_MAX_FRAME_MEMBERS, &json);
	model_json_release(&json);
	if (json.err != WIRE_OK)
		violate_at(m, 1ULL << json.err, m->line + json.err_offset);
	else if (!naive_find(frame, "type", &type))
		violate_in(m, MODEL_WORD(MISSING_FIELD), line);
	else if (type.p[0] != '"')
		violate_in(m, MODEL_WORD(BAD_FIELD), line);
	else if (naive_is(type, "call"))
		take_call(m, line, frame);
	else if (naive_is(type, "done"))
		take_done(m, line, frame);
	else if (naive_is(type, "ready"))
		take_ready(m, line);
	else if (naive_is(type, "run") || naive_is(type, "abort") ||
	    naive_is(type, "reply"))
		violate_in(m, FIELDS | MODEL_WORD(OUT_OF_TURN), line);
	else
		violate_in(m, MODEL_WORD(UNKNOWN_TYPE), line);
}

static bool
is_blank(struct wire_span line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	return true;
}

/* The newline stands at m->at. */
static void
take_line(struct model *m)
{
	struct wire_span line = {m->bytes + m->line, m->at - m->line};
	bool blank = is_blank(line);

	if (m->lines == m->limits.lines_max)
		violate_at(m, MODEL_WORD(STREAM_LINES), m->at);
	else if (blank && m->blanks == m->limits.blanks_max)
		violate_at(m, MODEL_WORD(STREAM_BLANKS), m->at);
	else if (!blank)
		take_frame(m, line);
	if (m->stalled)
		return;
	m->lines++;
	m->blanks += blank;
	m->at++;
	m->line = m->at;
}

void
model_step(struct model *m)
{
	m->stalled = false;
	while (m->end == MODEL_OPEN && !m->stalled && !m->unsure &&
	    m->at < m->len) {
		if (m->at == m->limits.bytes_max)
			violate_at(m, MODEL_WORD(STREAM_BYTES), m->at);
		else if (m->bytes[m->at] == '\n')
			take_line(m);
		else if (m->at - m->line == m->limits.frame_max)
			violate_at(m, MODEL_WORD(FRAME_TOO_LONG), m->at);
		else
			m->at++;
	}
	if (m->end == MODEL_OPEN && !m->stalled && !m->unsure && m->eof &&
	    m->line != m->len)
		violate_at(m, MODEL_WORD(PARTIAL_FRAME), m->line);
}

#ifdef __clang__
#pragma clang attribute pop
#endif
