#include "fuzz/child_world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/chan.h"
#include "supervisor/evidence.h"
#include "supervisor/idmap.h"
#include "supervisor/interp.h"
#include "supervisor/launch.h"
#include "supervisor/spawn.h"
#include "supervisor/sys.h"
#include "supervisor/sys_notify.h"

#define START_NS (1000 * SUP_NS_PER_S)
#define MOUNTS	 4 /* what sup_evidence_expect makes of no mount planned */
#define FDS_MAX	 253

struct child_world child_world;

static int null_fd = -1, self_fd = -1;

void
child_world_failed(const char *file, int line, const char *property)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
	abort();
}

/* --- what the linker puts in the place of the real ones ------------------- */

enum wire_err __wrap_sup_interp_resolve(
    const char *name, const char *path_env, struct sup_interp *ret_interp);
enum wire_err __wrap_sup_launch_build(struct sup_launch *launch,
    const struct sup_launch_request *request, struct wire_errinfo *info);
void __wrap_sup_evidence_namespaces(
    pid_t pid, struct sup_namespaces *ret_namespaces);
void __wrap_sup_evidence_observe(struct sup_evidence *evidence, pid_t pid2);
enum wire_err __wrap_sup_idmap_write(
    const struct sup_idmap *map, pid_t pid, struct wire_errinfo *info);
enum wire_err __wrap_sup_chan_open(struct sup_chan *chan, struct sup_loop *loop,
    int fd, const struct wire_frame_limits *limits,
    const struct sup_chan_handler *handler, struct wire_errinfo *info);
enum wire_err __real_sup_chan_open(struct sup_chan *chan, struct sup_loop *loop,
    int fd, const struct wire_frame_limits *limits,
    const struct sup_chan_handler *handler, struct wire_errinfo *info);
uint64_t __wrap_sup_sys_now(void);
uint64_t __wrap_sup_sys_cpu_time(pid_t pid);
int __wrap_sup_sys_timerfd(void);
int __wrap_sup_sys_timerfd_set(int fd, uint64_t at_ns);
bool __wrap_sup_sys_timerfd_armed(int fd);
int __wrap_sup_sys_signal(int pidfd, pid_t pid, int signal);
int __wrap_sup_sys_reap(int pidfd, siginfo_t *ret_info);
void __wrap_sup_sys_wait_readable(int fd, int timeout_ms);
int __wrap_sup_sys_random(void *buf, size_t len);
int __wrap_sup_sys_notify_check(void);
bool __wrap_sup_sys_notify_waits(int listener_fd);
int __wrap_sup_sys_notify_take(
    int listener_fd, struct sup_sys_asked *ret_asked);
int __wrap_sup_sys_notify_refuse(int listener_fd, uint64_t id, int error);

enum wire_err
__wrap_sup_interp_resolve(
    const char *name, const char *path_env, struct sup_interp *ret_interp)
{
	(void)name;
	(void)path_env;
	memset(ret_interp, 0, sizeof(*ret_interp));
	return WIRE_OK;
}

enum wire_err
__wrap_sup_launch_build(struct sup_launch *launch,
    const struct sup_launch_request *request, struct wire_errinfo *info)
{
	(void)info;
	sup_terms_rlimits(request->terms, launch->stub.soft, launch->stub.hard);
	launch->stub.env[launch->stub.env_count++] = "HOME=/workspace";
	launch->seal.canaries[launch->seal.canary_count++] = "/";
	launch->seal.canaries[launch->seal.canary_count++] = "/granted";
	return WIRE_OK;
}

void
__wrap_sup_evidence_namespaces(pid_t pid, struct sup_namespaces *ret_namespaces)
{
	for (size_t i = 0; i < SUP_NAMESPACES; i++)
		ret_namespaces->inode[i] = pid == getpid() ? 1 : 2;
}

