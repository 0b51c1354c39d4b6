#include "bindings/http_url.h"

#include <string.h>

#include "bindings/json_members.h"

/* --- templates ------------------------------------------------------------ */

static enum wire_err
refuse(struct wire_errinfo *info, const char *why)
{
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, why, 0);
}

static bool
is_name(struct wire_span name)
{
	if (name.len < 1 || name.len > BIND_HTTP_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.')
			return false;
	}
	return true;
}

static enum wire_err
add_part(struct bind_http_template *template, struct bind_http_part part,
    struct wire_errinfo *info)
{
	/* Without bytes it would say nothing. */
	if (part.kind == BIND_HTTP_TEXT && part.text.len == 0)
		return WIRE_OK;
	if (part.name.p != NULL && !is_name(part.name))
		return refuse(info,
		    "no name of an argument in the braces; it has 1 to 64 "
		    "letters, digits, '_', '-' and '.'");
	for (size_t i = 0; part.name.p != NULL && i < template->count; i++)
		if (template->parts[i].name.p != NULL &&
		    wire_span_equal(template->parts[i].name, part.name))
			return refuse(
			    info, "names an argument twice; name each once");
	if (template->count == BIND_HTTP_PARTS_MAX)
		return refuse(info, "has more than 64 parts; use fewer");
	template->parts[template->count++] = part;
	return WIRE_OK;
}

static const uint8_t *
find(struct wire_span text, char byte)
{
	return text.len > 0 ? memchr(text.p, byte, text.len) : NULL;
}

/* Cuts the front off, up to `end`, which is dropped; all of it for NULL. */
static struct wire_span
cut(struct wire_span *rest, const uint8_t *end)
{
	struct wire_span front = *rest;

	if (end == NULL) {
		rest->p = wire_span_end(*rest);
		rest->len = 0;
		return front;
	}
	front.len = (size_t)(end - rest->p);
	rest->len -= front.len + 1;
	rest->p = end + 1;
	return front;
}

static enum wire_err
unclosed(struct wire_errinfo *info)
{
	return refuse(info, "has a '{' without its '}'");
}

static enum wire_err
parse_path(struct bind_http_template *template, struct wire_span path,
    struct wire_errinfo *info)
{
	enum wire_err err;

	while (path.len > 0) {
		struct bind_http_part part = {.kind = BIND_HTTP_TEXT};
		bool value = find(path, '{') != NULL;

		part.text = cut(&path, find(path, '{'));
		err = bind_http_path_check(part.text, info);
		if (err == WIRE_OK)
			err = add_part(template, part, info);
		if (err != WIRE_OK || !value)
			return err;
		if (find(path, '}') == NULL)
			return unclosed(info);
		part = (struct bind_http_part){.kind = BIND_HTTP_VALUE};
		part.name = cut(&path, find(path, '}'));
		err = add_part(template, part, info);
		if (err != WIRE_OK)
			return err;
	}
	return WIRE_OK;
}

/* NAME={ARGUMENT}, or text without braces. */
static enum wire_err
parse_member(struct bind_http_template *template, struct wire_span member,
    struct wire_errinfo *info)
{
	struct bind_http_part part = {.kind = BIND_HTTP_FIXED, .text = member};
	const uint8_t *brace = find(member, '{');
	enum wire_err err;

	if (brace != NULL) {
		part.kind = BIND_HTTP_MEMBER;
		part.text.len = (size_t)(brace - member.p);
		if (part.text.len < 2 || brace[-1] != '=' ||
		    member.p[member.len - 1] != '}')
			return refuse(info,
			    "has braces that are not the whole value of a "
			    "member of the query; write NAME={ARGUMENT}");
		part.name.p = brace + 1;
		part.name.len = member.len - part.text.len - 2;
	}
	/* The same characters; dots mean nothing there, and never stand
	 * between slashes alone in what is checked so. */
	err = bind_http_path_check(part.text, info);
	return err == WIRE_OK ? add_part(template, part, info) : err;
}

