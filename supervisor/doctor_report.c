#include "supervisor/doctor_report.h"

#include <inttypes.h>
#include <string.h>

#include <bsd/string.h>

#include "wire/json.h"

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- what follows from what was seen -------------------------------------- */

/* The member of an object that a scan has accepted, or an empty span. */
static struct wire_span
member(struct wire_span object, const char *name)
{
	struct wire_json_cursor cursor;
	struct wire_span text, none = {NULL, 0};
	enum wire_json_token token;
	unsigned depth = 0;
	bool found = false;

	wire_json_cursor_init(&cursor, object);
	while (
	    (token = wire_json_cursor_next(&cursor, &text)) != WIRE_TOK_END) {
		if (found)
			return text;
		if (token == WIRE_TOK_OBJECT_BEGIN ||
		    token == WIRE_TOK_ARRAY_BEGIN)
			depth++;
		if (token == WIRE_TOK_OBJECT_END || token == WIRE_TOK_ARRAY_END)
			depth--;
		found = token == WIRE_TOK_KEY && depth == 1 &&
		    wire_json_text_equal(text, span_of(name));
	}
	return none;
}

static void
set_verdict(struct sup_doctor_report *report)
{
	char *text = report->verdict;
	size_t len;
	unsigned step = 0;

	(void)strlcpy(text, "isolated: available", sizeof(report->verdict));
	if (report->available) {
		const char *before = "; without ";

		for (; step < SUP_DOCTOR_COUNT; step++) {
			if (report->answers[step].error == 0)
				continue;
			len = strlen(text);
			(void)snprintf(text + len,
			    sizeof(report->verdict) - len, "%s%s", before,
			    sup_doctor_word((enum sup_doctor_step)step));
			before = ", ";
		}
		return;
	}
	while (step < SUP_DOCTOR_EXECUTION &&
	    (report->answers[step].error == 0 ||
		!sup_doctor_is_required((enum sup_doctor_step)step)))
		step++;
	(void)snprintf(text, sizeof(report->verdict),
	    "isolated: not available: %s: %s; %s",
	    sup_doctor_word((enum sup_doctor_step)step),
	    report->reasons[step].reason, report->reasons[step].cure);
}

void
sup_doctor_conclude(struct sup_doctor_report *report)
{
	struct wire_span level = member(report->isolation, "level");

	report->failed = 0;
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		if (report->answers[i].error != 0)
			report->failed |= SUP_DOCTOR_BIT(i);
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		if (report->answers[i].error != 0 &&
		    report->reasons[i].reason[0] == '\0')
			sup_doctor_explain((enum sup_doctor_step)i,
			    &report->answers[i], &report->host, report->failed,
			    &report->reasons[i]);
	for (unsigned i = 0; i < SUP_WAY_COUNT; i++)
		if (!report->ways[i].available &&
		    report->ways[i].error[0] == '\0')
			(void)strlcpy(report->ways[i].error,
			    report->reasons[SUP_DOCTOR_EXECUTION].reason,
			    sizeof(report->ways[i].error));
	(void)snprintf(report->level, sizeof(report->level), "%.*s",
	    (int)level.len, level.len > 0 ? (const char *)level.p : "");
	if (report->level[0] == '\0')
		(void)strlcpy(report->level, "none", sizeof(report->level));
	report->available = report->answers[SUP_DOCTOR_EXECUTION].error == 0;
	set_verdict(report);
}

/* --- as JSON -------------------------------------------------------------- */

static void
put_text(struct wire_out *out, const char *key, const char *text)
{
	wire_out_key(out, key);
	if (text[0] != '\0')
		wire_out_lossy_string(out, span_of(text));
	else
		wire_out_null(out);
}

static void
put_bool(struct wire_out *out, const char *key, bool value)
{
	wire_out_key(out, key);
	wire_out_bool(out, value);
}

