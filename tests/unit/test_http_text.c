/*
 * The texts of HTTP tools: header lines with secrets in them, and what a
 * response is worth.
 */
#include "bindings/http_header.h"
#include "bindings/http_response.h"
#include "bindings/http_verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "wire/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- headers -------------------------------------------------------------- */

static const char *const environment[] = {"TOKEN=canary-1234",
    "OTHER=second-secret", "EIGHT=12345678", "SEVEN=1234567",
    "EMPTY=", "NEWLINE=12345678\r\nX: y", "TOKENS=not-this-one",
    "LATIN=12345678\xe9", NULL};

static void
t_header_names(void **state)
{
	static const char *const refused[] = {"", "a b", "a:", "a\n",
	    "\xc3\xa9", "Host", "content-LENGTH", "Transfer-Encoding",
	    "Connection", "Accept-Encoding", "Content-Type", "TE", "Expect",
	    "Range", "Proxy-Authorization", "(a)", "${X}"};
	static const char *const good[] = {
	    "Authorization", "X-Api-Key", "a", "Cookie", "Accept", "Hosts"};
	char name[130];

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		if (bind_http_header_problem(span_of(refused[i])) == NULL)
			fail_msg("accepted: %s", refused[i]);
	for (size_t i = 0; i < COUNT(good); i++)
		assert_null(bind_http_header_problem(span_of(good[i])));
	memset(name, 'a', sizeof(name));
	assert_null(
	    bind_http_header_problem((struct wire_span){(uint8_t *)name, 128}));
	assert_non_null(
	    bind_http_header_problem((struct wire_span){(uint8_t *)name, 129}));
}

