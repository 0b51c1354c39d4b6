/*
 * How the files behind sys.h and its like make a system call.
 */
#ifndef SUP_SYS_CALL_H
#define SUP_SYS_CALL_H

#include <errno.h>

/* The result, or -errno; repeated while a signal interrupts. */
#define SUP_CALL(expression)                                                   \
	__extension__({                                                        \
		long r_;                                                       \
		do                                                             \
			r_ = (expression);                                     \
		while (r_ < 0 && errno == EINTR);                              \
		r_ < 0 ? -(long)errno : r_;                                    \
	})

#endif
