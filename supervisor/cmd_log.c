#include "supervisor/cmd_log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/ledger_fold.h"
#include "bindings/ledger_read.h"
#include "bindings/sys.h"
#include "supervisor/exitcodes.h"
#include "supervisor/help.h"
#include "supervisor/log_line.h"
#include "supervisor/log_options.h"
#include "supervisor/printer.h"
#include "supervisor/state_dir.h"
#include "supervisor/sys.h"
#include "supervisor/sys_files.h"

#define BUFFER (1024UL * 1024)
/* How long a writer may take to finish a record before its tail is torn. */
#define WRITER_WAIT_NS	1000000000ULL
#define WRITER_SLEEP_NS 1000000ULL
#define FIRST_SLOTS	1024
/* Of the calls whose end was never seen. */
#define NAMED_MAX 20

struct log {
	const struct sup_log_options *options;
	const char *name; /* escaped, for messages */
	int fd;
	bool escape; /* JSON goes to a terminal */
	struct bind_ledger_reader at;
	struct bind_ledger_fold fold;
	struct bind_ledger_calls calls;
	struct bind_json_check check;
	bool head_seen;
	const char *failure; /* what ended it early; NULL: nothing */
	uint64_t torn_len;
	struct bind_ledger_item item;
	uint8_t line[SUP_LOG_JSON_MAX];
	uint8_t escaped[4 * SUP_LOG_JSON_MAX];
	uint8_t buffer[BUFFER];
};

enum progress { GOING_ON, ALTERED, FAILED };

static enum progress
give_up(struct log *log, const char *failure)
{
	log->failure = failure;
	return FAILED;
}

/* --- one record ----------------------------------------------------------- */

static bool
print_record(struct log *log)
{
	const uint8_t *from = log->line;
	struct bind_text text;
	size_t len = 0;

	if (log->options->json) {
		if (sup_log_json(&log->item, log->at.hash, &log->check,
			log->line, sizeof(log->line), &len) != WIRE_OK)
			return false;
	} else {
		bind_text_init(&text, log->line, SUP_LOG_ROW_MAX);
		sup_log_row(&log->item, &text);
		len = text.len;
	}
	if (log->escape) {
		len = sup_printer_escape(from, len, log->escaped);
		from = log->escaped;
	}
	return fwrite(from, 1, len, stdout) == len;
}

static enum progress
grow_calls(struct log *log)
{
	struct bind_ledger_call *old = log->calls.slots, *memory;
	size_t slots, size;

	slots = log->calls.max == 0 ? FIRST_SLOTS : 2 * log->calls.max;
	memory = wire_mul(slots, sizeof(*memory), &size) ? malloc(size) : NULL;
	if (memory == NULL)
		return give_up(log, "out of memory");
	bind_ledger_calls_grow(&log->calls, memory, slots);
	free(old);
	return GOING_ON;
}

static enum progress
take_record(struct log *log)
{
	const struct bind_ledger_item *item = &log->item;
	enum wire_err err;

	err = bind_ledger_calls_add(&log->calls, &item->record, item->offset);
	if (err == WIRE_ERR_NEED_SCRATCH) {
		if (grow_calls(log) != GOING_ON)
			return FAILED;
		err = bind_ledger_calls_add(
		    &log->calls, &item->record, item->offset);
	}
	if (err != WIRE_OK) {
		fprintf(stderr,
		    "weir: %s: altered: record %llu at offset %llu: it ends a "
		    "call that is not open, or starts one that is\n",
		    log->name, (unsigned long long)log->at.records - 1,
		    (unsigned long long)item->offset);
		return ALTERED;
	}
	bind_ledger_fold_add(&log->fold, &item->record);
	if (log->options->head_given &&
	    memcmp(log->at.hash, log->options->head, BIND_SHA256_LEN) == 0)
		log->head_seen = true;
	if ((!log->options->verify || log->options->json) && !print_record(log))
		return give_up(log, "standard output: it cannot be written");
	return GOING_ON;
}

/* --- the file ------------------------------------------------------------- */

