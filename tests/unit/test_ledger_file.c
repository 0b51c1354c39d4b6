/*
 * One writer of a ledger: what it leaves in the file, what it does about a
 * tail that somebody else left, and every way in which it cannot write.
 */
#include "bindings/ledger_file.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_rig.h"

/* In the place of libc's. */
static int syncs, sync_error;

int fdatasync(int fd);

int
fdatasync(int fd)
{
	(void)fd;
	syncs++;
	errno = sync_error;
	return sync_error == 0 ? 0 : -1;
}

/* A clock that only sleeping moves. */
static uint64_t slept;

int
nanosleep(const struct timespec *time, struct timespec *ret_left)
{
	(void)ret_left;
	slept += (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
	return 0;
}

int
clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret_time);
	ret_time->tv_sec = (time_t)(slept / 1000000000);
	ret_time->tv_nsec = (long)(slept % 1000000000);
	return 0;
}

static void
check_same(const struct bind_ledger *ledger)
{
	struct bind_ledger_reader reader;
	struct bind_ledger_fold fold = rig_read(&reader, NULL, 0);

	assert_memory_equal(&fold, bind_ledger_fold(ledger), sizeof(fold));
	assert_int_equal(reader.offset, rig_size());
	assert_int_equal(reader.offset, bind_ledger_place(ledger)->offset);
	assert_int_equal(reader.records, bind_ledger_place(ledger)->records);
	assert_memory_equal(
	    reader.hash, bind_ledger_place(ledger)->hash, sizeof(reader.hash));
}

static void
t_every_event_in_a_new_file(void **state)
{
	struct bind_ledger_reader reader;
	enum bind_ledger_event events[BIND_LEDGER_EVENT_COUNT];
	struct bind_ledger *ledger = rig_ledger();

	(void)state;
	assert_int_equal(rig_size(), 0);
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++)
		rig_append(ledger, (enum bind_ledger_event)event, event);
	check_same(ledger);
	bind_ledger_free(ledger);
	(void)rig_read(&reader, events, BIND_LEDGER_EVENT_COUNT);
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++)
		assert_int_equal(events[event - 1], event);
	/* And opened again. */
	ledger = rig_ledger();
	check_same(ledger);
	rig_append(ledger, BIND_LEDGER_CLOSED, 1);
	check_same(ledger);
	bind_ledger_free(ledger);
}

#define TORN_RECORDS 9

/* Cut at each byte: the next writer names what it took away. */
static void
t_every_torn_tail_is_repaired(void **state)
{
	static uint8_t bytes[16384];
	size_t ends[TORN_RECORDS], len;

	(void)state;
	len = help_ledger(bytes, TORN_RECORDS, ends);
	for (size_t cut = 0; cut <= len; cut++) {
		enum bind_ledger_event events[TORN_RECORDS + 2];
		struct bind_ledger_reader reader;
		struct bind_ledger *ledger;
		struct bind_ledger_fold fold;
		size_t whole = 0, end, torn;

		while (whole < TORN_RECORDS && ends[whole] <= cut)
			whole++;
		end = whole > 0			   ? ends[whole - 1]
		    : cut >= BIND_LEDGER_MAGIC_LEN ? BIND_LEDGER_MAGIC_LEN
						   : 0;
		torn = cut - end;
		rig_write(bytes, cut);
		ledger = rig_ledger();
		assert_int_equal(rig_size(), end);
		rig_append(ledger, BIND_LEDGER_CLOSED, 1);
		check_same(ledger);
		bind_ledger_free(ledger);
		fold = rig_read(&reader, events, TORN_RECORDS + 2);
		assert_int_equal(
		    reader.records, whole + (torn > 0 ? 1 : 0) + 1);
		assert_int_equal(
		    events[reader.records - 1], BIND_LEDGER_CLOSED);
		if (torn > 0)
			assert_int_equal(events[whole], BIND_LEDGER_REPAIRED);
		assert_int_equal(
		    fold.repaired, (torn > 0) + (whole >= 8 ? 1 : 0));
	}
}

