/*
 * One execution of the hostile-child target: its input, its limits, what the
 * model says of the child's bytes, and what became of each call.
 *
 * fuzz_child.c drives; child_ops.c is what can happen; child_frames.c makes the
 * child's frames; child_tools.c is the host's tools and the reader of its
 * replies; child_check.c holds the host to its promises. All of it is one
 * global, since what is wrapped has no argument to hang it on.
 */
#ifndef FUZZ_CHILD_RIG_H
#define FUZZ_CHILD_RIG_H

#include "bindings/provider.h"
#include "fuzz/child_model.h"
#include "fuzz/child_world.h"
#include "supervisor/exec.h"

#define RIG_SENT_MAX  (4UL * WIRE_MIB) /* bytes that one child writes */
#define RIG_FRAME_MAX (256UL * WIRE_KIB)
#define RIG_LINE_MAX  (256UL * WIRE_KIB) /* of the host */

/* How a tool answers. */
enum rig_how {
	RIG_SMALL, /* its id as a string */
	RIG_BELOW, /* exact sizes around result_bytes */
	RIG_AT,
	RIG_OVER,
	RIG_SPACED,   /* white space around it */
	RIG_LINES,    /* a newline inside */
	RIG_DEEP,     /* as deep as a reply can hold */
	RIG_TOO_DEEP, /* from here on it is not acceptable */
	RIG_CUT,
	RIG_TWICE, /* a member named twice */
	RIG_EMPTY,
	RIG_NOT_UTF8,
	RIG_FAILED, /* from here on there is no value */
	RIG_LOST,   /* nobody saw the end */
	RIG_HOWS
};

struct rig_call {
	struct bind_job *job; /* held; NULL before and after */
	bool dispatched, cancelled, answered, abandoned, replied;
	bool reply_due; /* the execution still ran when it was answered */
	bool end_seen;
	enum rig_how how;
	enum wire_tool_kind kind; /* of the reply; NONE: the value */
	bool may_be_spent;	  /* or the budget of bytes was */
	uint64_t started_ns;
};

struct rig {
	const uint8_t *data, *end; /* input that is left */
	struct weir *weir;
	struct weir_execution *execution; /* NULL: not yet, or freed */
	unsigned finished;		  /* events */
	bool freeing;			  /* before it is finished */
	uint64_t limits[SUP_LIMITS];	  /* those that were chosen */
	size_t sent;			  /* bytes of the child in rig_sent */
	unsigned fds_sent;
	bool deaf;	/* the child can read no reply any more */
	bool shut;	/* nor write */
	bool cancelled; /* by the host, through weir.h */
	bool pause_output;
	bool start_unready; /* the report is not sent by itself */
	bool free_early;
	bool halts;	       /* when a budget is spent */
	bool traced, unheard;  /* unheard: without a listener */
	enum rig_how auto_how; /* of the tool that answers at once */
	unsigned cancel_how;
	uint64_t last_dispatched; /* id + 1 */
	size_t dispatched, held;
	uint64_t results_most, results_least; /* bytes that may be charged */
	bool may_be_spent; /* the budget of bytes, by a result */
	uint64_t arguments_dispatched;
	uint64_t produced; /* exactly */
	/* The host's bytes. */
	size_t line_len;
	bool saw_run, saw_abort;
	uint64_t left[WIRE_LEFTS]; /* as it was told last */
	size_t replies;
	uint64_t bytes_due, bytes_read;
	size_t live_before;
	/* What happens to the next frame. */
	size_t cut;
	unsigned fds;
	bool edit;
	size_t edit_at;
	uint8_t edit_byte;
	/* All above is cleared for each input; of these what was used. */
	size_t calls_used;
	struct rig_call calls[MODEL_CALLS];
	struct model model;
};

extern struct rig rig;
extern uint8_t rig_sent[RIG_SENT_MAX];

/* The next byte of the input; 0 at its end. */
uint8_t rig_byte(void);

/* Brings the model up to what has been written. */
void rig_sync(void);

/* Turns of the loop: so many, or with 0 until nothing is to be done. */
void rig_pump(unsigned turns);

/* Turns until nothing is to be done, and what must hold then. */
void rig_settle(void);

/* What became of a call; id is below MODEL_CALLS. */
struct rig_call *rig_call(size_t id);

/* --- child_tools.c --- */

/* Fills the catalogue; once for each context. */
void rig_add_tools(struct bind_catalogue *catalogue);

/* Why a call of this name is not dispatched; NONE when it may be. */
enum wire_tool_kind rig_admission(const struct model_call *call);

/* Answers the call, which is held. */
void rig_answer(size_t id, enum rig_how how);

/* The number-th held call, modulo their number; MODEL_CALLS: none. */
size_t rig_held(size_t number);

/* Whether replies go nowhere, so that the host may forget them. */
bool rig_is_deaf(void);

/* Reads what the host has written, at most max bytes (0: all). */
void rig_read(size_t max);

/* --- child_ops.c --- */

/* The next thing that happens, by the input. */
void rig_operate(void);

/* The child writes this and a newline, as the next frame is to be written. */
void rig_write_line(const char *line);

/* --- child_frames.c --- */

/* Each writes one line with its newline into buf (RIG_FRAME_MAX) and returns
 * its length; the input chooses. */
size_t rig_frame_ready(uint8_t *buf);
size_t rig_frame_call(uint8_t *buf);
size_t rig_frame_done(uint8_t *buf);
size_t rig_frame_other(uint8_t *buf);
/* A good call of one of the tools that exist. */
size_t rig_frame_good_call(uint8_t *buf, uint64_t id, unsigned tool);

/* --- child_check.c --- */

/* By wire/json.h, which other targets hold to its model. */
bool rig_is_json(struct wire_span text);

/* What must hold at any time, */
void rig_check_memory(void);
/* when nothing is left to do, */
void rig_check_idle(void);
/* when, beside that, every reply has been read, */
void rig_check_replies(void);
/* and of a finished execution. */
void rig_check_end(void);

#endif
