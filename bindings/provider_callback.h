/*
 * The provider `callback`: a function of the host.
 *
 * The function answers from inside the call, or keeps the job and answers
 * later with bind_callback_answer, from the loop's thread. In this release it
 * is the test double; the embedding interfaces build on it.
 *
 * Owns: nothing; the struct bind_callback is the caller's, outlives the
 * catalogue, and is the tool's data.
 */
#ifndef BIND_PROVIDER_CALLBACK_H
#define BIND_PROVIDER_CALLBACK_H

#include "bindings/provider.h"

struct bind_callback {
	void *arg;
	void (*call)(void *arg, struct bind_job *job);
	/* NULL: a cancel is answered at once, with its end not seen, and
	 * bind_callback_answer must not be called for it afterwards. Otherwise
	 * the function sees to it that the job is answered. */
	void (*cancel)(
	    void *arg, struct bind_job *job, enum wire_tool_kind kind);
	/* The job is gone without an answer. May be NULL. */
	void (*abandon)(void *arg, struct bind_job *job);
};

extern const struct bind_provider bind_provider_callback;

/* Ends a job: done, then gone. */
void bind_callback_answer(
    struct bind_job *job, const struct bind_outcome *outcome);

#endif
