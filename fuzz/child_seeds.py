#!/usr/bin/env python3
"""Writes fuzz/seeds/child, and documents the inputs of fuzz_child.

usage: child_seeds.py [DIRECTORY]

An input is a header of 15 bytes, one for each name in HEADER, and then
operations: the index of a name in OPERATIONS and the bytes it takes. A byte
that is too large for a choice counts modulo the number of choices; what is
missing at the end is 0. The header is read in fuzz_child.c, operations in
child_ops.c and frames in child_frames.c, with the same lists in this order.
"""
import pathlib
import sys

HEADER = (
    "calls in_flight arguments results totals value times captured "
    "frame_max bytes_max lines_max blanks_max send_buffer world tools"
).split()

# What the header's bytes choose from; see choose_limits and choose_world.
CALLS = (1000, 0, 1, 2, 3, 4, 8, 49, 50, 51, 99, 100, 101, 150, 250, 16)
ARGUMENTS = (65536, 2, 3, 7, 16, 64, 1024, 4096)
RESULTS = (65536, 1, 4, 8, 64, 1000, 4096, 600)
TOTALS = (1 << 24, 0, 64, 256, 1000, 4096, 1 << 16, 1 << 20)
PRODUCED = (1 << 26, 0, 1, 16, 64, 256, 1000, 4096)  # 8 times it, with totals
VALUES = (65536, 4, 5, 16, 64, 256, 1024, 4096)
TIMES = (120000, 1, 10, 50, 1000, 60000)  # ms

SILENT, ENDS_ON_TERM, DIES_LATE, PAUSES = 1, 2, 4, 8  # world
EVIDENCE_BREAKS, FREE_EARLY = 0x30, 0xc0
TRACED, UNHEARD = 0x80, 0xc0  # captured; without a listener
HALTS = 0x20  # captured; when a budget is spent
UNREADY = 1  # tools; then how a cancel is taken, then how `now` answers

OPERATIONS = (
    "pump call done ready other burst raw cut fds edit answer answer_all "
    "read time exit cancel shut blanks fill ceiling output report tool "
    "resume blocking out_of_band ask"
).split()

# How tools answer.
(SMALL, BELOW, AT, OVER, SPACED, LINES, DEEP, TOO_DEEP, CUT, TWICE, EMPTY,
 NOT_UTF8, FAILED, LOST) = range(14)

ALPHA, BETA, NOW, CAFE = range(4)
ASK, LATE, ESCAPED = 4, 5, 6  # names of a call beyond those
OTHER = 210  # arguments: of ten texts that are wrong or odd
TO_DEADLINE, BEFORE_DEADLINE = 0x80, 0x81


def header(**values):
    return bytes(values.pop(name, 0) for name in HEADER) + bytes(len(values))


def op(name, *arguments):
    return bytes((OPERATIONS.index(name),) + arguments)


def raw(text):
    """As it stands, in pieces of at most 255 bytes."""
    data = text if isinstance(text, bytes) else text.encode()
    return b"".join(op("raw", len(data[at:at + 255])) + data[at:at + 255]
                    for at in range(0, len(data), 255))


def call(name=ALPHA, number=0, arguments=0):
    """A call of the usual shape; the id's choice, the name's, the rest."""
    return op("call", 0, number, name, arguments)


DONE = op("done", 0, 1)
PUMP = op("pump", 0)
READ = op("read", 0)


def times(wall=0, tool=0, grace=0):
    return wall + 6 * tool + 36 * grace


