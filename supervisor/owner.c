#include "supervisor/owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/sys.h"

/* FNV-1a: no secret is in it, and nobody gains from a collision. */
static uint64_t
hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
	return hash;
}

/* Start time of a process; 0 when there is none of that id, or it is not to be
 * had. */
static uint64_t
start_time(long pid)
{
	char path[64], text[1024];
	const char *p;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	(void)sup_sys_read_text(path, text, sizeof(text));
	/* The name in parentheses may hold anything; field 22 from there. */
	p = strrchr(text, ')');
	for (int field = 2; p != NULL && field < 22; field++) {
		p = strchr(p, ' ');
		if (p != NULL)
			p++;
	}
	return p != NULL ? strtoull(p, NULL, 10) : 0;
}

void
sup_owner_find(struct sup_owner *owner)
{
	char name[256], machine[64], boot[64];
	struct stat st;

	(void)sup_sys_read_text(
	    "/proc/sys/kernel/hostname", name, sizeof(name));
	(void)sup_sys_read_text("/etc/machine-id", machine, sizeof(machine));
	(void)sup_sys_read_text(
	    "/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	owner->host = hash_text(hash_text(0xcbf29ce484222325u, name), machine);
	owner->boot = hash_text(0xcbf29ce484222325u, boot);
	owner->namespaces =
	    sup_sys_stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
	owner->pid = (long)getpid();
	owner->started = start_time(owner->pid);
}

void
sup_owner_write(const struct sup_owner *owner, char text[SUP_OWNER_TEXT])
{
	(void)snprintf(text, SUP_OWNER_TEXT,
	    "%016" PRIx64 ".%016" PRIx64 ".%" PRIx64 ".%ld.%" PRIu64,
	    owner->host, owner->boot, owner->namespaces, owner->pid,
	    owner->started);
}

bool
sup_owner_read(const char *name, struct sup_owner *owner)
{
	char again[SUP_OWNER_TEXT];
	char *end;

	owner->host = strtoull(name, &end, 16);
	owner->boot = *end == '.' ? strtoull(end + 1, &end, 16) : 0;
	owner->namespaces = *end == '.' ? strtoull(end + 1, &end, 16) : 0;
	owner->pid = *end == '.' ? strtol(end + 1, &end, 10) : 0;
	owner->started = *end == '.' ? strtoull(end + 1, &end, 10) : 0;
	if (*end != '.' || owner->pid <= 0)
		return false;
	/* Only what this code wrote is ever removed. */
	sup_owner_write(owner, again);
	return strncmp(again, name, (size_t)(end - name)) == 0 &&
	    again[end - name] == '\0';
}

bool
sup_owner_is_gone(const struct sup_owner *owner, const struct sup_owner *self)
{
	uint64_t now;

	if (owner->host != self->host)
		return false;
	if (owner->boot != self->boot)
		return true;
	/* In another PID namespace the number says nothing. */
	if (owner->namespaces != self->namespaces)
		return false;
	now = start_time(owner->pid);
	/* SECURITY: no start time is no proof: /proc may not have been to be
	 * read, then or now, for want of descriptors for one. */
	if (now == 0)
		return !sup_sys_is_process((pid_t)owner->pid);
	return owner->started != 0 && now != owner->started;
}
