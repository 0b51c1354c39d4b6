#include "supervisor/explain.h"

#include <stdarg.h>
#include <stdio.h>

void
sup_explain(char error[WEIR_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(error, WEIR_ERROR_MAX, format, args);
	va_end(args);
}
