/*
 * The path tools on a real directory, in a session: what they give, what they
 * refuse, and what they leave behind.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "bindings/files_request.h"
#include "bindings/provider_files.h"
#include "tests/unit/session_rig.h"

#define TURN_MS 60000

static char root[64]; /* of this test */

/* The C library's, in its place: the kernel's, or EAGAIN as often as asked. */
static unsigned preads_that_fail;
extern ssize_t stand_in_for_pread(
    int fd, void *buf, size_t len, off_t offset) __asm__("pread");

ssize_t
stand_in_for_pread(int fd, void *buf, size_t len, off_t offset)
{
	if (preads_that_fail > 0) {
		preads_that_fail--;
		errno = EAGAIN;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, len, offset);
}

/* openat2(2) is called by its number. */
static bool all_have_names;
extern long stand_in_for_syscall(long number, long a, long b, long c, long d,
    long e, long f) __asm__("syscall");

long
stand_in_for_syscall(
    long number, long a, long b, long c, long d, long e, long f)
{
	static long (*real)(long, long, long, long, long, long, long);
	const struct open_how *how = (const struct open_how *)c;

	if (all_have_names && number == SYS_openat2 &&
	    (how->flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d, e, f);
}

static bool links_fail;
extern int stand_in_for_linkat(int from_fd, const char *from, int to_fd,
    const char *to, int flags) __asm__("linkat");

int
stand_in_for_linkat(
    int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	if (links_fail) {
		errno = ENOENT;
		return -1;
	}
	return (int)syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
}

static void
clear(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char below[512];

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (unlink(below) < 0)
			clear(below);
	}
	if (dir != NULL)
		closedir(dir);
	(void)rmdir(path);
}

/* The path of something in the root; good until the fourth call after. */
static const char *
at(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void
put(const char *name, const void *bytes, size_t len)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void
put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static void
assert_text(const char *name, const char *text)
{
	char got[256];
	int fd = open(at(name), O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, got, sizeof(got) - 1);
	close(fd);
	assert_true(n >= 0);
	got[n] = '\0';
	assert_string_equal(got, text);
}

/* Whether the file system has files without a name. */
static bool
unnamed_files(void)
{
	int fd = open(root, O_TMPFILE | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static size_t
count_names(const char *name)
{
	DIR *dir = opendir(at(name));
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count - 2;
}

/* Tools "fs" with two paths at most of each kind; NULL: none. */
static void
offer(struct rig *rig, const char *read, const char *write)
{
	struct bind_files_config config = {
	    .root = root,
	    .read = &read,
	    .read_count = read != NULL,
	    .write = &write,
	    .write_count = write != NULL,
	};

	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, NULL),
	    WIRE_OK);
}

static int
set_up(void **state)
{
	preads_that_fail = 0;
	all_have_names = links_fail = false;
	snprintf(root, sizeof(root), "/tmp/weir-files-XXXXXX");
	if (mkdtemp(root) == NULL)
		return -1;
	*state = rig_new();
	return 0;
}

static int
tear_down(void **state)
{
	struct rig *rig = *state;

	rig_free(rig);
	clear(root);
	return 0;
}

static void
open_all(struct rig *rig)
{
	offer(rig, "/", "/");
	rig_open(rig);
}

__attribute__((format(printf, 3, 4))) static void
call(struct rig *rig, const char *name, const char *format, ...)
{
	char text[8192];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_in_range(len, 0, sizeof(text) - 1);
	rig->log_len = 0;
	rig_call_with(
	    rig, name, (struct wire_span){(const uint8_t *)text, (size_t)len});
}

static void
take_turns(struct rig *rig, unsigned count)
{
	while (count-- > 0)
		assert_true(poll_loop_turn(&rig->loop, TURN_MS));
}

static unsigned
run_dry(struct rig *rig)
{
	unsigned turns = 0;

	for (; rig->loop.count > 0; turns++)
		assert_true(poll_loop_turn(&rig->loop, TURN_MS));
	return turns;
}

/* A call that ends well, and its value. */
#define GIVES(rig, value_text, ...)                                            \
	do {                                                                   \
		call(rig, __VA_ARGS__);                                        \
		run_dry(rig);                                                  \
		(rig)->log[(rig)->log_len] = '\0';                             \
		if (strstr((rig)->log, ":completed") == NULL)                  \
			fail_msg("%s: %s", (rig)->log, (rig)->message);        \
		assert_string_equal((rig)->value, value_text);                 \
	} while (0)

/* A call that fails after it was started, and what its message has. */
#define FAILS(rig, kind, words, ...)                                           \
	do {                                                                   \
		call(rig, __VA_ARGS__);                                        \
		run_dry(rig);                                                  \
		(rig)->log[(rig)->log_len] = '\0';                             \
		if (strstr((rig)->log, ":failed:" kind " reply:") == NULL)     \
			fail_msg("%s: %s", (rig)->log, (rig)->message);        \
		if (strstr((rig)->message, words) == NULL)                     \
			fail_msg("%s", (rig)->message);                        \
	} while (0)

/* --- what is allowed (B12) ------------------------------------------------ */

static void
t_refused_before_it_is_started(void **state)
{
	struct rig *rig = *state;
	static const struct {
		const char *tool, *path, *kind;
	} rows[] = {
	    {"fs.read", "/secret", "fs_read_denied"},
	    {"fs.read", "/publicity", "fs_read_denied"},
	    {"fs.read", "/", "fs_read_denied"},
	    {"fs.list", "/", "fs_read_denied"},
	    {"fs.list", "/out", "fs_read_denied"},
	    {"fs.stat", "/out/x", "fs_read_denied"},
	    {"fs.read", "/public/../secret", "path_traversal"},
	    {"fs.read", "..", "path_traversal"},
	    {"fs.list", "/public/..", "path_traversal"},
	    {"fs.write", "/public/x", "fs_write_denied"},
	    {"fs.write", "/outside", "fs_write_denied"},
	    {"fs.write", "/", "fs_write_denied"},
	    {"fs.write", "/out/../public/x", "path_traversal"},
	};

	put_text("secret", "s");
	offer(rig, "/public", "/out");
	rig_open(rig);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char expected[128];

		call(rig, rows[i].tool,
		    strcmp(rows[i].tool, "fs.write") == 0
			? "{\"path\":\"%s\",\"text\":\"x\"}"
			: "{\"path\":\"%s\"}",
		    rows[i].path);
		snprintf(expected, sizeof(expected),
		    "ended:%d:refused:%s reply:%d:%s", (int)i, rows[i].kind,
		    (int)i, rows[i].kind);
		rig_expect(rig, expected);
		assert_false(rig->last_hard);
	}
	assert_int_equal(count_names(""), 1);
	assert_int_equal(rig->list.totals.refused, 13);
}

