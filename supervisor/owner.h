/*
 * Who made something that may outlive its maker: host, boot, PID namespace,
 * process id and start time, as the first part of a name (S4).
 *
 * Owns: nothing. Who finds a name whose owner is gone removes what it names;
 * what another host or another PID namespace made is left alone, since its
 * process ids say nothing here. Threads: any.
 */
#ifndef SUP_OWNER_H
#define SUP_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct sup_owner {
	uint64_t host;	     /* of the name and the machine id */
	uint64_t boot;	     /* of the boot id */
	uint64_t namespaces; /* the PID namespace's inode */
	long pid;
	uint64_t started; /* clock ticks since boot, proc(5) */
};

#define SUP_OWNER_TEXT 112

/* The caller. */
void sup_owner_find(struct sup_owner *owner);

void sup_owner_write(const struct sup_owner *owner, char text[SUP_OWNER_TEXT]);

/* Reads the record in front of the last dot of a name; false for a name that
 * this code did not write. */
bool sup_owner_read(const char *name, struct sup_owner *owner);

/* Whether the owner is known to be gone. */
bool sup_owner_is_gone(
    const struct sup_owner *owner, const struct sup_owner *self);

#endif
