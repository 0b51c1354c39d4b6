#include "bindings/json_check.h"

#include <stdlib.h>

#define FIRST_KEYS 64

/* The frame around the value is one level of its own. */
#define DEPTH_MAX (WIRE_MAX_DEPTH - 1)

void
bind_json_check_init(struct bind_json_check *check, uint64_t seed)
{
	*check = (struct bind_json_check){.seed = seed};
}

void
bind_json_check_release(struct bind_json_check *check)
{
	free(check->mem);
	check->mem = NULL;
}

static bool
is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct wire_span
bind_json_trim(struct wire_span text)
{
	while (text.len > 0 && is_space(text.p[0])) {
		text.p++;
		text.len--;
	}
	while (text.len > 0 && is_space(text.p[text.len - 1]))
		text.len--;
	return text;
}

static enum wire_err
grow(struct bind_json_check *check)
{
	size_t keys =
	    check->mem == NULL ? FIRST_KEYS : check->scratch.keys_max * 2;
	void *mem;

	mem = malloc(wire_json_scratch_size(keys));
	if (mem == NULL)
		return WIRE_ERR_NO_MEMORY;
	free(check->mem);
	check->mem = mem;
	wire_json_scratch_init(&check->scratch, mem, keys, check->seed);
	return WIRE_OK;
}

enum wire_err
bind_json_check_value(struct bind_json_check *check, struct wire_span value,
    struct wire_errinfo *info)
{
	enum wire_json_type type;
	enum wire_err err = WIRE_ERR_NEED_SCRATCH;

	if (check->mem != NULL)
		err = wire_json_scan(
		    value, DEPTH_MAX, &check->scratch, &type, info);
	while (err == WIRE_ERR_NEED_SCRATCH) {
		err = grow(check);
		if (err != WIRE_OK)
			return wire_fail(info, err, "result", 0);
		err = wire_json_scan(
		    value, DEPTH_MAX, &check->scratch, &type, info);
	}
	return err;
}

enum wire_err
bind_json_check_object(struct bind_json_check *check, struct wire_span value,
    struct wire_json_member *members, size_t members_max, size_t *ret_count,
    struct wire_errinfo *info)
{
	enum wire_err err = WIRE_ERR_NEED_SCRATCH;

	if (check->mem != NULL)
		err = wire_json_scan_object(value, DEPTH_MAX, &check->scratch,
		    members, members_max, ret_count, info);
	while (err == WIRE_ERR_NEED_SCRATCH) {
		err = grow(check);
		if (err != WIRE_OK)
			return wire_fail(info, err, "arguments", 0);
		err = wire_json_scan_object(value, DEPTH_MAX, &check->scratch,
		    members, members_max, ret_count, info);
	}
	return err;
}
