/*
 * The processes of an execution, looked at from outside through /proc: which
 * there are, and what CPU time they have used together (C14).
 *
 * The kernel keeps a limit of CPU time for one process, and hands what one has
 * used to the parent that waits for it. So the sum over the tree is what each
 * of the living, and of those nobody has waited for yet, has used itself and
 * has been handed: each tick is in it once. Nothing is lost on the way, as the
 * filter lets nobody ignore SIGCHLD, and process 1 waits for orphans.
 *
 * Threads: any. Nothing is kept between two looks.
 */
#ifndef SUP_TREE_H
#define SUP_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* More than that is not looked at in one go: twice the limits' ceiling. */
#define SUP_TREE_MAX 4096

struct sup_tree {
	pid_t pids[SUP_TREE_MAX]; /* the root first; parents before children */
	size_t count;
	pid_t parent; /* whose children are being listed */
};

/* A file of /proc/PID: stat. */
struct sup_tree_stat {
	bool lives;	/* it has not ended */
	uint64_t ticks; /* of CPU: its own, and what it was handed */
};

/* Pure: the text of a stat file. False when it is none. */
bool sup_tree_stat(const char *text, struct sup_tree_stat *ret_stat);

/* All that descends from root, as far as it can be seen. */
void sup_tree_find(pid_t root, struct sup_tree *ret_tree);

struct sup_tree_use {
	uint64_t cpu_ns;
	uint64_t living; /* processes that have not ended, the root included */
	bool seen;	 /* process 2 is among them */
};

void sup_tree_look(pid_t root, pid_t pid2, struct sup_tree_use *ret_use);

#endif
