/*
 * `weir doctor`: what this host can enforce, and what to do about the rest.
 */
#ifndef SUP_CMD_DOCTOR_H
#define SUP_CMD_DOCTOR_H

#include "supervisor/options.h"

/* Exit codes; beside them SUP_EXIT_USAGE, and SUP_EXIT_OTHER when doctor
 * itself could not work. */
#define SUP_DOCTOR_AVAILABLE	 0
#define SUP_DOCTOR_NOT_AVAILABLE 1

/* Returns the exit code. environment is main's. */
int sup_cmd_doctor(const struct sup_options *options, char **environment);

#endif
