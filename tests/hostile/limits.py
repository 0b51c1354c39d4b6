# kind: limits
# inside: ok
# outside: breaks
import resource
for name in sorted(n for n in dir(resource) if n.startswith("RLIMIT_")):
    number = getattr(resource, name)
    soft, hard = resource.getrlimit(number)
    for pair in ((soft, hard), (hard, hard), (-1, -1)):
        try:
            resource.setrlimit(number, pair)
        except (OSError, ValueError):
            continue
        broke(name, pair)
    for pid in {1, os.getppid()} - {0, os.getpid()}:
        attempt("%s of %d" % (name, pid), resource.prlimit, pid, number)
attempt("nice", os.nice, -1)
attempt("real time", os.sched_setscheduler, 0, os.SCHED_FIFO,
        os.sched_param(1))
attempt("affinity", os.sched_setaffinity, 0, os.sched_getaffinity(0))
syscall("mlockall", 151, 1)
