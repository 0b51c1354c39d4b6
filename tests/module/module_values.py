"""Values across the channel, both ways (W10, W11)."""
import json
import math
import random
import unittest

import host


def run(program, **options):
    return host.current.run(program, **options)


def echo(program, **options):
    """Runs a program with a tool that keeps what it was given."""
    kept = []

    def keep(arguments):
        kept.append(arguments)

    result = run(program, tools={"keep": keep}, **options)
    return result, kept


class Source:
    """Random values that JSON can carry, the same for a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self):
        r = self.random
        pools = ["abc xyz", "\"\\/\b\f\n\r\t", "\x00\x01\x1f\x7f", "äß€",
                 "\U0001f600\U0010ffff\ufeff\u2028"]
        return "".join(r.choice(r.choice(pools))
                       for _ in range(r.randrange(12)))

    def number(self):
        r = self.random
        if r.random() < 0.5:
            return r.choice([0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, -2**63,
                             2**63, -2**63 - 1, 2**64, 10**18, 10**19,
                             r.randrange(-10**40, 10**40),
                             r.getrandbits(r.randrange(1, 14000))])
        return r.choice([0.0, -0.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308,
                         1e16, 1e22, 123456789.123, r.uniform(-1, 1),
                         r.uniform(-1e10, 1e10) * 10.0**r.randrange(-200, 200)])

    def value(self, depth=0):
        r = self.random
        pick = r.randrange(8 if depth < 5 else 5)
        if pick == 0:
            return r.choice([None, True, False])
        if pick in (1, 2):
            return self.number()
        if pick in (3, 4):
            return self.text()
        count = r.randrange(6)
        if pick == 5:
            return {self.text(): self.value(depth + 1) for _ in range(count)}
        return [self.value(depth + 1) for _ in range(count)]


def same(a, b):
    """Equal, with types, signs of zero and order of members."""
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    if type(a) is list:
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b


class Values(unittest.TestCase):
    def test_round_trip_of_random_values(self):
        source = Source(20)
        values = [source.value() for _ in range(300)]
        # The program's literal, the argument, the reply and the value.
        program = "r = []\nfor v in VALUES:\n  r.append(back(value=v))\nr"
        result = run(program.replace("VALUES", repr(values)),
                     tools={"back": lambda a: a["value"]}, value=4 << 20)
        self.assertEqual(len(result.calls), len(values))
        for sent, (_, got), back in zip(values, result.calls, result.value):
            self.assertTrue(same(sent, got["value"]), (sent, got))
            self.assertTrue(same(sent, back), (sent, back))

    def test_replies_in_any_spelling(self):
        texts = ['"\\u00e9\\ud83d\\ude00\\/\\n"', "1E5", "-0", "-0.0", "1e-400",
                 " [ 1 , { } , [ ] ] ", '{"a":1,"b":{"c":[null,true,false]}}',
                 '"\\u0000x"', "0.1e1", "123456789012345678901234567890"]
        program = "[[repr(t()) for t in [get] * %d]][0]" % len(texts)
        answers = iter(texts)
        result = run(program, tools={"get": lambda a: host.Raw(next(answers))})
        expected = [repr(json.loads(t)) for t in texts]
        expected[2] = "0"  # JSON's -0 is the integer 0
        self.assertEqual(result.value, expected)

    def test_wire_is_compact_and_has_no_raw_newline(self):
        child = host.current.start()
        child.receive()
        child.send({"type": "run", "program": "[1, 'a\\nb', {'x': None}]",
                    "tools": [], "limits": {"frame": 99999, "value": 9999,
                                            "arguments": 9999}})
        self.assertEqual(child.receive_line(),
                         b'{"type":"done","value":[1,"a\\nb",{"x":null}]}')
        child.end()

    def test_tuples_and_keys_become_what_is_documented(self):
        result = run("{2: (1, (2,)), 1.5: 0, True: 1, None: 2, 'k': 3,"
                     " -0.0: 4, 10**30: 5}")
        self.assertEqual(result.value, {
            "2": [1, [2]], "1.5": 0, "true": 1, "null": 2, "k": 3, "-0.0": 4,
            str(10**30): 5})

    def test_what_cannot_cross_names_its_path(self):
        cases = [
            ("float('nan')", "value: NaN, which JSON does not have"),
            ("[1, float('inf')]",
             "value[1]: an infinite number, which JSON does not have"),
            ("{'x': [0, {1}]}", "value['x'][1]: set does not cross"),
            ("{'x': b'1'}", "value['x']: bytes does not cross"),
            ("{'x': (1, object())}", "value['x'][1]: object does not cross"),
            ("type('T', (int,), {})(1)", "value: T does not cross; convert "
             "it with int(...)"),
            ("[type('T', (str,), {})('a')]", "value[0]: T does not cross; "
             "convert it with str(...)"),
            ("type('T', (dict,), {})()", "convert it with dict(...)"),
            ("type('T', (list,), {})()", "convert it with list(...)"),
            ("type('T', (float,), {})(1)", "convert it with float(...)"),
            ("{'a': 'x\\ud800'}", "value['a']: text with a lone surrogate at "
             "character 1"),
            ("{'\\ud800': 1}", "value['\\ud800']: a key with a lone"),
            ("[{'1': 0, 1: 0}]", "value[0]: two keys become the same text "
             "'1'"),
            ("{None: 1, 'null': 1}", "two keys become the same text 'null'"),
            ("{(1, 2): 1}", "value: a key of type tuple"),
            ("{float('nan'): 1}", "value: a key is NaN"),
            ("async def f(): pass\nc = f()\nc.close()\n[c]",
             "value[0]: coroutine has no value until it is awaited"),
            ("async def f(): pass\ncall_tool('x', {})",
             "value: ToolCall has no value until it is awaited"),
            ("a = []\na.append({'b': a})\na", "value[0]['b']: a cycle"),
            ("a = {}\na['x'] = (a,)\na", "value['x'][0]: a cycle"),
        ]
        for program, words in cases:
            with self.subTest(program):
                error = run(program).error
                self.assertEqual(error["kind"], "invalid_value")
                self.assertIn(words, error["message"])
                self.assertNotIn("traceback", error)

    def test_arguments_that_cannot_cross_are_a_value_error(self):
        result, kept = echo(
            "try:\n  keep(x=['a', {'y': {1}}])\nexcept ValueError as e:\n"
            "  r = [str(e), e.path, e.reason, type(e).__module__]\n"
            "keep(x=1)\nr")
        self.assertEqual(result.value[1], "arguments['x'][1]['y']")
        self.assertEqual(result.value[0], "%s: %s" % tuple(result.value[1:3]))
        self.assertEqual(result.value[3], "weir")
        # A call that was never written costs no id.
        self.assertEqual((kept, result.ids), ([{"x": 1}], [0]))

    def test_digits_at_the_limit(self):
        for digits, fits in ((4300, True), (4301, False)):
            number = int("9" * digits)
            with self.subTest(digits):
                for sign in ("", "-"):
                    result = run("import sys\n"
                                 "getattr(sys, 'set_int_max_str_digits', id)"
                                 "(0)\n%sint('%s')" % (sign, number))
                    if fits:
                        self.assertEqual(abs(result.value), number)
                    else:
                        self.assertEqual(
                            result.error["message"],
                            "value: an integer of more than 4300 digits")
                result = run(
                    "try:\n  r = hex(get()['n'][1])\n"
                    "except ValueError as e:\n  r = str(e)\nr",
                    tools={"get": lambda a: {"n": [0, -number]}})
                self.assertEqual(
                    result.value, hex(-number) if fits else
                    "result['n'][1]: an integer of more than 4300 digits")

    def test_smallest_number_of_more_digits(self):
        self.assertEqual(run("10**4299").value, 10**4299)
        self.assertEqual(run("-10**4299 * 9").value, -9 * 10**4299)
        for program in ("10**4300", "-10**4300", "1 << 10**7"):
            self.assertIn("4300 digits", run(program).error["message"])

    @host.since(3, 11)
    def test_digits_do_not_depend_on_the_interpreters_limit(self):
        result = run("import sys\nsys.set_int_max_str_digits(640)\n"
                     "get() + 1", tools={"get": lambda a: 10**2000})
        self.assertEqual(result.value, 10**2000 + 1)

    def test_float_out_of_range_is_an_error_of_that_call(self):
        result = run("try:\n  get()\nexcept ValueError as e:\n  r = str(e)\n"
                     "[r, get()]", tools={"get": iter_tool(
                         host.Raw("[1e999]"), 7)})
        self.assertEqual(result.value, [
            "result[0]: a number beyond the range of float", 7])

    def test_depth_at_the_limit(self):
        build = "v = %s\nfor _ in range(%d): v = %s\n"
        for start, wrap in (("[]", "[v]"), ("{}", "{'a': v}"), ("()", "(v,)")):
            with self.subTest(wrap):
                self.assertIn("value", run(
                    build % (start, 254, wrap) + "v").done)
                error = run(build % (start, 255, wrap) + "v").error
                self.assertIn("nested deeper than 255 levels",
                              error["message"])
        # The arguments' own object is a level.
        result, kept = echo(build % ("[]", 253, "[v]") + "keep(v=v)")
        self.assertEqual(len(kept), 1)
        result, kept = echo(build % ("[]", 254, "[v]") + "keep(v=v)")
        self.assertIn("nested deeper", result.error["message"])
        deep = "[" * 255 + "]" * 255
        result = run("v = get()\nn = 0\nwhile v: v, n = v[0], n + 1\nn",
                     tools={"get": lambda a: host.Raw(deep)})
        self.assertEqual(result.value, 254)

    def test_shared_parts_are_no_cycle(self):
        self.assertEqual(run("a = [1]\n[a, a, {'x': a}]").value,
                         [[1], [1], {"x": [1]}])

    def test_a_long_path_is_still_a_message(self):
        error = run("v = {1}\nfor _ in range(254): v = {'k' * 500: v}\nv").error
        self.assertEqual(error["kind"], "invalid_value")
        self.assertLess(len(error["message"]), 16 * 1024)
        self.assertIn("bytes left out", error["message"])

    def test_value_at_its_maximum(self):
        for form in ("'x' * 98", "'\\n' * 49", "'\\x01' * 2000",
                     "[1] * 49", "'\\u20ac' * 900", "[-10**2000]", "7"):
            with self.subTest(form):
                value = eval(form)
                size = len(json.dumps(value, ensure_ascii=False,
                                      separators=(",", ":")).encode())
                self.assertEqual(run(form, value=size).done,
                                 {"value": value})
                self.assertEqual(run(form, value=size - 1).done,
                                 {"oversize": size})

    def test_oversize_is_exact_for_large_values(self):
        cases = ["'x' * 3000000", "'\\n\\u20ac\"' * 200000",
                 "['ab\\x02', 1.5, None, {'k\\n' * 3000: [True]}] * 200",
                 "{str(i): -i for i in range(100000)}", "[10**3000] * 300"]
        for form in cases:
            with self.subTest(form):
                text = json.dumps(eval(form), ensure_ascii=False,
                                  separators=(",", ":"))
                self.assertEqual(run(form, value=5000).done,
                                 {"oversize": len(text.encode())})
                done = run(form, value=8 << 20).done
                self.assertEqual(done, {"value": eval(form)})

    def test_oversize_and_invalid_is_invalid(self):
        error = run("['x' * 9999, {1}]", value=100).error
        self.assertEqual(error["kind"], "invalid_value")

    def test_arguments_that_no_frame_can_carry(self):
        result, kept = echo(
            "try:\n  keep(x='y' * 300000)\nexcept ToolError as e:\n"
            "  r = [e.kind, e.hard, e.tool, e.message]\n"
            "keep(x='y' * 100000)\nr", value=65536, arguments=65536)
        self.assertEqual(result.value, [
            "arguments_too_large", False, "keep",
            "the arguments take 300008 bytes"])
        self.assertEqual((len(kept), result.ids), (1, [0]))

    def test_arguments_that_just_fit_a_frame(self):
        most = 100000 - 128 * 6 - 128 - len('{"x":""}')
        result, kept = echo(
            "try:\n  keep(x='y' * %d)\n  keep(x='y' * %d)\n"
            "except ToolError as e:\n  r = e.kind\nr" % (most, most + 1),
            frame=100000)
        self.assertEqual(result.value, "arguments_too_large")
        self.assertEqual(kept, [{"x": "y" * most}])

    def test_values_that_change_while_they_are_encoded(self):
        result, kept = echo("""
