# kind: ipc
# inside: ok
# outside: breaks
# Objects that outlive whoever made them; removed where that works.
for name, number, remove, arguments in (
        ("shmget", 29, 31, (0, 4096, 0o1600)),
        ("semget", 64, 66, (0, 1, 0o1600)),
        ("msgget", 68, 71, (0, 0o1600))):
    made = syscall(name, number, *arguments)
    if made is not None:
        libc.syscall(remove, made, 0, 0)
for name, number, arguments in (
        ("mq_open", 240, (b"{MARK}", 0o102, 0o600, 0)),
        ("add_key", 248, (b"user", b"{MARK}", b"x", 1, -3)),
        ("keyctl", 250, (0, -3, 0))):
    if "{INSIDE}" == "1":
        syscall(name, number, *arguments)
