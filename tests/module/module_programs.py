"""How a program is compiled and run, and how its errors print (P1, P2)."""
import os
import re
import subprocess
import tempfile
import unittest

import host


def run(program, **options):
    return host.current.run(program, **options)


def answer(program, **options):
    """(value, returned) of a program that ends well."""
    done = run(program, **options).done
    assert "value" in done, done
    return done["value"], done.get("returned", True)


class Compiling(unittest.TestCase):
    def test_value(self):
        cases = [
            ("", (None, False)),
            ("# nothing", (None, False)),
            ("x = 1", (None, False)),
            ("1 + 1", (2, True)),
            ("x = 1\nx", (1, True)),
            ("x = 5\nif x:\n  x", (None, False)),
            ("None", (None, True)),
            ("print(1)", (None, True)),
            ("'text'", ("text", True)),
            ("'text'\n__doc__", ("text", True)),
            ("return", (None, True)),
            ("return 7", (7, True)),
            ("return None", (None, True)),
            ("if 1:\n  return [1]\nelse:\n  return 2", ([1], True)),
            ("if 0:\n  return 1", (None, False)),
            ("if 0:\n  return 1\n'last'", ("last", True)),
            ("for i in range(5):\n  if i == 3: return i", (3, True)),
            ("while True:\n  try:\n    return 1\n  finally:\n    x = 2",
             (1, True)),
            ("with open('/dev/null') as f:\n  return f.closed", (False, True)),
            ("def f():\n  return 3\nf()", (3, True)),
            ("await_ = 3\nawait_", (3, True)),
            ("\ufeff3", (3, True)),
            ("x = 1\r\nx\r\n", (1, True)),
        ]
        for program, expected in cases:
            with self.subTest(program):
                self.assertEqual(answer(program), expected)

    def test_module_semantics(self):
        program = """
'''the doc'''
x: int = 3
y: 'str'
class C:
    z = x
    def get(self): return x
def up():
    global x
    x += 1
    return x
[n for n in [1] if (w := n)]
exec('made = 1')
values = [up(), C().get(), x, made, w, __doc__, C.z, C.__qualname__,
          up.__qualname__, C.__module__, 'x' in globals(),
          locals() is globals(), (lambda: x)(), [x for _ in 'a'],
          sorted(k for k in globals() if k.startswith('<'))]
del x
try: x
except NameError as e: values.append('gone')
import __main__, sys
values += [__main__.__dict__ is globals(), sys.argv, __name__,
           sys.modules['__main__'] is __main__, type(__builtins__).__name__]
"""
        expected = [4, 4, 4, 1, 1, "the doc", 3, "C", "up", "__main__", True,
                    True, 4, [4], [], "gone", True, ["<program>"], "__main__",
                    True, "module"]
        program = program.lstrip()
        self.assertEqual(answer(program + "values")[0], expected)
        self.assertEqual(answer(program + "return values")[0], expected)
        self.assertEqual(answer("async def f(): pass\nawait f()\n" +
                                program[14:] + "return values")[0][6:],
                         expected[6:])

    def test_annotations(self):
        self.assertEqual(answer("x: int = 1\nlist(__annotations__)"),
                         (["x"], True))
        self.assertEqual(answer("x: int = 1\ny: int\nreturn [x, 'y' in "
                                "globals()]"), ([1, False], True))
        self.assertEqual(
            answer("class A: pass\na = A()\na.b: int = 2\n(c): int = 3\n"
                   "return a.b + c"), (5, True))
        self.assertEqual(
            answer("class A:\n  x: int = 1\nreturn list(A.__annotations__)"),
            (["x"], True))

    def test_future_imports(self):
        for end in ("f.__annotations__", "return f.__annotations__"):
            program = ("'doc'\nfrom __future__ import annotations\n"
                       "def f(a: undefined): pass\n" + end)
            self.assertEqual(answer(program), ({"a": "undefined"}, True))
        self.assertEqual(answer("from __future__ import annotations\n"
                                "return annotations.compiler_flag > 0"),
                         (True, True))
        # None leaks from the bootstrap, and none into it.
        self.assertEqual(answer("def f(a: int): pass\nf.__annotations__['a'] "
                                "is int"), (True, True))

    def test_top_level_await(self):
        prelude = ("class A:\n"
                   "  def __init__(s, n): s.n = n\n"
                   "  async def __aenter__(s): return s.n\n"
                   "  async def __aexit__(s, *e): return True\n"
                   "  def __aiter__(s): return s\n"
                   "  async def __anext__(s):\n"
                   "    if s.n == 0: raise StopAsyncIteration\n"
                   "    s.n -= 1\n    return s.n\n"
                   "async def f(x): return x * 2\n")
        cases = [
            ("await f(2)", 4),
            ("x = await f(3)\nx", 6),
            ("return await f(4)", 8),
            ("async with A(5) as n: r = n\nr", 5),
            ("async with A(5) as n:\n  return n", 5),
            ("r = []\nasync for i in A(3): r.append(i)\nr", [2, 1, 0]),
            ("async for i in A(3):\n  if i == 1: return i", 1),
            ("[i async for i in A(3)]", [2, 1, 0]),
            ("return [i async for i in A(3)]", [2, 1, 0]),
            ("{i: await f(i) async for i in A(2)}", {"1": 2, "0": 0}),
            ("if 0: await f(1)\nreturn 9", 9),
            ("def g(): return 1\nreturn g() + await f(1)", 3),
        ]
        for program, expected in cases:
            with self.subTest(program):
                self.assertEqual(answer(prelude + program), (expected, True))

    def test_names_of_a_returning_program_are_global(self):
        program = """
import os.path, os.path as p
from os import sep as s
for i in range(2): pass
with open('/dev/null') as f: pass
try: 1/0
except ZeroDivisionError as e: kept = 1
def fn(): return [i, s, kept, (a, b), c]
class K: v = 1
a, (b, *c) = 1, (2, 3, 4)
d = e2 = 5
d += 1
if (w := 7): pass
[x2 := q for q in range(3)]
global g
g = 1
names = 'os p s i f kept fn K a b c d e2 w x2 g'.split()
r = [n for n in names if n not in globals()]
return [r, 'e' in globals(), 'q' in globals(), fn()]
"""
        self.assertEqual(answer(program)[0], [
            [], False, False, [1, "/", 1, [1, 2], [3, 4]]])

    def test_match_and_new_syntax(self):
        if host.current.version >= (3, 10):
            self.assertEqual(answer(
                "match [1, 2, 3]:\n  case [x, *y]:\n    pass\n"
                "match {'k': 5}:\n  case {'k': v, **rest}:\n"
                "    return [x, y, v, 'rest' in globals()]"),
                ([1, [2, 3], 5, True], True))
        if host.current.version >= (3, 12):
            self.assertEqual(answer(
                "type X[T] = list[T]\ndef f[T](a: T) -> T: return a\n"
                "class C[T]: pass\nreturn [f(1), X.__name__]"),
                ([1, "X"], True))

    def test_refused_together_with_return(self):
        error = run("x = 1\nif x:\n  from os import *\nreturn 1").error
        self.assertEqual(error["message"], "SyntaxError: import * does not go "
                         "together with a top-level return")
        self.assertEqual(error["line"], 3)
        self.assertIn("    from os import *\n", error["traceback"])
        self.assertEqual(answer("from os import *\nsep"), ("/", True))
        for text in ("yield 1\nreturn 2", "x = yield\nreturn 2"):
            error = run(text).error
            self.assertEqual(error["message"],
                             "SyntaxError: 'yield' outside function")
        for text in ("class A:\n  return 1\nreturn 2", "class A:\n  return 1"):
            self.assertEqual(run(text).error["message"],
                             "SyntaxError: 'return' outside function")

    def test_warnings_of_the_compiler_come_once(self):
        for program in ("x = 1\nx is 1\n", "x = 1\nx is 1\nreturn 2"):
            result = run(program)
            self.assertEqual(result.stderr.count("SyntaxWarning"), 1, program)
            self.assertIn("<program>:2: SyntaxWarning", result.stderr)

    def test_nothing_is_imported_for_the_program(self):
        # asyncio is not spelled out: the text would ask for it.
        names = ("json", "asyncio", "ast", "traceback", "os", "re", "types",
                 "threading", "_weir", "bootstrap", "gc", "atexit",
                 "collections", "functools", "contextlib")
        for end in ("", "return ", "async def f(): return 1\nawait f()\n"):
            value, _ = answer(
                "import sys\n%s[n for n in %r.split() if n.replace('+', '') "
                "in sys.modules]" % (end, " ".join(names).replace(
                    "asyncio", "asyn+cio")))
            self.assertEqual(value, [])

    def test_what_is_left_of_the_bootstrap(self):
        value, _ = answer("import sys\n[sys.path, sys.argv, [p for p in "
                          "sys.path_importer_cache if p not in sys.path and "
                          "'weir' in p]]")
        self.assertFalse([p for p in value[0] if "weir" in p])
        self.assertEqual(value[1:], [["<program>"], []])

    def test_large_programs(self):
        program = "x = 0\n" + "x += 1\n" * 20000 + "x"
        self.assertEqual(answer(program), (20000, True))
        program = "x = 0\n" + "if x == 1: pass\n" + "".join(
            "elif x == %d: pass\n" % i for i in range(2, 90)) + (
            "else:\n  return 'deep'")
        self.assertEqual(answer(program), ("deep", True))

    def test_nul_bytes_in_a_program(self):
        error = run("x = 1\x00").error
        self.assertEqual(error["kind"], "exception")
        self.assertIn("null bytes", error["message"])