/* Reads on to the end of the file, as it is now. */
static enum progress
read_on(struct log *log)
{
	size_t have = 0;

	for (;;) {
		const uint64_t base = log->at.offset;
		enum bind_ledger_read r;
		size_t used = 0;
		ssize_t n = sup_sys_read_at(log->fd, log->buffer + have,
		    sizeof(log->buffer) - have, base + have);

		if (n < 0)
			return give_up(log, bind_sys_error_text((int)-n));
		have += (size_t)n;
		for (;;) {
			enum progress progress;

			r = bind_ledger_read(&log->at,
			    (struct wire_span){log->buffer + used, have - used},
			    &log->item);
			used = (size_t)(log->at.offset - base);
			if (r != BIND_LEDGER_RECORD)
				break;
			progress = take_record(log);
			if (progress != GOING_ON)
				return progress;
		}
		if (r == BIND_LEDGER_ALTERED)
			return ALTERED;
		have -= used;
		memmove(log->buffer, log->buffer + used, have);
		if (n == 0) {
			log->torn_len = have;
			return GOING_ON;
		}
	}
}

/*
 * To the end. A writer may be in the middle of a record, or may take one back
 * that it could not finish: what looks torn or altered is looked at once more
 * while nobody writes.
 */
static enum progress
read_to_end(struct log *log)
{
	const uint64_t end = bind_sys_monotonic() + WRITER_WAIT_NS;
	enum progress progress = read_on(log);
	int r;

	if (progress == FAILED ||
	    (progress == GOING_ON && log->torn_len == 0) ||
	    (progress == ALTERED && log->at.fault == BIND_LEDGER_NO_FAULT))
		return progress;
	while ((r = bind_sys_lock(log->fd, BIND_SYS_SHARED)) == -EAGAIN &&
	    bind_sys_monotonic() < end)
		bind_sys_sleep(WRITER_SLEEP_NS);
	log->at.fault = BIND_LEDGER_NO_FAULT;
	progress = read_on(log);
	if (r == 0)
		(void)bind_sys_lock(log->fd, BIND_SYS_UNLOCK);
	if (progress == ALTERED && log->at.fault != BIND_LEDGER_NO_FAULT)
		fprintf(stderr,
		    "weir: %s: altered: record %llu at offset %llu: %s\n",
		    log->name, (unsigned long long)log->at.records,
		    (unsigned long long)log->at.offset,
		    bind_ledger_fault_text(log->at.fault));
	return progress;
}

