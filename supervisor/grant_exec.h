/*
 * Files that a program may execute beside the interpreter (C14, --exec).
 *
 * What may be granted is a program of this machine (ELF) or a script whose
 * interpreter may be executed itself; nothing that would change who runs it,
 * and nothing that the program could write.
 *
 * Trust of inputs: the files are the deployment's, and their bytes are checked
 * all the same. Looks at files, changes nothing. Threads: any.
 */
#ifndef SUP_GRANT_EXEC_H
#define SUP_GRANT_EXEC_H

#include <limits.h>
#include <stdbool.h>

#include "supervisor/grants.h"
#include "wire/span.h"

enum sup_exec_kind {
	SUP_EXEC_BAD,	  /* the kernel would not know what to do with it */
	SUP_EXEC_PROGRAM, /* an ELF file; it needs a loader, or "" */
	SUP_EXEC_SCRIPT, /* it begins with "#!" and needs what is named there */
};

/* From the first bytes of a file (SUP_ELF_HEAD of them are enough); needs takes
 * the other file that the kernel opens to execute it. Pure. */
enum sup_exec_kind sup_exec_parse(struct wire_span head, char needs[PATH_MAX]);

/* The same of a file. */
enum sup_exec_kind sup_exec_look(const char *path, char needs[PATH_MAX]);

/* Why the file at path cannot be granted, as a static sentence without its
 * subject; NULL: it can. */
const char *sup_exec_problem(const char *path);

/*
 * Whether the grants fit each other where processes are granted: false with a
 * sentence when something that may be executed, the interpreter included, can
 * be written by another grant, or when a script's interpreter may not be
 * executed. interpreter: the path of Python's file; other_ids: programs have
 * ids of their own, so they own no file of the caller's.
 */
bool sup_exec_check(const struct sup_grants *grants, const char *interpreter,
    bool other_ids, char text[SUP_GRANT_TEXT]);

#endif
