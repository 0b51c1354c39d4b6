/*
 * The terms of `weir run`, from its options and the files they name (C19).
 */
#ifndef SUP_CMD_TERMS_H
#define SUP_CMD_TERMS_H

#include <limits.h>

#include "supervisor/options.h"
#include "supervisor/weir.h"

/* NULL with a message printed and the exit code in *ret_code. */
struct weir_terms *sup_cmd_terms(
    const struct sup_options *options, int *ret_code);

/* The directories of the files that configure weir, and of the command itself,
 * for weir_terms_config.keep_off: room for them, and their list. */
#define SUP_CMD_OWN 6
void sup_cmd_own(const struct sup_options *options,
    char dirs[SUP_CMD_OWN][PATH_MAX], const char *list[SUP_CMD_OWN + 1]);

#endif
