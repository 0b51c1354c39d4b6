#!/usr/bin/env python3
"""The value of the last expression, where lines alone do not show it: most
programs are compiled in two parts without a syntax tree, and the two must be
what one module would be."""
import unittest

from weir_test import main, rows, Case

# program: (value, whether there is one)
PROGRAMS = {
    "one expression": ("1 + 1", 2, True),
    "nothing": ("", None, False),
    "a comment": ("# nothing\n", None, False),
    "blank lines and comments behind": ("7\n\n# end\n   # end\n", 7, True),
    "docstring": ('"doc"', "doc", True),
    "docstring and name": ('"doc"\n__doc__', "doc", True),
    "docstring alone is __doc__ too": (
        '"""doc"""\nassert __doc__ == "doc"', None, False),
    "semicolon": ("x = 1; x", 1, True),
    "semicolon in text": ("x = ';'\nx + ';'", ";;", True),
    "assignment": ("x = 5", None, False),
    "augmented": ("x = 5\nx += 1", None, False),
    "compound": ("for i in range(3):\n    i", None, False),
    "compound in one line": ("if 1: 5", None, False),
    "else": ("if 0:\n    1\nelse:\n    2", None, False),
    "call over lines": ("max(\n1,\n2,\n)", 2, True),
    "list over lines": ("[1,\n 2,\n]", [1, 2], True),
    "triple quotes": ("x = '''\na = 1\nb'''\nx", "\na = 1\nb", True),
    "last line inside triple quotes": ("'''a\nb'''", "a\nb", True),
    "triple quotes in a call": ("len('''\nabc\n''')", 5, True),
    "looks like an expression inside a text": (
        "x = '''\n1\n'''", None, False),
    "continuation": ("x = 1 + \\\n2\nx", 3, True),
    "continued expression": ("1 + \\\n2", 3, True),
    "decorator": ("def d(f): return f\n@d\ndef g(): return 4\ng()", 4, True),
    "decorator last": ("def d(f): return 9\n@d\ndef g(): pass", None, False),
    "future": ("from __future__ import annotations\n"
               "def f(a: nothing): pass\nf.__annotations__",
               {"a": "nothing"}, True),
    "walrus": ("(y := 5)", 5, True),
    "walrus is global": ("(y := 5)\ny + 1", 6, True),
    "lambda": ("(lambda: 3)()", 3, True),
    "generator": ("sum(x for x in (1, 2))", 3, True),
    "names are globals": ("def f():\n    global z\n    z = 8\nf()\nz", 8, True),
    "globals are locals": ("locals() is globals()", True, True),
    "annotation": ("x: int = 3\n__annotations__['x'].__name__", "int", True),
    "nested return": ("def f():\n    return 2\nf()", 2, True),
    "top-level return": ("x = 3\nreturn x", 3, True),
    "return in a block": ("if 1:\n    return 6\n7", 6, True),
    "form feed": ("x = 1\n\fx", 1, True),
    "carriage returns": ("x = 1\r\nx + 1\r\n", 2, True),
    "unicode names": ("\u00fc = 4\n\u00fc", 4, True),
    "tabs": ("if 1:\n\tx = 2\nx", 2, True),
    "byte order mark": ("\ufeff1", 1, True),
    "star": ("from os.path import *\njoin('a', 'b')", "a/b", True),
    "await in a text": ("'await'", "await", True),
    "a name that begins like a word": ("format_ = 1\nformat_", 1, True),
    "None": ("None", None, True),
    "ellipsis in a list": ("[len([...])]", [1], True),
    "no newline after a comment": ("3 # three", 3, True),
    "line numbers": ("\n\nimport sys\nsys._getframe().f_lineno", 4, True),
}


class LastValue(Case):
    def check(self, program, value, returned):
        result = self.succeeds(program)
        self.assertEqual((result["value"], result["returned"]),
                         (value, returned))


rows(LastValue, {name.replace(" ", "_"): row
                 for name, row in PROGRAMS.items()})


class Lines(Case):
    def test_errors_name_their_lines(self):
        for program, line in (("1/0", 1), ("\n\n1/0", 3), ("x = 1\n1/0", 2),
                              ("x = 1\n(\n1/0)", 3), ("1/0\n2", 1),
                              ("def f():\n    1/0\n\nf()", 2),
                              ("x = 1\n1 +\n", 2)):
            got = self.fails("exception", program)
            self.assertEqual(got.result["error"]["line"], line, program)

    def test_plain_programs_need_no_tree(self):
        value = self.value("import sys\n[n for n in ('_ast', 'ast', "
                           "'compiling', 'bootstrap') if n in sys.modules]")
        self.assertEqual(value, [])

    def test_warnings_come_once(self):
        result = self.succeeds("x = 1\nx is 1")
        self.assertEqual(result["stderr"].count("SyntaxWarning"), 1)
        got = self.fails("exception", "if 0:\n    return 1\nx = 1\nx is 1\n"
                         "class A:\n    return 2")
        self.assertLessEqual(got.result["stderr"].count("SyntaxWarning"), 1)
        result = self.succeeds("if 0:\n    return 1\nprint(1 is 1)")
        self.assertEqual(result["stderr"].count("SyntaxWarning"), 1)

    def test_a_declared_coding_means_nothing(self):
        """A program is text already, in whatever way it is compiled."""
        for last in ("x", "return x", "x  # \xe4"):
            self.assertEqual(
                self.value("# coding: utf-7\nx = '+AGE-b'\n" + last),
                "+AGE-b", last)


if __name__ == "__main__":
    main()