static void
t_without_lists_all_is_read_and_nothing_written(void **state)
{
	struct rig *rig = *state;

	put_text("a", "1");
	offer(rig, NULL, NULL);
	rig_open(rig);
	GIVES(rig, "{\"text\":\"1\",\"offset\":0,\"next\":null,\"size\":1}",
	    "fs.read", "{\"path\":\"a\"}");
	call(rig, "fs.write", "{\"path\":\"a\",\"text\":\"2\"}");
	rig_expect(
	    rig, "ended:1:refused:fs_write_denied reply:1:fs_write_denied");
	assert_text("a", "1");
}

static void
t_a_write_list_reads_nothing(void **state)
{
	struct rig *rig = *state;

	put_text("a", "1");
	offer(rig, NULL, "/");
	rig_open(rig);
	call(rig, "fs.read", "{\"path\":\"a\"}");
	rig_expect(
	    rig, "ended:0:refused:fs_read_denied reply:0:fs_read_denied");
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"a\",\"text\":\"2\"}");
	assert_text("a", "2");
}

static void
t_all_four_or_none(void **state)
{
	struct rig *rig = *state;
	const struct bind_files_config config = {.root = root};
	struct wire_errinfo info = {"", 0, 0};
	size_t count = bind_catalogue_count(rig->catalogue);
	char name[WIRE_MAX_TOOL_NAME + 1];

	rig_add(rig, "fs.write", &rig_provider, 0);
	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, &info),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, "duplicate");
	assert_int_equal(bind_catalogue_count(rig->catalogue), count + 1);
	memset(name, 'n', sizeof(name));
	assert_int_equal(bind_files_add(rig->catalogue,
			     (struct wire_span){
				 (const uint8_t *)name, WIRE_MAX_TOOL_NAME - 5},
			     &config, &info),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, "name");
	assert_int_equal(bind_files_add(rig->catalogue,
			     (struct wire_span){
				 (const uint8_t *)name, WIRE_MAX_TOOL_NAME - 6},
			     &config, &info),
	    WIRE_OK);
	assert_int_equal(bind_catalogue_count(rig->catalogue), count + 5);
}

static void
t_configurations_that_are_none(void **state)
{
	struct rig *rig = *state;
	static const char *const up[] = {"/a", "/a/.."};
	struct bind_files_config config = {
	    .root = root, .write = up, .write_count = 2};
	struct wire_errinfo info = {"", 0, 0};

	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, &info),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, "write");
	assert_int_equal(info.offset, 1);
	config = (struct bind_files_config){.root = at("none")};
	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, &info),
	    WIRE_ERR_SYSTEM);
	assert_string_equal(info.site, "root");
	assert_int_equal(info.sys, ENOENT);
	/* The root itself may be reached by no link. */
	assert_int_equal(symlink(root, at("link")), 0);
	config.root = at("link");
	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, &info),
	    WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, ELOOP);
	put_text("file", "");
	config.root = at("file");
	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, &info),
	    WIRE_ERR_SYSTEM);
	assert_int_equal(info.sys, ENOTDIR);
}

/* --- links and other names ------------------------------------------------ */

static void
t_no_link_is_followed(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(mkdir(at("in"), 0700), 0);
	put_text("in/file", "1");
	assert_int_equal(symlink("in/file", at("leaf")), 0);
	assert_int_equal(symlink("in", at("dir")), 0);
	assert_int_equal(symlink("/etc", at("etc")), 0);
	assert_int_equal(symlink("/proc/self/fd/0", at("magic")), 0);
	assert_int_equal(symlink("nowhere", at("dangling")), 0);
	open_all(rig);
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.read",
	    "{\"path\":\"leaf\"}");
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.read",
	    "{\"path\":\"dir/file\"}");
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.read",
	    "{\"path\":\"etc/passwd\"}");
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.read",
	    "{\"path\":\"magic\"}");
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.list",
	    "{\"path\":\"dir\"}");
	FAILS(rig, "fs_read_denied", "symbolic link", "fs.stat",
	    "{\"path\":\"dir/\"}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"leaf\",\"text\":\"2\"}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"leaf\",\"text\":\"2\",\"append\":true}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"dangling\",\"text\":\"2\"}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"dangling\",\"text\":\"2\",\"create\":true}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"dir/file\",\"text\":\"2\"}");
	FAILS(rig, "fs_write_denied", "symbolic link", "fs.write",
	    "{\"path\":\"dir/new/file\",\"text\":\"2\"}");
	call(rig, "fs.stat", "{\"path\":\"leaf\"}");
	run_dry(rig);
	assert_non_null(strstr(rig->value, "{\"type\":\"link\",\"size\":7"));
	assert_text("in/file", "1");
	assert_int_equal(count_names("in"), 1);
	assert_int_equal(count_names(""), 6);
}

