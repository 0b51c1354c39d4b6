# kind: limits
# inside: ok
# outside: not run, since it may starve others
import threading
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
    broke("threads", count)
stop.set()
