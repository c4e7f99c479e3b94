"""Sessions with `seatrial mcp` as Markdown: one on standard input and output, one of the public inspector over HTTP."""

import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import threading

SEATRIAL = os.path.abspath(sys.argv[1])
TOKEN = "a-token-of-ones-own"

HULL = {
    "hull.c": '#include <stdio.h>\n\nint main(void)\n{\n\tputs("afloat");\n\treturn 0;\n}\n',
    "Makefile": "hull: hull.o\n\t$(CC) hull.o -o hull\n\nclean:\n\trm -f hull hull.o\n",
}


def shortened(message):
    """Without what makes a page long: of tools one whole, of the others the name."""
    tools = message.get("result", {}).get("tools")
    if tools:
        rest = [tool["name"] for tool in tools[1:]]
        message = {**message, "result": {**message["result"], "tools": [tools[0], f"... and {len(rest)} more: {', '.join(rest)}"]}}
    return message


class Session:
    """A session on standard input and output, which is told as it goes."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [SEATRIAL, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.last = 0
        self.said = []
        self.err = []
        self.reader = threading.Thread(target=lambda: self.err.extend(self.process.stderr))
        self.reader.start()

    def send(self, method, params=None, asks=True):
        message = {"jsonrpc": "2.0"}
        if asks:
            self.last += 1
            message["id"] = self.last
        message["method"] = method
        if params is not None:
            message["params"] = params
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        self.said.append("--> " + json.dumps(message))
        return self.last

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the server ended: " + "".join(self.err))
        message = json.loads(line)
        self.said.append("<-- " + json.dumps(shortened(message), ensure_ascii=False))
        return message

    def ask(self, method, params=None):
        asked = self.send(method, params)
        while self.hear().get("id") != asked:
            pass

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.reader.join()
        return self.process.returncode


def stdio(project):
    session = Session(project, "--network", "none")
    session.ask(
        "initialize",
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by-hand", "version": "1"}},
    )
    session.send("notifications/initialized", asks=False)
    session.ask("tools/list")
    # The second answer is remembered: no shell has been started that might have changed the file.
    session.ask("tools/call", {"name": "read", "arguments": {"path": "Makefile"}})
    session.ask("tools/call", {"name": "read", "arguments": {"path": "Makefile"}})
    session.ask(
        "tools/call",
        {
            "name": "shell",
            "arguments": {"command": "for step in 1 2 3; do echo step $step; sleep 1; done; make"},
            "_meta": {"progressToken": "build"},
        },
    )
    session.ask("tools/call", {"name": "read", "arguments": {"path": "../../etc/shadow.none"}})
    asked = session.send(
        "tools/call",
        {"name": "shell", "arguments": {"command": "echo begun; sleep 600"}, "_meta": {"progressToken": "long"}},
    )
    # It runs, so that there is something to cancel.
    while session.hear().get("method") != "notifications/progress":
        pass
    session.send("notifications/cancelled", {"requestId": asked, "reason": "not needed any more"}, asks=False)
    session.ask("tools/call", {"name": "shell", "arguments": {"command": "pgrep -c sleep; ./hull"}})
    session.ask("resources/read", {"uri": "seatrial://verdict"})
    code = session.close()
    print("## On standard input and output\n")
    print("`-->` is what the client sends, `<--` what comes back. Of the tools one is shown whole.\n")
    print("```text\n$ seatrial mcp hull --network none\n" + "\n".join(session.said) + "\n```\n")
    last = session.err[-1].strip() if session.err else ""
    print(f"Standard input was closed then; the server ended with {code}, and said last: {last}\n")


def inspector(project, folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [SEATRIAL, "mcp", project, "--network", "none", "--http", str(port)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "SEATRIAL_MCP_TOKEN": TOKEN},
    )
    while "serving tools at" not in (line := server.stderr.readline()):
        if not line:
            sys.exit("the server over HTTP ended")
    print("## The public inspector over HTTP\n")
    print("`SEATRIAL_MCP_TOKEN=... seatrial mcp hull --network none --http PORT` serves.\n")
    try:
        asks = (
            ("tools/list", [], None),
            ("tools/call", ["--tool-name", "shell", "--tool-arg", "command=make && ./hull"], None),
            ("tools/call", ["--tool-name", "structure"], None),
            ("resources/read", ["--uri", "seatrial://log"], None),
            ("tools/list", [], "wrong"),
        )
        for method, more, token in asks:
            words = ["npx", "--yes", "@modelcontextprotocol/inspector", "--cli", f"http://127.0.0.1:{port}/mcp",
                     "--transport", "http", "--header", f"Authorization: Bearer {token or TOKEN}", "--method", method, *more]
            # What it would keep for the next time goes with the folder.
            ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
                                 env={**os.environ, "MCP_CATALOG_PATH": os.path.join(folder, "catalog.json")})
            text = (ran.stdout or ran.stderr).strip()
            try:
                document = shortened({"result": json.loads(text)})["result"]
                text = json.dumps(document, indent=2, ensure_ascii=False)
            except ValueError:
                lines = (line for line in text.splitlines() if not line.startswith("npm warn"))
                text = "\n".join(list(lines)[:6])
            shown = " ".join(shlex.quote(word) for word in words).replace(TOKEN, "TOKEN").replace(str(port), "PORT")
            text = text.replace(str(port), "PORT")
            print(f"```text\n$ {shown}\n{text}\n[exit code {ran.returncode}]\n```\n")
    finally:
        server.terminate()
        server.wait(timeout=60)


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "hull")
        os.mkdir(project)
        for name, text in HULL.items():
            with open(os.path.join(project, name), "w") as file:
                file.write(text)
        print("# Sessions with `seatrial mcp`\n")
        print("Written by `scripts/mcp-sessions`: what went over the wire, to the letter, but for what is named below. The "
              "[tools](tools.md) and the [words of the command](mcp.md) are described elsewhere.\n")
        stdio(project)
        inspector(project, folder)


main()
