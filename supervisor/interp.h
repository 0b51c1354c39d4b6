/*
 * Finding the interpreter (C10): once, when the configuration is loaded.
 *
 * A name becomes one absolute path of an ELF file, through a virtual
 * environment to its base, and a prefix that holds a standard library. It is
 * never run to find out. Refuses what it cannot resolve, with a text that
 * says what to name instead.
 *
 * Owns: nothing; fills a plain struct. Threads: any; reads the filesystem.
 */
#ifndef SUP_INTERP_H
#define SUP_INTERP_H

#include <limits.h>

#include "wire/err.h"

#define SUP_TEXT_MAX 1024

enum sup_interp_fault {
	SUP_INTERP_FOUND,
	SUP_INTERP_MISSING,	   /* no such file, or nothing on PATH */
	SUP_INTERP_NOT_EXECUTABLE, /* it is there and cannot be used */
};

struct sup_interp {
	char path[PATH_MAX];   /* the ELF file itself, no symbolic links */
	char prefix[PATH_MAX]; /* of the base installation */
	char version[16];      /* 3.N, of its standard library */
	enum sup_interp_fault fault;
	char text[SUP_TEXT_MAX];    /* of a failure: what and what to do */
	char warning[SUP_TEXT_MAX]; /* "" or what was passed over */
};

/*
 * name: a path when it holds a slash (taken from the current directory),
 * else looked up in path_env (a PATH; NULL or "" finds nothing). A candidate
 * on PATH that is no ELF file, such as a version manager's shim, is passed
 * over with a warning; named as a path it is refused.
 * WIRE_ERR_BAD_ARGUMENT with fault and text filled in.
 */
WIRE_MUST_USE enum wire_err sup_interp_resolve(
    const char *name, const char *path_env, struct sup_interp *ret_interp);

#endif
