/*
 * Target: the launch plan (wire/plan.h).
 *
 * An input is the bytes of a plan; or, after the four bytes "make", a recipe
 * from which a plan is put together field by field. Properties:
 *  - what is accepted encodes to the same bytes, in a buffer of exactly that
 *    size and in none that is smaller;
 *  - every text and list of it stands inside the bytes, and each is what
 *    wire/plan.h says of it, checked by rules written down a second time;
 *  - a plan that was made is encoded exactly when those rules allow it, and
 *    then decodes to what it was.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/plan.h"

/* --- the rules ------------------------------------------------------------ */

/* Absolute; no part of it between slashes is `..`. */
static bool
is_inside(const char *path)
{
	char *copy, *part, *rest;
	bool good;

	if (path == NULL || path[0] != '/')
		return false;
	rest = copy = strdup(path);
	FUZZ_REQUIRE(copy != NULL);
	for (good = true; (part = strsep(&rest, "/")) != NULL;)
		good = good && strcmp(part, "..") != 0;
	free(copy);
	return good;
}

static bool
is_good_mount(const struct wire_plan_mount *m)
{
	bool by_fd = m->fd >= WIRE_FD_MOUNTS && m->source != NULL &&
	    strcmp(m->source, "") == 0;
	bool by_path = m->fd == -1 && m->source != NULL && m->source[0] == '/';

	return (by_fd || by_path) && is_inside(m->target) &&
	    (unsigned)m->kind <= WIRE_MOUNT_DIR && m->flags <= 3;
}

static bool
are_good_texts(const struct wire_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->arg_count; i++)
		if (plan->args[i] == NULL)
			return false;
	for (i = 0; i < plan->env_count; i++)
		if (plan->env[i] == NULL || plan->env[i][0] == '=' ||
		    strchr(plan->env[i], '=') == NULL)
			return false;
	for (i = 0; i < plan->canary_count; i++)
		if (plan->canaries[i] == NULL || *plan->canaries[i] == '\0')
			return false;
	return true;
}

static bool
is_good(const struct wire_plan *plan)
{
	size_t i;

	bool keeps = plan->uid == (uint32_t)-1;

	if (plan->layers >= 1u << WIRE_STAGE_COUNT || plan->namespaces > 1 ||
	    plan->by_pid > 1 || plan->send_workspace > 1 || plan->trace > 1 ||
	    (plan->trace == 1 && plan->insn_count == 0) ||
	    plan->channel_fd >= 1u << 31 ||
	    keeps != (plan->gid == (uint32_t)-1) || (keeps && plan->by_pid))
		return false;
	switch ((unsigned)plan->backend) {
	case WIRE_BACKEND_ISOLATED:
		if (plan->namespaces == 0 || keeps)
			return false;
		break;
	case WIRE_BACKEND_PROCESS:
		break;
	case WIRE_BACKEND_NONE:
		if (plan->namespaces != 0)
			return false;
		break;
	default:
		return false;
	}
	if (plan->mount_count > WIRE_PLAN_MOUNTS ||
	    plan->link_count > WIRE_PLAN_LINKS ||
	    plan->arg_count > WIRE_PLAN_ARGS ||
	    plan->env_count > WIRE_PLAN_ENV ||
	    plan->rule_count > WIRE_PLAN_RULES ||
	    plan->canary_count > WIRE_PLAN_CANARIES ||
	    plan->insn_count > WIRE_PLAN_FILTER)
		return false;
	if (plan->workspace != NULL && *plan->workspace != '\0' &&
	    !is_inside(plan->workspace))
		return false;
	for (i = 0; i < plan->mount_count; i++)
		if (!is_good_mount(&plan->mounts[i]))
			return false;
	for (i = 0; i < plan->link_count; i++)
		if (!is_inside(plan->links[i].path) ||
		    plan->links[i].target == NULL ||
		    *plan->links[i].target == '\0')
			return false;
	for (i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].path == NULL || *plan->rules[i].path != '/')
			return false;
	return are_good_texts(plan);
}

