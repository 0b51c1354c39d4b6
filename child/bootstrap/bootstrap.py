"""What is about Python in a run: compiling the program, giving it its names,
driving it, and telling how it ended.

Trusted, part of the install. Nothing untrusted is compiled before _weir.boot
returns: by then the process is sealed and the host has agreed. What stands
here costs every start, so nothing is imported that a bare interpreter has not
loaded already; traceback, gc and asyncio come only when a program causes it,
and compiling.py when it needs more than the compiler's plain words.

The program can reach everything here through frames and modules. That is no
breach: the seal holds without this file, and what the last frame says is the
program's own claim anyway.
"""
import sys

import _weir

PROGRAM = "<program>"
PLAN_FD = 6

CO_COROUTINE = 0x80

# Not an identifier, so it cannot meet a name of the program.
VALUE = "<value>"

KEYWORDS = frozenset(
    "False None True and as assert async await break class continue def del "
    "elif else except finally for from global if import in is lambda nonlocal "
    "not or pass raise return try while with yield".split())


# --- what the program gets: errors, results, calls ---------------------------

class ToolError(Exception):
    """A tool call that was refused or failed. hard: every later call will."""

    def __init__(self, kind, message, hard=False, tool=None):
        super().__init__(kind, message, hard, tool)
        self.kind = kind
        self.message = message
        self.hard = hard
        self.tool = tool

    def __str__(self):
        text = "%s (%s)" % (self.message, self.kind)
        # weir's messages begin with it.
        if self.tool is None or text.startswith("%s: " % self.tool):
            return text
        return "%s: %s" % (self.tool, text)


class NotData(TypeError, AttributeError):
    """Something stands for a value and was used as if it were one. An
    AttributeError too, since hasattr and getattr may ask; printed as what the
    program would catch."""

    __module__, __qualname__ = "builtins", "TypeError"


def refuse_use(cls):
    """Class decorator: whatever treats an object as data raises."""
    def refuse(self, *unused):
        raise NotData(self._advice())

    # Not bool: asyncio asks for the truth of a coroutine.
    names = ("getitem setitem delitem iter len contains int float index add "
             "radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv "
             "mod rmod pow rpow and rand or ror xor neg abs lt le gt ge")
    for name in names.split():
        setattr(cls, "__%s__" % name, refuse)
    cls.__bool__ = lambda self: True
    return cls


@refuse_use
class ToolResultHandle:
    """A result that the host keeps because it is too large to deliver. Its
    text is that of a string, and of any other value its JSON. The methods are
    calls of the tool read_tool_output, awaited where tools are."""

    __slots__ = ("token", "size", "preview", "tool")

    def __init__(self, token, size, preview, tool):
        self.token = token
        self.size = size
        self.preview = preview
        self.tool = tool

    def read(self, offset=0, length=None):
        """The text of length bytes from offset on, without cutting any
        character."""
        return read_kept("text", self.token, offset=offset, length=length)

    def lines(self, start=0, count=None):
        """A list of count lines from the line start on, counted from 0."""
        return read_kept("lines", self.token, start=start, count=count)

    def search(self, pattern, offset=0, length=None, limit=None,
               ignore_case=False):
        """A list of the matches of a regular expression, each a dict with
        line, offset, length, match and text (the line)."""
        return read_kept("matches", self.token, pattern=pattern,
                         offset=offset, length=length, limit=limit,
                         ignore_case=ignore_case)

    def _advice(self):
        return ("the result of %s is %d bytes of text and stays with the host;"
                " write .read(offset, length), .lines(start, count) or "
                ".search(pattern)" % (self.tool, self.size))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotData(self._advice())

    def __repr__(self):
        return "<result of %s, %d bytes, kept by the host: .read, .lines, " \
            ".search>" % (self.tool, self.size)


def outcome(tool, reply, part=None):
    """The value of a reply of _weir, or a part of it, or its error raised."""
    if reply[0] == 0:
        return reply[1] if part is None else reply[1][part]
    if reply[0] == 1:
        return ToolResultHandle(reply[1], reply[2], reply[3], tool)
    raise ToolError(reply[1], reply[2], reply[3], tool)


def check_arguments(name, arguments):
    if arguments is None:
        return {}
    if type(arguments) is not dict:
        raise TypeError("the arguments of %s are a dict, not %s"
                        % (name, type(arguments).__name__))
    return arguments


def call_tool_sync(name, arguments=None):
    """Calls a tool and waits for its result. Works in any thread."""
    return outcome(name, _weir.call(name, check_arguments(name, arguments)))


READ = "read_tool_output"


