#include "child/module/seal.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "child/landlock.h"
#include "child/module/channel.h"
#include "child/module/link.h"
#include "child/module/python.h"
#include "child/probe.h"
#include "child/seccomp.h"
#include "child/sys.h"

#define SEEK_TO_END 2
/* One frame, built once: the environment is the only part that can be long. */
#define READY_MAX (64 * WIRE_KIB)

extern char **environ;

static uint8_t ready_text[READY_MAX]; /* raw strings of `ready` */
static uint8_t ready_frame[2 * READY_MAX];

static void __attribute__((noreturn)) fail(enum wire_stage stage, int error)
{
	char line[120];
	int len = snprintf(line, sizeof(line),
	    "weir: stage %s failed: errno %d\n", wire_stage_word(stage), error);

	(void)STUB_SYS(__NR_write, 2, line, len);
	stub_link_exit(125);
}

static void
check(enum wire_stage stage, int error)
{
	if (error != 0)
		fail(stage, error);
}

/* Maps the plan read-only; its descriptor is closed. */
static struct wire_span
map_plan(int plan_fd)
{
	long len = STUB_SYS(__NR_lseek, plan_fd, 0, SEEK_TO_END);
	long p;

	if (len < 0)
		fail(WIRE_STAGE_PLAN, (int)-len);
	if (len == 0 || (unsigned long)len > WIRE_PLAN_MAX)
		fail(WIRE_STAGE_PLAN, EINVAL);
	p = STUB_SYS(__NR_mmap, 0, len, PROT_READ, MAP_PRIVATE, plan_fd, 0);
	if (p < 0)
		fail(WIRE_STAGE_PLAN, (int)-p);
	(void)STUB_SYS(__NR_close, plan_fd);
	return (struct wire_span){(const uint8_t *)p, (size_t)len};
}

/*
 * SECURITY: the order is the promise. Landlock needs a single thread and the
 * calls that the filter takes away; dumpable is cleared while prctl still
 * answers; the filter comes last, and everything after it is a probe.
 */
static void
apply(const struct wire_plan *plan, struct wire_ready *ready)
{
	uint32_t detail;
	int listener = -1;
	long r;

	/* Said by name here; their own EPERM would blame the wrong stage. */
	if (plan->backend != WIRE_BACKEND_NONE &&
	    (wire_plan_has(plan, WIRE_STAGE_LANDLOCK) ||
		wire_plan_has(plan, WIRE_STAGE_SECCOMP))) {
		r = STUB_SYS(__NR_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
		check(WIRE_STAGE_NO_NEW_PRIVS, r == 1 ? 0 : EPERM);
	}
	stub_probe_before(plan, ready);
	if (wire_plan_has(plan, WIRE_STAGE_LANDLOCK))
		check(WIRE_STAGE_LANDLOCK,
		    stub_landlock_apply(plan, &ready->landlock_abi,
			&ready->landlock_errno, &detail));
	/* --unconfined: the caller's own rights, to the last (C1). */
	if (plan->backend != WIRE_BACKEND_NONE &&
	    wire_plan_has(plan, WIRE_STAGE_DUMPABLE)) {
		/* exec made the process dumpable again. */
		r = STUB_SYS(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
		check(WIRE_STAGE_DUMPABLE, r < 0 ? (int)-r : 0);
	}
	if (wire_plan_has(plan, WIRE_STAGE_SECCOMP))
		check(WIRE_STAGE_SECCOMP, stub_seccomp_apply(plan, &listener));
	/* Whatever is refused from here on waits for the host. */
	if (listener >= 0)
		check(WIRE_STAGE_SECCOMP,
		    stub_seccomp_hand_over((int)plan->channel_fd, listener));
	check(WIRE_STAGE_PROBE, stub_probe_after(plan, ready));
}

/* Writes text as a JSON string and gives back what stands in its quotes. */
static struct wire_span
raw_string(struct wire_out *out, const char *text, size_t len)
{
	size_t start, end;

	if (wire_out_finish(out, &start) != WIRE_OK)
		fail(WIRE_STAGE_PROBE, E2BIG);
	out->need_comma = false;
	wire_out_lossy_string(
	    out, (struct wire_span){(const uint8_t *)text, len});
	if (wire_out_finish(out, &end) != WIRE_OK)
		fail(WIRE_STAGE_PROBE, E2BIG);
	return (struct wire_span){out->buf + start + 1, end - start - 2};
}

/* What Python cannot change any more: the process's own block. */
static void
describe(struct wire_ready *ready, struct wire_out *text)
{
	const char *version = Py_GetVersion();
	size_t i;

	ready->protocol = WIRE_PROTOCOL_VERSION;
	ready->python = raw_string(text, version, strcspn(version, " "));
	for (i = 0; environ != NULL && environ[i] != NULL; i++) {
		if (i == WIRE_READY_MAX_ENV)
			fail(WIRE_STAGE_PROBE, E2BIG);
		ready->environment[i] =
		    raw_string(text, environ[i], strlen(environ[i]));
	}
	ready->environment_count = i;
}

void
stub_seal(int plan_fd)
{
	struct wire_ready ready = {0};
	struct wire_out text, frame;
	struct wire_plan plan;
	struct wire_span bytes;
	size_t len;

	bytes = map_plan(plan_fd);
	if (wire_plan_decode(bytes, &plan) != WIRE_OK)
		fail(WIRE_STAGE_PLAN, EINVAL);
	stub_channel_open((int)plan.channel_fd);
	apply(&plan, &ready);
	(void)STUB_SYS(__NR_munmap, bytes.p, bytes.len);
	wire_out_init(&text, ready_text, sizeof(ready_text));
	describe(&ready, &text);
	wire_out_init(&frame, ready_frame, sizeof(ready_frame));
	wire_msg_encode_ready(&frame, &ready);
	if (wire_out_finish(&frame, &len) != WIRE_OK)
		fail(WIRE_STAGE_PROBE, E2BIG);
	stub_channel_send((struct wire_span){ready_frame, len});
}
