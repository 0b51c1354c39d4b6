/*
 * The steps are tried one after the other, each in a child; then one program
 * is run through the library, as `weir run` would. The verdict rests on that
 * execution alone: the steps only say why.
 */
#include "supervisor/cmd_doctor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bsd/string.h>

#include "supervisor/doctor_report.h"
#include "supervisor/exitcodes.h"
#include "supervisor/kinds.h"
#include "supervisor/place.h"
#include "supervisor/printer.h"
#include "supervisor/sys.h"
#include "supervisor/weir.h"
#include "wire/json.h"

/* What is run: it says which Python it runs in. */
static const char program[] = "import sys\n"
			      "return '%d.%d.%d' % sys.version_info[:3]\n";

/* A result of that program, and a report, take far less. */
#define RESULT_MEMBERS 32
#define RESULT_KEYS    1024
#define REPORT_MAX     (256UL * 1024)

struct doctor {
	const struct sup_options *options;
	char **environment;
	struct sup_doctor_report report;
	/* Kept, since the report points into the result. */
	struct weir *weir;
	struct weir_execution *execution;
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
	uint32_t failed = 0;

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

/* --- the execution -------------------------------------------------------- */

/* The execution is not what was asked for: why, in place of a reason from the
 * table. */
static void
fail_execution(struct doctor *doctor, const char *reason, const char *cure)
{
	struct sup_doctor_reason *to =
	    &doctor->report.reasons[SUP_DOCTOR_EXECUTION];

	doctor->report.answers[SUP_DOCTOR_EXECUTION].error =
	    SUP_DOCTOR_NOT_ISOLATED;
	(void)strlcpy(to->error, "not isolated", sizeof(to->error));
	(void)strlcpy(to->reason, reason, sizeof(to->reason));
	(void)strlcpy(to->cure, cure, sizeof(to->cure));
}

static void
on_finished(void *arg, struct weir_execution *execution)
{
	(void)arg;
	(void)execution;
}

/* False with a sentence in error: nothing could be started. */
static bool
execute(struct doctor *doctor, char error[WEIR_ERROR_MAX])
{
	char libexec[PATH_MAX];
	const struct weir_config config = {
	    .python = doctor->options->python,
	    .path = sup_place_env(doctor->environment, "PATH"),
	    .libexec = libexec,
	    .layers = ~UINT32_C(0),
	};
	/* Enough for any host on which it ends at all. */
	const struct weir_limit limits[] = {{"wall", 30ULL * 1000000000}};
	const struct weir_request request = {
	    .program = program,
	    .program_len = sizeof(program) - 1,
	    .limits = limits,
	    .limit_count = 1,
	};
	const struct weir_events events = {.finished = on_finished};
	enum weir_fault fault;
	int r = sup_place_libexec(libexec);

	if (r < 0) {
		(void)snprintf(
		    error, WEIR_ERROR_MAX, "/proc/self/exe: %s", strerror(-r));
		return false;
	}
	doctor->weir = weir_new(&config, &fault, error);
	if (doctor->weir == NULL)
		return false;
	doctor->execution = weir_start(doctor->weir, &request, &events, error);
	if (doctor->execution == NULL)
		return false;
	while (!weir_is_finished(doctor->execution)) {
		if (weir_dispatch(doctor->weir, -1))
			continue;
		(void)strlcpy(
		    error, "the event loop is broken", WEIR_ERROR_MAX);
		return false;
	}
	return true;
}

/* Finds a member of the result; false when the result is not as it should
 * be. */
static bool
find_members(struct doctor *doctor)
{
	struct wire_json_member members[RESULT_MEMBERS];
	struct wire_json_scratch scratch;
	struct wire_span text;
	size_t count = 0;
	void *memory = malloc(wire_json_scratch_size(RESULT_KEYS));
	bool found = false;

	if (memory == NULL)
		return false;
	/* The text is our own, so any seed will do. */
	wire_json_scratch_init(&scratch, memory, RESULT_KEYS, 0);
	text.p = (const uint8_t *)weir_text(
	    doctor->execution, WEIR_TEXT_RESULT, &text.len);
	if (text.p == NULL ||
	    wire_json_scan_object(text, WIRE_MAX_DEPTH, &scratch, members,
		RESULT_MEMBERS, &count, NULL) != WIRE_OK)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (wire_json_text_equal(
			members[i].key, WIRE_LIT("isolation"))) {
			doctor->report.isolation = members[i].value;
			found = true;
		}
		if (wire_json_text_equal(members[i].key, WIRE_LIT("value")) &&
		    members[i].type == WIRE_JSON_STRING &&
		    members[i].value.len < 32)
			doctor->report.python = members[i].value;
	}
	free(memory);
	return found;
}

static void
try_execution(struct doctor *doctor)
{
	char error[WEIR_ERROR_MAX] = "";
	const char *kind;

	if (doctor->report.answers[SUP_DOCTOR_EXECUTION].error != 0)
		return;
	if (!execute(doctor, error)) {
		fail_execution(doctor, error, "see what weir run says");
		return;
	}
	if (!find_members(doctor)) {
		fail_execution(doctor, "its result cannot be read",
		    "see what weir run --json says");
		return;
	}
	kind = weir_text(doctor->execution, WEIR_TEXT_KIND, NULL);
	if (kind != NULL)
		fail_execution(doctor,
		    weir_text(doctor->execution, WEIR_TEXT_MESSAGE, NULL),
		    sup_kind_guidance(sup_kind_from((struct wire_span){
			(const uint8_t *)kind, strlen(kind)})));
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
	sup_doctor_look(&doctor.report.host);
	if (!try_steps(&doctor))
		return code;
	try_execution(&doctor);
	sup_doctor_conclude(&doctor.report);
	printed = options->json ? print_json(&doctor.report)
				: print_text(&doctor.report);
	if (!printed)
		fprintf(
		    stderr, "weir: standard output: it cannot be written\n");
	else
		code = doctor.report.available ? SUP_DOCTOR_AVAILABLE
					       : SUP_DOCTOR_NOT_AVAILABLE;
	weir_execution_free(doctor.execution);
	weir_free(doctor.weir);
	return code;
}