/* Who swaps a name for a link while a call is under way changes nothing of it:
 * the directory and the file are held. */
static void
t_names_that_change_meanwhile(void **state)
{
	struct rig *rig = *state;
	size_t len = 3 * BIND_TURN_MAX;
	char *text = malloc(len), *arguments = malloc(len + 64);
	struct stat st;

	assert_true(text != NULL && arguments != NULL);
	memset(text, 'a', len);
	assert_int_equal(mkdir(at("d"), 0700), 0);
	assert_int_equal(mkdir(at("other"), 0700), 0);
	put("d/f", text, len);
	open_all(rig);
	call(rig, "fs.read", "{\"path\":\"d/f\"}");
	take_turns(rig, 1);
	assert_int_equal(rename(at("d"), at("was")), 0);
	assert_int_equal(symlink("other", at("d")), 0);
	put_text("other/f", "wrong");
	run_dry(rig);
	assert_int_equal(strlen(rig->value), len + 48);
	/* And what is written goes where the path led. */
	assert_int_equal(unlink(at("d")), 0);
	assert_int_equal(rename(at("was"), at("d")), 0);
	len = (size_t)snprintf(arguments, len + 64,
	    "{\"path\":\"d/f\",\"text\":\"%0*d\"}", (int)len, 7);
	rig_call_with(rig, "fs.write",
	    (struct wire_span){(const uint8_t *)arguments, len});
	take_turns(rig, 1);
	assert_int_equal(rename(at("d"), at("was")), 0);
	assert_int_equal(symlink("other", at("d")), 0);
	assert_int_equal(count_names("was"), unnamed_files() ? 1 : 2);
	run_dry(rig);
	assert_text("other/f", "wrong");
	assert_int_equal(count_names("was"), 1);
	assert_int_equal(stat(at("was/f"), &st), 0);
	assert_int_equal(st.st_size, 3 * BIND_TURN_MAX);
	free(text);
	free(arguments);
}

static void
t_a_root_that_is_replaced(void **state)
{
	struct rig *rig = *state;
	char moved[96];

	put_text("f", "first");
	open_all(rig);
	snprintf(moved, sizeof(moved), "%s.moved", root);
	assert_int_equal(rename(root, moved), 0);
	assert_int_equal(mkdir(root, 0700), 0);
	put_text("f", "second");
	GIVES(rig, "{\"text\":\"first\",\"offset\":0,\"next\":null,\"size\":5}",
	    "fs.read", "{\"path\":\"f\"}");
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"g\",\"text\":\"x\"}");
	assert_int_equal(count_names(""), 1);
	clear(moved);
	FAILS(rig, "not_found", "no such file", "fs.read", "{\"path\":\"f\"}");
	FAILS(rig, "not_found", "no such directory", "fs.write",
	    "{\"path\":\"g\",\"text\":\"x\"}");
}

