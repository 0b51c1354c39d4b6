#!/usr/bin/env python3
"""A made-up MCP server, with a mode for each way to misbehave. Its words:

  modern           speaks 2026-07-28 and nothing else
  strict           exits on any request before initialize but ping
  version=V        answers the handshake with this version
  silent           never answers the handshake
  exits            writes to stderr and exits with status 3 at once
  banner           prints lines that are no messages, and some in between
  babble           prints nothing but such lines, without end
  deaf             goes on after end of file, and ignores SIGTERM
  closes           closes its output after the list, and lives on
  pages=N          one tool a page, N pages
  loop             every page names the same next one
  endless          every page names another one
  twice            names stand twice, and some are unusable
  many=N           so many tools
  wide             descriptions and schemas that are too large
  restless         says that the list has changed with every list
  no-tools         does not know tools/list
  bad-list         its list is none
  log=FILE         appends each method that it gets, and the cancelled ids
  name=N           is told by `who`
  tools=FILE       more tools: a name on each line of the file, read for each
                   list, which is none with a name `!`

Only one thread; what waits does so by not answering yet.
"""
import json
import os
import signal
import sys

WORDS = dict(word.partition("=")[::2] for word in sys.argv[1:])
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
out = sys.stdout.buffer
held = []  # answers that wait for `go`
asked = {}  # our request: the call that waits for it
state = {"next": 0, "initialized": False, "calls": 0, "started": os.getpid()}


def log(text):
    if "log" in WORDS:
        with open(WORDS["log"], "a") as file:
            file.write(text + "\n")


def send_raw(line):
    out.write(line)
    out.flush()


def send(message):
    # As real servers have it: jsonrpc and id last.
    message = dict(message, jsonrpc="2.0")
    send_raw(json.dumps(message, ensure_ascii=False).encode(
        "utf-8", "surrogatepass") + b"\n")


def reply(request, result):
    if "modern" in WORDS:
        result = dict({"resultType": "complete"}, **result)
    send({"result": result, "id": request["id"]})


def text(*parts, **more):
    return dict({"content": [{"type": "text", "text": part}
                             for part in parts]}, **more)


def request_of_ours(method, params, call):
    asked[state["next"]] = call
    send({"id": state["next"], "method": method, "params": params})
    state["next"] += 1


# --- tools -------------------------------------------------------------------

TOOLS = {}


def tool(name, **more):
    def add(function):
        TOOLS[name] = (function, dict(
            {"name": name, "description": "The tool %s." % name,
             "inputSchema": {"type": "object"},
             "execution": {"taskSupport": "forbidden"}}, **more))
        return function
    return add


@tool("echo", inputSchema={
    "type": "object", "properties": {"text": {"type": "string"}}})
def echo(request, given):
    reply(request, text(json.dumps(given)))


@tool("say")
def say(request, given):
    """What the test wants: a result, as it stands."""
    reply(request, given["result"])


@tool("shaped", outputSchema={"type": "object"})
def shaped(request, given):
    reply(request, text(given["text"]))


@tool("raw")
def raw(request, given):
    """Bytes in place of a result; ID stands for the id."""
    send_raw(given["line"].replace("ID", str(request["id"])).encode() + b"\n")


@tool("get-sum")
def get_sum(request, given):
    reply(request, text(str(given["a"] + given["b"]), structuredContent={
        "sum": given["a"] + given["b"]}))


@tool("add.two")
def add_two(request, given):
    reply(request, text("two"))


@tool("fail")
def fail(request, given):
    reply(request, text(given.get("text", "it went wrong"), isError=True))


@tool("error")
def error(request, given):
    send({"error": {"code": given.get("code", -32000),
                    "message": given.get("message", "no")},
          "id": request["id"]})


@tool("env")
def env(request, given):
    reply(request, text("", structuredContent=dict(os.environ)))


