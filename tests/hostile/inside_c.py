# kind: time
# inside: timeout
# outside: not run, since it does not end
# One call that never comes back to the interpreter.
import itertools
print("begun", flush=True)
any(itertools.repeat(0))
