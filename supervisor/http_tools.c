/* weir_tools_http of weir.h: from a file's text to tools of the catalogue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/provider_http.h"
#include "supervisor/exec.h"
#include "supervisor/explain.h"
#include "supervisor/http_read.h"
#include "supervisor/profile_file.h"
#include "supervisor/sys.h"
#include "wire/limits.h"

struct loader {
	struct weir *weir;
	const struct weir_source *source;
	char *error;
	void *scratch_mem;
	char *arena;
	struct sup_http_file *file;
	struct bind_http_client *client;
};

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static bool
out_of_memory(struct loader *l)
{
	l->weir->fault = WEIR_FAULT_OTHER;
	sup_explain(l->error, "out of memory");
	return false;
}

static bool
refuse(struct loader *l, size_t offset, const char *problem)
{
	sup_explain_place(l->error, l->source, offset, problem);
	return false;
}

/* The same for what bindings say. */
static bool
refuse_err(struct loader *l, const struct sup_http_text *text,
    enum wire_err err, const struct wire_errinfo *info)
{
	return err == WIRE_ERR_NO_MEMORY ? out_of_memory(l)
					 : refuse(l, text->offset, info->site);
}

/* --- what the tools have in common ---------------------------------------- */

static bool
read_file(struct loader *l)
{
	struct sup_profile_problem problem;
	struct wire_json_scratch scratch;
	uint64_t seed;

	l->scratch_mem = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	l->arena = malloc(l->source->len + 1);
	l->file = calloc(1, sizeof(*l->file));
	if (l->scratch_mem == NULL || l->arena == NULL || l->file == NULL)
		return out_of_memory(l);
	if (sup_sys_random(&seed, sizeof(seed)) < 0) {
		l->weir->fault = WEIR_FAULT_OTHER;
		sup_explain(l->error, "getrandom: no random numbers to be had");
		return false;
	}
	wire_json_scratch_init(
	    &scratch, l->scratch_mem, SUP_PROFILE_KEYS, seed);
	if (sup_http_read((struct wire_span){(const uint8_t *)l->source->text,
			      l->source->len},
		&scratch, l->arena, l->file, &problem) == WIRE_OK)
		return true;
	return refuse(l, problem.offset, problem.text);
}

static bool
take_lists(struct loader *l, struct bind_http_policy *policy)
{
	const struct sup_http_file *file = l->file;
	struct wire_errinfo info = {"", 0, 0};

	for (size_t i = 0; i < file->allow_count; i++)
		if (bind_http_entry_parse(span_of(file->allow[i].text),
			&policy->entries[policy->entry_count++],
			&info) != WIRE_OK)
			return refuse(l, file->allow[i].offset, info.site);
	for (size_t i = 0; i < file->private_count; i++)
		if (bind_address_range_parse(span_of(file->private[i].text),
			&policy->ranges[policy->range_count++],
			&info) != WIRE_OK)
			return refuse(l, file->private[i].offset, info.site);
	return true;
}

/* SECURITY: whoever can write to the file of certificates decides whom the
 * secrets go to; it is read once, by the rules for configuration. */
static bool
take_certificates(struct loader *l, char **ret_text, size_t *ret_len)
{
	const struct sup_http_text *path = &l->file->ca_file;
	char error[WEIR_ERROR_MAX];
	bool no_memory;

	if (path->text == NULL)
		return true;
	if (!sup_profile_file_read(path->text, SUP_PROFILE_TEXT, ret_text,
		ret_len, &no_memory, error))
		return no_memory ? out_of_memory(l)
				 : refuse(l, path->offset, error);
	if (memmem(*ret_text, *ret_len, "-----BEGIN ", 11) == NULL)
		return refuse(l, path->offset,
		    "holds no certificates; name a file in the PEM format");
	return true;
}