static void
t_what_is_no_regular_file(void **state)
{
	struct rig *rig = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_int_equal(mkdir(at("dir"), 0700), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", at("sock"));
	assert_int_equal(
	    bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	open_all(rig);
	FAILS(
	    rig, "failed", "no regular file", "fs.read", "{\"path\":\"fifo\"}");
	FAILS(
	    rig, "failed", "no regular file", "fs.read", "{\"path\":\"sock\"}");
	FAILS(rig, "failed", "directory; list it", "fs.read",
	    "{\"path\":\"dir\"}");
	FAILS(rig, "failed", "no regular file", "fs.write",
	    "{\"path\":\"fifo\",\"text\":\"\"}");
	FAILS(rig, "failed", "no regular file", "fs.write",
	    "{\"path\":\"fifo\",\"text\":\"\",\"append\":true}");
	FAILS(rig, "failed", "this is a directory", "fs.write",
	    "{\"path\":\"dir\",\"text\":\"\"}");
	FAILS(rig, "failed", "that of a directory", "fs.write",
	    "{\"path\":\"dir/\",\"text\":\"\"}");
	FAILS(rig, "failed", "that of a directory", "fs.write",
	    "{\"path\":\"/\",\"text\":\"\"}");
	FAILS(rig, "not_found", "no such directory", "fs.list",
	    "{\"path\":\"fifo\"}");
	call(rig, "fs.stat", "{\"path\":\"fifo\"}");
	run_dry(rig);
	assert_non_null(strstr(rig->value, "{\"type\":\"other\""));
	close(fd);
}

static void
t_paths_that_lead_nowhere(void **state)
{
	struct rig *rig = *state;
	char name[300];

	put_text("f", "1");
	open_all(rig);
	FAILS(rig, "not_found", "no such file", "fs.read", "{\"path\":\"g\"}");
	FAILS(rig, "not_found", "no such file", "fs.read", "{\"path\":\"f/\"}");
	FAILS(
	    rig, "not_found", "no such file", "fs.stat", "{\"path\":\"f/g\"}");
	FAILS(rig, "not_found", "no such directory", "fs.write",
	    "{\"path\":\"f/g\",\"text\":\"\"}");
	FAILS(rig, "not_found", "no such", "fs.list", "{\"path\":\"g\"}");
	FAILS(rig, "failed", "NUL", "fs.read", "{\"path\":\"f\\u0000\"}");
	FAILS(rig, "failed", "is empty", "fs.read", "{\"path\":\"\"}");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	FAILS(rig, "failed", "too long", "fs.read", "{\"path\":\"%s\"}", name);
	FAILS(rig, "failed", "too long", "fs.write",
	    "{\"path\":\"%s\",\"text\":\"\"}", name);
	name[255] = '\0';
	FAILS(rig, "not_found", "no such file", "fs.read", "{\"path\":\"%s\"}",
	    name);
	GIVES(rig, "{\"written\":0,\"size\":0}", "fs.write",
	    "{\"path\":\"%s\",\"text\":\"\"}", name);
	GIVES(rig, "{\"text\":\"1\",\"offset\":0,\"next\":null,\"size\":1}",
	    "fs.read", "{\"path\":\"//./f\"}");
}

/* --- reading -------------------------------------------------------------- */

static void
t_windows(void **state)
{
	struct rig *rig = *state;

	put_text("f",
	    "abc\xc3\xa9\xe2\x82\xac"
	    "d");
	put("g", "a\xff\x00z", 4);
	put("cut", "ab\xc3", 3);
	open_all(rig);
	GIVES(rig, "{\"text\":\"abc\",\"offset\":0,\"next\":3,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"length\":3}");
	/* A character that the window cuts off comes with the next one. */
	GIVES(rig, "{\"text\":\"abc\",\"offset\":0,\"next\":3,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"length\":4}");
	GIVES(rig, "{\"text\":\"\xc3\xa9\",\"offset\":3,\"next\":5,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":3,\"length\":4}");
	GIVES(rig,
	    "{\"text\":\"\xe2\x82\xac"
	    "d\",\"offset\":5,\"next\":null,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":5,\"length\":4}");
	/* One that has no room in it comes as bytes, as does its rest. */
	GIVES(rig, "{\"base64\":\"4oI=\",\"offset\":5,\"next\":7,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":5,\"length\":2}");
	GIVES(rig,
	    "{\"base64\":\"rGQ=\",\"offset\":7,\"next\":null,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":7}");
	GIVES(rig, "{\"base64\":\"YQ==\",\"offset\":0,\"next\":1,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"length\":1,\"base64\":true}");
	GIVES(rig, "{\"text\":\"\",\"offset\":9,\"next\":null,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":9}");
	GIVES(rig, "{\"text\":\"\",\"offset\":99,\"next\":null,\"size\":9}",
	    "fs.read", "{\"path\":\"f\",\"offset\":99,\"length\":5}");
	GIVES(rig,
	    "{\"base64\":\"Yf8Aeg==\",\"offset\":0,\"next\":null,\"size\":4}",
	    "fs.read", "{\"path\":\"g\"}");
	GIVES(rig,
	    "{\"text\":\"\\u0000z\",\"offset\":2,\"next\":null,\"size\":4}",
	    "fs.read", "{\"path\":\"g\",\"offset\":2}");
	GIVES(rig,
	    "{\"base64\":\"YWLD\",\"offset\":0,\"next\":null,\"size\":3}",
	    "fs.read", "{\"path\":\"cut\"}");
}

static void
t_a_file_that_is_hardly_there(void **state)
{
	struct rig *rig = *state;
	int fd = open(at("sparse"), O_WRONLY | O_CREAT, 0600);

	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	assert_int_equal(pwrite(fd, "end", 3, ((off_t)1 << 40) - 3), 3);
	close(fd);
	open_all(rig);
	FAILS(rig, "result_too_large", "1099511627776 bytes", "fs.read",
	    "{\"path\":\"sparse\"}");
	GIVES(rig,
	    "{\"text\":\"end\",\"offset\":1099511627773,\"next\":null,"
	    "\"size\":1099511627776}",
	    "fs.read", "{\"path\":\"sparse\",\"offset\":1099511627773}");
	GIVES(rig,
	    "{\"text\":\"\\u0000\\u0000\",\"offset\":5,\"next\":7,"
	    "\"size\":1099511627776}",
	    "fs.read", "{\"path\":\"sparse\",\"offset\":5,\"length\":2}");
	FAILS(rig, "result_too_large", "in parts", "fs.read",
	    "{\"path\":\"sparse\",\"length\":9007199254740991}");
}

/* Files that the kernel makes up have no size, and are read to their end. */
static void
t_a_file_without_a_size(void **state)
{
	struct rig *rig = *state;
	const struct bind_files_config config = {.root = "/proc/sys"};

	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("p"), &config, NULL),
	    WIRE_OK);
	rig_open(rig);
	call(rig, "p.read", "{\"path\":\"kernel/ostype\"}");
	run_dry(rig);
	assert_string_equal(rig->value,
	    "{\"text\":\"Linux\\n\",\"offset\":0,\"next\":null,\"size\":0}");
	GIVES(rig, "{\"text\":\"Lin\",\"offset\":0,\"next\":3,\"size\":0}",
	    "p.read", "{\"path\":\"kernel/ostype\",\"length\":3}");
}

/* One that has nothing to give now is not asked until it has. */
static void
t_a_file_with_nothing_to_give_now(void **state)
{
	struct rig *rig = *state;

	put_text("f", "12");
	open_all(rig);
	preads_that_fail = 1;
	FAILS(rig, "failed", "nothing to give now", "fs.read",
	    "{\"path\":\"f\"}");
	assert_int_equal(preads_that_fail, 0);
	GIVES(rig, "{\"text\":\"12\",\"offset\":0,\"next\":null,\"size\":2}",
	    "fs.read", "{\"path\":\"f\"}");
}

static void
t_a_result_at_its_limit(void **state)
{
	struct rig *rig = *state;

	put_text("f", "0123456789");
	rig->limits.result_bytes = 54;
	open_all(rig);
	GIVES(rig,
	    "{\"text\":\"0123456789\",\"offset\":0,\"next\":null,\"size\":10}",
	    "fs.read", "{\"path\":\"f\"}");
	bind_session_free(rig->session);
	rig->limits.result_bytes = 53;
	rig_open(rig);
	FAILS(rig, "result_too_large", "over the limit", "fs.read",
	    "{\"path\":\"f\"}");
	GIVES(rig, "{\"text\":\"0123\",\"offset\":0,\"next\":4,\"size\":10}",
	    "fs.read", "{\"path\":\"f\",\"length\":4}");
}

