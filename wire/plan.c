#include "wire/plan.h"

#include "wire/plan_format.h"

/*
 * The stub is linked from this file, so no table here holds a pointer (which
 * would need a relocation there), and nothing is called but memcpy and memset.
 * The writer has a file of its own, which the stub leaves out.
 */

static bool
is_empty(const char *text)
{
	return text == NULL || text[0] == '\0';
}

/* Absolute, and no segment of it is `..`. */
static bool
is_inside_path(const char *path)
{
	size_t i;

	if (path == NULL || path[0] != '/')
		return false;
	for (i = 0; path[i] != '\0'; i++) {
		if (path[i] == '/' && path[i + 1] == '.' &&
		    path[i + 2] == '.' &&
		    (path[i + 3] == '/' || path[i + 3] == '\0'))
			return false;
	}
	return true;
}

static bool
mount_is_good(const struct wire_plan_mount *mount)
{
	if (mount->source == NULL || !is_inside_path(mount->target))
		return false;
	if (mount->kind != WIRE_MOUNT_FILE && mount->kind != WIRE_MOUNT_DIR)
		return false;
	if ((mount->flags &
		~(unsigned)(WIRE_MOUNT_WRITE | WIRE_MOUNT_DEVICE)) != 0)
		return false;
	if (mount->fd == -1)
		return mount->source[0] == '/';
	return mount->fd >= WIRE_FD_MOUNTS && mount->source[0] == '\0';
}

/* NAME=VALUE with a name. */
static bool
env_is_good(const char *text)
{
	size_t i = 0;

	if (text == NULL)
		return false;
	while (text[i] != '\0' && text[i] != '=')
		i++;
	return i > 0 && text[i] == '=';
}

/* How the child is held, and who it becomes. */
static bool
holding_is_good(const struct wire_plan *plan)
{
	bool keeps = plan->uid == WIRE_PLAN_KEEP;

	if ((unsigned)plan->backend >= WIRE_BACKENDS || plan->namespaces > 1 ||
	    plan->by_pid > 1 || plan->send_workspace > 1)
		return false;
	if (keeps != (plan->gid == WIRE_PLAN_KEEP) || (keeps && plan->by_pid))
		return false;
	if (plan->backend == WIRE_BACKEND_ISOLATED)
		return plan->namespaces && !keeps;
	return plan->backend != WIRE_BACKEND_NONE || !plan->namespaces;
}

static bool
scalars_are_good(const struct wire_plan *plan)
{
	if (plan->layers >> WIRE_STAGE_COUNT != 0 || !holding_is_good(plan))
		return false;
	if (plan->channel_fd > INT32_MAX)
		return false;
	/* There is no listener without a filter. */
	if (plan->trace > 1 || (plan->trace && plan->insn_count == 0))
		return false;
	return plan->mount_count <= WIRE_PLAN_MOUNTS &&
	    plan->link_count <= WIRE_PLAN_LINKS &&
	    plan->arg_count <= WIRE_PLAN_ARGS &&
	    plan->env_count <= WIRE_PLAN_ENV &&
	    plan->rule_count <= WIRE_PLAN_RULES &&
	    plan->canary_count <= WIRE_PLAN_CANARIES &&
	    plan->insn_count <= WIRE_PLAN_FILTER &&
	    (plan->insn_count == 0 || plan->insns != NULL);
}

bool
wire_plan_is_good(const struct wire_plan *plan)
{
	size_t i;

	if (!scalars_are_good(plan))
		return false;
	if (!is_empty(plan->workspace) && !is_inside_path(plan->workspace))
		return false;
	for (i = 0; i < plan->mount_count; i++) {
		if (!mount_is_good(&plan->mounts[i]))
			return false;
	}
	for (i = 0; i < plan->link_count; i++) {
		if (!is_inside_path(plan->links[i].path) ||
		    is_empty(plan->links[i].target))
			return false;
	}
	for (i = 0; i < plan->arg_count; i++) {
		if (plan->args[i] == NULL)
			return false;
	}
	for (i = 0; i < plan->env_count; i++) {
		if (!env_is_good(plan->env[i]))
			return false;
	}
	for (i = 0; i < plan->rule_count; i++) {
		if (is_empty(plan->rules[i].path) ||
		    plan->rules[i].path[0] != '/')
			return false;
	}
	for (i = 0; i < plan->canary_count; i++) {
		if (is_empty(plan->canaries[i]))
			return false;
	}
	return true;
}

