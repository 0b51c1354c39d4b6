#include "supervisor/tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/sys.h"
#include "supervisor/sys_dir.h"
#include "supervisor/units.h"

/* Ids of the children of one thread that are read: nine bytes each. */
#define CHILDREN_TEXT (16 * 1024)
#define STAT_TEXT     1024

/* Of the fields behind the state, which are numbers, from 1 on: utime, stime,
 * cutime, cstime; and how many threads there are. */
#define FIRST_TIME 11
#define LAST_TIME  14
#define THREADS	   17

bool
sup_tree_stat(const char *text, struct sup_tree_stat *ret_stat)
{
	struct sup_tree_stat stat = {false, 0};
	uint64_t threads = 0;
	/* The name stands in brackets and may hold brackets and blanks. */
	const char *p = strrchr(text, ')');
	char *end;

	if (p == NULL || p[1] != ' ' || p[2] == '\0' || p[3] != ' ')
		return false;
	stat.lives = p[2] != 'Z' && p[2] != 'X';
	p += 3;
	for (int field = 1; field <= THREADS; field++) {
		uint64_t value;

		/* Some are negative. */
		if (*p != ' ')
			return false;
		value = strtoull(p, &end, 10);
		if (end == p)
			return false;
		if (field >= FIRST_TIME && field <= LAST_TIME)
			stat.ticks += value;
		threads = value;
		p = end;
	}
	/* KERNEL: one whose first thread has ended looks like a zombie. */
	stat.lives = stat.lives || threads > 1;
	*ret_stat = stat;
	return true;
}

static void
add_children(void *arg, const char *task)
{
	struct sup_tree *tree = arg;
	char path[96], text[CHILDREN_TEXT];
	char *p = text, *end;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children",
	    (int)tree->parent, task);
	(void)sup_sys_read_text(path, text, sizeof(text));
	/* A blank follows each: a number that was cut off is another's. */
	end = strrchr(text, ' ');
	if (end == NULL)
		return;
	*end = '\0';
	for (;; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p || tree->count == SUP_TREE_MAX)
			return;
		tree->pids[tree->count++] = (pid_t)pid;
	}
}

void
sup_tree_find(pid_t root, struct sup_tree *ret_tree)
{
	struct sup_tree *tree = ret_tree;
	char path[64];

	tree->pids[0] = root;
	tree->count = 1;
	for (size_t i = 0; i < tree->count; i++) {
		int fd;

		tree->parent = tree->pids[i];
		(void)snprintf(
		    path, sizeof(path), "/proc/%d/task", (int)tree->parent);
		fd = sup_sys_open(path, O_RDONLY | O_DIRECTORY);
		if (fd >= 0)
			sup_sys_list(fd, add_children, tree);
		sup_sys_close(&fd);
	}
}

void
sup_tree_look(pid_t root, pid_t pid2, struct sup_tree_use *ret_use)
{
	uint64_t tick_ns = SUP_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sup_tree_use use = {0, 0, false};
	struct sup_tree_stat stat;
	struct sup_tree tree;
	char path[64], text[STAT_TEXT];

	sup_tree_find(root, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		(void)snprintf(
		    path, sizeof(path), "/proc/%d/stat", (int)tree.pids[i]);
		(void)sup_sys_read_text(path, text, sizeof(text));
		if (!sup_tree_stat(text, &stat))
			continue;
		use.cpu_ns += stat.ticks * tick_ns;
		use.living += stat.lives;
		use.seen = use.seen || tree.pids[i] == pid2;
	}
	*ret_use = use;
}
