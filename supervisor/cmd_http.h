/*
 * The tools of `weir run --http-tools FILE`.
 */
#ifndef SUP_CMD_HTTP_H
#define SUP_CMD_HTTP_H

#include "supervisor/weir.h"

/* 0, or the exit code with a message printed. path NULL: there are none. */
int sup_cmd_http(struct weir *weir, const char *path);

#endif