/* --- bytes to a plan ------------------------------------------------------ */

/* The text ends inside the block; a sanitizer sees it if not. */
static void
inside(const uint8_t *bytes, size_t size, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;

	FUZZ_REQUIRE(p >= bytes && p < bytes + size);
	FUZZ_REQUIRE(memchr(p, 0, (size_t)(bytes + size - p)) != NULL);
}

static void
all_inside(const uint8_t *bytes, size_t size, const struct wire_plan *plan)
{
	const uint8_t *insns = (const uint8_t *)plan->insns;
	size_t i;

	inside(bytes, size, plan->workspace);
	for (i = 0; i < plan->mount_count; i++) {
		inside(bytes, size, plan->mounts[i].source);
		inside(bytes, size, plan->mounts[i].target);
	}
	for (i = 0; i < plan->link_count; i++) {
		inside(bytes, size, plan->links[i].path);
		inside(bytes, size, plan->links[i].target);
	}
	for (i = 0; i < plan->arg_count; i++)
		inside(bytes, size, plan->args[i]);
	for (i = 0; i < plan->env_count; i++)
		inside(bytes, size, plan->env[i]);
	for (i = 0; i < plan->rule_count; i++)
		inside(bytes, size, plan->rules[i].path);
	for (i = 0; i < plan->canary_count; i++)
		inside(bytes, size, plan->canaries[i]);
	/* As execve(2) wants them. */
	FUZZ_REQUIRE(plan->args[plan->arg_count] == NULL);
	FUZZ_REQUIRE(plan->env[plan->env_count] == NULL);
	if (plan->insn_count != 0)
		FUZZ_REQUIRE(insns > bytes && ((uintptr_t)insns & 7) == 0 &&
		    plan->insn_count * 8 <= (size_t)(bytes + size - insns));
}

static void
check_bytes(struct wire_span in)
{
	/* malloc aligns as the contract asks. */
	uint8_t *bytes = malloc(in.len + 1), *again = malloc(in.len);
	struct wire_plan plan;
	size_t len = 0;

	FUZZ_REQUIRE(bytes != NULL && (in.len == 0 || again != NULL));
	/* One off, so that it is not aligned. */
	if (in.len != 0)
		memcpy(bytes + 1, in.p, in.len);
	FUZZ_REQUIRE(wire_plan_decode((struct wire_span){bytes + 1, in.len},
			 &plan) == WIRE_ERR_BAD_ARGUMENT);
	free(bytes);
	bytes = malloc(in.len);
	if (in.len != 0)
		memcpy(bytes, in.p, in.len);
	if (wire_plan_decode((struct wire_span){bytes, in.len}, &plan) ==
	    WIRE_OK) {
		all_inside(bytes, in.len, &plan);
		FUZZ_REQUIRE(is_good(&plan));
		FUZZ_REQUIRE(wire_plan_encode(&plan, again, in.len - 1, &len) ==
		    WIRE_ERR_NO_SPACE);
		FUZZ_REQUIRE(
		    wire_plan_encode(&plan, again, in.len, &len) == WIRE_OK);
		FUZZ_REQUIRE(len == in.len && memcmp(bytes, again, len) == 0);
	}
	free(bytes);
	free(again);
}

/* --- a plan to bytes ------------------------------------------------------ */

/* A text from a few that matter. */
static const char *
text(struct wire_span *in)
{
	static const char *const texts[] = {"/usr", "/", "", NULL, "/a/../b",
	    "/..", "/...", "/a/..b", "/a..", "//x", "A=b", "=", "A=", "x",
	    "/proc/self", "/tmp/.."};

	return texts[fuzz_byte(in) % 16];
}

/* A count up to one over the maximum; a 0 byte more often than not. */
static size_t
count(struct wire_span *in, size_t max)
{
	return fuzz_byte(in) % (max + 2);
}

