#include "supervisor/memory_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/sys.h"
#include "supervisor/sys_cgroup.h"
#include "supervisor/tree.h"
#include "supervisor/units.h"

#define STATUS_TEXT 8192
/* What a program can take in a nanosecond at most: 4 GB/s. */
#define BYTES_PER_NS 4
#define PAUSE_MIN    (2 * SUP_NS_PER_MS)
#define PAUSE_MAX    (100 * SUP_NS_PER_MS)

/* proc(5), /proc/PID/status: in KiB, with the unit behind. */
uint64_t
sup_memory_resident(const char *status)
{
	static const char *const counted[] = {
	    "\nRssAnon:", "\nRssShmem:", "\nVmPTE:", "\nVmSwap:"};
	uint64_t kib = 0;

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		const char *p = strstr(status, counted[i]);

		if (p != NULL)
			kib += strtoull(p + strlen(counted[i]), NULL, 10);
	}
	return kib * 1024;
}

uint64_t
sup_memory_pause(uint64_t limit, uint64_t used)
{
	uint64_t pause = used < limit ? (limit - used) / BYTES_PER_NS : 0;

	if (pause < PAUSE_MIN)
		return PAUSE_MIN;
	return pause < PAUSE_MAX ? pause : PAUSE_MAX;
}

/* --- the tree ------------------------------------------------------------- */

static uint64_t
tree_resident(pid_t root)
{
	struct sup_tree tree;
	char path[64], text[STATUS_TEXT];
	uint64_t bytes = 0;

	sup_tree_find(root, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		(void)snprintf(
		    path, sizeof(path), "/proc/%d/status", (int)tree.pids[i]);
		(void)sup_sys_read_text(path, text, sizeof(text));
		bytes += sup_memory_resident(text);
	}
	return bytes;
}

/* --- looking -------------------------------------------------------------- */

static uint64_t
used_now(const struct sup_memory_watch *watch)
{
	char text[STATUS_TEXT];
	uint64_t bytes = 0, quota = 0, files = 0;
	ssize_t n;

	if (watch->root > 0) {
		bytes = tree_resident(watch->root);
	} else {
		n = sup_sys_read_at(
		    watch->status_fd, text, sizeof(text) - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		bytes = sup_memory_resident(text);
	}
	if (watch->quota_fd >= 0 &&
	    sup_sys_usage(watch->quota_fd, &quota, &files) == 0)
		bytes += quota + files * SUP_MEMORY_INODE;
	return bytes;
}

bool
sup_memory_watch_look(struct sup_memory_watch *watch, uint64_t now_ns)
{
	uint64_t used = used_now(watch);

	if (used > watch->peak)
		watch->peak = used;
	watch->next_ns = now_ns + sup_memory_pause(watch->limit, used);
	return used > watch->limit;
}

bool
sup_memory_watch_start(struct sup_memory_watch *watch, pid_t root, pid_t pid2,
    uint64_t limit, uint64_t now_ns)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid2);
	fd = sup_sys_open(path, O_RDONLY);
	if (fd < 0)
		return false;
	watch->status_fd = fd;
	watch->root = root;
	watch->limit = limit;
	/* Who has started has some: nothing at all means blindness. */
	(void)sup_memory_watch_look(watch, now_ns);
	if (watch->peak > 0)
		return true;
	sup_memory_watch_stop(watch);
	return false;
}

void
sup_memory_watch_stop(struct sup_memory_watch *watch)
{
	sup_sys_close(&watch->status_fd);
	sup_sys_close(&watch->quota_fd);
	watch->next_ns = UINT64_MAX;
}
