/*
 * How the memory of a whole execution is held (C15), and what the host knows
 * of it at the start and at the end. Types only.
 */
#ifndef SUP_MEMORY_H
#define SUP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum sup_memory_by {
	SUP_MEMORY_NONE, /* no limit was asked for */
	SUP_MEMORY_CGROUP2,
	SUP_MEMORY_CGROUP1,
	SUP_MEMORY_WATCHDOG, /* the supervisor looks, and kills */
};

/* What a grade rests on; read from the kernel at `ready` and at the end. */
struct sup_memory_seen {
	enum sup_memory_by by;
	uint64_t want;	 /* bytes */
	uint64_t limit;	 /* read back; 0: cannot be read */
	bool inside;	 /* the program's process is in the group */
	bool swap_held;	 /* no more than the limit by way of swap */
	bool watched;	 /* the watchdog has looked, and will again */
	bool by_tree;	 /* it looks at every process, not at one */
	bool quota_seen; /* and at the filesystem that can be written */
	const char *why; /* there is no cgroup; a sentence, or "" */
};

/* What became of it. */
struct sup_memory_end {
	enum sup_memory_by by;
	uint64_t limit, peak; /* bytes */
	uint64_t kills;	      /* by the kernel's out-of-memory killer */
	uint64_t hits;	      /* how often the limit itself was met */
	bool over;	      /* the watchdog saw more than the limit */
};

#endif
