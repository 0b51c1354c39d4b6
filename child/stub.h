/*
 * What the stub's own files share: its entry, and how it ends.
 *
 * The stub never cleans up: it reports and exits.
 */
#ifndef STUB_STUB_H
#define STUB_STUB_H

#include "wire/plan.h"
#include "wire/report.h"

/* Exit status of a stub that could not do its work. */
#define STUB_EXIT_FAILED 125

/* Process 1 keeps a workspace of the host open here: the plan's number, which
 * is free once the plan is read. */
#define STUB_FD_WORKSPACE WIRE_FD_PLAN

void stub_start(long *stack) __attribute__((noreturn));

/* Both roles start here; argv and envp are the kernel's. */
void stub_main(int argc, char **argv, char **envp) __attribute__((noreturn));

/* Ends every thread of the caller. */
void stub_exit(int status) __attribute__((noreturn));

/* Reports a failed stage on report_fd and exits. error is an errno; detail
 * says which item of the stage. */
void stub_fail(int report_fd, enum wire_stage stage, int error, unsigned detail)
    __attribute__((noreturn));

/* Sends one record, with a descriptor when pass_fd >= 0. 0 or an errno. */
int stub_report(int report_fd, const struct wire_report *report, int pass_fd);

/* Signal dispositions and mask as after a boot: all default, none blocked.
 * exec keeps ignored signals and the mask, and the host may have both. */
void stub_signals_reset(void);
/* SIGCHLD at its default and blocked, for a signalfd: before the fork whose
 * end it tells. */
void stub_signals_block_child(void);

/* PLAN: maps and checks the plan behind fd, and closes fd. 0 or an errno. */
int stub_input_plan(int fd, struct wire_plan *ret_plan);

/* DESCRIPTORS: leaves 0 to 4, the seal and mount_fds mounts open. */
int stub_fds_close(unsigned mount_fds);

/* MAPS: blocks until the host has written the id maps. */
int stub_maps_wait(int report_fd);

/* IDS, CAPABILITIES, NO_NEW_PRIVS, DUMPABLE, each 0 or an errno. */
int stub_ids_become(uint32_t uid, uint32_t gid);
/* Whether the caller has this uid, which is nobody else's, and no capability
 * in force: whether kill(-1) reaches its own processes alone. */
bool stub_ids_are_alone(uint32_t uid);
/* is_root_of_namespace: else the bounding set may be one that the kernel does
 * not let the caller drop. */
int stub_capabilities_drop(bool is_root_of_namespace);
/* The bounding set alone, as far as the caller may. */
void stub_bounding_drop(void);
int stub_no_new_privs(void);
int stub_not_dumpable(void);

struct stub_root {
	bool stands; /* built and pivoted into */
	int old_fd;  /* the host's root, until it is detached */
	int sources[WIRE_PLAN_MOUNTS];
	uint32_t mounts; /* seen beneath the new root */
	unsigned detail; /* of a failure: which mount or link */
};

/* ROOT in two parts: sources are found with the host's ids, before IDS. */
int stub_root_sources(const struct wire_plan *plan, struct stub_root *root);
int stub_root_build(const struct wire_plan *plan, struct stub_root *root);
/* WORKSPACE: the sized tmpfs, then the root becomes read-only. */
int stub_root_workspace(const struct wire_plan *plan, struct stub_root *root);

/* Counts network interfaces, and those that are up. */
void stub_links_count(uint32_t *ret_links, uint32_t *ret_up);

/* Process 1 from here on: reaps, and ends everything when the host is gone
 * or says so. pid2 is the interpreter. */
void stub_init_loop(int report_fd, int pid2, const struct wire_plan *plan)
    __attribute__((noreturn));

/* tree.c: SUBREAPER, and whether the kernel says that it is so. */
int stub_subreaper_become(void);
bool stub_subreaper_is(void);
/* Ends every child of the caller and what they leave, and returns when none
 * is left to wait for. first: the one that leads a process group; 0: none.
 * alone: nobody else has the caller's uid. */
void stub_tree_end(long first, bool alone);

/* workspace.c: a workspace that is a directory of the host. */
struct stub_usage {
	uint64_t bytes; /* of disk */
	uint64_t inodes;
	bool hidden; /* something in it could not be looked into */
};

/* WORKSPACE: makes it the working directory and keeps it open. */
int stub_workspace_enter(const struct wire_plan *plan);
/* While the program works in it: a moment's estimate. It stops at what is over
 * the plan's limits, and when something is to be read at report_fd. */
void stub_workspace_measure(
    const struct wire_plan *plan, int report_fd, struct stub_usage *ret_usage);
/* Removes what is in a directory that nobody uses any more. */
void stub_workspace_clear(int top_fd);
/* Removes the workspace, and the directory of the execution around it, as far
 * as the caller's ids may; the host looks after the rest. */
void stub_workspace_remove(const struct wire_plan *plan);

/* `weir-child sweep`: clears the directory that is its standard input. */
void stub_sweep(void) __attribute__((noreturn));

/* The guardian of a provider's process: argv = {_, "guard", FD, COMMAND...} */
void stub_guard(int argc, char **argv, char **envp) __attribute__((noreturn));

/* rt.c: freestanding helpers. Decimal digits and a NUL, at most 21 bytes. */
void stub_put_decimal(char *to, uint64_t value);
size_t stub_strlen(const char *text);
int stub_str_equal(const char *a, const char *b);

#endif
