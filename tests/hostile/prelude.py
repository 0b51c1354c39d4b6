# What every program here begins with: words for what it tried. A line that
# begins with BROKE is a hole; one that begins with held is none. The host
# puts its own values in the place of the names in braces.
import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
SECRET = "{SECRET}"    # in the environment of the host
FILE = "{FILE}"        # of the host, holds SECRET
PORT = "{PORT}"        # a listener of the host on 127.0.0.1
NAME = "{NAME}"        # an abstract socket of the host


def held(what, why):
    print("held", what, why, flush=True)


def broke(what, how=""):
    print("BROKE", what, how, flush=True)


def attempt(what, function, *arguments):
    """Breaks when the call works; its result."""
    try:
        got = function(*arguments)
    except OSError as error:
        return held(what, errno.errorcode.get(error.errno, error.errno))
    except Exception as error:
        return held(what, type(error).__name__)
    broke(what, repr(got)[:60])
    return got


def syscall(what, number, *arguments):
    """The same for a system call by its number (x86_64)."""
    ctypes.set_errno(0)
    got = libc.syscall(number, *[
        ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if got == -1:
        return held(what, errno.errorcode.get(ctypes.get_errno(), "?"))
    broke(what, got)
    return got


