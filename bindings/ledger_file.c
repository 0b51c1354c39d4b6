#include "bindings/ledger_file.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sys.h"

/* Read at once. At least a frame must fit behind what is left of another. */
#define BUFFER (256UL * 1024)
/* Magic, `repaired` and a record are written together: none of a record's own
 * fields makes a `repaired` longer than this. */
#define REPAIRED_MAX 128
#define OUT_MAX	     (BIND_LEDGER_MAGIC_LEN + REPAIRED_MAX + BIND_LEDGER_FRAME_MAX)
/* How long to sleep between two looks at a lock. */
#define SLEEP_FIRST 20000ULL
#define SLEEP_LAST  1000000ULL
/* The part of the wait that is left once somebody has kept the lock for all of
 * it: each call would stop the event loop for so long again. */
#define IMPATIENCE 64
/* With `disk`: what may be on its way to the disk at a time. A machine that
 * stops may leave zeros for all of it and a record more, and is_zero of a
 * reader takes no more than a frame of them for a torn tail. */
#define GROUP_MAX (BIND_LEDGER_FRAME_MAX / 2)

struct bind_ledger {
	int fd;
	bool disk;
	bool unsynced;
	bool kept;   /* somebody had the lock for as long as we would wait */
	bool broken; /* the disk could not be relied on once */
	uint64_t wait_ns;
	struct bind_hmac hmac;
	struct bind_ledger_reader at; /* behind the last record that was read */
	struct bind_ledger_fold fold;
	uint64_t synced;   /* what is before it was safe at some time */
	uint64_t torn_len; /* cut off at at.offset, and not recorded yet */
	uint8_t out[OUT_MAX];
	uint8_t buffer[BUFFER];
};

static enum wire_err
fail_system(struct wire_errinfo *info, const char *site, int r)
{
	(void)wire_fail(info, WIRE_ERR_SYSTEM, site, 0);
	if (info != NULL)
		info->sys = -r;
	return WIRE_ERR_SYSTEM;
}

static enum wire_err
fail_damaged(const struct bind_ledger *ledger, struct wire_errinfo *info)
{
	const char *text = ledger->at.fault == BIND_LEDGER_NO_FAULT
	    ? "records that were there are gone"
	    : bind_ledger_fault_text(ledger->at.fault);

	return wire_fail(
	    info, WIRE_ERR_DAMAGED, text, (size_t)ledger->at.offset);
}

/* --- the lock ------------------------------------------------------------- */

static enum wire_err
lock(struct bind_ledger *ledger, struct wire_errinfo *info)
{
	const uint64_t wait_ns =
	    ledger->kept ? ledger->wait_ns / IMPATIENCE : ledger->wait_ns;
	uint64_t sleep_ns = SLEEP_FIRST, end = 0;
	int r;

	while ((r = bind_sys_lock(ledger->fd, BIND_SYS_EXCLUSIVE)) == -EAGAIN) {
		uint64_t now = bind_sys_monotonic();

		if (end == 0)
			end = now + wait_ns;
		if (now >= end)
			break;
		bind_sys_sleep(sleep_ns);
		if (sleep_ns < SLEEP_LAST)
			sleep_ns *= 2;
	}
	ledger->kept = r == -EAGAIN;
	return r < 0 ? fail_system(info, "lock", r) : WIRE_OK;
}

static void
unlock(const struct bind_ledger *ledger)
{
	/* It cannot fail for a lock that is held. */
	(void)bind_sys_lock(ledger->fd, BIND_SYS_UNLOCK);
}

/* --- reading what others have written ------------------------------------- */

/* Reads to the end of the file. *ret_left: bytes behind the last record. */
static enum wire_err
read_on(
    struct bind_ledger *ledger, uint64_t *ret_left, struct wire_errinfo *info)
{
	size_t have = 0;

	for (;;) {
		const uint64_t base = ledger->at.offset;
		struct bind_ledger_item item;
		enum bind_ledger_read r;
		size_t used = 0;
		ssize_t n = bind_sys_read_at(ledger->fd, ledger->buffer + have,
		    sizeof(ledger->buffer) - have, base + have);

		if (n < 0)
			return fail_system(info, "read", (int)n);
		have += (size_t)n;
		do {
			r = bind_ledger_read(&ledger->at,
			    (struct wire_span){
				ledger->buffer + used, have - used},
			    &item);
			used = (size_t)(ledger->at.offset - base);
			if (r == BIND_LEDGER_RECORD)
				bind_ledger_fold_add(
				    &ledger->fold, &item.record);
		} while (r == BIND_LEDGER_RECORD);
		if (r == BIND_LEDGER_ALTERED)
			return fail_damaged(ledger, info);
		have -= used;
		memmove(ledger->buffer, ledger->buffer + used, have);
		if (n == 0) {
			*ret_left = have;
			return WIRE_OK;
		}
	}
}

