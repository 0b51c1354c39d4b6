# kind: errors
# inside: timeout
# outside: not run, since it does not end


class Bad(Exception):
    def __str__(self):
        while True:
            pass


print("begun", flush=True)
raise Bad
