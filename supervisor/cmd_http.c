#include "supervisor/cmd_http.h"

#include <stdio.h>
#include <stdlib.h>

#include "supervisor/exitcodes.h"
#include "supervisor/profile_file.h"
#include "supervisor/profile_read.h"

int
sup_cmd_http(struct weir *weir, const char *path)
{
	struct weir_source source = {.name = path};
	char error[WEIR_ERROR_MAX], *text = NULL;
	bool no_memory = false, good;

	if (path == NULL)
		return 0;
	good = sup_profile_file_read(
	    path, SUP_PROFILE_TEXT, &text, &source.len, &no_memory, error);
	if (good) {
		source.text = text;
		good = weir_tools_http(weir, &source, error);
		no_memory = weir_last_fault(weir) == WEIR_FAULT_OTHER;
	}
	free(text);
	if (good)
		return 0;
	fprintf(stderr, "weir: %s\n", error);
	return no_memory ? SUP_EXIT_OTHER : SUP_EXIT_USAGE;
}
