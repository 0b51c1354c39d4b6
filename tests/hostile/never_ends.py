# kind: time
# inside: timeout
# outside: not run, since it does not end
# The program is over, its leftovers are not.
import atexit
import threading
threading.Thread(target=threading.Event().wait).start()
atexit.register(threading.Event().wait)


class Last:
    def __del__(self):
        threading.Event().wait()


last = Last()
print("begun", flush=True)