/*
 * Before the lock is taken for the first time, so that a long file keeps nobody
 * waiting. Somebody may be writing, and may take back what was not finished:
 * what looks wrong now is looked at again with the lock.
 */
static enum wire_err
read_ahead(struct bind_ledger *ledger, struct wire_errinfo *info)
{
	uint64_t left;
	enum wire_err err = read_on(ledger, &left, info);

	if (err != WIRE_ERR_DAMAGED)
		return err;
	ledger->at.fault = BIND_LEDGER_NO_FAULT;
	return WIRE_OK;
}

/* With the lock held: nobody is writing, so what is unfinished stays so. */
static enum wire_err
catch_up(struct bind_ledger *ledger, struct wire_errinfo *info)
{
	uint64_t size, left = 0;
	enum wire_err err;
	int r;

	if (ledger->at.fault != BIND_LEDGER_NO_FAULT)
		return fail_damaged(ledger, info);
	r = bind_sys_file_size(ledger->fd, &size);
	if (r < 0)
		return fail_system(info, "size", r);
	if (size < ledger->at.offset)
		return fail_damaged(ledger, info);
	if (size == ledger->at.offset)
		return WIRE_OK;
	/* A cut of ours that could not be recorded: its place is taken. */
	ledger->torn_len = 0;
	err = read_on(ledger, &left, info);
	if (err != WIRE_OK || left == 0)
		return err;
	r = bind_sys_truncate(ledger->fd, ledger->at.offset);
	if (r < 0)
		return fail_system(info, "truncate", r);
	ledger->torn_len = left;
	return WIRE_OK;
}

/* --- writing -------------------------------------------------------------- */

/* Puts one frame behind what is in out already. */
static enum wire_err
put(struct bind_ledger *ledger, const struct bind_ledger_record *record,
    uint8_t hash[BIND_SHA256_LEN], size_t *len, struct wire_errinfo *info)
{
	size_t frame_len = 0;
	enum wire_err err = bind_ledger_encode(
	    record, hash, ledger->out + *len, &frame_len, info);

	if (err == WIRE_OK)
		*len += frame_len;
	return err;
}

static void
make_repaired(
    const struct bind_ledger *ledger, struct bind_ledger_record *record)
{
	bind_ledger_record_init(record, BIND_LEDGER_REPAIRED);
	bind_ledger_set_number(record, BIND_LEDGER_F_TIME, bind_sys_time());
	bind_ledger_set_number(record, BIND_LEDGER_F_OFFSET, ledger->at.offset);
	bind_ledger_set_number(record, BIND_LEDGER_F_LENGTH, ledger->torn_len);
}

/* With the lock held, at the end of the file: everything that is due, in one
 * write. */
static enum wire_err
write_record(struct bind_ledger *ledger, struct bind_ledger_record *record,
    struct wire_errinfo *info)
{
	struct bind_ledger_reader after = ledger->at;
	struct bind_ledger_record repaired;
	enum wire_err err = WIRE_OK;
	size_t len = 0;
	int r;

	if (after.offset == 0) {
		memcpy(ledger->out, BIND_LEDGER_MAGIC, BIND_LEDGER_MAGIC_LEN);
		len = BIND_LEDGER_MAGIC_LEN;
	}
	if (ledger->torn_len > 0) {
		make_repaired(ledger, &repaired);
		err = put(ledger, &repaired, after.hash, &len, info);
		after.records++;
	}
	bind_ledger_set_number(record, BIND_LEDGER_F_TIME, bind_sys_time());
	if (err == WIRE_OK)
		err = put(ledger, record, after.hash, &len, info);
	if (err != WIRE_OK)
		return err;
	r = bind_sys_append(ledger->fd, ledger->out, len, after.offset);
	if (r < 0) {
		/* What was written of it is ours and stands for nothing. If it
		 * stays, it is a torn tail to whoever comes next. */
		(void)bind_sys_truncate(ledger->fd, after.offset);
		return fail_system(info, "write", r);
	}
	after.offset += len;
	after.records++;
	ledger->at = after;
	if (ledger->torn_len > 0)
		bind_ledger_fold_add(&ledger->fold, &repaired);
	ledger->torn_len = 0;
	bind_ledger_fold_add(&ledger->fold, record);
	return WIRE_OK;
}

/* --- the public side ------------------------------------------------------ */

enum wire_err
bind_ledger_new(const struct bind_ledger_config *config,
    struct bind_ledger **ret_ledger, struct wire_errinfo *info)
{
	struct bind_ledger *ledger = malloc(sizeof(*ledger));
	enum wire_err err;
	int fd = config->fd;

