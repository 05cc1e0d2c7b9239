#!/usr/bin/python3
"""Opens a page in headless Chromium, by its DevTools protocol over a pipe.

    browser.py check PAGE      facts for the tests, a line each: "NAME VALUE"
    browser.py picture PAGE PICTURE WIDTH HEIGHT [light|dark] [SELECTOR]   the pointer is on SELECTOR
"""
import base64
import json
import os
import subprocess
import sys
import tempfile


class Browser:
    def __init__(self, chromium):
        self.profile = tempfile.TemporaryDirectory()
        to_read, self.to = os.pipe()
        self.fro, fro_write = os.pipe()

        def pipes():
            # Chromium reads commands from 3 and writes answers to 4.
            a, b = os.dup(to_read), os.dup(fro_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", "--user-data-dir=" + self.profile.name, "about:blank"],
            preexec_fn=pipes, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(fro_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.fro, 1 << 16)
            if not data:
                raise SystemExit("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def look(self, page, width, height, scheme="light", media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(page))
        self.wait_for("Page.loadEventFired")

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit("%s: %s" % (expression, answer["exceptionDetails"]["text"]))
        return answer["result"].get("value")

    def point_at(self, selector):
        self.ask("document.querySelector(%s).scrollIntoView({block: 'nearest'})" % json.dumps(selector))
        x, y = self.ask("(r => [r.x + r.width / 2, r.y + Math.min(8, r.height / 2)])"
                        "(document.querySelector(%s).getBoundingClientRect())" % json.dumps(selector))
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def settle(self):
        self.ask("new Promise(done => setTimeout(done, 500))")

    def close(self):
        os.close(self.to)
        self.process.wait()
        self.profile.cleanup()


SHOWN = """[...document.querySelectorAll('.told')].filter(e => getComputedStyle(e).visibility == 'visible')
           .map(e => e.innerText.replace(/\\s+/g, ' ')).join(' | ')"""
# Elements beyond the edges of the window, also the one below the pointer.
OVERFLOW = """document.documentElement.scrollWidth - innerWidth +
              [...document.querySelectorAll('.told')].filter(e => e.getBoundingClientRect().right > innerWidth
              || e.getBoundingClientRect().left < 0).length"""


def check(browser, page):
    for width in (360, 1400):
        for scheme in ("light", "dark"):
            browser.look(page, width, 900, scheme)
            print("overflow-%d-%s %d" % (width, scheme, max(0, browser.ask(OVERFLOW))))
            print("paper-%s %s" % (scheme, browser.ask("getComputedStyle(document.body).backgroundColor")))
        print("shown-%d [%s]" % (width, browser.ask(SHOWN)))
        browser.point_at("li:has(.told) code")
        browser.settle()
        print("pointed-at-%d [%s]" % (width, browser.ask(SHOWN)))
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        browser.ask("document.querySelector('a.layer').focus()")
        for _ in range(50):
            for kind in ("keyDown", "keyUp"):
                browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            if browser.ask("document.activeElement.className") == "more":
                break
        browser.settle()
        print("focused-%d %s [%s]" % (width, browser.ask("document.activeElement.className"), browser.ask(SHOWN)))
        browser.point_at("a.layer")
        browser.settle()
        print("bright-%d %s" % (width, browser.ask(
            "[...document.querySelectorAll('.file > li')].map(e => +(getComputedStyle(e).opacity == 1)).join('')")))
        print("requests-%d %s" % (width, " ".join(
            event["params"]["request"]["url"].split(":")[0] for event in browser.events
            if event.get("method") == "Network.requestWillBeSent")))
        print("errors-%d %d" % (width, sum(event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown")
                                           for event in browser.events)))
    print("elements %s" % browser.ask(
        "[...new Set([...document.querySelectorAll('*')].map(e => e.localName))].sort().join(' ')"))
    print("removed [%s]" % browser.ask("document.querySelector('.gone').innerText.replace(/\\s+/g, ' ')"))


def main():
    browser = Browser(os.environ.get("CHROMIUM", "chromium"))
    try:
        if sys.argv[1] == "check":
            check(browser, sys.argv[2])
            return
        page, picture, width, height = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
        media = "print" if sys.argv[6:7] == ["print"] else ""
        browser.look(page, width, height, "dark" if sys.argv[6:7] == ["dark"] else "light", media)
        if len(sys.argv) > 7:
            browser.point_at(sys.argv[7])
            browser.settle()
        data = browser.call("Page.captureScreenshot")["data"]
        with open(picture, "wb") as out:
            out.write(base64.b64decode(data))
    finally:
        browser.close()


main()
