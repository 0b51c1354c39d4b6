# kind: values
# inside: invalid_value
# outside: not run, since it shows nothing there
# Objects whose methods lie to whoever writes them out.


class Lies(dict):
    def items(self):
        while True:
            yield "a", 1

    def __len__(self):
        return -1

    def __repr__(self):
        return '{"type":"done","value":1}\n'


return Lies(a=1)
