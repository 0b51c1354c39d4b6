#!/usr/bin/env python3
"""Each layer of the confinement alone (C18): with all others left out by a
test build, what claims.py says of it still holds; with it left out as well,
the attack succeeds. Else nothing would show that it was this layer.
"""
import os
import re
import unittest

import claims
from test_501_hostile import PRELUDE, PROGRAMS, head
from test_502_more_hostile import PROGRAMS as MORE
from weir_test import (ECHO, HANG, IS_ROOT, LAYERS, Watched, ending,
                       main, processes_named, rows, run,
                       survivors)

STAGES = set().union(*claims.LAYERS.values())


def abi():
    """Landlock's, of the running kernel."""
    evidence = run("1").result["isolation"]["guarantees"]["filesystem"][
        "evidence"]
    found = re.search(r"Landlock ABI (\d+)", evidence)
    return int(found.group(1)) if found else 0


ABI = abi()


def reason_not_to(needs):
    if needs == "root" and not IS_ROOT:
        return "it works for root alone, also without a layer"
    if needs == "plain" and IS_ROOT:
        return "root's programs have ids of their own"
    if needs.startswith("abi ") and ABI < int(needs.split()[1]):
        return "Landlock ABI %d is less than %s" % (ABI, needs[4:])
    return None


def left(layers, level):
    """The options for a start with these layers and no other."""
    keep = set().union(*(claims.LAYERS[layer] for layer in layers))
    # Part of the root, of the start, or of how the tree ends.
    keep |= {"subreaper"}
    if level == "isolated":
        keep |= set(claims.LAYERS["root"]) | {"ids"}
    else:
        keep |= {"maps", "root", "workspace"}
    words = ["--test-run-anyway"]
    for stage in sorted(STAGES - keep):
        words += ["--test-skip", stage]
    return words


class Layers(Watched):
    """Runs programs with some layers and without the others."""

    PROBE = re.compile(r"(BROKE|held) (.*)")

    def text(self, name):
        """With its values, the secret as well: it has to be able to win."""
        values = {"MARK": self.mark, "SECRET": self.host.secret,
                  "FILE": self.host.file, "PORT": str(self.host.port),
                  "NAME": self.host.name, "INSIDE": "1"}
        os.chmod(self.host.file, 0o644)
        program = (PROGRAMS / (name + ".py")).read_text()
        return re.sub(r"\{([A-Z]+)\}",
                      lambda found: values[found.group(1)],
                      PRELUDE + program)

    def outcome(self, name, layers, level, **limits):
        return run(self.text(name), *left(layers, level), weir=LAYERS,
                   level=level, cwd=self.home, env=self.environment,
                   tools={"echo": ECHO}, timeout=HANG, limits=dict({
                       "wall": 60, "grace": "200ms", "cpu": 30,
                       "preview": "64K", "address_space": "1G"}, **limits))

    def words(self, name, layers, level, probes, limits):
        """What the program said of the probes: {"BROKE": [...], ...}"""
        got = self.outcome(name, layers, level, **limits)
        said = {"BROKE": [], "held": []}
        for line in (got.result["stdout"] +
                     got.result["stderr"]).splitlines():
            found = self.PROBE.match(line)
            if found and re.match(probes, found.group(2)):
                said[found.group(1)].append(found.group(2))
        end_strays()
        return said, got

class Alone(Layers):
    def check(self, claim, level):
        reason = reason_not_to(claim.needs)
        if reason:
            return
        said, got = self.words(claim.program, claim.layers, level,
                               claim.probes, claim.limits)
        self.assertEqual(said["BROKE"], [], got.result["error"])
        self.assertNotEqual(said["held"], [], (
            "nothing was tried", got.result["error"],
            got.result["stderr"][-500:]))
        without = "process" if claim.layers == ("root",) else level
        said, got = self.words(claim.program, (), without, claim.probes,
                               claim.limits)
        self.assertNotEqual(said["BROKE"], [], (
            "it holds without the layer as well", said,
            got.result["error"]))


def end_strays():
    while survivors():
        pass


def named(claim, level):
    words = re.sub(r"\W+", "_", claim.attack + " " + claim.program)
    return "_".join((*claim.layers, level, words)).lower()