static void
t_repaired_names_offset_and_length(void **state)
{
	static uint8_t bytes[16384], after[16384];
	size_t ends[2], cut;
	struct bind_ledger_record record;
	struct bind_ledger *ledger;
	int fd;

	(void)state;
	(void)help_ledger(bytes, 2, ends);
	cut = ends[0] + 7;
	rig_write(bytes, cut);
	ledger = rig_ledger();
	rig_append(ledger, BIND_LEDGER_CLOSED, 1);
	bind_ledger_free(ledger);
	fd = rig_open();
	assert_true(pread(fd, after, sizeof(after), 0) > 0);
	close(fd);
	assert_memory_equal(after, bytes, ends[0]);
	assert_int_equal(bind_ledger_decode((struct wire_span){after + ends[0] +
						    BIND_LEDGER_HEAD,
						after[ends[0]]},
			     &record, NULL),
	    WIRE_OK);
	assert_int_equal(record.event, BIND_LEDGER_REPAIRED);
	assert_int_equal(record.value[BIND_LEDGER_F_OFFSET].number, ends[0]);
	assert_int_equal(record.value[BIND_LEDGER_F_LENGTH].number, 7);
}

/* Every changed byte of a file: it is not written to. */
static void
t_an_altered_file_is_left_alone(void **state)
{
	static uint8_t bytes[16384];
	size_t ends[3], len;

	(void)state;
	len = help_ledger(bytes, 3, ends);
	for (size_t at = 0; at < len; at++) {
		struct bind_ledger_config config;
		struct bind_ledger *ledger = NULL;
		struct wire_errinfo info = {"", 0, 0};

		bytes[at] ^= 0x10;
		rig_write(bytes, len);
		bytes[at] ^= 0x10;
		config = rig_config();
		assert_int_equal(
		    bind_ledger_new(&config, &ledger, &info), WIRE_ERR_DAMAGED);
		assert_int_equal(info.offset,
		    at < BIND_LEDGER_MAGIC_LEN ? 0
			: at < ends[0]	       ? BIND_LEDGER_MAGIC_LEN
			: at < ends[1]	       ? ends[0]
					       : ends[1]);
		assert_int_equal(rig_size(), len);
	}
}

/* While it is open: cut, or grown by something that is no record. */
static void
t_a_file_that_changes_under_us(void **state)
{
	struct bind_ledger *ledger;
	struct wire_errinfo info = {"", 0, 0};
	enum bind_meter spent;
	size_t size;

	(void)state;
	for (int grow = 0; grow < 2; grow++) {
		int fd = rig_open();

		assert_int_equal(ftruncate(fd, 0), 0);
		ledger = rig_ledger();
		rig_append(ledger, BIND_LEDGER_OPENED, 1);
		size = rig_size();
		if (grow)
			assert_int_equal(write(fd, "12345678", 8), 8);
		else
			assert_int_equal(ftruncate(fd, (off_t)size - 1), 0);
		size = rig_size();
		for (int again = 0; again < 2; again++) {
			assert_int_equal(rig_try(ledger, BIND_LEDGER_STARTED, 1,
					     NULL, &spent, &info),
			    WIRE_ERR_DAMAGED);
			assert_int_equal(rig_size(), size);
		}
		bind_ledger_free(ledger);
		close(fd);
	}
}

static void
t_two_in_turns(void **state)
{
	struct bind_ledger *a = rig_ledger(), *b = rig_ledger();

	(void)state;
	for (uint64_t call = 0; call < 100; call++) {
		rig_append(a, BIND_LEDGER_STARTED, 2 * call);
		rig_append(b, BIND_LEDGER_STARTED, 2 * call + 1);
		rig_append(b, BIND_LEDGER_COMPLETED, 2 * call + 1);
		check_same(b);
		rig_append(a, BIND_LEDGER_FAILED, 2 * call);
		check_same(a);
	}
	bind_ledger_free(a);
	bind_ledger_free(b);
}