void
__wrap_sup_evidence_observe(struct sup_evidence *evidence, pid_t pid2)
{
	(void)pid2;
	child_world.observed++;
	evidence->status = (struct sup_status){
	    .read = true,
	    .uid = {1000, 1000, 1000, 1000},
	    .gid = {1000, 1000, 1000, 1000},
	    .no_new_privs = 1,
	    .seccomp = 2,
	    .threads = 1,
	};
	if (child_world.evidence_breaks && child_world.observed > 1)
		evidence->status.caps[0] = 1;
	evidence->limits_read = true;
	memcpy(evidence->soft, evidence->want_soft, sizeof(evidence->soft));
	memcpy(evidence->hard, evidence->want_hard, sizeof(evidence->hard));
}

enum wire_err
__wrap_sup_idmap_write(
    const struct sup_idmap *map, pid_t pid, struct wire_errinfo *info)
{
	(void)map;
	(void)pid;
	(void)info;
	return WIRE_OK;
}

/* The ceilings of the stream, brought within reach. */
enum wire_err
__wrap_sup_chan_open(struct sup_chan *chan, struct sup_loop *loop, int fd,
    const struct wire_frame_limits *limits,
    const struct sup_chan_handler *handler, struct wire_errinfo *info)
{
	struct child_world *w = &child_world;

	w->limits = *limits;
	if (w->frame_max != 0 && w->frame_max < limits->frame_max)
		w->limits.frame_max = w->frame_max;
	if (w->bytes_max != 0 && w->bytes_max < limits->bytes_max)
		w->limits.bytes_max = w->bytes_max;
	if (w->lines_max != 0)
		w->limits.lines_max = w->lines_max;
	if (w->blanks_max != 0)
		w->limits.blanks_max = w->blanks_max;
	return __real_sup_chan_open(chan, loop, fd, &w->limits, handler, info);
}

uint64_t
__wrap_sup_sys_now(void)
{
	return child_world.now_ns;
}

uint64_t
__wrap_sup_sys_cpu_time(pid_t pid)
{
	(void)pid;
	return 1000000;
}

/* An eventfd: readable when the harness says that the time has come. */
int
__wrap_sup_sys_timerfd(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	RIG_REQUIRE(fd >= 0);
	child_world.timer_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd;
}

int
__wrap_sup_sys_timerfd_set(int fd, uint64_t at_ns)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof(count));
	child_world.timer_ns = at_ns;
	child_world.timer_due = false;
	return 0;
}

bool
__wrap_sup_sys_timerfd_armed(int fd)
{
	(void)fd;
	return child_world.timer_ns != 0 && !child_world.timer_due;
}

static void
close_ends(void)
{
	sup_sys_close(&child_world.channel);
	sup_sys_close(&child_world.out);
	sup_sys_close(&child_world.err);
}

/* Nobody asks any more, or one less does. */
static void
asks(unsigned left)
{
	uint64_t count;

	child_world.asked = left;
	if (left == 0 && child_world.ask_fd >= 0)
		(void)!read(child_world.ask_fd, &count, sizeof(count));
}

/* Process 1 ends, and with it everything inside. */
static void
die(void)
{
	const uint64_t one = 1;

	asks(0);
	child_world.alive = false;
	child_world.exited = true;
	close_ends();
	sup_sys_close(&child_world.report);
	child_world.gone = true;
	RIG_REQUIRE(write(child_world.end_fd, &one, sizeof(one)) ==
	    (ssize_t)sizeof(one));
}

/* SECURITY: never lets a signal out; the second pidfd is our own. */
int
__wrap_sup_sys_signal(int pidfd, pid_t pid, int signal)
{
	(void)pid;
	if (pidfd == child_world.pidfd) {
		RIG_REQUIRE(signal == SIGKILL);
		child_world.killed = true;
	} else {
		RIG_REQUIRE(signal == SIGKILL || signal == SIGTERM);
		child_world.termed = true;
	}
	return child_world.gone ? -ESRCH : 0;
}

int
__wrap_sup_sys_reap(int pidfd, siginfo_t *ret_info)
{
	RIG_REQUIRE(pidfd == child_world.pidfd);
	memset(ret_info, 0, sizeof(*ret_info));
	return child_world.gone ? 1 : 0;
}

