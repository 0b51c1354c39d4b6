/*
 * Target: what a program may ask of a directory (bindings/files_path.h,
 * files_request.h, base64.h), and how it is named (supervisor/files_option.h).
 *
 * A byte that chooses, and the rest. Properties:
 *  - a path is refused as going up exactly when a part of it is "..", and taken
 *    otherwise unless it is empty, has a NUL or is too long; what comes out has
 *    the same parts, without those that mean nothing, and comes out of itself;
 *  - a path lies beneath another exactly when that one's parts are its first;
 *  - base64 gives back what it was given, and takes only what it gives;
 *  - arguments that are taken are within their limits, and what is refused has
 *    a reason;
 *  - an option that is taken, spelled again, is the same text.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/base64.h"
#include "bindings/files_request.h"
#include "bindings/json_check.h"
#include "supervisor/files_option.h"
#include "wire/limits.h"

#define PARTS 4096

/* --- paths ---------------------------------------------------------------- */

struct parts {
	size_t count, len; /* len: joined by one '/' */
	struct wire_span part[PARTS];
	bool up;
};

/* Those that mean something. */
static void
split(struct wire_span path, struct parts *parts)
{
	size_t begin = 0;

	parts->count = parts->len = 0;
	parts->up = false;
	for (size_t i = 0; i <= path.len; i++) {
		struct wire_span part = {path.p + begin, i - begin};

		if (i < path.len && path.p[i] != '/')
			continue;
		begin = i + 1;
		if (part.len == 2 && memcmp(part.p, "..", 2) == 0)
			parts->up = true;
		if (part.len == 0 || (part.len == 1 && *part.p == '.'))
			continue;
		FUZZ_REQUIRE(parts->count < PARTS);
		parts->len += part.len + (parts->count > 0);
		parts->part[parts->count++] = part;
	}
}

static bool
take_path(struct wire_span given, struct bind_files_path *path)
{
	static struct parts want, got;
	struct bind_files_path again;
	const char *words = "";
	enum wire_tool_kind kind = bind_files_path_take(given, path, &words);
	const char *name;
	size_t parent;

	split(given, &want);
	FUZZ_REQUIRE((kind == WIRE_TOOL_PATH_TRAVERSAL) == want.up);
	if (kind != WIRE_TOOL_NONE) {
		FUZZ_REQUIRE(*words != '\0');
		FUZZ_REQUIRE(want.up || given.len == 0 ||
		    memchr(given.p, '\0', given.len) != NULL ||
		    want.len >= BIND_FILES_PATH_MAX);
		return false;
	}
	FUZZ_REQUIRE(given.len > 0 && path->len <= BIND_FILES_PATH_MAX);
	FUZZ_REQUIRE(strlen(path->text) == path->len);
	split(bind_files_path_span(path), &got);
	FUZZ_REQUIRE(got.count == want.count && got.len == path->len);
	for (size_t i = 0; i < got.count; i++)
		FUZZ_REQUIRE(wire_span_equal(got.part[i], want.part[i]));
	FUZZ_REQUIRE(path->directory ==
	    (given.p[given.len - 1] == '/' ||
		(given.p[given.len - 1] == '.' &&
		    (given.len == 1 || given.p[given.len - 2] == '/'))));
	if (path->len == 0)
		return true;
	FUZZ_REQUIRE(bind_files_path_take(bind_files_path_span(path), &again,
			 &words) == WIRE_TOOL_NONE);
	FUZZ_REQUIRE(strcmp(again.text, path->text) == 0 && !again.directory);
	name = bind_files_path_name(path, &parent);
	FUZZ_REQUIRE(name == path->text + parent + (parent > 0));
	FUZZ_REQUIRE(strchr(name, '/') == NULL);
	return true;
}

static void
check_paths(struct wire_span in)
{
	static struct parts one, top;
	static struct bind_files_path a, b;
	struct wire_span first = fuzz_bytes(&in, fuzz_byte(&in));
	bool is_first = take_path(first, &a), is = true;

	if (!take_path(in, &b) || !is_first)
		return;
	split(bind_files_path_span(&a), &one);
	split(bind_files_path_span(&b), &top);
	for (size_t i = 0; i < top.count; i++)
		is = is && i < one.count &&
		    wire_span_equal(one.part[i], top.part[i]);
	FUZZ_REQUIRE(bind_files_path_is_beneath(bind_files_path_span(&a),
			 bind_files_path_span(&b)) == is);
}

