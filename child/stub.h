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
int stub_capabilities_drop(void);
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
void stub_init_loop(int report_fd, int pid2) __attribute__((noreturn));

/* The guardian of a provider's process: argv = {_, "guard", FD, COMMAND...} */
void stub_guard(int argc, char **argv, char **envp) __attribute__((noreturn));

/* rt.c: freestanding helpers. */
size_t stub_strlen(const char *text);
int stub_str_equal(const char *a, const char *b);

#endif
