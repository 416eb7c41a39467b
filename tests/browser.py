"""Pages of `abut play` in a real browser, for tests: Chromium with software GL, servers, what a page says of itself."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update"),
)
PATIENCE = 300.0
"""[s] to wait for something."""
SIZE = {"width": 1000, "height": 620}


@contextlib.contextmanager
def chromium(*flags):
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        found = tools.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        yield found
        found.close()


@contextlib.contextmanager
def playing(*what, folder=None):
    """The address of `abut play`."""
    command = [sys.executable, "-m", "abut", "play", *map(str, what), "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, "DISPLAY": ""}
    ) as process:
        line = process.stdout.readline().strip()
        try:
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}", line)
            yield line
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


@contextlib.contextmanager
def opened(browser, address, allowed=(), ready=True, driving=True, **options):
    """A page, when it is `ready` and drives; errors in its console are failures, but for those `allowed`."""
    page, errors = browser.new_page(**{"viewport": SIZE, **options}), []
    page.set_default_timeout(1e3 * PATIENCE)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(address)
    if ready:
        until(page, lambda s: s["frame"] > 0 and s["driving"] == driving)
    yield page
    page.close()
    assert [error for error in errors if not any(word in error for word in allowed)] == []


def state(page, seen=True):
    """What a page says of itself; with points where its parts are seen."""
    asked = f"window.abut ? window.abut.state({str(seen).lower()}) : {{frame: 0, time: 0, parts: []}}"
    return page.evaluate(asked)


def until(page, holds):
    """Wait until something holds of the page's state."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = state(page, seen=False)
        if holds(found):
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {PATIENCE} s: {found}")


def part(found, name):
    """A part by its name."""
    return next(part for part in found["parts"] if part["name"] == name)


def drag(page, name, by, steps=12):
    """Take a part where it is seen and pull."""
    x, y = part(state(page), name)["screen"]
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, steps + 1):
        page.mouse.move(x + by[0] * k / steps, y + by[1] * k / steps)
        time.sleep(0.02)