/* The Run's budget at its limit and one past it, whoever spent it. */
static void
t_bounds(void **state)
{
	const struct bind_ledger_bounds calls = {3, UINT64_MAX};
	const struct bind_ledger_bounds bytes = {UINT64_MAX, 420};
	struct bind_ledger *a = rig_ledger(), *b = rig_ledger();
	enum bind_meter spent;
	size_t size;

	(void)state;
	rig_append(a, BIND_LEDGER_STARTED, 0);
	rig_append(b, BIND_LEDGER_REFUSED, 1);
	assert_int_equal(
	    rig_try(a, BIND_LEDGER_STARTED, 2, &calls, &spent, NULL), WIRE_OK);
	assert_int_equal(spent, BIND_METER_NONE);
	size = rig_size();
	assert_int_equal(
	    rig_try(b, BIND_LEDGER_STARTED, 3, &calls, &spent, NULL), WIRE_OK);
	assert_int_equal(spent, BIND_METER_CALLS);
	assert_int_equal(rig_size(), size);
	/* 300 bytes are spent, 20 come with an end, 100 with a start. */
	rig_append(a, BIND_LEDGER_COMPLETED, 0);
	assert_int_equal(
	    rig_try(b, BIND_LEDGER_STARTED, 4, &bytes, &spent, NULL), WIRE_OK);
	assert_int_equal(spent, BIND_METER_NONE);
	assert_int_equal(
	    rig_try(a, BIND_LEDGER_STARTED, 5, &bytes, &spent, NULL), WIRE_OK);
	assert_int_equal(spent, BIND_METER_BYTES);
	check_same(a);
	bind_ledger_free(a);
	bind_ledger_free(b);
}

/* Somebody has the lock and keeps it. */
static void
t_a_lock_that_is_kept(void **state)
{
	struct bind_ledger_config config = rig_config();
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	enum bind_meter spent;
	int fd = rig_open();

	(void)state;
	config.wait_ns = 1000000;
	assert_int_equal(bind_ledger_new(&config, &ledger, &info), WIRE_OK);
	rig_append(ledger, BIND_LEDGER_OPENED, 1);
	for (int shared = 0; shared < 2; shared++) {
		size_t size = rig_size();

		whole.l_type = shared ? F_RDLCK : F_WRLCK;
		assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
		assert_int_equal(rig_try(ledger, BIND_LEDGER_STARTED, 1, NULL,
				     &spent, &info),
		    WIRE_ERR_SYSTEM);
		assert_int_equal(info.sys, EAGAIN);
		assert_int_equal(rig_size(), size);
		whole.l_type = F_UNLCK;
		assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
		rig_append(ledger, BIND_LEDGER_STARTED, 1);
	}
	/* Another descriptor of this process, closed: ours has its lock still,
	 * as it would not with the older kind of lock. */
	close(fd);
	check_same(ledger);
	bind_ledger_free(ledger);
}

/* Whoever keeps it is waited for once: not for the whole time at each call. */
static void
t_a_lock_that_stays_kept(void **state)
{
	struct bind_ledger_config config = rig_config();
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	enum bind_meter spent;
	int fd = rig_open();

	(void)state;
	config.wait_ns = 64000000;
	assert_int_equal(bind_ledger_new(&config, &ledger, &info), WIRE_OK);
	for (int round = 0; round < 2; round++) {
		whole.l_type = F_WRLCK;
		assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
		for (int i = 0; i < 9; i++) {
			slept = 0;
			assert_int_equal(rig_try(ledger, BIND_LEDGER_STARTED, 1,
					     NULL, &spent, &info),
			    WIRE_ERR_SYSTEM);
			assert_int_equal(info.sys, EAGAIN);
			if (i == 0)
				assert_in_range(slept, 64000000, 66000000);
			else
				assert_in_range(slept, 1000000, 2000000);
		}
		/* Once it could be had, it is worth the wait again. */
		whole.l_type = F_UNLCK;
		assert_int_equal(fcntl(fd, F_OFD_SETLK, &whole), 0);
		rig_append(ledger, BIND_LEDGER_STARTED, 1);
	}
	close(fd);
	bind_ledger_free(ledger);
}