void
__wrap_sup_sys_wait_readable(int fd, int timeout_ms)
{
	(void)timeout_ms;
	RIG_REQUIRE(fd == child_world.pidfd && child_world.killed);
	child_world_settle(true);
}

int
__wrap_sup_sys_random(void *buf, size_t len)
{
	memset(buf, 0x5a, len);
	return 0;
}

int
__wrap_sup_sys_notify_check(void)
{
	return 0;
}

bool
__wrap_sup_sys_notify_waits(int listener_fd)
{
	(void)listener_fd;
	return child_world.asked > 0;
}

/* KERNEL: it would block when nobody asks. */
int
__wrap_sup_sys_notify_take(int listener_fd, struct sup_sys_asked *ret_asked)
{
	struct child_world *w = &child_world;

	(void)listener_fd;
	RIG_REQUIRE(w->asked > 0);
	if (w->ask_vanishes) {
		w->ask_vanishes = false;
		asks(w->asked - 1);
		return -ENOENT;
	}
	*ret_asked = (struct sup_sys_asked){
	    .id = w->asked, .number = w->asked * 7 % 512, .args = {w->asked}};
	return 0;
}

int
__wrap_sup_sys_notify_refuse(int listener_fd, uint64_t id, int error)
{
	struct child_world *w = &child_world;

	(void)listener_fd;
	RIG_REQUIRE(id == w->asked);
	RIG_REQUIRE(error == EPERM || error == ENOSYS);
	if (w->ask_fails) {
		w->ask_fails = false;
		return -EIO;
	}
	asks(w->asked - 1);
	w->refused++;
	return 0;
}

/* --- spawn.o -------------------------------------------------------------- */