def read_kept(part, token, **arguments):
    """One part of what READ answers; a ToolCall where tools are awaited."""
    arguments["handle"] = token
    if is_awaiting:
        return ToolCall(READ, arguments, part)
    return outcome(READ, _weir.call(READ, arguments), part)


METHODS = {"text": "read", "lines": "lines", "matches": "search"}
is_awaiting = False  # whether the program awaits its tools
unawaited = {}  # tool: number of calls that were made and not awaited


@refuse_use
class ToolCall:
    """A tool call before it is awaited. A coroutine in all but its type, so
    that create_task, gather, TaskGroup and wait_for take it; it is sent when
    it is first awaited."""

    __slots__ = ("_tool", "_arguments", "_part", "_steps", "__weakref__")

    def __init__(self, tool, arguments, part=None):
        self._tool = tool
        self._arguments = arguments
        self._part = part
        self._steps = None
        unawaited[tool] = unawaited.get(tool, 0) + 1

    def _begin(self):
        if self._steps is not None:
            raise RuntimeError("this tool call was awaited already")
        unawaited[self._tool] -= 1
        self._steps = perform(self._tool, self._arguments, self._part)
        self._arguments = None
        return self._steps

    def __await__(self):
        return self._begin()

    def send(self, value):
        return (self._steps or self._begin()).send(value)

    def throw(self, *error):
        return (self._steps or self._begin()).throw(*error)

    def close(self):
        (self._steps or self._begin()).close()

    def _spelled(self):
        if self._part is not None:
            return "await handle.%s(...)" % METHODS[self._part]
        if is_alias(self._tool):
            return "await %s(...)" % self._tool
        return "await call_tool(%r, ...)" % self._tool

    def _advice(self):
        return "a tool call has no value until it is awaited; write: %s" % (
            self._spelled())

    def __getattr__(self, name):
        if name.startswith(("_", "cr_", "gi_", "ag_")):
            raise AttributeError(name)
        raise NotData(self._advice())

    def __repr__(self):
        return "<tool call, write: %s>" % self._spelled()


def perform(tool, arguments, part):
    """The steps of an awaited call: a generator, as __await__ wants one."""
    loop = running_loop()
    if loop is None:
        # Nothing else could run meanwhile.
        return outcome(tool, _weir.call(tool, arguments), part)
    watch(loop)
    future = loop.create_future()
    call = _weir.start(tool, arguments, Delivery(loop, future))
    if type(call) is tuple:
        return outcome(tool, call, part)
    try:
        reply = yield from future
    except BaseException:
        _weir.drop(call)
        raise
    return outcome(tool, reply, part)


def running_loop():
    events = sys.modules.get("asyncio.events")
    get = getattr(events, "_get_running_loop", None)
    return get() if get is not None else None


def watch(loop):
    """Lets the loop read the channel, from its first call to its end."""
    if getattr(loop, "_weir_watched", False):
        return
    loop.add_reader(_weir.descriptor(), _weir.pump)
    loop._weir_watched = True


class Delivery:
    """Brings one reply to the future that waits for it, from any thread."""

    __slots__ = ("loop", "future")

    def __init__(self, loop, future):
        self.loop = loop
        self.future = future

    def __call__(self, call):
        # A blocking call in the loop's own thread may come out of a signal's
        # handler while the loop sleeps; then the loop has to be woken up.
        if _weir.is_pumping() and running_loop() is self.loop:
            return self.settle(call)
        try:
            self.loop.call_soon_threadsafe(self.settle, call)
        except RuntimeError:
            _weir.drop(call)  # the loop is closed

    def settle(self, call):
        if self.future.done():
            return _weir.drop(call)
        try:
            self.future.set_result(_weir.take(call))
        except Exception as error:
            self.future.set_exception(error)


class Budget:
    """What is left for tool calls, as the host has said last: calls, bytes of
    arguments and results, bytes that tools may give, bytes that the host keeps,
    and seconds of all calls together. Reading it decides nothing."""

    __slots__ = ()

    calls = property(lambda self: _weir.left(0))
    total_bytes = property(lambda self: _weir.left(1))
    produced_bytes = property(lambda self: _weir.left(2))
    kept_bytes = property(lambda self: _weir.left(3))
    total_tool_time = property(lambda self: (_weir.left(4) or 0) / 1000)

    def __repr__(self):
        return "<left: calls %s, total_bytes %s, produced_bytes %s, " \
            "kept_bytes %s, total_tool_time %s s>" % (
                self.calls, self.total_bytes, self.produced_bytes,
                self.kept_bytes, self.total_tool_time)


