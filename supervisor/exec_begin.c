/*
 * How an execution begins: the plans, the child, and what happens where the
 * host refuses one of the ways to make it.
 *
 * The ways are tried from the strongest to the weakest that the terms allow
 * (C8); each is a whole new child, and nothing untrusted has run when one is
 * given up. The level that was asked for is the least of them: by default
 * there is one way, and its refusal is the result (C1).
 */
#include "supervisor/exec_begin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/exec_io.h"
#include "supervisor/exec_memory.h"
#include "supervisor/exec_tools.h"
#include "supervisor/refusal.h"
#include "supervisor/sys.h"

/* How long the loop waits for what process 1 has not removed in its time. */
#define REMOVE_MS 1000

static void
refuse_start(struct weir_execution *e, const char *stage,
    const struct wire_errinfo *info)
{
	(void)snprintf(e->refusal, sizeof(e->refusal), "stage %s: %s: %s; %s",
	    stage, info->site, strerror(info->sys),
	    sup_refusal_advice(stage, info->sys));
	e->facts.refusal = e->refusal;
	e->facts.failed.sys = info->sys;
}

/* No child came to be: the reason is in facts or refusal already. */
static void
begin_failed(struct weir_execution *e, enum sup_exec_event cause)
{
	e->facts.cause = cause;
	e->state = SUP_EXEC_SETTLING;
	e->ended_ns = sup_sys_now();
	if (e->started_ns == 0)
		e->started_ns = e->ended_ns;
	e->deadline_ns = e->ended_ns;
	sup_loop_again(&e->weir->loop, &e->wake);
}

void
sup_exec_fail(struct weir_execution *e, const struct wire_errinfo *info)
{
	sup_exec_note_setup(e, info);
	sup_exec_reap(e);
	begin_failed(e, SUP_EVENT_FAILED);
}

void
sup_exec_refuse(
    struct weir_execution *e, enum sup_kind kind, const char *refusal)
{
	(void)snprintf(e->refusal, sizeof(e->refusal), "%s", refusal);
	e->facts.refusal = e->refusal;
	e->facts.refusal_kind = kind;
	begin_failed(e, SUP_EVENT_REFUSED);
}

/* --- the plans ------------------------------------------------------------ */

static enum wire_backend
backend_of(const struct weir_execution *e)
{
	if (e->terms.unconfined)
		return WIRE_BACKEND_NONE;
	return e->attempt == SUP_ATTEMPT_ISOLATED ? WIRE_BACKEND_ISOLATED
						  : WIRE_BACKEND_PROCESS;
}

/* The ids that a child of this attempt becomes. */
static void
choose_ids(const struct weir_execution *e, struct sup_launch_request *request)
{
	const struct sup_idmap *map = &e->weir->idmap;

	request->uid = request->gid = WIRE_PLAN_KEEP;
	request->other_ids = map->own;
	if (request->namespaces) {
		request->uid = request->gid = SUP_IDMAP_INSIDE;
	} else if (request->backend == WIRE_BACKEND_PROCESS && map->own &&
	    e->weir->can_change_ids) {
		request->by_pid = map->full;
		request->uid = map->full ? SUP_IDMAP_BASE : map->uid;
		request->gid = map->full ? SUP_IDMAP_BASE : map->gid;
	} else {
		request->other_ids = false;
	}
}

/* Whether the child writes as another than the supervisor. */
static bool
has_other_ids(const struct weir_execution *e)
{
	return e->weir->idmap.own && e->launch->stub.uid != WIRE_PLAN_KEEP;
}

static enum wire_err
make_workspace(struct weir_execution *e, struct wire_errinfo *info)
{
	struct sup_scratch *scratch = &e->weir->scratch;
	enum wire_err err = sup_scratch_open(scratch, info);

	if (err == WIRE_OK)
		err = sup_scratch_make(
		    scratch, e->id, e->scratch_name, e->workspace, info);
	return err;
}

