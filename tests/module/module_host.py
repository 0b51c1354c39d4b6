"""What the host may write and when, and what the child does with it: one
outcome for each (W5, W7). PROTOCOL.md has this table in words."""
import unittest

import host

MAX_FRAME = 75497472
LIMITS = '"limits":{"frame":1048576,"value":65536,"arguments":65536}'


def run_frame(program):
    return b'{"type":"run","program":%s,"tools":["t"],%s}' % (
        host.json.dumps(program).encode(), LIMITS.encode())


def reply(members, number=0):
    return b'{"type":"reply","id":%d,%s}' % (number, members)


# Bytes that are no frame, whatever the state: (line, word, offset).
MALFORMED = [
    (b'x', "bad_syntax", 0),
    (b'[]', "not_object", 0),
    (b'"reply"', "not_object", 0),
    (b'{}', "missing_field", 0),
    (b'{"type":"nope"}', "unknown_type", 8),
    (b'{"type":1}', "bad_field", 8),
    (b'{"type":"reply","id":0}', "missing_field", 0),
    (b'{"type":"reply","id":0,"value":1}x', "trailing_bytes", 33),
    (b'{"type":"reply","id":0,"value":1', "truncated", 32),
    (b'{"type":"reply","id":0,"value":"\xff"}', "bad_utf8", 32),
    (b'{"type":"reply","id":0,"value":"\x00"}', "nul_byte", 32),
    (b'{"type":"reply","id":0,"value":"\t"}', "control_character", 32),
    (b'{"type":"reply","id":0,"value":"\\x"}', "bad_escape", 33),
    (b'{"type":"reply","id":0,"value":"\\ud800"}', "lone_surrogate", 32),
    (b'{"type":"reply","id":0,"value":01}', "bad_number", 32),
    (b'{"type":"reply","id":0,"value":{"a":1,"a":2}}', "duplicate_member",
     38),
    (b'{"type":"reply","id":0,"id":0,"value":1}', "duplicate_member", 23),
    (b'{"type":"reply","id":0,"value":' + b"[" * 256, "too_deep", 286),
    (b'{"type":"reply","id":0,"value":1' + b"".join(
        b',"m%d":0' % i for i in range(62)) + b'}', "too_many_members",
     None),
    (b'{"type":"reply","id":0.0,"value":1}', "bad_id", 21),
    (b'{"type":"reply","id":-1,"value":1}', "bad_id", 21),
    (b'{"type":"reply","id":9007199254740992,"value":1}', "bad_id", 21),
    (b'{"type":"reply","value":1}', "missing_field", 0),
    (reply(b'"value":1,"error":{"kind":"failed","message":"","hard":false}'),
     "bad_field", None),
    (reply(b'"error":{"kind":"odd","message":"","hard":false}'), "bad_field",
     39),
    (reply(b'"error":{"kind":"failed","message":""}'), "missing_field", 31),
    (reply(b'"error":{"kind":"failed","message":"","hard":0}'), "bad_field",
     None),
    (reply(b'"error":{"kind":"failed","message":"%s","hard":false}'
           % (b"x" * 16385)), "bad_field", None),
    (reply(b'"handle":{"token":"","size":1}'), "bad_field", None),
    (reply(b'"handle":{"token":"%s","size":1}' % (b"x" * 129)), "bad_field",
     None),
    (reply(b'"handle":{"token":"h","size":-1}'), "bad_field", None),
    (b'{"type":"run"}', "missing_field", 0),
    (b'{"type":"run","program":"","tools":["t","t"],' + LIMITS.encode()
     + b'}', "bad_field", None),
    (b'{"type":"run","program":"","tools":[],"limits":{"frame":75497473,'
     b'"value":1,"arguments":1}}', "bad_field", None),
    (b'{"type":"abort"}', "missing_field", 0),
]

# Frames that are well-formed and not the host's, whatever the state.
CHILDS = [
    b'{"type":"call","id":0,"name":"t","arguments":{}}',
    b'{"type":"done","value":1}',
]

# Steps: bytes are a line of the host's; RAW bytes have no newline; CALL waits
# for a call; END closes the host's direction.
CALL, END = "call", "end"


class Raw(bytes):
    pass


