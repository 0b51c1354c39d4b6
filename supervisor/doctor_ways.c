#include "supervisor/doctor_ways.h"

#include <string.h>

#include "supervisor/limits_table.h"
#include "wire/json.h"

#define BIT(name) SUP_DOCTOR_BIT(SUP_DOCTOR_##name)

/* What makes namespaces, and what is made of the one for mounts. */
#define SPACES                                                                 \
	(BIT(USER_NAMESPACE) | BIT(ID_MAPS) | BIT(PID_NAMESPACE) |             \
	    BIT(NETWORK_NAMESPACE) | BIT(IPC_NAMESPACE) | BIT(UTS_NAMESPACE) | \
	    BIT(CGROUP_NAMESPACE))
#define MOUNTS                                                                 \
	(BIT(MOUNT_NAMESPACE) | BIT(PROPAGATION) | BIT(TMPFS) |                \
	    BIT(BIND_MOUNT) | BIT(PIVOT_ROOT))
/* Tried in a user namespace, where they need one. */
#define IN_USER (BIT(CAPABILITIES) | BIT(NETWORK_LINKS))
#define HOST_ROOT                                                              \
	(BIT(LANDLOCK) | BIT(LANDLOCK_ABI) | BIT(SUBREAPER) |                  \
	    BIT(WORKSPACE_BASE))
/* That without which no program is run, whatever the way. */
#define ALWAYS                                                                 \
	(BIT(PROC) | BIT(INTERPRETER) | BIT(NO_NEW_PRIVS) | BIT(SECCOMP) |     \
	    BIT(CLOSE_RANGE) | BIT(MEMFD) | BIT(RLIMITS) | BIT(TIMERFD) |      \
	    BIT(EPOLL) | BIT(SOCKETPAIR))

/* How often process 1 looks at it (child/init.c). */
#define LOOK_EVERY_MS 100

static const struct {
	const char *word, *level, *text;
} ways[SUP_WAY_COUNT] = {
#define X(name, word, level, text) [SUP_WAY_##name] = {word, level, text},
    SUP_DOCTOR_WAYS(X)
#undef X
};

static const uint64_t needs[SUP_WAY_COUNT] = {
    [SUP_WAY_ISOLATED] = ALWAYS | SPACES | MOUNTS | IN_USER,
    [SUP_WAY_NAMESPACES] = ALWAYS | SPACES | BIT(CAPABILITIES) | HOST_ROOT,
    [SUP_WAY_PLAIN] = ALWAYS | HOST_ROOT,
};

uint64_t
sup_doctor_way_missing(enum sup_doctor_way way, uint64_t failed)
{
	return needs[way] & failed;
}

const char *
sup_doctor_way_word(enum sup_doctor_way way)
{
	return ways[way].word;
}

/* The first step that is missing, or SUP_DOCTOR_COUNT. */
static enum sup_doctor_step
first_of(uint64_t steps)
{
	unsigned i = 0;

	while (i < SUP_DOCTOR_COUNT && (steps & SUP_DOCTOR_BIT(i)) == 0)
		i++;
	return (enum sup_doctor_step)i;
}

/* --- as JSON -------------------------------------------------------------- */

static void
put_text(struct wire_out *out, const char *key, const char *text)
{
	wire_out_key(out, key);
	if (text[0] != '\0')
		wire_out_lossy_string(out,
		    (struct wire_span){(const uint8_t *)text, strlen(text)});
	else
		wire_out_null(out);
}

static void
put_number(struct wire_out *out, const char *key, uint64_t value)
{
	wire_out_key(out, key);
	wire_out_uint(out, value);
}

void
sup_doctor_way_put_json(enum sup_doctor_way way,
    const struct sup_doctor_way_is *is, uint64_t failed,
    const struct sup_doctor_reason *reasons, struct wire_out *out)
{
	uint64_t missing = sup_doctor_way_missing(way, failed);
	enum sup_doctor_step first = first_of(missing);
	bool known = !is->available && first < SUP_DOCTOR_COUNT;

	wire_out_begin_object(out);
	put_text(out, "way", ways[way].word);
	put_text(out, "level", ways[way].level);
	wire_out_key(out, "available");
	wire_out_bool(out, is->available);
	wire_out_key(out, "missing");
	wire_out_begin_array(out);
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		if ((missing & SUP_DOCTOR_BIT(i)) != 0)
			wire_out_text(
			    out, sup_doctor_word((enum sup_doctor_step)i));
	wire_out_end_array(out);
	put_text(out, "error", is->error);
	put_text(out, "reason",
	    known		? reasons[first].reason
		: is->available ? ""
				: is->error);
	put_text(out, "cure",
	    known		? reasons[first].cure
		: is->available ? ""
				: is->cure);
	wire_out_key(out, "guarantees");
	if (is->available && is->guarantees.len > 0)
		wire_out_raw(out, is->guarantees);
	else
		wire_out_null(out);
	wire_out_end_object(out);
}

