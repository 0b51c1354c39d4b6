/*
 * Holds PROTOCOL.md against the headers and the code: its tables, its lists
 * of words, and every example in it.
 */
#include "wire_help.h"

#include "supervisor/limits_table.h"
#include "supervisor/terms.h"
#include "wire/frame.h"
#include "wire/session.h"

static char *page; /* NUL-terminated */
static struct wire_json_scratch scratch;

static int
setup(void **state)
{
	static const char *const places[] = {
	    "wire/PROTOCOL.md", "../wire/PROTOCOL.md"};
	struct wire_span text;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		if (!read_file(places[i], &text))
			continue;
		page = must_alloc(text.len + 1);
		memcpy(page, text.p, text.len);
		page[text.len] = '\0';
		drop(text);
		scratch_new(&scratch, 4096);
		return 0;
	}
	fprintf(stderr, "wire/PROTOCOL.md: run from the top of the tree\n");
	return -1;
}

static int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	free(page);
	return 0;
}

/* --- tables -------------------------------------------------------------- */

#define CELLS 8

struct table {
	size_t rows;
	char cell[64][CELLS][160]; /* without blanks and back quotes */
};

/* The rows of the first table behind a heading; its head row included. */
static void
read_table(const char *heading, struct table *ret)
{
	const char *at = strstr(page, heading), *bar, *p;
	size_t column, len;

	assert_non_null(at);
	memset(ret, 0, sizeof(*ret));
	at = strstr(at, "\n| ");
	assert_non_null(at);
	for (at++; *at == '|'; at = strchr(at, '\n') + 1) {
		if (strncmp(at, "| ---", 5) == 0)
			continue;
		assert_true(ret->rows < 64);
		column = 0;
		for (p = at + 1; *p != '\n'; p = bar + 1) {
			bar = strchr(p, '|');
			assert_non_null(bar);
			assert_true(column < CELLS);
			len = 0;
			for (; p < bar; p++) {
				if (*p == '`')
					continue;
				if (*p == ' ' && (len == 0 || p + 1 == bar))
					continue;
				assert_true(len < 159);
				ret->cell[ret->rows][column][len++] = *p;
			}
			column++;
		}
		ret->rows++;
	}
}

static struct table table;

static void
t_words_of_bad_input(void **state)
{
	static const struct {
		const char *word, *meaning;
	} want[] = {
#define X(name, word, meaning) {word, meaning},
	    WIRE_ERR_STREAM(X) WIRE_ERR_JSON(X) WIRE_ERR_FRAME(X)
#undef X
	};
	size_t i;

	(void)state;
	read_table("## 8.", &table);
	assert_int_equal(table.rows - 1, sizeof(want) / sizeof(want[0]));
	for (i = 1; i < table.rows; i++) {
		assert_string_equal(table.cell[i][0], want[i - 1].word);
		assert_string_equal(table.cell[i][1], want[i - 1].meaning);
	}
}

static void
t_limits(void **state)
{
#define LIMIT(name)                                                            \
	{                                                                      \
#name, (unsigned long long)(name)                              \
	}
	static const struct {
		const char *name;
		unsigned long long value;
	} want[] = {
	    LIMIT(WIRE_PROTOCOL_VERSION),
	    LIMIT(WIRE_MAX_DEPTH),
	    LIMIT(WIRE_MAX_FRAME_MEMBERS),
	    LIMIT(WIRE_MAX_OPEN_MEMBERS),
	    LIMIT(WIRE_MAX_TOOL_NAME),
	    LIMIT(WIRE_MAX_ID),
	    LIMIT(WIRE_FRAME_SLACK),
	    LIMIT(WIRE_MAX_FRAME),
	    LIMIT(WIRE_STREAM_SLACK),
	    LIMIT(WIRE_MAX_LINES),
	    LIMIT(WIRE_MAX_BLANKS),
	    LIMIT(WIRE_MAX_MESSAGE),
	    LIMIT(WIRE_MAX_TRACEBACK),
	    LIMIT(WIRE_MAX_WARNINGS),
	    LIMIT(WIRE_MAX_WARNING),
	    LIMIT(WIRE_MAX_INT_DIGITS),
	    LIMIT(WIRE_MAX_HANDLE),
	    LIMIT(WIRE_MAX_PREVIEW),
	    LIMIT(WIRE_MAX_VERSION),
	};
	struct wire_span header;
	size_t i, defined = 0;
	char number[32];
	const char *at;
	char *text;

	(void)state;
	read_table("## 7.", &table);
	assert_int_equal(table.rows - 1, sizeof(want) / sizeof(want[0]));
	for (i = 1; i < table.rows; i++) {
		snprintf(number, sizeof(number), "%llu", want[i - 1].value);
		assert_string_equal(table.cell[i][0], want[i - 1].name);
		assert_string_equal(table.cell[i][1], number);
	}
	/* A limit that is new in the header must be in the table. */
	assert_true(read_file("wire/limits.h", &header) ||
	    read_file("../wire/limits.h", &header));
	text = must_alloc(header.len + 1);
	memcpy(text, header.p, header.len);
	text[header.len] = '\0';
	for (at = text; (at = strstr(at, "#define WIRE_")) != NULL; at++) {
		/* The guard and the two units are no limits. */
		if (strncmp(at, "#define WIRE_LIMITS_H", 21) != 0 &&
		    strncmp(at, "#define WIRE_KIB", 16) != 0 &&
		    strncmp(at, "#define WIRE_MIB", 16) != 0)
			defined++;
	}
	assert_int_equal(defined, table.rows - 1);
	free(text);
	drop(header);
}