# Programs that end in an error which has to print as Python prints it.
ERRORS = [
    "1/0",
    "def f(x):\n    return 1 / x\n\nfor i in range(3, -1, -1):\n    f(i)",
    "raise ValueError('bad')",
    "raise ValueError",
    "raise ValueError('two\\nlines')",
    "x = = 1",
    "def f(:\n  pass",
    "if True:\nprint(1)",
    "  x = 1",
    "x = 'unclosed",
    "x = (1,\ny = 2",
    "print 'x'",
    "f(a=1, a=2)",
    "def f(a, a): pass",
    "x = 1\nbreak",
    "class A:\n    return 1",
    "def f():\n    x = 1\n    global x",
    "def f():\n    nonlocal q",
    "None = 1",
    "'\\N{no such name}'",
    "yield 1",
    "from __future__ import nothing",
    "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError from e",
    "try:\n    1/0\nexcept ZeroDivisionError:\n    undefined",
    "try:\n    1/0\nexcept ZeroDivisionError:\n    raise ValueError from None",
    "def f(n):\n    return f(n + 1)\nf(0)",
    "class E(Exception): pass\nraise E('own')",
    "class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E",
    "import collections\ncollections.OrderedDict().popitem()",
    "import string\nstring.Template('$').substitute()",
    "exec('1/0')",
    "exec('x = = 1')",
    "compile('x = = 1', 'other', 'exec')",
    "assert 1 == 2, 'message'",
    "raise KeyboardInterrupt",
    "raise GeneratorExit('x')",
    "import no_such_module",
    "[][1]",
    "foo = 1\nfooo",
    "class A:\n    x = 1\nA().y",
    "x = 1\n\n\n(x +\n  'a')",
    "lambda: 1\n(lambda: 1/0)()",
    "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'why')",
    "raise OSError(2, 'No such file', 'f')",
]
ERRORS_311 = [
    "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "def f(): raise ValueError('in')\n"
    "es = []\nfor _ in range(2):\n    try: f()\n"
    "    except ValueError as e: es.append(e)\n"
    "raise ExceptionGroup('outer', [*es, ExceptionGroup('i', [KeyError(1)])])",
    "e = ValueError('x')\ne.add_note('a note')\nraise e",
]


