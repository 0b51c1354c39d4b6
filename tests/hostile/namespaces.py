# kind: namespaces
# inside: ok
# outside: breaks
for name, flag in (("user", 0x10000000), ("mount", 0x20000),
                   ("network", 0x40000000), ("uts", 0x4000000),
                   ("ipc", 0x8000000), ("cgroup", 0x2000000)):
    syscall("unshare " + name, 272, flag)
syscall("unshare all", 272, 0x7e020000)
syscall("mount", 165, b"none", b"/", b"tmpfs", 0, 0)
syscall("umount", 166, b"/workspace", 2)
syscall("pivot_root", 155, b"/", b"/")
syscall("open_tree", 428, -100, b"/", 1)
syscall("fsopen", 430, b"tmpfs", 0)
for number in range(3, 64):
    if libc.syscall(308, number, 0) == 0:
        broke("setns", number)
for kind in ("mnt", "net", "user", "pid"):
    attempt("/proc/1/ns/" + kind, open, "/proc/1/ns/" + kind)
