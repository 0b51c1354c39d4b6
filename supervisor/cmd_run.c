#include "supervisor/cmd_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/cmd_http.h"
#include "supervisor/cmd_terms.h"
#include "supervisor/cmd_tools.h"
#include "supervisor/cmd_trace.h"
#include "supervisor/exitcodes.h"
#include "supervisor/place.h"
#include "supervisor/printer.h"
#include "supervisor/profile_file.h"
#include "supervisor/profile_read.h"
#include "supervisor/signals.h"
#include "supervisor/sys.h"
#include "supervisor/weir.h"
#include "wire/limits.h"

struct run {
	const struct sup_options *options;
	struct weir_terms *terms;
	struct weir *weir;
	struct weir_execution *execution;
	bool finished;
	bool signalled;		     /* somebody wants the end */
	struct sup_printer out, err; /* of the command itself */
	int signal_fd;
	struct sup_cmd_trace trace;
};

/* --- the program's text --------------------------------------------------- */

static int
read_all(int fd, size_t max, char **ret_text, size_t *ret_len)
{
	char *text = malloc(max + 1);
	ssize_t n;

	if (text == NULL)
		return -ENOMEM;
	/* One byte more than the limit, so that too much shows. */
	n = sup_sys_read_whole(fd, text, max + 1);
	if (n < 0) {
		free(text);
		return (int)n;
	}
	*ret_text = text;
	*ret_len = (size_t)n;
	return 0;
}

/* The text, malloced, or NULL with a message printed and the exit code in
 * *ret_code. FILE is read here and sent as text; its directory is not
 * granted. */
static char *
load_program(const struct sup_options *options, size_t *ret_len, int *ret_code)
{
	size_t max = sup_limit_spec(SUP_LIMIT_PROGRAM)->initial;
	const char *name = options->program;
	char *text = NULL;
	int fd = STDIN_FILENO;
	int r;

	if (options->source == SUP_SOURCE_TEXT) {
		*ret_len = strlen(name);
		text = strdup(name);
		if (text == NULL)
			fprintf(stderr, "weir: out of memory\n");
		*ret_code = SUP_EXIT_OTHER;
		return text;
	}
	*ret_code = SUP_EXIT_USAGE;
	if (options->source == SUP_SOURCE_FILE) {
		fd = sup_sys_open(name, O_RDONLY);
		if (fd < 0) {
			fprintf(stderr,
			    "weir: %s: %s; name a readable program, or give "
			    "its text with -c\n",
			    name, strerror(-fd));
			return NULL;
		}
	} else {
		name = "standard input";
	}
	r = read_all(fd, max, &text, ret_len);
	if (r < 0)
		fprintf(stderr, "weir: %s: %s\n", name, strerror(-r));
	if (r == -ENOMEM)
		*ret_code = SUP_EXIT_OTHER;
	if (fd != STDIN_FILENO)
		sup_sys_close(&fd);
	return text;
}

/* --- set-up --------------------------------------------------------------- */

static int
fault_code(enum weir_fault fault)
{
	static const enum sup_exit_detail details[] = {
	    [WEIR_FAULT_NONE] = SUP_EXIT_PLAIN,
	    [WEIR_FAULT_OTHER] = SUP_EXIT_PLAIN,
	    [WEIR_FAULT_REQUEST] = SUP_EXIT_PLAIN,
	    [WEIR_FAULT_NO_INTERPRETER] = SUP_EXIT_NOT_FOUND,
	    [WEIR_FAULT_BAD_INTERPRETER] = SUP_EXIT_NOT_EXECUTABLE,
	};

	return sup_exit_code(SUP_KIND_SETUP, details[fault], 0);
}

/* What was asked for, or what the host could not give. */
static int
request_code(const struct weir *weir)
{
	return weir_last_fault(weir) == WEIR_FAULT_REQUEST ? SUP_EXIT_USAGE
							   : SUP_EXIT_OTHER;
}

/* The servers of a file, if one is named; likewise. */
static int
load_servers(struct run *run)
{
	struct weir_source source = {.name = run->options->mcp_config};
	char error[WEIR_ERROR_MAX], *text = NULL;
	bool no_memory;
	int code = 0;

	if (source.name == NULL)
		return 0;
	if (!sup_profile_file_read(source.name, SUP_PROFILE_TEXT, &text,
		&source.len, &no_memory, error)) {
		code = no_memory ? SUP_EXIT_OTHER : SUP_EXIT_USAGE;
	} else {
		source.text = text;
		if (!weir_mcp_servers(run->weir, &source, error))
			code = request_code(run->weir);
	}
	if (code != 0)
		fprintf(stderr, "weir: %s\n", error);
	free(text);
	return code;
}

