#include "supervisor/exec_ledger.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "supervisor/explain.h"
#include "supervisor/state_dir.h"
#include "supervisor/sys.h"

/* The lock is held for one append: whoever keeps it longer has stopped, and
 * the clock of the execution must go on. */
#define LOCK_WAIT_NS (250 * SUP_NS_PER_MS)

_Static_assert(SUP_LIMITS <= BIND_LEDGER_PAIRS, "all limits are in the terms");
_Static_assert(SUP_STATE_KEY_LEN == BIND_LEDGER_KEY, "one key");

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- the file ------------------------------------------------------------- */

static void
explain(const char *run, enum wire_err err, const struct wire_errinfo *info,
    char error[WEIR_ERROR_MAX])
{
	if (err == WIRE_ERR_DAMAGED)
		sup_explain(error,
		    "run %s: its ledger was altered at offset %zu: %s; look at "
		    "it with weir log, and use another --run",
		    run, info->offset, info->site);
	else if (err == WIRE_ERR_SYSTEM && info->sys == EAGAIN)
		sup_explain(error,
		    "run %s: another process keeps its ledger locked", run);
	else if (err == WIRE_ERR_SYSTEM)
		sup_explain(error, "run %s: its ledger: %s: %s", run,
		    info->site, strerror(info->sys));
	else
		sup_explain(error, "out of memory");
}

bool
sup_exec_ledger_open(
    struct weir_execution *e, const char *run, char error[WEIR_ERROR_MAX])
{
	struct bind_ledger_config config = {
	    .fd = -1, .disk = e->weir->disk, .wait_ns = LOCK_WAIT_NS};
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	if (e->weir->runs_fd < 0) {
		if (run == NULL)
			return true;
		sup_explain(error, "a Run needs a state directory");
		return false;
	}
	/* A Run that is one execution has the execution's budget. */
	e->to_ledger.bounds =
	    (struct bind_ledger_bounds){UINT64_MAX, UINT64_MAX};
	e->to_ledger.in_run = run != NULL;
	e->to_ledger.values = e->weir->record_values;
	if (run != NULL)
		e->to_ledger.bounds = (struct bind_ledger_bounds){
		    e->terms.limits[SUP_LIMIT_RUN_CALLS],
		    e->terms.limits[SUP_LIMIT_RUN_BYTES]};
	if (run == NULL)
		run = e->id;
	if (!sup_run_name_is_good(span_of(run))) {
		sup_explain(error,
		    "the name of a Run is 1 to 64 of A-Z a-z 0-9 . _ - and "
		    "does not begin with a dot");
		return false;
	}
	e->weir->fault = WEIR_FAULT_OTHER;
	/* SECURITY: a later sync, of another descriptor as well, may say that
	 * all is well. fsync(2). */
	if (e->weir->disk_failed) {
		sup_explain(error,
		    "run %s: a ledger could not be written to the disk before, "
		    "and what is there cannot be relied on: see to the disk of "
		    "the state directory, then start weir anew",
		    run);
		return false;
	}
	(void)snprintf(e->run, sizeof(e->run), "%s", run);
	config.fd =
	    sup_state_open_run(e->weir->runs_fd, run, e->weir->disk, error);
	if (config.fd < 0)
		return false;
	memcpy(config.key, e->weir->key, sizeof(config.key));
	err = bind_ledger_new(&config, &e->to_ledger.ledger, &info);
	explicit_bzero(config.key, sizeof(config.key));
	if (err != WIRE_OK) {
		e->to_ledger.ledger = NULL;
		explain(run, err, &info, error);
		return false;
	}
	e->weir->fault = WEIR_FAULT_REQUEST;
	return true;
}

static unsigned
digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

struct bind_record
sup_exec_ledger_record(struct weir_execution *e)
{
	struct bind_record_ledger *to = &e->to_ledger;

	if (to->ledger == NULL)
		return bind_record_list_record(&e->record);
	to->list = &e->record;
	for (size_t i = 0; i < sizeof(to->execution); i++)
		to->execution[i] = (uint8_t)(16 * digit(e->id[2 * i]) +
		    digit(e->id[2 * i + 1]));
	return bind_record_ledger_record(to);
}

/* --- durability `disk` --------------------------------------------------- */

/* After anything that may have synced. */
static void
note_disk(struct weir_execution *e)
{
	if (bind_ledger_is_broken(e->to_ledger.ledger))
		e->weir->disk_failed = true;
}

/*
 * The end of a turn in which something was recorded: one sync for all of it.
 * Then the answers go out whose ends are on the disk now, and the calls are
 * dispatched whose beginnings are.
 *
 * SECURITY: an answer whose end is not on the disk is not given. When it cannot
 * get there the execution is over: the answer is queued, and no other can take
 * its place.
 */
