#include "bindings/shell_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define WORDS 8

static void
check(const char *line, const char *const *expected)
{
	size_t len = strlen(line), count = 99, n = 0;
	/* Exact sizes: a byte too far would be seen. */
	char *text = malloc(len + 1), *buf = malloc(len + 1);
	char *words[WORDS];

	assert_non_null(text);
	assert_non_null(buf);
	memcpy(text, line, len);
	assert_int_equal(
	    bind_shell_split((struct wire_span){(uint8_t *)text, len}, buf,
		len + 1, words, WORDS, &count, NULL),
	    WIRE_OK);
	for (; expected[n] != NULL; n++) {
		assert_true(n < count);
		assert_string_equal(words[n], expected[n]);
	}
	assert_int_equal(count, n);
	assert_null(words[n]);
	free(text);
	free(buf);
}

#define CHECK(line, ...) check(line, (const char *const[]){__VA_ARGS__, NULL})

static void
t_blanks_separate(void **state)
{
	(void)state;
	check("", (const char *const[]){NULL});
	check(" \t\n ", (const char *const[]){NULL});
	CHECK("a", "a");
	CHECK("  a\tb\n c ", "a", "b", "c");
	CHECK("a\vb\rc", "a\vb\rc");
}

static void
t_single_quotes_keep_everything(void **state)
{
	(void)state;
	CHECK("'a b'", "a b");
	CHECK("'a\\b\"$`c'", "a\\b\"$`c");
	CHECK("'a\nb'", "a\nb");
	CHECK("'a\\\nb'", "a\\\nb");
	CHECK("''", "");
	CHECK("a '' b", "a", "", "b");
}

static void
t_double_quotes_know_four_escapes(void **state)
{
	(void)state;
	CHECK("\"a b\"", "a b");
	CHECK("\"\\\"\\\\\\$\\`\"", "\"\\$`");
	CHECK("\"\\a\\n\\'\"", "\\a\\n\\'");
	CHECK("\"it's\"", "it's");
	CHECK("\"a\\\nb\"", "ab");
	CHECK("\"\"", "");
}

static void
t_backslash_makes_literal(void **state)
{
	(void)state;
	CHECK("a\\ b", "a b");
	CHECK("\\'a\\\"", "'a\"");
	CHECK("\\\\", "\\");
	CHECK("a\\\nb", "ab");
	CHECK("a \\\n b", "a", "b");
	check("\\\n", (const char *const[]){NULL});
	CHECK("\\\n''", "");
}

static void
t_parts_join(void **state)
{
	(void)state;
	CHECK("a'b c'd\"e f\"g", "ab cde fg");
	CHECK("--x='1 2'", "--x=1 2");
	CHECK("''a\"\"", "a");
}

static void
t_nothing_is_expanded(void **state)
{
	(void)state;
	CHECK("$HOME ${X} `id` $(id)", "$HOME", "${X}", "`id`", "$(id)");
	CHECK("a|b && c;d >e <f &", "a|b", "&&", "c;d", ">e", "<f", "&");
	CHECK("*.c ?[a] #x ~ {a,b} !", "*.c", "?[a]", "#x", "~", "{a,b}", "!");
	CHECK("\xff\xc3\xa9", "\xff\xc3\xa9");
}

static void
check_bad(struct wire_span line, enum wire_err err, size_t offset)
{
	char buf[64], *words[WORDS];
	size_t count = 99;
	struct wire_errinfo info = {"", 0, 0};

	assert_int_equal(bind_shell_split(line, buf, sizeof(buf), words, WORDS,
			     &count, &info),
	    err);
	assert_int_equal(info.offset, offset);
	assert_int_equal(count, 99);
}

static void
t_open_ends_are_named_by_their_offset(void **state)
{
	(void)state;
	check_bad(WIRE_LIT("a 'b c"), WIRE_ERR_BAD_SYNTAX, 2);
	check_bad(WIRE_LIT("ab\"c'd"), WIRE_ERR_BAD_SYNTAX, 2);
	check_bad(WIRE_LIT("\"a\\\""), WIRE_ERR_BAD_SYNTAX, 0);
	check_bad(WIRE_LIT("\"a\\"), WIRE_ERR_BAD_SYNTAX, 0);
	check_bad(WIRE_LIT("a b\\"), WIRE_ERR_BAD_SYNTAX, 3);
	check_bad(WIRE_LIT("'"), WIRE_ERR_BAD_SYNTAX, 0);
	check_bad(WIRE_LIT("a\0b"), WIRE_ERR_NUL_BYTE, 1);
	check_bad(WIRE_LIT("'a\0b'"), WIRE_ERR_NUL_BYTE, 2);
}

static void
t_words_and_bytes_at_their_limits(void **state)
{
	char buf[8], *words[4];
	size_t count;

	(void)state;
	/* Three words and their NULL. */
	assert_int_equal(
	    bind_shell_split(WIRE_LIT("a b c"), buf, 6, words, 4, &count, NULL),
	    WIRE_OK);
	assert_int_equal(count, 3);
	assert_int_equal(
	    bind_shell_split(WIRE_LIT("a b c"), buf, 5, words, 4, &count, NULL),
	    WIRE_ERR_NO_SPACE);
	assert_int_equal(bind_shell_split(WIRE_LIT("a b c d"), buf, 8, words, 4,
			     &count, NULL),
	    WIRE_ERR_NO_SPACE);
	assert_int_equal(
	    bind_shell_split(WIRE_LIT(""), buf, 8, words, 0, &count, NULL),
	    WIRE_ERR_NO_SPACE);
	assert_int_equal(
	    bind_shell_split(WIRE_LIT("'ab'"), buf, 2, words, 4, &count, NULL),
	    WIRE_ERR_NO_SPACE);
	assert_int_equal(bind_shell_split(WIRE_LIT("\"ab\""), buf, 1, words, 4,
			     &count, NULL),
	    WIRE_ERR_NO_SPACE);
}

/* Quoting any words and splitting them again gives the words. */
static void
t_quoting_round_trip(void **state)
{
	static const char alphabet[] = "ab '\"\\$`\n\t*";
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char word[9], line[64], buf[64], *words[WORDS];
		size_t len = 0, n, count;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		for (n = 0; n < (seed >> 60) % 9; n++)
			word[n] = alphabet[(seed >> (n * 6)) % 11];
		word[n] = '\0';
		line[len++] = '\'';
		for (size_t i = 0; i < n; i++) {
			if (word[i] == '\'') {
				memcpy(line + len, "'\\''", 4);
				len += 4;
			} else {
				line[len++] = word[i];
			}
		}
		line[len++] = '\'';
		assert_int_equal(
		    bind_shell_split((struct wire_span){(uint8_t *)line, len},
			buf, len + 1, words, WORDS, &count, NULL),
		    WIRE_OK);
		assert_int_equal(count, 1);
		assert_string_equal(words[0], word);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_blanks_separate),
	    cmocka_unit_test(t_single_quotes_keep_everything),
	    cmocka_unit_test(t_double_quotes_know_four_escapes),
	    cmocka_unit_test(t_backslash_makes_literal),
	    cmocka_unit_test(t_parts_join),
	    cmocka_unit_test(t_nothing_is_expanded),
	    cmocka_unit_test(t_open_ends_are_named_by_their_offset),
	    cmocka_unit_test(t_words_and_bytes_at_their_limits),
	    cmocka_unit_test(t_quoting_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