# --- names -------------------------------------------------------------------

aliases = {}
dotted = set()  # names of tools that are spelled SERVER.TOOL


def is_alias(name):
    return name in aliases or name in dotted


class ToolServer:
    """The tools of one server whose names are identifiers."""

    def __init__(self, server):
        vars(self)["."] = server  # no tool's name

    def __getattr__(self, name):
        if name.startswith("__") or "." not in vars(self):
            raise AttributeError(name)
        tool = "%s.%s" % (vars(self)["."], name)
        raise AttributeError("no tool is called %s; names are in TOOLS, and "
                             "call_tool(%r, ...) takes any of them" % (
                                 tool, tool))

    def __repr__(self):
        return "<the tools of %s>" % vars(self)["."]


def add_servers(names, taken, tools, call):
    """An object for each server, unless something has its name."""
    servers = {}
    for name in tools:
        server, dot, tool = name.partition(".")
        if not (dot and server.isidentifier() and tool.isidentifier()) or (
                server in taken or server in aliases or tool in KEYWORDS
                or tool.startswith("__")):
            continue
        if server not in servers:
            servers[server] = ToolServer(server)
        vars(servers[server])[tool] = make_alias(name, call)
        dotted.add(name)
    names.update(servers)


def make_alias(name, call):
    def tool(*args, **kwargs):
        if not args:
            return call(name, kwargs)
        if len(args) == 1 and not kwargs:
            return call(name, args[0])
        raise TypeError("%s() takes keyword arguments, or one dict" % name)

    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = "The tool %r of the host." % name
    return tool


# Tools that every program has, whatever is offered.
OWN_TOOLS = (READ, "list_tools", "get_tool_info")


def make_namespace(tools, awaiting):
    """A fresh __main__ with the names of P3. A tool gets an alias when its
    name is an identifier that neither a keyword, a reserved name nor a
    builtin has; call_tool reaches every tool."""
    global is_awaiting
    is_awaiting = awaiting
    if awaiting:
        def call_tool(name, arguments=None):
            """A tool call, to be awaited."""
            return ToolCall(name, check_arguments(name, arguments))
    else:
        call_tool = call_tool_sync
    main = type(sys)("__main__")
    builtins = sys.modules["builtins"]
    main.__builtins__ = builtins
    main.__annotations__ = {}
    names = vars(main)
    names.update(call_tool=call_tool, call_tool_sync=call_tool_sync,
                 TOOLS=tools, BUDGET=Budget(), ToolError=ToolError,
                 ToolResultHandle=ToolResultHandle)
    for cls in (ToolError, ToolResultHandle, ToolServer):
        cls.__module__ = "__main__"
    taken = KEYWORDS.union(names, vars(builtins))
    for name in OWN_TOOLS + tuple(tools):
        if name.isidentifier() and name not in taken:
            aliases[name] = make_alias(name, call_tool)
    names.update(aliases)
    add_servers(names, taken, tools, call_tool)
    sys.modules["__main__"] = main
    return names


# --- compiling ---------------------------------------------------------------

# First words of statements that have no value.
STATEMENTS = frozenset(
    "for while if def class with try import from pass del assert raise global "
    "elif else except finally".split())


def last_statement(text):
    """Where the last line begins that stands in column 0 and opens something;
    -1 when that cannot be told from the lines alone."""
    at = len(text)
    while at > 0:
        at = text.rfind("\n", 0, at - 1) + 1 if at > 1 else 0
        if text[at] not in " \t#\n)]}":
            return at
    return -1


def compile_plain(text):
    """(code of the head or None, code of the last expression or None) for a
    program that neither awaits nor returns at top level, which most do not;
    None when only the syntax tree can tell. Building that tree for a look
    costs a fifth of a bare start. What stands at column 0 behind a complete
    head begins a statement, so the two compile as they would together."""
    if ("async" in text or "await" in text or "__future__" in text
            or "coding" in text  # a declaration maybe: it is text already
            or "\nreturn" in text or text.startswith("return")
            or "\r" in text or "\f" in text or not text.isascii()):
        return None
    at = last_statement(text)
    if at < 0:
        return None
    head, tail = text[:at], text[at:]
    quoted = "'" in tail or '"' in tail
    if quoted and at == 0 or ";" in tail:
        return None  # a docstring maybe; several statements maybe
    try:
        if tail.split(None, 1)[0].rstrip(":") in STATEMENTS:
            return _weir.compile(text, False), None
        # In this order: what fails here is compiled once more, and warns
        # once more.
        code = _weir.compile(head, False) if head else None
        return code, _weir.compile("\n" * head.count("\n") + tail, True)
    except (SyntaxError, ValueError, OverflowError, MemoryError):
        return None  # the long way finds the words for it


