#include "supervisor/log_line.h"

#include <stdio.h>
#include <string.h>

#include "wire/json_out.h"

#define NS_PER_S 1000000000ULL

static bool
has(const struct bind_ledger_record *record, enum bind_ledger_field field)
{
	return (record->has >> field & 1) != 0;
}

/* --- time ----------------------------------------------------------------- */

/* Days since 1970 to a date. Years are counted from March on, so that the day
 * of a leap year is the last; 400 years have 146,097 days. */
static void
date_of(uint64_t days, unsigned *year, unsigned *month, unsigned *day)
{
	uint64_t since = days + 719468; /* since 0000-03-01 */
	uint64_t era = since / 146097, in_era = since % 146097;
	uint64_t in_year, years;

	years =
	    (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	in_year = in_era - (365 * years + years / 4 - years / 100);
	*month = (unsigned)((5 * in_year + 2) / 153); /* 0: March */
	*day = (unsigned)(in_year - (153 * *month + 2) / 5 + 1);
	*month = *month < 10 ? *month + 3 : *month - 9;
	*year = (unsigned)(era * 400 + years + (*month <= 2 ? 1 : 0));
}

void
sup_log_time(uint64_t ns, char text[SUP_LOG_TIME])
{
	const uint64_t seconds = ns / NS_PER_S;
	const unsigned in_day = (unsigned)(seconds % 86400);
	unsigned year, month, day;
	char room[64];

	date_of(seconds / 86400, &year, &month, &day);
	(void)snprintf(room, sizeof(room),
	    "%04u-%02u-%02uT%02u:%02u:%02u.%09uZ", year, month, day,
	    in_day / 3600, in_day / 60 % 60, in_day % 60,
	    (unsigned)(ns % NS_PER_S));
	memcpy(text, room, SUP_LOG_TIME);
	text[SUP_LOG_TIME - 1] = '\0';
}

/* --- JSON ----------------------------------------------------------------- */

static void
put_hex(struct wire_out *out, struct wire_span bytes)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * BIND_SHA256_LEN];
	size_t len = 0;

	for (size_t i = 0; i < bytes.len && i < BIND_SHA256_LEN; i++) {
		text[len++] = digits[bytes.p[i] >> 4];
		text[len++] = digits[bytes.p[i] & 15];
	}
	wire_out_string(out, (struct wire_span){(const uint8_t *)text, len});
}

static void
put_pairs(
    struct wire_out *out, enum bind_ledger_type type, struct wire_span bytes)
{
	struct bind_ledger_pair pair;
	size_t cursor = 0;

	wire_out_begin_object(out);
	while (bind_ledger_next_pair(type, bytes, &cursor, &pair)) {
		wire_out_key_span(out, pair.name);
		if (type == BIND_LEDGER_WORDS)
			wire_out_string(out, pair.word);
		else
			wire_out_uint(out, pair.number);
	}
	wire_out_end_object(out);
}

static void
put_json(
    struct wire_out *out, struct bind_json_check *check, struct wire_span bytes)
{
	if (bind_json_check_value(check, bytes, NULL) == WIRE_OK)
		wire_out_raw(out, bytes);
	else
		wire_out_string(out, bytes);
}

static void
put_value(struct wire_out *out, struct bind_json_check *check,
    enum bind_ledger_type type, const struct bind_ledger_value *value)
{
	char time[SUP_LOG_TIME];

	switch (type) {
	case BIND_LEDGER_NUMBER:
		wire_out_uint(out, value->number);
		return;
	case BIND_LEDGER_TIME:
		sup_log_time(value->number, time);
		wire_out_text(out, time);
		return;
	case BIND_LEDGER_TEXT:
	case BIND_LEDGER_PATH:
		wire_out_lossy_string(out, value->bytes);
		return;
	case BIND_LEDGER_HASH:
		put_hex(out, value->bytes);
		return;
	case BIND_LEDGER_JSON:
		put_json(out, check, value->bytes);
		return;
	case BIND_LEDGER_NUMBERS:
	case BIND_LEDGER_WORDS:
		put_pairs(out, type, value->bytes);
		return;
	}
}

enum wire_err
sup_log_json(const struct bind_ledger_item *item,
    const uint8_t hash[BIND_SHA256_LEN], struct bind_json_check *check,
    uint8_t *buf, size_t buf_max, size_t *ret_len)
{
	const struct bind_ledger_record *record = &item->record;
	struct wire_out out;

	wire_out_init(&out, buf, buf_max);
	wire_out_begin_object(&out);
	wire_out_key(&out, "at");
	wire_out_uint(&out, item->offset);
	wire_out_key(&out, "event");
	wire_out_text(&out, bind_ledger_event_word(record->event));
	for (unsigned i = 0; i < BIND_LEDGER_FIELD_COUNT; i++) {
		const struct bind_ledger_field_spec *spec =
		    bind_ledger_field_spec((enum bind_ledger_field)i);

		if (!has(record, (enum bind_ledger_field)i))
			continue;
		wire_out_key(&out, spec->word);
		put_value(&out, check, spec->type, &record->value[i]);
	}
	wire_out_key(&out, "hash");
	put_hex(&out, (struct wire_span){hash, BIND_SHA256_LEN});
	wire_out_end_object(&out);
	wire_out_newline(&out);
	return wire_out_finish(&out, ret_len);
}

