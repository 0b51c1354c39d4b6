# kind: interpreter
# inside: ok | exception | worker_exit | protocol_violation
# outside: not run, since it breaks the interpreter it runs in
# Takes away what the interpreter's own part may lean on.
import builtins
import gc
for module in list(sys.modules.values()):
    for name in ("write", "read", "flush", "_exit", "dumps", "exit"):
        if hasattr(module, name) and module is not os:
            try:
                setattr(module, name, None)
            except (AttributeError, TypeError):
                pass
for thing in gc.get_objects():
    if type(thing) is dict and "make_namespace" in thing:
        for name in list(thing):
            thing[name] = None
for name in dir(builtins):
    if not name.startswith("_"):
        setattr(builtins, name, None)
