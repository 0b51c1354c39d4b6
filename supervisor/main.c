/*
 * weir: the command.
 *
 * Theory of operation: one process, one thread. The signals that a person or
 * a service manager ends it with are taken through a signalfd (signals.c) while
 * a program runs, so that its tree is ended first and the result is still
 * written; the library beneath (weir.h) knows nothing of signals. Everything
 * else is in cmd_run.c; what `weir doctor` does in cmd_doctor.c,
 * `weir log` in cmd_log.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "supervisor/cmd_doctor.h"
#include "supervisor/cmd_log.h"
#include "supervisor/cmd_run.h"
#include "supervisor/exitcodes.h"
#include "supervisor/help.h"
#include "supervisor/options.h"

extern char **environ;

/* A host may start us with 0, 1 or 2 closed; what is opened next would then
 * pass for one of them. */
static bool
make_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	static struct sup_options options;
	char usage[SUP_USAGE_TEXT];

	if (!make_standard_fds()) {
		fprintf(stderr,
		    "weir: descriptors 0 to 2: one is closed, and "
		    "/dev/null cannot stand in for it\n");
		return SUP_EXIT_OTHER;
	}
	if (sup_options_parse(argc, argv, &options, usage) != WIRE_OK) {
		fprintf(stderr, "%s\n", usage);
		return SUP_EXIT_USAGE;
	}
	switch (options.action) {
	case SUP_ACTION_HELP:
		sup_help_print(stdout);
		return 0;
	case SUP_ACTION_VERSION:
		sup_help_print_version(stdout);
		return 0;
	case SUP_ACTION_DOCTOR_HELP:
		sup_help_print_doctor(stdout);
		return 0;
	case SUP_ACTION_DOCTOR:
		return sup_cmd_doctor(&options, environ);
	case SUP_ACTION_LOG:
		return sup_cmd_log(argc - 2, argv + 2);
	case SUP_ACTION_RUN:
		break;
	}
	return sup_cmd_run(&options, environ);
}