/* All that the options name; likewise. */
static int
offer_tools(struct run *run)
{
	char error[WEIR_ERROR_MAX];
	int code = sup_cmd_tools(run->weir, run->options, error);

	if (code == 0) {
		code = load_servers(run);
		if (code == 0)
			code =
			    sup_cmd_http(run->weir, run->options->http_tools);
		if (code != 0)
			return code;
		code = sup_cmd_marks(run->weir, run->options, error);
	}
	if (code != 0)
		fprintf(stderr, "weir: %s\n", error);
	return code;
}

/* 0, or the exit code with a message printed. */
static int
open_weir(struct run *run, char **environment)
{
	char libexec[PATH_MAX], error[WEIR_ERROR_MAX];
	struct weir_config config = {
	    .python = run->options->python,
	    .path = sup_place_env(environment, "PATH"),
	    .libexec = libexec,
	    .environment = (const char *const *)environment,
	    .layers = run->options->layers,
	    .state = run->options->state.dir,
	    .disk = run->options->state.disk,
	    .record_values = run->options->state.values,
	};
	enum weir_fault fault;
	int r = sup_place_libexec(libexec);

	/* The command line's word before the profile's. */
	if (!run->options->python_given &&
	    weir_terms_python(run->terms) != NULL)
		config.python = weir_terms_python(run->terms);
	if (r < 0) {
		fprintf(stderr, "weir: /proc/self/exe: %s; %s\n", strerror(-r),
		    r == -ENAMETOOLONG ? "install weir in a shorter path"
				       : "weir needs /proc");
		return SUP_EXIT_OTHER;
	}
	run->weir = weir_new(&config, &fault, error);
	if (run->weir == NULL) {
		fprintf(stderr, "weir: %s\n", error);
		return fault_code(fault);
	}
	return offer_tools(run);
}

/* --- while it runs -------------------------------------------------------- */

static bool
on_output(void *arg, enum weir_stream stream, const void *bytes, size_t len)
{
	struct run *run = arg;

	return sup_printer_put(
	    stream == WEIR_STDOUT ? &run->out : &run->err, bytes, len);
}

static void
on_finished(void *arg, struct weir_execution *execution)
{
	struct run *run = arg;

	(void)execution;
	run->finished = true;
}

static void
step_printer(
    struct run *run, struct sup_printer *printer, enum weir_stream stream)
{
	if (sup_printer_step(printer) && run->execution != NULL)
		weir_resume_output(run->execution, stream);
}

/* One turn of the command's own loop; false when it is broken. */
static bool
turn(struct run *run)
{
	struct pollfd polled[4] = {
	    {weir_fd(run->weir), POLLIN, 0},
	    {run->signal_fd, POLLIN, 0},
	    {sup_printer_is_empty(&run->out) ? -1 : run->out.fd, POLLOUT, 0},
	    {sup_printer_is_empty(&run->err) ? -1 : run->err.fd, POLLOUT, 0},
	};
	char signals[512];

	int n = sup_sys_poll(polled, 4, -1);

	if (n < 0) {
		fprintf(stderr, "weir: waiting for events: %s\n", strerror(-n));
		return false;
	}
	if (polled[1].revents != 0) {
		(void)sup_sys_read(run->signal_fd, signals, sizeof(signals));
		run->signalled = true;
		weir_cancel(run->execution);
	}
	if (polled[2].revents != 0)
		step_printer(run, &run->out, WEIR_STDOUT);
	if (polled[3].revents != 0)
		step_printer(run, &run->err, WEIR_STDERR);
	if (!weir_dispatch(run->weir, 0)) {
		fprintf(stderr,
		    "weir: the event loop is broken; the program "
		    "was ended\n");
		return false;
	}
	return true;
}

/* --- afterwards ----------------------------------------------------------- */

/* How long an output may take nothing when somebody has sent a signal. */
#define STUCK_MS 1000

/* Everything that is queued goes out, however slow the reader; the signals
 * have their ordinary effect again, so it can be ended. One that came before
 * counts as well: then an output that is stuck is given up. */
static void
write_out(const struct run *run, struct sup_printer *printer)
{
	while (!sup_printer_is_empty(printer)) {
		struct pollfd polled = {printer->fd, POLLOUT, 0};
		int n =
		    sup_sys_poll(&polled, 1, run->signalled ? STUCK_MS : -1);

		if (n <= 0) {
			sup_printer_give_up(printer);
			return;
		}
		(void)sup_printer_step(printer);
	}
}

