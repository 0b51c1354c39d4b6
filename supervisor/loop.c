#include "supervisor/loop.h"

#include <stddef.h>
#include <sys/epoll.h>

#include "supervisor/sys.h"

static enum wire_err
system_error(struct wire_errinfo *info, const char *site, int result)
{
	if (info != NULL)
		*info = (struct wire_errinfo){site, -result, 0};
	return WIRE_ERR_SYSTEM;
}

static void
call_again(struct sup_watch *waker, uint32_t events)
{
	struct sup_loop *loop = waker->owner;
	struct sup_watch *list = loop->again;
	uint64_t count;

	(void)events;
	(void)sup_sys_read(waker->fd, &count, sizeof(count));
	/* One at a time from the head, since a callback may remove others;
	 * what is added meanwhile stands behind the mark. */
	loop->again = NULL;
	while (list != NULL) {
		struct sup_watch *watch = list;

		list = watch->next_again;
		watch->is_again = false;
		loop->running = list;
		watch->ready(watch, EPOLLIN);
		list = loop->running;
	}
	loop->running = NULL;
}

enum wire_err
sup_loop_init(struct sup_loop *loop, struct wire_errinfo *info)
{
	int fd = sup_sys_epoll();

	if (fd < 0)
		return system_error(info, "epoll_create1", fd);
	*loop = (struct sup_loop){.epoll_fd = fd};
	loop->waker = (struct sup_watch){
	    .fd = sup_sys_eventfd(),
	    .events = EPOLLIN,
	    .ready = call_again,
	    .owner = loop,
	};
	if (loop->waker.fd < 0) {
		sup_sys_close(&loop->epoll_fd);
		return system_error(info, "eventfd", loop->waker.fd);
	}
	return sup_loop_add(loop, &loop->waker, info);
}

void
sup_loop_release(struct sup_loop *loop)
{
	sup_sys_close(&loop->waker.fd);
	sup_sys_close(&loop->epoll_fd);
}

enum wire_err
sup_loop_add(
    struct sup_loop *loop, struct sup_watch *watch, struct wire_errinfo *info)
{
	int r = sup_sys_epoll_ctl(
	    loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, watch->events, watch);

	if (r < 0)
		return system_error(info, "epoll_ctl", r);
	watch->is_added = true;
	return WIRE_OK;
}

enum wire_err
sup_loop_change(struct sup_loop *loop, struct sup_watch *watch, uint32_t events)
{
	int r;

	if (watch->events == events)
		return WIRE_OK;
	r = sup_sys_epoll_ctl(
	    loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, events, watch);
	if (r < 0)
		return WIRE_ERR_SYSTEM;
	watch->events = events;
	return WIRE_OK;
}

static void
unlink_again(struct sup_watch **list, const struct sup_watch *watch)
{
	while (*list != NULL && *list != watch)
		list = &(*list)->next_again;
	if (*list != NULL)
		*list = watch->next_again;
}

void
sup_loop_remove(struct sup_loop *loop, struct sup_watch *watch)
{
	/* Only what is in the set: the number of a descriptor that has been
	 * closed may be another watch's by now. */
	if (watch->is_added)
		(void)sup_sys_epoll_ctl(
		    loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, 0, NULL);
	watch->is_added = false;
	for (int i = 0; i < loop->batch_len; i++)
		if (loop->batch[i] == watch)
			loop->batch[i] = NULL;
	if (watch->is_again) {
		unlink_again(&loop->again, watch);
		unlink_again(&loop->running, watch);
		watch->is_again = false;
	}
}

void
sup_loop_again(struct sup_loop *loop, struct sup_watch *watch)
{
	const uint64_t one = 1;

	if (watch->is_again)
		return;
	watch->is_again = true;
	watch->next_again = loop->again;
	loop->again = watch;
	/* Cannot block: the counter is far from its maximum. */
	(void)sup_sys_write(loop->waker.fd, &one, sizeof(one));
}

enum wire_err
sup_loop_step(struct sup_loop *loop, int timeout_ms)
{
	struct epoll_event events[SUP_LOOP_BATCH];
	int n = sup_sys_epoll_wait(
	    loop->epoll_fd, events, SUP_LOOP_BATCH, timeout_ms);

	if (n < 0)
		return WIRE_ERR_SYSTEM;
	for (int i = 0; i < n; i++)
		loop->batch[i] = events[i].data.ptr;
	loop->batch_len = n;
	for (int i = 0; i < n; i++)
		if (loop->batch[i] != NULL)
			loop->batch[i]->ready(loop->batch[i], events[i].events);
	loop->batch_len = 0;
	return WIRE_OK;
}
