/*
 * A host that lies: runs a command, follows everything that comes of it, and
 * meddles with chosen system calls behind its back (ptrace(2)).
 *
 *   meddle RULE... -- COMMAND [ARGUMENT...]
 *
 *   RULE is one argument: "ACTION CALL [CONDITION]..."
 *
 *   ACTION  skip          the call is not made and answers 0
 *           skip=N        likewise, and answers its argument N (0 to 5)
 *           fail=N        likewise, and fails with errno N
 *           clear=N,BITS  the bits are taken out of argument N
 *           put=TEXT      the variable TEXT joins the environment (argument
 *                         2 of an execve), in the place of its last one
 *           run=PROGRAM   PROGRAM PID is run first, while all wait; it is
 *                         not followed
 *           hold          the caller waits before the call until there is a
 *           release       call that lets all go that wait
 *           pass          nothing happens
 *
 *   CONDITION  N==VALUE  N!=VALUE  N&MASK (any of the bits)
 *              N~TEXT    argument N points to bytes that begin with TEXT
 *              in=NAME   the caller's executable is called NAME
 *              after=N   the Nth rule, from 0, has been applied
 *              once      this rule has not been applied yet
 *
 * The first rule that fits a call is applied. The names of calls are
 * libseccomp's. Exits as the command does (128 + N for a signal); with 2 when
 * a rule is wrong, 99 when one was never applied, so that no test passes
 * because nothing happened, and 98 when following fails or PROGRAM does.
 */
#include <elf.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define RULES	   16
#define CONDITIONS 6
#define TRACEES	   256
#define TEXT_MAX   256
#define VARIABLES  64

enum action { SKIP, FAIL, CLEAR, PUT, RUN, HOLD, RELEASE, PASS };
enum test { EQUAL, DIFFERENT, BITS, TEXT, CALLER, AFTER, ONCE };

struct condition {
	enum test test;
	unsigned arg;
	uint64_t value;
	const char *text;
};

struct rule {
	const char *whole;
	enum action action;
	int arg;       /* SKIP: whose value is answered, or -1 */
	uint64_t bits; /* CLEAR; FAIL: errno */
	const char *text;
	long call;
	struct condition conditions[CONDITIONS];
	size_t condition_count;
	bool applied;
};

/* One thread that is followed; answer: what a skipped call will say. */
struct tracee {
	pid_t pid;
	bool skipped, held;
	uint64_t answer;
};

static struct rule rules[RULES];
static size_t rule_count;
static struct tracee tracees[TRACEES];

__attribute__((noreturn)) static void
fail(int code, const char *what, const char *why)
{
	(void)fprintf(stderr, "meddle: %s: %s\n", what, why);
	exit(code);
}

/* --- registers, by architecture ----------------------------------------- */

#if defined(__x86_64__)
static unsigned long long *
register_of(struct user_regs_struct *regs, unsigned arg)
{
	unsigned long long *const args[] = {&regs->rdi, &regs->rsi, &regs->rdx,
	    &regs->r10, &regs->r8, &regs->r9};

	return args[arg];
}

#define STACK(regs)  ((regs)->rsp)
#define RESULT(regs) ((regs)->rax)

static void
call_nothing(pid_t pid, struct user_regs_struct *regs)
{
	(void)pid;
	regs->orig_rax = (unsigned long long)-1;
}
#elif defined(__aarch64__)
static unsigned long long *
register_of(struct user_regs_struct *regs, unsigned arg)
{
	return &regs->regs[arg];
}

#define STACK(r)  ((r)->sp)
#define RESULT(r) ((r)->regs[0])

static void
call_nothing(pid_t pid, struct user_regs_struct *regs)
{
	int none = -1;
	struct iovec io = {&none, sizeof(none)};

	(void)regs;
	(void)ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &io);
}
#else
#error "the registers of a system call are not known here"
#endif

static bool
get_registers(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec io = {regs, sizeof(*regs)};

	return ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &io) == 0;
}