/* A child that inherited the descriptor, and lives on. */
static void
t_a_child_with_the_descriptor(void **state)
{
	struct bind_ledger *ledger = rig_ledger();
	int fds[2], status;
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	rig_append(ledger, BIND_LEDGER_OPENED, 1);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[1]);
		_exit(read(fds[0], &byte, 1) == 0 ? 0 : 1);
	}
	rig_append(ledger, BIND_LEDGER_STARTED, 1);
	bind_ledger_free(ledger);
	ledger = rig_ledger();
	rig_append(ledger, BIND_LEDGER_COMPLETED, 1);
	check_same(ledger);
	bind_ledger_free(ledger);
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
}

/* A limit on the size of files, a byte more each time: refused without a
 * signal, and the file is as it was; or taken whole. */
static void
t_a_limit_on_files(void **state)
{
	struct bind_ledger *ledger = rig_ledger();
	struct rlimit old, limit;
	enum bind_meter spent;
	size_t size, taken = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	rig_append(ledger, BIND_LEDGER_OPENED, 1);
	size = rig_size();
	for (size_t room = 0; taken == 0; room++) {
		struct wire_errinfo info = {"", 0, 0};
		enum wire_err err;

		limit = (struct rlimit){size + room, old.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		err = rig_try(
		    ledger, BIND_LEDGER_STARTED, 1, NULL, &spent, &info);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		if (err == WIRE_OK) {
			taken = rig_size() - size;
			assert_int_equal(taken, room);
		} else {
			assert_int_equal(err, WIRE_ERR_SYSTEM);
			assert_int_equal(info.sys, EFBIG);
			assert_int_equal(rig_size(), size);
		}
		check_same(ledger);
	}
	bind_ledger_free(ledger);
}

static bool
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good =
	    fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* A mount namespace in which this process may mount. */
static bool
enter_namespace(void)
{
	char users[64], groups[64];

	(void)snprintf(users, sizeof(users), "0 %u 1", (unsigned)geteuid());
	(void)snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getegid());
	if (geteuid() == 0)
		return unshare(CLONE_NEWNS) == 0;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	    put("/proc/self/uid_map", users) &&
	    put("/proc/self/setgroups", "deny") &&
	    put("/proc/self/gid_map", groups);
}

/* In a child with a mount namespace of its own: 0 when all is well. */
static int
fill_a_small_disk(void)
{
	struct bind_ledger *ledger;
	struct wire_errinfo info = {"", 0, 0};
	enum bind_meter spent;
	enum wire_err err;
	uint64_t call = 0;

	if (!enter_namespace() ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", rig_dir, "tmpfs", 0, "size=16k") != 0)
		return 77;
	ledger = rig_ledger();
	do {
		err = rig_try(
		    ledger, BIND_LEDGER_STARTED, ++call, NULL, &spent, &info);
	} while (err == WIRE_OK);
	if (err != WIRE_ERR_SYSTEM || info.sys != ENOSPC)
		return 2;
	/* Not an unfinished one is left, and when there is room it goes on. */
	if (rig_size() != bind_ledger_place(ledger)->offset)
		return 3;
	if (mount("tmpfs", rig_dir, "tmpfs", MS_REMOUNT, "size=64k") != 0)
		return 4;
	if (rig_try(ledger, BIND_LEDGER_STARTED, call, NULL, &spent, &info) !=
	    WIRE_OK)
		return 5;
	check_same(ledger);
	bind_ledger_free(ledger);
	return 0;
}

static void
t_a_full_disk(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fill_a_small_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* One sync is for all that was appended before; the beginning and the end of
 * an execution do not wait for it. */
static void
t_disk(void **state)
{
	struct bind_ledger_config config = rig_config();
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};
	enum bind_meter spent;

	(void)state;
	config.disk = true;
	assert_int_equal(bind_ledger_new(&config, &ledger, &info), WIRE_OK);
	syncs = 0;
	rig_append(ledger, BIND_LEDGER_OPENED, 1);
	assert_int_equal(syncs, 1);
	assert_false(bind_ledger_is_due(ledger));
	rig_append(ledger, BIND_LEDGER_STARTED, 1);
	assert_true(bind_ledger_is_due(ledger));
	rig_append(ledger, BIND_LEDGER_STARTED, 2);
	rig_append(ledger, BIND_LEDGER_COMPLETED, 1);
	rig_append(ledger, BIND_LEDGER_FAILED, 2);
	rig_append(ledger, BIND_LEDGER_REFUSED, 3);
	assert_int_equal(syncs, 1);
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_OK);
	assert_false(bind_ledger_is_due(ledger));
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_OK);
	assert_int_equal(syncs, 2);
	rig_append(ledger, BIND_LEDGER_CLOSED, 1);
	assert_int_equal(syncs, 3);
	/* A disk that failed once is not asked again. */
	rig_append(ledger, BIND_LEDGER_STARTED, 4);
	sync_error = EIO;
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, EIO);
	sync_error = 0;
	assert_false(bind_ledger_is_due(ledger));
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, EIO);
	assert_int_equal(syncs, 4);
	assert_int_equal(
	    rig_try(ledger, BIND_LEDGER_STARTED, 5, NULL, &spent, &info),
	    WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, EIO);
	bind_ledger_free(ledger);
	ledger = rig_ledger();
	syncs = 0;
	rig_append(ledger, BIND_LEDGER_CLOSED, 6);
	assert_false(bind_ledger_is_due(ledger));
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_OK);
	assert_int_equal(syncs, 0);
	bind_ledger_free(ledger);
}