static void
sync_ready(struct sup_watch *watch, uint32_t events)
{
	struct weir_execution *e = watch->owner;
	struct bind_record_ledger *to = &e->to_ledger;
	struct wire_errinfo info = {"", 0, 0};
	size_t count = e->tools != NULL ? bind_session_recorded(e->tools) : 0;
	bool is_safe = bind_ledger_sync(to->ledger, &info) == WIRE_OK;

	(void)events;
	note_disk(e);
	if (!is_safe && to->failures++ == 0)
		to->failure = info;
	if (is_safe) {
		sup_chan_release(&e->chan);
	} else if (e->chan.held) {
		info.site = "writing the ledger to the disk";
		sup_exec_note_setup(e, &info);
		sup_exec_event(e, SUP_EVENT_FAILED);
	}
	if (count > 0)
		bind_session_safe(e->tools, count, is_safe);
}

bool
sup_exec_ledger_due(struct weir_execution *e)
{
	if (e->to_ledger.ledger == NULL ||
	    !bind_ledger_is_due(e->to_ledger.ledger))
		return false;
	e->sync.ready = sync_ready;
	e->sync.owner = e;
	sup_loop_again(&e->weir->loop, &e->sync);
	return true;
}

/* --- opened --------------------------------------------------------------- */

/* Room for what the record points to. */
struct opened {
	struct bind_ledger_record record;
	struct utsname host;
	uint8_t terms[BIND_LEDGER_PAIRS_MAX], grades[BIND_LEDGER_PAIRS_MAX];
	uint8_t terms_hash[BIND_SHA256_LEN], program_hash[BIND_SHA256_LEN];
};

static void
begin_record(const struct weir_execution *e, enum bind_ledger_event event,
    struct bind_ledger_record *record)
{
	bind_ledger_record_init(record, event);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_EXECUTION,
	    (struct wire_span){
		e->to_ledger.execution, sizeof(e->to_ledger.execution)});
}

static enum wire_err
set_terms(const struct weir_execution *e, struct opened *o)
{
	struct bind_ledger_pair pairs[SUP_LIMITS];
	struct wire_span terms;
	enum wire_err err;

	for (unsigned i = 0; i < SUP_LIMITS; i++)
		pairs[i] = (struct bind_ledger_pair){
		    .name = span_of(sup_limit_spec((enum sup_limit)i)->word),
		    .number = e->terms.limits[i]};
	err = bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS, pairs, SUP_LIMITS,
	    o->terms, sizeof(o->terms), &terms);
	if (err != WIRE_OK)
		return err;
	bind_ledger_hash(e->to_ledger.ledger, terms, o->terms_hash);
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_TERMS, terms);
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_TERMS_HASH,
	    (struct wire_span){o->terms_hash, sizeof(o->terms_hash)});
	return WIRE_OK;
}

static enum wire_err
set_grades(const struct weir_execution *e, struct opened *o)
{
	struct bind_ledger_pair pairs[SUP_GUARANTEE_COUNT];
	struct wire_span grades;
	enum wire_err err;

	for (unsigned i = 0; i < SUP_GUARANTEE_COUNT; i++)
		pairs[i] = (struct bind_ledger_pair){
		    .name = span_of(sup_guarantee_word((enum sup_guarantee)i)),
		    .word = span_of(sup_grade_word(e->grades.grade[i]))};
	err = bind_ledger_pack_pairs(BIND_LEDGER_WORDS, pairs,
	    SUP_GUARANTEE_COUNT, o->grades, sizeof(o->grades), &grades);
	if (err == WIRE_OK)
		bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_GRADES, grades);
	return err;
}

static void
set_host(const struct weir_execution *e, struct opened *o)
{
	if (uname(&o->host) != 0)
		o->host.release[0] = '\0';
	bind_ledger_set_bytes(
	    &o->record, BIND_LEDGER_F_KERNEL, span_of(o->host.release));
	bind_ledger_set_number(
	    &o->record, BIND_LEDGER_F_LANDLOCK, e->evidence.landlock_abi);
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_INTERPRETER,
	    span_of(e->weir->interp.path));
	bind_ledger_set_bytes(
	    &o->record, BIND_LEDGER_F_VERSION, span_of(e->python));
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_LEVEL,
	    span_of(sup_level_word(e->grades.level)));
}

static void
set_program(const struct weir_execution *e, struct opened *o)
{
	bind_ledger_hash(e->to_ledger.ledger,
	    (struct wire_span){(const uint8_t *)e->program, e->program_len},
	    o->program_hash);
	bind_ledger_set_number(
	    &o->record, BIND_LEDGER_F_PROGRAM_BYTES, e->program_len);
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_PROGRAM_HASH,
	    (struct wire_span){o->program_hash, sizeof(o->program_hash)});
	bind_ledger_set_bytes(&o->record, BIND_LEDGER_F_RUN, span_of(e->run));
}