enum wire_err
sup_exec_prepare(struct weir_execution *e, struct wire_errinfo *info)
{
	struct sup_launch_request request = {
	    .terms = &e->terms,
	    .interp = &e->weir->interp,
	    .libexec = e->weir->libexec,
	    .backend = backend_of(e),
	    .namespaces = e->attempt != SUP_ATTEMPT_PLAIN,
	    .open_mounts = e->weir->open_mounts,
	    .workspace = SUP_WORKSPACE,
	    .grants = e->grants,
	    .trace = e->trace != NULL,
	};
	enum wire_err err = WIRE_OK;

	choose_ids(e, &request);
	sup_exec_memory_prepare(e);
	request.send_workspace = request.backend == WIRE_BACKEND_ISOLATED &&
	    e->evidence.memory.by == SUP_MEMORY_WATCHDOG;
	if (request.backend != WIRE_BACKEND_ISOLATED) {
		err = make_workspace(e, info);
		request.workspace = e->workspace;
	}
	if (err == WIRE_OK)
		err = sup_launch_build(e->launch, &request, info);
	if (err != WIRE_OK)
		return err;
	sup_evidence_expect(&e->evidence, e->launch);
	e->facts.value_max = e->terms.limits[SUP_LIMIT_VALUE];
	e->facts.traced = e->trace != NULL;
	/* What was inherited may be less than what was asked for. */
	e->facts.cpu_limit_ns =
	    e->evidence.want_soft[WIRE_LIMIT_CPU] * SUP_NS_PER_S;
	/* Nor is there a raise that tells, where the program may raise it. */
	e->facts.cpu_at_hard = e->terms.unconfined ||
	    e->evidence.want_soft[WIRE_LIMIT_CPU] ==
		e->evidence.want_hard[WIRE_LIMIT_CPU];
	return sup_exec_open_tools(e, info);
}

/* --- the child ------------------------------------------------------------ */

static enum wire_err
spawn_child(struct weir_execution *e, struct wire_errinfo *info)
{
	struct sup_spawn_request request = {
	    .attempt = e->attempt,
	    .network = e->launch->network,
	    .stub_fd = e->weir->stub_fd,
	    .plan_fd = e->launch->stub_plan_fd,
	    .seal_fd = e->launch->seal_plan_fd,
	    .null_fd = e->weir->null_fd,
	    .cgroup_fd = sup_exec_memory_clone_fd(e),
	};
	enum wire_err err = WIRE_OK;

	for (size_t i = 0; i < e->launch->opened_count; i++) {
		int fd = sup_sys_open_tree(e->launch->opened[i]);

		if (fd < 0) {
			*info =
			    (struct wire_errinfo){e->launch->opened[i], -fd, 0};
			err = WIRE_ERR_SYSTEM;
			goto out;
		}
		request.mount_fds[request.mount_count++] = fd;
	}
	err = sup_spawn(&request, &e->child, info);
out:
	for (size_t i = 0; i < request.mount_count; i++)
		sup_sys_close(&request.mount_fds[i]);
	return err;
}

/* What the child waits for: its maps, and a workspace that it may enter. */
static enum wire_err
equip_child(struct weir_execution *e, struct wire_errinfo *info)
{
	const struct sup_idmap *map = &e->weir->idmap;
	enum wire_err err = WIRE_OK;
	int r = 0;

	if (e->launch->stub.namespaces &&
	    (e->terms.layers >> WIRE_STAGE_MAPS & 1) != 0)
		err = sup_idmap_write(map, e->child.pid, info);
	if (err == WIRE_OK && e->scratch_name[0] != '\0' && has_other_ids(e))
		r = sup_scratch_give(&e->weir->scratch, e->scratch_name,
		    sup_idmap_uid(map, e->child.pid),
		    sup_idmap_gid(map, e->child.pid));
	if (r < 0) {
		*info = (struct wire_errinfo){
		    "giving the workspace to the child", -r, 0};
		err = WIRE_ERR_SYSTEM;
	}
	if (err == WIRE_OK)
		err = sup_exec_memory_enter(e, info);
	if (err == WIRE_OK)
		err = sup_spawn_go(&e->child, info);
	return err;
}

void
sup_exec_begin(struct weir_execution *e)
{
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	if (e->started_ns == 0)
		e->started_ns = sup_sys_now();
	err = spawn_child(e, &info);
	if (err != WIRE_OK && strcmp(info.site, "clone") == 0) {
		refuse_start(e, SUP_STAGE_NAMESPACES, &info);
		begin_failed(e, SUP_EVENT_REFUSED);
		return;
	}
	if (err != WIRE_OK) {
		sup_exec_fail(e, &info);
		return;
	}
	sup_evidence_namespaces(e->child.pid, &e->evidence.child);
	err = sup_exec_open_io(e, &info);
	if (err != WIRE_OK) {
		sup_exec_fail(e, &info);
		return;
	}
	e->deadline_ns = sup_sys_now() + e->terms.limits[SUP_LIMIT_READY];
	sup_exec_arm(e);
	err = equip_child(e, &info);
	/* A stub that is gone already has said why. */
	if (err != WIRE_OK)
		(void)sup_exec_take_reports(e);
	if (err != WIRE_OK && e->state == SUP_EXEC_STARTING) {
		refuse_start(e, "maps", &info);
		sup_exec_event(e, SUP_EVENT_REFUSED);
	}
}

