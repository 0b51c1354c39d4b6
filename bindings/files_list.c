/*
 * list: the names in a directory, in the order of their bytes.
 *
 * A directory of any size is read to its end for each answer, a chunk in each
 * turn, and of its names only so many are kept as are shown: the smallest that
 * come after the one that was asked for. So an answer is bounded, nothing of
 * it depends on the order that a file system has, and a name that stays is
 * shown once, whatever is made and removed meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "bindings/base64.h"
#include "bindings/files_job.h"
#include "wire/utf8.h"

#define CHUNK (32 * 1024)

struct bind_files_name {
	enum bind_sys_type type;
	uint8_t len;
	uint8_t text[BIND_FILES_NAME_MAX];
};

static struct wire_span
span_of(const struct bind_files_name *name)
{
	return (struct wire_span){name->text, name->len};
}

/* As bytes: below 0, 0 or above. */
static int
compare(struct wire_span a, struct wire_span b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len == 0 ? 0 : memcmp(a.p, b.p, len);

	if (order != 0)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

/* --- the heap: the largest name first ------------------------------------- */

static bool
is_larger(const struct bind_files_list *l, size_t a, size_t b)
{
	return compare(span_of(&l->names[l->order[a]]),
		   span_of(&l->names[l->order[b]])) > 0;
}

static void
swap(struct bind_files_list *l, size_t a, size_t b)
{
	uint32_t place = l->order[a];

	l->order[a] = l->order[b];
	l->order[b] = place;
}

static void
rise(struct bind_files_list *l, size_t at)
{
	while (at > 0 && is_larger(l, at, (at - 1) / 2)) {
		swap(l, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/* Of the first `count` of the heap. */
static void
sink(struct bind_files_list *l, size_t count)
{
	for (size_t at = 0, below; (below = 2 * at + 1) < count; at = below) {
		if (below + 1 < count && is_larger(l, below + 1, below))
			below++;
		if (!is_larger(l, below, at))
			return;
		swap(l, below, at);
	}
}

/* From a heap to the order in which they are shown. */
static void
sort(struct bind_files_list *l)
{
	for (size_t count = l->count; count > 1; count--) {
		swap(l, 0, count - 1);
		sink(l, count - 1);
	}
}

static void
set(struct bind_files_name *name, struct wire_span text,
    enum bind_sys_type type)
{
	name->type = type;
	name->len = (uint8_t)text.len;
	memcpy(name->text, text.p, text.len);
}

static void
take(struct bind_files_job *j, const struct bind_sys_entry *entry)
{
	const struct bind_files_request *r = &j->request;
	struct wire_span text = {
	    (const uint8_t *)entry->name, strlen(entry->name)};
	struct bind_files_list *l = &j->list;

	if (wire_span_equal(text, WIRE_LIT(".")) ||
	    wire_span_equal(text, WIRE_LIT("..")) ||
	    text.len > BIND_FILES_NAME_MAX)
		return;
	if (r->has_after &&
	    compare(text, (struct wire_span){r->after, r->after_len}) <= 0)
		return;
	if (l->count < r->limit) {
		l->order[l->count] = (uint32_t)l->count;
		set(&l->names[l->count], text, entry->type);
		rise(l, l->count++);
		return;
	}
	l->more = true;
	if (compare(text, span_of(&l->names[l->order[0]])) >= 0)
		return;
	set(&l->names[l->order[0]], text, entry->type);
	sink(l, l->count);
}

/* --- the answer ----------------------------------------------------------- */

struct page {
	const struct bind_files_list *list;
	size_t count; /* of the list, as far as they fit */
};

static void
fill_name(struct wire_out *out, const struct bind_files_name *name)
{
	struct wire_span text = span_of(name);
	uint8_t encoded[(BIND_FILES_NAME_MAX + 2) / 3 * 4];

	wire_out_begin_object(out);
	if (wire_utf8_valid_prefix(text) == text.len) {
		wire_out_key(out, "name");
	} else {
		/* Not what it is not: its bytes. */
		wire_out_key(out, "base64");
		text = (struct wire_span){
		    encoded, bind_base64_encode(text, encoded)};
	}
	wire_out_string(out, text);
	wire_out_key(out, "type");
	wire_out_text(out, bind_files_type_word(name->type));
	wire_out_end_object(out);
}

static const struct bind_files_name *
shown(const struct bind_files_list *l, size_t at)
{
	return &l->names[l->order[at]];
}

static void
fill_page(struct wire_out *out, const void *arg)
{
	const struct page *page = arg;
	const struct bind_files_list *l = page->list;
	uint8_t encoded[(BIND_FILES_NAME_MAX + 2) / 3 * 4];

	wire_out_begin_object(out);
	wire_out_key(out, "entries");
	wire_out_begin_array(out);
	for (size_t i = 0; i < page->count; i++)
		fill_name(out, shown(l, i));
	wire_out_end_array(out);
	wire_out_key(out, "next");
	if (page->count > 0 && (l->more || page->count < l->count))
		wire_out_string(out,
		    (struct wire_span){encoded,
			bind_base64_encode(
			    span_of(shown(l, page->count - 1)), encoded)});
	else
		wire_out_null(out);
	wire_out_end_object(out);
}

/* What a name takes at most: each byte escaped, and its type. */
#define ENTRY_MAX (6 * BIND_FILES_NAME_MAX + 48)

static bool
answer(struct bind_files_job *j)
{
	struct page page = {&j->list, j->list.count};
	size_t fit = j->job->result_max / ENTRY_MAX;

	/* Where a file system does not say what a name is, we look. One that
	 * is gone by now is other. */
	for (size_t i = 0; i < j->list.count; i++) {
		struct bind_files_name *name = &j->list.names[i];
		struct bind_sys_info info;
		char text[BIND_FILES_NAME_MAX + 1];

		if (name->type != BIND_SYS_UNKNOWN)
			continue;
		memcpy(text, name->text, name->len);
		text[name->len] = '\0';
		if (bind_sys_info_at(j->fd, text, &info) == 0)
			name->type = info.type;
	}
	sort(&j->list);
	/* One less, for what stands around them. */
	if (page.count >= fit && page.count > 0)
		page.count = fit > 1 ? fit - 1 : 1;
	return bind_files_answer(j, fill_page, &page);
}

/* --- turns ---------------------------------------------------------------- */

/* False: it is over. */
static bool
begin(struct bind_files_job *j)
{
	struct bind_files_list *l = &j->list;
	size_t limit = (size_t)j->request.limit;

	j->fd = bind_sys_open_beneath(bind_files_root(j->files),
	    j->request.path.text, BIND_SYS_OPEN_LIST);
	if (j->fd == -ENOTDIR)
		return !bind_files_fail(
		    j, WIRE_TOOL_NOT_FOUND, "there is no such directory");
	if (j->fd < 0)
		return !bind_files_fail_by(j, j->fd);
	l->names = calloc(limit, sizeof(l->names[0]));
	l->order = calloc(limit, sizeof(l->order[0]));
	l->chunk = malloc(CHUNK);
	if (l->names == NULL || l->order == NULL || l->chunk == NULL)
		return !bind_files_fail_by(j, -ENOMEM);
	j->is_begun = true;
	return true;
}

bool
bind_files_list(struct bind_files_job *j)
{
	struct bind_sys_entry entry;
	size_t at = 0;
	ssize_t n;

	if (!j->is_begun && !begin(j))
		return true;
	for (int twice = 0; twice < 2; twice++) {
		n = bind_sys_list(j->fd, j->list.chunk, CHUNK);
		if (n < 0)
			return bind_files_fail_by(j, (int)n);
		if (n == 0)
			return answer(j);
		at = 0;
		while (
		    bind_sys_next_entry(j->list.chunk, (size_t)n, &at, &entry))
			take(j, &entry);
	}
	return false;
}