static void
t_header_values(void **state)
{
	static const struct {
		const char *value, *line, *why;
		size_t secrets;
	} table[] = {
	    {"plain", "X: plain", NULL, 0},
	    {"a\tb", "X: a\tb", NULL, 0},
	    {"Bearer ${TOKEN}", "X: Bearer canary-1234", NULL, 1},
	    {"${TOKEN}${OTHER}", "X: canary-1234second-secret", NULL, 2},
	    {"${TOKEN} ${TOKEN}", "X: canary-1234 canary-1234", NULL, 1},
	    {"$$ $${TOKEN}", "X: $ ${TOKEN}", NULL, 0},
	    {"${EIGHT}", "X: 12345678", NULL, 1},
	    {"${SEVEN}", NULL, "is shorter", 0},
	    {"${EMPTY}", NULL, "is shorter", 0},
	    {"${NONE}", NULL, "is not set", 0},
	    {"${TOKE}", NULL, "is not set", 0},
	    {"${NEWLINE}", NULL, "holds a character that a header", 0},
	    {"${LATIN}", NULL, "holds a character that a header", 0},
	    {"${}", NULL, "holds a '${'", 0},
	    {"${TOKEN", NULL, "holds a '${'", 0},
	    {"${", NULL, "holds a '${'", 0},
	    {"${TOKEN=x}", NULL, "holds a '${'", 0},
	    {"$", NULL, "holds a '$'", 0},
	    {"$TOKEN", NULL, "holds a '$'", 0},
	    {"", NULL, "is empty", 0},
	    {" \t", NULL, "is empty", 0},
	    {"a\r\nb", NULL, "holds a character", 0},
	    {"\xc3\xa9", NULL, "holds a character", 0},
	    {"a\x7f", NULL, "holds a character", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_secrets secrets = {.count = 0};
		struct wire_errinfo info = {"", 0, 0};
		struct wire_span variable;
		char *line = NULL;
		enum wire_err err =
		    bind_http_header_line(span_of("X"), span_of(table[i].value),
			environment, &line, &secrets, &variable, &info);

		if (table[i].line != NULL) {
			assert_int_equal(err, WIRE_OK);
			assert_string_equal(line, table[i].line);
			assert_int_equal(secrets.count, table[i].secrets);
		} else if (err != WIRE_ERR_BAD_ARGUMENT ||
		    strncmp(info.site, table[i].why, strlen(table[i].why)) !=
			0) {
			fail_msg("%s: %s", table[i].value, info.site);
		}
		free(line);
		bind_http_secrets_release(&secrets);
		assert_int_equal(secrets.count, 0);
	}
}

/* Bytes of a line, and the number of variables: at the limit and past it. */
static void
t_header_limits(void **state)
{
	static char value[BIND_HTTP_HEADER_MAX + 1];
	struct bind_http_secrets secrets = {.count = 0};
	struct wire_span variable;
	char variables[40][32];
	const char *list[41] = {NULL};
	char *line;

	(void)state;
	memset(value, 'a', sizeof(value));
	for (size_t extra = 0; extra < 2; extra++) {
		size_t len = BIND_HTTP_HEADER_MAX - strlen("X: ") + extra;
		enum wire_err err = bind_http_header_line(span_of("X"),
		    (struct wire_span){(uint8_t *)value, len}, environment,
		    &line, &secrets, &variable, NULL);

		assert_int_equal(
		    err, extra == 0 ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
		if (err == WIRE_OK)
			free(line);
	}
	for (size_t i = 0; i <= BIND_HTTP_SECRETS_MAX; i++) {
		char name[16];
		enum wire_err err;

		snprintf(variables[i], 32, "V%zu=secret-%04zu", i, i);
		list[i] = variables[i];
		snprintf(name, sizeof(name), "${V%zu}", i);
		err = bind_http_header_line(span_of("X"), span_of(name), list,
		    &line, &secrets, &variable, NULL);
		assert_int_equal(err,
		    i < BIND_HTTP_SECRETS_MAX ? WIRE_OK
					      : WIRE_ERR_BAD_ARGUMENT);
		if (err == WIRE_OK)
			free(line);
	}
	bind_http_secrets_release(&secrets);
}

/* What one spelling takes for its own is plain in another. */
static void
t_secrets_may_look_spelled(void **state)
{
	static const struct {
		const char *secret, *text;
	} table[] = {
	    {"key%41\"key", "key%41\\\"key"},
	    {"key\\u0041/key", "key\\u0041%2fkey"},
	    {"key%41<key&lt;", "key%41&lt;key&amp;lt;"},
	    {"a&b<c>d'e", "a&amp;b&lt;c&gt;d&apos;e"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_secrets secrets = {.count = 1};
		char copy[32];

		(void)snprintf(copy, sizeof(copy), "%s", table[i].secret);
		secrets.values[0] = copy;
		if (!bind_http_secrets_in(&secrets, span_of(table[i].text)))
			fail_msg("%s", table[i].text);
	}
}

static void
t_secrets_are_found(void **state)
{
	static const struct {
		const char *text;
		bool found;
	} table[] = {
	    {"", false},
	    {"canary/12\"4", true},
	    {"xxcanary/12\"4yy", true},
	    {"canary/12\\\"4", true},
	    {"canary\\/12\\\"4", true},
	    {"c\\u0061nary/12\\u00224", true},
	    {"canary%2F12%224", true},
	    {"canary%2f12%224", true},
	    {"\\\\canary/12\\\"4", true},
	    {"canary/12\"", false},
	    {"canary%2", false},
	    {"canary\\", false},
	    {"canary\\u00", false},
	    /* One in the other, and mixed. */
	    {"canary\\u0025%32F12\\u00224", true},
	    {"canary%252F12%25224", true},
	    {"canary%2525252F12%252525224", true},
	    {"canary%252525252F12\"4", false},
	    {"canary%5Cu002f12%5c%224", true},
	    {"canary\\\\u002f12\\\\\\\"4", true},
	    {"\\u0063anary%2f12&quot;4", true},
	    {"canary&#47;12&#x22;4", true},
	    {"canary&#X2f;12&#0000034;4", true},
	    {"canary&amp;#47;12&amp;quot;4", true},
	    {"canary/12&quot4", false},
	    {"canary/12&#34", false},
	    {"canary/12&#;4", false},
	    {"canary/12&", false},
	    {"Canary/12\"4", false},
	};
	struct bind_http_secrets secrets = {.count = 0}, none = {.count = 0};
	char copy[] = "canary/12\"4";

	(void)state;
	secrets.values[secrets.count++] = copy;
	for (size_t i = 0; i < COUNT(table); i++) {
		if (bind_http_secrets_in(&secrets, span_of(table[i].text)) !=
		    table[i].found)
			fail_msg("%s", table[i].text);
		assert_false(
		    bind_http_secrets_in(&none, span_of(table[i].text)));
	}
}

/* --- responses ------------------------------------------------------------ */

/* Takes a head, line by line; whether all of it was taken. */
static bool
take(struct bind_http_response *response, const char *head)
{
	memset(response, 0, sizeof(*response));
	while (*head != '\0') {
		size_t len = strcspn(head, "\n") + 1;

		if (!bind_http_response_line(response,
			(struct wire_span){(const uint8_t *)head, len}))
			return false;
		head += len;
	}
	return true;
}

#define OK "HTTP/1.1 200 OK\r\n"

static void
t_what_a_response_is(void **state)
{
	static const struct {
		const char *head, *body, *words;
		enum bind_http_type type;
	} table[] = {
	    {OK "\r\n", "1", "", BIND_HTTP_TYPE_JSON},
	    {OK "Content-Type: application/json\r\n\r\n", "1", "",
		BIND_HTTP_TYPE_JSON},
	    {OK "content-type:APPLICATION/json;charset=UTF-8\n\n", "1", "",
		BIND_HTTP_TYPE_JSON},
	    {OK "Content-Type: application/problem+json\r\n\r\n", "1", "",
		BIND_HTTP_TYPE_JSON},
	    {OK "Content-Type: text/plain\r\n\r\n", "x", "",
		BIND_HTTP_TYPE_TEXT},
	    {OK "Content-Type: text/csv; charset=\"utf-8\"\r\n\r\n", "x", "",
		BIND_HTTP_TYPE_TEXT},
	    {OK "Content-Type: text/html; charset=iso-8859-1\r\n\r\n", "x",
		"its response is text, but not UTF-8", BIND_HTTP_TYPE_TEXT},
	    {OK "Content-Type: text/plain\r\n\r\n", "\xff",
		"its response is text, but not UTF-8", BIND_HTTP_TYPE_TEXT},
	    {OK "Content-Type: image/png\r\n\r\n", "x",
		"its response is neither JSON nor text, but of type image/png",
		BIND_HTTP_TYPE_OTHER},
	    {OK "Content-Type: a\033[2J\r\n\r\n", "x",
		"its response is neither JSON nor text, but of type a\\x1b[2J",
		BIND_HTTP_TYPE_OTHER},
	    {OK "Content-Type: image/png\r\n\r\n", "", "",
		BIND_HTTP_TYPE_OTHER},
	    {OK "Content-Encoding: identity\r\n\r\n", "1", "",
		BIND_HTTP_TYPE_JSON},
	    {OK "Transfer-Encoding: chunked\r\n\r\n", "1", "",
		BIND_HTTP_TYPE_JSON},
	    {"HTTP/1.1 204 No Content\r\n\r\n", "", "", BIND_HTTP_TYPE_JSON},
	    {"HTTP/1.1 100 Continue\r\nContent-Type: image/png\r\n\r\n" OK
	     "\r\n",
		"1", "", BIND_HTTP_TYPE_JSON},
	    /* What stands behind the body. */
	    {OK "Content-Type: text/plain\r\n\r\nContent-Type: image/png\r\n",
		"x", "", BIND_HTTP_TYPE_TEXT},
	    {"HTTP/1.1 404 Not Found\r\n\r\n", "", "HTTP status 404",
		BIND_HTTP_TYPE_JSON},
	    {"HTTP/1.1 500 E\r\n\r\n", " oh \x1b[2J\xff\n ",
		"HTTP status 500; body: oh \\x1b[2J\\xff", BIND_HTTP_TYPE_JSON},
	    {"HTTP/1.1 302 Found\r\nLocation: http://b/\r\n\r\n", "",
		"HTTP status 302; redirects are not followed",
		BIND_HTTP_TYPE_JSON},
	    {"HTTP/1.1 304 N\r\n\r\n", "x",
		"HTTP status 304; redirects are not followed; body: x",
		BIND_HTTP_TYPE_JSON},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_response response;
		char words[BIND_HTTP_WORDS_LEN + 1];
		struct bind_text text;
		enum wire_tool_kind kind;

		if (!take(&response, table[i].head))
			fail_msg("%s: %s", table[i].head, response.problem);
		assert_int_equal(response.type, table[i].type);
		assert_true(response.head_done);
		bind_text_init(&text, (uint8_t *)words, sizeof(words) - 1);
		kind = bind_http_response_judge(
		    &response, span_of(table[i].body), false, &text);
		words[text.len] = '\0';
		assert_string_equal(words, table[i].words);
		assert_int_equal(kind,
		    table[i].words[0] == '\0' ? WIRE_TOOL_NONE
					      : WIRE_TOOL_FAILED);
		/* With a secret in it nothing of the body is told. */
		bind_text_init(&text, (uint8_t *)words, sizeof(words) - 1);
		kind = bind_http_response_judge(
		    &response, span_of(table[i].body), true, &text);
		words[text.len] = '\0';
		assert_int_equal(kind, WIRE_TOOL_FAILED);
		assert_non_null(strstr(words, "withheld"));
		assert_null(strstr(words, "body: "));
	}
}

static void
t_what_is_not_waited_for(void **state)
{
	static const struct {
		const char *head, *problem;
	} table[] = {
	    {OK "Content-Encoding: gzip\r\n", "its response is compressed"},
	    {OK "content-encoding:br\n", "its response is compressed"},
	    {OK "Content-Encoding: identity, gzip\r\n",
		"its response is compressed"},
	    {OK "Transfer-Encoding: gzip, chunked\r\n",
		"its response has a transfer coding"},
	    {"HTTP/1.1 099 X\r\n", "its status is no number"},
	    {"HTTP/1.1 2000 X\r\n", "its status is no number"},
	    {"HTTP/1.1\r\n", "its status is no number"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_response response;

		assert_false(take(&response, table[i].head));
		if (strncmp(response.problem, table[i].problem,
			strlen(table[i].problem)) != 0)
			fail_msg("%s: %s", table[i].head, response.problem);
	}
}

/* Bytes of headers: at the limit and past it, over 1xx answers and trailers. */
static void
t_headers_have_a_limit(void **state)
{
	static const char *const heads[] = {"HTTP/1.1 100 C\r\n", "X: y\r\n"};
	static uint8_t line[BIND_HTTP_HEADERS_MAX];

	(void)state;
	memset(line, 'a', sizeof(line));
	for (size_t i = 0; i < 4; i++) {
		struct bind_http_response response;
		size_t left;

		(void)take(&response, i < 2 ? heads[0] : OK "\r\n");
		left = BIND_HTTP_HEADERS_MAX - response.header_bytes;
		assert_int_equal(bind_http_response_line(&response,
				     (struct wire_span){line, left + i % 2}),
		    i % 2 == 0);
		if (i % 2 == 1)
			assert_string_equal(response.problem,
			    "its headers are over 65536 bytes");
		else
			assert_false(bind_http_response_line(
			    &response, (struct wire_span){line, 1}));
	}
}

/* Of a body so much is shown, cut between characters. */
static void
t_excerpts_have_a_limit(void **state)
{
	static char body[2 * BIND_HTTP_EXCERPT];
	char words[BIND_HTTP_WORDS_LEN];
	struct bind_http_response response;
	struct bind_text text;

	(void)state;
	assert_true(take(&response, "HTTP/1.1 500 E\r\n\r\n"));
	for (size_t i = 0; i < 2; i++) {
		size_t len = BIND_HTTP_EXCERPT + i;

		memset(body, i == 0 ? 'a' : '\n', sizeof(body));
		bind_text_init(&text, (uint8_t *)words, sizeof(words));
		body[0] = body[BIND_HTTP_EXCERPT - 1] = body[len - 1] = 'b';
		(void)bind_http_response_judge(&response,
		    (struct wire_span){(uint8_t *)body, len}, false, &text);
		assert_int_equal(text.len,
		    strlen("HTTP status 500; body: ") + BIND_HTTP_EXCERPT -
			(i == 0 ? 0 : 1));
	}
}

/* Blanks do not bring near what stands behind them. */
static void
t_excerpts_are_of_the_beginning(void **state)
{
	static uint8_t body[BIND_HTTP_EXCERPT + 8];
	struct bind_http_response response;

	(void)state;
	assert_true(take(&response, "HTTP/1.1 500 E\r\n\r\n"));
	memset(body, ' ', BIND_HTTP_EXCERPT - 1);
	memset(body + BIND_HTTP_EXCERPT - 1, 's', 9);
	for (size_t i = 0; i < 2; i++) {
		uint8_t buf[BIND_HTTP_WORDS_LEN];
		struct wire_span shown = {body, sizeof(body)};
		struct bind_text text;

		bind_text_init(&text, buf, sizeof(buf));
		(void)bind_http_response_judge(&response, shown, false, &text);
		assert_int_equal(text.len,
		    strlen(i == 0 ? "HTTP status 500; body: s"
				  : "HTTP status 500"));
		body[BIND_HTTP_EXCERPT - 1] = ' ';
	}
}

static void
t_text_becomes_a_string(void **state)
{
	uint8_t bytes[0x80], buf[8 * sizeof(bytes)], back[sizeof(bytes)];
	struct wire_span text = {bytes, sizeof(bytes)};
	size_t size, len = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	size = bind_http_text_size(text);
	assert_in_range(size, 2, sizeof(buf));
	bind_http_text_write(text, buf);
	assert_int_equal(buf[0], '"');
	assert_int_equal(buf[size - 1], '"');
	assert_int_equal(
	    wire_json_unescape((struct wire_span){buf + 1, size - 2}, back,
		sizeof(back), &len),
	    WIRE_OK);
	assert_int_equal(len, sizeof(bytes));
	assert_memory_equal(back, bytes, len);
	assert_int_equal(bind_http_text_size((struct wire_span){NULL, 0}), 2);
	bind_http_text_write((struct wire_span){NULL, 0}, buf);
	assert_memory_equal(buf, "\"\"", 2);
}

/* --- verdicts ------------------------------------------------------------- */

static void
t_ends_have_kinds(void **state)
{
	static const struct {
		struct bind_http_facts facts;
		enum wire_tool_kind kind;
		bool end_seen;
	} table[] = {
	    {{.code = CURLE_OK, .sent = true}, WIRE_TOOL_NONE, true},
	    {{.code = CURLE_COULDNT_RESOLVE_HOST}, WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_COULDNT_CONNECT, .tried = true},
		WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_COULDNT_CONNECT, .denied = true},
		WIRE_TOOL_EGRESS_DENIED, true},
	    {{.code = CURLE_COULDNT_CONNECT, .denied = true, .tried = true},
		WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_PEER_FAILED_VERIFICATION, .tried = true},
		WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_SSL_CONNECT_ERROR, .tried = true},
		WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_OPERATION_TIMEDOUT, .tried = true},
		WIRE_TOOL_TIMED_OUT, true},
	    {{.code = CURLE_OPERATION_TIMEDOUT, .tried = true, .sent = true},
		WIRE_TOOL_TIMED_OUT, false},
	    {{.code = CURLE_GOT_NOTHING, .sent = true}, WIRE_TOOL_FAILED,
		false},
	    {{.code = CURLE_PARTIAL_FILE, .sent = true}, WIRE_TOOL_FAILED,
		false},
	    {{.code = CURLE_RECV_ERROR, .sent = true}, WIRE_TOOL_FAILED, false},
	    {{.code = CURLE_RECV_ERROR}, WIRE_TOOL_UNREACHABLE, true},
	    {{.code = CURLE_UNSUPPORTED_PROTOCOL, .sent = true},
		WIRE_TOOL_FAILED, false},
	    {{.code = CURLE_WRITE_ERROR,
		 .sent = true,
		 .stop = WIRE_TOOL_RESULT_TOO_LARGE,
		 .stop_words = "x"},
		WIRE_TOOL_RESULT_TOO_LARGE, false},
	    {{.code = CURLE_ABORTED_BY_CALLBACK,
		 .stop = WIRE_TOOL_EGRESS_DENIED,
		 .stop_words = "x"},
		WIRE_TOOL_EGRESS_DENIED, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint8_t buf[256];
		struct bind_text text;

		bind_text_init(&text, buf, sizeof(buf));
		assert_int_equal(
		    bind_http_verdict(&table[i].facts, &text), table[i].kind);
		assert_int_equal(text.len > 0, table[i].kind != WIRE_TOOL_NONE);
		assert_int_equal(
		    bind_http_end_seen(&table[i].facts), table[i].end_seen);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_header_names),
	    cmocka_unit_test(t_header_values),
	    cmocka_unit_test(t_header_limits),
	    cmocka_unit_test(t_secrets_are_found),
	    cmocka_unit_test(t_secrets_may_look_spelled),
	    cmocka_unit_test(t_what_a_response_is),
	    cmocka_unit_test(t_what_is_not_waited_for),
	    cmocka_unit_test(t_headers_have_a_limit),
	    cmocka_unit_test(t_excerpts_have_a_limit),
	    cmocka_unit_test(t_excerpts_are_of_the_beginning),
	    cmocka_unit_test(t_text_becomes_a_string),
	    cmocka_unit_test(t_ends_have_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
