"""Many random values across the channel, both ways, beside the json module of
the Python that runs the program (W10)."""
import json
import random
import unittest

import host

BATCHES, BATCH = 40, 400  # both ways: 32,000 values an interpreter


class Texts:
    """Random JSON texts in every legal spelling; the same for a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def space(self):
        r = self.random
        if r.random() < 0.8:
            return ""
        return "".join(r.choice(" \t\r") for _ in range(r.randrange(1, 4)))

    def integer(self):
        r = self.random
        pick = r.random()
        if pick < 0.5:
            return str(r.randrange(-1000, 1000))
        if pick < 0.8:  # around the sizes of machine words
            return str(r.choice((1, -1)) * (2 ** r.choice(
                (15, 30, 31, 32, 53, 59, 60, 62, 63, 64, 128)) +
                r.randrange(-2, 3)))
        if pick < 0.99:
            digits = r.randrange(17, 60)
        else:
            digits = r.choice((4299, 4300, r.randrange(60, 4300)))
        return r.choice(("", "-")) + str(r.randrange(1, 10)) + "".join(
            r.choice(("0", "9", str(r.randrange(10))))
            for _ in range(digits - 1))

    def real(self):
        r = self.random
        text = r.choice(("", "-")) + r.choice(
            ("0", str(r.randrange(1, 10**r.randrange(1, 30)))))
        if r.random() < 0.7:
            text += "." + "".join(
                str(r.randrange(10)) for _ in range(r.randrange(1, 25)))
            if r.random() < 0.4:
                return text
        return "%s%s%s%d" % (text, r.choice("eE"), r.choice(("", "+", "-")),
                             r.choice((r.randrange(25), r.randrange(270))))

    EDGES = ["0", "-0", "-0.0", "0e0", "-0E-0", "4.9e-324", "5e-324",
             "2e-324", "1e-400", "-1e-99999", "2.2250738585072011e-308",
             "2.2250738585072014e-308", "1.7976931348623157e308",
             "17976931348623157e292", "9007199254740993.0", "1e22", "1e23",
             "0.1", "1E16", "123456789012345680.0", "1" + "0" * 400 + "e-390",
             "0." + "0" * 500 + "1"]

    def character(self):
        r = self.random
        code = r.choice((r.randrange(128), r.randrange(0x800),
                         r.randrange(0x10000), r.randrange(0x110000),
                         r.choice((0, 0x22, 0x5c, 0x2f, 0x7f, 0x7ff, 0x800,
                                   0xd7ff, 0xe000, 0xfeff, 0xfffe, 0xffff,
                                   0x10000, 0x10ffff, 0x2028))))
        return code if not 0xd800 <= code < 0xe000 else 0xfffd

    def spelled(self, code):
        r = self.random
        if r.random() < 0.7 and code >= 0x20 and code not in (0x22, 0x5c):
            return chr(code)
        short = {0x22: '\\"', 0x5c: "\\\\", 0x2f: "\\/", 8: "\\b",
                 12: "\\f", 10: "\\n", 13: "\\r", 9: "\\t"}.get(code)
        if short is not None and r.random() < 0.6:
            return short
        if code > 0xffff:
            code -= 0x10000
            units = (0xd800 + (code >> 10), 0xdc00 + (code & 0x3ff))
        else:
            units = (code,)
        return "".join("\\u" + "".join(
            r.choice((str.lower, str.upper))(c) for c in "%04x" % unit)
            for unit in units)

    def string(self):
        return '"%s"' % "".join(
            self.spelled(self.character())
            for _ in range(self.random.choice((0, 1, 2, 5, 20))))

    def scalar(self):
        r = self.random
        return r.choice((self.integer, self.integer, self.real, self.string,
                         self.string, lambda: r.choice(self.EDGES),
                         lambda: r.choice(("null", "true", "false"))))()

    def object(self, depth):
        names, parts = set(), []
        for _ in range(self.random.randrange(5)):
            name = self.string()
            if json.loads(name) not in names:
                names.add(json.loads(name))
                parts.append("%s%s%s:%s" % (
                    self.space(), name, self.space(), self.value(depth + 1)))
        return "{%s%s}" % (self.space(), ",".join(parts))

    def array(self, depth):
        return "[%s%s]" % (self.space(), ",".join(
            self.value(depth + 1) for _ in range(self.random.randrange(5))))

    def value(self, depth=0):
        r = self.random
        if r.random() < 0.002:  # to the limit: the frame is one, too
            levels = r.randrange(200, 254 - depth)
            return "[" * levels + "]" * levels
        if depth < 5 and r.random() < 0.35:
            text = r.choice((self.object, self.array))(depth)
        else:
            text = self.scalar()
        return self.space() + text + self.space()


# Values that only a program can have, made in it, and what json makes of them
# where the two agree.
MAKER = """
import json, random, sys
getattr(sys, 'set_int_max_str_digits', id)(0)

