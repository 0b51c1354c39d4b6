#include "supervisor/trace.h"

#include <errno.h>

static bool
is_same(const struct sup_filter_why *a, const struct sup_filter_why *b)
{
	for (size_t i = 0; i < SUP_CALL_ARGS; i++)
		if (a->seen[i].seen != b->seen[i].seen ||
		    a->seen[i].only_zero != b->seen[i].only_zero ||
		    a->seen[i].value != b->seen[i].value)
			return false;
	return a->error == b->error;
}

void
sup_trace_note(
    struct sup_trace *trace, uint32_t number, const struct sup_filter_why *why)
{
	struct sup_trace_row *row = trace->rows;
	struct sup_trace_row *end = trace->rows + trace->row_count;

	trace->refused++;
	while (row < end && (row->number != number || !is_same(&row->why, why)))
		row++;
	if (row < end) {
		row->count++;
		return;
	}
	if (trace->row_count == SUP_TRACE_ROWS) {
		trace->left_out++;
		return;
	}
	trace->row_count++;
	*row = (struct sup_trace_row){1, number, *why};
}

static void
put_arguments(struct wire_out *out, const struct sup_filter_why *why)
{
	static const char *const names[SUP_CALL_ARGS] = {
	    "0", "1", "2", "3", "4", "5"};

	wire_out_begin_object(out);
	for (size_t i = 0; i < SUP_CALL_ARGS; i++) {
		if (!why->seen[i].seen)
			continue;
		wire_out_key(out, names[i]);
		if (why->seen[i].only_zero && why->seen[i].value != 0)
			wire_out_text(out, "not 0");
		else
			wire_out_uint(out, why->seen[i].value);
	}
	wire_out_end_object(out);
}

static void
put_text(struct wire_out *out, const char *key, const char *text)
{
	wire_out_key(out, key);
	if (text == NULL)
		wire_out_null(out);
	else
		wire_out_text(out, text);
}

void
sup_trace_put_row(struct wire_out *out, const struct sup_trace_row *row)
{
	const struct sup_filter_group *group = row->why.group;

	wire_out_begin_object(out);
	put_text(out, "event", "refused");
	wire_out_key(out, "count");
	wire_out_uint(out, row->count);
	put_text(out, "call", row->why.name);
	wire_out_key(out, "number");
	wire_out_uint(out, row->number);
	wire_out_key(out, "arguments");
	put_arguments(out, &row->why);
	put_text(out, "error", row->why.error == ENOSYS ? "ENOSYS" : "EPERM");
	put_text(out, "group", group != NULL ? group->word : NULL);
	put_text(out, "reason", group != NULL ? group->reason : NULL);
	wire_out_end_object(out);
}

enum wire_err
sup_trace_format(
    const struct sup_trace *trace, uint8_t *buf, size_t max, size_t *ret_len)
{
	struct wire_out out;

	wire_out_init(&out, buf, max);
	for (size_t i = 0; i < trace->row_count; i++) {
		sup_trace_put_row(&out, &trace->rows[i]);
		wire_out_newline(&out);
	}
	wire_out_begin_object(&out);
	put_text(&out, "event", "end");
	wire_out_key(&out, "refused");
	wire_out_uint(&out, trace->refused);
	wire_out_key(&out, "rows");
	wire_out_uint(&out, trace->row_count);
	wire_out_key(&out, "left_out");
	wire_out_uint(&out, trace->left_out);
	wire_out_end_object(&out);
	wire_out_newline(&out);
	return wire_out_finish(&out, ret_len);
}