static void
make_lists(struct wire_span *in, struct wire_plan *plan)
{
	size_t i;

	/* One over the maximum is refused before it is looked at. */
	plan->mount_count = count(in, WIRE_PLAN_MOUNTS);
	for (i = 0; i < plan->mount_count && i < WIRE_PLAN_MOUNTS; i++)
		plan->mounts[i] = (struct wire_plan_mount){
		    (enum wire_mount_kind)(fuzz_byte(in) % 3),
		    fuzz_byte(in) % 5, fuzz_byte(in) % 16 - 1, text(in),
		    text(in)};
	plan->link_count = count(in, WIRE_PLAN_LINKS);
	for (i = 0; i < plan->link_count && i < WIRE_PLAN_LINKS; i++)
		plan->links[i] = (struct wire_plan_link){text(in), text(in)};
	plan->arg_count = count(in, WIRE_PLAN_ARGS);
	for (i = 0; i < plan->arg_count && i < WIRE_PLAN_ARGS; i++)
		plan->args[i] = text(in);
	plan->env_count = count(in, WIRE_PLAN_ENV);
	for (i = 0; i < plan->env_count && i < WIRE_PLAN_ENV; i++)
		plan->env[i] = text(in);
	plan->rule_count = count(in, WIRE_PLAN_RULES);
	for (i = 0; i < plan->rule_count && i < WIRE_PLAN_RULES; i++)
		plan->rules[i] =
		    (struct wire_plan_rule){text(in), fuzz_uint(in, 2)};
	plan->canary_count = count(in, WIRE_PLAN_CANARIES);
	for (i = 0; i < plan->canary_count && i < WIRE_PLAN_CANARIES; i++)
		plan->canaries[i] = text(in);
}

static void
make(struct wire_span *in, struct wire_plan *plan,
    const struct wire_plan_insn *insns)
{
	size_t i;

	memset(plan, 0, sizeof(*plan));
	plan->layers = (uint32_t)fuzz_uint(in, 4);
	plan->channel_fd = (uint32_t)fuzz_uint(in, 4);
	plan->namespaces = fuzz_byte(in) % 3;
	plan->uid = (uint32_t)fuzz_uint(in, 4);
	plan->gid = (uint32_t)fuzz_uint(in, 4);
	plan->workspace = text(in);
	plan->workspace_bytes = fuzz_uint(in, 8);
	plan->workspace_inodes = plan->workspace_bytes / 3;
	for (i = 0; i < WIRE_LIMITS; i++) {
		plan->soft[i] = fuzz_uint(in, 2);
		plan->hard[i] = plan->soft[i] + i;
	}
	plan->landlock_handled = fuzz_uint(in, 2);
	plan->landlock_net = fuzz_byte(in);
	plan->landlock_scoped = fuzz_byte(in);
	plan->insns = insns;
	plan->insn_count = fuzz_byte(in) % 9;
	if (plan->insn_count == 8)
		plan->insn_count = WIRE_PLAN_FILTER + 1;
	make_lists(in, plan);
	/* Last, so that older seeds mean what they meant. */
	plan->backend = (enum wire_backend)(fuzz_byte(in) % 4);
	plan->by_pid = fuzz_byte(in) % 3;
	plan->threads = (uint32_t)fuzz_uint(in, 2);
	plan->processes = (uint32_t)fuzz_uint(in, 2);
	plan->send_workspace = fuzz_byte(in) % 3;
	plan->trace = fuzz_byte(in) % 3;
}

static void
same_text(const char *a, const char *b)
{
	FUZZ_REQUIRE(strcmp(a == NULL ? "" : a, b) == 0);
}