/* --- a row ---------------------------------------------------------------- */

static void
add_field(struct bind_text *text, const struct bind_ledger_record *record,
    enum bind_ledger_field field)
{
	if (has(record, field))
		bind_text_add_escaped(text, record->value[field].bytes);
}

static void
add_bytes(struct bind_text *text, const struct bind_ledger_record *record,
    enum bind_ledger_field field)
{
	uint64_t number = record->value[field].number;

	bind_text_add_uint(text, number);
	bind_text_add(text, number == 1 ? " byte" : " bytes");
}

static void
add_duration(struct bind_text *text, uint64_t ns)
{
	char room[64];

	(void)snprintf(room, sizeof(room), "%llu.%03u ms",
	    (unsigned long long)(ns / 1000000), (unsigned)(ns / 1000 % 1000));
	bind_text_add(text, room);
}

static void
add_details(struct bind_text *text, const struct bind_ledger_record *record)
{
	switch (record->event) {
	case BIND_LEDGER_OPENED:
		bind_text_add(text, "level ");
		add_field(text, record, BIND_LEDGER_F_LEVEL);
		bind_text_add(text, ", python ");
		add_field(text, record, BIND_LEDGER_F_VERSION);
		bind_text_add(text, ", program of ");
		add_bytes(text, record, BIND_LEDGER_F_PROGRAM_BYTES);
		return;
	case BIND_LEDGER_STARTED:
		add_bytes(text, record, BIND_LEDGER_F_ARGUMENT_BYTES);
		return;
	case BIND_LEDGER_REFUSED:
		add_field(text, record, BIND_LEDGER_F_KIND);
		return;
	case BIND_LEDGER_COMPLETED:
		add_bytes(text, record, BIND_LEDGER_F_RESULT_BYTES);
		bind_text_add(text, " after ");
		add_duration(text, record->value[BIND_LEDGER_F_TOOL_NS].number);
		return;
	case BIND_LEDGER_FAILED:
	case BIND_LEDGER_UNKNOWN:
		add_field(text, record, BIND_LEDGER_F_KIND);
		bind_text_add(text, " after ");
		add_duration(text, record->value[BIND_LEDGER_F_TOOL_NS].number);
		return;
	case BIND_LEDGER_CLOSED:
		add_field(text, record, BIND_LEDGER_F_OUTCOME);
		return;
	case BIND_LEDGER_REPAIRED:
		add_bytes(text, record, BIND_LEDGER_F_LENGTH);
		bind_text_add(text, " of an unfinished record cut off at ");
		bind_text_add_uint(
		    text, record->value[BIND_LEDGER_F_OFFSET].number);
		return;
	case BIND_LEDGER_NO_EVENT:
	case BIND_LEDGER_EVENT_COUNT:
		return;
	}
}

void
sup_log_row(const struct bind_ledger_item *item, struct bind_text *text)
{
	const struct bind_ledger_record *record = &item->record;
	const uint8_t *id = record->value[BIND_LEDGER_F_EXECUTION].bytes.p;
	char time[SUP_LOG_TIME], room[96];

	sup_log_time(record->value[BIND_LEDGER_F_TIME].number, time);
	time[23] = '\0'; /* milliseconds */
	time[10] = ' ';
	(void)snprintf(room, sizeof(room), "%s  ", time);
	bind_text_add(text, room);
	if (has(record, BIND_LEDGER_F_EXECUTION))
		(void)snprintf(room, sizeof(room), "%02x%02x%02x%02x  ", id[0],
		    id[1], id[2], id[3]);
	else
		(void)snprintf(room, sizeof(room), "%8s  ", "");
	bind_text_add(text, room);
	(void)snprintf(room, sizeof(room), "%-9s  ",
	    bind_ledger_event_word(record->event));
	bind_text_add(text, room);
	if (has(record, BIND_LEDGER_F_CALL)) {
		(void)snprintf(room, sizeof(room), "%5llu  ",
		    (unsigned long long)record->value[BIND_LEDGER_F_CALL]
			.number);
		bind_text_add(text, room);
		add_field(text, record, BIND_LEDGER_F_TOOL);
		bind_text_add(text, "  ");
	}
	add_details(text, record);
	bind_text_add(text, "\n");
}
