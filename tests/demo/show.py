"""Shows a result of `weir run --json` to a person, and holds it against what
the demonstration promises; exits with 1 where they differ.

usage: show.py [--same-as FILE] RESULT
"""
import json
import sys

BAR = {"enforced": "+", "unverified": "?", "unavailable": "-"}


def heading(text):
    print("\n" + text + "\n" + "-" * len(text))


def indented(text):
    for line in text.splitlines():
        print("    " + line)


def show_calls(calls):
    heading("Tool calls: %(total)d (%(completed)d completed, %(failed)d "
            "failed, %(refused)d refused, %(unknown)d unknown)" % calls)
    for call in calls["list"]:
        print("    %2d  %-9s %-10s %5d bytes in %5d bytes out%s" % (
            call["id"], call["tool"], call["state"], call["argument_bytes"],
            call["result_bytes"],
            "  (%s)" % call["kind"] if call["kind"] else ""))


def show_isolation(isolation):
    heading("Level: %s" % isolation["level"])
    for name, proof in isolation["guarantees"].items():
        print("  %s %-14s %s" % (BAR[proof["grade"]], name, proof["grade"]))
        print("      " + proof["evidence"])


def show(result):
    heading("Output")
    indented(result["stdout"] + result["stderr"])
    if result["error"]:
        heading("Error: %(kind)s: %(message)s" % result["error"])
        indented(result["error"]["traceback"] or "")
    heading("Value")
    indented(json.dumps(result["value"], indent=2, ensure_ascii=False))
    show_calls(result["calls"])
    show_isolation(result["isolation"])
    print("\n    %(wall_ms)d ms wall, %(cpu_ms)d ms CPU, %(max_rss_kb)d KiB"
          % result["usage"])


def broken_promises(result, other):
    """What is not as promised, as sentences."""
    guarantees = result["isolation"]["guarantees"]
    calls = result["calls"]
    failed = [call for call in calls["list"] if call["state"] == "failed"]
    promises = [
        ("the program ends well", result["ok"] and result["error"] is None),
        ("it returns a value", result["returned"] and result["value"]),
        ("the level is isolated", result["isolation"]["level"] == "isolated"),
        ("there are ten grades", len(guarantees) == 10),
        ("every guarantee is enforced",
         all(g["grade"] == "enforced" for g in guarantees.values())),
        ("each has its evidence",
         all(g["evidence"] for g in guarantees.values())),
        ("three tools are called",
         {call["tool"] for call in calls["list"]} ==
         {"stations", "readings", "describe"}),
        ("exactly one call fails, and the program handles it",
         [call["tool"] for call in failed] == ["readings"]),
        ("every other call completes",
         calls["completed"] == calls["total"] - 1),
        ("the answer is that of the data set",
         (result["value"] or {}).get("widest", {}).get("station") ==
         "old-airfield"),
    ]
    if other is not None:
        promises.append(("both programs give one value",
                         other["value"] == result["value"]))
    return [words for words, kept in promises if not kept]


def load(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count("\n") != 1 or not text.endswith("\n"):
        sys.exit("show.py: %s is not one line" % path)
    return json.loads(text)


def main(words):
    other = None
    if words[:1] == ["--same-as"]:
        other, words = load(words[1]), words[2:]
    result = load(words[0])
    show(result)
    broken = broken_promises(result, other)
    for words in broken:
        print("\nNOT AS PROMISED: " + words)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