class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
    def integer(self):
        r = self.random
        n = r.choice((r.randrange(-9, 99), r.getrandbits(r.randrange(1, 70)),
                      2 ** r.choice((31, 32, 63, 64, 127)) - r.randrange(3),
                      r.getrandbits(r.randrange(1, 700))))
        if r.random() < 0.01: n = 10 ** r.randrange(4300) - r.randrange(2)
        if r.random() < 0.003: n = 10 ** 4300 - 1
        return r.choice((n, -n))
    def real(self):
        r = self.random
        return r.choice((r.random(), -0.0, 0.0, 5e-324, 1.7976931348623157e308,
                         r.uniform(-1, 1) * 10.0 ** r.randrange(-320, 308),
                         float(r.getrandbits(53)), 1e16, 1e22, 123456.75,
                         2.2250738585072014e-308 * r.random()))
    def text(self):
        r = self.random
        codes = [r.choice((r.randrange(128), r.randrange(0x250),
                           r.randrange(0xe000, 0x110000), 0, 0x2028))
                 for _ in range(r.choice((0, 1, 3, 30)))]
        return ''.join(map(chr, codes))
    def key(self):
        r = self.random
        return r.choice((self.text, self.text, self.text, self.integer,
                         self.real, lambda: r.choice((None, True, False))))()
    def value(self, depth=0):
        r = self.random
        if r.random() < 0.002:
            v = ()
            for _ in range(r.randrange(180, 245)):
                v = r.choice((lambda: [v], lambda: (v,), lambda: {'': v}))()
            return v
        if depth < 5 and r.random() < 0.4:
            n = r.randrange(5)
            if r.random() < 0.4:
                items = {}
                for _ in range(n):
                    k = self.key()
                    name = k if type(k) is str else json.dumps(k)
                    # 1 and True are one key; '1' and 1 become one text.
                    if name not in [x if type(x) is str else json.dumps(x)
                                    for x in items]:
                        items.setdefault(k, self.value(depth + 1))
                return items
            return r.choice((list, tuple))(
                self.value(depth + 1) for _ in range(n))
        return r.choice((self.integer, self.real, self.text,
                         lambda: r.choice((None, True, False))))()
"""

ROUND = MAKER + """
wrong, maker = [], Maker(SEED)
for batch in range(BATCHES):
    texts, values = get(batch=batch)
    for text, value in zip(texts, values):
        if repr(json.loads(text)) != repr(value):
            wrong.append([text, repr(value)])
    mine = [maker.value() for _ in range(BATCH)]
    keep(sent=mine, expected=json.dumps(mine), again=values)
[wrong[:5], mine]
"""

# A leaf that cannot cross, somewhere in a random value.
INVALID = MAKER + """
import re
maker, wrong = Maker(SEED), []
r = maker.random
LEAVES = [
    (lambda: float('nan'), 'NaN, which JSON does not have'),
    (lambda: -float('inf'), 'an infinite number, which JSON does not have'),
    (lambda: 10 ** 4300, 'an integer of more than 4300 digits'),
    (lambda: 'ab\\ud800c', 'text with a lone surrogate at character 2'),
    (lambda: b'x', 'bytes does not cross; only None, bool, int, float, str, '
     'list, tuple and dict do'),
    (lambda: {1}, 'set does not cross; convert it with list(...)'),
    (lambda: type('N', (int,), {})(1),
     'N does not cross; convert it with int(...)'),
    (lambda: type('D', (dict,), {})(),
     'D does not cross; convert it with dict(...)'),
    (lambda: {(): 1}, 'a key of type tuple; only str, int, float, bool and '
     'None can be keys'),
    (lambda: {'1': 0, 1: 0}, "two keys become the same text '1'"),
    (lambda: {float('nan'): 0},
     'a key is NaN, which JSON does not have'),
    (object, 'object does not cross; only None, bool, int, float, str, '
     'list, tuple and dict do'),
]
def shown(key):
    # 60 characters of a key; one that is no text as the text it becomes.
    if type(key) is not str: key = json.dumps(key)
    return repr(key) if len(key) <= 60 else repr(key[:60]) + '...'