/* In pieces that the queue takes. */
static void
put_text(const struct run *run, struct sup_printer *printer, const char *text,
    size_t len)
{
	while (len > 0) {
		size_t part = len < SUP_PRINTER_HIGH ? len : SUP_PRINTER_HIGH;

		(void)sup_printer_put(printer, text, part);
		write_out(run, printer);
		text += part;
		len -= part;
	}
}

static void
put_str(const struct run *run, struct sup_printer *printer, const char *text)
{
	put_text(run, printer, text, strlen(text));
}

static void
report(struct run *run)
{
	const struct weir_execution *e = run->execution;
	const char *kind = weir_text(e, WEIR_TEXT_KIND, NULL);
	const char *text;
	size_t len;

	if (run->options->json) {
		text = weir_text(e, WEIR_TEXT_RESULT, &len);
		put_text(run, &run->out, text, len);
		put_str(run, &run->out, "\n");
		return;
	}
	if (run->options->value && kind == NULL) {
		text = weir_text(e, WEIR_TEXT_VALUE, &len);
		put_text(run, &run->out, text != NULL ? text : "null",
		    text != NULL ? len : 4);
		put_str(run, &run->out, "\n");
	}
	if (kind == NULL)
		return;
	text = weir_text(e, WEIR_TEXT_TRACEBACK, &len);
	if (text != NULL)
		put_text(run, &run->err, text, len);
	put_str(run, &run->err, "weir: ");
	put_str(run, &run->err, kind);
	put_str(run, &run->err, ": ");
	text = weir_text(e, WEIR_TEXT_MESSAGE, &len);
	put_text(run, &run->err, text, len);
	put_str(run, &run->err, "\n");
}

static int
run_program(struct run *run, const char *program, size_t len)
{
	const struct weir_request request = {
	    .program = program,
	    .program_len = len,
	    .terms = run->terms,
	    .run = run->options->state.run,
	    .trace = run->options->trace != NULL,
	};
	const struct weir_events events = {
	    .arg = run,
	    .output = run->options->json ? NULL : on_output,
	    .finished = on_finished,
	};
	char error[WEIR_ERROR_MAX];
	int code;

	run->signal_fd = sup_signals_take();
	run->execution = weir_start(run->weir, &request, &events, error);
	if (run->execution == NULL) {
		fprintf(stderr, "weir: %s\n", error);
		return request_code(run->weir);
	}
	if (run->options->unconfined)
		fprintf(stderr,
		    "weir: warning: --unconfined: no namespaces, no Landlock, "
		    "no seccomp; the program has your rights\n");
	while (!run->finished)
		if (!turn(run))
			return SUP_EXIT_OTHER;
	sup_signals_release(&run->signal_fd);
	sup_printer_flush_held(&run->out);
	sup_printer_flush_held(&run->err);
	write_out(run, &run->out);
	write_out(run, &run->err);
	report(run);
	code = weir_exit_code(run->execution);
	if (!sup_cmd_trace_write(&run->trace, run->execution) && code == 0)
		code = SUP_EXIT_OTHER;
	/* Nothing is lost in silence: a result that could not be written is
	 * no success. */
	if (run->out.error != 0) {
		fprintf(stderr, "weir: standard output: %s\n",
		    strerror(run->out.error));
		if (code == 0)
			code = SUP_EXIT_OTHER;
	}
	return code;
}

int
sup_cmd_run(const struct sup_options *options, char **environment)
{
	/* Not on the stack and not on the heap: its queues are large and
	 * mostly untouched. The command runs one program in its life. */
	static struct run run;
	size_t len = 0;
	char *program;
	bool escape = !options->raw && !options->json;
	int code;

	run.options = options;
	run.signal_fd = -1;
	run.trace.fd = -1;
	program = load_program(options, &len, &code);
	if (program == NULL)
		return code;
	sup_printer_init(
	    &run.out, STDOUT_FILENO, escape && isatty(STDOUT_FILENO) == 1);
	sup_printer_init(
	    &run.err, STDERR_FILENO, escape && isatty(STDERR_FILENO) == 1);
	run.terms = sup_cmd_terms(options, &code);
	if (run.terms != NULL)
		code = open_weir(&run, environment);
	if (run.weir != NULL && code == 0)
		code = sup_cmd_trace_open(&run.trace, options->trace);
	if (run.weir != NULL && code == 0)
		code = run_program(&run, program, len);
	sup_cmd_trace_close(&run.trace);
	weir_execution_free(run.execution);
	weir_free(run.weir);
	weir_terms_free(run.terms);
	sup_printer_release(&run.out);
	sup_printer_release(&run.err);
	free(program);
	return code;
}
