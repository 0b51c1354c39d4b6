/*
 * What `weir --help`, `weir doctor --help` and `weir --version` print, from the
 * tables of options and limits. Threads: pure, but for the stream.
 */
#ifndef SUP_HELP_H
#define SUP_HELP_H

#include <stdio.h>

void sup_help_print(FILE *stream);

/* The same for `weir doctor`. */
void sup_help_print_doctor(FILE *stream);
void sup_help_print_log(FILE *stream);

/* "weir VERSION"; a build that can skip layers says so in a second line. */
void sup_help_print_version(FILE *stream);

#endif
