#include "supervisor/cmd_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/exitcodes.h"
#include "supervisor/sys.h"
#include "supervisor/usage.h"

static void
complain(const struct sup_cmd_trace *trace, const char *what, const char *next)
{
	char quoted[SUP_USAGE_QUOTED];

	fprintf(stderr, "weir: --trace %s: %s%s\n",
	    sup_usage_quote(trace->path, quoted), what, next);
}

int
sup_cmd_trace_open(struct sup_cmd_trace *trace, const char *path)
{
	trace->path = path;
	if (path == NULL)
		return 0;
	/* A new one, so that nothing is lost and no link is followed. */
	trace->fd = sup_sys_create(path, O_WRONLY | O_CREAT | O_EXCL);
	if (trace->fd >= 0)
		return 0;
	complain(trace, strerror(-trace->fd),
	    trace->fd == -EEXIST ? "; name one that is not there yet" : "");
	return SUP_EXIT_USAGE;
}

bool
sup_cmd_trace_write(
    struct sup_cmd_trace *trace, const struct weir_execution *execution)
{
	const char *text;
	size_t len;

	if (trace->fd < 0)
		return true;
	text = weir_text(execution, WEIR_TEXT_TRACE, &len);
	/* No program ran, and the result says why. */
	if (text == NULL)
		return true;
	while (len > 0) {
		ssize_t n = sup_sys_write(trace->fd, text, len);

		if (n < 0) {
			complain(trace, strerror((int)-n),
			    "; the trace is incomplete");
			return false;
		}
		text += n;
		len -= (size_t)n;
		trace->is_written = true;
	}
	return true;
}

void
sup_cmd_trace_close(struct sup_cmd_trace *trace)
{
	if (trace->fd < 0)
		return;
	sup_sys_close(&trace->fd);
	if (!trace->is_written)
		(void)sup_sys_unlink(trace->path);
}
