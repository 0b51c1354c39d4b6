"""Compiling a program that awaits or returns at top level, or whose last
expression only its syntax tree can find.

Loaded by bootstrap.py before the program runs, when it is needed.
"""
import _ast

PROGRAM = "<program>"
ONLY_AST, TOP_LEVEL_AWAIT = 0x400, 0x2000
CO_OPTIMIZED, CO_NEWLOCALS, CO_COROUTINE = 0x1, 0x2, 0x80

# Not identifiers, so they cannot meet a name of the program.
VALUE, BODY = "<value>", "<module>"

AWAITING = (_ast.Await, _ast.AsyncFor, _ast.AsyncWith, _ast.AsyncFunctionDef)
SCOPES = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)


def is_asyncio(name):
    return name == "asyncio" or (name or "").startswith("asyncio.")


def asks_for_await(tree):
    """Whether the style of the program is awaiting (P4)."""
    todo = [tree]
    while todo:
        node = todo.pop()
        kind = type(node)
        if kind in AWAITING or getattr(node, "is_async", 0):
            return True
        if kind is _ast.Import and any(is_asyncio(n.name) for n in node.names):
            return True
        if kind is _ast.ImportFrom and is_asyncio(node.module):
            return True
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, _ast.AST):
                todo.append(value)
            elif type(value) is list:
                todo += [n for n in value if isinstance(n, _ast.AST)]
    return False


def own_blocks(tree):
    """The lists of statements that belong to the program's own scope."""
    todo = [tree]
    while todo:
        node = todo.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, field, None)
            if type(block) is list:
                if field not in ("handlers", "cases"):
                    yield block
                todo += [n for n in block if not isinstance(n, SCOPES)]


def own_statements(tree, kind):
    return [(block, n) for block in own_blocks(tree)
            for n, node in enumerate(block) if type(node) is kind]


def placed(node, old):
    """A new node in the place of an old one."""
    for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, field, getattr(old, field, None))
    return node


def is_text(node):
    """A statement that is nothing but a string."""
    return type(node) is _ast.Expr and type(
        getattr(node.value, "value", None)) is str


def to_code(tree):
    return compile(tree, PROGRAM, "exec", TOP_LEVEL_AWAIT, dont_inherit=True)


def compile_module(tree):
    """Code of a program without a top-level return: a module, but that its
    last expression is kept under the name VALUE."""
    last = tree.body[-1] if tree.body else None
    if type(last) is _ast.Expr:
        name = placed(_ast.Name(VALUE, _ast.Store()), last)
        keep = placed(_ast.Assign([name], last.value), last)
        if len(tree.body) == 1 and is_text(last):
            tree.body.append(keep)  # it is the docstring, too
        else:
            tree.body[-1] = keep
    return to_code(tree)


def all_names(code):
    """Every name that the code and the code in it know."""
    names, todo = set(), [code]
    while todo:
        code = todo.pop()
        names.update(code.co_names)
        todo += [c for c in code.co_consts if type(c) is type(code)]
    return names


def compile_quietly(tree):
    """Code that is only looked at: warnings come when it is compiled for
    good."""
    import _warnings
    ignore = ("ignore", None, SyntaxWarning, None, 0)
    changed = getattr(_warnings, "_filters_mutated", lambda: None)
    _warnings.filters.insert(0, ignore)
    changed()
    try:
        return to_code(tree)
    finally:
        _warnings.filters.remove(ignore)
        changed()


def lower_statements(tree):
    """What a module may have and a function may not."""
    for block, n in own_statements(tree, _ast.ImportFrom):
        if block[n].names[0].name == "*":
            raise at_line(SyntaxError("import * does not go together with a "
                                      "top-level return"), block[n])
    for block, n in own_statements(tree, _ast.AnnAssign):
        node = block[n]
        if node.simple and node.value is None:
            block[n] = placed(_ast.Pass(), node)
        elif node.simple:
            block[n] = placed(_ast.Assign([node.target], node.value), node)


def compile_function(tree, namespace):
    """Code of a program with a top-level return: the body of a function in
    which every name is global, then without a function's own locals. What it
    returns is a tuple of the value."""
    lower_statements(tree)
    returns = [(block, n, block[n])
               for block, n in own_statements(tree, _ast.Return)]
    # As a module first: for its names, its kind, and errors in its words.
    for block, n, node in returns:
        block[n] = placed(_ast.Pass() if node.value is None
                          else _ast.Expr(node.value), node)
    draft = compile_quietly(tree)
    for block, n, node in returns:
        block[n] = node
    last = tree.body[-1]
    if type(last) is _ast.Expr:
        tree.body[-1] = placed(_ast.Return(last.value), last)
        returns.append((tree.body, -1, tree.body[-1]))
    for block, n, node in returns:
        value = node.value or placed(_ast.Constant(None), node)
        node.value = placed(_ast.Tuple([value], _ast.Load()), node)
    wrap(tree, all_names(draft), draft.co_flags & CO_COROUTINE)
    exec(to_code(tree), namespace)
    code = namespace.pop(BODY).__code__
    return code.replace(
        co_flags=code.co_flags & ~(CO_OPTIMIZED | CO_NEWLOCALS))


def wrap(tree, names, is_async):
    """Puts the body of the tree into a function, all but what has to stand
    at the beginning of a module."""
    head = 1 if is_text(tree.body[0]) else 0
    while head < len(tree.body) and type(
            tree.body[head]) is _ast.ImportFrom and (
            tree.body[head].module == "__future__"):
        head += 1
    shell = compile("async def f(): pass" if is_async else "def f(): pass",
                    PROGRAM, "exec", ONLY_AST, dont_inherit=True).body[0]
    shell.name = BODY
    body = tree.body[head:]
    if names:
        body.insert(0, placed(_ast.Global(sorted(names)), shell))
    shell.body = body
    tree.body[head:] = [shell]


def at_line(error, node):
    error.filename = PROGRAM
    error.lineno = node.lineno
    error.offset = node.col_offset + 1
    return error


def parse(text):
    """The syntax tree, and whether the style of the program is awaiting."""
    tree = compile(text, PROGRAM, "exec", ONLY_AST | TOP_LEVEL_AWAIT,
                   dont_inherit=True)
    # Looking through the tree costs as much as compiling it, so the words
    # are looked for first; an identifier may be spelled in other letters.
    return tree, (("async" in text or "await" in text or not text.isascii())
                  and asks_for_await(tree))


def code_of(tree, text, namespace):
    if "return" in text and own_statements(tree, _ast.Return):
        return compile_function(tree, namespace)
    return compile_module(tree)
