# kind: files
# inside: ok
# outside: breaks
# What can be changed of a file of the host without opening it.
place = os.path.dirname(FILE)
for name, path in (("file", FILE), ("directory", place)):
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o600
    attempt("mode of a " + name, os.chmod, path, mode)
    attempt("time of a " + name, os.utime, path)
    attempt("owner of a " + name, os.chown, path, -1, os.getgid())
    attempt("attribute of a " + name, os.setxattr, path, "user.weir", b"1")
    # O_PATH asks for no right to the contents.
    try:
        fd = os.open(path, os.O_PATH)
    except OSError as error:
        held("path of a " + name, error.errno)
        continue
    link = "/proc/self/fd/%d" % fd
    attempt("mode by descriptor of a " + name, os.chmod, link, mode)
attempt("shorter", os.truncate, FILE, os.path.getsize(FILE)
        if os.path.exists(FILE) else 0)
for path in (os.__file__, sys.executable):
    fd = os.open(path, os.O_RDONLY)
    mode = os.fstat(fd).st_mode & 0o7777
    attempt("mode of what is granted", os.fchmod, fd, mode)
    attempt("time of what is granted", os.utime, fd)
