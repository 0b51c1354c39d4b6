/*
 * The event loop: who is called, and who is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>

#include <cmocka.h>

#include "supervisor/loop.h"
#include "supervisor/sys.h"

struct source {
	struct sup_watch watch;
	struct sup_loop *loop;
	struct sup_watch *removes; /* another, when it is called */
	int calls;
	int again; /* times it wants another turn */
};

static void
called(struct sup_watch *watch, uint32_t events)
{
	struct source *s = watch->owner;
	uint64_t count;

	assert_true((events & EPOLLIN) != 0);
	s->calls++;
	if (watch->fd >= 0)
		(void)sup_sys_read(watch->fd, &count, sizeof(count));
	if (s->removes != NULL)
		sup_loop_remove(s->loop, s->removes);
	if (s->again-- > 0)
		sup_loop_again(s->loop, watch);
}

static void
open_source(struct source *s, struct sup_loop *loop)
{
	*s = (struct source){
	    .watch = {.fd = sup_sys_eventfd(),
		.events = EPOLLIN,
		.ready = called},
	    .loop = loop,
	};
	s->watch.owner = s;
	assert_true(s->watch.fd >= 0);
	assert_int_equal(sup_loop_add(loop, &s->watch, NULL), WIRE_OK);
}

static void
ring(struct source *s)
{
	const uint64_t one = 1;

	assert_int_equal(sup_sys_write(s->watch.fd, &one, sizeof(one)), 8);
}

static void
turn(struct sup_loop *loop)
{
	assert_int_equal(sup_loop_step(loop, 0), WIRE_OK);
}

/* A watch whose descriptor is closed is removed once more, when the number
 * belongs to another: that one goes on. */
static void
t_a_number_that_is_used_again(void **state)
{
	struct sup_loop loop;
	struct source first, second;
	int number;

	(void)state;
	assert_int_equal(sup_loop_init(&loop, NULL), WIRE_OK);
	open_source(&first, &loop);
	number = first.watch.fd;
	sup_loop_remove(&loop, &first.watch);
	sup_sys_close(&first.watch.fd);
	open_source(&second, &loop);
	assert_int_equal(second.watch.fd, number);
	first.watch.fd = number; /* as a copy that nobody cleared */
	sup_loop_remove(&loop, &first.watch);
	ring(&second);
	turn(&loop);
	assert_int_equal(second.calls, 1);
	sup_loop_remove(&loop, &second.watch);
	ring(&second);
	turn(&loop);
	assert_int_equal(second.calls, 1);
	sup_sys_close(&second.watch.fd);
	sup_loop_release(&loop);
}

/* Both are ready in one batch; the first to be called removes the other. */
static void
t_removed_within_a_batch(void **state)
{
	struct sup_loop loop;
	struct source a, b;

	(void)state;
	assert_int_equal(sup_loop_init(&loop, NULL), WIRE_OK);
	open_source(&a, &loop);
	open_source(&b, &loop);
	a.removes = &b.watch;
	b.removes = &a.watch;
	ring(&a);
	ring(&b);
	turn(&loop);
	turn(&loop);
	assert_int_equal(a.calls + b.calls, 1);
	sup_sys_close(&a.watch.fd);
	sup_sys_close(&b.watch.fd);
	sup_loop_release(&loop);
}

static void
t_called_again_without_news(void **state)
{
	struct sup_loop loop;
	struct source a, b;

	(void)state;
	assert_int_equal(sup_loop_init(&loop, NULL), WIRE_OK);
	open_source(&a, &loop);
	open_source(&b, &loop);
	a.again = 3;
	ring(&a);
	for (int i = 0; i < 10; i++)
		turn(&loop);
	assert_int_equal(a.calls, 4);
	/* One that is removed has no turn any more. */
	sup_loop_again(&loop, &a.watch);
	sup_loop_again(&loop, &b.watch);
	sup_loop_remove(&loop, &a.watch);
	turn(&loop);
	assert_int_equal(a.calls, 4);
	assert_int_equal(b.calls, 1);
	sup_loop_remove(&loop, &b.watch);
	sup_sys_close(&a.watch.fd);
	sup_sys_close(&b.watch.fd);
	sup_loop_release(&loop);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_a_number_that_is_used_again),
	    cmocka_unit_test(t_removed_within_a_batch),
	    cmocka_unit_test(t_called_again_without_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