/* --- reading ------------------------------------------------------------- */

/* Takes one NUL-terminated string off the front; NULL when it does not end. */
static const char *
take_text(struct wire_span *payload)
{
	const char *text = (const char *)payload->p;
	size_t i;

	for (i = 0; i < payload->len; i++) {
		if (payload->p[i] == '\0') {
			payload->p += i + 1;
			payload->len -= i + 1;
			return text;
		}
	}
	return NULL;
}

static bool
take_bytes(struct wire_span *payload, void *ret_p, size_t len)
{
	if (payload->len < len)
		return false;
	__builtin_memcpy(ret_p, payload->p, len);
	payload->p += len;
	payload->len -= len;
	return true;
}

static bool
read_fixed(struct wire_span *payload, struct wire_plan *plan)
{
	struct wire_plan_fixed fixed;

	if (!take_bytes(payload, &fixed, sizeof(fixed)) || fixed.zero != 0)
		return false;
	plan->workspace_bytes = fixed.workspace_bytes;
	plan->workspace_inodes = fixed.workspace_inodes;
	plan->landlock_handled = fixed.landlock_handled;
	plan->landlock_net = fixed.landlock_net;
	plan->landlock_scoped = fixed.landlock_scoped;
	plan->layers = fixed.layers;
	plan->channel_fd = fixed.channel_fd;
	plan->backend = (enum wire_backend)fixed.backend;
	plan->namespaces = fixed.namespaces;
	plan->uid = fixed.uid;
	plan->gid = fixed.gid;
	plan->by_pid = fixed.by_pid;
	plan->threads = fixed.threads;
	plan->send_workspace = fixed.send_workspace;
	plan->processes = fixed.processes;
	plan->trace = fixed.trace;
	__builtin_memcpy(plan->soft, fixed.soft, sizeof(fixed.soft));
	__builtin_memcpy(plan->hard, fixed.hard, sizeof(fixed.hard));
	return true;
}

static bool
read_mount(struct wire_span *payload, struct wire_plan *plan)
{
	struct wire_plan_mount *mount = &plan->mounts[plan->mount_count];
	struct wire_plan_mount_head head;

	if (plan->mount_count == WIRE_PLAN_MOUNTS ||
	    !take_bytes(payload, &head, sizeof(head)) || head.zero != 0 ||
	    head.kind > WIRE_MOUNT_DIR)
		return false;
	mount->kind = (enum wire_mount_kind)head.kind;
	mount->flags = head.flags;
	mount->fd = head.fd;
	mount->source = take_text(payload);
	mount->target = take_text(payload);
	plan->mount_count++;
	return mount->source != NULL && mount->target != NULL;
}

static bool
read_link(struct wire_span *payload, struct wire_plan *plan)
{
	struct wire_plan_link *link = &plan->links[plan->link_count];

	if (plan->link_count == WIRE_PLAN_LINKS)
		return false;
	link->path = take_text(payload);
	link->target = take_text(payload);
	plan->link_count++;
	return link->path != NULL && link->target != NULL;
}

static bool
read_rule(struct wire_span *payload, struct wire_plan *plan)
{
	struct wire_plan_rule *rule = &plan->rules[plan->rule_count];

	if (plan->rule_count == WIRE_PLAN_RULES ||
	    !take_bytes(payload, &rule->access, 8))
		return false;
	rule->path = take_text(payload);
	plan->rule_count++;
	return rule->path != NULL;
}

static bool
read_text(
    struct wire_span *payload, const char **list, size_t max, size_t *count)
{
	if (*count == max)
		return false;
	list[*count] = take_text(payload);
	return list[(*count)++] != NULL;
}