class Refused:
    """Ends with status 125 and says the word and the offset, which counts
    from the beginning of the line of that number."""

    def __init__(self, word, line, offset=0):
        self.word, self.line, self.offset = word, line, offset


class Quiet:
    """Ends with status 0 and says nothing."""


WAITS = "t()"
LATE = """
import signal
def handler(*a): raise TimeoutError
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try: t()
except TimeoutError: pass
t()
"""
LATE_ASYNC = """
import asyncio
try: await asyncio.wait_for(t(), 0.05)
except asyncio.TimeoutError: pass
await t()
"""
TELLS = """
try: r = t()
except Exception as e: r = [type(e).__name__, str(e)]
[r, t()]
"""
RUN = run_frame(WAITS)
VALUE = reply(b'"value":7')
AGAIN = reply(b'"value":8', 1)

# (what, steps, outcome: Refused, Quiet, or the value of `done`)
OUTCOMES = [
    # before the decision
    ("abort", [b'{"type":"abort","reason":"no"}'], Quiet),
    ("the host goes away", [END], Quiet),
    ("it goes away inside a frame", [Raw(b'{"type":"run"'), END],
     Refused("partial_frame", 0)),
    ("a reply before run", [VALUE], Refused("out_of_turn", 0)),
    ("blank lines before run, any number",
     [Raw(b" \r\n" * 50000), RUN, CALL, VALUE], 7),
    ("a frame over the ceiling", [Raw(b"{" + b" " * MAX_FRAME)],
     Refused("frame_too_long", 0, MAX_FRAME)),
    # while a call waits
    ("a reply", [RUN, CALL, VALUE], 7),
    ("a reply in pieces", [RUN, CALL] + [
        Raw(VALUE[i:i + 1]) for i in range(len(VALUE))] + [Raw(b"\n")], 7),
    ("half a frame, and no more", [RUN, CALL, Raw(VALUE[:20]), END],
     Refused("partial_frame", 1)),
    ("a whole frame without its newline", [RUN, CALL, Raw(VALUE), END],
     Refused("partial_frame", 1)),
    ("the host goes away", [RUN, CALL, END], Refused("closed", None)),
    ("run again", [RUN, CALL, RUN], Refused("out_of_turn", 1)),
    ("abort after run", [RUN, CALL, b'{"type":"abort","reason":"no"}'],
     Refused("out_of_turn", 1)),
    ("a reply to a call that was never made",
     [RUN, CALL, reply(b'"value":7', 5)], Refused("bad_field", 1)),
    ("a reply to the call that comes next",
     [RUN, CALL, reply(b'"value":7', 1)], Refused("bad_field", 1)),
    ("a second reply", [run_frame("t(); t()"), CALL, VALUE, CALL, VALUE],
     Refused("bad_field", 2)),
    ("a second reply at once", [run_frame("t(); t()"), CALL,
                                Raw(VALUE + b"\n" + VALUE + b"\n")],
     Refused("bad_field", 2)),
    ("a reply to a call that was given up",
     [run_frame(LATE), CALL, CALL, VALUE, AGAIN], 8),
    ("a second reply to it",
     [run_frame(LATE), CALL, CALL, VALUE, VALUE], Refused("bad_field", 2)),
    ("a reply to an awaited call that was given up",
     [run_frame(LATE_ASYNC), CALL, CALL, VALUE, AGAIN], 8),
    ("a second reply to it",
     [run_frame(LATE_ASYNC), CALL, CALL, VALUE, VALUE],
     Refused("bad_field", 2)),
    ("a reply to an awaited call that was never made",
     [run_frame("import asyncio\nawait t()"), CALL,
      reply(b'"value":7', 9)], Refused("bad_field", 1)),
    # Frames are judged when they are read, which is while a call waits.
    ("a reply before its call, in one piece with run",
     [Raw(RUN + b"\n" + VALUE + b"\n"), CALL], 7),
    ("a reply before any call, to a later one",
     [Raw(RUN + b"\n" + AGAIN + b"\n"), CALL], Refused("bad_field", 1)),
    ("anything when no call comes",
     [Raw(run_frame("5") + b'\n{"type":"abort","reason":""}\nx\n')], 5),
    ("blank lines, any number",
     [RUN, CALL, Raw(b"\n" * 200000), VALUE], 7),
    ("members that are not known", [RUN, CALL, reply(
        b'"later":{"a":[1e400]},"value":7,"Value":8')], 7),
    ("white space around", [RUN, CALL, b" \t" + VALUE + b" \r"], 7),
    # what a value may be
    ("a number beyond float", [run_frame(TELLS), CALL, reply(
        b'"value":{"a":[0,1e400]}'), CALL, AGAIN],
     [["InvalidValue",
       "result['a'][1]: a number beyond the range of float"], 8]),
    ("an integer of 4,301 digits", [run_frame(TELLS), CALL, reply(
        b'"value":-%s' % (b"1" * 4301)), CALL, AGAIN],
     [["InvalidValue", "result: an integer of more than 4300 digits"], 8]),
    ("an error", [run_frame(TELLS), CALL, reply(
        b'"error":{"kind":"failed","message":"no\\u0000","hard":false}'),
        CALL, AGAIN], [["ToolError", "t: no\0 (failed)"], 8]),
    ("a handle", [run_frame("h = t()\n[type(h).__name__, h.size, t()]"),
                  CALL, reply(b'"handle":{"token":"h","size":99}'), CALL,
                  AGAIN], ["ToolResultHandle", 99, 8]),
]


