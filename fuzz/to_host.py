#!/usr/bin/env python3
"""Plays a hostile child to any host of the protocol; see README.md.

usage: to_host.py [options] -- COMMAND ARGUMENT...

Each round starts COMMAND with one end of a stream socket pair as descriptor 3
(--fd), writes one input to the other end in pieces of random size, closes its
sending half, and reads what the host writes until the host ends. Found is a
host that ends by a signal, not within --timeout seconds, or with more than
--memory MiB at its peak; and a line of the host's that is none of its three
frames, or not in its turn.

Exit status: 0; 1 when something was found; 2 for wrong arguments.
"""
import argparse
import json
import os
import pathlib
import random
import re
import selectors
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent

READY = json.dumps({
    "type": "ready", "protocol": 1, "python": "3.11.2", "pid": 2, "uid": 1000,
    "gid": 1000, "no_new_privs": 1, "dumpable": 0, "seccomp": 2,
    "landlock": {"abi": 3, "errno": 0}, "network": {"inet": 1, "inet6": 1},
    "fork": 1, "descriptors": [0, 1, 2, 3],
    "canaries": {"before": [0, 2], "after": [13, 2]},
    "environment": ["HOME=/workspace"],
    "limits": {"core": [0, 0], "cpu": [30, 31],
               "address_space": [4294967296, 4294967296],
               "file_size": [16777216, 16777216], "processes": [258, 258],
               "open_files": [256, 256]},
}, separators=(",", ":")).encode() + b"\n"


# --- inputs -----------------------------------------------------------------

def load(directories):
    """Streams: of msg each file is a line, of frame a header of 8 goes off."""
    inputs = [path.read_bytes() + b"\n"
              for path in sorted((HERE / "seeds/msg").iterdir())]
    inputs += [path.read_bytes()[8:]
               for path in sorted((HERE / "seeds/frame").iterdir())]
    for directory in directories:
        inputs += [path.read_bytes() for path in sorted(directory.rglob("*"))
                   if path.is_file()]
    return inputs


def words():
    """The dictionary of frames; in what is read there, bytes are \\xhh."""
    text = (HERE / "dict/msg.dict").read_text(encoding="utf-8")
    found = re.findall(r'^"(.*)"$', text, re.M)
    return [re.sub(rb"\\(x..|.)", lambda m: bytes.fromhex(
        m.group(1)[1:].decode()) if m.group(1)[:1] == b"x" else m.group(1),
        word.encode()) for word in found] + [
            b"\n", b"{}", b"[", b"9007199254740992", b"\0", b"\xed\xa0\x80"]


def mutate(rng, data, others, dictionary):
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 2, 8, 64)))
        data = rng.choice((
            lambda a, e: data[:a] + bytes([rng.randrange(256)]) + data[a + 1:],
            lambda a, e: data[:a] + data[e:],
            lambda a, e: data[:e] + data[a:],
            lambda a, e: data[:a] + rng.choice(dictionary) + data[a:],
            lambda a, e: data[:a] + rng.choice(others),
            lambda a, e: data + rng.choice(others),
            lambda a, e: data[:a] + data[a:e] * rng.choice((2, 100, 5000)) +
            data[e:],
        ))(at, end)
    return data[:1 << 20]


