/*
 * What waits to be written, against a naive model: one long string.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/queue.h"
#include "supervisor/sys.h"
#include "supervisor/unlinked.h"

#define MIB (1024UL * 1024)

/* Byte i of everything that is ever put. */
static uint8_t
byte_at(uint64_t i)
{
	return (uint8_t)(i * 2654435761U >> 13);
}

struct ends {
	struct sup_queue queue;
	uint64_t put, taken;
};

static void
put(struct ends *e, size_t len)
{
	uint8_t *bytes;
	struct sup_queue_frame *frame = sup_queue_frame(len + 7, &bytes);

	assert_non_null(frame);
	for (size_t i = 0; i < len; i++)
		bytes[i] = byte_at(e->put + i);
	assert_int_equal(sup_queue_put(&e->queue, frame, len, NULL), WIRE_OK);
	e->put += len;
	assert_int_equal(sup_queue_waiting(&e->queue), e->put - e->taken);
}

/* Takes at most len bytes; false when there were none. */
static bool
take(struct ends *e, size_t len)
{
	const uint8_t *bytes;
	size_t n;

	assert_int_equal(sup_queue_next(&e->queue, &bytes, &n, NULL), WIRE_OK);
	if (n == 0) {
		assert_int_equal(e->taken, e->put);
		return false;
	}
	if (n > len)
		n = len;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(bytes[i], byte_at(e->taken + i));
	sup_queue_took(&e->queue, n);
	e->taken += n;
	assert_int_equal(sup_queue_waiting(&e->queue), e->put - e->taken);
	return true;
}

static void
t_in_memory_up_to_the_mark(void **state)
{
	struct ends e = {.put = 0};

	(void)state;
	sup_queue_init(&e.queue);
	assert_false(take(&e, 1));
	/* The frame that is being written does not count. */
	put(&e, 5 * MIB);
	put(&e, SUP_QUEUE_MEMORY - 1);
	put(&e, 1);
	assert_int_equal(e.queue.fd, -1);
	put(&e, 1);
	assert_true(e.queue.fd >= 0);
	assert_int_equal(e.queue.in_memory, 6 * MIB);
	while (take(&e, SIZE_MAX))
		;
	assert_int_equal(e.queue.fd, -1);
	put(&e, 1);
	assert_int_equal(e.queue.fd, -1);
	sup_queue_release(&e.queue);
}

static void
t_order_over_memory_and_file(void **state)
{
	struct ends e = {.put = 0};
	uint32_t random = 1;

	(void)state;
	sup_queue_init(&e.queue);
	for (int i = 0; i < 3000; i++) {
		random = random * 1103515245 + 12345;
		if ((random >> 16) % 3 != 0)
			put(&e, (random >> 8) % 20000);
		else if (i % 2 == 0)
			(void)take(&e, (random >> 8) % 30000 + 1);
		if (i % 700 == 699)
			while (take(&e, 50000))
				;
		assert_true(e.queue.in_memory <= SUP_QUEUE_MEMORY + 20000);
	}
	while (take(&e, 1000))
		;
	sup_queue_release(&e.queue);
}

static void
t_a_released_queue_is_new(void **state)
{
	struct ends e = {.put = 0};

	(void)state;
	sup_queue_init(&e.queue);
	put(&e, 1000);
	put(&e, 2 * MIB);
	assert_true(e.queue.fd >= 0);
	sup_queue_release(&e.queue);
	assert_int_equal(sup_queue_waiting(&e.queue), 0);
	e.put = e.taken = 0;
	put(&e, 10);
	assert_true(take(&e, 10));
	assert_false(take(&e, 1));
	sup_queue_release(&e.queue);
}

/* Something always waits, and the file holds no more than that. */
static void
t_a_queue_that_is_never_empty(void **state)
{
	struct ends e = {.put = 0};
	struct stat st;

	(void)state;
	sup_queue_init(&e.queue);
	put(&e, MIB);
	put(&e, MIB);
	for (int i = 0; i < 60; i++) {
		put(&e, MIB);
		while (e.put - e.taken > 3 * MIB)
			assert_true(take(&e, 100000));
	}
	assert_true(e.queue.fd >= 0);
	assert_int_equal(sup_sys_fstat(e.queue.fd, &st), 0);
	assert_true(st.st_size > (off_t)(40 * MIB));
	assert_true(
	    st.st_blocks * 512 < (off_t)(4 * MIB + SUP_QUEUE_GIVE_BACK + MIB));
	while (take(&e, SIZE_MAX))
		;
	sup_queue_release(&e.queue);
}

/* What the file may not hold is an error, and no signal. */
static void
t_no_room_for_the_file(void **state)
{
	struct rlimit before, small = {MIB, MIB};
	struct wire_errinfo info = {"", 0, 0};
	struct sup_queue_frame *frame;
	struct ends e = {.put = 0};
	uint8_t *bytes;

	(void)state;
	sup_queue_init(&e.queue);
	put(&e, 10);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	frame = sup_queue_frame(SUP_QUEUE_MEMORY + 1, &bytes);
	assert_non_null(frame);
	memset(bytes, 0, SUP_QUEUE_MEMORY + 1);
	assert_int_equal(
	    sup_queue_put(&e.queue, frame, SUP_QUEUE_MEMORY + 1, &info),
	    WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	sup_queue_release(&e.queue);
}

static void
t_a_frame_may_be_given_up(void **state)
{
	uint8_t *bytes;

	(void)state;
	sup_queue_discard(sup_queue_frame(100, &bytes));
	assert_null(sup_queue_frame(SIZE_MAX, &bytes));
}

/* The file has no name and cannot be given one. */
static void
t_unlinked(void **state)
{
	int fd = sup_unlinked_open();
	char text[6] = "";
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(sup_sys_fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(sup_unlinked_write(fd, "hello", 5, 3), 0);
	assert_int_equal(sup_unlinked_read(fd, text, 5, 3), 0);
	assert_string_equal(text, "hello");
	assert_int_equal(sup_unlinked_read(fd, text, 5, 4), -EIO);
	sup_sys_close(&fd);
	assert_int_equal(sup_unlinked_write(-1, "x", 1, 0), -EBADF);
	assert_int_equal(sup_unlinked_read(-1, text, 1, 0), -EBADF);
}

/* Where the filesystem gives no file without a name: one that was not there,
 * and whose name is gone at once. */
static void
t_unlinked_with_a_name(void **state)
{
	char dir[] = "/tmp/weir-test-XXXXXX", path[64], other[64];
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/a", dir);
	(void)snprintf(other, sizeof(other), "%s/b", dir);
	fd = sup_unlinked_named(path);
	assert_true(fd >= 0);
	assert_int_equal(sup_sys_fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	sup_sys_close(&fd);
	assert_int_equal(sup_sys_lstat(path, &st), -ENOENT);
	/* Somebody's file, and somebody's link to where nothing is yet. */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	sup_sys_close(&fd);
	assert_int_equal(sup_unlinked_named(path), -EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(sup_unlinked_named(path), -EEXIST);
	assert_int_equal(sup_sys_lstat(other, &st), -ENOENT);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_in_memory_up_to_the_mark),
	    cmocka_unit_test(t_order_over_memory_and_file),
	    cmocka_unit_test(t_a_released_queue_is_new),
	    cmocka_unit_test(t_a_queue_that_is_never_empty),
	    cmocka_unit_test(t_no_room_for_the_file),
	    cmocka_unit_test(t_a_frame_may_be_given_up),
	    cmocka_unit_test(t_unlinked),
	    cmocka_unit_test(t_unlinked_with_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
