#include "bindings/kinds.h"

#include "wire/err.h"

struct kind {
	bool hard;
	const char *guidance;
};

static const struct kind kinds[] = {
    [WIRE_TOOL_NONE] = {false, ""},
    [WIRE_TOOL_POLICY_REFUSED] = {false,
	"The host's policy forbids this call: do not repeat it."},
    [WIRE_TOOL_NOT_OFFERED] = {false,
	"Call only names that are listed in TOOLS."},
    [WIRE_TOOL_FAILED] = {false,
	"The tool ran and reported an error: read the message, change the "
	"arguments, or go on without it."},
    [WIRE_TOOL_UNREACHABLE] = {false,
	"The tool could not be started: go on without it."},
    [WIRE_TOOL_TIMED_OUT] = {false,
	"The call took too long and may have had effects: ask for less at a "
	"time."},
    [WIRE_TOOL_CANCELLED] = {false,
	"The call was cancelled and may have had effects: do not count on "
	"its result."},
    [WIRE_TOOL_BUDGET_SPENT] = {true,
	"No further call will be accepted: finish with what you have."},
    [WIRE_TOOL_NOT_RECORDED] = {false,
	"The host could not keep its record of the call: do not repeat it "
	"blindly."},
    [WIRE_TOOL_APPROVAL_REQUIRED] = {false,
	"This tool needs an approval: call it directly, not from a program."},
    [WIRE_TOOL_INPUT_REQUIRED] = {false,
	"This tool needs a person's input: call it directly, not from a "
	"program."},
    [WIRE_TOOL_ARGUMENTS_TOO_LARGE] = {false,
	"Pass smaller arguments, in several calls if need be."},
    [WIRE_TOOL_RESULT_TOO_LARGE] = {false,
	"Ask the tool for less at a time, such as a filter or a page."},
    [WIRE_TOOL_RESULT_NOT_PAGED] = {false,
	"The result was too large to keep: ask the tool for less at a time."},
    [WIRE_TOOL_HANDLE_NOT_YOURS] = {false,
	"Use only handles that a call of this program has returned."},
    [WIRE_TOOL_PATH_TRAVERSAL] = {false, "Name the path without '..' parts."},
    [WIRE_TOOL_FS_READ_DENIED] = {false,
	"Read only beneath the paths that the tool allows for reading."},
    [WIRE_TOOL_FS_WRITE_DENIED] = {false,
	"Write only beneath the paths that the tool allows for writing."},
    [WIRE_TOOL_NOT_FOUND] = {false,
	"Check the name: list what exists before using it."},
    [WIRE_TOOL_EGRESS_DENIED] = {false,
	"Only addresses on the host's allow-list can be reached."},
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == WIRE_TOOL_KIND_COUNT,
    "the last kind has its entry");

const char *
bind_kind_guidance(enum wire_tool_kind kind)
{
	WIRE_BUG_IF((unsigned)kind >= WIRE_TOOL_KIND_COUNT);
	WIRE_BUG_IF(kinds[kind].guidance == NULL);
	return kinds[kind].guidance;
}

bool
bind_kind_is_hard(enum wire_tool_kind kind)
{
	WIRE_BUG_IF((unsigned)kind >= WIRE_TOOL_KIND_COUNT);
	return kinds[kind].hard;
}
