/*
 * offer: what many offered tools cost a start.
 *
 * usage: offer LIBEXEC PYTHON TOOLS
 *
 * Offers so many commands through the library and runs a program that does
 * nothing. Prints the seconds until they were offered, and those from the start
 * of the execution to its result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/sys.h"
#include "supervisor/weir.h"

static int
complain(const char *what)
{
	fprintf(stderr, "offer: %s\n", what);
	return 1;
}

static bool
offer(struct weir *weir, unsigned long count, char error[WEIR_ERROR_MAX])
{
	for (unsigned long i = 0; i < count; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "tool_%lu", i);
		if (!weir_tool_command(weir, name, "/bin/cat", error))
			return false;
	}
	return true;
}

int
main(int argc, char **argv)
{
	const struct weir_events events = {.arg = NULL};
	const struct weir_request request = {
	    .program = "len(TOOLS)", .program_len = 10};
	struct weir_config config = {.layers = ~0u};
	struct weir_execution *execution;
	char error[WEIR_ERROR_MAX], value[32];
	const char *got;
	size_t len;
	enum weir_fault fault;
	struct weir *weir;
	uint64_t begin, offered, end;

	if (argc != 4)
		return complain("usage: offer LIBEXEC PYTHON TOOLS");
	config.libexec = argv[1];
	config.python = argv[2];
	weir = weir_new(&config, &fault, error);
	if (weir == NULL)
		return complain(error);
	begin = bind_sys_monotonic();
	if (!offer(weir, strtoul(argv[3], NULL, 10), error))
		return complain(error);
	offered = bind_sys_monotonic();
	execution = weir_start(weir, &request, &events, error);
	if (execution == NULL)
		return complain(error);
	while (!weir_is_finished(execution))
		if (!weir_dispatch(weir, 1000))
			return complain("the loop is broken");
	end = bind_sys_monotonic();
	/* All of them have arrived. */
	(void)snprintf(value, sizeof(value), "%lu", strtoul(argv[3], NULL, 10));
	got = weir_text(execution, WEIR_TEXT_VALUE, &len);
	if (got == NULL || len != strlen(value) || memcmp(got, value, len) != 0)
		return complain(weir_text(execution, WEIR_TEXT_RESULT, NULL));
	printf("%.6f %.6f\n", (double)(offered - begin) / 1000000000,
	    (double)(end - offered) / 1000000000);
	weir_execution_free(execution);
	weir_free(weir);
	return 0;
}
