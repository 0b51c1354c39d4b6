/*
 * Target: URLs of HTTP tools (bindings/http_url.h, http_allow.h), arguments of
 * calls (json_members.h), addresses, headers of responses (address.h,
 * http_response.h).
 *
 * The first byte chooses: a template of the table below for the arguments that
 * follow; or with the top bit, so many bytes of a template and then its
 * arguments; 0xff: an address, a range and a response. Properties:
 *  - a URL that is built begins with the template's scheme, host and port, is
 *    at most as long as it may be, and holds nothing but letters, digits and
 *    what a path and a query may have;
 *  - it has as many segments and members as the template leads to, and what
 *    stands in them decodes to the arguments;
 *  - an entry of the list allows its path, and no segment of it is '.' or
 *    '..', however often it is decoded;
 *  - the body is a JSON object of exactly the other arguments, in their order;
 *  - what is refused has a kind and words, the same each time;
 *  - of an address in whatever form one class and one answer; of headers no
 *    more than there may be, and a type of the three.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/address.h"
#include "bindings/http_response.h"
#include "bindings/http_url.h"
#include "bindings/json_check.h"
#include "bindings/json_members.h"

static const char *const templates[] = {
    "https://a.example/v1/{x}",
    "https://a.example/v1/{x}/y/{y}?q={q}&r=1&s={s}",
    "http://[::1]:8080/{x}{y}.json",
    "https://a.example?q={x}",
    "https://a.example/{x}/fixed",
    "https://a.example/a/b?fixed=1",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- a model of the encoding ---------------------------------------------- */

static bool
is_unreserved(uint8_t c)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				    "pqrstuvwxyz0123456789-._~";

	return c != 0 && strchr(plain, c) != NULL;
}

/* The text of a value as it should stand in a URL; its length, SIZE_MAX where
 * it cannot. */
static size_t
model_value(const struct wire_json_member *member, char *out, size_t max)
{
	static uint8_t plain[1 << 16];
	struct wire_span text = member->value;
	size_t len = 0;

	if (member->type == WIRE_JSON_ARRAY || member->type == WIRE_JSON_OBJECT)
		return SIZE_MAX;
	if (member->type == WIRE_JSON_STRING) {
		struct wire_span raw = {text.p + 1, text.len - 2};

		if (wire_json_unescape(raw, plain, sizeof(plain), &text.len) !=
		    WIRE_OK)
			return SIZE_MAX;
		text.p = plain;
	}
	for (size_t i = 0; i < text.len; i++) {
		if (len + 4 > max)
			return SIZE_MAX;
		if (is_unreserved(text.p[i]))
			out[len++] = (char)text.p[i];
		else
			len +=
			    (size_t)snprintf(out + len, 4, "%%%02X", text.p[i]);
	}
	return len;
}

/* --- what was built ------------------------------------------------------- */

static bool
find_member(struct wire_span arguments, struct wire_span name,
    struct wire_json_member *ret_member)
{
	struct bind_json_members members;

	FUZZ_REQUIRE(bind_json_members_init(&members, arguments));
	while (bind_json_members_next(&members, ret_member))
		if (wire_json_text_equal(ret_member->key, name))
			return true;
	return false;
}

/* The URL put together once more, part by part. */
static void
check_url(const struct bind_http_template *template, struct wire_span arguments,
    const struct bind_http_built *built)
{
	static char want[1 << 18];
	size_t len = template->head.len;
	bool query = false;

	memcpy(want, template->head.p, len);
	for (unsigned in_query = 0; in_query < 2; in_query++) {
		for (size_t i = 0; i < template->count; i++) {
			const struct bind_http_part *part = &template->parts[i];
			struct wire_json_member member;
			size_t more;

			if ((part->kind >= BIND_HTTP_FIXED) != in_query)
				continue;
			if (part->name.p != NULL &&
			    (!find_member(arguments, part->name, &member) ||
				member.type == WIRE_JSON_NULL)) {
				FUZZ_REQUIRE(in_query == 1);
				continue;
			}
			if (in_query)
				want[len++] = query ? '&' : '?';
			query = in_query;
			if (part->text.len > 0)
				memcpy(
				    want + len, part->text.p, part->text.len);
			len += part->text.len;
			if (part->name.p == NULL)
				continue;
			more = model_value(
			    &member, want + len, sizeof(want) - len);
			FUZZ_REQUIRE(more != SIZE_MAX);
			len += more;
		}
	}
	FUZZ_REQUIRE(len <= BIND_HTTP_URL_MAX);
	FUZZ_REQUIRE(built->url_len == len);
	FUZZ_REQUIRE(memcmp(built->url, want, len) == 0);
	FUZZ_REQUIRE(built->url[len] == '\0');
}