@tool("where")
def where(request, given):
    reply(request, text("", structuredContent={
        "cwd": os.getcwd(), "pid": os.getpid(),
        "session": os.getsid(0), "fds": sorted(os.listdir("/proc/self/fd"))}))


@tool("task", execution={"taskSupport": "required"})
def task(request, given):
    os._exit(1)


@tool("who")
def who(request, given):
    reply(request, text(WORDS.get("name", "")))


@tool("count")
def count(request, given):
    state["calls"] += 1
    reply(request, text("", structuredContent=[
        state["calls"], os.getpid()]))


@tool("hold")
def hold(request, given):
    """Answers when somebody calls `go`, the last one first."""
    held.append((request, given))
    if len(held) == given.get("until"):
        go_on()


@tool("never")
def never(request, given):
    pass


def go_on():
    while held:
        request, given = held.pop()
        reply(request, text(json.dumps(given)))


@tool("go")
def go(request, given):
    go_on()
    reply(request, text("gone"))


@tool("big")
def big(request, given):
    reply(request, text(given.get("byte", "x") * given["size"]))


@tool("die")
def die(request, given):
    sys.stderr.write(given.get("stderr", ""))
    sys.stderr.flush()
    if "signal" in given:
        os.kill(os.getpid(), given["signal"])
    os._exit(given.get("status", 3))


@tool("fork")
def fork(request, given):
    """Leaves a process that holds its streams."""
    if os.fork() == 0:
        os.setsid()
        os.execvp("sleep", ["sleep", "1000", given["mark"]][:2])
    reply(request, text("forked"))


@tool("ask")
def ask(request, given):
    method = given.get("method", "elicitation/create")
    request_of_ours(method, {"message": "name?"}, request)


@tool("ping")
def ping(request, given):
    request_of_ours("ping", {}, request)


@tool("plug")
def plug(request, given):
    """Reads nothing until somebody else calls `unplug`; then asks."""
    with open(given["fifo"]) as file:
        file.read()
    request_of_ours("ping", {}, request)


@tool("unplug")
def unplug(request, given):
    with open(given["fifo"], "w"):
        reply(request, text("unplugged"))


@tool("progress")
def progress(request, given):
    for at in range(3):
        send({"method": "notifications/progress",
              "params": {"progressToken": 1, "progress": at}})
    send({"method": "notifications/message",
          "params": {"level": "info", "data": "hello"}})
    reply(request, text("done"))
    reply(request, text("twice"))


@tool("stderr")
def stderr(request, given):
    """More than a pipe holds."""
    sys.stderr.write("e" * given["size"])
    sys.stderr.flush()
    reply(request, text("said"))


@tool("noise")
def noise(request, given):
    send_raw(given["line"].encode() * given.get("count", 1))
    reply(request, text("heard"))


@tool("questions")
def questions(request, given):
    """Asks without reading an answer."""
    for at in range(given["count"]):
        send({"id": "q%d-%s" % (at, "x" * 1000), "method": "ping"})
    reply(request, text("asked"))


# --- lists -------------------------------------------------------------------

def descriptions():
    found = [about for _, about in TOOLS.values()]
    if "wide" in WORDS:
        found = [{"name": "wide", "description": "d" * 20000,
                  "inputSchema": {"x": "y" * 70000}},
                 {"name": "narrow", "description": "fine",
                  "inputSchema": {"type": "object"}}]
    if "twice" in WORDS:
        found = [{"name": name, "description": description} for
                 name, description in [
                     ("a", "first"), ("a", "second"), ("", ""), ("\n", ""),
                     ("n" * 129, ""), ("n" * 125, ""), ("b", "")]]
        found += [{"title": "no name"}, "no object", {"name": 7}]
    if "many" in WORDS:
        found = [{"name": "t%d" % n} for n in range(int(WORDS["many"]))]
    if "tools" in WORDS:
        with open(WORDS["tools"]) as file:
            found = found + [{"name": line.strip()} for line in file]
        if {"name": "!"} in found:
            return {}
    return found


