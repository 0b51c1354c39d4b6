#include "wire/plan_format.h"

#include <string.h>

struct writer {
	uint8_t *buf;
	size_t max;
	size_t len;
	bool full; /* latched */
};

static void
put(struct writer *w, const void *p, size_t len)
{
	if (w->full || len > w->max - w->len) {
		w->full = true;
		return;
	}
	if (len != 0)
		memcpy(w->buf + w->len, p, len);
	w->len += len;
}

/* One record of up to three parts. */
static void
put_record(struct writer *w, enum wire_plan_tag tag, const void *head,
    size_t head_len, const char *first, const char *second)
{
	static const uint8_t zeros[8];
	size_t first_len = first == NULL ? 0 : strlen(first) + 1;
	size_t second_len = second == NULL ? 0 : strlen(second) + 1;
	struct wire_plan_record record = {tag, 0};
	size_t len;

	if (!wire_add(head_len, first_len, &len) ||
	    !wire_add(len, second_len, &len) || len > WIRE_PLAN_MAX) {
		w->full = true;
		return;
	}
	record.len = (uint32_t)len;
	put(w, &record, sizeof(record));
	put(w, head, head_len);
	put(w, first, first_len);
	put(w, second, second_len);
	put(w, zeros, -len & 7);
}

static void
put_fixed(struct writer *w, const struct wire_plan *plan)
{
	struct wire_plan_fixed fixed = {
	    .workspace_bytes = plan->workspace_bytes,
	    .workspace_inodes = plan->workspace_inodes,
	    .landlock_handled = plan->landlock_handled,
	    .landlock_net = plan->landlock_net,
	    .landlock_scoped = plan->landlock_scoped,
	    .layers = plan->layers,
	    .channel_fd = plan->channel_fd,
	    .backend = (uint32_t)plan->backend,
	    .namespaces = plan->namespaces,
	    .uid = plan->uid,
	    .gid = plan->gid,
	    .by_pid = plan->by_pid,
	    .threads = plan->threads,
	    .send_workspace = plan->send_workspace,
	    .processes = plan->processes,
	    .trace = plan->trace,
	};

	memcpy(fixed.soft, plan->soft, sizeof(fixed.soft));
	memcpy(fixed.hard, plan->hard, sizeof(fixed.hard));
	put_record(w, WIRE_PLAN_TAG_FIXED, &fixed, sizeof(fixed), NULL, NULL);
}

enum wire_err
wire_plan_encode(
    const struct wire_plan *plan, uint8_t *buf, size_t max, size_t *ret_len)
{
	struct writer w = {buf, max, 0, false};
	struct wire_plan_header header = {
	    WIRE_PLAN_MAGIC, WIRE_PLAN_VERSION, 0};
	size_t i;

	if (!wire_plan_is_good(plan))
		return WIRE_ERR_BAD_PLAN;
	if (w.max > WIRE_PLAN_MAX)
		w.max = WIRE_PLAN_MAX;
	put(&w, &header, sizeof(header));
	put_fixed(&w, plan);
	put_record(&w, WIRE_PLAN_TAG_WORKSPACE, NULL, 0,
	    plan->workspace == NULL ? "" : plan->workspace, NULL);
	for (i = 0; i < plan->mount_count; i++) {
		const struct wire_plan_mount *m = &plan->mounts[i];
		struct wire_plan_mount_head head = {
		    (uint32_t)m->kind, m->flags, m->fd, 0};

		put_record(&w, WIRE_PLAN_TAG_MOUNT, &head, sizeof(head),
		    m->source, m->target);
	}
	for (i = 0; i < plan->link_count; i++)
		put_record(&w, WIRE_PLAN_TAG_LINK, NULL, 0, plan->links[i].path,
		    plan->links[i].target);
	for (i = 0; i < plan->arg_count; i++)
		put_record(&w, WIRE_PLAN_TAG_ARG, NULL, 0, plan->args[i], NULL);
	for (i = 0; i < plan->env_count; i++)
		put_record(&w, WIRE_PLAN_TAG_ENV, NULL, 0, plan->env[i], NULL);
	for (i = 0; i < plan->rule_count; i++)
		put_record(&w, WIRE_PLAN_TAG_RULE, &plan->rules[i].access, 8,
		    plan->rules[i].path, NULL);
	for (i = 0; i < plan->canary_count; i++)
		put_record(
		    &w, WIRE_PLAN_TAG_CANARY, NULL, 0, plan->canaries[i], NULL);
	if (plan->insn_count != 0)
		put_record(&w, WIRE_PLAN_TAG_FILTER, plan->insns,
		    plan->insn_count * 8, NULL, NULL);
	if (w.full)
		return WIRE_ERR_NO_SPACE;
	header.len = w.len;
	memcpy(buf, &header, sizeof(header));
	*ret_len = w.len;
	return WIRE_OK;
}
