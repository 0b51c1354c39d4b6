#include "supervisor/doctor_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "supervisor/doctor_trial.h"
#include "supervisor/exec_trace.h"
#include "supervisor/limits_table.h"
#include "supervisor/sys.h"
#include "supervisor/usage.h"

/* --- the program ---------------------------------------------------------- */

static int
read_program(struct sup_doctor_trace *trace)
{
	size_t max = sup_limit_spec(SUP_LIMIT_PROGRAM)->initial;
	int fd = sup_sys_open(trace->path, O_RDONLY);
	ssize_t n = fd;

	if (fd < 0)
		return fd;
	trace->program = malloc(max + 1);
	/* One byte more than the limit, so that too much shows. */
	n = trace->program == NULL
	    ? -ENOMEM
	    : sup_sys_read_whole(fd, trace->program, max + 1);
	sup_sys_close(&fd);
	if (n < 0)
		return (int)n;
	trace->program_len = (size_t)n;
	return 0;
}

bool
sup_doctor_trace_load(struct sup_doctor_trace *trace)
{
	char quoted[SUP_USAGE_QUOTED];
	int r = trace->path != NULL ? read_program(trace) : 0;

	if (r < 0)
		fprintf(stderr,
		    "weir: --trace %s: %s; name a Python program that can be "
		    "read\n",
		    sup_usage_quote(trace->path, quoted), strerror(-r));
	return r >= 0;
}

void
sup_doctor_trace_run(struct sup_doctor_trace *trace, struct weir *weir,
    const struct sup_doctor_way_is ways[SUP_WAY_COUNT])
{
	struct weir_request request = {
	    .program = trace->program,
	    .program_len = trace->program_len,
	    .trace = true,
	};

	if (trace->path == NULL)
		return;
	(void)strlcpy(trace->error,
	    "no program can be run on this host; see the reasons above",
	    sizeof(trace->error));
	while (trace->way < SUP_WAY_COUNT && !ways[trace->way].available)
		trace->way++;
	if (trace->way == SUP_WAY_COUNT || weir == NULL)
		return;
	sup_doctor_way_request(trace->way, &request);
	trace->execution = sup_doctor_execute(weir, &request, trace->error);
	if (trace->execution == NULL)
		return;
	trace->error[0] = '\0';
	if (weir_text(trace->execution, WEIR_TEXT_TRACE, NULL) != NULL)
		trace->rows = &trace->execution->trace->rows;
}

void
sup_doctor_trace_release(struct sup_doctor_trace *trace)
{
	weir_execution_free(trace->execution);
	trace->execution = NULL;
	free(trace->program);
	trace->program = NULL;
}

/* --- as JSON -------------------------------------------------------------- */

static void
put_text(struct wire_out *out, const char *key, const char *text)
{
	wire_out_key(out, key);
	if (text != NULL)
		wire_out_lossy_string(out,
		    (struct wire_span){(const uint8_t *)text, strlen(text)});
	else
		wire_out_null(out);
}

static const char *
kind_of(const struct sup_doctor_trace *trace)
{
	return trace->execution != NULL
	    ? weir_text(trace->execution, WEIR_TEXT_KIND, NULL)
	    : "setup";
}

/* Of a program any text; without one there is no p. */
static struct wire_span
message_of(const struct sup_doctor_trace *trace)
{
	const char *text = trace->error;
	size_t len = strlen(text);

	if (trace->execution != NULL)
		text = weir_text(trace->execution, WEIR_TEXT_MESSAGE, &len);
	return (struct wire_span){(const uint8_t *)text, len};
}

static void
put_count(struct wire_out *out, const char *key, uint64_t count)
{
	wire_out_key(out, key);
	wire_out_uint(out, count);
}