static void
set_registers(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec io = {regs, sizeof(*regs)};

	if (ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &io) != 0)
		fail(98, "PTRACE_SETREGSET", strerror(errno));
}

/* --- rules ------------------------------------------------------------------
 */

static uint64_t
number(const struct rule *rule, const char *text, char **end)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, end, 0);
	if (*end == text || errno != 0)
		fail(2, rule->whole, "a number is missing or out of range");
	return value;
}

static unsigned
argument(const struct rule *rule, const char *text, char **end)
{
	uint64_t value = number(rule, text, end);

	if (value > 5)
		fail(2, rule->whole, "arguments are numbered from 0 to 5");
	return (unsigned)value;
}

static void
read_action(struct rule *rule, char *word)
{
	char *value = strchr(word, '=');
	char *end = word + strlen(word);

	if (value != NULL)
		*value++ = '\0';
	rule->arg = -1;
	rule->text = value;
	if (strcmp(word, "skip") == 0) {
		rule->action = SKIP;
		if (value != NULL)
			rule->arg = (int)argument(rule, value, &end);
	} else if (strcmp(word, "fail") == 0 && value != NULL) {
		rule->action = FAIL;
		rule->bits = number(rule, value, &end);
	} else if (strcmp(word, "clear") == 0 && value != NULL) {
		rule->action = CLEAR;
		rule->arg = (int)argument(rule, value, &end);
		if (*end != ',')
			fail(2, rule->whole, "clear wants N,BITS");
		rule->bits = number(rule, end + 1, &end);
	} else if (strcmp(word, "put") == 0 && value != NULL) {
		rule->action = PUT;
	} else if (strcmp(word, "run") == 0 && value != NULL) {
		rule->action = RUN;
	} else if (strcmp(word, "hold") == 0) {
		rule->action = HOLD;
	} else if (strcmp(word, "release") == 0) {
		rule->action = RELEASE;
	} else if (strcmp(word, "pass") == 0) {
		rule->action = PASS;
	} else {
		fail(2, rule->whole, "no such action");
	}
	if (*end != '\0')
		fail(2, rule->whole, "the action does not end there");
}

static void
read_condition(struct rule *rule, const char *word)
{
	struct condition *c = &rule->conditions[rule->condition_count++];
	char *end;

	if (rule->condition_count > CONDITIONS)
		fail(2, rule->whole, "too many conditions");
	if (strncmp(word, "in=", 3) == 0) {
		*c = (struct condition){.test = CALLER, .text = word + 3};
		return;
	}
	if (strcmp(word, "once") == 0) {
		c->test = ONCE;
		return;
	}
	if (strncmp(word, "after=", 6) == 0) {
		c->test = AFTER;
		c->value = number(rule, word + 6, &end);
		return;
	}
	c->arg = argument(rule, word, &end);
	if (*end == '~') {
		c->test = TEXT;
		c->text = end + 1;
		return;
	}
	if (strncmp(end, "==", 2) == 0)
		c->test = EQUAL;
	else if (strncmp(end, "!=", 2) == 0)
		c->test = DIFFERENT;
	else if (*end == '&')
		c->test = BITS;
	else
		fail(2, rule->whole, "no such condition");
	c->value = number(rule, end + (*end == '&' ? 1 : 2), &end);
	if (*end != '\0')
		fail(2, rule->whole, "the condition does not end there");
}

static void
read_rule(char *text)
{
	struct rule *rule = &rules[rule_count++];
	char *word;

	if (rule_count > RULES)
		fail(2, text, "too many rules");
	rule->whole = strdup(text);
	if (rule->whole == NULL)
		fail(98, "meddle", "out of memory");
	word = strsep(&text, " ");
	read_action(rule, word);
	word = strsep(&text, " ");
	rule->call = word != NULL ? seccomp_syscall_resolve_name(word) : -1;
	if (rule->call < 0)
		fail(2, rule->whole, "this machine has no such system call");
	while ((word = strsep(&text, " ")) != NULL)
		read_condition(rule, word);
}

