/*
 * Texts that are kept (bindings/store.h), their lines and their windows.
 */
#include <errno.h>

#include "wire_help.h"

#include "bindings/store.h"
#include "bindings/window.h"
#include "wire/utf8.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct wire_span
span(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- lines ---------------------------------------------------------------- */

/* Every line and every offset against a walk that looks at each byte. */
static void
check_lines(struct wire_span text)
{
	struct bind_lines lines;
	size_t line = 0, begin = 0;

	assert_int_equal(bind_lines_init(&lines, text), WIRE_OK);
	for (size_t i = 0; i <= text.len; i++) {
		assert_int_equal(bind_lines_of(&lines, text, i), line);
		if (i < text.len && text.p[i] != '\n')
			continue;
		assert_int_equal(bind_lines_begin(&lines, text, line), begin);
		assert_int_equal(bind_lines_end(text, begin), i);
		begin = i + 1;
		line++;
	}
	assert_int_equal(lines.count, line);
	assert_int_equal(
	    bind_lines_begin(&lines, text, lines.count), text.len + 1);
	assert_int_equal(bind_lines_of(&lines, text, SIZE_MAX), line - 1);
	bind_lines_release(&lines);
}

static void
t_lines_of_odd_ends(void **state)
{
	static const char *const texts[] = {"", "\n", "\n\n", "a", "a\n", "\na",
	    "a\nb", "a\n\nb\n", "a\r\nb\r", "\r", "caf\xc3\xa9\n\xe2\x80\xa8x"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		check_lines(span(texts[i]));
}

static void
t_lines_around_the_stride(void **state)
{
	static const size_t counts[] = {BIND_LINES_STRIDE - 1,
	    BIND_LINES_STRIDE, BIND_LINES_STRIDE + 1, 3 * BIND_LINES_STRIDE - 1,
	    3 * BIND_LINES_STRIDE};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		uint8_t *text = must_alloc(2 * counts[i] + 1);
		size_t len = 0;

		for (size_t n = 0; n < counts[i]; n++) {
			if (n % 3 != 0)
				text[len++] = 'x';
			text[len++] = '\n';
		}
		check_lines((struct wire_span){text, len});
		check_lines((struct wire_span){text, len - 1});
		free(text);
	}
}

/* --- windows -------------------------------------------------------------- */

static void
check_bytes(
    const char *text, uint64_t offset, uint64_t length, const char *expected)
{
	struct bind_window window =
	    bind_window_bytes(span(text), offset, length);

	assert_in_range(window.end, window.begin, strlen(text));
	assert_int_equal(window.end - window.begin, strlen(expected));
	assert_memory_equal(text + window.begin, expected, strlen(expected));
}

static void
t_windows_by_bytes(void **state)
{
	/* One character of each length. */
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";

	(void)state;
	check_bytes(text, 0, 1, "a");
	check_bytes(text, 0, 2, "a");
	check_bytes(text, 0, 3, "a\xc3\xa9");
	check_bytes(text, 1, 1, "\xc3\xa9");
	check_bytes(text, 2, 1, "\xc3\xa9");
	check_bytes(text, 3, 1, "\xe2\x82\xac");
	check_bytes(text, 5, 3, "\xe2\x82\xac");
	check_bytes(text, 5, 6, "\xe2\x82\xac");
	check_bytes(text, 5, 7, "\xe2\x82\xac\xf0\x9f\x98\x80");
	check_bytes(text, 9, 4, "\xf0\x9f\x98\x80");
	check_bytes(text, 10, 1, "z");
	check_bytes(text, 10, UINT64_MAX, "z");
	check_bytes(text, 11, 1, "");
	check_bytes(text, UINT64_MAX, UINT64_MAX, "");
	check_bytes("", 0, 1, "");
}

/* Whoever goes on at the end of a window reads all of it, whatever the length,
 * and every part is UTF-8. */
static void
t_windows_follow_each_other(void **state)
{
	static const char text[] = "\xf0\x9f\x98\x80"
				   "a\xc3\xa9\n\xe2\x82\xac\xe2\x82\xac"
				   "bc\xf0\x9f\x98\x80\xc3\xa9";
	struct wire_span whole = span(text);

	(void)state;
	for (uint64_t length = 1; length < 30; length++) {
		size_t at = 0;

		while (at < whole.len) {
			struct bind_window window =
			    bind_window_bytes(whole, at, length);
			struct wire_span part = {
			    whole.p + window.begin, window.end - window.begin};

			assert_int_equal(window.begin, at);
			assert_true(window.end > at);
			assert_int_equal(
			    wire_utf8_valid_prefix(part), part.len);
			at = window.end;
		}
		assert_int_equal(at, whole.len);
	}
}

static void
t_the_first_characters_of_a_line(void **state)
{
	struct wire_span text = span("\xc3\xa9\xc3\xa9\xc3\xa9\nx");

	(void)state;
	assert_int_equal(bind_window_chars(text, 0, 6, 2).end, 4);
	assert_int_equal(bind_window_chars(text, 0, 6, 3).end, 6);
	assert_int_equal(bind_window_chars(text, 0, 6, 4).end, 6);
	assert_int_equal(bind_window_chars(text, 0, 6, 0).end, 0);
	assert_int_equal(bind_window_chars(text, 2, 6, 1).end, 4);
	assert_int_equal(bind_window_chars(text, 6, 6, 1).end, 6);
}

static void
t_what_is_shown_of_a_line_for_a_match(void **state)
{
	size_t most = BIND_WINDOW_LINE_CHARS, len = most + 2000;
	uint8_t *bytes = must_alloc(len);
	struct wire_span text = {bytes, len};
	struct bind_window window;

	(void)state;
	memset(bytes, 'x', len);
	/* A line that is shown whole is. */
	window = bind_window_match(text, 0, most, most - 1);
	assert_int_equal(window.begin, 0);
	assert_int_equal(window.end, most);
	/* One more: from its beginning, as long as the match is near that. */
	window = bind_window_match(text, 0, most + 1, BIND_WINDOW_SIGHT);
	assert_int_equal(window.begin, 0);
	assert_int_equal(window.end, most);
	window = bind_window_match(text, 0, len, BIND_WINDOW_SIGHT + 1);
	assert_int_equal(window.begin, 1);
	assert_int_equal(window.end, most + 1);
	/* In the middle of a character it would begin before that. */
	bytes[1000] = 0xc3;
	bytes[1001] = 0xa9;
	window = bind_window_match(text, 0, len, 1001 + BIND_WINDOW_SIGHT);
	assert_int_equal(window.begin, 1000);
	window = bind_window_match(text, 0, len, len);
	assert_int_equal(window.begin, len - BIND_WINDOW_SIGHT);
	assert_int_equal(window.end, len);
	free(bytes);
}

/* --- the store ------------------------------------------------------------ */

static uint8_t next_bits;
static int random_error;

static int
counted_bits(void *buf, size_t len)
{
	if (random_error != 0)
		return random_error;
	memset(buf, next_bits++, len);
	return 0;
}

static void
store_new(struct bind_store *store, uint64_t max)
{
	bind_store_init(store, max);
	store->random = counted_bits;
	next_bits = 0xab;
	random_error = 0;
}

static const struct bind_kept *
put(struct bind_store *store, const char *value)
{
	const struct bind_kept *kept = NULL;

	assert_int_equal(
	    bind_store_put(store, span(value), &kept, NULL), WIRE_OK);
	return kept;
}

static void
is_text(const struct bind_kept *kept, const char *expected)
{
	assert_int_equal(kept->size, strlen(expected));
	assert_memory_equal(kept->text, expected, kept->size);
}

static void
t_what_is_kept_of_a_value(void **state)
{
	struct bind_store store;

	(void)state;
	store_new(&store, 1000);
	is_text(put(&store, "\"\""), "");
	is_text(put(&store, "\"a\\n\\u00e9\\ud83d\\ude00\\\"\""),
	    "a\n\xc3\xa9\xf0\x9f\x98\x80\"");
	is_text(put(&store, "[1, \"a\\n\"]"), "[1, \"a\\n\"]");
	is_text(put(&store, "-1.50"), "-1.50");
	assert_int_equal(store.used, 0 + 9 + 10 + 5);
	bind_store_release(&store);
	assert_int_equal(store.used, 0);
}

static void
t_a_token_is_all_of_its_bits(void **state)
{
	struct bind_store store;
	const struct bind_kept *first, *second;
	char token[BIND_TOKEN_LEN + 1];
	struct wire_span asked = {(const uint8_t *)token, BIND_TOKEN_LEN};

	(void)state;
	store_new(&store, 1000);
	assert_null(bind_store_find(&store, span("h-")));
	first = put(&store, "\"first\"");
	second = put(&store, "\"second\"");
	assert_memory_equal(
	    first->token, "h-abababababababababababababababab", BIND_TOKEN_LEN);
	assert_memory_equal(second->token, "h-acacacacacacacacacacacacacacacac",
	    BIND_TOKEN_LEN);
	for (size_t i = 0; i < BIND_TOKEN_LEN; i++) {
		memcpy(token, first->token, BIND_TOKEN_LEN);
		assert_ptr_equal(bind_store_find(&store, asked), first);
		token[i] ^= 1;
		assert_null(bind_store_find(&store, asked));
	}
	memcpy(token, second->token, BIND_TOKEN_LEN);
	assert_ptr_equal(bind_store_find(&store, asked), second);
	asked.len--;
	assert_null(bind_store_find(&store, asked));
	asked.len += 2;
	token[BIND_TOKEN_LEN] = '0';
	assert_null(bind_store_find(&store, asked));
	bind_store_release(&store);
}

static void
t_tokens_come_from_the_kernel(void **state)
{
	struct bind_store store, other;
	const struct bind_kept *a = NULL, *b = NULL;

	(void)state;
	bind_store_init(&store, 1000);
	bind_store_init(&other, 1000);
	a = put(&store, "\"same\"");
	b = put(&other, "\"same\"");
	assert_memory_not_equal(a->token, b->token, BIND_TOKEN_LEN);
	/* Another execution's is none. */
	assert_null(bind_store_find(&other,
	    (struct wire_span){(const uint8_t *)a->token, BIND_TOKEN_LEN}));
	bind_store_release(&store);
	bind_store_release(&other);
}

static void
t_without_random_bits_nothing_is_kept(void **state)
{
	struct wire_errinfo info = {"", 0, 0};
	const struct bind_kept *kept = NULL;
	struct bind_store store;

	(void)state;
	store_new(&store, 1000);
	random_error = -ENOSYS;
	assert_int_equal(bind_store_put(&store, span("\"x\""), &kept, &info),
	    WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, ENOSYS);
	assert_null(kept);
	assert_int_equal(store.used, 0);
	assert_int_equal(store.count, 0);
	bind_store_release(&store);
}

static void
t_room_at_the_limit_and_over(void **state)
{
	const struct bind_kept *kept = NULL;
	struct bind_store store;

	(void)state;
	store_new(&store, 10);
	assert_int_equal(
	    bind_store_put(&store, span("\"123456789\""), &kept, NULL),
	    WIRE_ERR_NO_SPACE);
	assert_null(kept);
	put(&store, "\"12345678\"");
	assert_int_equal(bind_store_left(&store), 2);
	assert_int_equal(bind_store_put(&store, span("123"), &kept, NULL),
	    WIRE_ERR_NO_SPACE);
	kept = put(&store, "12");
	assert_int_equal(bind_store_left(&store), 0);
	bind_store_drop(&store, kept);
	assert_int_equal(bind_store_left(&store), 2);
	bind_store_release(&store);
}

static void
t_handles_at_the_limit_and_over(void **state)
{
	const struct bind_kept *kept = NULL;
	struct bind_store store;

	(void)state;
	store_new(&store, 1000000);
	for (size_t i = 0; i < BIND_STORE_MAX; i++)
		put(&store, "1");
	assert_int_equal(bind_store_left(&store), 0);
	assert_int_equal(
	    bind_store_put(&store, span("1"), &kept, NULL), WIRE_ERR_NO_SPACE);
	bind_store_release(&store);
}

static void
t_previews_at_the_limit_and_over(void **state)
{
	char value[BIND_PREVIEW_MAX + 10];
	struct bind_store store;
	struct wire_span preview;

	(void)state;
	store_new(&store, 100000);
	memset(value, 'x', sizeof(value));
	value[0] = value[BIND_PREVIEW_MAX + 1] = '"';
	value[BIND_PREVIEW_MAX + 2] = '\0';
	preview = bind_kept_preview(put(&store, value));
	assert_int_equal(preview.len, BIND_PREVIEW_MAX);
	/* Half a character is not shown. */
	value[BIND_PREVIEW_MAX] = '\xc3';
	value[BIND_PREVIEW_MAX + 1] = '\xa9';
	value[BIND_PREVIEW_MAX + 2] = '"';
	value[BIND_PREVIEW_MAX + 3] = '\0';
	preview = bind_kept_preview(put(&store, value));
	assert_int_equal(preview.len, BIND_PREVIEW_MAX - 1);
	bind_store_release(&store);
}

#define TEST(function) cmocka_unit_test(function)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_lines_of_odd_ends),
	    TEST(t_lines_around_the_stride),
	    TEST(t_windows_by_bytes),
	    TEST(t_windows_follow_each_other),
	    TEST(t_the_first_characters_of_a_line),
	    TEST(t_what_is_shown_of_a_line_for_a_match),
	    TEST(t_what_is_kept_of_a_value),
	    TEST(t_a_token_is_all_of_its_bits),
	    TEST(t_tokens_come_from_the_kernel),
	    TEST(t_without_random_bits_nothing_is_kept),
	    TEST(t_room_at_the_limit_and_over),
	    TEST(t_handles_at_the_limit_and_over),
	    TEST(t_previews_at_the_limit_and_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
