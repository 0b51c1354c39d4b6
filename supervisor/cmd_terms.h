/*
 * The terms of `weir run`, from its options and the files they name (C19).
 */
#ifndef SUP_CMD_TERMS_H
#define SUP_CMD_TERMS_H

#include "supervisor/options.h"
#include "supervisor/weir.h"

/* NULL with a message printed and the exit code in *ret_code. */
struct weir_terms *sup_cmd_terms(
    const struct sup_options *options, int *ret_code);

#endif
