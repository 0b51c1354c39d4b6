#include "supervisor/bind_adapter.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "supervisor/sys.h"

/* bind_watch.entry points to the sup_watch that stands for it. */

static uint32_t
to_epoll(unsigned events)
{
	return ((events & BIND_EVENT_READ) != 0 ? EPOLLIN : 0u) |
	    ((events & BIND_EVENT_WRITE) != 0 ? EPOLLOUT : 0u);
}

static void
ready(struct sup_watch *watch, uint32_t events)
{
	struct bind_watch *bind = watch->owner;
	unsigned mapped = 0;

	/* Errors and hang-up count as everything that is watched for. */
	if ((events & (EPOLLERR | EPOLLHUP)) != 0)
		events |= watch->events;
	if ((events & EPOLLIN) != 0)
		mapped |= BIND_EVENT_READ;
	if ((events & EPOLLOUT) != 0)
		mapped |= BIND_EVENT_WRITE;
	bind->ready(bind->arg, mapped);
}

static enum wire_err
watch_fd(void *arg, struct bind_watch *bind, unsigned events)
{
	struct sup_watch *watch = calloc(1, sizeof(*watch));
	enum wire_err err;

	if (watch == NULL)
		return WIRE_ERR_NO_MEMORY;
	watch->fd = bind->fd;
	watch->events = to_epoll(events);
	watch->ready = ready;
	watch->owner = bind;
	err = sup_loop_add(arg, watch, NULL);
	if (err != WIRE_OK) {
		free(watch);
		return err;
	}
	bind->entry = watch;
	return WIRE_OK;
}

static void
modify(void *arg, struct bind_watch *bind, unsigned events)
{
	/* Cannot fail for a descriptor that is in the set. */
	(void)!sup_loop_change(arg, bind->entry, to_epoll(events));
}

static void
unwatch(void *arg, struct bind_watch *bind)
{
	sup_loop_remove(arg, bind->entry);
	free(bind->entry);
	bind->entry = NULL;
}

static uint64_t
now_ns(void *arg)
{
	(void)arg;
	return sup_sys_now();
}

void
sup_bind_adapter(struct sup_loop *loop, struct bind_loop *ret_bind)
{
	*ret_bind = (struct bind_loop){
	    .arg = loop,
	    .watch = watch_fd,
	    .modify = modify,
	    .unwatch = unwatch,
	    .now_ns = now_ns,
	};
}
