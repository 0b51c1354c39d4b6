/*
 * A ledger in a file of its own, for tests.
 */
#ifndef TESTS_LEDGER_RIG_H
#define TESTS_LEDGER_RIG_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/ledger_file.h"
#include "ledger_help.h"

static char rig_dir[PATH_MAX], rig_path[PATH_MAX + 16];

static inline int
rig_set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	(void)snprintf(rig_dir, sizeof(rig_dir), "%s/weir-ledger-XXXXXX",
	    tmp == NULL ? "/tmp" : tmp);
	assert_non_null(mkdtemp(rig_dir));
	(void)snprintf(rig_path, sizeof(rig_path), "%s/ledger", rig_dir);
	return 0;
}

static inline int
rig_tear_down(void **state)
{
	(void)state;
	(void)unlink(rig_path);
	return rmdir(rig_dir);
}

static inline int
rig_open(void)
{
	int fd =
	    open(rig_path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRWXU);

	assert_true(fd >= 0);
	return fd;
}

/* The file is these bytes and nothing else. */
static inline void
rig_write(const uint8_t *bytes, size_t len)
{
	int fd = rig_open();

	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static inline size_t
rig_size(void)
{
	struct stat st;

	assert_int_equal(stat(rig_path, &st), 0);
	return (size_t)st.st_size;
}

static inline struct bind_ledger_config
rig_config(void)
{
	return (struct bind_ledger_config){
	    .fd = rig_open(), .wait_ns = 30000000000, .key = "key"};
}

static inline struct bind_ledger *
rig_ledger(void)
{
	struct bind_ledger_config config = rig_config();
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};

	if (bind_ledger_new(&config, &ledger, &info) != WIRE_OK)
		fail_msg(
		    "%s at %zu (errno %d)", info.site, info.offset, info.sys);
	return ledger;
}

static inline enum wire_err
rig_try(struct bind_ledger *ledger, enum bind_ledger_event event, uint64_t call,
    const struct bind_ledger_bounds *bounds, enum bind_meter *ret_spent,
    struct wire_errinfo *info)
{
	struct bind_ledger_record record;

	help_record(&record, event, call, call % 2 == 0);
	return bind_ledger_append(ledger, &record, bounds, ret_spent, info);
}

static inline void
rig_append(
    struct bind_ledger *ledger, enum bind_ledger_event event, uint64_t call)
{
	enum bind_meter spent;

	assert_int_equal(
	    rig_try(ledger, event, call, NULL, &spent, NULL), WIRE_OK);
	assert_int_equal(spent, BIND_METER_NONE);
}

/* The whole file, read by the reader alone; events[i] is the i-th record's,
 * for the first max of them. */
static inline struct bind_ledger_fold
rig_read(struct bind_ledger_reader *reader, enum bind_ledger_event *events,
    size_t max)
{
	static struct bind_ledger_item item;
	struct bind_ledger_fold fold;
	size_t len = rig_size();
	uint8_t *bytes = malloc(len + 1);
	int fd = rig_open();

	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, len, 0), (ssize_t)len);
	close(fd);
	memset(&fold, 0, sizeof(fold));
	bind_ledger_reader_init(reader);
	while (bind_ledger_read(reader,
		   (struct wire_span){
		       bytes + reader->offset, len - reader->offset},
		   &item) == BIND_LEDGER_RECORD) {
		bind_ledger_fold_add(&fold, &item.record);
		if (reader->records <= max)
			events[reader->records - 1] = item.record.event;
	}
	assert_int_equal(reader->fault, BIND_LEDGER_NO_FAULT);
	free(bytes);
	return fold;
}

#endif