static bool
read_filter(struct wire_span *payload, struct wire_plan *plan)
{
	if (payload->len == 0 || payload->len % 8 != 0 ||
	    payload->len / 8 > WIRE_PLAN_FILTER)
		return false;
	/* Aligned: the bytes are, and every payload begins at a multiple of 8
	 * from their start. */
	plan->insns = (const struct wire_plan_insn *)(const void *)payload->p;
	plan->insn_count = payload->len / 8;
	payload->len = 0;
	return true;
}

static bool
read_record(uint32_t tag, struct wire_span *payload, struct wire_plan *plan)
{
	switch (tag) {
	case WIRE_PLAN_TAG_FIXED:
		return read_fixed(payload, plan);
	case WIRE_PLAN_TAG_WORKSPACE:
		plan->workspace = take_text(payload);
		return plan->workspace != NULL;
	case WIRE_PLAN_TAG_MOUNT:
		return read_mount(payload, plan);
	case WIRE_PLAN_TAG_LINK:
		return read_link(payload, plan);
	case WIRE_PLAN_TAG_ARG:
		return read_text(
		    payload, plan->args, WIRE_PLAN_ARGS, &plan->arg_count);
	case WIRE_PLAN_TAG_ENV:
		return read_text(
		    payload, plan->env, WIRE_PLAN_ENV, &plan->env_count);
	case WIRE_PLAN_TAG_RULE:
		return read_rule(payload, plan);
	case WIRE_PLAN_TAG_CANARY:
		return read_text(payload, plan->canaries, WIRE_PLAN_CANARIES,
		    &plan->canary_count);
	case WIRE_PLAN_TAG_FILTER:
		return read_filter(payload, plan);
	default:
		return false;
	}
}

/*
 * Whether tag may follow the tag before it: FIXED and WORKSPACE begin and
 * stand once, the rest never goes back, FILTER stands once.
 */
static bool
may_follow(uint32_t tag, uint32_t before)
{
	if (before < WIRE_PLAN_TAG_WORKSPACE)
		return tag == before + 1;
	return tag > WIRE_PLAN_TAG_WORKSPACE && tag < WIRE_PLAN_TAGS &&
	    tag >= before && before != WIRE_PLAN_TAG_FILTER;
}

/* Takes one record with its padding; false for anything malformed. */
static bool
take_record(struct wire_span *rest, uint32_t before, uint32_t *ret_tag,
    struct wire_plan *plan)
{
	struct wire_plan_record record;
	struct wire_span payload;
	size_t padding, i;

	if (!take_bytes(rest, &record, sizeof(record)) ||
	    record.len > rest->len || !may_follow(record.tag, before))
		return false;
	payload = (struct wire_span){rest->p, record.len};
	rest->p += record.len;
	rest->len -= record.len;
	padding = -(size_t)record.len & 7;
	if (padding > rest->len)
		return false;
	for (i = 0; i < padding; i++) {
		if (rest->p[i] != 0)
			return false;
	}
	rest->p += padding;
	rest->len -= padding;
	*ret_tag = record.tag;
	return read_record(record.tag, &payload, plan) && payload.len == 0;
}

enum wire_err
wire_plan_decode(struct wire_span bytes, struct wire_plan *ret_plan)
{
	struct wire_plan plan;
	struct wire_span rest = bytes;
	struct wire_plan_header header;
	uint32_t tag = 0;

	if (((uintptr_t)bytes.p & 7) != 0)
		return WIRE_ERR_BAD_ARGUMENT;
	if (bytes.len > WIRE_PLAN_MAX ||
	    !take_bytes(&rest, &header, sizeof(header)) ||
	    header.magic != WIRE_PLAN_MAGIC ||
	    header.version != WIRE_PLAN_VERSION || header.len != bytes.len)
		return WIRE_ERR_BAD_PLAN;
	__builtin_memset(&plan, 0, sizeof(plan));
	while (rest.len != 0) {
		if (!take_record(&rest, tag, &tag, &plan))
			return WIRE_ERR_BAD_PLAN;
	}
	if (tag < WIRE_PLAN_TAG_WORKSPACE || !wire_plan_is_good(&plan))
		return WIRE_ERR_BAD_PLAN;
	*ret_plan = plan;
	return WIRE_OK;
}
