#include "supervisor/state_option.h"

#include <string.h>

#include "supervisor/state_dir.h"

static enum wire_err
apply_dir(struct sup_usage *usage, const char *value,
    struct sup_state_options *options)
{
	if (value[0] == '\0')
		return sup_usage_value(
		    usage, value, "the path is empty; name a directory");
	if (options->dir != NULL)
		return sup_usage_value(usage, value,
		    "a state directory was given before; give one");
	options->dir = value;
	return WIRE_OK;
}

static enum wire_err
apply_run(struct sup_usage *usage, const char *value,
    struct sup_state_options *options)
{
	if (!sup_run_name_is_good(
		(struct wire_span){(const uint8_t *)value, strlen(value)}))
		return sup_usage_value(usage, value,
		    "not the name of a Run; use 1 to 64 of A-Z a-z 0-9 . _ - "
		    "and no dot at the beginning");
	if (options->run != NULL)
		return sup_usage_value(
		    usage, value, "a Run was given before; give one");
	options->run = value;
	return WIRE_OK;
}

static enum wire_err
apply_durability(struct sup_usage *usage, const char *value,
    struct sup_state_options *options)
{
	bool disk = strcmp(value, "disk") == 0;

	if (!disk && strcmp(value, "process") != 0)
		return sup_usage_value(
		    usage, value, "no such durability; use process or disk");
	if (options->durability_given)
		return sup_usage_value(
		    usage, value, "a durability was given before; give one");
	options->durability_given = true;
	options->disk = disk;
	return WIRE_OK;
}

enum wire_err
sup_state_option_apply(struct sup_usage *usage, const char *option,
    const char *value, struct sup_state_options *options)
{
	if (strcmp(option, "--state") == 0)
		return apply_dir(usage, value, options);
	if (strcmp(option, "--run") == 0)
		return apply_run(usage, value, options);
	if (strcmp(option, "--durability") == 0)
		return apply_durability(usage, value, options);
	options->values = true;
	return WIRE_OK;
}

enum wire_err
sup_state_option_check(
    struct sup_usage *usage, const struct sup_state_options *options)
{
	if (options->dir != NULL)
		return WIRE_OK;
	if (options->run != NULL)
		return sup_usage_refuse(usage,
		    "--run %s: a Run is kept in a state directory; add --state "
		    "DIR",
		    options->run);
	if (options->durability_given)
		return sup_usage_refuse(usage,
		    "--durability: it is that of a ledger; add --state DIR");
	if (options->values)
		return sup_usage_refuse(usage,
		    "--record-values: they are kept in a ledger; add --state "
		    "DIR");
	return WIRE_OK;
}