static void
check_characters(const struct bind_http_built *built)
{
	for (size_t i = 0; i < built->url_len; i++) {
		uint8_t c = (uint8_t)built->url[i];

		FUZZ_REQUIRE(c > 0x20 && c < 0x7f);
		FUZZ_REQUIRE(strchr("\"<>\\^`{|}#", c) == NULL);
	}
}

/* Decodes in place until nothing changes, and looks for dots each time. */
static void
check_dots(const char *path, size_t len)
{
	static char text[BIND_HTTP_URL_MAX + 2];
	bool changed = true;

	memcpy(text, path, len);
	while (changed) {
		size_t to = 0;

		text[len] = '/';
		for (size_t i = 0, begin = 0; i <= len; i++) {
			if (text[i] != '/' && text[i] != '\\')
				continue;
			FUZZ_REQUIRE(i - begin != 1 || text[begin] != '.');
			FUZZ_REQUIRE(i - begin != 2 || text[begin] != '.' ||
			    text[begin + 1] != '.');
			begin = i + 1;
		}
		changed = false;
		for (size_t i = 0; i < len; i++) {
			unsigned byte;

			text[to] = text[i];
			if (text[i] == '%' && len - i >= 3 &&
			    strspn(text + i + 1, "0123456789abcdefABCDEF") >=
				2 &&
			    sscanf(text + i + 1, "%2x", &byte) == 1) {
				text[to] = (char)byte;
				changed = true;
				i += 2;
			}
			to++;
		}
		len = to;
	}
}

static void
check_body(const struct bind_http_template *template,
    struct wire_span arguments, const struct bind_http_built *built)
{
	struct bind_json_members before, after;
	struct wire_json_member a, b;
	struct bind_json_check check;
	struct wire_span body = {built->body, built->body_len};

	FUZZ_REQUIRE(body.len >= 2 && body.len <= arguments.len);
	bind_json_check_init(&check, 7);
	FUZZ_REQUIRE(bind_json_check_value(&check, body, NULL) == WIRE_OK);
	bind_json_check_release(&check);
	FUZZ_REQUIRE(bind_json_members_init(&before, arguments));
	FUZZ_REQUIRE(bind_json_members_init(&after, body));
	while (bind_json_members_next(&before, &a)) {
		bool in_url = false;

		for (size_t i = 0; i < template->count; i++)
			in_url = in_url ||
			    (template->parts[i].name.p != NULL &&
				wire_json_text_equal(
				    a.key, template->parts[i].name));
		if (in_url)
			continue;
		FUZZ_REQUIRE(bind_json_members_next(&after, &b));
		FUZZ_REQUIRE(wire_span_equal(a.key, b.key));
		FUZZ_REQUIRE(wire_span_equal(a.value, b.value));
	}
	FUZZ_REQUIRE(!bind_json_members_next(&after, &b));
}

static void
check_build(const struct bind_http_template *template,
    struct wire_span arguments, bool has_body)
{
	static struct bind_http_built built, again;
	struct bind_http_entry entry = {
	    .origin = template->origin,
	    .prefix = arguments.len % 2 ? WIRE_LIT("") : WIRE_LIT("/v1"),
	};
	uint8_t buf[2][512];
	struct bind_text why[2];
	enum wire_tool_kind kind, denied;
	struct wire_span path;

