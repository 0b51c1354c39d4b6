#include "bindings/command_verdict.h"

#include <sys/wait.h>

#include "bindings/sys.h"

static void
add_stderr(const struct bind_command_facts *facts, struct bind_text *text)
{
	struct wire_span tail = facts->stderr_tail;

	while (tail.len > 0 && tail.p[tail.len - 1] == '\n')
		tail.len--;
	if (tail.len == 0)
		return;
	bind_text_add(text, "; stderr: ");
	bind_text_add_escaped_tail(text, tail, BIND_COMMAND_STDERR);
}

static enum wire_tool_kind
judge_status(const struct bind_command_facts *facts, struct bind_text *text)
{
	int status = facts->report.wait_status;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		if (facts->has_output)
			return WIRE_TOOL_NONE;
		bind_text_add(text, "exit status 0, but nothing on stdout");
	} else if (WIFEXITED(status)) {
		bind_text_add(text, "exit status ");
		bind_text_add_uint(text, (uint64_t)WEXITSTATUS(status));
	} else {
		bind_text_add(text, "ended by signal ");
		bind_text_add_uint(text, (uint64_t)WTERMSIG(status));
	}
	add_stderr(facts, text);
	return WIRE_TOOL_FAILED;
}

enum wire_tool_kind
bind_command_verdict(
    const struct bind_command_facts *facts, struct bind_text *text)
{
	if (facts->stop != WIRE_TOOL_NONE) {
		bind_text_add(text, facts->stop_words);
		return facts->stop;
	}
	if (!facts->reported) {
		bind_text_add(text, "its guardian ended without a report");
		return WIRE_TOOL_FAILED;
	}
	if (facts->report.code == WIRE_REPORT_FAILED) {
		bind_text_add(text, "the command cannot be run: ");
		bind_text_add(text, bind_sys_error_text(facts->report.sys));
		return WIRE_TOOL_UNREACHABLE;
	}
	return judge_status(facts, text);
}
