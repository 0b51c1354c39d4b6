/*
 * The scanner against collections of documents: the project's own cases and,
 * where they stand beside the tree, public test suites. All of them go before
 * the three opinions of json_opinions.h, which agree to the byte; what the
 * collections themselves say is checked, too. And the own cases cover what
 * the collections do, so that a clone alone tests the same ground.
 */
#include "json_opinions.h"

#include <sys/stat.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a set of documents reaches. */
struct ground {
	bool refused[WIRE_ERR_COUNT][SITES];
	uint64_t features;
};

static struct ground own, theirs;

static enum wire_err
scan(const char *name, struct wire_span text, struct ground *ground,
    size_t *ret_offset)
{
	struct opinions of;

	ask(text, &of);
	compare(name, &of);
	*ret_offset = of.info.offset;
	if (of.ours != WIRE_OK)
		ground->refused[of.ours][of.model.site] = true;
	else
		ground->features |= of.model.features;
	return of.ours;
}

/* Calls visit for every file beneath path; the number of files, 0 for none. */
static size_t
walk(const char *path, void (*visit)(const char *path, struct wire_span text))
{
	struct stat st;
	struct wire_span text;
	size_t count, i, files = 0;
	char **names = list_directory(path, &count);
	char below[1024];
	int len;

	for (i = 0; names != NULL && i < count; i++) {
		len = snprintf(below, sizeof(below), "%s/%s", path, names[i]);
		if (len < 0 || (size_t)len >= sizeof(below) ||
		    stat(below, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			files += walk(below, visit);
		} else if (S_ISREG(st.st_mode) && read_file(below, &text)) {
			visit(below, text);
			drop(text);
			files++;
		}
	}
	if (names != NULL)
		free_list(names, count);
	return files;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* --- the project's own cases --------------------------------------------- */

static const char *
own_cases(void)
{
	struct stat st;

	return stat("tests/data/json", &st) == 0 ? "tests/data/json"
						 : "../tests/data/json";
}

/* What expected.tsv says of a file: its word and offset. */
static bool
expected(const char *name, char word[32], size_t *ret_offset)
{
	char path[256], line[256], found[128];
	bool there = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/expected.tsv", own_cases());
	file = fopen(path, "r");
	assert_non_null(file);
	while (!there && fgets(line, sizeof(line), file) != NULL)
		there = sscanf(line, "%127s %31s %zu", found, word,
			    ret_offset) == 3 &&
		    strcmp(found, name) == 0;
	fclose(file);
	return there;
}

static unsigned own_good, own_bad;

static void
visit_own(const char *path, struct wire_span text)
{
	const char *name = base_name(path);
	enum wire_err err;
	size_t offset, at;
	char word[32];

	if (strcmp(name, "expected.tsv") == 0)
		return;
	err = scan(name, text, &own, &at);
	if (name[0] == 'y') {
		if (err != WIRE_OK)
			fail_msg("%s: %s at %zu", name, wire_err_word(err), at);
		own_good++;
		return;
	}
	if (!expected(name, word, &offset))
		fail_msg("%s is not in expected.tsv", name);
	if (strcmp(wire_err_word(err), word) != 0 || at != offset)
		fail_msg("%s: %s at %zu, not %s at %zu", name,
		    wire_err_word(err), at, word, offset);
	own_bad++;
}

static void
t_own_cases(void **state)
{
	(void)state;
	assert_true(walk(own_cases(), visit_own) > 100);
	assert_true(own_good >= 30 && own_bad >= 80);
}

/* --- collections beside the tree ----------------------------------------- */

static const char *
corpus(const char *below)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/corpora/%s", shared_path(), below);
	return path;
}

/* Walks one collection, which need not be there. */
static bool
replay(const char *below,
    void (*visit)(const char *path, struct wire_span text), size_t least)
{
	size_t files = walk(corpus(below), visit);

	if (files == 0) {
		print_message("%s is not there: not replayed\n", below);
		return false;
	}
	if (files < least)
		fail_msg("%s: only %zu files", below, files);
	return true;
}

/*
 * JSONTestSuite: y_ is accepted, n_ is refused. What it leaves open (i_) is
 * decided by PROTOCOL.md section 3, each once, here; and so is what it holds
 * for valid and the protocol refuses.
 */
static const struct {
	const char *name;
	enum wire_err err;
} decided[] = {
    {"y_object_duplicated_key.json", WIRE_ERR_DUPLICATE_MEMBER},
    {"y_object_duplicated_key_and_value.json", WIRE_ERR_DUPLICATE_MEMBER},
    {"i_number_double_huge_neg_exp.json", WIRE_OK},
    {"i_number_huge_exp.json", WIRE_OK},
    {"i_number_neg_int_huge_exp.json", WIRE_OK},
    {"i_number_pos_double_huge_exp.json", WIRE_OK},
    {"i_number_real_neg_overflow.json", WIRE_OK},
    {"i_number_real_pos_overflow.json", WIRE_OK},
    {"i_number_real_underflow.json", WIRE_OK},
    {"i_number_too_big_neg_int.json", WIRE_OK},
    {"i_number_too_big_pos_int.json", WIRE_OK},
    {"i_number_very_big_negative_int.json", WIRE_OK},
    {"i_object_key_lone_2nd_surrogate.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_1st_surrogate_but_2nd_missing.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_UTF-16LE_with_BOM.json", WIRE_ERR_BAD_UTF8},
    {"i_string_UTF-8_invalid_sequence.json", WIRE_ERR_BAD_UTF8},
    {"i_string_UTF8_surrogate_U+D800.json", WIRE_ERR_BAD_UTF8},
    {"i_string_incomplete_surrogate_and_escape_valid.json",
	WIRE_ERR_LONE_SURROGATE},
    {"i_string_incomplete_surrogate_pair.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_incomplete_surrogates_escape_valid.json",
	WIRE_ERR_LONE_SURROGATE},
    {"i_string_invalid_lonely_surrogate.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_invalid_surrogate.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_invalid_utf-8.json", WIRE_ERR_BAD_UTF8},
    {"i_string_inverted_surrogates_U+1D11E.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_iso_latin_1.json", WIRE_ERR_BAD_UTF8},
    {"i_string_lone_second_surrogate.json", WIRE_ERR_LONE_SURROGATE},
    {"i_string_lone_utf8_continuation_byte.json", WIRE_ERR_BAD_UTF8},
    {"i_string_not_in_unicode_range.json", WIRE_ERR_BAD_UTF8},
    {"i_string_overlong_sequence_2_bytes.json", WIRE_ERR_BAD_UTF8},
    {"i_string_overlong_sequence_6_bytes.json", WIRE_ERR_BAD_UTF8},
    {"i_string_overlong_sequence_6_bytes_null.json", WIRE_ERR_BAD_UTF8},
    {"i_string_truncated-utf-8.json", WIRE_ERR_BAD_UTF8},
    {"i_string_utf16BE_no_BOM.json", WIRE_ERR_NUL_BYTE},
    {"i_string_utf16LE_no_BOM.json", WIRE_ERR_NUL_BYTE},
    {"i_structure_500_nested_arrays.json", WIRE_ERR_TOO_DEEP},
    {"i_structure_UTF-8_BOM_empty_object.json", WIRE_ERR_BAD_SYNTAX},
};

static size_t decided_seen;

static void
visit_test_suite(const char *path, struct wire_span text)
{
	const char *name = base_name(path);
	size_t i, offset;
	enum wire_err err = scan(path, text, &theirs, &offset);

	for (i = 0; i < COUNT(decided); i++) {
		if (strcmp(decided[i].name, name) != 0)
			continue;
		if (err != decided[i].err)
			fail_msg("%s: %s", name, wire_err_word(err));
		decided_seen++;
		return;
	}
	if (name[0] == 'y' ? err != WIRE_OK : err == WIRE_OK)
		fail_msg("%s: %s", name, wire_err_word(err));
	if (name[0] != 'y' && name[0] != 'n')
		fail_msg("%s is not decided", name);
}

/* Without verdicts: see what the three say. */
static void
visit_any(const char *path, struct wire_span text)
{
	size_t offset;

	(void)scan(path, text, &theirs, &offset);
}

static void
t_json_test_suite(void **state)
{
	(void)state;
	if (replay("JSONTestSuite/test_parsing", visit_test_suite, 318))
		assert_int_equal(decided_seen, COUNT(decided));
	(void)replay("JSONTestSuite/test_transform", visit_any, 22);
}

/* Invalid for jansson's own limits or interface, not for RFC 8259. */
static const char *const jansson_only[] = {"/too-big-negative-integer/",
    "/too-big-positive-integer/", "/real-positive-overflow/",
    "/real-negative-overflow/", "/null/", "/null-escape-in-string/",
    "/null-byte-in-object-key/"};

/* Where the suite says that jansson stopped reading: the byte behind what it
 * could not take, or for ill-formed UTF-8 that byte itself. */
static bool
read_position(const char *path, size_t *ret_position)
{
	static const char *const names[] = {"error", "error.normal"};
	char beside[1024];
	struct wire_span text;
	bool found = false;
	size_t i, len = (size_t)(base_name(path) - path);

	for (i = 0; i < COUNT(names) && !found; i++) {
		snprintf(
		    beside, sizeof(beside), "%.*s%s", (int)len, path, names[i]);
		if (!read_file(beside, &text))
			continue;
		snprintf(beside, sizeof(beside), "%.*s", (int)text.len,
		    (const char *)text.p);
		found = sscanf(beside, "%*u %*u %zu", ret_position) == 1;
		drop(text);
	}
	return found;
}

static size_t positions;

static void
visit_jansson(const char *path, struct wire_span text)
{
	bool valid = strstr(path, "/invalid") == NULL;
	size_t i, offset, position;
	enum wire_err err;

	if (strcmp(base_name(path), "input") != 0)
		return;
	err = scan(path, text, &theirs, &offset);
	for (i = 0; i < COUNT(jansson_only); i++)
		valid = valid || strstr(path, jansson_only[i]) != NULL;
	if (valid != (err == WIRE_OK))
		fail_msg("%s: %s", path, wire_err_word(err));
	if (valid || err == WIRE_ERR_TOO_DEEP ||
	    !read_position(path, &position))
		return;
	if (offset > position ||
	    (err == WIRE_ERR_BAD_UTF8 && offset != position))
		fail_msg("%s: at %zu, not %zu", path, offset, position);
	positions++;
}

static void
t_jansson_suite(void **state)
{
	(void)state;
	if (replay("jansson", visit_jansson, 259))
		assert_true(positions > 50);
}

/* Of their time: a scalar was no document, and 19 levels too deep. */
static const char *const json_org_today[] = {
    "fail01_EXCLUDE.json", "fail18_EXCLUDE.json"};

static void
visit_json_org(const char *path, struct wire_span text)
{
	const char *name = base_name(path);
	bool valid = strncmp(name, "fail", 4) != 0;
	enum wire_err err;
	size_t i, offset;

	if (strstr(name, ".json") == NULL)
		return;
	for (i = 0; i < COUNT(json_org_today); i++)
		valid = valid || strcmp(name, json_org_today[i]) == 0;
	err = scan(path, text, &theirs, &offset);
	if (valid != (err == WIRE_OK))
		fail_msg("%s: %s at %zu", path, wire_err_word(err), offset);
}

static void
visit_naughty(const char *path, struct wire_span text)
{
	size_t offset;

	if (strstr(path, ".json") != NULL &&
	    scan(path, text, &theirs, &offset) != WIRE_OK)
		fail_msg("%s was refused at %zu", path, offset);
}

static void
visit_deep(const char *path, struct wire_span text)
{
	size_t offset;

	if (strstr(path, ".json") == NULL)
		return;
	assert_int_equal(scan(path, text, &theirs, &offset), WIRE_ERR_TOO_DEEP);
}

static void
t_other_suites(void **state)
{
	(void)state;
	(void)replay("json_org_checker", visit_json_org, 65);
	(void)replay("blns", visit_naughty, 2);
	(void)replay("deep_nesting", visit_deep, 1);
}

/* --- UTF-8: bytes as the text of a string -------------------------------- */

static void
check_bytes(const char *name, struct wire_span bytes, bool valid)
{
	struct growing g = {NULL, 0, 0};
	bool has_nul = memchr(bytes.p, 0, bytes.len) != NULL;
	enum wire_err err;
	size_t offset;

	grow(&g, "[\"");
	grow_bytes(&g, bytes.p, bytes.len);
	grow(&g, "\"]");
	err = scan(name, grown(&g), &theirs, &offset);
	/* A NUL may be well-formed, and still is no part of a string. */
	if (err == WIRE_ERR_NUL_BYTE ? !has_nul : (err == WIRE_OK) != valid)
		fail_msg("%s: %s at %zu", name, wire_err_word(err), offset);
	free(g.p);
}

/* The pairs of hexadecimal digits of a line up to its colon. */
static size_t
read_hex(const char *hex, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned byte;

	for (; *hex != ':' && *hex != '\0' && *hex != '\n' && n < max; hex++) {
		if (*hex != ' ' && sscanf(hex, "%2x", &byte) == 1) {
			out[n++] = (uint8_t)byte;
			hex++;
		}
	}
	return n;
}

static unsigned byte_tests;

static void
visit_utf8_line(const char *line)
{
	uint8_t bytes[512];
	const char *hex;
	bool valid = true;

	if (line[0] == '#')
		return;
	hex = strstr(line, ":valid hex:");
	if (hex == NULL) {
		valid = false;
		hex = strstr(line, ":invalid hex:");
	}
	if (hex == NULL)
		return;
	hex = strstr(hex, " hex:") + 5;
	check_bytes(line,
	    (struct wire_span){bytes, read_hex(hex, bytes, sizeof(bytes))},
	    valid);
	byte_tests++;
}

/* Each line of a file as a C string. */
static bool
each_line(const char *path, void (*visit)(const char *line))
{
	struct growing line = {NULL, 0, 0};
	struct wire_span text;
	size_t i;

	if (!read_file(path, &text))
		return false;
	for (i = 0; i < text.len; i++) {
		if (text.p[i] != '\n') {
			grow_bytes(&line, text.p + i, 1);
			continue;
		}
		grow_bytes(&line, "", 1);
		visit(line.p);
		line.len = 0;
	}
	free(line.p);
	drop(text);
	return true;
}

/* Whatever stands in it: the three agree. */
static void
visit_stress_line(const char *line)
{
	struct growing g = {NULL, 0, 0};
	size_t offset;

	grow(&g, "[\"%s\"]", line);
	(void)scan(line, grown(&g), &theirs, &offset);
	free(g.p);
}

static void
t_utf8_suites(void **state)
{
	(void)state;
	if (each_line(corpus("utf8tests/utf8tests.txt"), visit_utf8_line))
		assert_true(byte_tests > 100);
	else
		print_message("utf8tests is not there: not replayed\n");
	(void)each_line(corpus("utf8tests/utf8tests.bin"), visit_stress_line);
	(void)each_line(
	    corpus("kuhn_utf8/markus_kuhn/UTF-8-test.txt"), visit_stress_line);
}

/* --- how the sets relate ------------------------------------------------- */

/* Runs last: whatever the collections reach, the own cases reach. */
static void
t_own_cases_cover_the_collections(void **state)
{
	unsigned word, site, missing = 0;

	(void)state;
	for (word = 0; word < WIRE_ERR_COUNT; word++) {
		for (site = 0; site < SITES; site++) {
			if (!theirs.refused[word][site] ||
			    own.refused[word][site])
				continue;
			print_error("no own case of %s at site %u\n",
			    wire_err_word((enum wire_err)word), site);
			missing++;
		}
	}
	assert_int_equal(missing, 0);
	assert_int_equal(theirs.features & ~own.features, 0);
	/* With or without the collections. */
	assert_int_equal(own.features, (1ULL << FEATURES) - 1);
}

/* Each row of the table of differences is one, and only that one. */
static void
t_each_difference_occurs(void **state)
{
	struct opinions of;
	size_t i;

	(void)state;
	for (i = 0; i < DIFFERENCES; i++) {
		ask(differences[i].example, &of);
		if (of.it_accepts == (of.ours == WIRE_OK) ||
		    which_difference(&of) != i)
			fail_msg("no difference: %s (%s)", differences[i].what,
			    differences[i].why);
		compare(differences[i].what, &of);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_own_cases),
	    cmocka_unit_test(t_json_test_suite),
	    cmocka_unit_test(t_jansson_suite),
	    cmocka_unit_test(t_other_suites),
	    cmocka_unit_test(t_utf8_suites),
	    cmocka_unit_test(t_own_cases_cover_the_collections),
	    cmocka_unit_test(t_each_difference_occurs),
	};

	return cmocka_run_group_tests(tests, opinions_setup, opinions_teardown);
}