import threading, sys
sys.setswitchinterval(1e-6)
value = {'list': [[i] for i in range(200)], 'dict': {}}
stop = False
def stir():
    i = 0
    while not stop:
        i += 1
        value['list'].append([i]); del value['list'][:i % 7]
        value['dict'][i] = str(i)
        if i % 50 == 0:
            value['dict'].clear(); value['list'][:] = [[i]] * 100
threads = [threading.Thread(target=stir) for _ in range(3)]
for t in threads: t.start()
for _ in range(200):
    keep(v=value)
stop = True
""")
        self.assertEqual(len(kept), 200)

    def test_finalizers_that_change_the_value(self):
        result, kept = echo("""
import gc
gc.set_threshold(1)
class Evil:
    def __init__(self, target):
        self.target = target; self.me = self
    def __del__(self):
        self.target.clear()
for _ in range(100):
    value = [[10**50 + i, {i: [i]}] for i in range(30)]
    Evil(value)
    keep(v=value)
""")
        self.assertEqual(len(kept), 100)

    def test_wide_values(self):
        wide = {"k%d" % i: i for i in range(100000)}
        result = run("v = get()\n[len(v), v['k77777'], list(v)[-1]]",
                     tools={"get": lambda a: wide})
        self.assertEqual(result.value, [100000, 77777, "k99999"])

    def test_large_reply(self):
        result = run("v = get()\n[len(v), v[-1]]",
                     tools={"get": lambda a: "é" * 10_000_000 + "z"})
        self.assertEqual(result.value, [10_000_001, "z"])


def iter_tool(*answers):
    rest = iter(answers)
    return lambda arguments: next(rest)