def load(name):
    """A module of ours that not every program needs."""
    sys.path.insert(0, HOME)
    try:
        return __import__(name)
    finally:
        clear_traces()


def prepare(text, tools):
    """(code, code of the value or None, namespace)"""
    if text.startswith("\ufeff"):
        text = text[1:]  # a byte order mark, as files may have
    plain = compile_plain(text)
    if plain is not None:
        return plain + (make_namespace(tools, False),)
    tree, is_awaiting = load("compiling").parse(text)
    namespace = make_namespace(tools, is_awaiting)
    return load("compiling").code_of(tree, text, namespace), None, namespace


# --- running -----------------------------------------------------------------

def drive(coroutine):
    """Runs a program that awaits tools only, which never make it yield."""
    error = None
    while True:
        try:
            if error is None:
                waits = coroutine.send(None)
            else:
                waits = coroutine.throw(error)
        except StopIteration as stop:
            return stop.value
        error = None
        if waits is not None:
            error = RuntimeError(
                "awaiting %s needs an event loop; import asyncio in the "
                "program" % type(waits).__name__)


def execute(text, tools):
    """Runs the program; (value, whether it returned one). A program that
    awaits at top level runs in asyncio's loop when its text names asyncio;
    otherwise it can only wait for tools, which needs no loop."""
    code, value, namespace = prepare(text, tools)
    if value is not None:
        if code is not None:
            exec(code, namespace)
        return eval(value, namespace), True
    result = eval(code, namespace)
    if code.co_flags & CO_COROUTINE:
        if "asyncio" in text:
            import asyncio
            result = asyncio.run(result)
        else:
            result = drive(result)
    if result is not None:
        return result[0], True
    if VALUE in namespace:
        return namespace.pop(VALUE), True
    return None, False


class ProgramLines:
    """A finder that stands by until linecache is imported, by whomever, and
    then gives it the program's text, so that tracebacks show its lines."""

    def __init__(self, text):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.entry = (len(text), None, [s + "\n" for s in lines], PROGRAM)
        self.loader = None
        linecache = sys.modules.get("linecache")
        if linecache is None:
            sys.meta_path.insert(0, self)
        else:
            linecache.cache.clear()  # python -c leaves its own text there
            linecache.cache[PROGRAM] = self.entry

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self.loader, spec.loader = spec.loader, self
                return spec
        return None

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        module.cache[PROGRAM] = self.entry


# --- how it ended ------------------------------------------------------------

OWN_FILE = make_alias.__code__.co_filename
HOME = OWN_FILE.rpartition("/")[0]
# What follows the directory of this file on the command line.
PACKAGES = sys.argv[1].split("\n") if len(sys.argv) > 1 else []
OWN_FILES = (OWN_FILE, HOME + "/compiling.py")


def own_frames(trace):
    """The part of a traceback that is the program's: from its first frame on,
    without frames of ours."""
    frames = []
    while trace is not None:
        frames.append((trace, trace.tb_frame.f_code.co_filename))
        trace = trace.tb_next
    first = 0
    for n, (_, name) in enumerate(frames):
        if name == PROGRAM:
            first = n
            break
        if name in OWN_FILES:
            first = n + 1
    frames = [t for t, name in frames[first:] if name not in OWN_FILES]
    for trace, below in zip(frames, frames[1:] + [None]):
        trace.tb_next = below
    return frames[0] if frames else None


def trim(error):
    """Leaves the program's frames in an error and all it refers to."""
    todo, seen = [error], set()
    while todo:
        error = todo.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = own_frames(error.__traceback__)
        todo += [error.__cause__, error.__context__]
        todo += getattr(error, "exceptions", None) or ()


def line_of(error):
    """The line of the program that an error is about; 0: none."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        line = error.lineno or line
    return line


def headline(error):
    """An error in one line, as the last line of its traceback has it."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("__main__", "builtins"):
        name = "%s.%s" % (kind.__module__, name)
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except BaseException:
        text = "<exception str() failed>"
    text = " ".join(text.split("\n"))
    return "%s: %s" % (name, text) if text else name


class Kept:
    """A file that only keeps what is written to it."""

    def __init__(self):
        self.parts = []

    def write(self, text):
        self.parts.append(text)

    def flush(self):
        pass


def printed(error):
    """What the interpreter itself prints; it cannot show lines of a program
    that is no file."""
    kept, stderr = Kept(), sys.stderr
    sys.stderr = kept
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
    finally:
        sys.stderr = stderr
    return "".join(kept.parts)