/* --- base64 --------------------------------------------------------------- */

static void
check_base64(struct wire_span in)
{
	size_t len = 0, back_len = 0;
	uint8_t *text, *back = malloc(in.len + 3);

	FUZZ_REQUIRE(bind_base64_len(in.len, &len));
	text = malloc(len + 1);
	FUZZ_REQUIRE(text != NULL && back != NULL);
	FUZZ_REQUIRE(bind_base64_encode(in, text) == len);
	FUZZ_REQUIRE(
	    bind_base64_decode((struct wire_span){text, len}, back, &back_len));
	FUZZ_REQUIRE(wire_span_equal((struct wire_span){back, back_len}, in));
	/* And the other way round, where it is any. */
	if (bind_base64_decode(in, back, &back_len)) {
		FUZZ_REQUIRE(bind_base64_len(back_len, &len));
		FUZZ_REQUIRE(len == in.len);
		FUZZ_REQUIRE(
		    bind_base64_encode(
			(struct wire_span){back, back_len}, text) == len);
		FUZZ_REQUIRE(
		    wire_span_equal((struct wire_span){text, len}, in));
	}
	free(text);
	free(back);
}

/* --- arguments ------------------------------------------------------------ */

static void
check_arguments(struct wire_span in)
{
	static struct bind_files_request r;
	enum bind_files_op op = fuzz_byte(&in) % BIND_FILES_OPS;
	struct wire_json_member members[16];
	struct bind_json_check check;
	struct bind_text why;
	enum wire_tool_kind kind;
	uint8_t buf[256];
	size_t count = 0;

	bind_text_init(&why, buf, sizeof(buf));
	bind_json_check_init(&check, 1);
	if (bind_json_check_object(&check, in, members, 16, &count, NULL) ==
	    WIRE_OK) {
		kind = bind_files_request_take(op, members, count, &r, &why);
		FUZZ_REQUIRE((kind == WIRE_TOOL_NONE) == (why.len == 0));
		FUZZ_REQUIRE(kind == WIRE_TOOL_NONE ||
		    kind == WIRE_TOOL_FAILED ||
		    kind == WIRE_TOOL_PATH_TRAVERSAL);
		if (kind == WIRE_TOOL_NONE) {
			FUZZ_REQUIRE(r.op == op);
			FUZZ_REQUIRE(r.offset <= WIRE_MAX_ID && r.length > 0);
			FUZZ_REQUIRE(
			    r.limit > 0 && r.limit <= BIND_FILES_LIMIT_MAX);
			FUZZ_REQUIRE(r.after_len <= sizeof(r.after));
			FUZZ_REQUIRE(!(r.create && r.append));
			FUZZ_REQUIRE(
			    (r.content.p != NULL) == (op == BIND_FILES_WRITE));
			FUZZ_REQUIRE(strstr(r.path.text, "//") == NULL);
		}
	}
	bind_json_check_release(&check);
}

/* --- the option ----------------------------------------------------------- */

static char *
spell(char *at, const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at = stpcpy(stpcpy(at, i == 0 ? word : ","), list[i]);
	return at;
}

static void
check_option(struct wire_span in)
{
	char *text = malloc(in.len + 1), *again = malloc(in.len + 1), *at;
	struct sup_files_option o;
	bool read_first;

	FUZZ_REQUIRE(text != NULL && again != NULL);
	if (in.len > 0)
		memcpy(text, in.p, in.len);
	text[in.len] = '\0';
	if (sup_files_option_parse(text, &o) == NULL) {
		const struct weir_files *f = &o.files;

		at = stpcpy(again, f->root);
		read_first = f->write_count == 0 ||
		    (f->read_count > 0 && f->read[0] < f->write[0]);
		if (read_first)
			at = spell(at, ":read=", f->read, f->read_count);
		at = spell(at, ":write=", f->write, f->write_count);
		if (!read_first)
			at = spell(at, ":read=", f->read, f->read_count);
		FUZZ_REQUIRE(strcmp(text, again) == 0);
		sup_files_option_release(&o);
	}
	free(text);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};

	switch (fuzz_byte(&in)) {
	case 'p':
		check_paths(in);
		break;
	case 'b':
		check_base64(in);
		break;
	case 'a':
		check_arguments(in);
		break;
	case 'o':
		check_option(in);
		break;
	default:
		break;
	}
	return 0;
}
