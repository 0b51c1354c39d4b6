# kind: crash
# inside: signal 6
# outside: not run, since it crashes
libc.prctl(4, 1, 0, 0, 0)
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
try:
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
except (OSError, ValueError):
    pass
held("core limit", (soft, hard))
if hard > 1:
    broke("core limit", hard)
os.abort()
