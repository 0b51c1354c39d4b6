# kind: files
# inside: ok
# outside: breaks
# The host's file by name, through links, through another root and by a
# handle; then the way up.
links = [FILE]
for number, target in enumerate((
        FILE, "/proc/self/root" + FILE, "/proc/1/root" + FILE,
        "../../../../.." + FILE, "/proc/self/cwd/../../../.." + FILE)):
    name = "link%d-{MARK}" % number
    try:
        os.symlink(target, name)
        links.append(name)
    except OSError:
        pass
for link in links:
    attempt(link, lambda: SECRET in open(link).read() or 1 / 0)
attempt("hard link", os.link, FILE, "hard-{MARK}")
attempt("rename", os.rename, FILE, "moved-{MARK}")
os.chdir("/")
for _ in range(40):
    os.chdir("..")
attempt("from above", lambda: SECRET in open(FILE[1:]).read() or 1 / 0)
attempt("chroot", os.chroot, ".")
handle = ctypes.create_string_buffer(b"\x80\0\0\0", 256)
syscall("name_to_handle_at", 303, -100, FILE.encode(), handle,
        ctypes.byref(ctypes.c_int()), 0)
