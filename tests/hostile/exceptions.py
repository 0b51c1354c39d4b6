# kind: errors
# inside: exception
# outside: not run, since it shows nothing there


class Bad(Exception):
    def __str__(self):
        raise self

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise self

    __cause__ = __context__ = __traceback__


raise Bad
