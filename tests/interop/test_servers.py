#!/usr/bin/env python3
"""Real MCP servers (package.json here), every tool of theirs called by a
program in `weir run`. `make check-interop` installs and runs it.

Environment: WEIR, the command; WEIR_INTEROP, the directory with node_modules.
A tool that stands in no table below fails the test: a new version brought it.
"""
import base64
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEIR = os.environ.get("WEIR") or ROOT / "build/bin/weir"
MODULES = pathlib.Path(
    os.environ.get("WEIR_INTEROP") or ROOT / "build/interop") / "node_modules"
HANG = 240

# Of what is called: the name of the call in its results, the tool, the
# arguments. Later ones see what earlier ones did.
EVERYTHING = [
    ("echo", "echo", {"message": "é \u2028 \0 \U0001f600"}),
    ("sum", "get-sum", {"a": 20, "b": 22}),
    ("structured", "get-structured-content", {"location": "Chicago"}),
    ("env", "get-env", {}),
    ("image", "get-tiny-image", {}),
    ("annotated", "get-annotated-message",
     {"messageType": "error", "includeImage": True}),
    ("links", "get-resource-links", {"count": 2}),
    ("reference", "get-resource-reference",
     {"resourceType": "Blob", "resourceId": 1}),
    ("gzip", "gzip-file-as-resource",
     {"name": "a.gz", "data": "data:text/plain,hello",
      "outputType": "resource"}),
    ("logging", "toggle-simulated-logging", {}),
    ("updates", "toggle-subscriber-updates", {}),
    ("long", "trigger-long-running-operation",
     {"duration": 0.1, "steps": 3}),
    # Runs only as a task, and so not at all.
    ("task", "simulate-research-query", {"topic": "x"}),
    ("wrong", "get-sum", {"a": "x"}),
]
FILESYSTEM = [
    ("allowed", "list_allowed_directories", {}),
    ("write", "write_file", {"path": "DIR/a.txt", "content": "one\ntwo\n"}),
    ("json", "write_file", {"path": "DIR/a.json", "content": "[1, 2]"}),
    ("read", "read_text_file", {"path": "DIR/a.txt"}),
    ("read_json", "read_text_file", {"path": "DIR/a.json"}),
    ("head", "read_text_file", {"path": "DIR/a.txt", "head": 1}),
    ("old", "read_file", {"path": "DIR/a.txt"}),
    ("many", "read_multiple_files",
     {"paths": ["DIR/a.txt", "DIR/a.json"]}),
    ("media", "read_media_file", {"path": "DIR/pixel.png"}),
    ("edit", "edit_file", {"path": "DIR/a.txt", "edits": [
        {"oldText": "two", "newText": "three"}]}),
    ("make", "create_directory", {"path": "DIR/sub"}),
    ("move", "move_file",
     {"source": "DIR/a.json", "destination": "DIR/sub/b.json"}),
    ("list", "list_directory", {"path": "DIR"}),
    ("sizes", "list_directory_with_sizes", {"path": "DIR"}),
    ("tree", "directory_tree", {"path": "DIR"}),
    ("search", "search_files", {"path": "DIR", "pattern": "**/*.json"}),
    ("info", "get_file_info", {"path": "DIR/a.txt"}),
    ("outside", "read_text_file", {"path": "/etc/passwd"}),
    ("large", "read_text_file", {"path": "DIR/large.txt"}),
]
MEMORY = [
    ("create", "create_entities", {"entities": [
        {"name": name, "entityType": "t", "observations": ["o"]}
        for name in ("a", "b")]}),
    ("relate", "create_relations", {"relations": [
        {"from": "a", "to": "b", "relationType": "likes"}]}),
    ("observe", "add_observations", {"observations": [
        {"entityName": "a", "contents": ["p"]}]}),
    ("open", "open_nodes", {"names": ["a"]}),
    ("find", "search_nodes", {"query": "b"}),
    ("graph", "read_graph", {}),
    ("forget", "delete_observations", {"deletions": [
        {"entityName": "a", "observations": ["o"]}]}),
    ("part", "delete_relations", {"relations": [
        {"from": "a", "to": "b", "relationType": "likes"}]}),
    ("delete", "delete_entities", {"entityNames": ["b"]}),
    ("rest", "read_graph", {}),
]

PROGRAM = """
got = {}
for label, tool, arguments in CALLS:
    try:
        got[label] = call_tool(SERVER + "." + tool, arguments)
    except ToolError as error:
        got[label] = [error.kind, error.message]
return [got, [name for name in TOOLS if not name.startswith(SERVER + ".")],
        [name.partition(".")[2] for name in TOOLS]]
"""

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg==")


