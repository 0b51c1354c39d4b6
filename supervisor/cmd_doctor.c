/*
 * The steps are tried one after the other, each in a child; then one program
 * is run each way that there is. What is available rests on these executions
 * alone: the steps only say why. With --trace one more program is run, to see
 * what it is refused.
 */
#include "supervisor/cmd_doctor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bsd/string.h>

#include "supervisor/doctor_report.h"
#include "supervisor/doctor_trial.h"
#include "supervisor/exitcodes.h"
#include "supervisor/place.h"
#include "supervisor/printer.h"
#include "supervisor/sys.h"
#include "wire/limits.h"

/* A report takes far less. */
#define REPORT_MAX (256UL * 1024 + SUP_TRACE_TEXT + 6 * WIRE_MAX_MESSAGE)

struct doctor {
	const struct sup_options *options;
	char **environment;
	struct sup_doctor_report report;
	/* Kept, since the report points into the results. */
	struct sup_doctor_trial trial;
};

/* --- the steps ------------------------------------------------------------ */

static bool
try_steps(struct doctor *doctor)
{
	struct sup_doctor_try attempt = {
	    .python = doctor->options->python,
	    .path = sup_place_env(doctor->environment, "PATH"),
	};
	struct sup_doctor_answer *answers = doctor->report.answers;
	uint64_t failed = 0;

	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++) {
		enum sup_doctor_step step = (enum sup_doctor_step)i;
		int r = 0;

		if (sup_doctor_missing(step, failed) != SUP_DOCTOR_COUNT)
			answers[i].error = SUP_DOCTOR_NOT_TRIED;
		else if (sup_doctor_spec(step)->attempt != NULL)
			r = sup_doctor_attempt(step, &attempt, &answers[i]);
		if (r < 0) {
			fprintf(stderr, "weir: %s: a child to try it in: %s\n",
			    sup_doctor_word(step), strerror(-r));
			return false;
		}
		if (answers[i].error != 0)
			failed |= SUP_DOCTOR_BIT(i);
	}
	return true;
}

/* --- the executions ------------------------------------------------------- */

static void
try_executions(struct doctor *doctor)
{
	struct sup_doctor_report *report = &doctor->report;
	const struct sup_doctor_way_is *isolated =
	    &report->ways[SUP_WAY_ISOLATED];
	struct sup_doctor_reason *to = &report->reasons[SUP_DOCTOR_EXECUTION];

	if (report->answers[SUP_DOCTOR_EXECUTION].error != 0)
		return;
	sup_doctor_trial_run(&doctor->trial, doctor->options->python,
	    sup_place_env(doctor->environment, "PATH"), report->ways);
	report->isolation = doctor->trial.isolation;
	report->python = doctor->trial.python;
	if (isolated->available)
		return;
	/* In place of a reason from the table. */
	report->answers[SUP_DOCTOR_EXECUTION].error = SUP_DOCTOR_NOT_ISOLATED;
	(void)strlcpy(to->error, "not isolated", sizeof(to->error));
	(void)strlcpy(to->reason, isolated->error, sizeof(to->reason));
	(void)strlcpy(to->cure, isolated->cure, sizeof(to->cure));
}

/* The level that was asked for, or a stronger one. */
static bool
is_available(const struct doctor *doctor)
{
	const struct sup_doctor_way_is *ways = doctor->report.ways;

	if (ways[SUP_WAY_ISOLATED].available)
		return true;
	return doctor->options->level == WEIR_LEVEL_PROCESS &&
	    (ways[SUP_WAY_NAMESPACES].available ||
		ways[SUP_WAY_PLAIN].available);
}

/* --- what is printed ------------------------------------------------------ */

/* SECURITY: paths stand in it, and a path must not drive a terminal. */
static bool
print(const char *text, size_t len)
{
	const char *from = text;
	uint8_t *escaped = NULL;
	bool ok;

	if (isatty(STDOUT_FILENO) == 1) {
		escaped = malloc(4 * len + 1);
		if (escaped == NULL)
			return false;
		len = sup_printer_escape((const uint8_t *)text, len, escaped);
		from = (const char *)escaped;
	}
	ok = fwrite(from, 1, len, stdout) == len && fflush(stdout) == 0;
	free(escaped);
	return ok;
}

static bool
print_json(const struct sup_doctor_report *report)
{
	uint8_t *buffer = malloc(REPORT_MAX);
	struct wire_out out;
	size_t len = 0;
	bool ok = false;

	if (buffer != NULL) {
		wire_out_init(&out, buffer, REPORT_MAX);
		sup_doctor_put_json(report, &out);
		ok = wire_out_finish(&out, &len) == WIRE_OK &&
		    fwrite(buffer, 1, len, stdout) == len &&
		    fflush(stdout) == 0;
	}
	free(buffer);
	return ok;
}

static bool
print_text(const struct sup_doctor_report *report)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);
	bool ok = false;

	if (stream == NULL)
		return false;
	sup_doctor_put_text(report, stream);
	ok = fclose(stream) == 0 && print(text, len);
	free(text);
	return ok;
}

int
sup_cmd_doctor(const struct sup_options *options, char **environment)
{
	/* Large, and there is one in the command's life. */
	static struct doctor doctor;
	int code = SUP_EXIT_OTHER;
	bool printed;

	doctor.options = options;
	doctor.environment = environment;
	/* Who starts us may ignore it; then no child could be waited for. */
	(void)signal(SIGCHLD, SIG_DFL);
	/* An output that nobody reads is an error like any other. */
	(void)signal(SIGPIPE, SIG_IGN);
	doctor.report.trace.path = options->trace;
	if (!sup_doctor_trace_load(&doctor.report.trace)) {
		sup_doctor_trace_release(&doctor.report.trace);
		return SUP_EXIT_USAGE;
	}
	sup_doctor_look(&doctor.report.host);
	if (!try_steps(&doctor))
		return code;
	try_executions(&doctor);
	sup_doctor_trace_run(
	    &doctor.report.trace, doctor.trial.weir, doctor.report.ways);
	sup_doctor_conclude(&doctor.report);
	printed = options->json ? print_json(&doctor.report)
				: print_text(&doctor.report);
	if (!printed)
		fprintf(
		    stderr, "weir: standard output: it cannot be written\n");
	else
		code = is_available(&doctor) ? SUP_DOCTOR_AVAILABLE
					     : SUP_DOCTOR_NOT_AVAILABLE;
	sup_doctor_trace_release(&doctor.report.trace);
	sup_doctor_trial_release(&doctor.trial);
	return code;
}
