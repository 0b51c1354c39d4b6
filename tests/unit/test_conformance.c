/*
 * The scanner against collections of documents and against a second opinion:
 * the project's own cases, public test suites where they stand beside the
 * tree, and jansson over all of these and over documents made up here.
 */
#include "wire_help.h"

#include <jansson.h>
#include <sys/stat.h>

#include "wire/json.h"

static struct wire_json_scratch scratch;
static struct wire_errinfo info;

static int
setup(void **state)
{
	(void)state;
	scratch_new(&scratch, 65536);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	return 0;
}

static enum wire_err
scan(struct wire_span text)
{
	enum wire_json_type type;

	return wire_json_scan(text, WIRE_MAX_DEPTH, &scratch, &type, &info);
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
	size_t offset;
	char word[32];

	if (strcmp(name, "expected.tsv") == 0)
		return;
	err = scan(text);
	if (name[0] == 'y') {
		if (err != WIRE_OK)
			fail_msg("%s: %s at %zu", name, wire_err_word(err),
			    info.offset);
		own_good++;
		return;
	}
	if (!expected(name, word, &offset))
		fail_msg("%s is not in expected.tsv", name);
	if (strcmp(wire_err_word(err), word) != 0 || info.offset != offset)
		fail_msg("%s: %s at %zu, not %s at %zu", name,
		    wire_err_word(err), info.offset, word, offset);
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

/* Files of a suite whose verdict is another one here, and which. */
static const struct {
	const char *name;
	enum wire_err err;
} decided[] = {
    {"y_object_duplicated_key.json", WIRE_ERR_DUPLICATE_MEMBER},
    {"y_object_duplicated_key_and_value.json", WIRE_ERR_DUPLICATE_MEMBER},
};

static void
visit_test_suite(const char *path, struct wire_span text)
{
	const char *name = base_name(path);
	enum wire_err err = scan(text), want = WIRE_OK;
	size_t i;

	for (i = 0; i < sizeof(decided) / sizeof(decided[0]); i++) {
		if (strcmp(decided[i].name, name) == 0)
			want = decided[i].err;
	}
	if (name[0] == 'y' && err != want)
		fail_msg("%s: %s", name, wire_err_word(err));
	if (name[0] == 'n' && err == WIRE_OK)
		fail_msg("%s was accepted", name);
}

static void
t_json_test_suite(void **state)
{
	(void)state;
	if (walk(corpus("JSONTestSuite/test_parsing"), visit_test_suite) == 0)
		print_message("JSONTestSuite is not there: not replayed\n");
}

/* Invalid for jansson's own limits or interface, not for RFC 8259. */
static const char *const jansson_only[] = {"/too-big-negative-integer/",
    "/too-big-positive-integer/", "/real-positive-overflow/",
    "/real-negative-overflow/", "/null/", "/null-escape-in-string/",
    "/null-byte-in-object-key/", "/recursion-depth/"};

static void
visit_jansson(const char *path, struct wire_span text)
{
	enum wire_err err;
	size_t i;

	if (strcmp(base_name(path), "input") != 0)
		return;
	err = scan(text);
	if (strstr(path, "/valid/") != NULL && err != WIRE_OK)
		fail_msg("%s: %s", path, wire_err_word(err));
	if (strstr(path, "/invalid") == NULL || err != WIRE_OK)
		return;
	for (i = 0; i < sizeof(jansson_only) / sizeof(jansson_only[0]); i++) {
		if (strstr(path, jansson_only[i]) != NULL)
			return;
	}
	fail_msg("%s was accepted", path);
}

static void
t_jansson_suite(void **state)
{
	(void)state;
	if (walk(corpus("jansson"), visit_jansson) == 0)
		print_message("jansson's suite is not there: not replayed\n");
}

/* --- the second opinion -------------------------------------------------- */

/* Where jansson refuses what is accepted here, and the other way round. */
static const enum json_error_code its_limits[] = {json_error_numeric_overflow,
    json_error_null_byte_in_key, json_error_stack_overflow};
static const enum wire_err our_limits[] = {
    WIRE_OK, WIRE_ERR_TOO_DEEP, WIRE_ERR_NUL_BYTE /* it takes one for the end */
};

static bool
agrees(struct wire_span text, enum wire_err err)
{
	json_error_t error;
	json_t *json;
	size_t i;

	json = json_loadb((const char *)text.p, text.len,
	    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
	if (json != NULL) {
		json_decref(json);
		for (i = 0; i < sizeof(our_limits) / sizeof(our_limits[0]);
		     i++) {
			if (err == our_limits[i])
				return true;
		}
		return false;
	}
	if (err != WIRE_OK)
		return true;
	for (i = 0; i < sizeof(its_limits) / sizeof(its_limits[0]); i++) {
		if (json_error_code(&error) == its_limits[i])
			return true;
	}
	return false;
}

static void
visit_compare(const char *path, struct wire_span text)
{
	enum wire_err err = scan(text);

	if (!agrees(text, err))
		fail_msg("%s: %s at %zu, and jansson says otherwise", path,
		    wire_err_word(err), info.offset);
}

static void
t_agrees_with_jansson_on_files(void **state)
{
	(void)state;
	assert_true(walk(own_cases(), visit_compare) > 100);
	if (walk(corpus(""), visit_compare) == 0)
		print_message("no collections there: own cases only\n");
}

/* --- documents made up here ---------------------------------------------- */

static uint64_t random_state;

static size_t
below(size_t bound)
{
	return random_below(&random_state, bound);
}

static void
make_space(struct growing *g)
{
	static const char *const spaces[] = {
	    "", "", "", "", " ", "\n", "\t", "\r\n", "    "};

	grow(g, "%s", spaces[below(9)]);
}

static void
make_string(struct growing *g)
{
	static const char *const pieces[] = {"a", "b", "key", "value", " ",
	    "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\u20aC",
	    "\\ud83d\\ude00", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
	    "0123456789abcdefghij", "\x7f", "\\b\\f\\r\\t", "\\u0001"};
	size_t n = below(5);

	grow(g, "\"");
	while (n-- != 0)
		grow(g, "%s", pieces[below(20)]);
	grow(g, "\"");
}

static void
make_scalar(struct growing *g)
{
	static const char *const scalars[] = {"null", "true", "false", "0",
	    "-0", "1", "-12", "3.25", "1e5", "2.5E-3", "123456789", "1e+0"};

	if (below(3) == 0)
		make_string(g);
	else
		grow(g, "%s", scalars[below(12)]);
}

/* Without recursion: a stack of closing brackets. */
static void
make_document(struct growing *g)
{
	char closers[40];
	size_t depth = 0, budget = 1 + below(25);
	bool fresh = true;

	g->len = 0;
	make_space(g);
	for (;;) {
		if (depth != 0 && (budget == 0 || below(4) == 0)) {
			make_space(g);
			grow(g, "%c", closers[--depth]);
			fresh = false;
			if (depth == 0)
				break;
			continue;
		}
		if (!fresh)
			grow(g, ",");
		make_space(g);
		if (depth != 0 && closers[depth - 1] == '}') {
			make_string(g);
			make_space(g);
			grow(g, ":");
			make_space(g);
		}
		budget -= budget != 0;
		fresh = false;
		if (depth == sizeof(closers) || below(3) != 0) {
			make_scalar(g);
			make_space(g);
			if (depth == 0)
				break;
			continue;
		}
		closers[depth] = below(2) == 0 ? ']' : '}';
		grow(g, "%c", closers[depth++] == ']' ? '[' : '{');
		fresh = true;
	}
	make_space(g);
}

/* One to three small damages. */
static void
damage(struct growing *g)
{
	static const char bytes[] = "{}[]\",:\\u0123456789abcdefn-+.eE \n\t\r"
				    "\x00\x01\x1f\x7f\x80\xbf\xc0\xc3\xe2\xed"
				    "\xf0\xf4\xff";
	size_t n = 1 + below(3), at, len;
	char copy[64];

	while (n-- != 0 && g->len != 0) {
		at = below(g->len);
		switch (below(5)) {
		case 0: /* another byte */
			g->p[at] = bytes[below(sizeof(bytes) - 1)];
			break;
		case 1: /* one byte more */
			grow_bytes(g, "", 1);
			memmove(g->p + at + 1, g->p + at, g->len - 1 - at);
			g->p[at] = bytes[below(sizeof(bytes) - 1)];
			break;
		case 2: /* one byte less */
			memmove(g->p + at, g->p + at + 1, g->len - 1 - at);
			g->len--;
			break;
		case 3: /* the end cut off */
			g->len = at;
			break;
		default: /* a part twice */
			len = 1 + below(sizeof(copy));
			if (len > g->len - at)
				len = g->len - at;
			memcpy(copy, g->p + at, len);
			grow_bytes(g, copy, len);
			break;
		}
	}
}

static void
t_agrees_with_jansson_on_made_up_documents(void **state)
{
	struct growing g = {NULL, 0, 0};
	unsigned i, good = 0;
	struct wire_span text;
	enum wire_err err;

	(void)state;
	random_state = 20240229;
	for (i = 0; i < 100000; i++) {
		make_document(&g);
		if (i % 3 != 0)
			damage(&g);
		text = exact(grown(&g));
		err = scan(text);
		good += err == WIRE_OK;
		if (!agrees(text, err))
			fail_msg("document %u: %s at %zu, and jansson says "
				 "otherwise: %.*s",
			    i, wire_err_word(err), info.offset, (int)g.len,
			    g.p);
		drop(text);
	}
	assert_true(scratch_is_clear(&scratch));
	/* Both verdicts come up often. */
	assert_in_range(good, 20000, 80000);
	free(g.p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_own_cases),
	    cmocka_unit_test(t_json_test_suite),
	    cmocka_unit_test(t_jansson_suite),
	    cmocka_unit_test(t_agrees_with_jansson_on_files),
	    cmocka_unit_test(t_agrees_with_jansson_on_made_up_documents),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