static bool
make_client(struct loader *l)
{
	struct bind_http_policy *policy = calloc(1, sizeof(*policy));
	char *ca = NULL;
	size_t ca_len = 0;
	bool good;

	if (policy == NULL)
		return out_of_memory(l);
	good = take_lists(l, policy) && take_certificates(l, &ca, &ca_len);
	if (ca != NULL)
		policy->ca = (struct wire_span){(const uint8_t *)ca, ca_len};
	if (good && bind_http_client_new(policy, &l->client) != WIRE_OK)
		good = out_of_memory(l);
	free(ca);
	free(policy);
	return good;
}

/* --- tools ---------------------------------------------------------------- */

static bool
take_headers(struct loader *l, const struct sup_http_tool *from,
    struct bind_http_tool *tool)
{
	for (size_t i = 0; i < from->header_count; i++) {
		struct wire_errinfo info = {"", 0, 0};
		struct wire_span variable;
		char problem[SUP_PROFILE_PROBLEM];
		enum wire_err err = bind_http_tool_header(tool,
		    span_of(from->names[i].text), span_of(from->values[i].text),
		    (const char *const *)l->weir->environment, &variable,
		    &info);

		if (err == WIRE_OK)
			continue;
		if (variable.p == NULL || err == WIRE_ERR_NO_MEMORY)
			return refuse_err(l, &from->values[i], err, &info);
		(void)snprintf(problem, sizeof(problem), "the variable %.*s %s",
		    variable.len > 64 ? 64 : (int)variable.len,
		    (const char *)variable.p, info.site);
		return refuse(l, from->values[i].offset, problem);
	}
	return true;
}

static bool
refuse_name(struct loader *l, const struct sup_http_tool *from,
    enum wire_err err, const struct wire_errinfo *info)
{
	static const char *const words[][2] = {
	    {"name",
		"cannot be the name of a tool; it has 1 to 128 bytes and "
		"no control characters"},
	    {"duplicate", "a tool of this name is there; rename one"},
	    {"reserved",
		"is the name of a tool that every program has; "
		"choose another"},
	    {"count", "too many tools; offer fewer"},
	};

	if (err == WIRE_ERR_NO_MEMORY)
		return out_of_memory(l);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(info->site, words[i][0]) == 0)
			return refuse(l, from->name.offset, words[i][1]);
	return refuse(l, from->name.offset, info->site);
}

static bool
add_tool(struct loader *l, const struct sup_http_tool *from)
{
	struct wire_errinfo info = {"", 0, 0};
	struct bind_http_tool *tool = NULL;
	enum wire_err err = bind_http_tool_new(l->client,
	    span_of(from->method.text), span_of(from->url.text), &tool, &info);

	if (err != WIRE_OK)
		return refuse_err(l,
		    info.offset == BIND_HTTP_TOOL_METHOD ? &from->method
							 : &from->url,
		    err, &info);
	tool->timeout_ns = from->timeout_ns;
	if (!take_headers(l, from, tool)) {
		bind_http_tool_free(tool);
		return false;
	}
	err = bind_http_tool_describe(
	    tool, from->description, from->input_schema);
	if (err == WIRE_OK)
		err = bind_catalogue_add(l->weir->catalogue,
		    span_of(from->name.text), &bind_provider_http, tool, 0,
		    &info);
	if (err != WIRE_OK) {
		bind_http_tool_free(tool);
		return refuse_name(l, from, err, &info);
	}
	bind_catalogue_describe(
	    l->weir->catalogue, span_of(from->name.text), &tool->about);
	return true;
}

bool
weir_tools_http(struct weir *weir, const struct weir_source *file,
    char error[WEIR_ERROR_MAX])
{
	struct loader l = {.weir = weir, .source = file, .error = error};
	bool good;

	weir->fault = WEIR_FAULT_REQUEST;
	if (bind_curl_logs_keys()) {
		sup_explain(error,
		    "SSLKEYLOGFILE is set, and the keys of HTTP tools would be "
		    "written there; unset it");
		return false;
	}
	good = read_file(&l) && make_client(&l);
	for (size_t i = 0; good && i < l.file->tool_count; i++)
		good = add_tool(&l, &l.file->tools[i]);
	bind_http_client_free(l.client);
	free(l.file);
	free(l.arena);
	free(l.scratch_mem);
	return good;
}