	built.body = has_body ? malloc(arguments.len) : NULL;
	again.body = has_body ? malloc(arguments.len) : NULL;
	bind_text_init(&why[0], buf[0], sizeof(buf[0]));
	bind_text_init(&why[1], buf[1], sizeof(buf[1]));
	kind = bind_http_build(template, &entry, 1, arguments, &built, &why[0]);
	FUZZ_REQUIRE(kind ==
	    bind_http_build(template, &entry, 1, arguments, &again, &why[1]));
	FUZZ_REQUIRE(
	    wire_span_equal(bind_text_span(&why[0]), bind_text_span(&why[1])));
	FUZZ_REQUIRE((kind == WIRE_TOOL_NONE) == (why[0].len == 0));
	FUZZ_REQUIRE(kind == WIRE_TOOL_NONE || kind == WIRE_TOOL_FAILED ||
	    kind == WIRE_TOOL_ARGUMENTS_TOO_LARGE ||
	    kind == WIRE_TOOL_PATH_TRAVERSAL ||
	    kind == WIRE_TOOL_EGRESS_DENIED);
	denied = bind_http_check(template, &entry, 1, arguments);
	FUZZ_REQUIRE(denied == WIRE_TOOL_NONE ||
	    denied == WIRE_TOOL_PATH_TRAVERSAL ||
	    denied == WIRE_TOOL_EGRESS_DENIED);
	/* An argument too many is no matter to the one, and all to the other.
	 */
	if (kind != WIRE_TOOL_FAILED && kind != WIRE_TOOL_ARGUMENTS_TOO_LARGE)
		FUZZ_REQUIRE(denied == kind);
	if (kind == WIRE_TOOL_NONE) {
		check_url(template, arguments, &built);
		check_characters(&built);
		path.p = (const uint8_t *)built.url + template->head.len;
		path.len = strcspn((const char *)path.p, "?");
		check_dots((const char *)path.p, path.len);
		FUZZ_REQUIRE(
		    bind_http_entry_allows(&entry, &template->origin, path));
		if (has_body)
			check_body(template, arguments, &built);
	}
	free(built.body);
	free(again.body);
}

/* --- addresses and responses ---------------------------------------------- */

static void
check_address(struct wire_span in)
{
	struct bind_address address = {.v6 = false}, other;
	struct bind_address_range range;
	struct bind_http_response response;
	uint8_t socket[32] = {0};
	enum bind_address_class class;

	memcpy(socket, in.p, in.len < 28 ? in.len : 28);
	if (bind_address_from_socket(
		socket, in.len < 28 ? in.len : 28, &address)) {
		class = bind_address_class(&address);
		FUZZ_REQUIRE((unsigned)class < BIND_ADDRESS_CLASS_COUNT);
		FUZZ_REQUIRE(bind_address_is_allowed(&address, NULL, 0) ==
		    (class == BIND_ADDRESS_PUBLIC));
		range =
		    (struct bind_address_range){address, address.v6 ? 128 : 32};
		FUZZ_REQUIRE(bind_address_range_has(&range, &address));
		FUZZ_REQUIRE(bind_address_is_allowed(&address, &range, 1));
	}
	if (bind_address_range_parse(in, &range, NULL) == WIRE_OK)
		FUZZ_REQUIRE(bind_address_range_has(&range, &range.address));
	if (bind_address_parse(in, &other))
		FUZZ_REQUIRE((unsigned)bind_address_class(&other) <
		    BIND_ADDRESS_CLASS_COUNT);
	memset(&response, 0, sizeof(response));
	while (in.len > 0) {
		const uint8_t *end = memchr(in.p, '\n', in.len);
		struct wire_span line = fuzz_bytes(
		    &in, end != NULL ? (size_t)(end - in.p) + 1 : in.len);
		bool more = bind_http_response_line(&response, line);

		FUZZ_REQUIRE(response.header_bytes <= BIND_HTTP_HEADERS_MAX);
		FUZZ_REQUIRE(response.type_len <= BIND_HTTP_TYPE_MAX);
		FUZZ_REQUIRE(more == (response.problem == NULL));
		if (!more)
			break;
		FUZZ_REQUIRE(!response.head_done ||
		    (response.status >= 200 && response.status <= 999));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bind_http_template template;
	struct wire_span in = {data, size}, url;
	uint8_t choice = fuzz_byte(&in);
	struct bind_json_check check;
	struct wire_json_member members[16];
	size_t count;
	enum wire_err err;

	if (size < 1)
		return 0;
	if (choice == 0xff) {
		check_address(in);
		return 0;
	}
	if ((choice & 0x80) != 0)
		url = fuzz_bytes(&in, choice & 0x7f);
	else
		url = (struct wire_span){
		    (const uint8_t *)templates[choice / 2 % COUNT(templates)],
		    strlen(templates[choice / 2 % COUNT(templates)])};
	if (bind_http_template_parse(url, &template, NULL) != WIRE_OK) {
		FUZZ_REQUIRE((choice & 0x80) != 0);
		return 0;
	}
	bind_json_check_init(&check, 7);
	err = bind_json_check_object(&check, in, members, 16, &count, NULL);
	bind_json_check_release(&check);
	if (err == WIRE_OK)
		check_build(&template, in, choice & 1);
	return 0;
}
