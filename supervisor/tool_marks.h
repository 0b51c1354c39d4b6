/*
 * Marks of tools that are not known yet: those of MCP servers, which are listed
 * for each execution anew (B9, B10). They are kept in the context by name, and
 * set in the catalogue of every execution that gathers such tools.
 *
 * Private to the supervisor, like exec.h. Not thread-safe.
 */
#ifndef SUP_TOOL_MARKS_H
#define SUP_TOOL_MARKS_H

#include "supervisor/exec.h"

/* Whether a server that is configured could have a tool of this name. */
bool sup_tool_marks_may_come(const struct weir *weir, struct wire_span name);

/*
 * From now on, and in the executions that run: marks of enum bind_tool_mark,
 * and whether it is taken back. Adds to what was noted before. False when
 * memory is short, and then nothing is noted.
 */
WIRE_MUST_USE bool sup_tool_marks_note(
    struct weir *weir, struct wire_span name, unsigned marks, bool withdrawn);

/* Sets them in the execution's own catalogue. One that names no tool is a
 * warning on the result, where all tools may be offered. */
void sup_tool_marks_apply(struct weir_execution *execution);

void sup_tool_marks_free(struct weir *weir);

#endif
