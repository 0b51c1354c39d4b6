/*
 * The world of a supervisor without a child: what starts and kills processes,
 * looks at /proc and tells the time is replaced, everything else is real.
 *
 * Defines sup_spawn, sup_spawn_go and sup_child_close itself; what else is
 * replaced is wrapped by the linker (FUZZ_LDFLAGS_fuzz_child of GNUmakefile;
 * ld(1), --wrap). Channel, pipes and the report socket are real; their far ends
 * are here. Process 1 is a flag and an eventfd.
 *
 * The clock stands still until somebody moves it. One execution at a time.
 */
#ifndef FUZZ_CHILD_WORLD_H
#define FUZZ_CHILD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

struct child_world {
	/* Chosen before the start. */
	uint64_t frame_max, bytes_max, lines_max, blanks_max; /* 0: as is */
	int send_buffer;      /* of the host's end; 0: as is */
	bool silent;	      /* no record of the launch is sent */
	bool ends_on_term;    /* SIGTERM ends process 2 */
	bool dies_late;	      /* SIGKILL takes effect at child_world_settle */
	bool evidence_breaks; /* what is observed at the end differs */
	/* What came of it. */
	struct wire_frame_limits limits; /* that the channel was opened with */
	uint64_t now_ns;
	uint64_t timer_ns; /* 0: not armed */
	bool started;	   /* a child was asked for */
	bool alive;	   /* process 1 */
	bool killed;	   /* the host has sent SIGKILL */
	bool termed;
	bool gone;	   /* the end of process 1 can be reaped */
	bool exited;	   /* process 2; all far ends are closed then */
	unsigned observed; /* times that process 2 was looked at */
	/* Of a traced one: refused calls that wait, and those answered. */
	unsigned asked, refused;
	bool ask_vanishes;	       /* the next one, when it is looked at */
	bool ask_fails;		       /* answering the next one */
	int channel, out, err, report; /* far ends; -1: closed */
	/* Inside. */
	bool timer_due;
	int timer_fd, end_fd, pidfd, ask_fd;
};

extern struct child_world child_world;

/* A property that does not hold is named before the process ends. */
__attribute__((noreturn)) void child_world_failed(
    const char *file, int line, const char *property);

#define RIG_REQUIRE(property)                                                  \
	do {                                                                   \
		if (!(property))                                               \
			child_world_failed(__FILE__, __LINE__, #property);     \
	} while (0)

/* Before an execution, keeping nothing; after it, closing what is left. */
void child_world_begin(void);
void child_world_end(void);

/* The line that a well-confined child would send; without a newline. */
const char *child_world_ready(void);

/* Lets time and death take effect: fires the timer when it is due, ends what
 * has been killed. late: also what dies late. */
void child_world_settle(bool late);

/* Writes to the channel; what was taken. fds: so many descriptors go along;
 * flags as in send(2). */
size_t child_world_write(
    const void *bytes, size_t len, unsigned fds, int flags);

/* The child sends a listener with a blank line; whether it could. */
bool child_world_listen(void);
/* So many threads of it make a call that is refused; they wait. */
void child_world_ask(unsigned count);

/* Process 2 ends with this wait status; process 1 says so and ends too. */
void child_world_exit(int wait_status, bool report, bool end);

/* A record that the stub would not send. */
void child_world_report(const void *bytes, size_t len);

#endif