/* Until a signal ends the process, or the output is gone. */
static enum progress
follow(struct log *log)
{
	enum progress progress;
	char events[4096];
	int watch_fd = sup_sys_watch_file(log->fd);

	if (watch_fd < 0)
		return give_up(log, bind_sys_error_text(-watch_fd));
	do {
		struct pollfd polled[2] = {
		    {watch_fd, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
		uint64_t size;
		int r;

		/* What was written before the watch began is read first. */
		progress = read_on(log);
		if (progress == ALTERED)
			progress = read_to_end(log);
		if (progress != GOING_ON)
			break;
		if (fflush(stdout) != 0) {
			progress = give_up(
			    log, "standard output: it cannot be written");
			break;
		}
		r = bind_sys_file_size(log->fd, &size);
		if (r == -ENOENT) {
			progress = give_up(log, "the ledger was removed");
			break;
		}
		if (r == 0 && size < log->at.offset) {
			fprintf(stderr,
			    "weir: %s: altered: records were cut off\n",
			    log->name);
			progress = ALTERED;
			break;
		}
		if (sup_sys_poll(polled, 2, -1) < 0 || polled[1].revents != 0)
			break;
		(void)sup_sys_read(watch_fd, events, sizeof(events));
	} while (progress == GOING_ON);
	sup_sys_close(&watch_fd);
	return progress;
}

/* --- what it adds up to --------------------------------------------------- */

static void
print_hex(FILE *stream, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(stream, "%02x", bytes[i]);
}

static void
print_calls(const struct log *log, FILE *stream)
{
	const struct bind_ledger_call *call;
	size_t cursor = 0, count = 0;

	while ((call = bind_ledger_calls_next(&log->calls, &cursor)) != NULL) {
		if (count++ == NAMED_MAX) {
			fprintf(stream, "... and %zu more\n",
			    log->calls.count - NAMED_MAX);
			return;
		}
		fprintf(stream, "unknown: call %llu of execution ",
		    (unsigned long long)call->call);
		print_hex(stream, call->execution, sizeof(call->execution));
		fprintf(stream,
		    ": started at offset %llu, and its end is not recorded\n",
		    (unsigned long long)call->offset);
	}
}

static void
print_summary(const struct log *log, FILE *stream)
{
	const struct bind_ledger_fold *fold = &log->fold;

	fprintf(stream,
	    "%llu records in %llu bytes: %llu executions, %llu closed; "
	    "%llu calls: %llu completed, %llu failed, %llu refused, "
	    "%llu unknown; %llu bytes of arguments, %llu of results\n",
	    (unsigned long long)log->at.records,
	    (unsigned long long)log->at.offset,
	    (unsigned long long)fold->opened, (unsigned long long)fold->closed,
	    (unsigned long long)(fold->started + fold->refused),
	    (unsigned long long)fold->completed,
	    (unsigned long long)fold->failed, (unsigned long long)fold->refused,
	    (unsigned long long)(fold->unknown +
		bind_ledger_fold_dangling(fold)),
	    (unsigned long long)fold->argument_bytes,
	    (unsigned long long)fold->result_bytes);
	print_calls(log, stream);
	fprintf(stream, "head: ");
	print_hex(stream, log->at.hash, sizeof(log->at.hash));
	fprintf(stream, "\n");
}

/* The exit code. */
static int
conclude(struct log *log, enum progress progress)
{
	int code = progress == ALTERED ? SUP_LOG_ALTERED : SUP_LOG_INTACT;

	if (progress == FAILED) {
		fprintf(stderr, "weir: %s: %s\n", log->name, log->failure);
		return SUP_EXIT_OTHER;
	}
	/* As JSON there is nothing on standard output but records. */
	print_summary(log, log->options->json ? stderr : stdout);
	if (progress == GOING_ON && log->torn_len > 0)
		fprintf(stderr,
		    "weir: %s: torn tail: the last %llu bytes, from offset "
		    "%llu on, are a record that was not finished; what is "
		    "before them is intact\n",
		    log->name, (unsigned long long)log->torn_len,
		    (unsigned long long)log->at.offset);
	if (log->options->head_given && !log->head_seen) {
		fprintf(stderr,
		    "weir: %s: altered: no record has the hash of --head; "
		    "records were cut off, or it was written anew\n",
		    log->name);
		code = SUP_LOG_ALTERED;
	}
	return code;
}

static int
open_ledger(const struct sup_log_options *options, char error[WEIR_ERROR_MAX])
{
	return options->is_run
	    ? sup_state_read_run(options->state, options->operand, error)
	    : sup_state_read_file(options->operand, error);
}

int
sup_cmd_log(int argc, char *const argv[])
{
	/* Large, mostly untouched, and there is one in the command's life. */
	static struct log log;
	struct sup_log_options options;
	char usage[SUP_USAGE_TEXT], error[WEIR_ERROR_MAX];
	char name[SUP_USAGE_QUOTED];
	enum progress progress;
	uint64_t seed;
	int code;

	if (sup_log_options_parse(argc, argv, &options, usage) != WIRE_OK) {
		fprintf(stderr, "%s\n", usage);
		return SUP_EXIT_USAGE;
	}
	if (options.help) {
		sup_help_print_log(stdout);
		return 0;
	}
	/* An output that nobody reads is an error like any other. */
	(void)signal(SIGPIPE, SIG_IGN);
	log.options = &options;
	log.name = sup_usage_quote(options.operand, name);
	log.escape = options.json && isatty(STDOUT_FILENO) == 1;
	log.fd = open_ledger(&options, error);
	if (log.fd < 0) {
		fprintf(stderr, "weir: log: %s\n", error);
		return SUP_EXIT_USAGE;
	}
	if (sup_sys_random(&seed, sizeof(seed)) < 0)
		seed = 0; /* slower at worst */
	bind_json_check_init(&log.check, seed);
	bind_ledger_calls_init(&log.calls, seed, NULL, 0);
	bind_ledger_reader_init(&log.at);
	/* That of an empty ledger. */
	if (options.head_given)
		log.head_seen =
		    memcmp(log.at.hash, options.head, BIND_SHA256_LEN) == 0;
	progress = options.follow ? follow(&log) : read_to_end(&log);
	code = conclude(&log, progress);
	if (fflush(stdout) != 0 && code != SUP_EXIT_OTHER) {
		fprintf(
		    stderr, "weir: standard output: it cannot be written\n");
		code = SUP_EXIT_OTHER;
	}
	bind_json_check_release(&log.check);
	free(log.calls.slots);
	sup_sys_close(&log.fd);
	return code;
}
