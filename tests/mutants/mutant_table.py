"""The mechanisms that mutants.py takes away. tests/lint/mutants.py wants one
for each comment of child/ and supervisor/ that begins with `SECURITY:`; those
of bindings/ may have one.

NAME: Mutant(FILE, WORDS, EDITS, TEST, ROOT). The comment stands in FILE and
begins with WORDS; EDITS are (file, text, replacement), each text standing once
in its file; TEST must fail then: a unit program, a replay of a fuzz target, or
a file of tests/e2e and what of it is run. ROOT: only root can see it.
"""
import typing


class Mutant(typing.NamedTuple):
    file: str
    words: str
    edits: tuple
    test: tuple
    root: bool = False


def unit(name):
    return ("unit", name)


def e2e(file, *tests):
    return ("e2e", file + ".py", *tests)


# Any program that runs: the start is refused, or a grade is lost.
RUNS = e2e("test_300_layers", "Identity")
OUTSIDE = "test_303_outside"
GRANTED = "test_140_processes"
EXEC = "test_141_exec"
TRACE = "test_150_trace"
PROCESS = e2e("test_310_process", "Level.test_grades_without_namespaces")

MUTANTS = {
    # --- the stub --------------------------------------------------------
    "ids-kept": Mutant(
        "child/ids.c", "the ids inside map to ids that are never",
        (("child/ids.c",
          "\tr = STUB_SYS(__NR_setresuid, uid, uid, uid);", "\tr = 0;"),
         ("child/ids.c",
          "\treturn is[0] == uid && is[1] == uid && is[2] == uid ? 0 : "
          "EPERM;", "\treturn 0;")),
        PROCESS, True),
    "everybody-by-the-plan": Mutant(
        "child/ids.c", "a signal to everybody reaches whom",
        (("child/ids.c",
          "\treturn is[0] == uid && is[1] == uid && is[2] == uid &&\n"
          "\t    has[0].effective == 0 && has[1].effective == 0;",
          "\treturn has[0].effective != 1;"),),
        ("layers", OUTSIDE + ".py", "Everybody"), True),
    "capabilities-kept": Mutant(
        "child/ids.c", "bounding, ambient, inheritable",
        (("child/ids.c",
          "\tr = STUB_SYS(__NR_capset, &head, none);",
          "\tr = head.pid + (long)none[0].effective;"),), RUNS),
    "privileges-by-exec": Mutant(
        "child/ids.c", "execve grants nothing from here on",
        (("child/ids.c",
          "\tlong r = STUB_SYS(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, "
          "0);", "\tlong r = 0;"),), RUNS),
    "process-1-dumpable": Mutant(
        "child/ids.c", "no other process of the child",
        (("child/ids.c",
          "\tlong r = STUB_SYS(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);",
          "\tlong r = 0;"),),
        ("plain", OUTSIDE + ".py", "Processes.test_process"), True),
    "descriptors-left-open": Mutant(
        "child/fds.c", "everything above the known numbers",
        (("child/fds.c",
          "\tr = STUB_SYS(__NR_close_range, WIRE_FD_MOUNTS + mount_fds, "
          "~0U, 0);", "\tr = (long)mount_fds * 0;"),),
        e2e("test_300_layers", "Descriptors.test_are_closed")),
    "no-subreaper": Mutant(
        "child/tree.c", "whatever outlives its parent",
        (("child/tree.c",
          "\tlong r = STUB_SYS(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, "
          "0);", "\tlong r = 0;"),), PROCESS),
    "lifeline-unheard": Mutant(
        "child/init.c", "the lifeline.",
        (("child/init.c",
          "\t\tif (polled[0].revents != 0)\n\t\t\tend(&w);",
          "\t\tif (polled[0].revents == 0x7fff)\n\t\t\tend(&w);"),),
        e2e(OUTSIDE, "Ends.test_killed_isolated")),
    "death-of-the-parent-unheard": Mutant(
        "child/main.c", "without a PID namespace nothing but",
        (("child/main.c",
          "\t(void)STUB_SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL_, 0, 0, "
          "0);", ""),),
        e2e(OUTSIDE, "Ends.test_all_killed_process")),
    "root-not-proved": Mutant(
        "child/main.c", "whatever the plan says, nothing goes on",
        (("child/main.c",
          "\tif (!root.stands)\n\t\tstub_fail(WIRE_FD_REPORT, "
          "WIRE_STAGE_ROOT, ENOENT, 0);\n", ""),
         ("child/main.c", "\tSTAGE(ROOT, stub_root_build(&plan, &root));",
          "\troot.stands = false;")), RUNS),
    "guardian-in-the-callers-session": Mutant(
        "child/guard.c", "the host's shell must not be able",
        (("child/guard.c",
          "\t(void)STUB_SYS(__NR_setsid);\n\tif (stub_subreaper_become()",
          "\tif (stub_subreaper_become()"),),
        e2e(OUTSIDE, "Guardian")),
    "limits-that-widen": Mutant(
        "child/limits.c", "the stricter of what is asked",
        (("child/limits.c",
          "\twant.soft = stricter(stricter(soft, old.soft), want.hard);",
          "\twant.soft = stricter(soft, want.hard);"),), unit("test_stub")),
    "mounts-writable": Mutant(
        "child/root.c", "read-only unless granted",
        (("child/root.c", "\t\tattr.attr_set |= MOUNT_ATTR_RDONLY;", "\t\t;"),
         ), e2e(OUTSIDE, "Mounts")),
    "mounts-with-devices": Mutant(
        "child/root.c", "read-only unless granted",
        (("child/root.c", "\t\tattr.attr_set |= MOUNT_ATTR_NODEV;", "\t\t;"),
         ), e2e(OUTSIDE, "Mounts")),
    "old-root-kept": Mutant(
        "child/root.c", "pivot_root and not chroot",
        (("child/root.c",
          "\tr = STUB_SYS(__NR_umount2, \".\", MNT_DETACH);", "\tr = 0;"),),
        RUNS),
    "mounts-not-checked": Mutant(
        "child/mountinfo.c", "the proof behind",
        (("child/mountinfo.c", "\t\t\t\treturn EXDEV;",
          "\t\t\t\tmounts += 0;"),), unit("test_stub")),
    "everything-beneath-nothing": Mutant(
        "child/mountinfo.c", "everything is beneath the empty path",
        (("child/mountinfo.c", "\tif (*path == '\\0')\n\t\treturn false;\n",
          ""),), unit("test_stub")),
    "workspace-that-hides": Mutant(
        "child/workspace.c", "what cannot be looked into",
        (("child/workspace.c",
          "fd != -ENOTDIR && fd != -ELOOP)\n\t\tusage->hidden = true;",
          "fd != -ENOTDIR && fd != -ELOOP)\n\t\tusage->hidden = false;"),),
        e2e("test_310_process", "Inside.test_what_hides_ends")),

    # --- the seal --------------------------------------------------------
    "interpreter-dumpable": Mutant(
        "child/module/seal.c", "the order is the promise",
        (("child/module/seal.c",
          "\t\tr = STUB_SYS(__NR_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);",
          "\t\tr = 0;"),), RUNS),
    "filter-before-landlock": Mutant(
        "child/module/seal.c", "the order is the promise",
        (("child/module/seal.c",
          "\tstub_probe_before(plan, ready);",
          "\tstub_probe_before(plan, ready);\n"
          "\tcheck(WIRE_STAGE_SECCOMP, stub_seccomp_apply(plan, "
          "&listener));"),), RUNS),
    "filter-of-one-thread": Mutant(
        "child/seccomp.c", "on every thread (TSYNC)",
        (("child/seccomp.c",
          "\tunsigned long flags = SECCOMP_FILTER_FLAG_TSYNC;",
          "\tunsigned long flags = 0;"),), unit("test_seal")),
    "listener-kept": Mutant(
        "child/seccomp.c", "who holds the listener answers",
        (("child/seccomp.c", "\tr = STUB_SYS(__NR_close, listener);",
          "\tr = 0;"),),
        e2e(TRACE, "Reach.test_no_descriptor_of_it_is_inside")),
    "listener-kept-in-the-unit": Mutant(
        "child/seccomp.c", "who holds the listener answers",
        (("child/seccomp.c", "\tr = STUB_SYS(__NR_close, listener);",
          "\tr = 0;"),), unit("test_seal")),
    "rights-of-directories-on-files": Mutant(
        "child/landlock.c", "rights are masked by the type",
        (("child/landlock.c", "\t\tpath.access &= FS_OF_FILES;", "\t\t;"),),
        RUNS),
    "key-of-the-module-known": Mutant(
        "child/module/link.c", "results come from strangers",
        (("child/module/link.c",
          "\t(void)STUB_SYS(__NR_getrandom, &link->seed, "
          "sizeof(link->seed), 0);", ""),), ("replay", "module")),

    # --- the filter: test_filter_mutants changes the table itself ----------
    "half-a-register": Mutant(
        "supervisor/filter_table.h", "a filter sees 64-bit registers",
        (("supervisor/filter_table.c",
          "\t\t(arg), true, false, 1, (mask),", "\t\t(arg), false, false, 1, "
          "(mask),"),), unit("test_filter")),
    "half-an-id": Mutant(
        "supervisor/filter_table.c", "an id is 32 bits to the kernel",
        (("supervisor/filter_table.c", "\t\t(arg), true, true, 1, FULL,",
          "\t\t(arg), false, true, 1, FULL,"),), unit("test_filter")),
    "threads-with-tables": Mutant(
        "supervisor/filter_table.c", "clone makes threads of this process",
        (("supervisor/filter_table.c", "\t(CLONE_SYSVSEM |",
          "\t(CLONE_SYSVSEM | CLONE_NEWUSER |"),), unit("test_filter")),
    "signals-to-others": Mutant(
        "supervisor/filter_table.c", "comparing with the own id",
        (("supervisor/filter_table.c", "    ALLOW_IF(kill, IS_SELF(0)),",
          "    ALLOW_IF(kill, IS(2, 0)),"),), unit("test_filter")),
    "dumpable-again": Mutant(
        "supervisor/filter_table.c", "no prctl that changes more",
        (("supervisor/filter_table.c",
          "\tIS(0, PR_GET_DUMPABLE, PR_GET_KEEPCAPS,",
          "\tIS(0, PR_GET_DUMPABLE, PR_SET_DUMPABLE,"),),
        unit("test_filter")),
    "signals-by-descriptors": Mutant(
        "supervisor/filter_table.c", "fcntl without F_SETOWN",
        (("supervisor/filter_table.c",
          "IS(1, F_SETFL), IS_MASKED(2, O_ASYNC, 0)", "IS(1, F_SETFL)"),),
        unit("test_filter")),
    "modes-of-the-callers-files": Mutant(
        "supervisor/filter_table.c", "Landlock does not govern these",
        (("supervisor/launch.c", "\t    .shared_uid =", "\t    .network = "
          "false && "),), ("plain", "test_501_hostile.py",
                           "Hostile.test_metadata"), True),
    "pairs-of-datagrams": Mutant(
        "supervisor/filter_table.c", "stream pairs only",
        (("supervisor/filter_table.c", "SOCK_NONBLOCK), SOCK_STREAM)",
          "SOCK_NONBLOCK), SOCK_STREAM, SOCK_DGRAM)"),),
        unit("test_filter")),
    "sockets-of-unix": Mutant(
        "supervisor/filter_table.c", "streams and datagrams of the two",
        (("supervisor/filter_table.c",
          "    ALLOW_IF(socket, IS(0, AF_INET, AF_INET6),\n"
          "\tIS_MASKED(1, ~SOCKET_FLAGS, SOCK_STREAM)",
          "    ALLOW_IF(socket, IS(0, AF_INET, AF_INET6, AF_UNIX),\n"
          "\tIS_MASKED(1, ~SOCKET_FLAGS, SOCK_STREAM)"),),
        e2e("test_130_network", "Denied.test_level_process")),
    "network-that-nobody-granted": Mutant(
        "supervisor/filter_table.c", "streams and datagrams of the two",
        (("supervisor/filter.c", "\t\treturn params->network;",
          "\t\treturn params->arch < SUP_FILTER_ARCHES;"),),
        unit("test_filter")),
    "names-of-unix": Mutant(
        "supervisor/filter_table.c", "a filter sees neither the family",
        (("supervisor/filter_table.c", "    ALLOW_IF(bind, AN_ADDRESS(2)),",
          "    ALLOW_IF(bind, IS_MASKED(2, 0, 0)),"),),
        e2e("test_130_network", "Denied.test_level_isolated")),
    "x32-let-through": Mutant(
        "supervisor/filter.c", "the x32 calls reach the same kernel",
        (("supervisor/filter.c", "\t\tpush_segment(c, X32_BIT, killed);",
          "\t\tpush_segment(c, X32_BIT, newer), (void)killed;"),),
        unit("test_filter")),
    "own-id-that-is-a-group": Mutant(
        "supervisor/filter.c", "0 and what is negative to the kernel",
        (("supervisor/filter.c",
          "\tif (params->own_pid == 0 || params->own_pid > INT32_MAX)",
          "\tif (params->own_pid > INT32_MAX)"),), unit("test_filter")),

    # --- what the host gives to a child ------------------------------------
    "mapped-to-root": Mutant(
        "supervisor/idmap.h", "a child is never mapped to real root",
        (("supervisor/idmap.c", "\t\tret_map->own = ret_map->full = true;",
          "\t\tret_map->own = false;"),), RUNS, True),
    "supervisors-environment": Mutant(
        "supervisor/spawn.c", "an empty environment and a fresh image",
        (("supervisor/sys.c",
          "\t(void)syscall(SYS_execveat, fd, \"\", argv, envp, "
          "AT_EMPTY_PATH);",
          "\t(void)syscall(\n\t    SYS_execveat, fd, \"\", argv, envp[0] ? "
          "envp : environ, AT_EMPTY_PATH);"),),
        e2e(OUTSIDE, "Processes.test_isolated"), True),
    "plan-unsealed": Mutant(
        "supervisor/sys.c", "what was checked is what will be read",
        (("supervisor/sys.c",
          "F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE",
          "F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW"),), unit("test_seal")),
    "network-never-new": Mutant(
        "supervisor/spawn.c", "without the grant the network is always",
        (("supervisor/spawn.c",
          "request->network ? flags & ~CLONE_NEWNET : flags;",
          "flags & ~CLONE_NEWNET;"),),
        e2e("test_130_network", "Default.test_is_enforced")),
    "keys-beside-certificates": Mutant(
        "supervisor/launch_root.c", "no directory that holds private keys",
        (("supervisor/launch_root.c", "    \"/etc/ssl/certs\",\n",
          "    \"/etc/ssl\",\n"),),
        e2e("test_130_network", "Denied.test_level_process")),
    "sockets-as-files": Mutant(
        "supervisor/launch_root.h", "no right to execute and none to make",
        (("supervisor/launch_root.h", "1ULL << 8 |           \\\n"
          "\t    1ULL << 10", "1ULL << 8 |           \\\n"
          "\t    1ULL << 9 | 1ULL << 10"),),
        e2e("test_130_network", "Denied.test_level_isolated")),
    "network-without-a-filter": Mutant(
        "supervisor/grades.c", "a grant excuses the grade",
        (("supervisor/grades.c",
          "\treturn e->network && e->ready && e->fork_errno == EPERM;",
          "\treturn e->network;"),), unit("test_grades_process")),
    "own-programs-run": Mutant(
        "supervisor/launch_root.h", "no right to execute and none to make",
        (("supervisor/launch_root.h", "\t(1ULL << 1 | 1ULL << 4 |",
          "\t(1ULL << 0 | 1ULL << 1 | 1ULL << 4 |"),),
        ("layers", "test_302_alone.py",
         "Alone.test_landlock_process_other_programs_run_programs")),
    "preload-with-blanks": Mutant(
        "supervisor/launch.c", "a file of ours, read-only in the child",
        (("supervisor/launch.c",
          "\tif (strpbrk(path, \" :\\t\\n\") != NULL)\n\t\treturn;\n", ""),),
        e2e(OUTSIDE, "Blanks")),
    "environment-handed-on": Mutant(
        "supervisor/launch.c", "the environment is built from nothing",
        (("supervisor/launch.c",
          "\tadd_variable(launch, \"HOME\", workspace);",
          "\tadd_variable(launch, \"HOME\", workspace);\n"
          "\tif (getenv(\"SECRET\") != NULL)\n"
          "\t\tadd_variable(launch, \"SECRET\", getenv(\"SECRET\"));"),),
        e2e("test_301_denied", "Canary.test_secret_in_the_environment")),
    "loaders-variables-granted": Mutant(
        "supervisor/grant_check.c", "what a loader, a C library",
        (("supervisor/grant_check.c", "    \"LD_\", \"PYTHON\",",
          "    \"PYTHON\","),), unit("test_profile_read")),
    "own-directories-granted": Mutant(
        "supervisor/grants.h", "false with a sentence when a grant holds",
        (("supervisor/grants.c",
          "\t\tif (!is_beneath(path, dir) && !is_beneath(dir, path))",
          "\t\tif (!is_beneath(path, dir))"),), e2e("test_120_grants", "Own")),
    "workspaces-of-others-granted": Mutant(
        "supervisor/own.c", "what weir runs, where workspaces",
        (("supervisor/own.c",
          "\t\tif (!is_link(base) && !sup_grants_keep_off",
          "\t\tif (i > 9 && !sup_grants_keep_off"),),
        e2e(OUTSIDE, "Grants")),
    "ledgers-granted": Mutant(
        "supervisor/own.c", "what weir runs, where workspaces",
        (("supervisor/own.c", "weir->state == NULL ||", "true ||"),),
        e2e("test_120_grants", "Own")),
    "configuration-granted": Mutant(
        "supervisor/cmd_terms.c", "what configures weir, and the command",
        (("supervisor/cmd_terms.c",
          "options->policy_file, options->request_file, "
          "options->mcp_config,\n\t    options->http_tools, \"/proc/self/exe\"};",
          "NULL, NULL, NULL, NULL, NULL, NULL};"),),
        e2e("test_303_outside", "Grants")),
    "granted-values-told": Mutant(
        "supervisor/result.c", "a value that was granted may be",
        (("supervisor/result.c", "if (i >= e->launch->variables_from)",
          "if (i > e->launch->variables_from + 1000)"),),
        e2e("test_120_grants", "Granted.test_values_are_not_told")),
    "environments-believed": Mutant(
        "supervisor/pyvenv.h", "the file may be anybody's",
        (("supervisor/interp.c",
          "\tif (sup_pyvenv_value(text, \"executable\", base, "
          "sizeof(base)) &&\n\t    is_elf(base) == 1)",
          "\tif (sup_pyvenv_value(text, \"executable\", base, "
          "sizeof(base)))"),), unit("test_interp")),

    "set-ids-by-mode": Mutant(
        "supervisor/filter_table.c", "no file is made set-user-id",
        (("supervisor/filter_table.c",
          "    ALLOW_IF(chmod, IS_MASKED(1, SET_ID, 0)),",
          "    ALLOW_IF(chmod, IS_MASKED(1, 0, 0)),"),),
        e2e("test_120_grants", "Granted.test_level_isolated")),
    "set-ids-by-open": Mutant(
        "supervisor/filter_table.c", "no file is made set-user-id",
        (("supervisor/filter_table.c",
          "    ALLOW_IF(openat, IS_MASKED(3, SET_ID, 0)),",
          "    ALLOW_IF(openat, IS_MASKED(3, S_ISGID, 0)),"),),
        unit("test_filter")),

    # --- processes, where they are granted ---------------------------------
    "memory-of-each": Mutant(
        "supervisor/terms.c", "the address space is each process's own",
        (("supervisor/terms.c",
          "\t\tterms.limits[SUP_LIMIT_MEMORY] =\n"
          "\t\t    limits[SUP_LIMIT_ADDRESS_SPACE];", "\t\t;"),),
        unit("test_terms")),
    "forks-into-namespaces": Mutant(
        "supervisor/filter_table.c", "a copy (fork), or one that borrows",
        (("supervisor/filter_table.c",
          "IS_WIDE(0, ~(uint32_t)FORK_OPTIONAL, SIGCHLD)",
          "IS_WIDE(0, ~(uint32_t)(FORK_OPTIONAL | CLONE_NEWUSER), SIGCHLD)"),
         ), unit("test_filter")),
    "children-ignored": Mutant(
        "supervisor/filter_table.c", "a copy (fork), or one that borrows",
        (("supervisor/filter_table.c",
          "    ALLOW_IF(rt_sigaction, HAS_BIT(0, 1)),",
          "    ALLOW_IF(rt_sigaction, HAS_BIT(0, 0)),"),),
        e2e(GRANTED, "Budgets.test_nobody_ignores_its_children")),
    "workspace-of-programs": Mutant(
        "child/root.c", "with processes there is nothing in it",
        (("child/root.c",
          "(plan->processes > 0 ? MOUNT_ATTR_NOEXEC : 0);",
          "(plan->processes > 1u << 20 ? MOUNT_ATTR_NOEXEC : 0);"),),
        e2e(GRANTED, "Programs.test_by_the_loader")),
    "libraries-are-programs": Mutant(
        "supervisor/launch_grants.h", "with `processes` these files alone",
        (("supervisor/launch_grants.c",
          "\tadd_loader(launch, interpreter);",
          "\tadd_loader(launch, interpreter);\n"
          "\tsup_launch_add_rule(launch, \"/usr/lib\", "
          "SUP_LANDLOCK_PROGRAM);"),),
        e2e(GRANTED, "Programs.test_of_the_system")),
    "neighbours-are-programs": Mutant(
        "supervisor/launch_grants.h", "with `processes` these files alone",
        (("supervisor/launch_grants.c",
          "(is_executed(launch, g) ? SUP_LANDLOCK_PROGRAM",
          "(launch->stub.processes > 0 ? SUP_LANDLOCK_PROGRAM"),),
        e2e(EXEC, "Honest.test_in_a_place_that_can_be_read")),
    "programs-without-processes": Mutant(
        "supervisor/terms_grants.c", "executables count only with",
        (("supervisor/terms_grants.c",
          "\t\tif (!g->execute || said->limits[SUP_LIMIT_PROCESSES] > 0)",
          "\t\tif (!g->execute || said->level_most > 0)"),),
        e2e(EXEC, "Refused.test_without_processes")),
    "programs-that-a-policy-took": Mutant(
        "supervisor/terms_grants.c", "executables count only with",
        (("supervisor/terms_grants.c",
          "\tif (policy != NULL && policy->exec_given)",
          "\tif (policy != NULL && policy->exec.count > 64)"),),
        e2e(EXEC, "Result.test_a_policy")),
    "privileged-programs": Mutant(
        "supervisor/grant_exec.c", "nothing that changes who runs it",
        (("supervisor/grant_exec.c",
          "\tif ((st->st_mode & (S_ISUID | S_ISGID)) != 0)",
          "\tif ((st->st_mode & S_ISGID) != 0)"),),
        e2e(EXEC, "Refused.test_privileges")),
    "programs-that-it-writes": Mutant(
        "supervisor/grant_exec.c", "what may be executed must not be",
        (("supervisor/grant_exec.c",
          "\t\tif (!g->write)\n\t\t\tcontinue;",
          "\t\tif (!g->write || g->directory)\n\t\t\tcontinue;"),),
        e2e(EXEC, "Refused.test_what_it_may_write")),
    "programs-of-many-names": Mutant(
        "supervisor/grant_exec.c", "what may be executed must not be",
        (("supervisor/grant_exec.c",
          "st.st_nlink > 1 &&", "st.st_nlink > 1000000 &&"),),
        e2e(EXEC, "Refused.test_hard_links")),
    "reports-by-the-program": Mutant(
        "supervisor/doctor_trace.c", "what a program says of itself",
        (("supervisor/doctor_trace.c",
          "text.p[i] < ' ' || text.p[i] == 0x7f", "text.p[i] == 0x7f"),),
        e2e("test_702_doctor_trace", "Text.test_one_line_for_what_it_says")),
    "trees-that-nobody-holds": Mutant(
        "supervisor/grades.c", "without a PID namespace a program",
        (("supervisor/grades.c", "\treturn e->own_number && "
          "e->landlock_proved &&", "\treturn e->ready || "
          "e->landlock_proved ||"),), unit("test_grades_tree")),
    "processes-without-their-bounds": Mutant(
        "supervisor/grades_level.c", "what a grant of processes rests on",
        (("supervisor/grades_level.c",
          "\tif (e->processes == 0 || e->backend == WIRE_BACKEND_NONE)\n"
          "\t\treturn false;", "\tif (e->processes < 1u << 20)\n"
          "\t\treturn false;"),), unit("test_grades_tree")),

    # --- the channel -------------------------------------------------------
    "hosts-frames-taken": Mutant(
        "supervisor/chan.c", "the host's own frames are never taken",
        (("supervisor/chan.c",
          "\t\terr = wire_session_receive(&chan->session, &msg, true);",
          "\t\terr = wire_session_receive(&chan->session, &msg, "
          "wire_msg_is_childs(msg.type));"),), unit("test_chan")),
    "deaf-ones-are-read": Mutant(
        "supervisor/chan.c", "who does not read its replies",
        (("supervisor/chan.c",
          "!chan->ended && !chan->is_full; lines++)",
          "!chan->ended; lines++)"),), unit("test_chan")),
    "key-of-the-channel-known": Mutant(
        "supervisor/chan.c", "the key of the duplicate table",
        (("supervisor/chan.c",
          "\tr = sup_sys_random(&chan->seed, sizeof(chan->seed));",
          "\tr = 0;"),), unit("test_chan")),
    "smuggled-descriptors-kept": Mutant(
        "supervisor/sys.c", "the peer may attach descriptors",
        (("supervisor/sys.c", "\t\t\t(*ret_closed)++;\n"
          "\t\t\tsup_sys_close(&fd);", "\t\t\t(*ret_closed)++;"),),
        unit("test_chan")),

    "any-descriptor-taken": Mutant(
        "supervisor/chan.c", "one descriptor, with the first byte",
        (("supervisor/chan.c", "\t    chan->frame.base + chan->frame.end == 0;",
          "\t    chan->fds_closed < ~0u;"),), unit("test_chan")),
    "refused-calls-go-on": Mutant(
        "supervisor/sys_notify.c", "no flags, so never",
        (("supervisor/sys_notify.c", "\tout.answer.flags = 0;\n"
          "\tout.answer.error = error > 0 ? -error : -EPERM;",
          "\tout.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;\n"
          "\tout.answer.error = error > 0 ? 0 : -EPERM;"),),
        e2e(TRACE, "Names.test_what_python_tries")),
    "refused-calls-succeed": Mutant(
        "supervisor/sys_notify.c", "no flags, so never",
        (("supervisor/sys_notify.c",
          "\tout.answer.error = error > 0 ? -error : -EPERM;",
          "\tout.answer.error = -error;"),), unit("test_seal")),

    # --- the end -----------------------------------------------------------
    "nobody-killed": Mutant(
        "supervisor/exec.c", "process 1 is the handle on all of it",
        (("supervisor/exec.c",
          "\tif (sup_sys_signal(e->child.pidfd, e->child.pid, SIGKILL) == 0)"
          "\n\t\te->facts.killed = true;\n"
          "\t/* It would follow anyway; so the two end side by side. */\n"
          "\tif (e->pidfd2 >= 0)\n"
          "\t\t(void)sup_sys_signal(e->pidfd2, 0, SIGKILL);",
          "\te->facts.killed = true;"),),
        e2e("test_501_hostile", "Hostile.test_stop_itself")),
    "broken-evidence-forgiven": Mutant(
        "supervisor/verdict.c", "what ran under weaker terms",
        (("supervisor/verdict.c", "\tif (f->evidence_broken) {",
          "\tif (f->evidence_broken && f->ran && !f->ran) {"),),
        unit("test_verdict")),
    "output-under-broken-evidence": Mutant(
        "supervisor/result.c", "what ran under weaker terms",
        (("supervisor/result.c", "\tif (e->facts.evidence_broken)\n"
          "\t\twire_out_text(out, \"\");\n\telse\n", "\t(void)e;\n"),),
        e2e(OUTSIDE, "Changed"), True),

    "warnings-under-broken-evidence": Mutant(
        "supervisor/result.c", "the program's own text, withheld",
        (("supervisor/result.c",
          "i < e->done.warning_count && !e->facts.evidence_broken; i++)",
          "i < e->done.warning_count; i++)"),),
        e2e(OUTSIDE, "Changed"), True),

    "out-of-memory-as-a-claim": Mutant(
        "supervisor/result.c", "a MemoryError, for one, is the program's",
        (("supervisor/result.c", "\twire_out_bool(out, theirs);",
          "\twire_out_bool(out, theirs || !theirs);"),),
        e2e("test_210_memory", "OverBy")),

    # --- files, terminals --------------------------------------------------
    "scratch-of-others": Mutant(
        "supervisor/scratch.c", "/tmp is everybody's",
        (("supervisor/scratch.c", "(st.st_mode & refused_bits) == 0;",
          "refused_bits < 010000;"),),
        e2e("test_311_base", "Base.test_open_to_others")),
    "watch-put-off": Mutant(
        "child/init.c", "at its time, whatever else there is",
        (("child/init.c", "\t\tif (watched && monotonic_ms() >= look_ms)",
          "\t\telse if (watched && monotonic_ms() >= look_ms)"),
         ("child/init.c", "until_ms > now ? until_ms - now : 0;",
          "until_ms > 0 ? LOOK_EVERY_MS : now;")),
        e2e("test_310_process", "Busy.test_process")),
    "one-place-for-workspaces": Mutant(
        "supervisor/scratch.c", "what another has put in the place",
        (("supervisor/scratch.c", "i < SUP_SCRATCH_PLACES && fd < 0; i++) {",
          "i < 1; i++) {"),),
        e2e("test_311_base", "Base.test_link")),
    "file-of-others-taken": Mutant(
        "supervisor/unlinked.c", "the directory is everybody's",
        (("supervisor/unlinked.c", "O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW",
          "O_RDWR | O_CREAT | O_NOFOLLOW"),), unit("test_queue")),
    "terms-that-others-write": Mutant(
        "supervisor/profile_file.c", "whoever can write to a file",
        (("supervisor/profile_file.c",
          "(st->st_mode & (S_IWGRP | S_IWOTH)) == 0",
          "(st->st_mode & S_IWOTH) == 0"),),
        e2e("test_110_profiles", "Files.test_modes_of_the_file")),
    "requests-with-paths": Mutant(
        "supervisor/profile_member.c", "a request is pure data",
        (("supervisor/profile_member.c", "{\"read\", IN_PROFILE, read_read}",
          "{\"read\", IN_PROFILE | IN_REQUEST, read_read}"),),
        unit("test_profile_read")),
    "terminal-driven": Mutant(
        "supervisor/printer.h", "a program must not be able to drive",
        (("supervisor/printer.c",
          "\treturn !(len == 2 && p[0] == 0xc2 && p[1] < 0xa0);",
          "\treturn true;"),), unit("test_output")),
    "terminal-driven-by-doctor": Mutant(
        "supervisor/cmd_doctor.c", "paths stand in it",
        (("supervisor/cmd_doctor.c", "\tif (isatty(STDOUT_FILENO) == 1) {",
          "\tif (isatty(STDOUT_FILENO) == 2) {"),),
        e2e(OUTSIDE, "Doctor")),
    "records-that-drive-a-terminal": Mutant(
        "supervisor/log_line.h", "everything in a record may have been",
        (("supervisor/log_line.c",
          "\t\tbind_text_add_escaped(text, record->value[field].bytes);",
          "\t\tbind_text_add_span(text, record->value[field].bytes);"),),
        unit("test_log")),
    "state-of-others": Mutant(
        "supervisor/state_dir.h", "what others could write to is refused",
        (("supervisor/state_dir.c", "\telse if ((st.st_mode & mask) != 0)",
          "\telse if ((st.st_mode & mask & 010000) != 0)"),),
        e2e("test_800_ledger",
            "Failing.test_directories_that_others_can_write_to")),
    "dispatched-after-the-end": Mutant(
        "bindings/session.c", "what waits here has an effect only",
        (("bindings/session.c",
          "\tif (session->gate == BIND_GATE_CLOSED)\n"
          "\t\treturn session->shut;\n"
          "\tif (session->budget.is_dry)",
          "\tif (session->budget.is_dry)"),),
        unit("test_session_safe")),
    "begun-without-time": Mutant(
        "bindings/session.c", "a call that has ended may have used up",
        (("bindings/session.c",
          "\t    bind_budget_time_left(budget) == 0) {",
          "\t    bind_budget_time_left(budget) == UINT64_MAX) {"),),
        unit("test_tool_meters")),
    "lock-waited-for-each-time": Mutant(
        "bindings/ledger_file.h", "the lock is waited for no longer",
        (("bindings/ledger_file.c", "\tledger->kept = r == -EAGAIN;",
          "\tledger->kept = r == 1;"),),
        unit("test_ledger_file")),
    "a-disk-that-failed-is-used-on": Mutant(
        "supervisor/exec_ledger.c", "a later sync, of another descriptor",
        (("supervisor/exec_ledger.c", "\tif (e->weir->disk_failed) {",
          "\tif (e->weir->disk_failed && !e->weir->disk) {"),),
        ("library", "test_810_kills.py", "OneSupervisor")),
    "answers-before-the-disk": Mutant(
        "supervisor/exec_ledger.c", "an answer whose end is not on the disk",
        (("supervisor/exec_tools.c", "\t\tsup_chan_hold(&e->chan);",
          "\t\te->chan.held = false;"),),
        e2e("test_810_kills", "Disk.test_a_disk_that_fails")),
    "doctor-maps-root": Mutant(
        "supervisor/doctor_steps.c", "never to root",
        (("supervisor/doctor_steps.c",
          "\tif (!map.own && (map.uid == 0 || map.gid == 0)) {",
          "\tif (!map.own && map.uid == 0 && map.gid == 1) {"),),
        e2e("test_700_doctor", "Refused.test_only_root_to_map")),
    # --- results that are kept -------------------------------------------
    "handle-derived": Mutant(
        "bindings/store.c", "a token is the right to read",
        (("bindings/store.c",
          "\tint r = store->random(bits, sizeof(bits));",
          "\tint r = 0 * (int)store->count;\n\n"
          "\tmemset(bits, (int)store->count, sizeof(bits));"),),
        unit("test_kept_text")),
    "handle-by-its-beginning": Mutant(
        "bindings/store.c", "every token is compared to its end",
        (("bindings/store.c",
          "\t\tfor (size_t k = 0; k < BIND_TOKEN_LEN; k++)",
          "\t\tfor (size_t k = 0; k < BIND_TOKEN_LEN / 2; k++)"),),
        unit("test_kept_text")),
    "results-unclaimed": Mutant(
        "bindings/provider.h", "so what all results together take",
        (("bindings/session.c", "\tsession->held += max - call->held;",
          "\tsession->held += 0 * max;"),),
        unit("test_tool_handles")),
    "half-a-character": Mutant(
        "bindings/window.c", "both ends are the beginnings",
        (("bindings/window.c",
          "\tbegin = wire_utf8_floor(text, (size_t)offset);",
          "\tbegin = (size_t)offset;"),),
        unit("test_kept_text")),
    "clock-unseen": Mutant(
        "bindings/effort.c", "the clock is looked at again",
        (("bindings/effort.c",
          "\teffort->looked_ns = effort->now_ns(effort->arg);\n}\n\n"
          "static bool",
          "}\n\nstatic bool"),),
        unit("test_search")),
    "pattern-that-splits-characters": Mutant(
        "bindings/regex.h", "no just-in-time compiler",
        (("bindings/regex.c", " PCRE2_NEVER_BACKSLASH_C |", ""),),
        unit("test_search")),
    "pattern-of-any-length": Mutant(
        "bindings/read_request.c", "a pattern's length is capped",
        (("bindings/read_request.c",
          "\tbind_text_add(why, \"pattern is over the limit of \");",
          "\trequest->pattern_len = 0;\n\treturn true;\n"
          "\tbind_text_add(why, \"pattern is over the limit of \");"),),
        e2e("test_820_handles", "Handles.test_arguments_that_are_none")),
    "searches-take-all": Mutant(
        "bindings/builtin.c", "however many searches a program has",
        (("bindings/builtin.c",
          "\t} while (bind_sys_cpu_time() - began < BIND_EFFORT_TURN_NS);",
          "\t} while (began > 0);"),),
        unit("test_tool_handles")),
    "servers-shared": Mutant(
        "supervisor/exec_mcp.c", "two tenants never share a server",
        (("supervisor/exec_mcp.c",
          "memcmp((*at)->owner, owner, BIND_SHA256_LEN) != 0))",
          "memcmp((*at)->owner, owner, 0) != 0))"),),
        ("library", "test_830_mcp.py", "Across.test_two_tenants_never_share_"
         "one")),
    "values-forgotten": Mutant(
        "supervisor/mcp_load.c", "remembered for as long as",
        (("supervisor/mcp_load.c", "\tif (len < BIND_REDACT_LEAST)",
          "\tif (len < 100 * BIND_REDACT_LEAST)"),),
        unit("test_mcp_config")),
    "values-in-standard-error": Mutant(
        "bindings/mcp_server.c", "what was configured for the server",
        (("bindings/mcp_server.c",
          "\tbind_redact_add(&shown, &redact, said, is_tail);",
          "\tredact.count = is_tail;\n"
          "\tbind_text_add_span(&shown, said);"),),
        e2e("test_830_mcp", "Secrets.test_in_standard_error_at_the_start")),
    "tasks-that-wait": Mutant(
        "bindings/provider_mcp.c", "what may wait for a person",
        (("bindings/provider_mcp.c",
          "tool->suspends ? BIND_TOOL_NEEDS_INPUT : 0,", "0,"),),
        e2e("test_830_mcp", "Input.test_a_tool_that_runs_only_as_a_task")),
    "list-without-an-end": Mutant(
        "bindings/mcp_list.c", "a list without an end is cut",
        (("bindings/mcp_list.c",
          "raw.len > BIND_MCP_CURSOR || list->page_count + 1 >= "
          "BIND_MCP_PAGES;",
          "raw.len > BIND_MCP_CURSOR || list->page_count + 1 > "
          "BIND_MCP_PAGES;"),),
        unit("test_mcp_text")),
    "tools-without-number": Mutant(
        "bindings/mcp_list.c", "neither tools nor what they say",
        (("bindings/mcp_list.c", "if (list->count == BIND_MCP_TOOLS) {",
          "if (list->count == BIND_MCP_TOOLS + 1) {"),),
        unit("test_mcp_text")),
    "dots-in-names-of-servers": Mutant(
        "supervisor/mcp_read.c", "what stands before the first dot",
        (("supervisor/mcp_read.c",
          "\tif (strchr(server->name.text, '.') != NULL)",
          "\tif (server->name.text[0] == '.')"),),
        e2e("test_830_mcp", "Config.test_name_with_a_dot")),
    "cut-before-it-is-hidden": Mutant(
        "bindings/mcp_call.c", "all that was said is looked at",
        (("bindings/mcp_call.c",
          "\tbind_redact_add(&text, &redact, said, false);",
          "\tsaid.len = said.len < 4096 ? said.len : 4096;\n"
          "\tbind_redact_add(&text, &redact, said, false);"),),
        e2e("test_830_mcp", "Secrets.test_cut_in_the_middle")),
    "errors-for-nothing": Mutant(
        "bindings/mcp_call.c", "an error costs what arrived",
        (("bindings/mcp_call.c", "\t\t.value = call->arrived,\n", ""),),
        e2e("test_830_mcp", "Errors.test_errors_cost_what_arrived")),
    "tools-that-are-gone": Mutant(
        "bindings/provider_mcp.c", "what its server does not list any more",
        (("bindings/provider_mcp.c", "    .admit = admit,\n", ""),),
        ("library", "test_830_mcp.py",
         "Across.test_a_tool_that_goes_while_others_run")),
    "entries-without-number": Mutant(
        "bindings/mcp_list.c", "nor does looking for a name cost",
        (("bindings/mcp_list.c",
          "\t\tif (++list->entries > BIND_MCP_ENTRIES) {",
          "\t\tif (++list->entries > BIND_MCP_ENTRIES + 1) {"),),
        unit("test_mcp_text")),
    "noise-for-ever": Mutant(
        "bindings/mcp_hear.c", "a server that only makes noise",
        (("bindings/mcp_hear.c", "\tif (++s->noise < BIND_MCP_NOISE_MAX)",
          "\tif (++s->noise <= BIND_MCP_NOISE_MAX)"),),
        e2e("test_830_mcp", "Disorder.test_noise_up_to_its_bound")),
    "questions-for-ever": Mutant(
        "bindings/mcp_queue.c", "a server that does not read makes",
        (("bindings/mcp_hear.c",
          "\tif (s->process.queue.answers > BIND_MCP_ANSWERS) {",
          "\tif (s->process.queue.answers > BIND_MCP_QUEUE_MAX) {"),),
        e2e("test_830_mcp", "Disorder.test_questions_without_end")),
    "end-of-a-cancelled-call": Mutant(
        "bindings/mcp_call.c", "a server need not stop",
        (("bindings/mcp_call.c", "\tfail(call, kind, &text, !heard);",
          "\tfail(call, kind, &text, true);"),),
        e2e("test_830_mcp", "Time.test_timed_out")),
    "handle-told-apart": Mutant(
        "bindings/builtin.c", "one refusal for every handle",
        (("bindings/builtin.c",
          "job, WIRE_TOOL_HANDLE_NOT_YOURS, \"there is no such handle\");",
          "job, WIRE_TOOL_HANDLE_NOT_YOURS, request.token_len == 0 "
          "? \"this is no handle\" : \"there is no such handle\");"),),
        unit("test_tool_handles")),
    # --- meters ------------------------------------------------------------
    "produced-uncharged": Mutant(
        "bindings/result.c", "what has arrived is charged before",
        (("bindings/result.c",
          "\tif (bind_builtin_is(call->tool))\n\t\treturn WIRE_TOOL_NONE;",
          "\tif (bind_builtin_is(call->tool) || bytes > 0)\n"
          "\t\treturn WIRE_TOOL_NONE;"),),
        unit("test_tool_meters")),
    "time-of-those-that-run": Mutant(
        "bindings/session.c", "calls at the same time use it",
        (("bindings/session.c",
          "\tuint64_t n = session->live;",
          "\tuint64_t n = session->live > 0;"),),
        unit("test_tool_meters")),
    "answer-before-the-end": Mutant(
        "bindings/pending.c", "where this is the end, it is decided",
        (("bindings/pending.c",
          "\tif (config->exhausted != NULL && !session->muted)",
          "\tif (config->exhausted != NULL && session->muted)"),),
        e2e("test_812_budgets", "Halting.test_calls")),
    "a-run-by-memory": Mutant(
        "bindings/record_ledger.c", "what a Run has spent is what",
        (("bindings/record_ledger.c",
          "\t    .calls = bind_ledger_fold_calls(fold),",
          "\t    .calls = self->list->totals.started +\n"
          "\t\t0 * bind_ledger_fold_calls(fold),"),),
        unit("test_record_ledger")),
    "an-end-that-is-taken-back": Mutant(
        "supervisor/narrow.c", "an end that anybody asks for",
        (("supervisor/narrow.c",
          "a->halt_on_exhaust || b->halt_on_exhaust",
          "a->halt_on_exhaust && b->halt_on_exhaust"),),
        unit("test_narrow")),
    # --- directories as tools --------------------------------------------
    "path-that-goes-up": Mutant(
        "bindings/files_path.c", "a segment \"..\" is seen on the text",
        (("bindings/files_path.c", "\tif (is_traversal(given)) {",
          "\tif (is_traversal(given) && given.len == 0) {"),),
        unit("test_files_path")),
    "beneath-by-its-beginning": Mutant(
        "bindings/files_path.c", "\"out\" does not allow",
        (("bindings/files_path.c",
          "(path.len == top.len || path.p[top.len] == '/');",
          "path.len >= top.len;"),), unit("test_files")),
    "links-followed": Mutant(
        "bindings/sys_files.c", "what a program names stays beneath",
        (("bindings/sys_files.c",
          "(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | "
          "RESOLVE_NO_MAGICLINKS |       \\\n\t    RESOLVE_NO_XDEV)",
          "(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)"),),
        unit("test_files")),
    "mounts-entered": Mutant(
        "bindings/sys_files.c", "what a program names stays beneath",
        (("bindings/sys_files.c",
          "RESOLVE_NO_MAGICLINKS |       \\\n\t    RESOLVE_NO_XDEV)",
          "RESOLVE_NO_MAGICLINKS)"),),
        e2e("test_851_files", "Programs.test_another_file_system"), True),
    "one-call-takes-all": Mutant(
        "bindings/provider_files.c", "one call's worth of work, and that",
        (("bindings/provider_files.c",
          "\tif (steps[j->request.op](j)) {\n\t\tfinish(j);\n\t\treturn;"
          "\n\t}\n\tTAILQ_REMOVE",
          "\twhile (!steps[j->request.op](j))\n\t\t;\n\tfinish(j);\n"
          "\treturn;\n\tTAILQ_REMOVE"),),
        unit("test_files")),
    "first-step-in-start": Mutant(
        "bindings/provider_files.c", "not even its first step is taken",
        (("bindings/provider_files.c", "\tif (!wait_for_turn(j)) {",
          "\tif (steps[tool->op](j)) {\n\t\tfinish(j);\n\t\treturn;"
          "\n\t}\n\tif (!wait_for_turn(j)) {"),),
        unit("test_files")),
    "any-number-of-directories": Mutant(
        "bindings/files_write.c", "before the first one is made",
        (("bindings/files_write.c", "\tif (count > BIND_FILES_MAKE_MAX)",
          "\tif (count == 0)"),),
        unit("test_files")),
    "marks-that-come-too-late": Mutant(
        "supervisor/tool_marks.c", "before anything is offered, so that",
        (("supervisor/exec_mcp.c",
          "\t\tsup_tool_marks_apply(e);", "\t\t(void)0;"),),
        e2e("test_830_mcp", "Marked.test_refused_before_the_server_is_asked")),
    "gone-without-a-proof": Mutant(
        "supervisor/owner.c", "no start time is no proof",
        (("supervisor/owner.c",
          "\t\treturn !sup_sys_is_process((pid_t)owner->pid);",
          "\t\treturn owner->started != 0;"),),
        unit("test_owner")),
    # --- HTTP tools -------------------------------------------------------
    "translated-is-public": Mutant(
        "bindings/address.c", "a translator hands it on",
        (("bindings/address.c",
          "\tif (memcmp(bytes, translated, sizeof(translated)) == 0 ||",
          "\tif (memcmp(bytes, translated, sizeof(translated)) == 1234 ||"),),
        unit("test_address")),
    "mapped-is-ipv6": Mutant(
        "bindings/address.c", "the kernel connects to the IPv4",
        (("bindings/address.c", "\tmemset(address->bytes + 4, 0, 12);\n"
          "\taddress->v6 = false;",
          "\tmemset(address->bytes + 4, 0, 12);"),),
        unit("test_address")),
    "prefix-of-a-word": Mutant(
        "bindings/http_allow.c", "a prefix ends where a segment does",
        (("bindings/http_allow.c",
          "\treturn path.len == len || path.p[len] == '/';",
          "\treturn path.len >= len;"),),
        unit("test_http_url")),
    "arguments-as-they-are": Mutant(
        "bindings/http_url.h", "what comes from arguments",
        (("bindings/http_url.c", "\t\tif (is_unreserved(c))",
          "\t\tif (is_unreserved(c) || c > 0)"),),
        unit("test_http_url")),
    "dots-go-through": Mutant(
        "bindings/http_url.c", "a server that decodes the path",
        (("bindings/http_url.c", "\tif (bind_http_has_dots(path)) {",
          "\tif (path.len == 0 && bind_http_has_dots(path)) {"),),
        unit("test_http_url")),
    "list-unheard": Mutant(
        "bindings/http_url.c", "an argument that stands where",
        (("bindings/http_url.c",
          "\t\t\t&entries[i], &b->template->origin, path))",
          "\t\t\t&entries[i], &b->template->origin, path) ||\n"
          "\t\t    path.len > 0)"),),
        e2e("test_840_http",
            "Hostile.test_the_list_holds_for_what_arguments_make")),
    "secrets-forgotten": Mutant(
        "bindings/http_header.h", "what a variable held is a secret",
        (("bindings/http_header.c",
          "\treturn add_secret(secrets, value, info);",
          "\treturn len > 0 ? WIRE_OK : add_secret(secrets, value, info);"),),
        e2e("test_840_http", "Secrets.test_a_secret_is_withheld")),
    "secrets-spelled-otherwise": Mutant(
        "bindings/http_header.c", "a server may send back",
        (("bindings/http_header.c",
          "\t\tif (has_any(secrets, plain, len))\n\t\t\treturn true;",
          "\t\tif (len == 0)\n\t\t\treturn true;"),),
        e2e("test_840_http", "Secrets.test_a_secret_is_withheld")),
    "refusals-for-nothing": Mutant(
        "bindings/provider_http.c", "what came of a call that has no value",
        (("bindings/provider_http.c",
          "\tif (outcome->kind != WIRE_TOOL_NONE) {\n"
          "\t\toutcome->value", "\tif (outcome->kind == WIRE_TOOL_CANCELLED)"
          " {\n\t\toutcome->value"),),
        e2e("test_840_http", "Hostile.test_what_is_refused_is_metered")),
    "types-that-tell": Mutant(
        "bindings/provider_http.c", "a type is told as it came",
        (("bindings/provider_http.c", "\t\tj->response.type_len = 0;",
          "\t\tj->response.type_len += 0;"),),
        e2e("test_840_http", "Secrets.test_a_secret_is_withheld")),
    "codings-taken": Mutant(
        "bindings/http_response.c", "a coding is a small text",
        (("bindings/http_response.c",
          "\tif (same(name, \"content-encoding\") && value.len > 0 &&",
          "\tif (same(name, \"content-encoding\") && value.len > 99 &&"),),
        unit("test_http_text")),
    "excerpts-behind-blanks": Mutant(
        "bindings/http_response.c", "before blanks are left out",
        (("bindings/http_response.c",
          "\tif (body.len > BIND_HTTP_EXCERPT)\n",
          "\tbody = trim(body);\n\tif (body.len > BIND_HTTP_EXCERPT)\n"),),
        unit("test_http_text")),
    "headers-without-end": Mutant(
        "bindings/http_response.c", "1xx answers and trailers",
        (("bindings/http_response.c",
          "\tif (line.len > BIND_HTTP_HEADERS_MAX - response->header_bytes)",
          "\tif (line.len > SIZE_MAX - response->header_bytes)"),),
        unit("test_http_text")),
    "address-unasked": Mutant(
        "bindings/http_request.c", "here, and not where a name",
        (("bindings/http_request.c",
          "\t\t&sockaddr->addr, sockaddr->addrlen, &address) ||\n"
          "\t    !may_connect(j, &address))",
          "\t\t&sockaddr->addr, sockaddr->addrlen, &address))"),),
        e2e("test_840_http", "Egress.test_addresses_that_are_not_public")),
    "environment-heard": Mutant(
        "bindings/http_request.c", "what the environment, files",
        (("bindings/http_request.c",
          "\tSET(CURLOPT_PROXY, \"\");\n"
          "\tSET(CURLOPT_NOPROXY, \"*\");\n", ""),),
        e2e("test_840_http",
            "Egress.test_what_the_environment_says_is_not_heard")),
    "certificates-unread": Mutant(
        "bindings/http_request.c", "who cannot say who he is",
        (("bindings/http_request.c",
          "\tSET(CURLOPT_SSL_VERIFYPEER, 1L);\n"
          "\tSET(CURLOPT_SSL_VERIFYHOST, 2L);",
          "\tSET(CURLOPT_SSL_VERIFYPEER, 0L);\n"
          "\tSET(CURLOPT_SSL_VERIFYHOST, 0L);"),),
        e2e("test_840_http", "Real.test_tls_of_somebody_else")),
    "connections-shared": Mutant(
        "bindings/http_request.c", "a connection, and what TLS",
        (("bindings/http_request.c",
          "\tSET(CURLOPT_FRESH_CONNECT, 1L);\n"
          "\tSET(CURLOPT_FORBID_REUSE, 1L);\n", ""),),
        e2e("test_840_http", "Hostile.test_each_is_understood")),
    "resolver-waited-for": Mutant(
        "bindings/http_request.c", "a call that ends while its host",
        (("bindings/http_request.c",
          "\tSET(CURLOPT_QUICK_EXIT, 1L);\n", ""),),
        e2e("test_840_http",
            "Names.test_who_waits_for_a_name_waits_alone"), True),
    "lookups-without-end": Mutant(
        "bindings/http_client.c", "a lookup that its call does not wait for",
        (("bindings/http_client.c",
          "\tif (transfer->is_looking)\n\t\tleave_lookup(client);\n",
          "\tif (transfer->is_looking && transfer->is_lame)\n"
          "\t\tleave_lookup(client);\n"),),
        e2e("test_840_http", "Names.test_lookups_that_hang_have_a_limit"),
        True),
    "keys-written-down": Mutant(
        "bindings/provider_http.c", "whoever can read the file can read",
        (("bindings/curl.c",
          "\treturn file != NULL && *file != '\\0';",
          "\treturn file != NULL && *file == '\\0';"),),
        e2e("test_840_http", "Files.test_keys_are_not_written_down")),
    "certificates-of-anybody": Mutant(
        "supervisor/http_tools.c", "whoever can write to the file",
        (("supervisor/http_tools.c", "\tif (path->text == NULL)\n",
          "\tif (path->text == NULL || ret_len != NULL)\n"),),
        e2e("test_840_http",
            "Files.test_certificates_that_others_can_write")),
}