static void
expect_number(const char *cell, uint64_t want)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)want);
	assert_string_equal(cell, number);
}

/* What the page says of an execution's limits is what the host has. */
static void
t_limits_of_an_execution(void **state)
{
	static const enum sup_limit shown[] = {SUP_LIMIT_PROGRAM,
	    SUP_LIMIT_VALUE, SUP_LIMIT_ARGUMENT_BYTES, SUP_LIMIT_RESULT_BYTES,
	    SUP_LIMIT_TOTAL_BYTES, SUP_LIMIT_CALLS, SUP_LIMIT_IN_FLIGHT};
	size_t count = sizeof(shown) / sizeof(shown[0]);

	(void)state;
	read_table("### What an execution may set", &table);
	assert_int_equal(table.rows - 1, count);
	for (size_t i = 0; i < count; i++) {
		const struct sup_limit_spec *spec = sup_limit_spec(shown[i]);

		assert_string_equal(table.cell[i + 1][0], spec->word);
		expect_number(table.cell[i + 1][1], spec->initial);
		expect_number(table.cell[i + 1][2], spec->ceiling);
	}
}

/* W13, at the defaults and at the ceilings. */
static void
t_derived_ceilings(void **state)
{
	(void)state;
	read_table("| derived |", &table);
	for (int column = 1; column <= 2; column++) {
		uint64_t limits[SUP_LIMITS];
		struct sup_terms terms;

		for (size_t i = 0; i < SUP_LIMITS; i++) {
			const struct sup_limit_spec *spec =
			    sup_limit_spec((enum sup_limit)i);

			limits[i] = column == 1 ? spec->initial : spec->ceiling;
		}
		/* Together with no limit of memory it cannot be. */
		limits[SUP_LIMIT_PROCESSES] = 0;
		assert_int_equal(
		    sup_terms_make(limits, 0, &terms, NULL), WIRE_OK);
		expect_number(table.cell[0][column], terms.child_frame_max);
		expect_number(table.cell[1][column],
		    limits[SUP_LIMIT_RESULT_BYTES] + WIRE_FRAME_SLACK);
		expect_number(table.cell[2][column], terms.child_bytes_max);
	}
}

static void
t_frame_types(void **state)
{
	size_t i;

	(void)state;
	read_table("## 4.", &table);
	assert_int_equal(table.rows - 1, WIRE_MSG_TYPES);
	for (i = 0; i < WIRE_MSG_TYPES; i++) {
		enum wire_msg_type type = (enum wire_msg_type)i;
		char heading[32];

		assert_string_equal(
		    table.cell[i + 1][0], wire_msg_type_word(type));
		assert_string_equal(table.cell[i + 1][1],
		    wire_msg_is_childs(type) ? "child" : "host");
		/* Each has its own table of members. */
		snprintf(heading, sizeof(heading), "\n### %s\n",
		    wire_msg_type_word(type));
		assert_non_null(strstr(page, heading));
	}
}

