/* What is settled once of an HTTP tool; see bindings/provider_http.h. */
#include "bindings/provider_http.h"

#include <stdlib.h>
#include <string.h>

#include "wire/json_out.h"

static const struct {
	const char *word;
	bool has_body;
} methods[] = {
    {"GET", false},
    {"DELETE", false},
    {"POST", true},
    {"PUT", true},
    {"PATCH", true},
};

static enum wire_err
refuse(struct wire_errinfo *info, const char *why)
{
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, why, 0);
}

static enum wire_err
take_method(struct bind_http_tool *tool, struct wire_span method,
    struct wire_errinfo *info)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (strlen(methods[i].word) != method.len ||
		    memcmp(methods[i].word, method.p, method.len) != 0)
			continue;
		tool->method = methods[i].word;
		tool->has_body = methods[i].has_body;
		return WIRE_OK;
	}
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
	    "no such method; write GET, POST, PUT, PATCH or DELETE",
	    BIND_HTTP_TOOL_METHOD);
}

static enum wire_err
take_url(struct bind_http_tool *tool, struct wire_span url,
    struct wire_errinfo *info)
{
	const struct bind_http_policy *policy =
	    bind_http_client_policy(tool->client);
	enum wire_err err;

	tool->url = malloc(url.len + 1);
	if (tool->url == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "url", 0);
	memcpy(tool->url, url.p, url.len);
	url.p = (const uint8_t *)tool->url;
	err = bind_http_template_parse(url, &tool->template, info);
	if (err != WIRE_OK)
		return err;
	for (size_t i = 0; i < policy->entry_count; i++)
		if (bind_http_template_can(
			&tool->template, &policy->entries[i]))
			return WIRE_OK;
	return refuse(
	    info, "is not allowed; list where it leads to in \"allow\"");
}

enum wire_err
bind_http_tool_new(struct bind_http_client *client, struct wire_span method,
    struct wire_span url, struct bind_http_tool **ret_tool,
    struct wire_errinfo *info)
{
	struct bind_http_tool *tool = calloc(1, sizeof(*tool));
	enum wire_err err;

	if (tool == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "tool", 0);
	tool->client = bind_http_client_hold(client);
	err = take_method(tool, method, info);
	if (err == WIRE_OK)
		err = take_url(tool, url, info);
	if (err == WIRE_OK)
		*ret_tool = tool;
	else
		bind_http_tool_free(tool);
	return err;
}

enum wire_err
bind_http_tool_header(struct bind_http_tool *tool, struct wire_span name,
    struct wire_span value, const char *const *environment,
    struct wire_span *ret_variable, struct wire_errinfo *info)
{
	enum wire_err err;

	*ret_variable = (struct wire_span){NULL, 0};
	if (tool->line_count == BIND_HTTP_LINES_MAX)
		return refuse(info, "more than 32 headers; leave some out");
	err = bind_http_header_line(name, value, environment,
	    &tool->lines[tool->line_count], &tool->secrets, ret_variable, info);
	if (err == WIRE_OK)
		tool->line_count++;
	return err;
}

enum wire_err
bind_http_tool_describe(struct bind_http_tool *tool,
    struct wire_span description, struct wire_span schema)
{
	struct bind_tool_about *about = &tool->about;
	struct wire_out out;
	size_t size, len = 0;

	/* A byte of text takes at most six as JSON, and two quotes stand
	 * around it. */
	if (!wire_mul(description.len, 6, &size) || !wire_add(size, 2, &size) ||
	    !wire_add(size, schema.len, &size))
		return WIRE_ERR_NO_MEMORY;
	tool->words = malloc(size);
	if (tool->words == NULL)
		return WIRE_ERR_NO_MEMORY;
	if (description.p != NULL) {
		wire_out_init(&out, tool->words, size);
		wire_out_string(&out, description);
		if (wire_out_finish(&out, &len) != WIRE_OK)
			return WIRE_ERR_BAD_ARGUMENT;
		about->description = (struct wire_span){tool->words, len};
	}
	if (schema.p != NULL) {
		memcpy(tool->words + len, schema.p, schema.len);
		about->schema =
		    (struct wire_span){tool->words + len, schema.len};
	}
	return WIRE_OK;
}

void
bind_http_tool_free(struct bind_http_tool *tool)
{
	if (tool == NULL)
		return;
	for (size_t i = 0; i < tool->line_count; i++) {
		explicit_bzero(tool->lines[i], strlen(tool->lines[i]));
		free(tool->lines[i]);
	}
	bind_http_secrets_release(&tool->secrets);
	bind_http_client_free(tool->client);
	free(tool->url);
	free(tool->words);
	free(tool);
}