static uint64_t
deleted_bytes(void)
{
	return sup_limit_spec(SUP_LIMIT_OPEN_FILES)->initial *
	    sup_limit_spec(SUP_LIMIT_FILE_SIZE)->initial;
}

void
sup_doctor_workspace_put_json(const char *base, struct wire_out *out)
{
	wire_out_begin_object(out);
	put_text(out, "base", base);
	put_number(out, "bytes", sup_limit_spec(SUP_LIMIT_WORKSPACE)->initial);
	put_number(out, "deleted_files",
	    sup_limit_spec(SUP_LIMIT_OPEN_FILES)->initial);
	put_number(out, "deleted_bytes", deleted_bytes());
	put_number(out, "interval_ms", LOOK_EVERY_MS);
	wire_out_end_object(out);
}

/* --- for people ----------------------------------------------------------- */

#define TEXT_WIDTH 24

/* The guarantees whose grade is this one, as a list behind `before`. */
static void
print_graded(struct wire_span guarantees, const char *grade, FILE *stream)
{
	struct wire_json_cursor cursor;
	struct wire_span text, name = {NULL, 0}, key = {NULL, 0};
	struct wire_span wanted = {(const uint8_t *)grade, strlen(grade)};
	enum wire_json_token token;
	unsigned depth = 0, count = 0;

	wire_json_cursor_init(&cursor, guarantees);
	while (
	    (token = wire_json_cursor_next(&cursor, &text)) != WIRE_TOK_END) {
		if (token == WIRE_TOK_OBJECT_BEGIN)
			depth++;
		else if (token == WIRE_TOK_OBJECT_END)
			depth--;
		else if (token == WIRE_TOK_KEY && depth == 1)
			name = text;
		else if (token == WIRE_TOK_KEY)
			key = text;
		else if (token == WIRE_TOK_STRING && depth == 2 &&
		    wire_json_text_equal(key, WIRE_LIT("grade")) &&
		    wire_json_text_equal(text, wanted)) {
			if (count++ == 0)
				(void)fprintf(stream, "; %s:", grade);
			(void)fprintf(stream, " %.*s", (int)name.len,
			    (const char *)name.p);
		}
	}
}

void
sup_doctor_way_put_text(enum sup_doctor_way way,
    const struct sup_doctor_way_is *is, uint64_t failed,
    const struct sup_doctor_reason *reasons, FILE *stream)
{
	enum sup_doctor_step first =
	    first_of(sup_doctor_way_missing(way, failed));

	(void)fprintf(stream, "%-*s", TEXT_WIDTH, ways[way].text);
	if (is->available) {
		(void)fputs("available", stream);
		print_graded(is->guarantees, "unavailable", stream);
		print_graded(is->guarantees, "unverified", stream);
		(void)fputc('\n', stream);
	} else if (first < SUP_DOCTOR_COUNT) {
		(void)fprintf(stream, "not available: %s: %s\n",
		    sup_doctor_word(first), reasons[first].reason);
		(void)fprintf(stream, "      cure: %s\n", reasons[first].cure);
	} else {
		(void)fprintf(stream, "not available: %s\n", is->error);
		if (is->cure[0] != '\0')
			(void)fprintf(stream, "      cure: %s\n", is->cure);
	}
}

void
sup_doctor_workspace_put_text(const char *base, FILE *stream)
{
	char bytes[SUP_UNITS_TEXT], files[SUP_UNITS_TEXT],
	    deleted[SUP_UNITS_TEXT];

	(void)sup_units_format(
	    SUP_UNIT_SIZE, sup_limit_spec(SUP_LIMIT_WORKSPACE)->initial, bytes);
	(void)sup_units_format(SUP_UNIT_COUNT,
	    sup_limit_spec(SUP_LIMIT_OPEN_FILES)->initial, files);
	(void)sup_units_format(SUP_UNIT_SIZE, deleted_bytes(), deleted);
	(void)fprintf(stream,
	    "At level process the workspace is a directory%s%s that is looked "
	    "at every %d ms:\nbeyond its limit (%s) a program can have %s in "
	    "%s deleted files, and what it\nwrites between two looks.\n",
	    base[0] != '\0' ? " in " : "", base, LOOK_EVERY_MS, bytes, deleted,
	    files);
}