static void
t_states(void **state)
{
	size_t s, t, column;

	(void)state;
	read_table("## 6.", &table);
	assert_int_equal(table.rows - 1, WIRE_SESSION_STATES);
	for (s = 0; s < WIRE_SESSION_STATES; s++) {
		enum wire_session_state from = (enum wire_session_state)s;

		assert_string_equal(
		    table.cell[s + 1][0], wire_session_state_word(from));
		for (t = 0; t < WIRE_MSG_TYPES; t++) {
			enum wire_msg_type type = (enum wire_msg_type)t;
			enum wire_session_state next =
			    wire_session_next(from, type);

			for (column = 1; column < CELLS; column++) {
				if (strcmp(table.cell[0][column],
					wire_msg_type_word(type)) == 0)
					break;
			}
			assert_true(column < CELLS);
			assert_string_equal(table.cell[s + 1][column],
			    next == WIRE_SESSION_STATES
				? ""
				: wire_session_state_word(next));
		}
	}
}

/* The kinds stand in the text, each in back quotes. */
static void
t_kinds(void **state)
{
	char quoted[64];
	unsigned i;

	(void)state;
	for (i = 1; i < WIRE_TOOL_KIND_COUNT; i++) {
		snprintf(quoted, sizeof(quoted), "`%s`",
		    wire_tool_kind_word((enum wire_tool_kind)i));
		if (strstr(page, quoted) == NULL)
			fail_msg("%s is not in the page", quoted);
	}
	for (i = 1; i < WIRE_CLAIM_KIND_COUNT; i++) {
		snprintf(quoted, sizeof(quoted), "`%s`",
		    wire_claim_kind_word((enum wire_claim_kind)i));
		if (strstr(page, quoted) == NULL)
			fail_msg("%s is not in the page", quoted);
	}
	for (i = 0; i < WIRE_LIMITS; i++) {
		snprintf(quoted, sizeof(quoted), "`%s`",
		    wire_limit_word((enum wire_limit)i));
		if (strstr(page, quoted) == NULL)
			fail_msg("%s is not in the page", quoted);
	}
}

/* --- examples ------------------------------------------------------------ */

/* One side's stream. */
struct side {
	struct wire_frame frame;
	uint8_t buf[8192];
};

struct replay {
	struct side child, host;
	struct wire_session session;
};

static struct replay replay;

static void
replay_start(const char *state, const struct wire_frame_limits *limits)
{
	unsigned s;

	wire_frame_init(&replay.child.frame, limits, replay.child.buf,
	    sizeof(replay.child.buf));
	wire_frame_init(&replay.host.frame, limits, replay.host.buf,
	    sizeof(replay.host.buf));
	wire_session_init(&replay.session);
	for (s = 0; s < WIRE_SESSION_STATES; s++) {
		if (strcmp(state,
			wire_session_state_word((enum wire_session_state)s)) ==
		    0) {
			replay.session.state = (enum wire_session_state)s;
			return;
		}
	}
	fail_msg("no such state: %s", state);
}

/* Everything that has been written so far; the first error. */
static enum wire_err
take_lines(struct side *side, uint64_t *ret_offset)
{
	static struct wire_msg msg;
	struct wire_errinfo info;
	struct wire_span line;
	enum wire_err err;
	uint64_t offset;

	while (wire_frame_next(&side->frame, &line, &offset, &err)) {
		*ret_offset = offset;
		err = wire_msg_decode(line, &scratch, &msg, &info);
		if (err != WIRE_OK) {
			*ret_offset += info.offset;
			return err;
		}
		err = wire_session_receive(
		    &replay.session, &msg, side == &replay.child);
		if (err != WIRE_OK)
			return err;
	}
	if (err != WIRE_OK)
		*ret_offset = side->frame.err_offset;
	return err;
}

static void
write_byte(struct side *side, uint8_t byte)
{
	uint8_t *space;
	size_t room;

	wire_frame_space(&side->frame, &space, &room);
	assert_true(room > 0);
	*space = byte;
	wire_frame_commit(&side->frame, 1);
}

/* The text of an example, `C: ...`, up to the end of its line. */
static enum wire_err
write_line(const char *text, uint64_t *ret_offset)
{
	struct side *side = text[0] == 'C' ? &replay.child : &replay.host;
	unsigned byte, times;
	const char *p;
	bool end = false;
	int used;

	assert_true(text[0] == 'C' || text[0] == 'H');
	assert_int_equal(text[1], ':');
	for (p = text[2] == ' ' ? text + 3 : text + 2; *p != '\n'; p += used) {
		times = 1;
		byte = (uint8_t)*p;
		used = 1;
		if (strncmp(p, "<end>", 5) == 0) {
			end = true;
			used = 5;
			continue;
		}
		if (*p == '<') {
			used = 0;
			if (sscanf(p, "<%ux%2x>%n", &times, &byte, &used) !=
				2 ||
			    used == 0) {
				times = 1;
				used = 0;
				assert_int_equal(
				    sscanf(p, "<%2x>%n", &byte, &used), 1);
			}
			assert_true(used != 0);
		}
		while (times-- != 0)
			write_byte(side, (uint8_t)byte);
	}
	if (!end) {
		write_byte(side, '\n');
		return take_lines(side, ret_offset);
	}
	assert_int_equal(take_lines(side, ret_offset), WIRE_OK);
	*ret_offset = side->frame.base + side->frame.start;
	return wire_frame_end(&side->frame);
}