static void
send_record(const struct wire_report *report, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {{0}};
	struct iovec iov = {(void *)(uintptr_t)report, sizeof(*report)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	(void)!sendmsg(child_world.report, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum wire_err
sup_spawn(const struct sup_spawn_request *request, struct sup_child *ret_child,
    struct wire_errinfo *info)
{
	struct child_world *w = &child_world;
	int out[2], err[2], channel[2], report[2];

	(void)request;
	(void)info;
	RIG_REQUIRE(!w->started);
	RIG_REQUIRE(pipe2(out, O_CLOEXEC | O_NONBLOCK) == 0);
	RIG_REQUIRE(pipe2(err, O_CLOEXEC | O_NONBLOCK) == 0);
	RIG_REQUIRE(
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0);
	RIG_REQUIRE(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) == 0);
	if (w->send_buffer != 0)
		(void)setsockopt(channel[0], SOL_SOCKET, SO_SNDBUF,
		    &w->send_buffer, sizeof(w->send_buffer));
	w->pidfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	RIG_REQUIRE(w->pidfd >= 0);
	w->end_fd = fcntl(w->pidfd, F_DUPFD_CLOEXEC, 3);
	w->out = out[1];
	w->err = err[1];
	w->channel = channel[1];
	w->report = report[1];
	w->started = w->alive = true;
	*ret_child = (struct sup_child){
	    .pid = getpid() + 1,
	    .pidfd = w->pidfd,
	    .channel_fd = channel[0],
	    .report_fd = report[0],
	    .stdout_fd = out[0],
	    .stderr_fd = err[0],
	};
	return WIRE_OK;
}

enum wire_err
sup_spawn_go(const struct sup_child *child, struct wire_errinfo *info)
{
	const struct wire_report launched = {
	    .magic = WIRE_REPORT_MAGIC,
	    .code = WIRE_REPORT_LAUNCHED,
	    .mounts = MOUNTS,
	    .links = 1,
	};

	(void)child;
	(void)info;
	/* Of this very process: one that the host can read under /proc. */
	if (!child_world.silent)
		send_record(&launched, self_fd);
	return WIRE_OK;
}

void
sup_child_close(struct sup_child *child)
{
	sup_sys_close(&child->pidfd);
	sup_sys_close(&child->channel_fd);
	sup_sys_close(&child->report_fd);
	sup_sys_close(&child->stdout_fd);
	sup_sys_close(&child->stderr_fd);
	child->pid = -1;
}

/* --- what the harness does ------------------------------------------------ */

void
child_world_begin(void)
{
	if (null_fd < 0) {
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		self_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
		RIG_REQUIRE(null_fd >= 0 && self_fd >= 0);
	}
	child_world = (struct child_world){
	    .now_ns = START_NS,
	    .channel = -1,
	    .out = -1,
	    .err = -1,
	    .report = -1,
	    .timer_fd = -1,
	    .end_fd = -1,
	    .pidfd = -1,
	    .ask_fd = -1,
	};
}

void
child_world_end(void)
{
	close_ends();
	sup_sys_close(&child_world.report);
	sup_sys_close(&child_world.timer_fd);
	sup_sys_close(&child_world.end_fd);
	sup_sys_close(&child_world.ask_fd);
}

const char *
child_world_ready(void)
{
	return "{\"type\":\"ready\",\"protocol\":1,\"python\":\"3.11.2\","
	       "\"pid\":2,\"uid\":1000,\"gid\":1000,\"no_new_privs\":1,"
	       "\"dumpable\":0,\"seccomp\":2,"
	       "\"landlock\":{\"abi\":7,\"errno\":0},"
	       "\"network\":{\"inet\":1,\"inet6\":1},\"fork\":1,"
	       "\"descriptors\":[0,1,2,3],"
	       "\"canaries\":{\"before\":[0,0],\"after\":[13,13]},"
	       "\"environment\":[\"HOME=/workspace\"],"
	       "\"limits\":{\"core\":[0,0],\"cpu\":[30,31],"
	       "\"address_space\":[1,1],\"file_size\":[1,1],"
	       "\"processes\":[1,1],\"open_files\":[1,1]}}";
}

void
child_world_settle(bool late)
{
	struct child_world *w = &child_world;
	const uint64_t one = 1;

	if (w->timer_ns != 0 && w->timer_ns <= w->now_ns && !w->timer_due) {
		w->timer_due = true;
		(void)!write(w->timer_fd, &one, sizeof(one));
	}
	if (w->alive && w->killed && (late || !w->dies_late))
		die();
	else if (w->alive && w->termed && w->ends_on_term)
		child_world_exit(SIGTERM, true, true);
}

size_t
child_world_write(const void *bytes, size_t len, unsigned fds, int flags)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;
	struct iovec iov = {(void *)(uintptr_t)bytes, len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (child_world.channel < 0 || len == 0)
		return 0;
	if (fds > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(fds * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(fds * sizeof(int));
		for (size_t i = 0; i < fds; i++)
			memcpy(CMSG_DATA(&control.head) + i * sizeof(int),
			    &null_fd, sizeof(int));
	}
	n = sendmsg(
	    child_world.channel, &msg, flags | MSG_NOSIGNAL | MSG_DONTWAIT);
	return n > 0 ? (size_t)n : 0;
}

bool
child_world_listen(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), other = null_fd;
	size_t n;

	RIG_REQUIRE(fd >= 0);
	child_world.ask_fd = fd;
	/* In the place of the one that is always sent. */
	null_fd = fd;
	n = child_world_write("\n", 1, 1, 0);
	null_fd = other;
	return n == 1;
}

void
child_world_ask(unsigned count)
{
	const uint64_t one = 1;

	if (!child_world.alive || child_world.ask_fd < 0 || count == 0)
		return;
	child_world.asked += count;
	(void)!write(child_world.ask_fd, &one, sizeof(one));
}

void
child_world_exit(int wait_status, bool report, bool end)
{
	const struct wire_report exited = {
	    .magic = WIRE_REPORT_MAGIC,
	    .code = WIRE_REPORT_EXITED,
	    .wait_status = wait_status,
	    .user_us = 1000,
	    .max_rss_kb = 9000,
	};

	if (!child_world.alive)
		return;
	if (!child_world.exited) {
		child_world.exited = true;
		close_ends();
		if (report)
			send_record(&exited, -1);
	}
	if (end)
		die();
}

void
child_world_report(const void *bytes, size_t len)
{
	if (child_world.report >= 0)
		(void)!send(child_world.report, bytes, len,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
}
