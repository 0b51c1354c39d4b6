# kind: limits
# inside: timeout
# outside: breaks
# More CPU time than it was given, also past the kernel's first word.
import signal
import time


def told(*_):
    held("CPU time", "SIGXCPU")
    os._exit(0)


signal.signal(signal.SIGXCPU, told)
while time.process_time() < 3:
    pass
broke("CPU time")
