#include "wire_help.h"

#include "wire/plan.h"

static struct wire_plan_insn insns[WIRE_PLAN_FILTER + 1];
static _Alignas(8) uint8_t bytes[WIRE_PLAN_MAX + 8];

/* A plan that uses everything once or twice. */
static struct wire_plan
sample(void)
{
	struct wire_plan plan;
	unsigned i;

	memset(&plan, 0, sizeof(plan));
	plan.layers = (1u << WIRE_STAGE_COUNT) - 1;
	plan.channel_fd = WIRE_FD_CHANNEL;
	plan.namespaces = 1;
	plan.uid = 1000;
	plan.gid = 1001;
	plan.workspace_bytes = 64 * WIRE_MIB;
	plan.workspace_inodes = 65536;
	plan.workspace = "/workspace";
	plan.landlock_handled = 0xffff;
	plan.landlock_net = 3;
	plan.landlock_scoped = 1;
	for (i = 0; i < WIRE_LIMITS; i++) {
		plan.soft[i] = i;
		plan.hard[i] = WIRE_PLAN_UNSET;
	}
	plan.mounts[0] = (struct wire_plan_mount){
	    WIRE_MOUNT_DIR, WIRE_MOUNT_WRITE, -1, "/usr", "/usr"};
	plan.mounts[1] = (struct wire_plan_mount){WIRE_MOUNT_FILE,
	    WIRE_MOUNT_DEVICE, WIRE_FD_MOUNTS, "", "/dev/null"};
	plan.mount_count = 2;
	plan.links[0] = (struct wire_plan_link){"/bin", "usr/bin"};
	plan.link_count = 1;
	plan.args[0] = "python3";
	plan.args[1] = "";
	plan.arg_count = 2;
	plan.env[0] = "HOME=/workspace";
	plan.env[1] = "EMPTY=";
	plan.env_count = 2;
	plan.rules[0] = (struct wire_plan_rule){"/usr", 12};
	plan.rule_count = 1;
	plan.canaries[0] = "/etc/passwd";
	plan.canary_count = 1;
	for (i = 0; i < 3; i++)
		insns[i] = (struct wire_plan_insn){
		    (uint16_t)(6 + i), 1, 2, 0x7fff0000};
	plan.insns = insns;
	plan.insn_count = 3;
	return plan;
}

static size_t
encode(const struct wire_plan *plan)
{
	size_t len = 0;

	assert_int_equal(
	    wire_plan_encode(plan, bytes, sizeof(bytes), &len), WIRE_OK);
	assert_int_equal(len % 8, 0);
	return len;
}

static enum wire_err
decode(size_t len, struct wire_plan *ret)
{
	return wire_plan_decode((struct wire_span){bytes, len}, ret);
}

static void
t_everything_comes_back(void **state)
{
	struct wire_plan plan = sample(), got;
	size_t len;

	plan.backend = WIRE_BACKEND_PROCESS;
	plan.by_pid = 1;
	plan.threads = 257;
	plan.processes = 31;
	plan.send_workspace = 1;
	plan.trace = 1;
	len = encode(&plan);
	(void)state;
	memset(&got, 0xaa, sizeof(got));
	assert_int_equal(decode(len, &got), WIRE_OK);
	assert_int_equal(got.layers, plan.layers);
	assert_int_equal(got.channel_fd, plan.channel_fd);
	assert_int_equal(got.backend, WIRE_BACKEND_PROCESS);
	assert_int_equal(got.namespaces, 1);
	assert_int_equal(got.by_pid, 1);
	assert_int_equal(got.threads, 257);
	assert_int_equal(got.processes, 31);
	assert_int_equal(got.send_workspace, 1);
	assert_int_equal(got.trace, 1);
	assert_int_equal(got.uid, 1000);
	assert_int_equal(got.gid, 1001);
	assert_int_equal(got.workspace_bytes, plan.workspace_bytes);
	assert_int_equal(got.workspace_inodes, plan.workspace_inodes);
	assert_string_equal(got.workspace, "/workspace");
	assert_int_equal(got.landlock_handled, 0xffff);
	assert_int_equal(got.landlock_net, 3);
	assert_int_equal(got.landlock_scoped, 1);
	assert_memory_equal(got.soft, plan.soft, sizeof(got.soft));
	assert_memory_equal(got.hard, plan.hard, sizeof(got.hard));
	assert_int_equal(got.mount_count, 2);
	assert_int_equal(got.mounts[0].kind, WIRE_MOUNT_DIR);
	assert_int_equal(got.mounts[0].flags, WIRE_MOUNT_WRITE);
	assert_int_equal(got.mounts[0].fd, -1);
	assert_string_equal(got.mounts[0].source, "/usr");
	assert_string_equal(got.mounts[1].target, "/dev/null");
	assert_int_equal(got.mounts[1].fd, WIRE_FD_MOUNTS);
	assert_string_equal(got.links[0].path, "/bin");
	assert_string_equal(got.links[0].target, "usr/bin");
	assert_int_equal(got.arg_count, 2);
	assert_string_equal(got.args[0], "python3");
	assert_string_equal(got.args[1], "");
	assert_null(got.args[2]);
	assert_string_equal(got.env[1], "EMPTY=");
	assert_null(got.env[2]);
	assert_int_equal(got.rules[0].access, 12);
	assert_string_equal(got.rules[0].path, "/usr");
	assert_string_equal(got.canaries[0], "/etc/passwd");
	assert_int_equal(got.insn_count, 3);
	assert_memory_equal(got.insns, insns, 3 * sizeof(insns[0]));
	assert_int_equal((uintptr_t)got.insns % 8, 0);
}

