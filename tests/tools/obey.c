/*
 * obey: a host that does what its program says, through the library.
 *
 * Usage: obey LIBEXEC PYTHON STATE RUN TURNS PROGRAM
 *            [tool:NAME=COMMAND | files:NAME=ROOT | limit:NAME=NUMBER |
 *             disk | again]...
 *
 * Runs PROGRAM once and prints its result; with `again` twice in the same Run,
 * a line each, or why the second was not started. `disk` is the durability of
 * the ledger. Of what it writes to standard output these lines are orders:
 *
 *	cancel		ends it
 *	withdraw NAME	takes a tool back
 *	approve NAME	marks a tool as one that requires an approval
 *	suspend NAME	marks a tool as one that may suspend
 *	offer NAME	adds a tool that answers 1
 *
 * They are carried out when the library has returned. TURNS: cancelled after
 * so many turns of the loop, as well; 0 is before the first, -1 never. Exits
 * with 0 when there was a result, with 3 when TURNS were not reached.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/weir.h"

#define LIMITS_MAX 16

struct host {
	struct weir *weir;
	struct weir_execution *execution;
	bool finished, again;
	size_t len;
	char orders[4096]; /* not carried out yet */
};

static void
die(const char *what)
{
	fprintf(stderr, "obey: %s\n", what);
	exit(1);
}

static bool
on_output(void *arg, enum weir_stream stream, const void *bytes, size_t len)
{
	struct host *host = arg;

	if (stream == WEIR_STDERR)
		return true;
	if (len > sizeof(host->orders) - host->len)
		die("too many orders");
	memcpy(host->orders + host->len, bytes, len);
	host->len += len;
	return true;
}

static void
on_finished(void *arg, struct weir_execution *execution)
{
	struct host *host = arg;

	(void)execution;
	host->finished = true;
}

static void
carry_out(struct host *host, const char *order)
{
	char error[WEIR_ERROR_MAX] = "what is that?";
	const char *name = strchr(order, ' ');
	bool good = false;

	if (strcmp(order, "cancel") == 0) {
		weir_cancel(host->execution);
		good = true;
	} else if (strncmp(order, "withdraw ", 9) == 0) {
		good = weir_tool_withdraw(host->weir, name + 1, error);
	} else if (strncmp(order, "approve ", 8) == 0) {
		good = weir_tool_mark(
		    host->weir, name + 1, WEIR_TOOL_REQUIRES_APPROVAL, error);
	} else if (strncmp(order, "suspend ", 8) == 0) {
		good = weir_tool_mark(
		    host->weir, name + 1, WEIR_TOOL_MAY_SUSPEND, error);
	} else if (strncmp(order, "offer ", 6) == 0) {
		good = weir_tool_command(
		    host->weir, name + 1, "/bin/echo 1", error);
	}
	if (!good)
		die(error);
}

static void
obey(struct host *host)
{
	char *line = host->orders, *newline;
	size_t left = host->len;

	while ((newline = memchr(line, '\n', left)) != NULL) {
		*newline = '\0';
		carry_out(host, line);
		left -= (size_t)(newline + 1 - line);
		line = newline + 1;
	}
	memmove(host->orders, line, left);
	host->len = left;
}

/* tool:NAME=COMMAND, files:NAME=ROOT, limit:NAME=NUMBER, disk or again. */
static void
take_word(struct host *host, char *word, struct weir_limit *limits,
    size_t *limit_count)
{
	char error[WEIR_ERROR_MAX];
	char *name = strchr(word, ':'), *value = strchr(word, '=');
	struct weir_files files = {0};

	if (strcmp(word, "again") == 0)
		host->again = true;
	if (strcmp(word, "again") == 0 || strcmp(word, "disk") == 0)
		return;
	if (name == NULL || value == NULL)
		die("a word without ':' or '='");
	*name++ = *value++ = '\0';
	if (strcmp(word, "limit") == 0 && *limit_count < LIMITS_MAX) {
		limits[*limit_count] =
		    (struct weir_limit){name, strtoull(value, NULL, 10)};
		++*limit_count;
	} else if (strcmp(word, "files") == 0) {
		files.root = value;
		if (!weir_tool_files(host->weir, name, &files, error))
			die(error);
	} else if (!weir_tool_command(host->weir, name, value, error)) {
		die(error);
	}
}

static void
run_again(struct host *host, const struct weir_request *request,
    const struct weir_events *events)
{
	char error[WEIR_ERROR_MAX];
	const char *result;
	size_t len;

	host->finished = false;
	host->execution = weir_start(host->weir, request, events, error);
	if (host->execution == NULL) {
		printf("%s\n", error);
		return;
	}
	while (!host->finished)
		if (!weir_dispatch(host->weir, -1))
			die("the loop is broken");
	result = weir_text(host->execution, WEIR_TEXT_RESULT, &len);
	printf("%.*s\n", (int)len, result);
	weir_execution_free(host->execution);
}

int
main(int argc, char **argv)
{
	struct weir_config config = {.layers = ~0u};
	struct weir_limit limits[LIMITS_MAX];
	struct weir_request request = {.limits = limits};
	static struct host host;
	const struct weir_events events = {
	    .arg = &host, .output = on_output, .finished = on_finished};
	char error[WEIR_ERROR_MAX];
	const char *result;
	enum weir_fault fault;
	size_t len;
	long turns;

	if (argc < 7)
		die("six words, and more");
	config.libexec = argv[1];
	config.python = argv[2];
	config.state = argv[3];
	config.environment = (const char *const[]){"PATH=/usr/bin:/bin", NULL};
	request.run = argv[4];
	turns = strtol(argv[5], NULL, 10);
	request.program = argv[6];
	request.program_len = strlen(argv[6]);
	for (int i = 7; i < argc; i++)
		config.disk |= strcmp(argv[i], "disk") == 0;
	host.weir = weir_new(&config, &fault, error);
	if (host.weir == NULL)
		die(error);
	for (int i = 7; i < argc; i++)
		take_word(&host, argv[i], limits, &request.limit_count);
	host.execution = weir_start(host.weir, &request, &events, error);
	if (host.execution == NULL)
		die(error);
	for (; !host.finished; turns--) {
		if (turns == 0)
			weir_cancel(host.execution);
		if (!weir_dispatch(host.weir, -1))
			die("the loop is broken");
		if (!host.finished)
			obey(&host);
	}
	/* Of one that is over nothing becomes another. */
	weir_cancel(host.execution);
	result = weir_text(host.execution, WEIR_TEXT_RESULT, &len);
	printf("%.*s\n", (int)len, result);
	weir_execution_free(host.execution);
	if (host.again)
		run_again(&host, &request, &events);
	weir_free(host.weir);
	return turns >= 0 ? 3 : 0;
}