static void
put_raw(struct wire_out *out, const char *key, struct wire_span value)
{
	wire_out_key(out, key);
	if (value.len > 0)
		wire_out_raw(out, value);
	else
		wire_out_null(out);
}

static void
put_host(struct wire_out *out, const struct sup_doctor_report *report)
{
	const struct sup_doctor_host *host = &report->host;
	char capabilities[24] = "";

	if (host->status.read)
		(void)snprintf(capabilities, sizeof(capabilities),
		    "%016" PRIx64, host->status.caps[2]);
	wire_out_key(out, "host");
	wire_out_begin_object(out);
	put_text(out, "kernel", host->kernel);
	put_text(out, "machine", host->machine);
	wire_out_key(out, "uid");
	wire_out_uint(out, host->uid);
	put_bool(out, "seccomp_inherited", host->filtered);
	put_bool(out, "no_new_privs", host->no_new_privs);
	put_text(out, "capabilities", capabilities);
	put_raw(out, "python", report->python);
	wire_out_end_object(out);
}

static void
put_step(struct wire_out *out, const struct sup_doctor_report *report,
    enum sup_doctor_step step)
{
	const struct sup_doctor_answer *answer = &report->answers[step];
	const struct sup_doctor_reason *reason = &report->reasons[step];
	const char *const *needed = sup_doctor_spec(step)->needed_for;

	wire_out_begin_object(out);
	put_text(out, "name", sup_doctor_word(step));
	put_bool(out, "ok", answer->error == 0);
	wire_out_key(out, "errno");
	if (answer->error > 0 && answer->error < SUP_DOCTOR_KILLED)
		wire_out_uint(out, (uint64_t)answer->error);
	else
		wire_out_null(out);
	put_text(out, "error", answer->error != 0 ? reason->error : "");
	put_text(out, "reason", answer->error != 0 ? reason->reason : "");
	put_text(out, "cure", answer->error != 0 ? reason->cure : "");
	wire_out_key(out, "needed_for");
	wire_out_begin_array(out);
	for (; *needed != NULL; needed++)
		wire_out_text(out, *needed);
	wire_out_end_array(out);
	put_text(out, "detail", answer->detail);
	wire_out_end_object(out);
}

/* The base is what the step that made it has seen. */
static const char *
workspace_base(const struct sup_doctor_report *report)
{
	const struct sup_doctor_answer *answer =
	    &report->answers[SUP_DOCTOR_WORKSPACE_BASE];

	return answer->error == 0 ? answer->detail : "";
}

static void
put_ways(struct wire_out *out, const struct sup_doctor_report *report)
{
	wire_out_key(out, "ways");
	wire_out_begin_array(out);
	for (unsigned i = 0; i < SUP_WAY_COUNT; i++)
		sup_doctor_way_put_json((enum sup_doctor_way)i,
		    &report->ways[i], report->failed, report->reasons, out);
	wire_out_end_array(out);
	wire_out_key(out, "workspace");
	sup_doctor_workspace_put_json(workspace_base(report), out);
}

void
sup_doctor_put_json(
    const struct sup_doctor_report *report, struct wire_out *out)
{
	wire_out_begin_object(out);
	put_text(out, "schema", "weir.doctor/1");
	put_bool(out, "ok", report->available);
	put_text(out, "level", report->level);
	put_host(out, report);
	wire_out_key(out, "steps");
	wire_out_begin_array(out);
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		put_step(out, report, (enum sup_doctor_step)i);
	wire_out_end_array(out);
	put_raw(out, "isolation", report->isolation);
	put_ways(out, report);
	wire_out_key(out, "trace");
	sup_doctor_trace_put_json(&report->trace, out);
	put_text(out, "verdict", report->verdict);
	wire_out_end_object(out);
	wire_out_newline(out);
}

/* --- for people ----------------------------------------------------------- */

#define WORD_WIDTH 18
#define WHAT_WIDTH 47