/* Words of the memory of pid, as many as hold len bytes. */
static bool
peek(pid_t pid, uint64_t at, void *buf, size_t len)
{
	uint8_t *to = buf;

	for (size_t i = 0; i < len; i += sizeof(long)) {
		size_t part = len - i < sizeof(long) ? len - i : sizeof(long);
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, pid, at + i, 0);
		if (errno != 0)
			return false;
		memcpy(to + i, &word, part);
	}
	return true;
}

static void
poke(pid_t pid, uint64_t at, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	for (size_t i = 0; i < len; i += sizeof(long)) {
		size_t part = len - i < sizeof(long) ? len - i : sizeof(long);
		long word = 0;

		memcpy(&word, from + i, part);
		if (ptrace(PTRACE_POKEDATA, pid, at + i, word) != 0)
			fail(98, "PTRACE_POKEDATA", strerror(errno));
	}
}

static bool
is_called(pid_t pid, const char *name)
{
	char path[64], target[PATH_MAX];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(basename(target), name) == 0;
}

static bool
holds(const struct rule *rule, const struct condition *c, pid_t pid,
    struct user_regs_struct *regs)
{
	uint64_t value = *register_of(regs, c->arg);
	char text[TEXT_MAX];
	size_t len;

	switch (c->test) {
	case EQUAL:
		/* An argument is often an int, whatever stands above it. */
		return value == c->value || (uint32_t)value == c->value;
	case DIFFERENT:
		return value != c->value;
	case BITS:
		return (value & c->value) != 0;
	case TEXT:
		len = strlen(c->text);
		return len <= sizeof(text) && peek(pid, value, text, len) &&
		    memcmp(text, c->text, len) == 0;
	case CALLER:
		return is_called(pid, c->text);
	case AFTER:
		return c->value < rule_count && rules[c->value].applied;
	case ONCE:
		return !rule->applied;
	}
	return false;
}

static struct rule *
find_rule(pid_t pid, long call, struct user_regs_struct *regs)
{
	for (size_t i = 0; i < rule_count; i++) {
		bool fits = rules[i].call == call;

		for (size_t j = 0; fits && j < rules[i].condition_count; j++)
			fits = holds(
			    &rules[i], &rules[i].conditions[j], pid, regs);
		if (fits)
			return &rules[i];
	}
	return NULL;
}

/* --- what is done ------------------------------------------------------------
 */

/* Text and a new list go below the stack, where nothing is yet. */
static void
put_variable(pid_t pid, struct user_regs_struct *regs, const char *variable)
{
	uint64_t list[VARIABLES + 1], at = (STACK(regs) - 8192) & ~15ULL;
	uint64_t old = *register_of(regs, 2);
	size_t count = 0;

	while (count < VARIABLES) {
		if (!peek(pid, old + count * 8, &list[count], 8))
			fail(98, "PTRACE_PEEKDATA", strerror(errno));
		if (list[count] == 0)
			break;
		count++;
	}
	if (count == VARIABLES)
		fail(98, "put", "too many variables");
	poke(pid, at, variable, strlen(variable) + 1);
	list[count++] = at;
	list[count] = 0;
	at += 1024;
	poke(pid, at, list, (count + 1) * 8);
	*register_of(regs, 2) = at;
}