void
sup_doctor_trace_put_json(
    const struct sup_doctor_trace *trace, struct wire_out *out)
{
	const struct wire_span message = message_of(trace);
	const struct sup_trace *rows = trace->rows;

	if (trace->path == NULL) {
		wire_out_null(out);
		return;
	}
	wire_out_begin_object(out);
	put_text(out, "way",
	    trace->execution != NULL ? sup_doctor_way_word(trace->way) : NULL);
	wire_out_key(out, "ran");
	wire_out_bool(out, rows != NULL);
	put_text(out, "kind", kind_of(trace));
	wire_out_key(out, "message");
	if (message.p != NULL)
		wire_out_lossy_string(out, message);
	else
		wire_out_null(out);
	put_count(out, "refused", rows != NULL ? rows->refused : 0);
	put_count(out, "left_out", rows != NULL ? rows->left_out : 0);
	wire_out_key(out, "rows");
	wire_out_begin_array(out);
	for (size_t i = 0; rows != NULL && i < rows->row_count; i++)
		sup_trace_put_row(out, &rows->rows[i]);
	wire_out_end_array(out);
	wire_out_end_object(out);
}

/* --- for people ----------------------------------------------------------- */

/*
 * SECURITY: what a program says of itself stands on one line: it writes no
 * other line of the report.
 */
static void
print_claim(struct wire_span text, FILE *stream)
{
	for (size_t i = 0; i < text.len; i++) {
		bool control = text.p[i] < ' ' || text.p[i] == 0x7f;

		(void)fputc(control ? ' ' : text.p[i], stream);
	}
}

/* For people whatever arguments it had. */
static bool
is_same_line(const struct sup_trace_row *a, const struct sup_trace_row *b)
{
	return a->number == b->number && a->why.error == b->why.error &&
	    a->why.group == b->why.group;
}

/* Unless one before it has spoken for it. */
static void
print_row(const struct sup_trace *trace, size_t at, FILE *stream)
{
	const struct sup_trace_row *row = &trace->rows[at];
	const struct sup_filter_group *group = row->why.group;
	uint64_t count = 0;

	for (size_t i = 0; i < trace->row_count; i++) {
		if (!is_same_line(&trace->rows[i], row))
			continue;
		if (i < at)
			return;
		count += trace->rows[i].count;
	}
	(void)fprintf(stream, "%9" PRIu64 "  ", count);
	if (row->why.name != NULL)
		(void)fprintf(stream, "%-18s", row->why.name);
	else
		(void)fprintf(stream, "call %-13" PRIu32, row->number);
	(void)fprintf(stream, " %-7s %s%s%s\n",
	    row->why.error == ENOSYS ? "ENOSYS" : "EPERM",
	    group != NULL ? group->word : "never allowed",
	    group != NULL ? ": " : "", group != NULL ? group->reason : "");
}

void
sup_doctor_trace_put_text(const struct sup_doctor_trace *trace, FILE *stream)
{
	const struct sup_trace *rows = trace->rows;
	const char *kind;

	if (trace->path == NULL)
		return;
	kind = kind_of(trace);
	(void)fputs("trace of ", stream);
	print_claim((struct wire_span){(const uint8_t *)trace->path,
			strlen(trace->path)},
	    stream);
	if (trace->execution != NULL)
		(void)fprintf(stream, " (%s)", sup_doctor_way_word(trace->way));
	(void)fputs(kind == NULL ? ": it ended well" : ": ", stream);
	if (kind != NULL) {
		(void)fprintf(stream, "%s: ", kind);
		print_claim(message_of(trace), stream);
	}
	(void)fputc('\n', stream);
	if (rows == NULL)
		return;
	(void)fprintf(stream, "%9" PRIu64 "  system calls were refused%s\n",
	    rows->refused, rows->row_count > 0 ? ":" : "");
	for (size_t i = 0; i < rows->row_count; i++)
		print_row(rows, i, stream);
	if (rows->left_out > 0)
		(void)fprintf(stream, "%9" PRIu64 "  others\n", rows->left_out);
}