enum wire_err
sup_exec_ledger_opened(struct weir_execution *e, struct wire_errinfo *info)
{
	enum bind_meter spent;
	struct opened o;
	enum wire_err err;

	if (e->to_ledger.ledger == NULL)
		return WIRE_OK;
	begin_record(e, BIND_LEDGER_OPENED, &o.record);
	set_host(e, &o);
	set_program(e, &o);
	err = set_terms(e, &o);
	if (err == WIRE_OK)
		err = set_grades(e, &o);
	if (err == WIRE_OK)
		err = bind_ledger_append(
		    e->to_ledger.ledger, &o.record, NULL, &spent, info);
	note_disk(e);
	if (err == WIRE_OK) {
		e->is_recorded = true;
		return WIRE_OK;
	}
	info->site = "recording the start in the ledger";
	if (info->sys == 0)
		info->sys = EBADMSG; /* it is not a ledger any more */
	return err;
}

/* --- closed --------------------------------------------------------------- */

static enum wire_err
set_usage(const struct weir_execution *e, struct bind_ledger_record *record,
    uint8_t *room, size_t room_max)
{
	const struct bind_ledger_pair pairs[] = {
	    {WIRE_LIT("wall_ns"), e->ended_ns - e->run_ns, {NULL, 0}},
	    {WIRE_LIT("cpu_ns"), e->facts.cpu_ns, {NULL, 0}},
	    {WIRE_LIT("max_rss_kb"), e->peak_kb, {NULL, 0}},
	    {WIRE_LIT("stdout_bytes"), e->out.bytes, {NULL, 0}},
	    {WIRE_LIT("stderr_bytes"), e->err.bytes, {NULL, 0}},
	    {WIRE_LIT("calls"), bind_record_total(&e->record.totals),
		{NULL, 0}},
	    {WIRE_LIT("total_bytes"), e->budget.bytes, {NULL, 0}},
	    {WIRE_LIT("produced_bytes"), e->budget.produced, {NULL, 0}},
	    {WIRE_LIT("kept_bytes"), e->budget.kept, {NULL, 0}},
	    {WIRE_LIT("tool_ns"), e->budget.time_ns, {NULL, 0}},
	};
	struct wire_span usage;
	enum wire_err err = bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS, pairs,
	    sizeof(pairs) / sizeof(pairs[0]), room, room_max, &usage);

	if (err == WIRE_OK)
		bind_ledger_set_bytes(record, BIND_LEDGER_F_USAGE, usage);
	return err;
}

static enum wire_err
append_closed(struct weir_execution *e, struct wire_errinfo *info)
{
	const struct sup_verdict *v = &e->verdict;
	struct bind_ledger_record record;
	uint8_t room[512];
	enum bind_meter spent;
	enum wire_err err;

	begin_record(e, BIND_LEDGER_CLOSED, &record);
	bind_ledger_set_bytes(&record, BIND_LEDGER_F_OUTCOME,
	    v->kind == SUP_KIND_NONE ? WIRE_LIT("ok")
				     : span_of(sup_kind_word(v->kind)));
	if (v->code >= 0)
		bind_ledger_set_number(
		    &record, BIND_LEDGER_F_EXIT, (uint64_t)v->code);
	if (v->signal > 0)
		bind_ledger_set_number(
		    &record, BIND_LEDGER_F_SIGNAL, (uint64_t)v->signal);
	err = set_usage(e, &record, room, sizeof(room));
	if (err == WIRE_OK)
		err = bind_ledger_append(
		    e->to_ledger.ledger, &record, NULL, &spent, info);
	note_disk(e);
	return err;
}

void
sup_exec_ledger_closed(struct weir_execution *e)
{
	const struct bind_record_ledger *to = &e->to_ledger;
	struct wire_errinfo info = {"", 0, 0};

	if (!e->is_recorded)
		return;
	e->is_recorded = false;
	if (to->failures > 0)
		sup_exec_warn(e,
		    "ledger: %llu records of calls could not be written; the "
		    "first: %s: %s",
		    (unsigned long long)to->failures, to->failure.site,
		    to->failure.sys == 0 ? "it was altered"
					 : strerror(to->failure.sys));
	if (append_closed(e, &info) != WIRE_OK)
		sup_exec_warn(e,
		    "ledger: the end could not be recorded: %s: %s", info.site,
		    info.sys == 0 ? "it was altered" : strerror(info.sys));
}