def fill_in_line(error, text):
    """The compiler looks for the line of an error in a file."""
    if error.text is None and error.filename == PROGRAM and error.lineno:
        lines = text.split("\n")
        if error.lineno <= len(lines):
            error.text = lines[error.lineno - 1] + "\n"


def format_error(error, text):
    """The traceback as Python prints it."""
    if isinstance(error, SyntaxError):
        fill_in_line(error, text)
        if error.__traceback__ is error.__cause__ is error.__context__ is None:
            return printed(error)
    import traceback
    lines = traceback.format_exception(
        type(error), error, error.__traceback__)
    if isinstance(error, (NameError, AttributeError)) and (
            (3, 10) <= sys.version_info < (3, 12)):
        # Suggestions of similar names were the printer's alone.
        last = printed(error).splitlines(True)[-1]
        if last.startswith(lines[-1].rstrip("\n")):
            lines[-1] = last
    return "".join(lines)


def report(error, text):
    """The arguments of _weir.fail for an uncaught error, but warnings."""
    summary, trace, line = "an error that could not be reported", "", 0
    try:
        summary = headline(error)
        trim(error)
        line = line_of(error)
        trace = format_error(error, text)
    except BaseException:
        pass
    return "exception", summary, trace, line, 0


def exit_report(error):
    """Likewise for SystemExit; None: it ended well (P9)."""
    code = error.code
    if code is None:
        return None
    if isinstance(code, int):
        # As the C library takes it: the low byte; beyond a long, -1.
        status = (code if -1 << 63 <= code < 1 << 63 else -1) & 0xff
    else:
        status = 1
        try:
            sys.stderr.write("%s\n" % (code,))
        except BaseException:
            pass
    if status == 0:
        return None
    return ("worker_exit", "the program exited with status %d" % status, "",
            0, status)


# --- winding down ------------------------------------------------------------

def join_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def run_exit_handlers():
    atexit = sys.modules.get("atexit")
    if atexit is not None:
        atexit._run_exitfuncs()


def flush_streams():
    sys.stdout.flush()
    sys.stderr.flush()


def flush_files():
    """The process never finalizes, so files that were not closed are written
    out here."""
    if not _weir.open_files():
        return
    import _io
    import gc
    kinds = (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom)
    for thing in gc.get_objects():
        if issubclass(type(thing), kinds):
            try:
                thing.flush()
            except Exception:
                pass


def wind_down():
    """As an interpreter does at its end; what fails here changes nothing."""
    for step in (join_threads, run_exit_handlers, flush_streams, flush_files):
        try:
            step()
        except BaseException:
            pass


def unawaited_warnings():
    return ["tool call %s was created but never awaited (%d times): write "
            "await before it" % (tool, count)
            for tool, count in unawaited.items() if count > 0]


def clear_traces():
    """What a program would not find in an interpreter of its own."""
    while HOME in sys.path:
        sys.path.remove(HOME)
    sys.path_importer_cache.pop(HOME, None)
    for name in ("bootstrap", "compiling", "_weir"):
        sys.modules.pop(name, None)
    sys.argv[:] = [PROGRAM]


def run(text, tools):
    """Runs the program and what belongs to its end; (value, returned,
    failure), failure being the arguments of _weir.fail."""
    value, returned, failure, error = None, False, None, None
    try:
        value, returned = execute(text, tools)
    except BaseException as raised:
        error = raised
    # Out here nothing that fails gets the program's error as its context.
    if isinstance(error, SystemExit):
        failure = exit_report(error)
    elif error is not None:
        failure = report(error, text)
    del error
    wind_down()
    return value, returned, failure


def main():
    if sys.version_info < (3, 8):
        # The module loads, and what is compiled means something else.
        sys.stderr.write("weir needs Python 3.8 or later\n")
        sys.exit(125)
    text, tools = _weir.boot(PLAN_FD)
    finish, fail = _weir.finish, _weir.fail
    try:
        sys.modules["posix"].register_at_fork(after_in_child=_weir.forget)
        clear_traces()
        # Only now: nothing from there may be loaded before the seal.
        sys.path.extend(PACKAGES)
        ProgramLines(text)
        value, returned, failure = run(text, tools)
        warnings = unawaited_warnings()
        if failure is None:
            finish(value, returned, warnings)
        fail(*failure, warnings)
    except:  # noqa: E722  whatever the program has done to the names above
        fail("exception", "the end of the program could not be reported", "",
             0, 0, [])