/* The command's streams stay the command's. */
static void
run_program(const char *program, pid_t caller)
{
	char number_text[16];
	int status = 0;
	pid_t pid;

	(void)snprintf(number_text, sizeof(number_text), "%d", (int)caller);
	pid = fork();
	if (pid == 0) {
		(void)execl(program, program, number_text, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		fail(98, program, "it cannot be run, or has failed");
}

static void
release_all(void)
{
	for (size_t i = 0; i < TRACEES; i++) {
		if (tracees[i].held)
			(void)ptrace(PTRACE_SYSCALL, tracees[i].pid, 0, 0);
		tracees[i].held = false;
	}
}

static void
apply(struct rule *rule, struct tracee *t, struct user_regs_struct *regs)
{
	rule->applied = true;
	switch (rule->action) {
	case SKIP:
		t->skipped = true;
		t->answer =
		    rule->arg < 0 ? 0 : *register_of(regs, (unsigned)rule->arg);
		call_nothing(t->pid, regs);
		break;
	case FAIL:
		t->skipped = true;
		t->answer = -rule->bits;
		call_nothing(t->pid, regs);
		break;
	case CLEAR:
		*register_of(regs, (unsigned)rule->arg) &= ~rule->bits;
		break;
	case PUT:
		put_variable(t->pid, regs, rule->text);
		break;
	case RUN:
		run_program(rule->text, t->pid);
		return;
	case HOLD:
		t->held = true;
		return;
	case RELEASE:
		release_all();
		return;
	case PASS:
		return;
	}
	set_registers(t->pid, regs);
}

/* --- following
 * ----------------------------------------------------------------- */

static struct tracee *
find_tracee(pid_t pid)
{
	struct tracee *empty = NULL;

	for (size_t i = 0; i < TRACEES; i++) {
		if (tracees[i].pid == pid)
			return &tracees[i];
		if (tracees[i].pid == 0 && empty == NULL)
			empty = &tracees[i];
	}
	if (empty == NULL)
		fail(98, "meddle", "too many threads");
	*empty = (struct tracee){.pid = pid};
	return empty;
}

static void
at_system_call(struct tracee *t)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct regs;
	struct rule *rule;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) <= 0 ||
	    !get_registers(t->pid, &regs))
		return; /* it is gone */
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		rule = find_rule(t->pid, (long)info.entry.nr, &regs);
		if (rule != NULL)
			apply(rule, t, &regs);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->skipped) {
		t->skipped = false;
		RESULT(&regs) = t->answer;
		set_registers(t->pid, &regs);
	}
}

static void
at_stop(struct tracee *t, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		at_system_call(t);
		sig = 0;
	} else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		/* Stopped by a signal: it stays so. */
		(void)ptrace(PTRACE_LISTEN, t->pid, 0, 0);
		return;
	} else if (event != 0) {
		sig = 0;
	}
	if (!t->held)
		(void)ptrace(PTRACE_SYSCALL, t->pid, 0, sig);
}

/* The command, stopped before it is executed. */
static pid_t
start(char **words)
{
	int gate[2], status;
	char byte;
	pid_t pid;

	if (pipe(gate) != 0)
		fail(98, "pipe", strerror(errno));
	pid = fork();
	if (pid == 0) {
		(void)close(gate[1]);
		if (read(gate[0], &byte, 1) != 1)
			_exit(98);
		(void)close(gate[0]);
		(void)execvp(words[0], words);
		_exit(127);
	}
	if (pid < 0 ||
	    ptrace(PTRACE_SEIZE, pid, 0,
		PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
		    PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
		    PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0 ||
	    waitpid(pid, &status, __WALL) != pid ||
	    ptrace(PTRACE_SYSCALL, pid, 0, 0) != 0 ||
	    write(gate[1], "x", 1) != 1)
		fail(98, "following", strerror(errno));
	(void)close(gate[0]);
	(void)close(gate[1]);
	return pid;
}

/* Until the command ends; its exit code. */
static int
follow(pid_t command)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			fail(98, "waitpid", strerror(errno));
		if (WIFSTOPPED(status)) {
			at_stop(find_tracee(pid), status);
			continue;
		}
		if (pid == command)
			return WIFEXITED(status) ? WEXITSTATUS(status)
						 : 128 + WTERMSIG(status);
		*find_tracee(pid) = (struct tracee){0};
	}
}

int
main(int argc, char **argv)
{
	int i = 1, code;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		read_rule(argv[i]);
	if (i == 1 || i + 1 >= argc) {
		(void)fprintf(stderr,
		    "usage: meddle 'ACTION CALL [CONDITION]...' ... -- "
		    "COMMAND [ARGUMENT...]\n");
		return 2;
	}
	code = follow(start(argv + i + 1));
	for (size_t j = 0; j < rule_count; j++)
		if (!rules[j].applied)
			fail(99, rules[j].whole, "no call was like that");
	return code;
}