enum wire_err
bind_http_template_parse(struct wire_span url,
    struct bind_http_template *ret_template, struct wire_errinfo *info)
{
	struct bind_http_template template = {.count = 0};
	struct wire_span rest, path;
	const uint8_t *query;
	enum wire_err err;

	if (url.len > BIND_HTTP_URL_MAX)
		return refuse(info, "is longer than 8192 bytes; shorten it");
	err = bind_http_origin_parse(url, &template.origin, &rest, info);
	if (err != WIRE_OK)
		return err;
	template.head = (struct wire_span){url.p, url.len - rest.len};
	query = find(rest, '?');
	path = cut(&rest, query);
	/* Without a path it is the root's (RFC 9110 4.2.3). */
	if (path.len == 0)
		path = WIRE_LIT("/");
	err = parse_path(&template, path, info);
	while (err == WIRE_OK && rest.len > 0)
		err =
		    parse_member(&template, cut(&rest, find(rest, '&')), info);
	if (err == WIRE_OK)
		*ret_template = template;
	return err;
}

bool
bind_http_template_can(const struct bind_http_template *template,
    const struct bind_http_entry *entry)
{
	const struct bind_http_part *first = &template->parts[0];
	struct wire_span path = first->text;

	if (!bind_http_same_origin(&template->origin, &entry->origin))
		return false;
	/* With an argument behind it, its end is open. */
	if (template->count > 1 && template->parts[1].kind == BIND_HTTP_VALUE) {
		size_t len =
		    path.len < entry->prefix.len ? path.len : entry->prefix.len;

		return len == 0 || memcmp(path.p, entry->prefix.p, len) == 0;
	}
	return bind_http_entry_allows(entry, &template->origin, path);
}

/* --- arguments ------------------------------------------------------------ */

struct builder {
	const struct bind_http_template *template;
	struct bind_http_built *built;
	struct bind_text *why;
	bool path_alone; /* other arguments are not looked at */
	/* Of each part that has a name: what is put there; key NULL: missing */
	struct wire_json_member values[BIND_HTTP_PARTS_MAX];
};

static enum wire_tool_kind
fail_name(struct builder *b, struct wire_span name, const char *words)
{
	bind_text_add(b->why, "argument ");
	bind_text_add_escaped(b->why, name);
	bind_text_add(b->why, words);
	return WIRE_TOOL_FAILED;
}

static enum wire_tool_kind
too_long(struct builder *b)
{
	bind_text_add(b->why, "its URL would be longer than ");
	bind_text_add_uint(b->why, BIND_HTTP_URL_MAX);
	bind_text_add(b->why, " bytes");
	return WIRE_TOOL_ARGUMENTS_TOO_LARGE;
}

static bool
put(struct bind_http_built *built, struct wire_span text)
{
	if (text.len > BIND_HTTP_URL_MAX - built->url_len)
		return false;
	if (text.len > 0)
		memcpy(built->url + built->url_len, text.p, text.len);
	built->url_len += text.len;
	return true;
}

static bool
is_unreserved(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	    c == '~';
}

static bool
put_encoded(struct bind_http_built *built, struct wire_span text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];
		const uint8_t code[3] = {
		    '%', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
		struct wire_span unit = {code, 3};

		if (is_unreserved(c))
			unit = (struct wire_span){&c, 1};
		if (!put(built, unit))
			return false;
	}
	return true;
}

static bool
has_empty_segment(struct wire_span text)
{
	uint8_t before = '/';

	for (size_t i = 0; i < text.len; i++) {
		bool slash = text.p[i] == '/' || text.p[i] == '\\';

		if (slash && before == '/')
			return true;
		before = slash ? '/' : text.p[i];
	}
	return before == '/';
}

/* A value as the text that goes into a URL. What it is decoded into holds
 * whatever fits the URL. */
