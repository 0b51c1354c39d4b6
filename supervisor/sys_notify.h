/*
 * System calls of the supervisor for a filter that asks (seccomp_unotify(2)):
 * as values, like sys.h.
 */
#ifndef SUP_SYS_NOTIFY_H
#define SUP_SYS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* A system call that waits for its answer. */
struct sup_sys_asked {
	uint64_t id;
	uint32_t number;
	uint64_t args[6];
};

/* Whether this kernel's notifications have the shape that was compiled in:
 * 0, -ENOSYS without them, or -EOVERFLOW. */
int sup_sys_notify_check(void);
/* Whether a call waits; false also when nobody is left who could make one. */
bool sup_sys_notify_waits(int listener_fd);
/* The next call, of a listener where one waits; -ENOENT when who asked is
 * gone. */
int sup_sys_notify_take(int listener_fd, struct sup_sys_asked *ret_asked);
/* Answers it with an errno, and never with anything else. -ENOENT when nobody
 * waits for that any more. */
int sup_sys_notify_refuse(int listener_fd, uint64_t id, int error);

#endif