rows(Alone, {named(claim, level): (claim, level)
             for claim in claims.CLAIMS for level in claim.where})


class Strays(Layers):
    """Processes with a session of their own, when the program has ended."""

    def left_over(self, level, *options):
        run(self.text("daemon"), *left(("tree",), level), *options,
            weir=LAYERS, level=level, cwd=self.home, env=self.environment,
            limits={"wall": 30, "grace": "200ms"})
        found = processes_named(self.mark) + survivors()
        end_strays()
        return found

    def check(self, attack, layer, level):
        self.assertEqual(self.left_over(level), [])
        # Without either there is nobody to end them.
        self.assertNotEqual(
            self.left_over("process", "--test-skip", "subreaper"), [])


rows(Strays, {"%s_%s" % (layer, level): (attack, layer, level)
              for attack, layer, levels in claims.STRAYS
              for level in levels})


class Memory(Layers):
    """More than the limit, with all the address space that it wants."""

    def taken(self, layers, level):
        return run("x = bytearray(200 << 20)\nprint(len(x))",
                   *left(layers, level), weir=LAYERS, level=level,
                   limits={"memory": "48M", "address_space": "1G"})

    def check(self, attack, layer, level):
        got = self.taken((layer,), level)
        self.assertEqual((got.kind, got.result["stdout"]), ("memory", ""))
        got = self.taken((), level)
        self.assertEqual(got.result["stdout"], "%d\n" % (200 << 20),
                         got.result["error"])


rows(Memory, {"%s_%s" % (layer, level): (attack, layer, level)
              for attack, layer, levels in claims.TAKING_MEMORY
              for level in levels})


class Metered(Layers):
    """How programs end that no layer holds up, with no layer there."""

    def check(self, name, level):
        allowed = head((PROGRAMS / (name + ".py")).read_text(),
                       "inside").split(" | ")
        limits = {"wall": "1500ms"} if "timeout" in allowed else {}
        got = self.outcome(name, (), level, **limits)
        end_strays()
        self.assertIn(ending(got), allowed, got.result["error"])


rows(Metered, {"%s_%s" % (name, level): (name, level)
               for names in claims.METERED.values() for name in names
               for level in claims.BOTH})


class Elsewhere(Layers):
    """Those of WEIR_SHARED that the filter stops alone."""

    def check(self, number, level, breaks):
        def shown(layers):
            result = run(MORE[number], *left(layers, level), weir=LAYERS,
                         level=level, cwd=self.home, env=self.environment,
                         limits={"wall": 60, "preview": "64K"}).result
            end_strays()
            return re.findall("(?m)^(?:ESCAPED|REACHED|BLOCKED).*",
                              result["stdout"] + result["stderr"])

        said = shown(("seccomp",))
        self.assertNotEqual(said, [])
        self.assertEqual([line for line in said if line[0] != "B"], [])
        # Others could do harm without it, or are refused to all but root.
        if breaks:
            self.assertNotEqual([line for line in shown(())
                                 if line[0] != "B"], [])


# number: whether it is let get through without the filter
ELSEWHERE = {7: False, 26: False, 27: False, 28: True, 29: True, 30: False,
             35: False, 36: False, 37: True, 38: True, 39: False,
             40: False, 43: False}
rows(Elsewhere, {"%03d_%s" % (number, level): (number, level, breaks)
                 for number, breaks in ELSEWHERE.items() if number in MORE
                 for level in claims.BOTH})


class Table(unittest.TestCase):
    def test_every_stage_is_in_a_layer(self):
        """Read from the table of stages, so that none is forgotten."""
        self.assertEqual(set(claims.stages()), STAGES | set(claims.NO_LAYER))

    def test_every_layer_has_a_claim(self):
        claimed = {layer for claim in claims.CLAIMS
                   for layer in claim.layers if len(claim.layers) == 1}
        claimed |= {layer for _, layer, _ in
                    claims.STRAYS + claims.TAKING_MEMORY}
        self.assertEqual(claimed, set(claims.LAYERS))

    def test_a_build_to_install_has_no_such_option(self):
        got = run("1", "--test-run-anyway")
        self.assertEqual((got.code, got.stdout), (2, b""))


if __name__ == "__main__":
    main()