static void
t_an_almost_empty_plan(void **state)
{
	struct wire_plan plan, got;

	(void)state;
	memset(&plan, 0, sizeof(plan));
	plan.backend = WIRE_BACKEND_NONE;
	assert_int_equal(decode(encode(&plan), &got), WIRE_OK);
	assert_int_equal(got.backend, WIRE_BACKEND_NONE);
	assert_string_equal(got.workspace, "");
	assert_int_equal(got.insn_count, 0);
	assert_int_equal(got.mount_count, 0);
	assert_null(got.args[0]);
}

static void
t_every_buffer_size(void **state)
{
	struct wire_plan plan = sample();
	size_t len = encode(&plan), max, got = 9;

	(void)state;
	for (max = 0; max < len; max++) {
		uint8_t *own = must_alloc(max);

		assert_int_equal(
		    wire_plan_encode(&plan, own, max, &got), WIRE_ERR_NO_SPACE);
		assert_int_equal(got, 9);
		free(own);
	}
	assert_int_equal(wire_plan_encode(&plan, bytes, len, &got), WIRE_OK);
	assert_int_equal(got, len);
}

/* Each count at its maximum and one past it. */
static void
t_counts(void **state)
{
	struct wire_plan plan, got;
	size_t i, len;

#define AT_AND_PAST(field, limit, list, fill)                                  \
	do {                                                                   \
		plan = sample();                                               \
		for (i = 0; i < (limit); i++)                                  \
			plan.list[i] = (fill);                                 \
		plan.field = (limit);                                          \
		assert_int_equal(decode(encode(&plan), &got), WIRE_OK);        \
		assert_int_equal(got.field, (limit));                          \
		plan.field = (limit) + 1;                                      \
		assert_int_equal(                                              \
		    wire_plan_encode(&plan, bytes, sizeof(bytes), &len),       \
		    WIRE_ERR_BAD_PLAN);                                        \
	} while (0)

	(void)state;
	AT_AND_PAST(mount_count, WIRE_PLAN_MOUNTS, mounts, plan.mounts[0]);
	AT_AND_PAST(link_count, WIRE_PLAN_LINKS, links, plan.links[0]);
	AT_AND_PAST(arg_count, WIRE_PLAN_ARGS, args, "x");
	AT_AND_PAST(env_count, WIRE_PLAN_ENV, env, "A=b");
	AT_AND_PAST(rule_count, WIRE_PLAN_RULES, rules, plan.rules[0]);
	AT_AND_PAST(canary_count, WIRE_PLAN_CANARIES, canaries, "/x");
#undef AT_AND_PAST
	plan = sample();
	plan.insn_count = WIRE_PLAN_FILTER;
	assert_int_equal(decode(encode(&plan), &got), WIRE_OK);
	plan.insn_count = WIRE_PLAN_FILTER + 1;
	assert_int_equal(wire_plan_encode(&plan, bytes, sizeof(bytes), &len),
	    WIRE_ERR_BAD_PLAN);
	plan.insn_count = 1;
	plan.insns = NULL;
	assert_int_equal(wire_plan_encode(&plan, bytes, sizeof(bytes), &len),
	    WIRE_ERR_BAD_PLAN);
}

/*
 * The records of an encoded plan put together anew, by their places in it:
 * 0 fixed, 1 workspace, 2 and 3 mounts, 4 link, 5 and 6 arguments, 7 and 8
 * environment, 9 rule, 10 canary, 11 filter.
 */
