/*
 * `weir log`: prints, follows and verifies a ledger.
 *
 * Everything is read from the file; nothing is written to it, and its lock is
 * asked for only to tell a tail that nobody will finish from one that is being
 * written. Exits with 0 for a ledger that is as it was written (a torn tail is,
 * and is named), 1 for one that was altered, 2 for a command line that is
 * wrong or a ledger that is not there, 125 when it cannot be read or printed.
 *
 * Threads: it owns the process.
 */
#ifndef SUP_CMD_LOG_H
#define SUP_CMD_LOG_H

#define SUP_LOG_INTACT	0
#define SUP_LOG_ALTERED 1

/* argv from behind "log" on. */
int sup_cmd_log(int argc, char *const argv[]);

#endif
