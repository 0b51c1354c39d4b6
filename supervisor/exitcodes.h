/*
 * Exit codes of the command by kind (I1), as data.
 *
 * Owns: one constant table that a test walks and the manual repeats.
 * Threads: pure.
 */
#ifndef SUP_EXITCODES_H
#define SUP_EXITCODES_H

#include <stddef.h>

#include "supervisor/kinds.h"

/* What an exit code needs to know beside the kind. */
enum sup_exit_detail {
	SUP_EXIT_PLAIN,
	SUP_EXIT_BY_SIGNAL,	 /* worker_exit: ended by a signal */
	SUP_EXIT_NOT_EXECUTABLE, /* setup: the interpreter cannot be run */
	SUP_EXIT_NOT_FOUND,	 /* setup: there is no such interpreter */
};

struct sup_exit_row {
	enum sup_kind kind;
	enum sup_exit_detail detail;
	int code;	    /* the signal's number is added BY_SIGNAL */
	const char *manual; /* how the manual names the row */
};

/* Command line or a configuration file: no execution, so no kind. */
#define SUP_EXIT_USAGE 2
/* Everything that no row names, for main's own failures too. */
#define SUP_EXIT_OTHER 125

const struct sup_exit_row *sup_exit_rows(size_t *ret_count);

/*
 * The code for an outcome. signal is looked at only with BY_SIGNAL, 1 to 64.
 * A detail that the kind has no row for counts as PLAIN.
 */
int sup_exit_code(enum sup_kind kind, enum sup_exit_detail detail, int signal);

#endif
