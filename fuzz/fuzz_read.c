/*
 * Target: reading of what is kept (bindings/read_request.h, window.h, lines.h,
 * search.h, read_reply.h).
 *
 * Two bytes of length, so many of arguments, and the text. Properties:
 *  - arguments that are taken are within their limits;
 *  - lines and their numbers are those of a walk over every byte;
 *  - a window by bytes is UTF-8, begins with the character that was asked for,
 *    is no longer than asked unless it is one character, and follows the one
 *    before;
 *  - a search finds the same matches all at once and one by one, each within
 *    one line and within what was asked, and ends within its steps;
 *  - every answer is JSON.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/json_check.h"
#include "bindings/read_reply.h"
#include "bindings/window.h"
#include "wire/utf8.h"

#define ANSWER_MAX (1 << 20)

static uint64_t
no_time(void *arg)
{
	(void)arg;
	return 0;
}

/* --- the text ------------------------------------------------------------- */

/* Bytes as characters: what is none becomes a question mark. */
static struct bind_kept *
keep(struct wire_span bytes)
{
	struct bind_kept *kept = calloc(1, sizeof(*kept) + bytes.len + 1);

	FUZZ_REQUIRE(kept != NULL);
	while (kept->size < bytes.len) {
		struct wire_span rest = {
		    bytes.p + kept->size, bytes.len - kept->size};
		bool ok;
		size_t len = wire_utf8_step(rest, &ok);

		memcpy(kept->text + kept->size, rest.p, len);
		if (!ok)
			memset(kept->text + kept->size, '?', len);
		kept->size += len;
	}
	FUZZ_REQUIRE(
	    bind_lines_init(&kept->lines, bind_kept_text(kept)) == WIRE_OK);
	return kept;
}

static void
check_lines(const struct bind_kept *kept)
{
	struct wire_span text = bind_kept_text(kept);
	size_t line = 0, begin = 0;

	for (size_t i = 0; i <= text.len; i++) {
		FUZZ_REQUIRE(bind_lines_of(&kept->lines, text, i) == line);
		if (i < text.len && text.p[i] != '\n')
			continue;
		FUZZ_REQUIRE(
		    bind_lines_begin(&kept->lines, text, line) == begin);
		FUZZ_REQUIRE(bind_lines_end(text, begin) == i);
		begin = i + 1;
		line++;
	}
	FUZZ_REQUIRE(kept->lines.count == line);
}

/* --- windows -------------------------------------------------------------- */

static bool
is_boundary(struct wire_span text, size_t at)
{
	return at == text.len || (text.p[at] & 0xc0) != 0x80;
}

static void
check_window(struct wire_span text, uint64_t offset, uint64_t length)
{
	struct bind_window w = bind_window_bytes(text, offset, length);
	size_t characters = 0;

	FUZZ_REQUIRE(w.begin <= w.end && w.end <= text.len);
	FUZZ_REQUIRE(is_boundary(text, w.begin) && is_boundary(text, w.end));
	FUZZ_REQUIRE(offset >= text.len ? w.begin == text.len
					: w.end > w.begin && w.begin <= offset);
	/* The character that the offset is in, and no earlier one. */
	for (uint64_t i = w.begin + 1; i <= offset && i < text.len; i++)
		FUZZ_REQUIRE(!is_boundary(text, (size_t)i));
	for (size_t i = w.begin; i < w.end; i++)
		characters += is_boundary(text, i);
	FUZZ_REQUIRE(w.end - w.begin <= length || characters == 1);
	/* And the next one would not have fitted. */
	if (w.end < text.len) {
		struct bind_window next = bind_window_bytes(text, w.end, 1);

		FUZZ_REQUIRE(next.end - w.begin > length);
	}
}

/* --- searches ------------------------------------------------------------- */

static bool
search(const struct bind_kept *kept, struct bind_regex *regex, uint64_t offset,
    uint64_t length, size_t limit, struct bind_search *ret_search)
{
	enum bind_search_state state;

	FUZZ_REQUIRE(bind_search_init(ret_search, bind_kept_text(kept),
			 &kept->lines, offset, length, limit) == WIRE_OK);
	bind_effort_init(&ret_search->effort, no_time, NULL);
	ret_search->match = bind_regex_match;
	ret_search->regex = regex;
	do {
		state = bind_search_turn(ret_search);
	} while (state == BIND_SEARCH_ON);
	/* What one item ran over is counted after it. */
	FUZZ_REQUIRE(
	    ret_search->effort.steps <= BIND_EFFORT_STEPS + kept->size);
	return state == BIND_SEARCH_WHOLE || state == BIND_SEARCH_LIMIT;
}

