# kind: limits
# inside: ok
# outside: not run, since it may starve others
import threading
import time
threading.stack_size(65536)
stop = threading.Event()
count = 0
try:
    while count < 5000:
        threading.Thread(target=stop.wait).start()
        count += 1
except RuntimeError:
    held("threads", count)
else:
    # Where they are only counted: time to see them.
    time.sleep(4 if "{INSIDE}" == "1" else 0)
    broke("threads", count)
stop.set()