/* More than a torn tail may be of is never on its way. */
static void
t_a_group_has_an_end(void **state)
{
	struct bind_ledger_config config = rig_config();
	struct bind_ledger *ledger = NULL;
	struct wire_errinfo info = {"", 0, 0};
	uint64_t begun;
	size_t calls = 0;

	(void)state;
	config.disk = true;
	assert_int_equal(bind_ledger_new(&config, &ledger, &info), WIRE_OK);
	rig_append(ledger, BIND_LEDGER_OPENED, 1);
	for (int group = 0; group < 3; group++) {
		begun = bind_ledger_place(ledger)->offset;
		syncs = 0;
		sync_error = group == 2 ? EIO : 0;
		while (syncs == 0)
			rig_append(ledger, BIND_LEDGER_STARTED, ++calls);
		assert_in_range(bind_ledger_place(ledger)->offset - begun,
		    BIND_LEDGER_FRAME_MAX / 4, BIND_LEDGER_FRAME_MAX / 4 * 3);
		/* Who waits for it is told all the same. */
		assert_true(bind_ledger_is_due(ledger));
	}
	sync_error = 0;
	assert_true(bind_ledger_is_broken(ledger));
	assert_int_equal(bind_ledger_sync(ledger, &info), WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, EIO);
	assert_false(bind_ledger_is_due(ledger));
	bind_ledger_free(ledger);
}

static void
t_hashes_are_keyed(void **state)
{
	uint8_t a[BIND_SHA256_LEN], b[BIND_SHA256_LEN];
	struct bind_ledger *ledger = rig_ledger();
	uint8_t key[BIND_LEDGER_KEY] = "key";
	struct bind_hmac hmac;

	(void)state;
	bind_hmac_init(&hmac, HELP_BYTES(key));
	bind_hmac(&hmac, WIRE_LIT("{}"), a);
	bind_ledger_hash(ledger, WIRE_LIT("{}"), b);
	assert_memory_equal(a, b, sizeof(a));
	bind_ledger_free(ledger);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_every_event_in_a_new_file),
	    TEST(t_every_torn_tail_is_repaired),
	    TEST(t_repaired_names_offset_and_length),
	    TEST(t_an_altered_file_is_left_alone),
	    TEST(t_a_file_that_changes_under_us),
	    TEST(t_two_in_turns),
	    TEST(t_bounds),
	    TEST(t_a_lock_that_is_kept),
	    TEST(t_a_lock_that_stays_kept),
	    TEST(t_a_child_with_the_descriptor),
	    TEST(t_a_limit_on_files),
	    TEST(t_a_full_disk),
	    TEST(t_disk),
	    TEST(t_a_group_has_an_end),
	    TEST(t_hashes_are_keyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
