# kind: files
# inside: ok
# outside: breaks for root
# Files by which one changes the kernel for everybody; opened, not written.
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname",
             "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
             "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs",
             "/sys/kernel/mm/transparent_hugepage/enabled", "/dev/kmsg",
             "/dev/mem", "/proc/1/oom_score_adj"):
    attempt(path, os.open, path, os.O_WRONLY)
