/*
 * A local command as a tool: what is to be run, settled once (B14).
 *
 * Owns: copies of everything. Refuses: a command that is not there now, so that
 * a wrong configuration fails when it is loaded. Immutable after it was made.
 */
#ifndef BIND_COMMAND_H
#define BIND_COMMAND_H

#include "wire/err.h"
#include "wire/limits.h"
#include "wire/span.h"

/* Words of a command line, its name included; and bytes of it. */
#define BIND_COMMAND_WORDS 256
#define BIND_COMMAND_LINE  (64 * WIRE_KIB)
/* Bytes of a path. */
#define BIND_COMMAND_PATH 4096

struct bind_command {
	char *guardian;	    /* absolute path */
	char *path;	    /* absolute path of the command */
	char **argv;	    /* of the guardian, the command's behind it */
	char **environment; /* NAME=VALUE, NULL-terminated */
	char *text;	    /* what argv points into */
	char *directory;    /* where it runs; NULL: `/` */
};

/*
 * From a command line (bindings/shell_words.h).
 *
 * guardian is an absolute path. environment is a NULL-terminated list of
 * NAME=VALUE, of which HOME LOGNAME PATH SHELL TERM USER LANG are taken. A
 * command without a slash is looked up in that PATH (or /usr/bin:/bin), whose
 * relative entries are passed over; one with a slash is taken from the current
 * directory. Links are not resolved: some programs go by their name.
 *
 * What bind_shell_split says (site "quoting"); BAD_ARGUMENT (site "empty",
 * "length", "guardian"); SYSTEM (site "command", with the errno of looking);
 * NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_command_new(struct wire_span line,
    const char *guardian, const char *const *environment,
    struct bind_command **ret_command, struct wire_errinfo *info);

/* The same from words, with variables of its own and a directory. */
struct bind_command_words {
	const char *const *words; /* words[0] is the command */
	size_t count;		  /* 1 to BIND_COMMAND_WORDS */
	const char *guardian;	  /* an absolute path */
	/* Of these HOME LOGNAME PATH SHELL TERM USER are taken, but no
	 * function of a shell (a value that begins with `()`). */
	const char *const *environment;
	/* NAME=VALUE, all of them taken, in place of those. */
	const char *const *own;
	const char *directory; /* an absolute path; NULL: `/` */
};

/* As bind_command_new, but for quoting. The command is looked up in the PATH
 * that it will have. */
WIRE_MUST_USE enum wire_err bind_command_from_words(
    const struct bind_command_words *given, struct bind_command **ret_command,
    struct wire_errinfo *info);

/* NULL is fine. */
void bind_command_free(struct bind_command *command);

#endif