/* --- turns ---------------------------------------------------------------- */

static void
put_much(const char *name, size_t len)
{
	char *text = malloc(len);

	assert_non_null(text);
	memset(text, 'x', len);
	put(name, text, len);
	free(text);
}

static void
t_large_ones_take_turns(void **state)
{
	struct rig *rig = *state;
	unsigned turns = 0;

	put_much("large", 16 * BIND_TURN_MAX);
	put_text("small", "s");
	open_all(rig);
	call(rig, "fs.read", "{\"path\":\"large\"}");
	call(rig, "fs.read", "{\"path\":\"large\"}");
	rig_expect(rig, "started:1");
	assert_int_equal(rig->loop.count, 1);
	/* Others are not held up: neither a small one, nor another tool. */
	call(rig, "now", "{}");
	rig_expect(rig, "started:2 start:2 ended:2:completed reply:2:{}");
	call(rig, "fs.read", "{\"path\":\"small\"}");
	take_turns(rig, 3);
	rig_expect(rig,
	    "started:3 ended:3:completed reply:3:{\"text\":\"s\",\"offset\"");
	turns = run_dry(rig);
	assert_in_range(turns, 30, 36);
	rig_expect(rig,
	    "ended:0:completed reply:0:{\"text\":\"xxxxxxxxxxx "
	    "ended:1:completed reply:1:{\"text\":\"xxxxxxxxxxx");
}

/* Also what ends with its first step holds its place in the window, and a turn
 * is one step of one call, however many came at once. */
static void
t_small_ones_take_turns(void **state)
{
	struct rig *rig = *state;
	char path[16];

	open_all(rig);
	for (int i = 0; i < 3; i++)
		call(rig, "fs.write", "{\"path\":\"d%d/f\",\"text\":\"\"}", i);
	rig_expect(rig, "started:2");
	assert_int_equal(count_names(""), 0);
	for (int i = 0; i < 3; i++) {
		take_turns(rig, 1);
		assert_int_equal(count_names(""), i + 1);
		snprintf(path, sizeof(path), "d%d/f", i);
		assert_text(path, "");
	}
	assert_int_equal(rig->loop.count, 0);
}

static void
t_cancelled_while_it_reads(void **state)
{
	struct rig *rig = *state;

	put_much("large", 4 * BIND_TURN_MAX);
	open_all(rig);
	call(rig, "fs.read", "{\"path\":\"large\"}");
	call(rig, "fs.list", "{}");
	take_turns(rig, 1);
	rig->log_len = 0;
	bind_session_close(rig->session);
	rig_expect(rig,
	    "ended:0:failed:cancelled reply:0:cancelled "
	    "ended:1:failed:cancelled reply:1:cancelled");
	assert_true(bind_session_is_empty(rig->session));
	assert_int_equal(rig->loop.count, 0);
}

static char *
much_to_write(const char *path, const char *more, size_t len)
{
	char *text = malloc(len + 128);
	int head;

	assert_non_null(text);
	head =
	    snprintf(text, 128, "{\"path\":\"%s\"%s,\"text\":\"", path, more);
	memset(text + head, 'n', len);
	memcpy(text + head + len, "\"}", 3);
	return text;
}

static void
write_much_to(struct rig *rig, const char *path, const char *more, size_t len)
{
	char *text = much_to_write(path, more, len);

	rig_call_with(rig, "fs.write",
	    (struct wire_span){(const uint8_t *)text, strlen(text)});
	free(text);
}

static void
write_much(struct rig *rig, const char *more, size_t len)
{
	write_much_to(rig, "f", more, len);
}

static void
t_cancelled_while_it_writes(void **state)
{
	struct rig *rig = *state;

	put_text("f", "old");
	open_all(rig);
	write_much(rig, "", 4 * BIND_TURN_MAX);
	take_turns(rig, 1);
	rig->log_len = 0;
	bind_session_close(rig->session);
	rig_expect(rig, "ended:0:failed:cancelled reply:0:cancelled");
	assert_non_null(strstr(rig->message, "before anything was changed"));
	assert_int_equal(count_names(""), 1);
	assert_text("f", "old");
}

static void
t_what_it_made_before_it_was_cancelled(void **state)
{
	struct rig *rig = *state;

	open_all(rig);
	write_much_to(rig, "c/d/f", "", 4 * BIND_TURN_MAX);
	take_turns(rig, 1);
	bind_session_close(rig->session);
	rig_expect(rig, "started:0 ended:0:failed:cancelled reply:0:cancelled");
	assert_null(strstr(rig->message, "before anything"));
	assert_non_null(strstr(rig->message,
	    "before the file was changed; directories made before: 2"));
	assert_int_equal(count_names("c"), 1);
	assert_int_equal(count_names("c/d"), 0);
}

static void
t_cancelled_while_it_appends(void **state)
{
	struct rig *rig = *state;
	struct stat st;

	put_text("f", "old");
	open_all(rig);
	write_much(rig, ",\"append\":true", 4 * BIND_TURN_MAX);
	take_turns(rig, 2);
	rig->log_len = 0;
	rig->loop.now += UINT64_C(3600000000000);
	bind_session_tick(rig->session, rig->loop.now);
	rig_expect(rig, "ended:0:failed:timed_out reply:0:timed_out");
	assert_non_null(
	    strstr(rig->message, "after 131072 of 262144 bytes had been"));
	assert_int_equal(stat(at("f"), &st), 0);
	assert_int_equal(st.st_size, 3 + 2 * BIND_TURN_MAX);
}

