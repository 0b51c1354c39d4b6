#include "supervisor/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
