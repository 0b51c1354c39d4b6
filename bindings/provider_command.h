/*
 * The provider `command`: a local program for each call (B14).
 *
 * The program gets the arguments as JSON and a newline on its stdin, then end
 * of file; its stdout is the result, one JSON value. It runs with the caller's
 * rights, in `/`, in a session of its own, with the environment that was given
 * here and nothing but descriptors 0 to 2.
 *
 * Each call is a small guardian that runs the program and ends its tree:
 *
 *	GUARDIAN guard FD COMMAND ARGUMENT...
 *
 * FD is a SOCK_SEQPACKET socket. Over it the guardian reports, as one struct
 * wire_report, WIRE_REPORT_EXITED when the command's first process has ended,
 * or WIRE_REPORT_FAILED when it could not be run. When the socket closes on our
 * side, the guardian kills the tree. It exits with status 0 when, and only
 * when, it has seen the tree empty.
 *
 * Ends: a value (exit status 0 and something on stdout), FAILED (another
 * status, a signal, no output; with the last of stderr, escaped), UNREACHABLE
 * (not started), RESULT_TOO_LARGE (stopped while it was still writing), or what
 * cancel() said.
 */
#ifndef BIND_PROVIDER_COMMAND_H
#define BIND_PROVIDER_COMMAND_H

#include "bindings/command.h"
#include "bindings/provider.h"

/* The tool's data is a struct bind_command, which the catalogue takes over. */
extern const struct bind_provider bind_provider_command;

#endif