	if (ledger == NULL) {
		bind_sys_close(&fd);
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "ledger", 0);
	}
	/* Not the buffers: what is never read or written is never touched. */
	memset(ledger, 0, offsetof(struct bind_ledger, out));
	ledger->fd = fd;
	ledger->disk = config->disk;
	ledger->wait_ns = config->wait_ns;
	bind_hmac_init(&ledger->hmac,
	    (struct wire_span){config->key, sizeof(config->key)});
	bind_ledger_reader_init(&ledger->at);
	err = read_ahead(ledger, info);
	if (err == WIRE_OK)
		err = lock(ledger, info);
	if (err == WIRE_OK) {
		err = catch_up(ledger, info);
		unlock(ledger);
	}
	if (err != WIRE_OK) {
		bind_ledger_free(ledger);
		return err;
	}
	ledger->synced = ledger->at.offset;
	*ret_ledger = ledger;
	return WIRE_OK;
}

void
bind_ledger_free(struct bind_ledger *ledger)
{
	if (ledger == NULL)
		return;
	bind_sys_close(&ledger->fd);
	explicit_bzero(&ledger->hmac, sizeof(ledger->hmac));
	free(ledger);
}

static enum bind_meter
spent_meter(const struct bind_ledger *ledger,
    const struct bind_ledger_record *record,
    const struct bind_ledger_bounds *bounds)
{
	uint64_t bytes = bind_ledger_fold_bytes(&ledger->fold);

	if (bounds == NULL)
		return BIND_METER_NONE;
	if (bind_ledger_fold_calls(&ledger->fold) >= bounds->calls)
		return BIND_METER_CALLS;
	if (bytes > bounds->bytes ||
	    record->value[BIND_LEDGER_F_ARGUMENT_BYTES].number >
		bounds->bytes - bytes)
		return BIND_METER_BYTES;
	return BIND_METER_NONE;
}

static int
sync_file(struct bind_ledger *ledger)
{
	int r = bind_sys_sync(ledger->fd);

	if (r < 0)
		/* KERNEL: fsync(2): pages that could not be written count as
		 * clean afterwards; a second one would say that all is well. */
		ledger->broken = true;
	else
		ledger->synced = ledger->at.offset;
	return r;
}

enum wire_err
bind_ledger_look(struct bind_ledger *ledger, struct wire_errinfo *info)
{
	enum wire_err err = lock(ledger, info);
	uint64_t left;

	if (err != WIRE_OK)
		return err;
	/* A tail that was not finished is for the next who writes. */
	if (ledger->at.fault != BIND_LEDGER_NO_FAULT)
		err = fail_damaged(ledger, info);
	else
		err = read_on(ledger, &left, info);
	unlock(ledger);
	return err;
}

enum wire_err
bind_ledger_append(struct bind_ledger *ledger,
    struct bind_ledger_record *record, const struct bind_ledger_bounds *bounds,
    enum bind_meter *ret_spent, struct wire_errinfo *info)
{
	enum wire_err err;

	WIRE_BUG_IF(bounds != NULL && record->event != BIND_LEDGER_STARTED);
	*ret_spent = BIND_METER_NONE;
	if (ledger->broken)
		return fail_system(info, "sync", -EIO);
	err = lock(ledger, info);
	if (err != WIRE_OK)
		return err;
	err = catch_up(ledger, info);
	if (err == WIRE_OK) {
		*ret_spent = spent_meter(ledger, record, bounds);
		if (*ret_spent == BIND_METER_NONE)
			err = write_record(ledger, record, info);
	}
	unlock(ledger);
	if (err != WIRE_OK || *ret_spent != BIND_METER_NONE)
		return err;
	ledger->unsynced = true;
	if (record->event == BIND_LEDGER_OPENED ||
	    record->event == BIND_LEDGER_CLOSED)
		err = bind_ledger_sync(ledger, info);
	else if (ledger->disk && ledger->at.offset - ledger->synced > GROUP_MAX)
		/* It stays due, and who sees to that learns how it went. */
		(void)sync_file(ledger);
	return err;
}

enum wire_err
bind_ledger_sync(struct bind_ledger *ledger, struct wire_errinfo *info)
{
	int r;

	if (!ledger->broken && (!ledger->disk || !ledger->unsynced))
		return WIRE_OK;
	ledger->unsynced = false;
	r = ledger->broken ? -EIO : sync_file(ledger);
	return r < 0 ? fail_system(info, "sync", r) : WIRE_OK;
}

bool
bind_ledger_is_due(const struct bind_ledger *ledger)
{
	return ledger->disk && ledger->unsynced;
}

bool
bind_ledger_is_broken(const struct bind_ledger *ledger)
{
	return ledger->broken;
}

void
bind_ledger_hash(const struct bind_ledger *ledger, struct wire_span bytes,
    uint8_t ret_hash[BIND_SHA256_LEN])
{
	bind_hmac(&ledger->hmac, bytes, ret_hash);
}

const struct bind_ledger_fold *
bind_ledger_fold(const struct bind_ledger *ledger)
{
	return &ledger->fold;
}

const struct bind_ledger_reader *
bind_ledger_place(const struct bind_ledger *ledger)
{
	return &ledger->at;
}