static void
same_lists(const struct wire_plan *a, const struct wire_plan *b)
{
	size_t i;

	FUZZ_REQUIRE(a->mount_count == b->mount_count);
	for (i = 0; i < a->mount_count; i++) {
		FUZZ_REQUIRE(a->mounts[i].kind == b->mounts[i].kind);
		FUZZ_REQUIRE(a->mounts[i].flags == b->mounts[i].flags);
		FUZZ_REQUIRE(a->mounts[i].fd == b->mounts[i].fd);
		same_text(a->mounts[i].source, b->mounts[i].source);
		same_text(a->mounts[i].target, b->mounts[i].target);
	}
	FUZZ_REQUIRE(a->link_count == b->link_count);
	for (i = 0; i < a->link_count; i++) {
		same_text(a->links[i].path, b->links[i].path);
		same_text(a->links[i].target, b->links[i].target);
	}
	FUZZ_REQUIRE(a->arg_count == b->arg_count);
	for (i = 0; i < a->arg_count; i++)
		same_text(a->args[i], b->args[i]);
	FUZZ_REQUIRE(a->env_count == b->env_count);
	for (i = 0; i < a->env_count; i++)
		same_text(a->env[i], b->env[i]);
	FUZZ_REQUIRE(a->rule_count == b->rule_count);
	for (i = 0; i < a->rule_count; i++) {
		same_text(a->rules[i].path, b->rules[i].path);
		FUZZ_REQUIRE(a->rules[i].access == b->rules[i].access);
	}
	FUZZ_REQUIRE(a->canary_count == b->canary_count);
	for (i = 0; i < a->canary_count; i++)
		same_text(a->canaries[i], b->canaries[i]);
	FUZZ_REQUIRE(a->insn_count == b->insn_count);
	if (a->insn_count != 0)
		FUZZ_REQUIRE(
		    memcmp(a->insns, b->insns, 8 * a->insn_count) == 0);
}

static void
same_plan(const struct wire_plan *a, const struct wire_plan *b)
{
	FUZZ_REQUIRE(a->layers == b->layers);
	FUZZ_REQUIRE(a->channel_fd == b->channel_fd);
	FUZZ_REQUIRE(a->backend == b->backend);
	FUZZ_REQUIRE(a->namespaces == b->namespaces);
	FUZZ_REQUIRE(a->by_pid == b->by_pid && a->threads == b->threads &&
	    a->processes == b->processes);
	FUZZ_REQUIRE(a->send_workspace == b->send_workspace);
	FUZZ_REQUIRE(a->trace == b->trace);
	FUZZ_REQUIRE(a->uid == b->uid && a->gid == b->gid);
	FUZZ_REQUIRE(a->workspace_bytes == b->workspace_bytes);
	FUZZ_REQUIRE(a->workspace_inodes == b->workspace_inodes);
	FUZZ_REQUIRE(memcmp(a->soft, b->soft, sizeof(a->soft)) == 0);
	FUZZ_REQUIRE(memcmp(a->hard, b->hard, sizeof(a->hard)) == 0);
	FUZZ_REQUIRE(a->landlock_handled == b->landlock_handled);
	FUZZ_REQUIRE(a->landlock_net == b->landlock_net);
	FUZZ_REQUIRE(a->landlock_scoped == b->landlock_scoped);
	same_text(a->workspace, b->workspace);
	same_lists(a, b);
}

static void
check_made(struct wire_span in)
{
	static const struct wire_plan_insn insns[8] = {
	    {6, 0, 0, 0x7fff0000}, {32, 1, 2, 4}};
	uint8_t *bytes = malloc(WIRE_PLAN_MAX);
	struct wire_plan plan, again;
	enum wire_err err;
	size_t len;

	FUZZ_REQUIRE(bytes != NULL);
	make(&in, &plan, insns);
	err = wire_plan_encode(&plan, bytes, WIRE_PLAN_MAX, &len);
	FUZZ_REQUIRE(err == (is_good(&plan) ? WIRE_OK : WIRE_ERR_BAD_PLAN));
	if (err == WIRE_OK) {
		FUZZ_REQUIRE(wire_plan_decode((struct wire_span){bytes, len},
				 &again) == WIRE_OK);
		same_plan(&plan, &again);
		FUZZ_REQUIRE(len % 8 == 0);
	}
	free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4 && memcmp(data, "make", 4) == 0)
		check_made((struct wire_span){data + 4, size - 4});
	else
		check_bytes((struct wire_span){data, size});
	return 0;
}