static enum wire_err
decode_records(const uint8_t *from, const char *places)
{
	static _Alignas(8) uint8_t own[16384];
	struct wire_plan got;
	size_t at, len = 16, n;
	uint64_t total;
	uint32_t head[2];

	memcpy(own, from, 16);
	for (; *places != '\0'; places++) {
		at = 16;
		for (n = (size_t)(*places - 'a'); n != 0; n--) {
			memcpy(head, from + at, 8);
			at += 8 + (head[1] + 7) / 8 * 8;
		}
		memcpy(head, from + at, 8);
		n = 8 + (head[1] + 7) / 8 * 8;
		memcpy(own + len, from + at, n);
		len += n;
	}
	total = len;
	memcpy(own + 8, &total, 8);
	return wire_plan_decode((struct wire_span){own, len}, &got);
}

static void
t_records_have_an_order(void **state)
{
	static const char *const good[] = {
	    "abcdefghijkl", "ab", "abl", "abccdd", "abehk"};
	static const char *const bad[] = {"", "a", "b", "ba", "aab", "abb",
	    "acb", "bcdefghijkl", "acdefghijkl", "aba", "abcba", "abec", "abfe",
	    "abhf", "abjh", "abkj", "ablk", "abll", "abla", "ablb"};
	struct wire_plan plan = sample();
	size_t i;

	(void)state;
	(void)encode(&plan);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(decode_records(bytes, good[i]), WIRE_OK);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (decode_records(bytes, bad[i]) != WIRE_ERR_BAD_PLAN)
			fail_msg("%s was accepted", bad[i]);
	}
}

/* One record too many of each kind, as bytes: the reader counts for itself. */
static void
t_the_reader_counts_too(void **state)
{
	struct wire_plan plan, got;
	uint64_t total;
	size_t len, at;
	uint32_t tag;

	(void)state;
	plan = sample();
	for (at = 0; at < WIRE_PLAN_CANARIES; at++)
		plan.canaries[at] = "/x";
	plan.canary_count = WIRE_PLAN_CANARIES;
	plan.insn_count = 0;
	len = encode(&plan);
	/* Repeat the last record (16 bytes: a head, "/x" padded). */
	memcpy(bytes + len, bytes + len - 16, 16);
	memcpy(&tag, bytes + len, 4);
	assert_true(tag != 0);
	total = len + 16;
	memcpy(bytes + 8, &total, 8);
	assert_int_equal(decode(len + 16, &got), WIRE_ERR_BAD_PLAN);
	total = len;
	memcpy(bytes + 8, &total, 8);
	assert_int_equal(decode(len, &got), WIRE_OK);
}

static void
t_bad_contents(void **state)
{
	struct wire_plan plan;
	size_t len;

#define BAD(change)                                                            \
	do {                                                                   \
		plan = sample();                                               \
		change;                                                        \
		assert_int_equal(                                              \
		    wire_plan_encode(&plan, bytes, sizeof(bytes), &len),       \
		    WIRE_ERR_BAD_PLAN);                                        \
	} while (0)

	(void)state;
	BAD(plan.layers = 1u << WIRE_STAGE_COUNT);
	BAD(plan.namespaces = 2);
	BAD(plan.namespaces = 0); /* isolated without them */
	BAD(plan.uid = WIRE_PLAN_KEEP);
	BAD(plan.gid = WIRE_PLAN_KEEP);
	BAD(plan.uid = plan.gid = WIRE_PLAN_KEEP); /* isolated */
	BAD(plan.backend = WIRE_BACKENDS);
	BAD(plan.backend = WIRE_BACKEND_NONE); /* in namespaces */
	BAD(plan.backend = WIRE_BACKEND_PROCESS; plan.uid = WIRE_PLAN_KEEP);
	BAD(plan.backend = WIRE_BACKEND_PROCESS; plan.by_pid = 1;
	    plan.uid = plan.gid = WIRE_PLAN_KEEP);
	BAD(plan.by_pid = 2);
	BAD(plan.send_workspace = 2);
	BAD(plan.trace = 2);
	BAD(plan.trace = 1; plan.insn_count = 0); /* no filter to listen to */
	BAD(plan.channel_fd = 1u << 31);
	BAD(plan.workspace = "relative");
	BAD(plan.workspace = "/a/../b");
	BAD(plan.mounts[0].kind = (enum wire_mount_kind)2);
	BAD(plan.mounts[0].flags = 4);
	BAD(plan.mounts[0].fd = -2);
	BAD(plan.mounts[0].fd = WIRE_FD_MOUNTS);     /* and a source */
	BAD(plan.mounts[1].fd = WIRE_FD_MOUNTS - 1); /* not a mount */
	BAD(plan.mounts[1].fd = -1);		     /* and no source */
	BAD(plan.mounts[0].source = NULL);
	BAD(plan.mounts[0].source = "usr");
	BAD(plan.mounts[0].target = NULL);
	BAD(plan.mounts[0].target = "");
	BAD(plan.mounts[0].target = "usr");
	BAD(plan.mounts[0].target = "/usr/..");
	BAD(plan.mounts[0].target = "/..");
	BAD(plan.links[0].path = "/../bin");
	BAD(plan.links[0].path = NULL);
	BAD(plan.links[0].target = "");
	BAD(plan.links[0].target = NULL);
	BAD(plan.args[1] = NULL);
	BAD(plan.env[0] = NULL);
	BAD(plan.env[0] = "HOME");
	BAD(plan.env[0] = "=x");
	BAD(plan.rules[0].path = NULL);
	BAD(plan.rules[0].path = "usr");
	BAD(plan.canaries[0] = NULL);
	BAD(plan.canaries[0] = "");
#undef BAD
	/* Dots that are no `..` segment are names. */
	plan = sample();
	plan.mounts[0].target = "/a/..b/c../...";
	(void)encode(&plan);
}

