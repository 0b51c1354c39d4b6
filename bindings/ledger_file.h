/*
 * A Run's ledger as a file that many write to (B4, B5).
 *
 * An append locks the file, reads and folds what others have appended since,
 * decides whether the Run's budget can take it, and writes: so the chain and
 * the count are right for any number of writers, and a writer that died has
 * spent what it spent. A tail that somebody did not finish is cut off by the
 * next writer, who writes a `repaired` record that names its place and length
 * in front of its own.
 *
 * What an append returned WIRE_OK for survives the death of this process. With
 * `disk` it survives the death of the machine too, once bind_ledger_sync has
 * returned: one for all that was appended before, so that what becomes due
 * together goes there together, at the latest when it comes to half a frame,
 * so that what a machine leaves that stops is a torn tail. `opened` and
 * `closed`, of which there is one, are there before the append returns.
 *
 * A file that is not as it was written is never written to again: DAMAGED, with
 * the place in info->offset and the reason in info->site. After an append that
 * failed the file is as before, or has a torn tail.
 *
 * A file that was removed is not written to either: SYSTEM, with ENOENT.
 *
 * SECURITY: the lock is waited for no longer than config->wait_ns, and once
 * that was not enough only for a small part of it until it could be had again:
 * whoever may open the file may hold it. Nothing of the file is trusted.
 *
 * Owns its descriptor. One thread.
 */
#ifndef BIND_LEDGER_FILE_H
#define BIND_LEDGER_FILE_H

#include "bindings/budget.h"
#include "bindings/ledger_fold.h"
#include "bindings/ledger_read.h"

#define BIND_LEDGER_KEY 32

struct bind_ledger_config {
	int fd; /* opened O_RDWR | O_APPEND; taken over, also on failure */
	bool disk;
	uint64_t wait_ns;
	uint8_t key[BIND_LEDGER_KEY]; /* of the hashes of values */
};

/* What all executions of a Run may spend together. */
struct bind_ledger_bounds {
	uint64_t calls, bytes;
};

struct bind_ledger;

/* Reads and folds what there is. NO_MEMORY, DAMAGED, or SYSTEM: info->sys is
 * EAGAIN where the lock could not be had. */
WIRE_MUST_USE enum wire_err bind_ledger_new(
    const struct bind_ledger_config *config, struct bind_ledger **ret_ledger,
    struct wire_errinfo *info);

/* NULL is fine. */
void bind_ledger_free(struct bind_ledger *ledger);

/*
 * Appends a record; its TIME is set here. bounds, for a `started` record, may
 * be NULL; where the Run could not take the call nothing is written, and
 * *ret_spent says which meter it was (else NONE).
 */
WIRE_MUST_USE enum wire_err bind_ledger_append(struct bind_ledger *ledger,
    struct bind_ledger_record *record, const struct bind_ledger_bounds *bounds,
    enum bind_meter *ret_spent, struct wire_errinfo *info);

/* Reads and folds what others have appended since. */
WIRE_MUST_USE enum wire_err bind_ledger_look(
    struct bind_ledger *ledger, struct wire_errinfo *info);

/* With `disk`: what was appended is on the disk. A disk that could not do it
 * once is never relied on again: every sync and append fails from then on. */
WIRE_MUST_USE enum wire_err bind_ledger_sync(
    struct bind_ledger *ledger, struct wire_errinfo *info);
/* Whether something was appended that a sync would have to see to. */
bool bind_ledger_is_due(const struct bind_ledger *ledger);
/* Whether a sync has failed. */
bool bind_ledger_is_broken(const struct bind_ledger *ledger);

/* HMAC-SHA256 with the key. */
void bind_ledger_hash(const struct bind_ledger *ledger, struct wire_span bytes,
    uint8_t ret_hash[BIND_SHA256_LEN]);

/* As of the last append or look, or since bind_ledger_new. */
const struct bind_ledger_fold *bind_ledger_fold(
    const struct bind_ledger *ledger);
const struct bind_ledger_reader *bind_ledger_place(
    const struct bind_ledger *ledger);

#endif
