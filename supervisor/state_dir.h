/*
 * The state directory: where the ledgers of Runs stand, and the key that their
 * hashes are made with.
 *
 *	DIR/key		32 random bytes, mode 0600
 *	DIR/runs/ID	the ledger of a Run, mode 0600
 *
 * DIR is made with mode 0700 where it is missing. SECURITY: what others could
 * write to is refused, so that nobody else can take the place of a ledger or
 * of the key; a Run's name is one name beneath DIR/runs, and no link is
 * followed there.
 *
 * Owns: nothing; descriptors are the caller's. Functions return a descriptor
 * (or 0), or -1 with a sentence in error.
 */
#ifndef SUP_STATE_DIR_H
#define SUP_STATE_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/weir.h"
#include "wire/span.h"

#define SUP_RUN_NAME_MAX  64
#define SUP_STATE_KEY_LEN 32

/* 1 to 64 of [A-Za-z0-9._-], the first not a dot. */
bool sup_run_name_is_good(struct wire_span name);

/* The directory of the ledgers, made where it is missing; and the key. */
int sup_state_open(const char *path, uint8_t ret_key[SUP_STATE_KEY_LEN],
    char error[WEIR_ERROR_MAX]);

/* A Run's ledger for appending, made where it is missing; with `disk` its name
 * is on the disk as well. */
int sup_state_open_run(
    int runs_fd, const char *name, bool disk, char error[WEIR_ERROR_MAX]);

/* For reading only, and nothing is made: the ledger of a Run beneath the
 * directory at path; and one at a path of its own. */
int sup_state_read_run(
    const char *path, const char *name, char error[WEIR_ERROR_MAX]);
int sup_state_read_file(const char *path, char error[WEIR_ERROR_MAX]);

#endif