class Outcomes(unittest.TestCase):
    def play(self, steps):
        """Plays a host; returns the child and where its lines began."""
        child = host.current.start()
        self.assertEqual(child.receive()["type"], "ready")
        lines, sent = [0], 0
        for step in steps:
            if step == CALL:
                self.assertEqual(child.receive()["type"], "call")
            elif step == END:
                child.channel.shutdown(1)
            else:
                data = step if isinstance(step, Raw) else step + b"\n"
                try:
                    child.channel.sendall(data)
                except OSError:
                    pass  # it has ended already
                if not data.isspace():
                    lines += [sent + i + 1 for i, byte in enumerate(data)
                              if byte == 10] if len(data) < 99999 else []
                sent += len(data)
        return child, lines

    def check_refused(self, child, word, offset=None):
        self.assertEqual(child.wait(), 125 << 8)
        said = child.end()[1]
        self.assertEqual(said.rpartition(" ")[0],
                         "weir: channel: %s" % word)
        if offset is not None:
            self.assertEqual(said, "weir: channel: %s (%d)\n" % (
                word, offset))

    def check(self, steps, outcome):
        child, lines = self.play(steps)
        if isinstance(outcome, Refused):
            offset = None
            if outcome.line is not None:
                offset = lines[outcome.line] + outcome.offset
            self.check_refused(child, outcome.word, offset)
        elif outcome is Quiet:
            self.assertEqual(child.wait(), 0)
            self.assertEqual(child.end(), ["", ""])
        else:
            self.assertEqual(child.receive(),
                             {"type": "done", "value": outcome})
            child.end()

    def test_outcomes(self):
        for what, steps, outcome in OUTCOMES:
            with self.subTest(what):
                self.check(steps, outcome)

    def test_malformed_frames_before_the_decision(self):
        for line, word, offset in MALFORMED:
            with self.subTest(line[:80]):
                child, _ = self.play([line])
                self.check_refused(child, word, offset)

    def test_malformed_frames_while_a_call_waits(self):
        for line, word, offset in MALFORMED:
            with self.subTest(line[:80]):
                child, lines = self.play([RUN, CALL, line])
                self.check_refused(child, word, offset if offset is None
                                   else lines[1] + offset)

    def test_frames_of_the_childs(self):
        child = host.current.start()
        ready = child.receive_line()
        child.end()
        for line in CHILDS + [ready]:
            for steps in ([line], [RUN, CALL, line]):
                with self.subTest(line[:80], steps=len(steps)):
                    child, lines = self.play(steps)
                    self.check_refused(child, "out_of_turn",
                                       lines[len(steps) // 2])

    def test_nothing_is_read_after_the_answer(self):
        child, _ = self.play([run_frame("5")])
        self.assertEqual(child.receive(), {"type": "done", "value": 5})
        child.send(b"x\n\xff\xff")
        self.assertTrue(child.is_silent())
        self.assertEqual(child.end(), ["", ""])
