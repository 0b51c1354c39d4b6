/*
 * The signals that end an execution, for the command only: the library
 * beneath knows none.
 *
 * While taken, SIGINT, SIGTERM and SIGHUP are blocked and readable; released,
 * they do what they did before. SIGPIPE is ignored from the first call on: a
 * reader of our output that goes away is an error of write(2), not the end of
 * us with a child left.
 */
#ifndef SUP_SIGNALS_H
#define SUP_SIGNALS_H

/* A signalfd, or -errno. */
int sup_signals_take(void);

/* Closes it. A signal that came meanwhile and was not read ends the command
 * here; by then no child may be left. */
void sup_signals_release(int *fd);

#endif
