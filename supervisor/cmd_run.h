/*
 * `weir run`: one program, once.
 */
#ifndef SUP_CMD_RUN_H
#define SUP_CMD_RUN_H

#include "supervisor/options.h"

/* Returns the exit code. environment is main's. */
int sup_cmd_run(const struct sup_options *options, char **environment);

#endif