static void
t_freed_while_it_writes(void **state)
{
	struct rig *rig = *state;

	put_text("f", "old");
	open_all(rig);
	write_much(rig, "", 4 * BIND_TURN_MAX);
	take_turns(rig, 1);
	bind_session_free(rig->session);
	rig->session = NULL;
	assert_int_equal(rig->loop.count, 0);
	assert_int_equal(count_names(""), 1);
	assert_text("f", "old");
}

static void
t_no_watch_to_be_had(void **state)
{
	struct rig *rig = *state;

	put_much("large", 2 * BIND_TURN_MAX);
	open_all(rig);
	rig->loop.watches_left = 0;
	FAILS(
	    rig, "unreachable", "no memory", "fs.read", "{\"path\":\"large\"}");
	write_much(rig, "", 2 * BIND_TURN_MAX);
	assert_int_equal(count_names(""), 1);
	rig->loop.watches_left = -1;
	call(rig, "fs.read", "{\"path\":\"large\"}");
	run_dry(rig);
	assert_non_null(strstr(rig->value, "xxx"));
}

/* --- writing -------------------------------------------------------------- */

static void
t_a_file_is_replaced_at_once(void **state)
{
	struct rig *rig = *state;
	struct stat st;
	int fd;

	put_text("f", "old");
	assert_int_equal(chmod(at("f"), 0640), 0);
	assert_int_equal(link(at("f"), at("other")), 0);
	fd = open(at("f"), O_RDONLY);
	open_all(rig);
	write_much(rig, "", 3 * BIND_TURN_MAX);
	take_turns(rig, 1);
	/* Under way: nothing of it is seen. */
	assert_text("f", "old");
	run_dry(rig);
	assert_int_equal(stat(at("f"), &st), 0);
	assert_int_equal(st.st_size, 3 * BIND_TURN_MAX);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* Who has the old one open, or another name of it, keeps it. */
	assert_text("other", "old");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 3);
	close(fd);
	assert_int_equal(count_names(""), 2);
}

static void
t_create_and_append(void **state)
{
	struct rig *rig = *state;

	open_all(rig);
	GIVES(rig, "{\"written\":3,\"size\":3}", "fs.write",
	    "{\"path\":\"f\",\"text\":\"one\",\"create\":true}");
	FAILS(rig, "failed", "there already", "fs.write",
	    "{\"path\":\"f\",\"text\":\"two\",\"create\":true}");
	GIVES(rig, "{\"written\":4,\"size\":7}", "fs.write",
	    "{\"path\":\"f\",\"text\":\",two\",\"append\":true}");
	assert_text("f", "one,two");
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"g\",\"text\":\"x\",\"append\":true}");
	assert_text("g", "x");
	/* Appended to a file, it is so for each of its names. */
	assert_int_equal(link(at("f"), at("h")), 0);
	GIVES(rig, "{\"written\":1,\"size\":8}", "fs.write",
	    "{\"path\":\"f\",\"text\":\"!\",\"append\":true}");
	assert_text("h", "one,two!");
	GIVES(rig, "{\"written\":4,\"size\":4}", "fs.write",
	    "{\"path\":\"f\",\"base64\":\"Yf8Aeg==\"}");
	FAILS(rig, "failed", "is not base64", "fs.write",
	    "{\"path\":\"f\",\"base64\":\"Yf8Aeg=\"}");
	GIVES(rig, "{\"written\":2,\"size\":2}", "fs.write",
	    "{\"path\":\"f\",\"text\":\"\\u00e9\"}");
	assert_text("f", "\xc3\xa9");
	assert_int_equal(count_names(""), 3);
}

/* Who is killed leaves what is there: nothing but whole files. */
static void
t_nothing_is_beside_it_before_it_is_whole(void **state)
{
	static const char *const more[] = {"", ",\"create\":true"};
	struct rig *rig = *state;
	size_t names = unnamed_files() ? 0 : 1;

	open_all(rig);
	for (size_t i = 0; i < 2; i++) {
		write_much(rig, more[i], 3 * BIND_TURN_MAX);
		take_turns(rig, 2);
		assert_int_equal(count_names(""), names);
		take_turns(rig, 1);
		assert_int_equal(rig->loop.count, 0);
		assert_int_equal(count_names(""), 1);
		assert_int_equal(unlink(at("f")), 0);
	}
}

/* On a file system where each has a name from the beginning. */
static void
t_files_that_all_have_names(void **state)
{
	struct rig *rig = *state;

	open_all(rig);
	all_have_names = true;
	write_much(rig, "", 3 * BIND_TURN_MAX);
	take_turns(rig, 1);
	assert_int_equal(count_names(""), 1);
	run_dry(rig);
	assert_int_equal(count_names(""), 1);
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"f\",\"text\":\"1\"}");
	FAILS(rig, "failed", "there already", "fs.write",
	    "{\"path\":\"f\",\"text\":\"2\",\"create\":true}");
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"g\",\"text\":\"2\",\"create\":true}");
	write_much_to(rig, "h", ",\"create\":true", 2 * BIND_TURN_MAX);
	take_turns(rig, 1);
	put_text("h", "theirs");
	run_dry(rig);
	assert_text("f", "1");
	assert_text("h", "theirs");
	write_much(rig, "", 4 * BIND_TURN_MAX);
	take_turns(rig, 1);
	assert_int_equal(count_names(""), 4);
	bind_session_close(rig->session);
	assert_int_equal(count_names(""), 3);
}