class Server(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="weir-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def run_weir(self, name, program, *options, words=(), **more):
        script = (MODULES / "@modelcontextprotocol" / ("server-" + name)
                  / "dist/index.js")
        config = os.path.join(self.directory, "mcp.json")
        with open(config, "w") as file:
            json.dump({"mcpServers": {name: dict(
                {"command": shutil.which("node"), "required": True,
                 "args": [str(script), *words]}, **more)}}, file)
        done = subprocess.run(
            [WEIR, "run", "--json", "--limit", "wall=200", "--limit", "value=16M",
             "--python",
             "/usr/bin/python3", "--mcp-config", config, *options, "-c",
             program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=HANG)
        result = json.loads(done.stdout)
        self.assertIsNone(result["error"], result["error"])
        return result["value"]

    def call_all(self, name, calls, **more):
        """The results of all calls, by their labels."""
        text = json.dumps(calls).replace("DIR", self.directory)
        got, others, tools = self.run_weir(
            name, "import json\nSERVER = %r\nCALLS = json.loads(%r)\n%s" % (
                name, text, PROGRAM), **more)
        self.assertEqual(others, [])
        self.assertEqual(sorted(tools), sorted({tool for _, tool, _ in calls}))
        return got

    def test_everything(self):
        got = self.call_all("everything", EVERYTHING,
                            env={"INTEROP": "seen"})
        self.assertEqual(got["echo"], "Echo: é \u2028 \0 \U0001f600")
        self.assertIn("42", got["sum"])
        self.assertEqual(set(got["structured"]), {
            "temperature", "conditions", "humidity"})
        self.assertEqual(got["env"]["INTEROP"], "seen")
        self.assertLessEqual(set(got["env"]), {
            "INTEROP", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
        self.assertEqual([block["type"] for block in got["image"]],
                         ["text", "image", "text"])
        self.assertEqual(base64.b64decode(got["image"][1]["data"])[:4],
                         b"\x89PNG")
        self.assertEqual(got["annotated"][0], {
            "type": "text", "text": "Error: Operation failed"})
        self.assertEqual([block["type"] for block in got["links"]],
                         ["text", "resource_link", "resource_link"])
        self.assertEqual([block["type"] for block in got["reference"]],
                         ["text", "resource", "text"])
        self.assertEqual(gzip.decompress(base64.b64decode(
            got["gzip"][0]["resource"]["blob"])), b"hello")
        self.assertIn("Started", got["logging"])
        self.assertIn("Started", got["updates"])
        self.assertIn("completed", got["long"])
        self.assertEqual(got["task"][0], "input_required")
        self.assertEqual(got["wrong"][0], "failed")
        self.assertIn("-32602", got["wrong"][1])

    def test_filesystem(self):
        with open(os.path.join(self.directory, "pixel.png"), "wb") as file:
            file.write(PIXEL)
        with open(os.path.join(self.directory, "large.txt"), "w") as file:
            file.write("é" * (1 << 20))
        got = self.call_all("filesystem", FILESYSTEM,
                            words=[self.directory])
        # It wraps everything, and nothing is unwrapped.
        self.assertIn(self.directory, got["allowed"]["content"])
        self.assertEqual(got["read"], {"content": "one\ntwo\n"})
        self.assertEqual(got["old"], {"content": "one\ntwo\n"})
        self.assertEqual(got["read_json"], {"content": "[1, 2]"})
        self.assertEqual(got["head"], {"content": "one"})
        self.assertIn("[1, 2]", got["many"]["content"])
        self.assertEqual(base64.b64decode(
            got["media"]["structuredContent"]["content"][0]["data"]
            if "structuredContent" in got["media"]
            else got["media"]["content"][0]["data"]), PIXEL)
        self.assertIn("+three", got["edit"]["content"])
        self.assertIn("[DIR] sub", got["list"]["content"])
        self.assertIn("large.txt", got["sizes"]["content"])
        self.assertIn("b.json", got["tree"]["content"])
        self.assertIn("sub/b.json", got["search"]["content"])
        self.assertIn("size", got["info"]["content"])
        self.assertEqual(got["outside"][0], "failed")
        self.assertIn("denied", got["outside"][1])
        self.assertEqual(len(got["large"]["content"]), 1 << 20)

    def test_memory(self):
        path = os.path.join(self.directory, "memory.jsonl")
        got = self.call_all("memory", MEMORY, env={"MEMORY_FILE_PATH": path})
        self.assertEqual([e["name"] for e in got["graph"]["entities"]],
                         ["a", "b"])
        self.assertEqual(len(got["graph"]["relations"]), 1)
        self.assertEqual(got["open"]["entities"][0]["observations"],
                         ["o", "p"])
        self.assertEqual([e["name"] for e in got["find"]["entities"]], ["b"])
        self.assertEqual(got["rest"], {"entities": [
            {"name": "a", "entityType": "t", "observations": ["p"]}],
            "relations": []})
        self.assertTrue(os.path.exists(path))

    def test_the_eras(self):
        """These servers are of the legacy one, which `auto` finds out."""
        for era in ("legacy", "auto"):
            self.assertIn("42", self.run_weir(
                "everything", "call_tool('everything.get-sum',"
                " {'a': 20, 'b': 22})", protocolEra=era))

    def test_many_at_once(self):
        self.assertEqual(self.run_weir(
            "everything", "import asyncio\n"
            "got = await asyncio.gather(*[everything.echo(message=str(n))"
            " for n in range(500)])\n"
            "return got == ['Echo: %d' % n for n in range(500)]"), True)


if __name__ == "__main__":
    unittest.main()