static void
print_step(const struct sup_doctor_report *report, enum sup_doctor_step step,
    FILE *stream)
{
	const struct sup_doctor_answer *answer = &report->answers[step];
	const struct sup_doctor_reason *reason = &report->reasons[step];

	(void)fprintf(stream, "%-3s %-*s", answer->error == 0 ? "ok" : "no",
	    WORD_WIDTH, sup_doctor_word(step));
	if (answer->error == 0 && answer->detail[0] == '\0') {
		(void)fprintf(stream, "%s\n", sup_doctor_spec(step)->what);
		return;
	}
	(void)fprintf(stream, "%-*s", WHAT_WIDTH, sup_doctor_spec(step)->what);
	if (answer->error == 0) {
		(void)fprintf(stream, " %s\n", answer->detail);
		return;
	}
	if (answer->error == SUP_DOCTOR_NOT_TRIED) {
		(void)fprintf(
		    stream, " %s: %s\n", reason->error, reason->reason);
		return;
	}
	(void)fprintf(stream, " %s\n", reason->error);
	if (answer->detail[0] != '\0')
		(void)fprintf(stream, "      at: %s\n", answer->detail);
	(void)fprintf(stream, "      reason: %s\n      cure: %s\n",
	    reason->reason, reason->cure);
}

/* An evidence text, unescaped; it fits, or is cut. */
static void
print_string(struct wire_span raw, FILE *stream)
{
	uint8_t text[4096];
	size_t len = 0;

	if (raw.len <= sizeof(text) &&
	    wire_json_unescape(raw, text, sizeof(text), &len) == WIRE_OK)
		(void)fwrite(text, 1, len, stream);
}

static void
print_grades(struct wire_span isolation, FILE *stream)
{
	struct wire_json_cursor cursor;
	struct wire_span text, name = {NULL, 0}, key = {NULL, 0};
	enum wire_json_token token;
	unsigned depth = 0;

	/* isolation > guarantees > NAME > grade and evidence */
	wire_json_cursor_init(&cursor, isolation);
	while (
	    (token = wire_json_cursor_next(&cursor, &text)) != WIRE_TOK_END) {
		if (token == WIRE_TOK_OBJECT_BEGIN)
			depth++;
		else if (token == WIRE_TOK_OBJECT_END)
			depth--;
		else if (token == WIRE_TOK_KEY && depth == 2)
			name = text;
		else if (token == WIRE_TOK_KEY)
			key = text;
		else if (token == WIRE_TOK_STRING && depth == 3 &&
		    wire_json_text_equal(key, WIRE_LIT("grade")))
			(void)fprintf(stream, "%-*.*s %-12.*s", WORD_WIDTH + 3,
			    (int)name.len, (const char *)name.p, (int)text.len,
			    (const char *)text.p);
		else if (token == WIRE_TOK_STRING && depth == 3) {
			print_string(text, stream);
			(void)fputc('\n', stream);
		}
	}
}

void
sup_doctor_put_text(const struct sup_doctor_report *report, FILE *stream)
{
	const struct sup_doctor_host *host = &report->host;

	(void)fprintf(stream, "weir %s on Linux %s (%s), uid %" PRIu32 "%s\n\n",
	    WEIR_VERSION, host->kernel, host->machine, host->uid,
	    host->filtered ? ", under a system-call filter" : "");
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		print_step(report, (enum sup_doctor_step)i, stream);
	(void)fputc('\n', stream);
	print_grades(report->isolation, stream);
	if (report->isolation.len > 0)
		(void)fputc('\n', stream);
	for (unsigned i = 0; i < SUP_WAY_COUNT; i++)
		sup_doctor_way_put_text((enum sup_doctor_way)i,
		    &report->ways[i], report->failed, report->reasons, stream);
	sup_doctor_workspace_put_text(workspace_base(report), stream);
	(void)fputc('\n', stream);
	sup_doctor_trace_put_text(&report->trace, stream);
	if (report->trace.path != NULL)
		(void)fputc('\n', stream);
	(void)fprintf(stream, "%s\n", report->verdict);
}
