/*
 * Where HTTP tools may go, and what arguments make of their URLs.
 */
#include "bindings/http_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/json_members.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- origins -------------------------------------------------------------- */

static void
t_origins(void **state)
{
	static const struct {
		const char *url;
		bool tls;
		const char *host;
		unsigned port;
		const char *path;
	} table[] = {
	    {"https://a", true, "a", 443, ""},
	    {"HTTPS://A.b", true, "A.b", 443, ""},
	    {"http://a/", false, "a", 80, "/"},
	    {"http://a:1/x?y", false, "a", 1, "/x?y"},
	    {"http://a.:65535?y", false, "a.", 65535, "?y"},
	    {"https://[::1]:8443/", true, "[::1]", 8443, "/"},
	    {"https://127.0.0.1:443", true, "127.0.0.1", 443, ""},
	    {"https://0x7f.1", true, "0x7f.1", 443, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_origin origin;
		struct wire_span path;
		struct wire_errinfo info = {"", 0, 0};

		if (bind_http_origin_parse(span_of(table[i].url), &origin,
			&path, &info) != WIRE_OK)
			fail_msg("%s: %s", table[i].url, info.site);
		assert_int_equal(origin.tls, table[i].tls);
		assert_int_equal(origin.port, table[i].port);
		assert_true(
		    wire_span_equal(origin.host, span_of(table[i].host)));
		assert_true(wire_span_equal(path, span_of(table[i].path)));
	}
}

/* A host of so many bytes, in labels of one. */
static const char *
long_host(size_t len)
{
	static char url[512];

	memcpy(url, "https://", 8);
	for (size_t i = 0; i < len; i++)
		url[8 + i] = i % 2 == 0 ? 'a' : '.';
	url[8 + len] = '\0';
	return url;
}

static void
t_origins_that_are_none(void **state)
{
	static const char *const table[] = {"", "a", "//a",
	    "https:", "https:/a", "https://", "https:///x", "ftp://a",
	    "file:///etc/passwd", "httpss://a", "https://u@a", "https://u:1@a",
	    "https://a@b", "https://a:1@b", "https://a:", "https://a:0",
	    "https://a:01", "https://a:65536", "https://a:99999999999999999999",
	    "https://a:1x", "https://a:-1", "https://a b", "https://a%2eb",
	    "https://a\\b", "https://a#b", "https://.a", "https://a..b",
	    "https://.", "https://[", "https://[]", "https://[::1",
	    "https://[1.2.3.4]", "https://[::1]x", "https://[fe80::1%25lo]",
	    "https://{host}", "https://a{b}", "https://a:{port}",
	    "https://\xc3\xa9", "https://a\n", "{scheme}://a", "https://${H}",
	    "gopher://a", " https://a", "https://a:1:2"};
	struct bind_http_origin origin;
	struct wire_span path;

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		if (bind_http_origin_parse(
			span_of(table[i]), &origin, &path, NULL) == WIRE_OK)
			fail_msg("accepted: %s", table[i]);
	assert_int_equal(bind_http_origin_parse(
			     span_of(long_host(253)), &origin, &path, NULL),
	    WIRE_OK);
	assert_int_equal(bind_http_origin_parse(
			     span_of(long_host(254)), &origin, &path, NULL),
	    WIRE_ERR_BAD_ARGUMENT);
}

/* --- the list ------------------------------------------------------------- */

static void
t_entries_allow_at_segments(void **state)
{
	static const struct {
		const char *entry, *url;
		bool allows;
	} table[] = {
	    {"https://a", "https://a/", true},
	    {"https://a", "https://a/x/y", true},
	    {"https://a/", "https://a/x", true},
	    {"https://a", "https://A/x", true},
	    {"https://a", "https://a:443/x", true},
	    {"https://a:443", "https://a/x", true},
	    {"https://a", "https://a:444/x", false},
	    {"https://a", "http://a/x", false},
	    {"https://a", "http://a:443/x", false},
	    {"http://a", "https://a/x", false},
	    {"https://a", "https://aa/x", false},
	    {"https://a", "https://a./x", false},
	    {"https://a.b", "https://b/x", false},
	    {"https://b", "https://a.b/x", false},
	    {"https://a/v1", "https://a/v1", true},
	    {"https://a/v1", "https://a/v1/", true},
	    {"https://a/v1", "https://a/v1/x", true},
	    {"https://a/v1", "https://a/v10", false},
	    {"https://a/v1", "https://a/v1.", false},
	    {"https://a/v1", "https://a/v1%2Fx", false},
	    {"https://a/v1", "https://a/v1;x", false},
	    {"https://a/v1", "https://a/v", false},
	    {"https://a/v1", "https://a/", false},
	    {"https://a/v1", "https://a/V1", false},
	    {"https://a/v1", "https://a/%76%31", false},
	    {"https://a/v1", "https://a//v1", false},
	    {"https://a/v1", "https://a/x/v1", false},
	    {"https://a/v1/", "https://a/v1", true},
	    {"https://a/v1/", "https://a/v10", false},
	    {"https://a/v1/x", "https://a/v1/x/y", true},
	    {"https://a/v1/x", "https://a/v1/xy", false},
	    {"https://[::1]", "https://[::1]/x", true},
	    {"https://[::1]", "https://[0::1]/x", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_entry entry;
		struct bind_http_origin origin;
		struct wire_span path;

		assert_int_equal(bind_http_entry_parse(
				     span_of(table[i].entry), &entry, NULL),
		    WIRE_OK);
		assert_int_equal(bind_http_origin_parse(span_of(table[i].url),
				     &origin, &path, NULL),
		    WIRE_OK);
		if (bind_http_entry_allows(&entry, &origin, path) !=
		    table[i].allows)
			fail_msg("%s, %s", table[i].entry, table[i].url);
	}
}

static void
t_entries_that_are_none(void **state)
{
	static const char *const table[] = {"", "*", "a", "https://*",
	    "https://*.a", "https://a/*x y", "https://a?x", "https://a/x?y",
	    "https://a/#x", "https://a/../x", "https://a/.", "https://a/x/..",
	    "https://a/%2e%2e/x", "https://a/%", "https://a/%g0",
	    "https://a/{x}", "https://a/\\x", "https://a/\x7f",
	    "https://u@a/x"};
	struct bind_http_entry entry;

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		if (bind_http_entry_parse(span_of(table[i]), &entry, NULL) ==
		    WIRE_OK)
			fail_msg("accepted: %s", table[i]);
}

static void
t_dots_however_they_are_written(void **state)
{
	static const char *const dots[] = {".", "..", "/.", "/..", "/../",
	    "/a/..", "/a/../b", "/a/./b", "../a", "/a\\..\\b", "/%2e",
	    "/%2E%2e", "/.%2e/", "/a%2f..%2fb", "/a%5C..", "/%252e%252e/",
	    "/%25%32%65%2e/", "/a/%2525252e.", "/..;x/a", "/..;/a", "/.;a",
	    "/a%2f..%3bx"};
	static const char *const none[] = {"", "/", "/a", "/...", "/a..",
	    "/..a", "/a.b", "/.a", "/%2e%2ea", "/a/...%2f", "/%2", "/%zz",
	    "/%252", "/a;..", "/.%00", "/%2e%2e%2e"};
	char longest[BIND_HTTP_DOTS_MAX + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(dots); i++)
		if (!bind_http_has_dots(span_of(dots[i])))
			fail_msg("no dots: %s", dots[i]);
	for (size_t i = 0; i < COUNT(none); i++)
		if (bind_http_has_dots(span_of(none[i])))
			fail_msg("dots: %s", none[i]);
	memset(longest, 'a', sizeof(longest));
	assert_false(bind_http_has_dots(
	    (struct wire_span){(uint8_t *)longest, BIND_HTTP_DOTS_MAX}));
	assert_true(bind_http_has_dots(
	    (struct wire_span){(uint8_t *)longest, BIND_HTTP_DOTS_MAX + 1}));
	/* Encoded over and over: it ends, and does not go through. */
	memset(longest, '2', sizeof(longest));
	for (size_t i = 0; i < BIND_HTTP_DOTS_MAX; i++)
		longest[i] = "%25"[i < 3 ? i : 1 + (i + 1) % 2];
	assert_true(bind_http_has_dots(
	    (struct wire_span){(uint8_t *)longest, BIND_HTTP_DOTS_MAX}));
}

/* --- templates ------------------------------------------------------------ */

static void
t_templates_that_are_none(void **state)
{
	static const struct {
		const char *url, *why;
	} table[] = {
	    {"https://a/{", "has a '{'"},
	    {"https://a/{x", "has a '{'"},
	    {"https://a/x}", "holds a character"},
	    {"https://a/{}", "no name of"},
	    {"https://a/{a b}", "no name of"},
	    {"https://a/{{x}}", "no name of"},
	    {"https://a/{x/y}", "no name of"},
	    {"https://a/{x}/{x}", "names an argument twice"},
	    {"https://a/{x}?q={x}", "names an argument twice"},
	    {"https://a/?{x}", "has braces"},
	    {"https://a/?={x}", "has braces"},
	    {"https://a/?q{x}", "has braces"},
	    {"https://a/?q=a{x}", "has braces"},
	    {"https://a/?q={x}a", "has braces"},
	    {"https://a/?{n}=x", "has braces"},
	    {"https://a/?q={x}{y}", "no name of"},
	    {"https://a/?q={x", "has braces"},
	    {"https://a/../b", "has a segment"},
	    {"https://a/.{x}", "has a segment"},
	    {"https://a/%2e%2e/{x}", "has a segment"},
	    {"https://a/a b", "holds a character"},
	    {"https://a/a#b", "holds a character"},
	    {"https://a/?q=#b", "holds a character"},
	    {"https://a/%1", "holds a '%'"},
	    {"https://{a}/", "no host"},
	    {"{a}://a/", "begins with"},
	};
	struct bind_http_template template;

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct wire_errinfo info = {"", 0, 0};

		if (bind_http_template_parse(span_of(table[i].url), &template,
			&info) != WIRE_ERR_BAD_ARGUMENT ||
		    strncmp(info.site, table[i].why, strlen(table[i].why)) != 0)
			fail_msg("%s: %s", table[i].url, info.site);
	}
}

/* So many times a letter, or a member of a query. */
static enum wire_err
parse_long(const char *before, bool members, size_t count, const char *after)
{
	static char url[4 * BIND_HTTP_URL_MAX];
	struct bind_http_template template;
	size_t len = (size_t)snprintf(url, sizeof(url), "%s", before);

	for (size_t i = 0; i < count; i++)
		len += members
		    ? (size_t)snprintf(
			  url + len, sizeof(url) - len, "&q={x%zu}", i)
		    : (size_t)snprintf(url + len, sizeof(url) - len, "b");
	(void)snprintf(url + len, sizeof(url) - len, "%s", after);
	return bind_http_template_parse(span_of(url), &template, NULL);
}

static void
t_limits_of_templates(void **state)
{
	(void)state;
	/* Bytes. */
	assert_int_equal(
	    parse_long("https://a/", false, BIND_HTTP_URL_MAX - 10, ""),
	    WIRE_OK);
	assert_int_equal(
	    parse_long("https://a/", false, BIND_HTTP_URL_MAX - 9, ""),
	    WIRE_ERR_BAD_ARGUMENT);
	/* Parts: the first path and 63 members. */
	assert_int_equal(
	    parse_long("https://a/?z=1", true, BIND_HTTP_PARTS_MAX - 2, ""),
	    WIRE_OK);
	assert_int_equal(
	    parse_long("https://a/?z=1", true, BIND_HTTP_PARTS_MAX - 1, ""),
	    WIRE_ERR_BAD_ARGUMENT);
	/* Bytes of a name. */
	assert_int_equal(
	    parse_long("https://a/{", false, BIND_HTTP_NAME_MAX, "}"), WIRE_OK);
	assert_int_equal(
	    parse_long("https://a/{", false, BIND_HTTP_NAME_MAX + 1, "}"),
	    WIRE_ERR_BAD_ARGUMENT);
}

static void
t_templates_that_can_be_allowed(void **state)
{
	static const struct {
		const char *url, *entry;
		bool can;
	} table[] = {
	    {"https://a/v1/{x}", "https://a/v1", true},
	    {"https://a/v1/{x}", "https://a/v1/x", true},
	    {"https://a/v1/{x}", "https://a/v2", false},
	    {"https://a/v1/{x}", "https://b/v1", false},
	    {"https://a/v{x}", "https://a/v1", true},
	    {"https://a/{x}", "https://a/v1", true},
	    {"https://a/v1", "https://a/v1/x", false},
	    {"https://a/v1?q={x}", "https://a/v1", true},
	    {"https://a?q={x}", "https://a", true},
	    {"https://a?q={x}", "https://a/v1", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_http_template template;
		struct bind_http_entry entry;

		assert_int_equal(bind_http_template_parse(
				     span_of(table[i].url), &template, NULL),
		    WIRE_OK);
		assert_int_equal(bind_http_entry_parse(
				     span_of(table[i].entry), &entry, NULL),
		    WIRE_OK);
		if (bind_http_template_can(&template, &entry) != table[i].can)
			fail_msg("%s, %s", table[i].url, table[i].entry);
	}
}

/* --- building ------------------------------------------------------------- */

static struct bind_http_built built;
static char why[512];

/* arguments in a heap block of its size, after a scan. */
static enum wire_tool_kind
build(const char *url, const char *allow, const char *arguments, bool has_body)
{
	size_t len = strlen(arguments);
	uint8_t *text = malloc(len);
	struct bind_http_template template;
	struct bind_http_entry entry;
	enum wire_tool_kind kind, denied;
	struct bind_text words;

	assert_non_null(text);
	memcpy(text, arguments, len);
	free(built.body);
	memset(&built, 0, sizeof(built));
	built.body = has_body ? malloc(len) : NULL;
	assert_int_equal(
	    bind_http_template_parse(span_of(url), &template, NULL), WIRE_OK);
	assert_int_equal(
	    bind_http_entry_parse(span_of(allow), &entry, NULL), WIRE_OK);
	bind_text_init(&words, (uint8_t *)why, sizeof(why) - 1);
	kind = bind_http_build(&template, &entry, 1,
	    (struct wire_span){text, len}, &built, &words);
	why[words.len] = '\0';
	if ((kind == WIRE_TOOL_NONE) != (words.len == 0))
		fail_msg("%s: kind %d: %s", arguments, (int)kind, why);
	/* What is refused before it is recorded is what would be refused. */
	denied = bind_http_check(
	    &template, &entry, 1, (struct wire_span){text, len});
	if (kind != WIRE_TOOL_FAILED && kind != WIRE_TOOL_ARGUMENTS_TOO_LARGE)
		assert_int_equal(denied, kind);
	free(text);
	return kind;
}

static void
t_what_arguments_become(void **state)
{
	static const struct {
		const char *url, *arguments, *built, *body;
	} table[] = {
	    {"https://a", "{}", "https://a/", NULL},
	    {"https://a?x=1", "{}", "https://a/?x=1", NULL},
	    {"https://a/{x}", "{\"x\":\"b\"}", "https://a/b", NULL},
	    {"https://a/{x}", "{\"\\u0078\":\"b\"}", "https://a/b", NULL},
	    {"https://a/{x}", "{\"x\":12}", "https://a/12", NULL},
	    {"https://a/{x}", "{\"x\":1e+5}", "https://a/1e%2B5", NULL},
	    {"https://a/{x}", "{\"x\":true}", "https://a/true", NULL},
	    {"https://a/{x}.txt/y", "{ \"x\" : \"b\" }", "https://a/b.txt/y",
		NULL},
	    {"https://a/{x}{y}", "{\"y\":\"2\",\"x\":\"1\"}", "https://a/12",
		NULL},
	    {"https://a/{x}", "{\"x\":\"b/c?d#e&f=g%h+i j@k:l\"}",
		"https://a/b%2Fc%3Fd%23e%26f%3Dg%25h%2Bi%20j%40k%3Al", NULL},
	    {"https://a/{x}", "{\"x\":\"-._~AZaz09\"}", "https://a/-._~AZaz09",
		NULL},
	    {"https://a/{x}", "{\"x\":\"\\u00e9\\ud83d\\ude00\"}",
		"https://a/%C3%A9%F0%9F%98%80", NULL},
	    {"https://a/{x}", "{\"x\":\"\\\"<>{}\"}",
		"https://a/%22%3C%3E%7B%7D", NULL},
	    {"https://a?q={q}", "{\"q\":\"\"}", "https://a/?q=", NULL},
	    {"https://a?q={q}", "{\"q\":null}", "https://a/", NULL},
	    {"https://a?q={q}", "{}", "https://a/", NULL},
	    {"https://a?q={q}", "{\"q\":\"a\\n\\u0000b\"}",
		"https://a/?q=a%0A%00b", NULL},
	    {"https://a?q={q}", "{\"q\":\"../..\"}", "https://a/?q=..%2F..",
		NULL},
	    {"https://a?q={q}&r=1&s={s}", "{\"s\":2}", "https://a/?r=1&s=2",
		NULL},
	    {"https://a?q={q}&r=1&s={s}", "{\"s\":2,\"q\":\"&r=3\"}",
		"https://a/?q=%26r%3D3&r=1&s=2", NULL},
	    {"https://a", "{}", "https://a/", "{}"},
	    {"https://a", " { } ", "https://a/", "{}"},
	    {"https://a", "{\"b\":1}", "https://a/", "{\"b\":1}"},
	    {"https://a/{x}?q={q}",
		"{\"b\" : [1, {\"x\":2}], \"x\":\"y\", "
		"\"c\\u0064\":\"\\ue000\" "
		",\"q\":0, \"\":null,\"e\":{\"q\":[]}}",
		"https://a/y?q=0",
		"{\"b\":[1, "
		"{\"x\":2}],\"c\\u0064\":\"\\ue000\",\"\":null,\"e\":"
		"{\"q\":[]}}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		if (build(table[i].url, "https://a", table[i].arguments,
			table[i].body != NULL) != WIRE_TOOL_NONE)
			fail_msg("%s: %s", table[i].arguments, why);
		assert_string_equal(built.url, table[i].built);
		assert_int_equal(built.url_len, strlen(table[i].built));
		if (table[i].body == NULL)
			continue;
		assert_int_equal(built.body_len, strlen(table[i].body));
		assert_memory_equal(built.body, table[i].body, built.body_len);
	}
}

static void
t_what_arguments_may_not_be(void **state)
{
	static const struct {
		const char *url, *arguments;
		enum wire_tool_kind kind;
		const char *why;
	} table[] = {
	    {"https://a/{x}", "{}", WIRE_TOOL_FAILED, "argument x is missing"},
	    {"https://a/{x}", "{\"x\":null}", WIRE_TOOL_FAILED,
		"argument x is missing"},
	    {"https://a/{x}", "{\"x\":\"\"}", WIRE_TOOL_FAILED,
		"argument x is empty"},
	    {"https://a/{x}", "{\"x\":\"/\"}", WIRE_TOOL_FAILED,
		"argument x is empty"},
	    {"https://a/{x}", "{\"x\":\"a//b\"}", WIRE_TOOL_FAILED,
		"argument x is empty"},
	    {"https://a/{x}", "{\"x\":\"a\\\\\"}", WIRE_TOOL_FAILED,
		"argument x is empty"},
	    {"https://a/{x}", "{\"x\":[]}", WIRE_TOOL_FAILED,
		"argument x cannot stand"},
	    {"https://a?q={x}", "{\"x\":{}}", WIRE_TOOL_FAILED,
		"argument x cannot stand"},
	    {"https://a/{x}", "{\"x\":\"a\\u0000\"}", WIRE_TOOL_FAILED,
		"argument x holds a control"},
	    {"https://a/{x}", "{\"x\":\"a\\u007f\"}", WIRE_TOOL_FAILED,
		"argument x holds a control"},
	    {"https://a/{x}", "{\"x\":\"a\\r\\nHost: b\"}", WIRE_TOOL_FAILED,
		"argument x holds a control"},
	    {"https://a", "{\"x\\n\":1}", WIRE_TOOL_FAILED,
		"argument x\\n is not one"},
	    {"https://a/{x}", "{\"x\":\"..\"}", WIRE_TOOL_PATH_TRAVERSAL, ""},
	    {"https://a/{x}", "{\"x\":\".\"}", WIRE_TOOL_PATH_TRAVERSAL, ""},
	    {"https://a/{x}", "{\"x\":\"b/../c\"}", WIRE_TOOL_PATH_TRAVERSAL,
		""},
	    {"https://a/{x}", "{\"x\":\"b\\\\..\"}", WIRE_TOOL_PATH_TRAVERSAL,
		""},
	    {"https://a/{x}", "{\"x\":\"%2e%2e\"}", WIRE_TOOL_PATH_TRAVERSAL,
		""},
	    {"https://a/{x}", "{\"x\":\"..;b\"}", WIRE_TOOL_PATH_TRAVERSAL, ""},
	    /* Made of two. */
	    {"https://a/{x}{y}", "{\"x\":\".\",\"y\":\".\"}",
		WIRE_TOOL_PATH_TRAVERSAL, ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		if (build(table[i].url, "https://a", table[i].arguments,
			false) != table[i].kind ||
		    strncmp(why, table[i].why, strlen(table[i].why)) != 0)
			fail_msg("%s: %s", table[i].arguments, why);
}

static void
t_arguments_keep_to_the_list(void **state)
{
	static const struct {
		const char *url, *arguments;
		enum wire_tool_kind kind;
	} table[] = {
	    {"https://a/{x}/b", "{\"x\":\"v1\"}", WIRE_TOOL_NONE},
	    {"https://a/{x}/b", "{\"x\":\"v2\"}", WIRE_TOOL_EGRESS_DENIED},
	    {"https://a/{x}", "{\"x\":\"v10\"}", WIRE_TOOL_EGRESS_DENIED},
	    {"https://a/{x}", "{\"x\":\"v1/b\"}", WIRE_TOOL_EGRESS_DENIED},
	    {"https://a/{x}", "{\"x\":\"%76%31\"}", WIRE_TOOL_EGRESS_DENIED},
	    {"https://a/v1/{x}", "{\"x\":\"@evil.example\"}", WIRE_TOOL_NONE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		if (build(table[i].url, "https://a/v1", table[i].arguments,
			false) != table[i].kind)
			fail_msg("%s: %s", table[i].arguments, why);
}

/* Bytes of a URL: exactly as many, and one more. */
static void
t_the_longest_url(void **state)
{
	static char arguments[2 * BIND_HTTP_URL_MAX];
	size_t room = BIND_HTTP_URL_MAX - strlen("https://a/?q=");

	(void)state;
	for (size_t extra = 0; extra < 2; extra++) {
		size_t len = room + extra;

		memset(arguments, 'b', sizeof(arguments));
		memcpy(arguments, "{\"q\":\"", 6);
		memcpy(arguments + 6 + len, "\"}", 3);
		assert_int_equal(
		    build("https://a?q={q}", "https://a", arguments, false),
		    extra == 0 ? WIRE_TOOL_NONE
			       : WIRE_TOOL_ARGUMENTS_TOO_LARGE);
	}
	/* Three bytes for one. */
	memset(arguments, ' ', sizeof(arguments));
	memcpy(arguments, "{\"q\":\"", 6);
	memcpy(arguments + 6 + room / 3 + 1, "\"}", 3);
	assert_int_equal(
	    build("https://a?q={q}", "https://a", arguments, false),
	    WIRE_TOOL_ARGUMENTS_TOO_LARGE);
}

/* --- members -------------------------------------------------------------- */

static void
t_members_one_by_one(void **state)
{
	static const struct {
		const char *key, *value;
		enum wire_json_type type;
	} want[] = {
	    {"a", "null", WIRE_JSON_NULL},
	    {"b", "false", WIRE_JSON_FALSE},
	    {"c", "true", WIRE_JSON_TRUE},
	    {"d", "-1.5e3", WIRE_JSON_NUMBER},
	    {"e", "\"x\\\"}\"", WIRE_JSON_STRING},
	    {"f", "[1, [2], {\"a\":3}]", WIRE_JSON_ARRAY},
	    {"g\\n", "{\"a\" : {}}", WIRE_JSON_OBJECT},
	};
	struct bind_json_members members;
	struct wire_json_member member;

	(void)state;
	assert_true(bind_json_members_init(&members,
	    span_of(" {\"a\":null , \"b\" : false,\"c\":true,\"d\":-1.5e3 ,"
		    "\"e\":\"x\\\"}\",\"f\":[1, [2], {\"a\":3}],\n\"g\\n\":"
		    "{\"a\" : {}} } ")));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_true(bind_json_members_next(&members, &member));
		assert_true(wire_span_equal(member.key, span_of(want[i].key)));
		assert_true(
		    wire_span_equal(member.value, span_of(want[i].value)));
		assert_int_equal(member.type, want[i].type);
		assert_int_equal(member.key_escaped, i == 6);
	}
	assert_false(bind_json_members_next(&members, &member));
	assert_true(bind_json_members_init(&members, span_of("{}")));
	assert_false(bind_json_members_next(&members, &member));
	assert_false(bind_json_members_init(&members, span_of("[]")));
	assert_false(bind_json_members_init(&members, span_of("")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_origins),
	    cmocka_unit_test(t_origins_that_are_none),
	    cmocka_unit_test(t_entries_allow_at_segments),
	    cmocka_unit_test(t_entries_that_are_none),
	    cmocka_unit_test(t_dots_however_they_are_written),
	    cmocka_unit_test(t_templates_that_are_none),
	    cmocka_unit_test(t_limits_of_templates),
	    cmocka_unit_test(t_templates_that_can_be_allowed),
	    cmocka_unit_test(t_what_arguments_become),
	    cmocka_unit_test(t_what_arguments_may_not_be),
	    cmocka_unit_test(t_arguments_keep_to_the_list),
	    cmocka_unit_test(t_the_longest_url),
	    cmocka_unit_test(t_members_one_by_one),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(built.body);
	return failed;
}
