/*
 * The watchdog on an execution's memory, where there is no cgroup (C15).
 *
 * Counts, from outside and in whole pages: anonymous and shared memory that is
 * resident, page tables and swap of the program's process, or of every process
 * of the tree, and what is on the filesystem that can be written, each file
 * with SUP_MEMORY_INODE on top. A page that two of them show is counted twice:
 * it errs to the side of the limit. What the kernel holds behind pipes and
 * sockets is not in it.
 *
 * Between two looks a program can take more; so the nearer it is to its limit
 * the sooner the next look comes.
 *
 * Owns: descriptors. Threads: one at a time.
 */
#ifndef SUP_MEMORY_WATCH_H
#define SUP_MEMORY_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SUP_MEMORY_INODE 1024

struct sup_memory_watch {
	int status_fd; /* of process 2 */
	int quota_fd;  /* on the filesystem that can be written, or -1 */
	pid_t root;    /* of the tree, or 0: only process 2 is counted */
	uint64_t limit, peak;
	uint64_t next_ns; /* when to look again; UINT64_MAX: not */
};

#define SUP_MEMORY_WATCH_NONE                                                  \
	((struct sup_memory_watch){-1, -1, 0, 0, 0, UINT64_MAX})

/* Memory in a text of /proc/PID/status, in bytes; pure. */
uint64_t sup_memory_resident(const char *status);

/* How long nobody needs to look, in ns; pure. */
uint64_t sup_memory_pause(uint64_t limit, uint64_t used);

/* The first look. root 0: process 2 is the only one. False when process 2
 * cannot be looked at: then nothing is watched. quota_fd is the caller's to
 * set before. */
bool sup_memory_watch_start(struct sup_memory_watch *watch, pid_t root,
    pid_t pid2, uint64_t limit, uint64_t now_ns);

/* Looks, and sets next_ns. Whether the limit is exceeded. */
bool sup_memory_watch_look(struct sup_memory_watch *watch, uint64_t now_ns);

void sup_memory_watch_stop(struct sup_memory_watch *watch);

#endif
