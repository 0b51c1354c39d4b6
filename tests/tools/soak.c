/*
 * soak: many executions in one supervisor process, through the library.
 *
 * Usage: soak LIBEXEC PYTHON COUNT AT_ONCE
 *
 * Lets one that ends free others, in its callback. Then runs COUNT programs of
 * every kind of end, AT_ONCE at a time, and looks at what is left in this
 * process: children, descriptors, memory. Prints one line "executions N kinds K
 * descriptors +D children C memory +KIB", where memory is what it grew by after
 * the first tenth; exits with 1 when a result was not the one that its program
 * must have.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/weir.h"

#define AT_ONCE_MAX 64

static const struct {
	const char *program;
	const char *kind; /* NULL: ends well */
} programs[] = {
    {"print('x' * 5000)\nreturn echo(n=1)", NULL},
    {"1/0", "exception"},
    {"import os\nos._exit(3)", "worker_exit"},
    {"import os\nos.kill(os.getpid(), 9)", "worker_exit"},
    {"while True: pass", "timeout"},
    {"import os\nos.write(3, b'nonsense\\n')\nwhile True: pass",
	"protocol_violation"},
    {"return float('nan')", "invalid_value"},
    {"import threading\nfor i in range(5):\n"
     "  threading.Thread(target=lambda: echo(n=2)).start()",
	NULL},
    {"return slow()", "cancelled"},
};

#define KINDS (sizeof(programs) / sizeof(programs[0]))

struct run {
	struct weir_execution *execution;
	size_t which;
	bool finished;
};

static struct weir *weir;
static struct run runs[AT_ONCE_MAX];
static unsigned wrong;

static void
on_finished(void *arg, struct weir_execution *execution)
{
	struct run *run = arg;
	const char *kind = weir_text(execution, WEIR_TEXT_KIND, NULL);
	const char *want = programs[run->which].kind;

	run->finished = true;
	if ((kind == NULL) == (want == NULL) &&
	    (kind == NULL || strcmp(kind, want) == 0))
		return;
	fprintf(stderr, "soak: %s\nended as %s: %s\n",
	    programs[run->which].program, kind != NULL ? kind : "no error",
	    weir_text(execution, WEIR_TEXT_RESULT, NULL));
	wrong++;
}

static bool
start(struct run *run, size_t number)
{
	static const struct weir_limit limits[] = {
	    {"wall", 20000000000}, {"grace", 0}};
	static const struct weir_limit short_limits[] = {
	    {"wall", 60000000}, {"grace", 0}};
	size_t which = number % KINDS;
	bool is_short = programs[which].kind != NULL &&
	    strcmp(programs[which].kind, "timeout") == 0;
	const struct weir_request request = {
	    .program = programs[which].program,
	    .program_len = strlen(programs[which].program),
	    .limits = is_short ? short_limits : limits,
	    .limit_count = 2,
	};
	const struct weir_events events = {.arg = run, .finished = on_finished};
	char error[WEIR_ERROR_MAX];

	run->which = which;
	run->finished = false;
	run->execution = weir_start(weir, &request, &events, error);
	if (run->execution == NULL) {
		fprintf(stderr, "soak: %s\n", error);
		return false;
	}
	return true;
}

static long
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long count = 0;

	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		closedir(dir);
	return count;
}

static long
resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	if (file != NULL) {
		if (fscanf(file, "%ld %ld", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool
soak(size_t count, size_t at_once, long *ret_early_kib)
{
	size_t begun = 0, ended = 0;

	while (ended < count) {
		for (size_t i = 0; i < at_once; i++) {
			struct run *run = &runs[i];

			if (run->execution != NULL && run->finished) {
				weir_execution_free(run->execution);
				run->execution = NULL;
				if (++ended == count / 10)
					*ret_early_kib = resident_kib();
			}
			if (run->execution == NULL && begun < count &&
			    !start(run, begun++))
				return false;
			/* That one never ends by itself. */
			if (run->execution != NULL && !run->finished &&
			    run->which == KINDS - 1)
				weir_cancel(run->execution);
		}
		if (ended < count && !weir_dispatch(weir, 1000))
			return false;
	}
	return true;
}

/* --- the first answer wins ------------------------------------------------ */

static struct weir_execution *racers[6];
static bool is_won;

static void
on_first(void *arg, struct weir_execution *execution)
{
	(void)arg;
	is_won = true;
	for (size_t i = 0; i < sizeof(racers) / sizeof(racers[0]); i++)
		if (racers[i] != execution) {
			weir_execution_free(racers[i]);
			racers[i] = NULL;
		}
}

/* One that ends frees the others, which were started before it. */
static bool
race(void)
{
	const size_t count = sizeof(racers) / sizeof(racers[0]);
	const struct weir_events events = {.finished = on_first};
	char error[WEIR_ERROR_MAX];

	for (size_t i = 0; i < count; i++) {
		const char *program =
		    i + 1 < count ? "import time\ntime.sleep(60)" : "return 1";
		const struct weir_request request = {
		    .program = program, .program_len = strlen(program)};

		racers[i] = weir_start(weir, &request, &events, error);
		if (racers[i] == NULL) {
			fprintf(stderr, "soak: %s\n", error);
			return false;
		}
	}
	while (!is_won)
		if (!weir_dispatch(weir, 1000))
			return false;
	weir_execution_free(racers[count - 1]);
	return weir_dispatch(weir, 0);
}

/* Whether one has ended that nobody reaped, or there are more that still run
 * than a busy machine explains: a guardian that is late is left its work. */
static int
late_children(void)
{
	unsigned reaped = 0;

	for (unsigned i = 0; i < 1000; i++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);

		if (pid < 0)
			return reaped > 2 ? 1 : 0;
		if (pid > 0 && i == 0)
			return 1;
		if (pid > 0)
			reaped++;
		else
			(void)usleep(10000);
	}
	return 1;
}

int
main(int argc, char **argv)
{
	struct weir_config config = {.layers = ~0u};
	char error[WEIR_ERROR_MAX];
	enum weir_fault fault;
	long fds, early = 0;
	size_t count, at_once;
	int children;

	if (argc != 5) {
		fprintf(stderr, "usage: soak LIBEXEC PYTHON COUNT AT_ONCE\n");
		return 2;
	}
	config.libexec = argv[1];
	config.python = argv[2];
	count = strtoul(argv[3], NULL, 10);
	at_once = strtoul(argv[4], NULL, 10);
	if (count == 0 || at_once == 0 || at_once > AT_ONCE_MAX)
		return 2;
	fds = count_fds();
	weir = weir_new(&config, &fault, error);
	if (weir == NULL ||
	    !weir_tool_command(weir, "echo", "/bin/cat", error) ||
	    !weir_tool_command(weir, "slow", "/bin/sleep 60", error)) {
		fprintf(stderr, "soak: %s\n", error);
		return 1;
	}
	if (!race() || !soak(count, at_once, &early))
		return 1;
	early = resident_kib() - early;
	weir_free(weir);
	children = late_children();
	printf("executions %zu kinds %zu descriptors %+ld children %d "
	       "memory %+ld\n",
	    count, KINDS, count_fds() - fds, children, early);
	return wrong == 0 ? 0 : 1;
}
