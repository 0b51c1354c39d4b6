#include "supervisor/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/profile_where.h"

void
sup_explain(char error[WEIR_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(error, WEIR_ERROR_MAX, format, args);
	va_end(args);
}

const char *
sup_explain_name(const char *name, char shown[SUP_EXPLAIN_NAME])
{
	const size_t len = strlen(name), room = SUP_EXPLAIN_NAME - 4;

	(void)snprintf(shown, SUP_EXPLAIN_NAME, "%s%s", len > room ? "..." : "",
	    len > room ? name + len - room : name);
	return shown;
}

void
sup_explain_place(char error[WEIR_ERROR_MAX], const struct weir_source *source,
    size_t offset, const char *reason)
{
	char shown[SUP_EXPLAIN_NAME];
	struct sup_where where;

	sup_where_find(
	    (struct wire_span){(const uint8_t *)source->text, source->len},
	    offset, &where);
	sup_explain(error, "%s:%zu:%zu: %s%s%s",
	    sup_explain_name(
		source->name != NULL ? source->name : "text", shown),
	    where.line, where.column, where.path,
	    where.path[0] != '\0' ? ": " : "", reason);
}
