/*
 * Shorthand for step functions; for doctor_steps.c and doctor_calls.c only.
 */
#ifndef SUP_DOCTOR_TRY_H
#define SUP_DOCTOR_TRY_H

#include "supervisor/doctor.h"
#include "supervisor/sys_doctor.h"

/* A system call with integers and pointers as they come. */
#define ARG(x) ((long)(x))
#define RAW(number, a, b, c, d, e)                                             \
	sup_sys_raw(number,                                                    \
	    (const long[6]){ARG(a), ARG(b), ARG(c), ARG(d), ARG(e), 0})

/* Notes the name of a call, and returns from the step when it is refused. */
#define TRY(attempt, name, call)                                               \
	do {                                                                   \
		long r_;                                                       \
		sup_doctor_note(attempt, "%s", name);                          \
		r_ = (call);                                                   \
		if (r_ < 0)                                                    \
			return (int)r_;                                        \
	} while (0)

#endif
