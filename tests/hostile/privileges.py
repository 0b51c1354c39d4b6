# kind: privileges
# inside: ok
# outside: breaks
for name, arguments in (
        ("PR_SET_DUMPABLE", (4, 1)), ("PR_SET_KEEPCAPS", (8, 1)),
        ("PR_SET_PTRACER", (0x59616d61, -1)), ("PR_SET_SECCOMP", (22, 1)),
        ("PR_CAPBSET_READ and drop", (24, 40)), ("PR_SET_TIMERSLACK", (29, 1)),
        ("PR_SET_CHILD_SUBREAPER", (36, 1)), ("PR_CAP_AMBIENT", (47, 2, 7)),
        ("PR_SET_PDEATHSIG", (1, 0)), ("PR_SET_MM", (35, 9, 0))):
    if "{INSIDE}" == "1" or name == "PR_SET_CHILD_SUBREAPER":
        syscall(name, 157, *(arguments + (0,) * (5 - len(arguments))))
if libc.prctl(39, 0, 0, 0, 0) == 0 and "{INSIDE}" == "1":
    broke("no_new_privs is not set")
if "{INSIDE}" == "1":
    for name in ("setuid", "setgid", "seteuid", "setegid"):
        attempt(name, getattr(os, name), 0)
    attempt("setgroups", os.setgroups, [0])
    attempt("own uid again", os.setuid, os.getuid())
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(0xffffffff, 0xffffffff, 0xffffffff,
                                 0xffffffff, 0, 0)
    syscall("capset", 126, header, data)
    kept = (ctypes.c_uint32 * 6)()
    libc.syscall(125, header, kept)
    if any(kept):
        broke("capabilities", list(kept))
if 0 in (os.getuid(), os.geteuid(), os.getgid()) and "{INSIDE}" == "1":
    broke("root")
