#include "supervisor/limit_option.h"

#include <bsd/string.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

_Static_assert(SUP_LIMITS <= 32, "a bit for each limit");

/* Limits whose mechanism later versions have. */
static const char *const absent_limits[] = {"disk", "steps", "artifacts"};

const char *
sup_limit_absent(size_t index)
{
	return index < COUNT(absent_limits) ? absent_limits[index] : NULL;
}

static enum wire_err
refuse_limit_name(
    struct sup_usage *usage, struct wire_span name, const char *value)
{
	char quoted[SUP_USAGE_QUOTED], list[512] = "";
	unsigned limit;
	size_t i;

	for (i = 0; i < COUNT(absent_limits); i++) {
		if (strlen(absent_limits[i]) == name.len &&
		    memcmp(absent_limits[i], name.p, name.len) == 0)
			return sup_usage_value(usage, value,
			    "this limit is not available in this version; "
			    "leave it out");
	}
	for (limit = 0; limit < SUP_LIMITS; limit++) {
		if (!sup_limit_spec(limit)->settable)
			continue;
		(void)strlcat(list, " ", sizeof(list));
		(void)strlcat(list, sup_limit_spec(limit)->word, sizeof(list));
	}
	return sup_usage_refuse(usage, "%s %s: no such limit; the limits are%s",
	    usage->option, sup_usage_quote(value, quoted), list);
}

static enum wire_err
refuse_limit_range(struct sup_usage *usage, const struct sup_limit_spec *spec,
    const char *value, bool over)
{
	char quoted[SUP_USAGE_QUOTED], least[SUP_UNITS_TEXT],
	    most[SUP_UNITS_TEXT];

	(void)sup_units_format(spec->unit, spec->minimum, least);
	(void)sup_units_format(spec->unit, spec->ceiling, most);
	return sup_usage_refuse(usage, "%s %s: %s; use a value from %s to %s",
	    usage->option, sup_usage_quote(value, quoted),
	    over ? "over the ceiling" : "under the minimum", least, most);
}

enum wire_err
sup_limit_option_apply(struct sup_usage *usage, const char *value,
    uint64_t limits[SUP_LIMITS], uint32_t *given)
{
	const char *equals = strchr(value, '=');
	char quoted[SUP_USAGE_QUOTED];
	const struct sup_limit_spec *spec;
	struct wire_errinfo info;
	struct wire_span name, number;
	enum sup_limit limit;
	uint64_t amount;

	if (equals == NULL)
		return sup_usage_value(
		    usage, value, "no '=' in it; write --limit NAME=VALUE");
	name = (struct wire_span){
	    (const uint8_t *)value, (size_t)(equals - value)};
	number =
	    (struct wire_span){(const uint8_t *)equals + 1, strlen(equals + 1)};
	limit = sup_limit_from(name);
	if (limit == SUP_LIMITS)
		return refuse_limit_name(usage, name, value);
	spec = sup_limit_spec(limit);
	if (!spec->settable)
		return sup_usage_value(usage, value,
		    "this limit is fixed and cannot be set; leave it out");
	if ((*given >> limit & 1) != 0)
		return sup_usage_value(
		    usage, value, "this limit was set before; set it once");
	if (sup_units_parse(spec->unit, number, &amount, &info) != WIRE_OK)
		return sup_usage_refuse(usage,
		    "%s %s: %s (at byte %zu of VALUE); write %s", usage->option,
		    sup_usage_quote(value, quoted), info.site, info.offset + 1,
		    sup_units_example(spec->unit));
	if (amount < spec->minimum || amount > spec->ceiling)
		return refuse_limit_range(
		    usage, spec, value, amount > spec->ceiling);
	limits[limit] = amount;
	*given |= UINT32_C(1) << limit;
	return WIRE_OK;
}