static void
check_place(
    const struct bind_kept *kept, const struct bind_place *place, size_t least)
{
	struct wire_span text = bind_kept_text(kept);

	FUZZ_REQUIRE(least <= place->begin && place->begin <= place->end);
	FUZZ_REQUIRE(
	    place->line_begin <= place->begin && place->end <= place->line_end);
	FUZZ_REQUIRE(is_boundary(text, place->begin));
	FUZZ_REQUIRE(is_boundary(text, place->end));
	FUZZ_REQUIRE(bind_lines_begin(&kept->lines, text, place->line) ==
	    place->line_begin);
	FUZZ_REQUIRE(bind_lines_end(text, place->begin) == place->line_end);
}

/* From where the last one ended, until there are no more. */
static void
check_one_by_one(const struct bind_kept *kept, struct bind_regex *regex,
    const struct bind_read_request *request, const struct bind_search *all)
{
	uint64_t offset = request->offset;

	for (size_t i = 0; i < all->count; i++) {
		struct bind_search one;
		bool is_good =
		    search(kept, regex, offset, WIRE_MAX_ID, 1, &one);

		if (is_good) {
			FUZZ_REQUIRE(one.count == 1);
			FUZZ_REQUIRE(one.found[0].begin == all->found[i].begin);
			FUZZ_REQUIRE(one.found[0].end == all->found[i].end);
			FUZZ_REQUIRE(one.found[0].line == all->found[i].line);
		}
		offset = one.at;
		bind_search_release(&one);
		if (!is_good)
			return;
	}
}

static void
check_answer(
    void (*fill)(struct wire_out *out, const void *arg), const void *arg)
{
	static uint8_t buf[ANSWER_MAX];
	struct bind_json_check check;
	struct wire_out out;
	size_t len = 0;

	wire_out_init(&out, buf, sizeof(buf));
	fill(&out, arg);
	if (wire_out_finish(&out, &len) == WIRE_ERR_NO_SPACE)
		return;
	FUZZ_REQUIRE(out.err == WIRE_OK);
	bind_json_check_init(&check, 1);
	FUZZ_REQUIRE(bind_json_check_value(&check, (struct wire_span){buf, len},
			 NULL) == WIRE_OK);
	bind_json_check_release(&check);
}

static void
check_search(
    const struct bind_kept *kept, const struct bind_read_request *request)
{
	struct bind_regex *regex = NULL;
	struct bind_search all;
	struct bind_text why;
	uint8_t buf[256];

	bind_text_init(&why, buf, sizeof(buf));
	if (bind_regex_new(
		(struct wire_span){request->pattern, request->pattern_len},
		request->ignore_case, &regex, &why) != WIRE_OK)
		return;
	if (search(kept, regex, request->offset, request->length,
		(size_t)request->limit, &all)) {
		size_t least = 0;

		FUZZ_REQUIRE(all.count <= request->limit);
		for (size_t i = 0; i < all.count; i++) {
			check_place(kept, &all.found[i], least);
			least = all.found[i].end;
		}
		check_one_by_one(kept, regex, request, &all);
		check_answer(bind_read_fill_search, &all);
	}
	bind_search_release(&all);
	bind_regex_free(regex);
}

/* --- the target ------------------------------------------------------------
 */

static bool
take(struct wire_span arguments, struct bind_read_request *request)
{
	struct wire_json_member members[16];
	struct bind_json_check check;
	struct bind_text why;
	uint8_t buf[256];
	size_t count = 0;
	bool taken = false;

	bind_text_init(&why, buf, sizeof(buf));
	bind_json_check_init(&check, 1);
	if (bind_json_check_object(
		&check, arguments, members, 16, &count, NULL) == WIRE_OK) {
		taken = bind_read_request_take(members, count, request, &why);
		FUZZ_REQUIRE(taken == (why.len == 0));
	}
	bind_json_check_release(&check);
	return taken;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	size_t len = (size_t)fuzz_uint(&in, 2);
	struct wire_span arguments = fuzz_bytes(&in, len);
	struct bind_kept *kept = keep(in);
	struct bind_read_request request;
	struct bind_read_window window = {kept, &request};

	check_lines(kept);
	if (take(arguments, &request)) {
		FUZZ_REQUIRE(request.token_len <= BIND_TOKEN_LEN);
		FUZZ_REQUIRE(request.pattern_len <= BIND_REGEX_PATTERN_MAX);
		FUZZ_REQUIRE(request.limit >= 1 &&
		    request.limit <= BIND_SEARCH_MATCHES_MAX);
		FUZZ_REQUIRE(request.count >= 1 &&
		    request.count <= BIND_WINDOW_LINES_MAX);
		FUZZ_REQUIRE(request.length >= 1);
		check_window(
		    bind_kept_text(kept), request.offset, request.length);
		if (request.kind == BIND_READ_SEARCH) {
			check_search(kept, &request);
		} else if (request.kind == BIND_READ_BYTES) {
			FUZZ_REQUIRE(request.length <= BIND_WINDOW_BYTES_MAX);
			check_answer(bind_read_fill_bytes, &window);
		} else {
			check_answer(bind_read_fill_lines, &window);
		}
	}
	bind_lines_release(&kept->lines);
	free(kept);
	return 0;
}