SEEDS = {
    # Sessions that go well.
    "nothing": b"",
    "answer": header() + DONE,
    "two-calls": header(in_flight=7) + op("burst", 2, ALPHA) + PUMP +
                 op("answer", 1, SMALL) + op("answer", 0, SMALL) + READ + DONE,
    "at-once": header() + op("burst", 5, NOW) + READ + DONE,
    "every-tool": header(in_flight=7) + b"".join(
        call(tool) for tool in range(10)) + PUMP +
        op("answer_all", SMALL, 16) + READ + DONE,
    "out-of-order": header(in_flight=7) + op("burst", 6, ALPHA) + PUMP +
                    op("answer", 5, SMALL) + op("answer", 2, AT) +
                    op("answer", 0, FAILED) + READ +
                    op("answer_all", SMALL, 9) + READ + DONE,
    "window": header(in_flight=1) + op("burst", 9, ALPHA) + PUMP +
              op("answer", 0, SMALL) + PUMP + op("answer_all", SMALL, 20) +
              READ + DONE,
    "own-error": header() + op("done", 5, 1) + PUMP,
    "oversize": header(value=4) + op("done", 4 + 8, 3) + PUMP,
    # How answers may be wrong.
    "answers": header(in_flight=7, results=4) + op("burst", 14, ALPHA) +
               PUMP + b"".join(op("answer", 0, how) + PUMP
                               for how in range(14)) + READ + DONE,
    "answers-exact": header(in_flight=7, results=2) + b"".join(
        op("burst", 1, ALPHA) + PUMP + op("answer", 0, how)
        for how in (BELOW, AT, OVER)) + READ + DONE,
    "lines": header() + op("tool", LINES, 0) + op("burst", 3, NOW) + READ +
             DONE,
    # Ids.
    "id-skipped": header() + call() + call(number=5) + call() + PUMP,
    "id-twice": header() + call() + call(number=4) + PUMP,
    "id-forms": header() + call(number=0x3f) + PUMP,
    "id-largest": header() + call(number=7) + PUMP,
    # Names and arguments.
    "not-offered": header(in_flight=7) + call(LATE) + call(8) + call(ASK) +
                   call(ESCAPED) + READ + DONE,
    "name-long": header() + call(0xe8) + call(0xe9) + PUMP,
    "name-empty": header() + call(10) + PUMP,
    "arguments-at": header(arguments=4) + b"".join(
        op("call", 0, 0, ALPHA, 0x60, near) for near in (1, 2, 3)) + READ +
        op("answer_all", SMALL, 3) + READ + DONE,
    "arguments-list": header() + call(arguments=OTHER) + PUMP,
    "arguments-twice": header() + call(arguments=OTHER + 4) + PUMP,
    "arguments-deep": header() + call(arguments=0xc5) + PUMP +
                      call(arguments=0xc6) + PUMP,
    # The frame itself.
    "member-twice": header() + raw('{"type":"done","value":{"a":1,"b":2,'
                                   '"\\u0061":3}}\n') + PUMP,
    "member-twice-in-many": header() + raw(
        '{"type":"done","value":{%s,"m7":0}}\n' % ",".join(
            '"m%d":0' % i for i in range(40))) + PUMP,
    "type-twice": header() + op("call", 0x80, 0, 0, 0, 0xc1) + PUMP,
    "members-64": header() + op("call", 0x80, 0, 0, 0, 0xff) + PUMP,
    "hosts-frames": header() + call() + PUMP + op("other", 2) + PUMP,
    "others": header() + op("other", 4) + PUMP,
    "not-an-object": header() + op("other", 7) + PUMP,
    "not-utf8": header() + raw(b'{"type":"done","value":"\xc0\xaf"}\n') + PUMP,
    "half": header() + raw('{"type":"done","value":1}') + op("exit", 0) + PUMP,
    "half-closed": header() + raw('{"type":') + op("shut", 0) + PUMP,
    "split": header() + op("cut", 9) + call() + op("cut", 0) + call() +
             PUMP + op("answer_all", SMALL, 2) + READ + op("cut", 24) + DONE,
    # Ceilings, at and one past.
    "ceiling-at": header(frame_max=20) + op("ceiling", 1) + PUMP,
    "ceiling-over": header(frame_max=20) + op("ceiling", 2) + PUMP,
    "never-ends": header(frame_max=9) + op("fill", 3, 0, 0x78) + PUMP,
    "never-ends-by-one": header(frame_max=9) + op("fill", 2, 0xa1, 0x78) +
                         PUMP,
    "bytes-max": header(bytes_max=5) + op("burst", 20, NOW) + PUMP,
    "lines-at": header(lines_max=4) + op("burst", 2, NOW) + DONE,
    "lines-over": header(lines_max=4) + op("burst", 5, NOW) + DONE,
    "blanks-at": header(blanks_max=3) + op("blanks", 3, 0) + DONE,
    "blanks-over": header(blanks_max=3) + op("blanks", 4, 0) + DONE,
    "blanks-many": header() + op("blanks", 160, 0x80) + PUMP,
    # Budgets, at and one past.
    "calls-at": header(calls=4) + op("burst", 3, NOW) + READ + DONE,
    "calls-over": header(calls=4) + op("burst", 5, NOW) + READ + DONE,
    "calls-none": header(calls=1) + op("burst", 2, NOW) + READ + DONE,
    "calls-150": header(calls=13) + op("burst", 80, NOW) +
                 op("burst", 80, NOW) + READ + DONE,
    "produced-at": header(in_flight=7, totals=8 * 3, results=4) +
                   op("tool", AT, 0) + op("burst", 2, ALPHA) + PUMP +
                   op("answer_all", SMALL, 2) + READ + DONE,
    "produced-over": header(in_flight=1, totals=8 * 4, results=4) +
                     op("burst", 4, ALPHA) + PUMP + op("answer", 0, AT) +
                     PUMP + op("answer", 0, SMALL) + READ + call() + READ +
                     DONE,
    "produced-none": header(totals=8) + op("burst", 3, NOW) + READ + DONE,
    "produced-too-large": header(in_flight=7, totals=8 * 5, results=4) +
                          op("burst", 6, ALPHA) + PUMP +
                          op("answer_all", OVER, 6) + READ + DONE,
    "halts-calls": header(calls=3, in_flight=7, captured=HALTS) +
                   op("burst", 6, ALPHA) + PUMP + op("answer_all", SMALL, 6) +
                   READ + PUMP,
    "halts-waiting": header(calls=4, captured=HALTS) + op("burst", 3, ALPHA) +
                     PUMP + op("burst", 3, NOW) + PUMP + READ + PUMP,
    "halts-produced": header(in_flight=7, totals=8 * 2, captured=HALTS) +
                      op("burst", 3, ALPHA) + PUMP +
                      op("answer_all", SMALL, 3) + READ + PUMP,
    "halts-bytes": header(totals=2, captured=HALTS) + op("burst", 40, NOW) +
                   READ + PUMP,
    "total-bytes": header(totals=3, results=4) + op("tool", AT, 0) +
                   op("burst", 6, NOW) + READ + DONE,
    "value-at": header(value=4) + op("done", 0, 0x80, 2) + PUMP,
    "value-over": header(value=4) + op("done", 0, 0x80, 3) + PUMP,
    # Replies that nobody reads.
    "deaf": header(in_flight=7, send_buffer=64, tools=8 * AT) +
            op("burst", 60, NOW) + PUMP + op("answer_all", AT, 60) + PUMP,
    "deaf-waiting": header(in_flight=3, send_buffer=64) +
                    op("burst", 80, ALPHA) + PUMP +
                    op("answer_all", AT, 255) + PUMP,
    "calls-wait": header(frame_max=20) + op("burst", 90, ALPHA) + PUMP,
    "deaf-then-reads": header(in_flight=3, send_buffer=64, tools=8 * AT) +
                       op("burst", 30, NOW) + PUMP + READ + DONE,
    "deaf-hangs-up": header(send_buffer=64, tools=8 * AT) +
                     op("burst", 30, NOW) + PUMP + op("shut", 0) +
                     op("shut", 1) + PUMP,
    "deaf-closes": header(send_buffer=64, tools=8 * AT) +
                   op("burst", 30, NOW) + PUMP + op("shut", 2) + PUMP,
    "half-closed-reads": header(send_buffer=64, tools=8 * AT) +
                         op("burst", 8, NOW) + op("shut", 0) + PUMP + READ,
    # Turns.
    "unready": header(tools=UNREADY) + call() + PUMP,
    "ready-by-hand": header(tools=UNREADY) + op("ready", 0) + DONE,
    "ready-late": header(tools=UNREADY) + op("time", TO_DEADLINE) + PUMP,
    "ready-twice": header() + op("ready", 0) + PUMP,
    "ready-wrong": header(tools=UNREADY) + op("ready", 0x83) + PUMP,
    "ready-bad-field": header(tools=UNREADY) + op("ready", 0x81) + PUMP,
    "ready-unlaunched": header(world=SILENT) + DONE,
    "after-done": DONE.join([header(), call(), call(number=5), DONE]),
    "rubbish-after-done": header() + raw(
        '{"type":"done","value":1}\n{"type":"done","value":2}\n]\n') + PUMP,
    "call-after-done": header() + raw(
        '{"type":"done","value":1}\n{"type":"call","id":0,"name":"now",'
        '"arguments":{}}\n') + PUMP,
    "rubbish-behind-calls": header(in_flight=1) + op("burst", 4, ALPHA) +
                            raw("]\n") + PUMP + op("answer_all", SMALL, 4),
    # Descriptors, modes, out-of-band bytes.
    "descriptors": header() + op("fds", 7) + call() + PUMP + op("fds", 0) +
                   DONE,
    "blocking": header() + op("blocking") + call() + PUMP + DONE,
    "out-of-band": header() + call() + op("out_of_band") + call(number=5) +
                   PUMP + DONE,
    # Time, and ends that the host decides.
    "wall": header(times=times(wall=2)) + op("burst", 2, ALPHA) + PUMP +
            op("time", BEFORE_DEADLINE) + op("time", TO_DEADLINE),
    "wall-and-calls": header(times=times(wall=2), in_flight=7) + b"".join(
        op("burst", 1, ALPHA) + op("time", 1) for _ in range(12)),
    "grace": header(times=times(wall=2, grace=3), world=ENDS_ON_TERM) +
             op("time", TO_DEADLINE) + PUMP + op("time", TO_DEADLINE),
    "tool-time": header(times=times(tool=2), in_flight=1, tools=2) +
                 op("burst", 3, ALPHA) + PUMP +
                 op("time", BEFORE_DEADLINE) + op("time", TO_DEADLINE) +
                 op("time", TO_DEADLINE) + READ + DONE,
    "tool-answers-late": header(times=times(tool=2), in_flight=1) +
                         op("burst", 3, ALPHA) + PUMP +
                         op("time", TO_DEADLINE) + op("answer", 0, SMALL) +
                         READ + DONE,
    "cancel": header(in_flight=2) + op("burst", 3, ALPHA) + PUMP +
              op("cancel") + PUMP + op("answer", 0, SMALL) + PUMP,
    "cancel-first": header(tools=UNREADY) + op("cancel") + PUMP,
    "dies-late": header(world=DIES_LATE) + DONE + op("burst", 2, NOW) + PUMP,
    "evidence": header(world=EVIDENCE_BREAKS) + DONE,
    "freed": header(world=FREE_EARLY, in_flight=3) + op("burst", 4, ALPHA) +
             PUMP,
    "exit": header() + op("burst", 2, ALPHA) + PUMP + op("exit", 2) + PUMP,
    "exit-unseen": header() + op("exit", 0x40) + PUMP,
    "exit-lingers": header() + op("exit", 0x81) + PUMP + op("exit", 0) + PUMP,
    "killed": header() + op("exit", 4) + PUMP,
    "stage": header(tools=UNREADY) + op("report", 4, 13) +
             op("exit", 0x40) + PUMP,
    "no-record": header() + op("report", 0xe3) + op("report", 0xf3) + PUMP +
                 DONE,
    # A trace.
    "traced": header(captured=TRACED) + op("ask", 5) + PUMP +
              op("ask", 63) + op("ask", 63) + op("ask", 63) + PUMP + DONE,
    "traced-before": header(captured=TRACED, tools=UNREADY) + op("ask", 3) +
                     PUMP + op("ready", 0) + op("ask", 0x43) + PUMP + DONE,
    "traced-fails": header(captured=TRACED) + op("ask", 0xc2) + PUMP,
    "traced-unheard": header(captured=UNHEARD) + PUMP,
    "traced-with-another": header(captured=UNHEARD, tools=UNREADY) +
                           op("fds", 2) + op("ready", 0) + PUMP,
    "traced-and-killed": header(captured=TRACED) + op("ask", 63) +
                         op("exit", 4) + PUMP,
    # Streams.
    "output": header(captured=3) + op("output", 9, 0x41) +
              op("output", 3, 0xff) + PUMP + DONE,
    "output-paused": header(world=PAUSES) + op("output", 200, 0x42) + PUMP +
                     op("output", 200, 0x42) + PUMP + op("resume") + PUMP +
                     DONE,
}


def main():
    place = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else (
        pathlib.Path(__file__).resolve().parent / "seeds/child")
    place.mkdir(parents=True, exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, data in SEEDS.items():
        (place / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
