/*
 * The tools of `weir run`: what --tool and --mark say, given to the library.
 */
#ifndef SUP_CMD_TOOLS_H
#define SUP_CMD_TOOLS_H

#include "supervisor/options.h"

/* 0, or the exit code with a sentence that names the option. Marks are for
 * the tools that are there by then, those of endpoints included. */
int sup_cmd_tools(struct weir *weir, const struct sup_options *options,
    char error[WEIR_ERROR_MAX]);
int sup_cmd_marks(struct weir *weir, const struct sup_options *options,
    char error[WEIR_ERROR_MAX]);

#endif
