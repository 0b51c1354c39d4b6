/*
 * How each step is tried: see struct sup_doctor_spec. All of it runs in a
 * throw-away child, changes that child as it likes, and leaves no file and no
 * process. The calls are those that the supervisor or the stub makes, in the
 * same order and with the same arguments as far as it matters.
 *
 * Each returns 0, -errno with the refused call noted, or a SUP_DOCTOR_ word.
 */
#ifndef SUP_DOCTOR_STEPS_H
#define SUP_DOCTOR_STEPS_H

#include "supervisor/doctor.h"

/* doctor_steps.c: namespaces, mounts, privileges */
int sup_step_user_namespace(struct sup_doctor_try *attempt);
int sup_step_id_maps(struct sup_doctor_try *attempt);
int sup_step_pid_namespace(struct sup_doctor_try *attempt);
int sup_step_mount_namespace(struct sup_doctor_try *attempt);
int sup_step_network_namespace(struct sup_doctor_try *attempt);
int sup_step_network_links(struct sup_doctor_try *attempt);
int sup_step_ipc_namespace(struct sup_doctor_try *attempt);
int sup_step_uts_namespace(struct sup_doctor_try *attempt);
int sup_step_cgroup_namespace(struct sup_doctor_try *attempt);
int sup_step_propagation(struct sup_doctor_try *attempt);
int sup_step_tmpfs(struct sup_doctor_try *attempt);
int sup_step_bind_mount(struct sup_doctor_try *attempt);
int sup_step_pivot_root(struct sup_doctor_try *attempt);
int sup_step_capabilities(struct sup_doctor_try *attempt);

/* doctor_calls.c: what needs no namespace */
int sup_step_proc(struct sup_doctor_try *attempt);
int sup_step_interpreter(struct sup_doctor_try *attempt);
int sup_step_no_new_privs(struct sup_doctor_try *attempt);
int sup_step_seccomp(struct sup_doctor_try *attempt);
int sup_step_landlock(struct sup_doctor_try *attempt);
int sup_step_landlock_abi(struct sup_doctor_try *attempt);
int sup_step_subreaper(struct sup_doctor_try *attempt);
int sup_step_workspace_base(struct sup_doctor_try *attempt);
int sup_step_pidfd(struct sup_doctor_try *attempt);
int sup_step_close_range(struct sup_doctor_try *attempt);
int sup_step_memfd(struct sup_doctor_try *attempt);
int sup_step_rlimits(struct sup_doctor_try *attempt);
int sup_step_timerfd(struct sup_doctor_try *attempt);
int sup_step_epoll(struct sup_doctor_try *attempt);
int sup_step_socketpair(struct sup_doctor_try *attempt);
int sup_step_unlinked_file(struct sup_doctor_try *attempt);

/* doctor_memory.c: what holds --limit memory= */
int sup_step_memory_cgroup(struct sup_doctor_try *attempt);
int sup_step_memory_watch(struct sup_doctor_try *attempt);

#endif
