/*
 * Every limit of the protocol, with its reason. PROTOCOL.md repeats this
 * table and a test compares the two.
 *
 * Limits of an execution (time, memory, budgets) are the supervisor's and do
 * not stand here.
 */
#ifndef WIRE_LIMITS_H
#define WIRE_LIMITS_H

#define WIRE_KIB 1024UL
#define WIRE_MIB (1024UL * 1024UL)

#define WIRE_PROTOCOL_VERSION 1

/* Nesting of a line, the frame's own object counted. Bounds a bit stack. */
#define WIRE_MAX_DEPTH 256
/* Members of the frame object itself, unknown ones included. */
#define WIRE_MAX_FRAME_MEMBERS 64
/* Members of all objects that are open at one point of a line: the size of
 * the table that finds duplicates, which takes 24 bytes for each. */
#define WIRE_MAX_OPEN_MEMBERS (1UL << 20)
/* UTF-8 bytes of a tool name. */
#define WIRE_MAX_TOOL_NAME 128
/* Largest call id: integers beyond it are not exact everywhere (RFC 8259 6) */
#define WIRE_MAX_ID ((1ULL << 53) - 1)
/* Frame overhead beside the value, arguments or program that it carries. */
#define WIRE_FRAME_SLACK (64 * WIRE_KIB)
/* No frame is longer, either way, whatever the configuration asks for. */
#define WIRE_MAX_FRAME (72 * WIRE_MIB)
/* Child to host, beside the total byte budget of the execution. */
#define WIRE_STREAM_SLACK (16 * WIRE_MIB)
#define WIRE_MAX_LINES	  2000000UL
#define WIRE_MAX_BLANKS	  10000UL
/* Texts the child claims, as wire bytes between the quotes; longer ones are
 * a bad_field. */
#define WIRE_MAX_MESSAGE   (16 * WIRE_KIB)
#define WIRE_MAX_TRACEBACK (32 * WIRE_KIB)
/* Warnings on a `done`, and the length of each. */
#define WIRE_MAX_WARNINGS 16
#define WIRE_MAX_WARNING  512
/* Digits of an integer that the child's codec converts (W10). */
#define WIRE_MAX_INT_DIGITS 4300

/* Opaque result handle, and the interpreter's version in `ready`, likewise. */
#define WIRE_MAX_HANDLE	 128
#define WIRE_MAX_VERSION 128
/* The beginning of what a handle stands for, likewise. */
#define WIRE_MAX_PREVIEW (8 * WIRE_KIB)

_Static_assert(WIRE_MAX_MESSAGE + WIRE_MAX_TRACEBACK +
	    WIRE_MAX_WARNINGS * (WIRE_MAX_WARNING + 3) + WIRE_KIB <=
	WIRE_FRAME_SLACK,
    "an error with its warnings must fit the slack of a frame");

#endif
