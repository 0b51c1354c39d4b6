/*
 * System calls that only `weir doctor` makes, as values: see supervisor/sys.h,
 * whose rules hold here too. They are apart because nothing of a run needs
 * them.
 */
#ifndef SUP_SYS_DOCTOR_H
#define SUP_SYS_DOCTOR_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Any system call by its number, with integers for all of its arguments: what
 * the stub does without a libc is tried here in the same way. Not repeated
 * when a signal interrupts.
 */
long sup_sys_raw(long number, const long arguments[6]);

/* A copy of this process, which must have one thread; fork(2). */
pid_t sup_sys_fork(void);
/* waitpid(2) on a child of ours; options as there. */
pid_t sup_sys_wait(pid_t pid, int *ret_status, int options);
int sup_sys_kill(pid_t pid, int signal);
int sup_sys_setrlimit(int resource, uint64_t soft, uint64_t hard);

#endif