static const struct wire_frame_limits usual = {
    8000, 1000000, WIRE_MAX_LINES, WIRE_MAX_BLANKS};

static void
t_accepted_examples(void **state)
{
	const char *at = page, *line;
	enum wire_err err;
	uint64_t offset;
	char word[16];
	unsigned examples = 0, types[2] = {0, 0};

	(void)state;
	while ((at = strstr(at, "\n```example ")) != NULL) {
		assert_int_equal(sscanf(at, "\n```example %15s", word), 1);
		replay_start(word, &usual);
		for (line = strchr(at + 1, '\n') + 1;
		     strncmp(line, "```", 3) != 0;
		     line = strchr(line, '\n') + 1) {
			err = write_line(line, &offset);
			if (err != WIRE_OK)
				fail_msg("%.60s: %s at %llu", line,
				    wire_err_word(err),
				    (unsigned long long)offset);
			types[line[0] == 'H']++;
		}
		at = line;
		examples++;
	}
	assert_true(examples >= 4);
	assert_true(types[0] >= 5 && types[1] >= 4);
}

/* `NAME=VALUE`s up to the side's letter. */
static const char *
read_ceilings(const char *p, struct wire_frame_limits *limits)
{
	char name[16];
	unsigned value;
	int used;

	while (p[1] != ':') {
		assert_int_equal(
		    sscanf(p, "%15[a-z]=%u %n", name, &value, &used), 2);
		if (strcmp(name, "frame") == 0)
			limits->frame_max = value;
		else if (strcmp(name, "bytes") == 0)
			limits->bytes_max = value;
		else if (strcmp(name, "lines") == 0)
			limits->lines_max = value;
		else if (strcmp(name, "blanks") == 0)
			limits->blanks_max = value;
		else
			fail_msg("no such ceiling: %s", name);
		p += used;
	}
	return p;
}

static void
t_refused_examples(void **state)
{
	const char *line = strstr(page, "\n```refused\n"), *p;
	bool seen[WIRE_ERR_COUNT] = {false};
	unsigned long long want;
	char word[32], start[16];
	enum wire_err err;
	uint64_t offset;
	unsigned i;
	int used;

	(void)state;
	assert_non_null(line);
	for (line += 12; strncmp(line, "```", 3) != 0;
	     line = strchr(line, '\n') + 1) {
		struct wire_frame_limits limits = usual;

		assert_int_equal(sscanf(line, "%31s %llu %15s %n", word, &want,
				     start, &used),
		    3);
		p = read_ceilings(line + used, &limits);
		replay_start(start, &limits);
		err = write_line(p, &offset);
		if (strcmp(wire_err_word(err), word) != 0 || offset != want)
			fail_msg("%.70s: %s at %llu", line, wire_err_word(err),
			    (unsigned long long)offset);
		seen[err] = true;
	}
	/* No word without an example. */
	for (i = 1; i <= WIRE_ERR_OUT_OF_TURN; i++) {
		if (!seen[i])
			fail_msg("no example for %s",
			    wire_err_word((enum wire_err)i));
	}
}

/* The page stays short enough to be read. */
static void
t_the_page_is_short(void **state)
{
	size_t lines = 0, i;

	(void)state;
	for (i = 0; page[i] != '\0'; i++)
		lines += page[i] == '\n';
	assert_in_range(lines, 100, 400);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_words_of_bad_input),
	    cmocka_unit_test(t_limits),
	    cmocka_unit_test(t_limits_of_an_execution),
	    cmocka_unit_test(t_derived_ceilings),
	    cmocka_unit_test(t_frame_types),
	    cmocka_unit_test(t_states),
	    cmocka_unit_test(t_kinds),
	    cmocka_unit_test(t_accepted_examples),
	    cmocka_unit_test(t_refused_examples),
	    cmocka_unit_test(t_the_page_is_short),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