static enum wire_tool_kind
put_value(struct builder *b, size_t i)
{
	const struct bind_http_part *part = &b->template->parts[i];
	const struct wire_json_member *value = &b->values[i];
	uint8_t text[BIND_HTTP_URL_MAX];
	struct wire_span span = value->value;

	if (value->type == WIRE_JSON_ARRAY || value->type == WIRE_JSON_OBJECT)
		return fail_name(b, part->name,
		    " cannot stand in a URL; pass text, a number, True or "
		    "False");
	if (value->type == WIRE_JSON_STRING) {
		struct wire_span raw = {span.p + 1, span.len - 2};

		if (wire_json_unescape(raw, text, sizeof(text), &span.len) !=
		    WIRE_OK)
			return too_long(b);
		span.p = text;
	}
	if (part->kind == BIND_HTTP_VALUE) {
		/* Some servers make one slash of two, and cut at a NUL. */
		if (has_empty_segment(span))
			return fail_name(b, part->name,
			    " is empty, or has nothing before, behind or "
			    "between slashes");
		for (size_t k = 0; k < span.len; k++)
			if (span.p[k] < 0x20 || span.p[k] == 0x7f)
				return fail_name(b, part->name,
				    " holds a control character");
	}
	return put_encoded(b->built, span) ? WIRE_TOOL_NONE : too_long(b);
}

static enum wire_tool_kind
put_path(struct builder *b)
{
	const struct bind_http_template *t = b->template;

	for (size_t i = 0; i < t->count; i++) {
		const struct bind_http_part *part = &t->parts[i];
		enum wire_tool_kind kind = WIRE_TOOL_NONE;

		if (part->kind == BIND_HTTP_TEXT) {
			if (!put(b->built, part->text))
				kind = too_long(b);
		} else if (part->kind == BIND_HTTP_VALUE) {
			if (b->values[i].key.p == NULL)
				return fail_name(b, part->name, " is missing");
			kind = put_value(b, i);
		}
		if (kind != WIRE_TOOL_NONE)
			return kind;
	}
	return WIRE_TOOL_NONE;
}

static enum wire_tool_kind
put_query(struct builder *b)
{
	const struct bind_http_template *t = b->template;
	bool any = false;

	for (size_t i = 0; i < t->count; i++) {
		const struct bind_http_part *part = &t->parts[i];
		enum wire_tool_kind kind;

		if (part->kind != BIND_HTTP_FIXED &&
		    (part->kind != BIND_HTTP_MEMBER ||
			b->values[i].key.p == NULL))
			continue;
		if (!put(b->built, any ? WIRE_LIT("&") : WIRE_LIT("?")) ||
		    !put(b->built, part->text))
			return too_long(b);
		any = true;
		if (part->kind == BIND_HTTP_FIXED)
			continue;
		kind = put_value(b, i);
		if (kind != WIRE_TOOL_NONE)
			return kind;
	}
	return WIRE_TOOL_NONE;
}

/* --- the body ------------------------------------------------------------- */

static void
put_body(struct bind_http_built *built, struct wire_span text)
{
	memcpy(built->body + built->body_len, text.p, text.len);
	built->body_len += text.len;
}

/* A member as it was spelled, without white space around: never longer than
 * what it was in. */
static void
put_member(struct bind_http_built *built, const struct wire_json_member *member)
{
	put_body(built, built->body_len > 1 ? WIRE_LIT(",") : WIRE_LIT(""));
	put_body(built, WIRE_LIT("\""));
	if (member->key.len > 0)
		put_body(built, member->key);
	put_body(built, WIRE_LIT("\":"));
	put_body(built, member->value);
}

/* --- building ------------------------------------------------------------- */

/* The part that is named so, or count. */
static size_t
part_of(const struct bind_http_template *template, struct wire_span raw_key)
{
	size_t i;

	for (i = 0; i < template->count; i++)
		if (template->parts[i].name.p != NULL &&
		    wire_json_text_equal(raw_key, template->parts[i].name))
			break;
	return i;
}

