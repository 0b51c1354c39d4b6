# kind: crash
# inside: signal 11 | exception
# outside: not run, since it crashes
sys.setrecursionlimit(1 << 30)


class Deep:
    def __repr__(self):
        return repr(self)


repr(Deep())