def comparable(text):
    """Lines; without the number of frames that still fitted on the stack, and
    with what the printer and the module traceback of older versions call
    alike."""
    text = re.sub(r"repeated \d+ more", "repeated N more", text)
    text = re.sub(r"^__main__\.", "", text, flags=re.M)
    text = re.sub(r"<unprintable \w+ object>", "<exception str() failed>", text)
    return text.splitlines()


class Errors(unittest.TestCase):
    def python_prints(self, program):
        """What a bare interpreter writes about it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            run = subprocess.run(
                [host.current.python, "-I", "-S", "-X", "utf8", path],
                stderr=subprocess.PIPE)
        return comparable(run.stderr.decode().replace(path, "<program>"))

    def test_print_as_python_prints_them(self):
        programs = list(ERRORS)
        if host.current.version >= (3, 11):
            programs += ERRORS_311
        for program in programs:
            with self.subTest(program):
                error = run(program).error
                self.assertEqual(error["kind"], "exception")
                self.assertEqual(comparable(error["traceback"]),
                                 self.python_prints(program))

    def test_message_and_line(self):
        cases = [
            ("x = 1\n1/0", "ZeroDivisionError: division by zero", 2),
            ("x = 1\n\n x", "IndentationError: unexpected indent", 3),
            ("def f():\n  raise KeyError('k')\n\nf()", "KeyError: 'k'", 2),
            ("import string\n\nstring.Template('$').substitute()",
             "ValueError: Invalid placeholder in string: line 1, col 1", 3),
            ("raise ValueError('a\\nb')", "ValueError: a b", 1),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
            ("class E(Exception): pass\nraise E", "E", 2),
            ("import decimal\ndecimal.Decimal('x')",
             "decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]",
             2),
        ]
        for program, message, line in cases:
            with self.subTest(program):
                error = run(program).error
                self.assertEqual((error["message"], error["line"]),
                                 (message, line))

    def test_returning_programs_print_alike(self):
        plain = "def f(x):\n    return 1 / x\nf(0)\n"
        error = run(plain).error
        returning = run(plain + "return 1").error
        self.assertEqual(returning, error)
        error = run("x = 5\nif x:\n    break\nreturn 3").error
        self.assertEqual(error["line"], 3)
        self.assertIn("    break\n", error["traceback"])

    def test_awaiting_programs_print_only_their_frames(self):
        error = run("import asyncio\nasync def f():\n    1/0\n"
                    "async def g():\n    await f()\nawait g()").error
        files = [line for line in error["traceback"].splitlines()
                 if "File" in line]
        self.assertEqual(files, [
            '  File "<program>", line 6, in <module>',
            '  File "<program>", line 5, in g',
            '  File "<program>", line 3, in f'])
        error = run("import asyncio\nasync def f():\n    1/0\n"
                    "await asyncio.wait_for(f(), 5)").error
        files = [line for line in error["traceback"].splitlines()
                 if "File" in line]
        self.assertEqual(files[0], '  File "<program>", line 4, in <module>')
        self.assertEqual(files[-1], '  File "<program>", line 3, in f')
        self.assertIn("asyncio", files[1])

    def test_tracebacks_of_the_program_have_its_lines(self):
        result = run("import traceback\ntry:\n    1/0  # here\n"
                     "except Exception: traceback.print_exc()\n"
                     "import logging\n"
                     "import threading\n"
                     "def f():\n    undefined  # there\n"
                     "t = threading.Thread(target=f); t.start(); t.join()")
        self.assertIn("    1/0  # here\n", result.stderr)
        if host.current.version >= (3, 13):
            # Before, the interpreter itself prints it, from files only.
            self.assertIn("    undefined  # there\n", result.stderr)
        self.assertNotIn("importlib", result.stderr)

    def test_deep_recursion_and_long_texts_are_cut(self):
        error = run("raise ValueError('<' + 'ä\\n' * 100000 + '>')").error
        self.assertLessEqual(len(error["message"].encode()), 16384)
        self.assertTrue(error["message"].startswith("ValueError: <ä"))
        self.assertTrue(error["message"].endswith("ä >"))
        self.assertIn("bytes left out", error["message"])
        self.assertTrue(error["traceback"].startswith("Traceback"))
        self.assertTrue(error["traceback"].endswith(">\n"))

    def test_lone_surrogates_in_messages(self):
        error = run("raise ValueError('\\ud800x')").error
        self.assertEqual(error["message"], "ValueError: \\ud800x")

    def test_exceptions_that_resist(self):
        cases = [
            "class E(Exception):\n"
            "  def __str__(self): raise SystemExit(3)\nraise E",
            "class E(Exception):\n"
            "  def __str__(self): return 5\nraise E",
            "class E(Exception):\n"
            "  __module__ = 5\nraise E",
            "class E(Exception):\n"
            "  @property\n  def __traceback__(self): raise OSError\nraise E",
            "class M(type):\n"
            "  @property\n  def __qualname__(self): raise OSError\n"
            "class E(Exception, metaclass=M): pass\nraise E",
            "class E(SyntaxError):\n"
            "  filename = '<program>'\n  lineno = 'x'\n  text = None\nraise E",
            "e = ValueError(); e.__cause__ = e; e.__context__ = e\nraise e",
            "import sys\nsys.modules['traceback'] = None\n1/0",
            "import builtins\nfor n in list(vars(builtins)):\n"
            "  if n not in ('BaseException', 'ValueError'): delattr(builtins, "
            "n)\nraise ValueError",
            "import sys\nsys.setrecursionlimit(50)\n"
            "def f(): f()\nf()",
            "import sys\nsys.settrace(lambda *a: 1/0)\ndef f(): pass\nf()",
            "import linecache\nlinecache.cache = None\n1/0",
        ]
        for program in cases:
            with self.subTest(program):
                result = run(program)
                self.assertIsNotNone(result.done, result.stderr)
                self.assertEqual(result.error["kind"], "exception")