for n in range(COUNT):
    make, reason = r.choice(LEAVES)
    value, path = make(), ''
    for _ in range(r.randrange(8)):
        before = [maker.value(3) for _ in range(r.randrange(4))]
        if r.random() < 0.5:
            value = r.choice((list, tuple))(before + [value, 5])
            path = '[%d]' % len(before) + path
        else:
            key = maker.key()
            items = {'k%d' % i: v for i, v in enumerate(before)}
            items[key], value = value, items
            value['last'] = 0
            path = '[%s]' % shown(key) + path
    try:
        keep(it=value)
        wrong.append(['accepted', path, reason])
    except ValueError as e:
        if (e.path, e.reason) != ("arguments['it']" + path, reason):
            wrong.append([e.path, e.reason, path, reason])
wrong[:5]
"""

# Numbers that Python does not hold, somewhere in a reply.
UNHELD = """
wrong = []
for n in range(COUNT):
    path, reason = where(n=n)
    try:
        get(n=n)
        wrong.append(['accepted', path, reason])
    except ValueError as e:
        if (e.path, e.reason) != (path, reason):
            wrong.append([e.path, e.reason, path, reason])
wrong[:5]
"""


def strict(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)


class RandomValues(unittest.TestCase):
    def test_both_ways_as_json_has_it(self):
        source = Texts(31)
        kept, given = [], []

        def get(arguments):
            texts = [source.value() for _ in range(BATCH)]
            given.append([repr(json.loads(text)) for text in texts])
            return host.Raw("[%s,[%s]]" % (json.dumps(texts),
                                           ",".join(texts)))

        def keep(arguments):
            kept.append(arguments)

        result = host.current.run(
            ROUND.replace("SEED", "5").replace("BATCHES", str(BATCHES))
            .replace("BATCH", str(BATCH)),
            tools={"get": get, "keep": keep}, value=8 << 20,
            arguments=16 << 20)
        wrong, last = result.value
        self.assertEqual(wrong, [])
        self.assertEqual((len(kept), len(given)), (BATCHES, BATCHES))
        for arguments, texts in zip(kept, given):
            # What the program's own json wrote, in Python's own terms.
            self.assertEqual(repr(arguments["sent"]), repr(json.loads(
                arguments["expected"], object_pairs_hook=strict)))
            # What the host sent comes back as it was.
            self.assertEqual([repr(v) for v in arguments["again"]], texts)
        self.assertEqual(repr(last), repr(kept[-1]["sent"]))

    def test_each_refusal_names_its_path(self):
        result = host.current.run(
            INVALID.replace("SEED", "6").replace("COUNT", "2000"),
            tools={"keep": lambda a: None})
        self.assertEqual(result.value, [])
        self.assertEqual(result.ids, [])  # none was sent

    def test_numbers_in_replies_that_python_does_not_hold(self):
        source = Texts(32)
        r = source.random
        leaves = [("1e309", "a number beyond the range of float"),
                  ("-1E+999", "a number beyond the range of float"),
                  ("1" + "0" * 400 + ".0",
                   "a number beyond the range of float"),
                  ("9" * 4301, "an integer of more than 4300 digits"),
                  ("-1" + "0" * 4999, "an integer of more than 4300 digits")]
        replies = {}

        def where(arguments):
            text, reason = r.choice(leaves)
            path = ""
            for _ in range(r.randrange(6)):
                before = [source.value(4) for _ in range(r.randrange(3))]
                if r.random() < 0.5:
                    text = "[%s]" % ",".join(before + [text, "5"])
                    path = "[%d]" % len(before) + path
                else:
                    key = r.choice(("a", "é\U0001f600", "'", "\0", "long" * 30))
                    text = '{"x":[%s],%s:%s,"z":0}' % (
                        ",".join(before), json.dumps(key), text)
                    path = "[%r%s]%s" % (
                        key[:60], "..." if len(key) > 60 else "", path)
            replies[arguments["n"]] = text
            return ["result" + path, reason]

        result = host.current.run(
            UNHELD.replace("COUNT", "500"), tools={
                "where": where,
                "get": lambda a: host.Raw(replies[a["n"]])})
        self.assertEqual(result.value, [])
        self.assertEqual(result.ids, list(range(1000)))
