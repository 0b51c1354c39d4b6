/*
 * Workspaces on the host's disk, for children without a root of their own.
 *
 * The base is /run/user/UID/weir where that directory is the caller's alone,
 * else /tmp/weir-UID: never a path from the environment (C19). It is private,
 * and checked and not trusted: what another made in its place is left alone,
 * and the base is the next one of /tmp/weir-UID.1, .2 and .3. One execution has
 * one directory in it, whose name is the record of its owner: host, boot, PID
 * namespace, process id and start time. Who finds one whose owner is gone, in
 * any of these, removes it (S4); those of other hosts are left alone.
 *
 * Threads: any, one struct for each.
 */
#ifndef SUP_SCRATCH_H
#define SUP_SCRATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/owner.h"
#include "wire/err.h"

#define SUP_SCRATCH_BASE   64
#define SUP_SCRATCH_PLACES 4
#define SUP_SCRATCH_NAME   160

struct sup_scratch {
	int base_fd; /* -1: not open */
	char base[SUP_SCRATCH_BASE];
	char owner[SUP_OWNER_TEXT]; /* the name's part that is ours */
};

/* Holds nothing. */
#define SUP_SCRATCH_NONE ((struct sup_scratch){-1, "", ""})

/* Where the base may be, whether it is there or not; the first of them that
 * can be had is it. which: less than SUP_SCRATCH_PLACES. */
void sup_scratch_place(unsigned which, char base[SUP_SCRATCH_BASE]);

/*
 * Opens the base, and makes it where it is missing; it may be open already.
 * WIRE_ERR_SYSTEM with info->site a sentence when in all places stands what is
 * not the caller's own; scratch->base is the first of them then.
 */
WIRE_MUST_USE enum wire_err sup_scratch_open(
    struct sup_scratch *scratch, struct wire_errinfo *info);
/* Removes the base too, when nothing is in it. */
void sup_scratch_close(struct sup_scratch *scratch);

/* Makes the directory `id` and the workspace in it; its path, and the name
 * for the calls below. */
WIRE_MUST_USE enum wire_err sup_scratch_make(struct sup_scratch *scratch,
    const char *id, char ret_name[SUP_SCRATCH_NAME], char ret_path[PATH_MAX],
    struct wire_errinfo *info);

/* Gives the workspace to another uid; 0 or -errno. */
int sup_scratch_give(const struct sup_scratch *scratch, const char *name,
    uint32_t uid, uint32_t gid);

/* Removes what is left of one; a guardian at stub_path does the work, since
 * what stands there is a program's, and the caller waits for it for at most
 * timeout_ms. Nothing to do is fine. False when something stays; the next
 * start sweeps it. */
bool sup_scratch_remove(const struct sup_scratch *scratch, const char *name,
    const char *stub_path, int timeout_ms);

/* Removes those whose owners are gone. Where there never was anything, that
 * costs a system call for each place. */
void sup_scratch_sweep(const char *stub_path);

#endif