static enum wire_tool_kind
sort_arguments(struct builder *b, struct wire_span arguments)
{
	struct bind_http_built *built = b->built;
	struct bind_json_members members;
	struct wire_json_member member;

	if (!bind_json_members_init(&members, arguments))
		return WIRE_TOOL_FAILED;
	built->body_len = 0;
	if (built->body != NULL)
		put_body(built, WIRE_LIT("{"));
	while (bind_json_members_next(&members, &member)) {
		size_t i = part_of(b->template, member.key);

		if (i < b->template->count) {
			if (member.type != WIRE_JSON_NULL)
				b->values[i] = member;
		} else if (b->path_alone) {
			continue;
		} else if (built->body != NULL) {
			put_member(built, &member);
		} else {
			if (member.key.len > BIND_HTTP_NAME_MAX)
				member.key.len = BIND_HTTP_NAME_MAX;
			return fail_name(b, member.key, " is not one of its");
		}
	}
	if (built->body != NULL)
		put_body(built, WIRE_LIT("}"));
	return WIRE_TOOL_NONE;
}

static enum wire_tool_kind
check_path(struct builder *b, const struct bind_http_entry *entries,
    size_t entry_count)
{
	size_t head = b->template->head.len;
	struct wire_span path = {
	    (const uint8_t *)b->built->url + head, b->built->url_len - head};

	/* SECURITY: a server that decodes the path before it looks at it would
	 * go where the template does not lead. */
	if (bind_http_has_dots(path)) {
		bind_text_add(
		    b->why, "its path would have a segment '.' or '..'");
		return WIRE_TOOL_PATH_TRAVERSAL;
	}
	/* SECURITY: an argument that stands where the list has a word is
	 * compared with it. */
	for (size_t i = 0; i < entry_count; i++)
		if (bind_http_entry_allows(
			&entries[i], &b->template->origin, path))
			return WIRE_TOOL_NONE;
	bind_text_add(b->why, "its path would not be one of those allowed");
	return WIRE_TOOL_EGRESS_DENIED;
}

/* The URL up to its query. */
static enum wire_tool_kind
build_path(struct builder *b, const struct bind_http_entry *entries,
    size_t entry_count, struct wire_span arguments)
{
	enum wire_tool_kind kind = sort_arguments(b, arguments);

	b->built->url_len = 0;
	if (kind == WIRE_TOOL_NONE && !put(b->built, b->template->head))
		kind = too_long(b);
	if (kind == WIRE_TOOL_NONE)
		kind = put_path(b);
	if (kind == WIRE_TOOL_NONE)
		kind = check_path(b, entries, entry_count);
	return kind;
}

enum wire_tool_kind
bind_http_check(const struct bind_http_template *template,
    const struct bind_http_entry *entries, size_t entry_count,
    struct wire_span arguments)
{
	struct bind_http_built built = {.body = NULL};
	uint8_t buf[256];
	struct bind_text why;
	struct builder b = {.template = template,
	    .built = &built,
	    .why = &why,
	    .path_alone = true};
	enum wire_tool_kind kind;

	bind_text_init(&why, buf, sizeof(buf));
	kind = build_path(&b, entries, entry_count, arguments);
	return kind == WIRE_TOOL_PATH_TRAVERSAL ||
		kind == WIRE_TOOL_EGRESS_DENIED
	    ? kind
	    : WIRE_TOOL_NONE;
}

enum wire_tool_kind
bind_http_build(const struct bind_http_template *template,
    const struct bind_http_entry *entries, size_t entry_count,
    struct wire_span arguments, struct bind_http_built *built,
    struct bind_text *why)
{
	struct builder b = {.template = template, .built = built, .why = why};
	enum wire_tool_kind kind =
	    build_path(&b, entries, entry_count, arguments);

	if (kind == WIRE_TOOL_NONE)
		kind = put_query(&b);
	built->url[built->url_len] = '\0';
	return kind;
}