def cut(rng, data):
    """Pieces as they are written: all at once, byte by byte, or between."""
    most = rng.choice((len(data) + 1, 1 + len(data) // 1000, 16, 4096))
    pieces = []
    while data:
        n = 1 + rng.randrange(most)
        pieces.append(data[:n])
        data = data[n:]
    return pieces


# --- one round --------------------------------------------------------------

def check_lines(output):
    """Why what the host wrote is no host's half of a session, or None."""
    if output and not output.endswith(b"\n"):
        return "its last line has no newline"
    state, replied = "ready", set()
    for line in output.split(b"\n")[:-1]:
        try:
            frame = json.loads(line.decode("utf-8"))
            kind = frame["type"]
        except (ValueError, KeyError, TypeError):
            return "it wrote a line that is no frame: %r" % line[:200]
        if kind in ("run", "abort") and state == "ready":
            state = "running" if kind == "run" else "aborted"
        elif kind == "reply" and state == "running":
            if frame.get("id") in replied:
                return "it replied twice to call %r" % frame.get("id")
            replied.add(frame.get("id"))
        else:
            return "its %r is out of turn" % kind
    return None


def start(command, end, number):
    """COMMAND with the socket as its descriptor `number`."""
    fd = end.fileno()
    script = 'exec "$@"' if fd == number else \
        'exec "$@" %d<&%d %d<&-' % (number, fd, fd)
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "sh"] + command, pass_fds=(fd,),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def converse(ours, pieces, process, deadline):
    """Writes and reads until the host has closed; its output, None if late."""
    output, pieces = bytearray(), list(pieces)
    ours.setblocking(False)
    sending = True
    with selectors.DefaultSelector() as ready:
        ready.register(ours, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while True:
            events = ready.select(max(deadline - time.monotonic(), 0))
            if not events:
                return None
            try:
                if sending and events[0][1] & selectors.EVENT_WRITE:
                    if pieces:
                        rest = pieces[0][ours.send(pieces[0]):]
                        pieces[:1] = [rest] if rest else []
                    else:
                        ours.shutdown(socket.SHUT_WR)
                        sending = False
                        ready.modify(ours, selectors.EVENT_READ)
                if events[0][1] & selectors.EVENT_READ:
                    more = ours.recv(65536)
                    if not more:
                        return bytes(output)
                    output += more
            except BrokenPipeError:
                sending = False
                ready.modify(ours, selectors.EVENT_READ)
            except ConnectionResetError:
                return bytes(output)


def wait(process, deadline):
    """The wait status and peak in KiB; None when it does not end."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss
        if time.monotonic() >= deadline:
            process.kill()
            process.wait()
            return None
        time.sleep(0.002)


def one_round(args, pieces):
    """Why the host failed, or None."""
    ours, theirs = socket.socketpair()
    deadline = time.monotonic() + args.timeout
    with ours:
        with theirs:
            process = start(args.command, theirs, args.fd)
        output = converse(ours, pieces, process, deadline)
    ended = wait(process, deadline)
    if output is None or ended is None:
        return "it has not ended within %g s" % args.timeout
    code, peak = ended
    if code < 0:
        return "it ended by signal %d" % -code
    if code in (126, 127):
        return "it cannot be started"
    if peak > args.memory * 1024:
        return "its peak of memory is %d KiB" % peak
    return check_lines(output)


# --- all of it --------------------------------------------------------------

def keep(args, name, pieces, why):
    args.keep.mkdir(parents=True, exist_ok=True)
    path = args.keep / name
    path.write_text(json.dumps(
        {"why": why, "pieces": [piece.hex() for piece in pieces]}) + "\n")
    return path


def fuzz(args):
    inputs, dictionary = load(args.inputs), words()
    found = 0
    for number in range(args.rounds):
        rng = random.Random("%d %d" % (args.seed, number))
        data = inputs[number % len(inputs)]
        if number >= len(inputs):
            data = mutate(rng, data, inputs, dictionary)
        if number % 8 != 7:
            data = READY + data
        pieces = cut(rng, data)
        why = one_round(args, pieces)
        if why is not None:
            found += 1
            path = keep(args, "%d-%d.json" % (args.seed, number), pieces, why)
            print("round %d: %s\n  %s" % (number, why, path), flush=True)
    print("%d rounds, found %d" % (args.rounds, found))
    return 1 if found else 0


def replay(args):
    kept = json.loads(args.replay.read_text())
    why = one_round(args, [bytes.fromhex(p) for p in kept["pieces"]])
    print(why or "nothing")
    return 1 if why else 0


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--memory", type=int, default=512, help="MiB")
    parser.add_argument("--fd", type=int, default=3)
    parser.add_argument("--inputs", type=pathlib.Path, action="append",
                        default=[], help="a directory of streams")
    parser.add_argument("--keep", type=pathlib.Path,
                        default=pathlib.Path("to_host-found"))
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    return replay(args) if args.replay else fuzz(args)


if __name__ == "__main__":
    sys.exit(main())
