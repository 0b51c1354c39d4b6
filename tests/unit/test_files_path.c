/*
 * Paths, lists of them and arguments of the path tools, as text: what is
 * refused before anybody looks at the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bindings/base64.h"
#include "bindings/files_request.h"
#include "bindings/json_check.h"
#include "bindings/marks.h"
#include "supervisor/files_option.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- one path ------------------------------------------------------------- */

static void
t_paths(void **state)
{
	static const struct {
		const char *given, *text;
		bool directory;
		enum wire_tool_kind kind;
	} rows[] = {
	    {"a", "a", false, WIRE_TOOL_NONE},
	    {"/a", "a", false, WIRE_TOOL_NONE},
	    {"///a//b///c", "a/b/c", false, WIRE_TOOL_NONE},
	    {"./a/./b", "a/b", false, WIRE_TOOL_NONE},
	    {"/", "", true, WIRE_TOOL_NONE},
	    {".", "", true, WIRE_TOOL_NONE},
	    {"//", "", true, WIRE_TOOL_NONE},
	    {"a/", "a", true, WIRE_TOOL_NONE},
	    {"a//", "a", true, WIRE_TOOL_NONE},
	    {"a/.", "a", true, WIRE_TOOL_NONE},
	    {"a/./", "a", true, WIRE_TOOL_NONE},
	    {"...", "...", false, WIRE_TOOL_NONE},
	    {"..hidden", "..hidden", false, WIRE_TOOL_NONE},
	    {"a/..hidden/b..", "a/..hidden/b..", false, WIRE_TOOL_NONE},
	    {" ", " ", false, WIRE_TOOL_NONE},
	    {"a\\..\\b", "a\\..\\b", false, WIRE_TOOL_NONE},
	    {"%2e%2e/a", "%2e%2e/a", false, WIRE_TOOL_NONE},
	    {"\xff\n", "\xff\n", false, WIRE_TOOL_NONE},
	    {"..", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"/..", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"../", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"a/../b", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"a/..", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"/work/../etc/shadow", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"a//..//b", "", false, WIRE_TOOL_PATH_TRAVERSAL},
	    {"", "", false, WIRE_TOOL_FAILED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_files_path path;
		const char *words = NULL;

		assert_int_equal(
		    bind_files_path_take(span_of(rows[i].given), &path, &words),
		    rows[i].kind);
		if (rows[i].kind != WIRE_TOOL_NONE) {
			assert_non_null(words);
			continue;
		}
		assert_string_equal(path.text, rows[i].text);
		assert_int_equal(path.len, strlen(rows[i].text));
		assert_int_equal(path.directory, rows[i].directory);
	}
}

static void
t_nul_and_length(void **state)
{
	struct bind_files_path path;
	char text[2 * BIND_FILES_PATH_MAX];
	const char *words;

	(void)state;
	assert_int_equal(
	    bind_files_path_take(
		(struct wire_span){(const uint8_t *)"a\0b", 3}, &path, &words),
	    WIRE_TOOL_FAILED);
	/* What goes up is seen first, whatever else is wrong. */
	assert_int_equal(bind_files_path_take(
			     (struct wire_span){(const uint8_t *)"a\0/..", 5},
			     &path, &words),
	    WIRE_TOOL_PATH_TRAVERSAL);
	memset(text, '/', sizeof(text));
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = 'a';
	assert_int_equal(
	    bind_files_path_take((struct wire_span){(const uint8_t *)text,
				     BIND_FILES_PATH_MAX + 1},
		&path, &words),
	    WIRE_TOOL_NONE);
	assert_int_equal(path.len, BIND_FILES_PATH_MAX);
	assert_int_equal(path.text[path.len], 0);
	assert_int_equal(
	    bind_files_path_take((struct wire_span){(const uint8_t *)text,
				     BIND_FILES_PATH_MAX + 3},
		&path, &words),
	    WIRE_TOOL_FAILED);
	memset(text, 'a', sizeof(text));
	memcpy(text + sizeof(text) - 3, "/..", 3);
	assert_int_equal(
	    bind_files_path_take(
		(struct wire_span){(const uint8_t *)text, sizeof(text)}, &path,
		&words),
	    WIRE_TOOL_PATH_TRAVERSAL);
	assert_int_equal(
	    bind_files_path_take(
		(struct wire_span){(const uint8_t *)text, sizeof(text) - 3},
		&path, &words),
	    WIRE_TOOL_FAILED);
}

static void
t_beneath(void **state)
{
	static const struct {
		const char *path, *top;
		bool is;
	} rows[] = {
	    {"", "", true},
	    {"a", "", true},
	    {"out", "out", true},
	    {"out/a", "out", true},
	    {"outside", "out", false},
	    {"out.txt", "out", false},
	    {"ou", "out", false},
	    {"", "out", false},
	    {"a/out", "out", false},
	    {"out", "out/a", false},
	    {"work/shop", "work/shop", true},
	    {"work/shop2", "work/shop", false},
	    {"Out", "out", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
		    bind_files_path_is_beneath(
			span_of(rows[i].path), span_of(rows[i].top)),
		    rows[i].is);
}

static void
t_names(void **state)
{
	struct bind_files_path path;
	const char *words;
	size_t len;

	(void)state;
	assert_int_equal(bind_files_path_take(WIRE_LIT("a/b/c"), &path, &words),
	    WIRE_TOOL_NONE);
	assert_string_equal(bind_files_path_name(&path, &len), "c");
	assert_int_equal(len, 3);
	assert_int_equal(bind_files_path_take(WIRE_LIT("/c"), &path, &words),
	    WIRE_TOOL_NONE);
	assert_string_equal(bind_files_path_name(&path, &len), "c");
	assert_int_equal(len, 0);
}

/* --- arguments ------------------------------------------------------------ */

static enum wire_tool_kind
take(enum bind_files_op op, const char *arguments,
    struct bind_files_request *request, char words[256])
{
	struct wire_json_member members[16];
	struct bind_json_check check;
	struct bind_text why;
	enum wire_tool_kind kind;
	size_t count = 0;

	bind_text_init(&why, (uint8_t *)words, 255);
	bind_json_check_init(&check, 1);
	assert_int_equal(bind_json_check_object(&check, span_of(arguments),
			     members, 16, &count, NULL),
	    WIRE_OK);
	kind = bind_files_request_take(op, members, count, request, &why);
	bind_json_check_release(&check);
	words[why.len] = '\0';
	assert_int_equal(kind == WIRE_TOOL_NONE, why.len == 0);
	return kind;
}

static void
t_arguments_that_are_none(void **state)
{
	static const struct {
		enum bind_files_op op;
		const char *arguments, *words;
	} rows[] = {
	    {BIND_FILES_STAT, "{}", "path is missing"},
	    {BIND_FILES_READ, "{\"path\":null}", "path is missing"},
	    {BIND_FILES_READ, "{\"path\":1}", "path is a string"},
	    {BIND_FILES_READ, "{\"path\":[\"a\"]}", "path is a string"},
	    {BIND_FILES_STAT, "{\"path\":\"a\",\"offset\":1}",
		"there is no argument offset"},
	    {BIND_FILES_LIST, "{\"pa\\nth\":\"a\"}",
		"there is no argument pa\\nth"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"offset\":-1}",
		"offset is an integer from 0 to 9007199254740991"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"offset\":9007199254740992}",
		"offset is an integer from 0 to 9007199254740991"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"offset\":1.5}",
		"offset is an integer from 0 to 9007199254740991"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"length\":0}",
		"length is an integer from 1 to 9007199254740991"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"length\":\"1\"}",
		"length is an integer"},
	    {BIND_FILES_READ, "{\"path\":\"a\",\"base64\":\"YQ==\"}",
		"base64 is true or false"},
	    {BIND_FILES_LIST, "{\"limit\":0}",
		"limit is an integer from 1 to 4096"},
	    {BIND_FILES_LIST, "{\"limit\":4097}",
		"limit is an integer from 1 to 4096"},
	    {BIND_FILES_LIST, "{\"after\":\"a\"}",
		"after is none that an answer had as next"},
	    {BIND_FILES_WRITE, "{\"path\":\"a\"}", "text is missing"},
	    {BIND_FILES_WRITE, "{\"path\":\"a\",\"base64\":true}",
		"base64 is a string"},
	    {BIND_FILES_WRITE, "{\"path\":\"a\",\"text\":\"\",\"base64\":\"\"}",
		"base64 does not go with text"},
	    {BIND_FILES_WRITE,
		"{\"path\":\"a\",\"text\":\"\",\"create\":true,"
		"\"append\":true}",
		"create does not go with append"},
	    {BIND_FILES_WRITE, "{\"path\":\"a\",\"text\":\"\",\"append\":1}",
		"append is true or false"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_files_request request;
		char words[256];

		assert_int_equal(
		    take(rows[i].op, rows[i].arguments, &request, words),
		    WIRE_TOOL_FAILED);
		assert_string_equal(words, rows[i].words);
	}
}

static void
t_arguments(void **state)
{
	struct bind_files_request r;
	char words[256];

	(void)state;
	assert_int_equal(take(BIND_FILES_LIST, "{}", &r, words), 0);
	assert_string_equal(r.path.text, "");
	assert_int_equal(r.limit, BIND_FILES_LIMIT);
	assert_false(r.has_after);
	assert_int_equal(
	    take(BIND_FILES_LIST,
		"{\"path\":\"d\",\"after\":\"YWI=\",\"limit\":4096}", &r,
		words),
	    0);
	assert_int_equal(r.limit, 4096);
	assert_true(r.has_after);
	assert_int_equal(r.after_len, 2);
	assert_memory_equal(r.after, "ab", 2);
	assert_int_equal(
	    take(BIND_FILES_READ,
		"{\"offset\":9007199254740991,\"path\":\"\\u0061\","
		"\"base64\":true}",
		&r, words),
	    0);
	assert_string_equal(r.path.text, "a");
	assert_int_equal(r.offset, WIRE_MAX_ID);
	assert_true(r.length == UINT64_MAX);
	assert_true(r.as_bytes);
	assert_int_equal(take(BIND_FILES_WRITE,
			     "{\"path\":\"a\",\"text\":\"\\n\",\"append\":true,"
			     "\"create\":null}",
			     &r, words),
	    0);
	assert_int_equal(r.content.len, 2);
	assert_true(r.append);
	assert_false(r.create || r.is_base64);
	/* Escapes hide nothing. */
	assert_int_equal(
	    take(BIND_FILES_READ, "{\"path\":\"a/\\u002e.\\/b\"}", &r, words),
	    WIRE_TOOL_PATH_TRAVERSAL);
}

/* --- base64 --------------------------------------------------------------- */

static void
t_base64(void **state)
{
	static const struct {
		const char *bytes, *text;
	} rows[] = {
	    {"", ""},
	    {"f", "Zg=="},
	    {"fo", "Zm8="},
	    {"foo", "Zm9v"},
	    {"foob", "Zm9vYg=="},
	    {"fooba", "Zm9vYmE="},
	    {"foobar", "Zm9vYmFy"},
	    {"\xff\xfe\xfb", "//77"},
	};
	static const char *const bad[] = {"Z", "Zg",
	    "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Zg==\n", "Zm9v ",
	    "Z===", "====", "Zm-v", "Zm9v=", "Zm8=Zm9v", "=Zg="};
	uint8_t out[64];
	size_t len;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(bind_base64_len(strlen(rows[i].bytes), &len));
		assert_int_equal(len, strlen(rows[i].text));
		assert_int_equal(
		    bind_base64_encode(span_of(rows[i].bytes), out), len);
		assert_memory_equal(out, rows[i].text, len);
		assert_true(
		    bind_base64_decode(span_of(rows[i].text), out, &len));
		assert_int_equal(len, strlen(rows[i].bytes));
		assert_memory_equal(out, rows[i].bytes, len);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(bind_base64_decode(span_of(bad[i]), out, &len));
	assert_false(bind_base64_len(SIZE_MAX, &len));
}

/* --- the option ----------------------------------------------------------- */

static void
t_option(void **state)
{
	struct sup_files_option o;

	(void)state;
	assert_null(sup_files_option_text("cat"));
	assert_null(sup_files_option_text("./files:x"));
	assert_null(sup_files_option_text("'files:x'"));
	assert_null(sup_files_option_text("files"));
	assert_string_equal(sup_files_option_text("files:/a"), "/a");
	assert_null(sup_files_option_parse("/a", &o));
	assert_string_equal(o.files.root, "/a");
	assert_int_equal(o.files.read_count + o.files.write_count, 0);
	sup_files_option_release(&o);
	assert_null(sup_files_option_parse("/a:read=/,b/c:write=/out", &o));
	assert_int_equal(o.files.read_count, 2);
	assert_string_equal(o.files.read[1], "b/c");
	assert_int_equal(o.files.write_count, 1);
	assert_string_equal(o.files.write[0], "/out");
	sup_files_option_release(&o);
	assert_null(sup_files_option_parse("/a:write=x:read=y", &o));
	sup_files_option_release(&o);
}

static void
t_options_that_are_none(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
	    {"", "names no root"},
	    {":read=/", "names no root"},
	    {"/a:", "something else"},
	    {"/a:b", "something else"},
	    {"/a:raed=/", "something else"},
	    {"/a:read", "something else"},
	    {"/a:READ=/", "something else"},
	    {"/a:read=", "empty path"},
	    {"/a:read=/,", "empty path"},
	    {"/a:write=,/b", "empty path"},
	    {"/a:read=/b:read=/c", "twice"},
	    {"/a:write=/b:read=/:write=/c", "twice"},
	};
	char many[4 * SUP_FILES_PATHS + 16] = "/a:read=x";
	struct sup_files_option o;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *problem = sup_files_option_parse(rows[i].text, &o);

		assert_non_null(problem);
		assert_non_null(strstr(problem, rows[i].words));
	}
	for (size_t i = 1; i < SUP_FILES_PATHS; i++)
		memcpy(many + strlen(many), ",x", 3);
	assert_null(sup_files_option_parse(many, &o));
	assert_int_equal(o.files.read_count, SUP_FILES_PATHS);
	sup_files_option_release(&o);
	memcpy(many + strlen(many), ",x", 3);
	assert_non_null(
	    strstr(sup_files_option_parse(many, &o), "more than 64"));
}

/* --- marks ---------------------------------------------------------------- */

static void
t_marks(void **state)
{
	enum bind_tool_mark mark;

	(void)state;
	assert_true(bind_mark_from(WIRE_LIT("requires_approval"), &mark));
	assert_int_equal(mark, BIND_TOOL_NEEDS_APPROVAL);
	assert_true(bind_mark_from(WIRE_LIT("may_suspend"), &mark));
	assert_int_equal(mark, BIND_TOOL_NEEDS_INPUT);
	assert_false(bind_mark_from(WIRE_LIT(""), &mark));
	assert_false(bind_mark_from(WIRE_LIT("may_suspen"), &mark));
	assert_false(bind_mark_from(WIRE_LIT("May_suspend"), &mark));
	for (size_t i = 0; bind_mark_word(i) != NULL; i++)
		assert_true(bind_mark_from(span_of(bind_mark_word(i)), &mark));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_paths),
	    cmocka_unit_test(t_nul_and_length),
	    cmocka_unit_test(t_beneath),
	    cmocka_unit_test(t_names),
	    cmocka_unit_test(t_arguments_that_are_none),
	    cmocka_unit_test(t_arguments),
	    cmocka_unit_test(t_base64),
	    cmocka_unit_test(t_option),
	    cmocka_unit_test(t_options_that_are_none),
	    cmocka_unit_test(t_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