/* --- the end of a child, and of an attempt -------------------------------- */

/* How long process 1 may take to end a tree that the kernel does not end with
 * it, before it is killed itself. It may be in the middle of a look at a
 * workspace of a million names, on a machine that is busy. */
#define TREE_MS 5000

void
sup_exec_reap(struct weir_execution *e)
{
	siginfo_t ended;

	if (e->child.pidfd < 0)
		return;
	if (e->launch->stub.backend != WIRE_BACKEND_ISOLATED) {
		sup_sys_shutdown(e->child.report_fd);
		sup_sys_wait_readable(e->child.pidfd, TREE_MS);
	}
	(void)sup_sys_signal(e->child.pidfd, e->child.pid, SIGKILL);
	/* Reaping waits for the kernel to empty the namespace. */
	while (sup_sys_reap(e->child.pidfd, &ended) == 0)
		sup_sys_wait_readable(e->child.pidfd, -1);
	/* Elsewhere process 2 is killed with process 1, but may take its time
	 * to give gigabytes back. */
	if (e->launch->stub.backend != WIRE_BACKEND_ISOLATED &&
	    e->pidfd2 >= 0) {
		(void)sup_sys_signal(e->pidfd2, 0, SIGKILL);
		sup_sys_wait_readable(e->pidfd2, -1);
	}
	sup_loop_remove(&e->weir->loop, &e->pid_watch);
	sup_sys_close(&e->child.pidfd);
}

void
sup_exec_remove_workspace(struct weir_execution *e)
{
	char stub[PATH_MAX];

	if (e->scratch_name[0] == '\0')
		return;
	(void)snprintf(stub, sizeof(stub), "%.*s/weir-child", PATH_MAX - 16,
	    e->weir->libexec);
	if (!sup_scratch_remove(
		&e->weir->scratch, e->scratch_name, stub, REMOVE_MS))
		sup_exec_warn(e,
		    "the workspace %s could not be removed whole in time; the "
		    "next start of weir goes on with it",
		    e->workspace);
	e->scratch_name[0] = '\0';
}

static const char *const attempt_words[SUP_ATTEMPTS] = {
    [SUP_ATTEMPT_ISOLATED] = "isolated",
    [SUP_ATTEMPT_SPACES] = "process in namespaces of its own",
    [SUP_ATTEMPT_PLAIN] = "process",
};

bool
sup_exec_may_go_on(const struct weir_execution *e)
{
	return e->attempt < e->last_attempt && sup_refusal_is(&e->facts);
}

/* Remembered, so that later executions of the context need not find out
 * again; not when the host was merely short of something. */
static void
note_refusal(struct weir_execution *e, const char *reason)
{
	struct weir *weir = e->weir;

	(void)snprintf(weir->refused[e->attempt],
	    sizeof(weir->refused[e->attempt]), "%s", reason);
	if (weir->first_attempt == e->attempt && sup_refusal_lasts(&e->facts))
		weir->first_attempt = e->attempt + 1;
}

void
sup_exec_warn_refused(struct weir_execution *e)
{
	for (unsigned i = e->first_attempt; i < e->attempt; i++)
		sup_exec_warn(e, "backend %s was not to be had: %s",
		    attempt_words[i], e->weir->refused[i]);
}

void
sup_exec_go_on(struct weir_execution *e)
{
	struct wire_errinfo info = {"", 0, 0};
	struct sup_verdict verdict;
	enum wire_err err;

	sup_verdict_reach(&e->facts, &verdict);
	note_refusal(e, verdict.message);
	sup_output_release(&e->out);
	sup_output_release(&e->err);
	sup_launch_release(e->launch);
	memset(e->launch, 0, sizeof(*e->launch));
	sup_exec_reset(e);
	e->attempt++;
	err = sup_exec_prepare(e, &info);
	if (err == WIRE_OK)
		sup_exec_begin(e);
	else
		sup_exec_fail(e, &info);
}
