"""A headless Chromium, driven by its own protocol: pages at a width and in a colour
scheme, requests, pictures.
"""

import functools
import itertools
import json
import shutil
import subprocess
import tempfile
import threading
import time
from base64 import b64decode
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import websocket

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


@contextmanager
def served(folder):
    "The address of a folder, served on this machine only."
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


class Page:
    """A tab of the browser: `call` sends a command of the protocol, `requests` are the
    addresses it has asked for.
    """

    def __init__(self, address):
        self.socket = websocket.create_connection(
            address, timeout=60, suppress_origin=True
        )
        self.numbers = itertools.count(1)
        self.requests = []
        self.events = []
        for domain in "Page", "Network", "Runtime":
            self.call(f"{domain}.enable")

    def hear(self):
        "The next message; requests are noted."
        message = json.loads(self.socket.recv())
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        if "method" in message:
            self.events.append(message["method"])
        return message

    def call(self, method, **params):
        "The result of a command."
        number = next(self.numbers)
        self.socket.send(json.dumps(dict(id=number, method=method, params=params)))
        while (message := self.hear()).get("id") != number:
            pass
        assert "error" not in message, message
        return message["result"]

    def open(self, address):
        "Load a page to the end."
        self.events.clear()
        self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self.events:
            self.hear()

    def run(self, script):
        "The value of a script in the page, a promise's when it is one."
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def look(self, width=1280, height=900, dark=False):
        "Set the size of the window and the colour scheme that the reader prefers."
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = dict(name="prefers-color-scheme", value="dark" if dark else "light")
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file):
        "Write what is seen."
        Path(file).write_bytes(b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def browser():
    "A page of a new browser, which keeps nothing."
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={profile}",
            "about:blank",
        )
        process = subprocess.Popen(
            [PROGRAM, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            yield Page(first_tab(Path(profile) / "DevToolsActivePort"))
        finally:
            process.terminate()
            process.wait()


def first_tab(file):
    "The address of the tab of a browser that has just been started."
    import urllib.request

    end = time.monotonic() + 60
    while time.monotonic() < end:
        if file.exists() and len(lines := file.read_text().split()) > 1:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{lines[0]}/json/list"
            ) as answer:
                tabs = json.load(answer)
            found = [
                tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"
            ]
            if found:
                return found[0]
        time.sleep(0.05)
    raise TimeoutError("the browser did not start within a minute")
