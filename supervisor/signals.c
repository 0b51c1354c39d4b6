#include "supervisor/signals.h"

#include <signal.h>

#include "supervisor/sys.h"

static void
ends(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGHUP);
}

int
sup_signals_take(void)
{
	sigset_t set;

	ends(&set);
	(void)signal(SIGPIPE, SIG_IGN);
	/* A limit of our own on files is an error like any other (write(2)).
	 * What we start has its signals back at their defaults. */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	return sup_sys_signalfd(&set);
}

void
sup_signals_release(int *fd)
{
	sigset_t set;

	ends(&set);
	sup_sys_close(fd);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}