static void
t_a_plan_has_a_size(void **state)
{
	static char text[WIRE_PLAN_MAX];
	struct wire_plan plan = sample(), got;
	size_t len;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	plan.args[0] = text;
	assert_int_equal(wire_plan_encode(&plan, bytes, sizeof(bytes), &len),
	    WIRE_ERR_NO_SPACE);
	text[sizeof(text) - 8192] = '\0';
	assert_int_equal(decode(encode(&plan), &got), WIRE_OK);
	assert_string_equal(got.args[0], text);
	assert_int_equal(decode(WIRE_PLAN_MAX + 8, &got), WIRE_ERR_BAD_PLAN);
}

static void
t_alignment_is_asked_for(void **state)
{
	struct wire_plan plan = sample(), got;
	size_t len = encode(&plan);

	(void)state;
	assert_int_equal(
	    wire_plan_decode((struct wire_span){bytes + 4, len - 4}, &got),
	    WIRE_ERR_BAD_ARGUMENT);
}

/* Every cut is refused, each in a block of exactly its size. */
static void
t_every_cut_is_refused(void **state)
{
	struct wire_plan plan = sample(), got;
	size_t len = encode(&plan), cut;
	unsigned accepted = 0;
	enum wire_err err;
	uint64_t total;

	(void)state;
	for (cut = 0; cut < len; cut++) {
		uint8_t *own = must_alloc(cut);

		memcpy(own, bytes, cut);
		assert_int_equal(
		    wire_plan_decode((struct wire_span){own, cut}, &got),
		    WIRE_ERR_BAD_PLAN);
		/* Also when the header says that this was all. */
		if (cut >= 16) {
			total = cut;
			memcpy(own + 8, &total, 8);
			err = wire_plan_decode(
			    (struct wire_span){own, cut}, &got);
			accepted += err == WIRE_OK;
		}
		free(own);
	}
	/* Between two records behind the workspace a plan may well end. */
	assert_int_equal(accepted, 10);
}

/*
 * Canonical: what is accepted after any change of bytes encodes to the same
 * bytes again. And nothing outside the block is read, or written on failure.
 */
static void
t_changed_bytes(void **state)
{
	struct wire_plan plan = sample(), got;
	size_t len = encode(&plan), again, i;
	static _Alignas(8) uint8_t other[WIRE_PLAN_MAX];
	uint64_t random = 5;
	unsigned round, accepted = 0;

	(void)state;
	for (round = 0; round < 60000; round++) {
		uint8_t *own = must_alloc(len);

		memcpy(own, bytes, len);
		for (i = 1 + random_below(&random, 3); i != 0; i--)
			own[random_below(&random, len)] =
			    (uint8_t)(random_below(&random, 2) == 0
				    ? random_below(&random, 256)
				    : random_below(&random, 12));
		memset(&got, 0x77, sizeof(got));
		if (wire_plan_decode((struct wire_span){own, len}, &got) ==
		    WIRE_OK) {
			accepted++;
			assert_int_equal(wire_plan_encode(&got, other,
					     sizeof(other), &again),
			    WIRE_OK);
			assert_int_equal(again, len);
			assert_memory_equal(other, own, len);
		} else {
			assert_int_equal(got.layers, 0x77777777);
		}
		free(own);
	}
	assert_in_range(accepted, 100, 59000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_everything_comes_back),
	    cmocka_unit_test(t_an_almost_empty_plan),
	    cmocka_unit_test(t_every_buffer_size),
	    cmocka_unit_test(t_counts),
	    cmocka_unit_test(t_records_have_an_order),
	    cmocka_unit_test(t_the_reader_counts_too),
	    cmocka_unit_test(t_bad_contents),
	    cmocka_unit_test(t_a_plan_has_a_size),
	    cmocka_unit_test(t_alignment_is_asked_for),
	    cmocka_unit_test(t_every_cut_is_refused),
	    cmocka_unit_test(t_changed_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
