#include "supervisor/cmd_terms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/exitcodes.h"
#include "supervisor/profile_file.h"
#include "supervisor/profile_read.h"
#include "supervisor/sys.h"

/* The text of a file that an option names, if it does. The name stays with
 * the text for its messages. */
static bool
load_file(const char *path, struct weir_source *source, int *ret_code)
{
	char error[WEIR_ERROR_MAX], *text;
	bool no_memory;

	if (path == NULL)
		return true;
	if (!sup_profile_file_read(path, SUP_PROFILE_TEXT, &text, &source->len,
		&no_memory, error)) {
		fprintf(stderr, "weir: %s\n", error);
		*ret_code = no_memory ? SUP_EXIT_OTHER : SUP_EXIT_USAGE;
		return false;
	}
	source->name = path;
	source->text = text;
	return true;
}

/* The directory that a file of ours stands in, without links. */
static const char *
home_of(const char *path, char dir[PATH_MAX])
{
	char *slash;

	if (path == NULL || sup_sys_realpath(path, dir, PATH_MAX) < 0)
		return NULL;
	slash = strrchr(dir, '/');
	slash[slash == dir ? 1 : 0] = '\0';
	return dir;
}

void
sup_cmd_own(const struct sup_options *options, char dirs[SUP_CMD_OWN][PATH_MAX],
    const char *list[SUP_CMD_OWN + 1])
{
	/* SECURITY: what configures weir, and the command itself, are out of
	 * reach of a grant, and of a tool (C12). */
	const char *const files[SUP_CMD_OWN] = {options->profile_file,
	    options->policy_file, options->request_file, options->mcp_config,
	    options->http_tools, "/proc/self/exe"};
	size_t count = 0;

	for (size_t i = 0; i < SUP_CMD_OWN; i++) {
		list[count] = home_of(files[i], dirs[i]);
		if (list[count] != NULL)
			count++;
	}
	list[count] = NULL;
}

static void
free_text(struct weir_source *source)
{
	/* Ours, of load_file. */
	free((void *)(uintptr_t)source->text);
	source->text = NULL;
}

struct weir_terms *
sup_cmd_terms(const struct sup_options *options, int *ret_code)
{
	struct weir_limit limits[SUP_LIMITS];
	struct weir_terms_config config = {
	    .profile = options->profile,
	    .limits = limits,
	    .level_given = options->level_given,
	    .level = options->level,
	    .backend = options->backend,
	    .unconfined = options->unconfined,
	    .grants = options->grants,
	    .grant_count = options->grant_count,
	    .network = options->network,
	    .halt_on_exhaust = options->halt_on_exhaust,
	};
	struct weir_terms *terms = NULL;
	char dirs[SUP_CMD_OWN][PATH_MAX];
	const char *own[SUP_CMD_OWN + 1];
	char error[WEIR_ERROR_MAX];
	enum weir_fault fault;

	for (size_t i = 0; i < SUP_LIMITS; i++)
		if ((options->limits_given >> i & 1) != 0)
			limits[config.limit_count++] = (struct weir_limit){
			    sup_limit_spec((enum sup_limit)i)->word,
			    options->limits[i]};
	if (!load_file(options->profile_file, &config.profiles, ret_code) ||
	    !load_file(options->policy_file, &config.policy, ret_code) ||
	    !load_file(options->request_file, &config.request, ret_code))
		goto out;
	if (options->grant_count > 0 || config.profiles.text != NULL) {
		sup_cmd_own(options, dirs, own);
		config.keep_off = own;
	}
	terms = weir_terms_new(&config, &fault, error);
	if (terms == NULL) {
		fprintf(stderr, "weir: %s\n", error);
		*ret_code = fault == WEIR_FAULT_REQUEST ? SUP_EXIT_USAGE
							: SUP_EXIT_OTHER;
	}
out:
	free_text(&config.profiles);
	free_text(&config.policy);
	free_text(&config.request);
	return terms;
}