/* As without /proc: it is written once more, with a name. */
static void
t_files_that_cannot_be_given_a_name(void **state)
{
	struct rig *rig = *state;
	struct stat st;

	put_text("f", "old");
	assert_int_equal(chmod(at("f"), 0640), 0);
	open_all(rig);
	links_fail = true;
	GIVES(rig, "{\"written\":3,\"size\":3}", "fs.write",
	    "{\"path\":\"f\",\"text\":\"new\"}");
	assert_text("f", "new");
	assert_int_equal(stat(at("f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	GIVES(rig, "{\"written\":3,\"size\":3}", "fs.write",
	    "{\"path\":\"g\",\"text\":\"one\",\"create\":true}");
	write_much(rig, ",\"append\":false", 2 * BIND_TURN_MAX);
	take_turns(rig, 3);
	assert_text("f", "new");
	run_dry(rig);
	assert_int_equal(stat(at("f"), &st), 0);
	assert_int_equal(st.st_size, 2 * BIND_TURN_MAX);
	assert_int_equal(count_names(""), 2);
	/* Somebody else is first, or it is stopped. */
	write_much_to(rig, "h", ",\"create\":true", 2 * BIND_TURN_MAX);
	take_turns(rig, 3);
	put_text("h", "theirs");
	run_dry(rig);
	assert_text("h", "theirs");
	write_much(rig, "", 4 * BIND_TURN_MAX);
	take_turns(rig, 5);
	assert_int_equal(count_names(""), 4);
	bind_session_close(rig->session);
	assert_int_equal(count_names(""), 3);
}

static void
t_somebody_else_creates_it_first(void **state)
{
	struct rig *rig = *state;

	open_all(rig);
	write_much(rig, ",\"create\":true", 3 * BIND_TURN_MAX);
	take_turns(rig, 1);
	put_text("f", "theirs");
	rig->log_len = 0;
	run_dry(rig);
	rig_expect(rig, "ended:0:failed:failed reply:0:failed");
	assert_text("f", "theirs");
	assert_int_equal(count_names(""), 1);
}

static void
t_missing_directories_are_made_where_one_may_write(void **state)
{
	struct rig *rig = *state;
	static const char *const write[] = {"/out", "/a/b"};
	const struct bind_files_config config = {
	    .root = root, .write = write, .write_count = 2};

	assert_int_equal(
	    bind_files_add(rig->catalogue, WIRE_LIT("fs"), &config, NULL),
	    WIRE_OK);
	rig_open(rig);
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"/out/x/y/f\",\"text\":\"1\"}");
	assert_text("out/x/y/f", "1");
	/* That of a place which itself may not be written to is not. */
	FAILS(rig, "not_found", "no such", "fs.write",
	    "{\"path\":\"/a/b/f\",\"text\":\"1\"}");
	assert_int_equal(count_names(""), 1);
	assert_int_equal(mkdir(at("a"), 0700), 0);
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"/a/b/f\",\"text\":\"1\"}");
	assert_text("a/b/f", "1");
}

/* "name", then count - 1 directories "a" in it, then "f". */
static void
write_deep(struct rig *rig, const char *name, size_t count)
{
	char path[BIND_FILES_PATH_MAX + 1];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", name);

	while (--count > 0) {
		path[len++] = '/';
		path[len++] = 'a';
	}
	memcpy(path + len, "/f", 3);
	call(rig, "fs.write", "{\"path\":\"%s\",\"text\":\"1\"}", path);
	run_dry(rig);
}

static void
t_so_many_directories_and_no_more(void **state)
{
	struct rig *rig = *state;

	open_all(rig);
	write_deep(rig, "over", BIND_FILES_MAKE_MAX + 1);
	rig_expect(rig, "started:0 ended:0:failed:failed reply:0:failed");
	assert_non_null(strstr(rig->message, "more than 32 directories"));
	write_deep(rig, "most", 2000);
	rig_expect(rig, "started:1 ended:1:failed:failed reply:1:failed");
	assert_int_equal(count_names(""), 0);
	write_deep(rig, "at", BIND_FILES_MAKE_MAX);
	assert_string_equal(rig->value, "{\"written\":1,\"size\":1}");
	/* What is there does not count. */
	write_deep(rig, "at", 2 * BIND_FILES_MAKE_MAX);
	assert_string_equal(rig->value, "{\"written\":1,\"size\":1}");
	assert_int_equal(count_names("at"), 1);
}

static void
t_a_single_file_may_be_written(void **state)
{
	struct rig *rig = *state;

	offer(rig, NULL, "/log");
	rig_open(rig);
	GIVES(rig, "{\"written\":1,\"size\":1}", "fs.write",
	    "{\"path\":\"/log\",\"text\":\"1\"}");
	call(rig, "fs.write", "{\"path\":\"/log2\",\"text\":\"1\"}");
	rig_expect(
	    rig, "ended:1:refused:fs_write_denied reply:1:fs_write_denied");
	assert_int_equal(count_names(""), 1);
}

/* A lease makes open(2) wait for its holder, up to 45 s; not here. */
static void
t_a_lease_is_not_waited_for(void **state)
{
	struct rig *rig = *state;
	int fd;

	put_text("f", "1");
	fd = open(at("f"), O_RDWR);
	signal(SIGIO, SIG_IGN);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	open_all(rig);
	FAILS(rig, "failed", "a lease", "fs.read", "{\"path\":\"f\"}");
	FAILS(rig, "failed", "a lease", "fs.write",
	    "{\"path\":\"f\",\"text\":\"2\",\"append\":true}");
	assert_int_equal(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
	close(fd);
	GIVES(rig, "{\"text\":\"1\",\"offset\":0,\"next\":null,\"size\":1}",
	    "fs.read", "{\"path\":\"f\"}");
}

/* --- listing -------------------------------------------------------------- */

static void
t_names_in_the_order_of_their_bytes(void **state)
{
	struct rig *rig = *state;

	put_text("b", "");
	put_text("a", "");
	put_text("\xc3\xa9", "");
	put_text("\xff", "");
	put_text("new\nline", "");
	put_text(".hidden", "");
	assert_int_equal(mkdir(at("a.d"), 0700), 0);
	assert_int_equal(symlink("x", at("l")), 0);
	assert_int_equal(mkfifo(at("p"), 0600), 0);
	open_all(rig);
	GIVES(rig,
	    "{\"entries\":["
	    "{\"name\":\".hidden\",\"type\":\"file\"},"
	    "{\"name\":\"a\",\"type\":\"file\"},"
	    "{\"name\":\"a.d\",\"type\":\"directory\"},"
	    "{\"name\":\"b\",\"type\":\"file\"},"
	    "{\"name\":\"l\",\"type\":\"link\"},"
	    "{\"name\":\"new\\nline\",\"type\":\"file\"},"
	    "{\"name\":\"p\",\"type\":\"other\"},"
	    "{\"name\":\"\xc3\xa9\",\"type\":\"file\"},"
	    "{\"base64\":\"/w==\",\"type\":\"file\"}],\"next\":null}",
	    "fs.list", "{\"path\":\"/\"}");
	GIVES(rig, "{\"entries\":[],\"next\":null}", "fs.list",
	    "{\"path\":\"a.d/\"}");
	GIVES(rig,
	    "{\"entries\":[{\"name\":\"p\",\"type\":\"other\"},"
	    "{\"name\":\"\xc3\xa9\",\"type\":\"file\"}],\"next\":\"w6k=\"}",
	    "fs.list", "{\"after\":\"bw==\",\"limit\":2}");
	GIVES(rig,
	    "{\"entries\":[{\"base64\":\"/w==\",\"type\":\"file\"}],"
	    "\"next\":null}",
	    "fs.list", "{\"after\":\"w6k=\",\"limit\":2}");
	/* A cursor need not be there any more. */
	GIVES(rig, "{\"entries\":[],\"next\":null}", "fs.list",
	    "{\"after\":\"/w==\"}");
}

/* The names of an answer are those from `next` on, in turn; how many, and where
 * to go on. */
static size_t
count_page(const char *value, size_t next, char cursor[64])
{
	const char *end = strstr(value, "\"next\":");
	size_t count = 0;
	char name[32];

	for (;; count++) {
		const char *found;

		snprintf(name, sizeof(name), "\"n%07zu\"", next + count);
		found = strstr(value, name);
		if (found == NULL)
			break;
		value = found;
	}
	assert_non_null(end);
	cursor[0] = '\0';
	(void)sscanf(end, "\"next\":\"%63[^\"]", cursor);
	return count;
}

static void
t_very_many_names(void **state)
{
	struct rig *rig = *state;
	size_t total = 20000, seen = 0;
	char name[32], cursor[64] = "";
	unsigned pages = 0, turns = 0;

	for (size_t i = 0; i < total; i++) {
		/* In no order. */
		snprintf(name, sizeof(name), "n%07zu", i * 7919 % total);
		put_text(name, "");
	}
	open_all(rig);
	do {
		call(rig, "fs.list",
		    cursor[0] == '\0' ? "{\"limit\":3000}"
				      : "{\"limit\":3000,\"after\":\"%s\"}",
		    cursor);
		turns += run_dry(rig);
		seen += count_page(rig->value, seen, cursor);
		pages++;
	} while (cursor[0] != '\0');
	assert_int_equal(seen, total);
	assert_int_equal(pages, 7);
	assert_true(turns > 7);
}

static void
t_a_page_that_fits(void **state)
{
	struct rig *rig = *state;
	size_t total = 40, seen = 0;
	char name[32], cursor[64] = "";
	unsigned pages = 0;

	for (size_t i = 0; i < total; i++) {
		snprintf(name, sizeof(name), "n%07zu", i);
		put_text(name, "");
	}
	rig->limits.result_bytes = 16384;
	open_all(rig);
	do {
		call(rig, "fs.list",
		    cursor[0] == '\0' ? "{}" : "{\"after\":\"%s\"}", cursor);
		run_dry(rig);
		seen += count_page(rig->value, seen, cursor);
		pages++;
	} while (cursor[0] != '\0');
	assert_int_equal(seen, total);
	assert_in_range(pages, 4, 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	    T(t_refused_before_it_is_started),
	    T(t_without_lists_all_is_read_and_nothing_written),
	    T(t_a_write_list_reads_nothing),
	    T(t_all_four_or_none),
	    T(t_configurations_that_are_none),
	    T(t_no_link_is_followed),
	    T(t_names_that_change_meanwhile),
	    T(t_a_root_that_is_replaced),
	    T(t_what_is_no_regular_file),
	    T(t_paths_that_lead_nowhere),
	    T(t_windows),
	    T(t_a_file_that_is_hardly_there),
	    T(t_a_file_without_a_size),
	    T(t_a_file_with_nothing_to_give_now),
	    T(t_a_result_at_its_limit),
	    T(t_large_ones_take_turns),
	    T(t_small_ones_take_turns),
	    T(t_cancelled_while_it_reads),
	    T(t_cancelled_while_it_writes),
	    T(t_what_it_made_before_it_was_cancelled),
	    T(t_cancelled_while_it_appends),
	    T(t_freed_while_it_writes),
	    T(t_no_watch_to_be_had),
	    T(t_a_file_is_replaced_at_once),
	    T(t_create_and_append),
	    T(t_nothing_is_beside_it_before_it_is_whole),
	    T(t_files_that_all_have_names),
	    T(t_files_that_cannot_be_given_a_name),
	    T(t_somebody_else_creates_it_first),
	    T(t_missing_directories_are_made_where_one_may_write),
	    T(t_so_many_directories_and_no_more),
	    T(t_a_single_file_may_be_written),
	    T(t_a_lease_is_not_waited_for),
	    T(t_names_in_the_order_of_their_bytes),
	    T(t_very_many_names),
	    T(t_a_page_that_fits),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
