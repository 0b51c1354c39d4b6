#include "bindings/read_reply.h"

#include "bindings/window.h"

static void
member(struct wire_out *out, const char *name, uint64_t value)
{
	wire_out_key(out, name);
	wire_out_uint(out, value);
}

static void
next(struct wire_out *out, bool is_end, uint64_t value)
{
	wire_out_key(out, "next");
	if (is_end)
		wire_out_null(out);
	else
		wire_out_uint(out, value);
}

static void
string(struct wire_out *out, struct wire_span text, struct bind_window window)
{
	wire_out_string(out,
	    (struct wire_span){
		text.p + window.begin, window.end - window.begin});
}

void
bind_read_fill_bytes(struct wire_out *out, const void *arg)
{
	const struct bind_read_window *w = arg;
	struct wire_span text = bind_kept_text(w->kept);
	struct bind_window window =
	    bind_window_bytes(text, w->request->offset, w->request->length);

	wire_out_begin_object(out);
	wire_out_key(out, "text");
	string(out, text, window);
	member(out, "offset", window.begin);
	next(out, window.end == text.len, window.end);
	member(out, "size", text.len);
	wire_out_end_object(out);
}

/* --- lines ---------------------------------------------------------------- */

/* The shown part of each line in turn, and whether that is all of it. */
struct walk {
	struct wire_span text;
	size_t line, stop, at;
	struct bind_window shown;
	bool is_cut;
};

static struct walk
begin_walk(const struct bind_read_window *w)
{
	const struct bind_lines *lines = &w->kept->lines;
	struct walk walk = {.text = bind_kept_text(w->kept)};

	walk.line = lines->count;
	if (w->request->start < lines->count)
		walk.line = (size_t)w->request->start;
	walk.stop = lines->count;
	if (w->request->count < lines->count - walk.line)
		walk.stop = walk.line + (size_t)w->request->count;
	walk.at = bind_lines_begin(lines, walk.text, walk.line);
	return walk;
}

static bool
step(struct walk *walk)
{
	size_t end;

	if (walk->line == walk->stop)
		return false;
	end = bind_lines_end(walk->text, walk->at);
	walk->shown = bind_window_chars(
	    walk->text, walk->at, end, BIND_WINDOW_LINE_CHARS);
	walk->is_cut = walk->shown.end < end;
	walk->at = end + 1;
	walk->line++;
	return true;
}

void
bind_read_fill_lines(struct wire_out *out, const void *arg)
{
	const struct bind_read_window *w = arg;
	struct walk walk = begin_walk(w);
	struct walk again = walk;
	size_t total = w->kept->lines.count;

	wire_out_begin_object(out);
	wire_out_key(out, "lines");
	wire_out_begin_array(out);
	while (step(&walk))
		string(out, walk.text, walk.shown);
	wire_out_end_array(out);
	member(out, "start", again.line);
	next(out, walk.line == total, walk.line);
	member(out, "total", total);
	wire_out_key(out, "cut");
	wire_out_begin_array(out);
	while (step(&again)) {
		if (again.is_cut)
			wire_out_uint(out, again.line - 1);
	}
	wire_out_end_array(out);
	wire_out_end_object(out);
}

/* --- searches ------------------------------------------------------------- */

static void
match(
    struct wire_out *out, struct wire_span text, const struct bind_place *place)
{
	wire_out_begin_object(out);
	member(out, "line", place->line);
	member(out, "offset", place->begin);
	member(out, "length", place->end - place->begin);
	wire_out_key(out, "match");
	string(out, text,
	    bind_window_chars(
		text, place->begin, place->end, BIND_WINDOW_LINE_CHARS));
	wire_out_key(out, "text");
	string(out, text,
	    bind_window_match(
		text, place->line_begin, place->line_end, place->begin));
	wire_out_end_object(out);
}

void
bind_read_fill_search(struct wire_out *out, const void *arg)
{
	const struct bind_search *search = arg;

	wire_out_begin_object(out);
	wire_out_key(out, "matches");
	wire_out_begin_array(out);
	for (size_t i = 0; i < search->count; i++)
		match(out, search->text, &search->found[i]);
	wire_out_end_array(out);
	next(out,
	    search->state == BIND_SEARCH_WHOLE || search->at >= search->stop,
	    search->at);
	wire_out_end_object(out);
}

void
bind_read_explain(struct bind_text *text, const struct bind_search *search)
{
	bind_text_add(text,
	    search->state == BIND_SEARCH_STUCK
		? "the pattern takes too many steps at byte "
		: "the search took too many steps and was stopped at byte ");
	bind_text_add_uint(text, search->at);
	bind_text_add(text, ", after ");
	bind_text_add_uint(text, search->count);
	bind_text_add(text,
	    search->state == BIND_SEARCH_STUCK
		? " matches: make the pattern simpler"
		: " matches: go on with that offset, or make the pattern "
		  "simpler");
}
