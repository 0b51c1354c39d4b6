/*
 * Writes calls into a ledger, as an execution would, and says how long it took.
 *
 * usage: mkledger FILE CALLS [append|write|disk|group|fold]
 *
 *	append	through bind_ledger_append: two records a call (default)
 *	disk	the same, with durability `disk`: a sync for each record
 *	group	the same, with one for the beginnings of 64 calls, and one for
 *		their ends
 *	write	the same records in large pieces, without lock or sync: to make
 *		a long file soon
 *	fold	nothing is written; what is there is read and folded
 *
 * Prints seconds and the number of records in the file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/ledger_file.h"
#include "bindings/sys.h"

#define PIECE (4UL * 1024 * 1024)
#define GROUP 64UL

static const uint8_t execution[BIND_LEDGER_EXECUTION] = {1, 2, 3};

static int
complain(const char *what)
{
	fprintf(stderr, "mkledger: %s\n", what);
	return 1;
}

static void
make_record(struct bind_ledger_record *record, uint64_t call, bool end)
{
	static uint8_t hash[BIND_SHA256_LEN];

	bind_ledger_record_init(
	    record, end ? BIND_LEDGER_COMPLETED : BIND_LEDGER_STARTED);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_EXECUTION,
	    (struct wire_span){execution, sizeof(execution)});
	bind_ledger_set_number(record, BIND_LEDGER_F_TIME, bind_sys_time());
	bind_ledger_set_number(record, BIND_LEDGER_F_CALL, call);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_TOOL, WIRE_LIT("look_up"));
	memcpy(hash, &call, sizeof(call));
	bind_ledger_set_number(record,
	    end ? BIND_LEDGER_F_RESULT_BYTES : BIND_LEDGER_F_ARGUMENT_BYTES,
	    100);
	bind_ledger_set_bytes(record,
	    end ? BIND_LEDGER_F_RESULT_HASH : BIND_LEDGER_F_ARGUMENT_HASH,
	    (struct wire_span){hash, sizeof(hash)});
	if (end)
		bind_ledger_set_number(record, BIND_LEDGER_F_TOOL_NS, 12345678);
}

/* Beginnings of so many calls, then their ends, and so on. */
static bool
append_all(struct bind_ledger *ledger, uint64_t calls, uint64_t group)
{
	for (uint64_t i = 0; i < 2 * calls; i++) {
		struct bind_ledger_record record;
		enum bind_meter spent;

		make_record(&record, i / (2 * group) * group + i % group,
		    i / group % 2 == 1);
		if (bind_ledger_append(ledger, &record, NULL, &spent, NULL) !=
		    WIRE_OK)
			return false;
		if (i % group == group - 1 &&
		    bind_ledger_sync(ledger, NULL) != WIRE_OK)
			return false;
	}
	return true;
}

/* Into a new file. */
static bool
write_all(int fd, uint64_t calls)
{
	uint8_t *buf = malloc(PIECE + BIND_LEDGER_FRAME_MAX);
	uint8_t hash[BIND_SHA256_LEN];
	size_t len = BIND_LEDGER_MAGIC_LEN, frame_len = 0;
	uint64_t size = 0;
	bool good = buf != NULL;

	bind_ledger_first_hash(hash);
	if (good)
		memcpy(buf, BIND_LEDGER_MAGIC, len);
	for (uint64_t i = 0; good && i < 2 * calls; i++) {
		struct bind_ledger_record record;

		make_record(&record, i / 2, i % 2 == 1);
		good = bind_ledger_encode(&record, hash, buf + len, &frame_len,
			   NULL) == WIRE_OK;
		len += frame_len;
		if (good && (len >= PIECE || i + 1 == 2 * calls)) {
			good = bind_sys_append(fd, buf, len, size) == 0;
			size += len;
			len = 0;
		}
	}
	free(buf);
	return good;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "append";
	struct bind_ledger_config config = {.wait_ns = 10000000000,
	    .disk = strcmp(how, "disk") == 0 || strcmp(how, "group") == 0};
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};
	uint64_t calls, start;

	if (argc < 3)
		return complain("usage: mkledger FILE CALLS [HOW]");
	calls = strtoull(argv[2], NULL, 10);
	config.fd =
	    open(argv[1], O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (config.fd < 0)
		return complain("the file cannot be opened");
	start = bind_sys_monotonic();
	if (strcmp(how, "write") == 0 && !write_all(config.fd, calls))
		return complain("the file cannot be written");
	if (bind_ledger_new(&config, &ledger, &info) != WIRE_OK)
		return complain(info.site);
	if ((strcmp(how, "append") == 0 || config.disk) &&
	    !append_all(ledger, calls, strcmp(how, "group") == 0 ? GROUP : 1))
		return complain("an append failed");
	printf("%.6f %llu\n",
	    (double)(bind_sys_monotonic() - start) / 1000000000,
	    (unsigned long long)bind_ledger_place(ledger)->records);
	bind_ledger_free(ledger);
	return 0;
}
