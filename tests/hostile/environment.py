# kind: secrets
# inside: ok
# outside: breaks
# Looks for the host's secret in every environment that can be read, and in
# what the loader left on the stack.
if SECRET in repr(os.environ) or libc.getenv(b"E2E_SECRET"):
    broke("environ")
for who in ("self", 1, os.getppid(), os.getpid()):
    try:
        with open("/proc/%s/environ" % who, "rb") as file:
            if SECRET.encode() in file.read():
                broke("environ of", who)
    except OSError as error:
        held(who, error.errno)
first = ctypes.c_char_p.in_dll(libc, "program_invocation_name")
start = ctypes.cast(first, ctypes.c_void_p).value
if start:
    words = b""
    for place in range(start, (start | 0xfff) - 7):
        words += ctypes.string_at(place, 1)
    if SECRET.encode() in words:
        broke("stack")