def list_tools(request):
    cursor = request["params"].get("cursor", "0")
    result = {"tools": descriptions()}
    if "bad-list" in WORDS:
        result = {"tools": {}}
    if "pages" in WORDS:
        page = int(cursor)
        result = {"tools": [{"name": "t%d" % page}]}
        if page + 1 < int(WORDS["pages"]):
            result["nextCursor"] = str(page + 1)
    if "loop" in WORDS:
        result["nextCursor"] = "again \"\u00e9\""
    if "endless" in WORDS:
        result = {"tools": [{"name": "t" + cursor}],
                  "nextCursor": str(int(cursor) + 1)}
    if "modern" in WORDS:
        result.update(ttlMs=0, cacheScope="private")
    reply(request, result)
    if "restless" in WORDS:
        for _ in range(4):
            send({"method": "notifications/tools/list_changed"})
    if "closes" in WORDS:
        os.close(1)


# --- messages ----------------------------------------------------------------

def has_meta(request):
    meta = request["params"].get("_meta", {})
    return (meta.get("io.modelcontextprotocol/protocolVersion") == MODERN
            and meta.get("io.modelcontextprotocol/clientCapabilities") == {})


def hello(request):
    version = WORDS.get("version", request["params"]["protocolVersion"])
    assert request["params"]["capabilities"] == {}
    reply(request, {"protocolVersion": version, "capabilities": {
        "tools": {"listChanged": True}}, "serverInfo": {
            "name": "made-up", "version": "1"}})


def refuse(request, code, message):
    send({"error": {"code": code, "message": message}, "id": request["id"]})


def take_request(request):
    method = request["method"]
    if "modern" in WORDS:
        if method == "initialize":
            return refuse(request, -32022, "too old")
        if not has_meta(request):
            return refuse(request, -32602, "no _meta")
        if method == "server/discover":
            return reply(request, {"supportedVersions": [MODERN],
                                   "capabilities": {"tools": {}},
                                   "ttlMs": 0, "cacheScope": "private"})
    elif method == "initialize":
        if "silent" in WORDS:
            return None
        state["initialized"] = True
        if "babble" in WORDS:
            while True:
                send_raw(b"noise\n")
        return hello(request)
    elif "strict" in WORDS and not state["initialized"]:
        os._exit(1)
    if method == "tools/list" and "no-tools" not in WORDS:
        return list_tools(request)
    if method == "tools/call":
        assert isinstance(request["params"]["arguments"], dict)
        name = request["params"]["name"]
        if "banner" in WORDS:
            send_raw(b"[dotenv] injecting\r\n\r\n{not json}\n")
        if name in TOOLS:
            return TOOLS[name][0](request, request["params"]["arguments"])
        return refuse(request, -32602, "Unknown tool: " + name)
    return refuse(request, -32601, "Method not found")


def take_answer(message):
    """Of a request of ours: it is told to who waits."""
    call = asked.pop(message["id"])
    if "error" in message:
        reply(call, text("refused: %d" % message["error"]["code"],
                         isError=True))
    else:
        reply(call, text(json.dumps(message["result"])))


def main():
    if "exits" in WORDS:
        sys.stderr.write("cannot: %s\n" % os.environ.get("TOKEN", ""))
        sys.exit(3)
    if "deaf" in WORDS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "banner" in WORDS:
        sys.stderr.write("banner\n")
        send_raw(b"Welcome!\n\n[1, 2]\nnull\n\xff\xfe\n")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if "method" not in message:
            take_answer(message)
        elif "id" in message:
            log(message["method"])
            take_request(message)
        elif message["method"] == "notifications/cancelled":
            log("cancelled %d" % message["params"]["requestId"])
        else:
            log(message["method"])
    while "deaf" in WORDS:
        signal.pause()


main()
