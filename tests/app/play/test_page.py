"""The page in a real browser: parts are dragged, stopped, stepped, cut open; two pages; a connection that breaks."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from abut import Pose, Run, intersect, recording, scenes
from abut.app.play.export import write_page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
]
FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update"),
)
PATIENCE = 90.0
START = scenes.make("peg_in_hole").world.body("peg").pose.row.tolist()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Folder in which the server runs."""
    return tmp_path_factory.mktemp("played")


@pytest.fixture(scope="module")
def address(kept):
    command = [sys.executable, "-m", "abut", "play", "peg_in_hole", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=kept, env={**os.environ, "DISPLAY": ""}
    ) as process:
        line = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}", line)
        yield line
        process.send_signal(signal.SIGINT)
        assert process.wait(10.0) == 0


@pytest.fixture
def page(browser, address):
    found = browser.new_page(viewport={"width": 1200, "height": 760})
    errors = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    found.goto(address)
    until(found, lambda s: s["frame"] > 0 and s["driving"])
    found.keyboard.press("r")
    until(found, lambda s: not s["paused"] and part(s, "peg")["pose"] == START)
    yield found
    found.close()
    assert errors == []


def state(page):
    return page.evaluate("window.abut ? window.abut.state() : {frame: 0, time: 0, parts: []}")


def until(page, holds):
    """Wait until something holds of the page's state."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = state(page)
        if holds(found):
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {PATIENCE} s: {found}")


def part(found, name):
    return next(part for part in found["parts"] if part["name"] == name)


def drag(page, name, by, steps=12):
    """Take a part where it is seen and pull."""
    x, y = part(state(page), name)["screen"]
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, steps + 1):
        page.mouse.move(x + by[0] * k / steps, y + by[1] * k / steps)
        time.sleep(0.02)


def pose(row):
    return Pose(row[:3], quat_wxyz=row[3:])


def test_the_peg_is_dragged_to_its_hole_and_never_into_the_plate(page):
    world = scenes.make("peg_in_hole").world
    start = part(state(page), "peg")["pose"]
    drag(page, "peg", (0, 120))
    seen = []
    for _ in range(8):
        seen.append(state(page))
        time.sleep(0.1)
    held = until(page, lambda s: s["held"] is not None and s["contacts"] > 0)
    page.mouse.up()
    assert np.linalg.norm(np.subtract(part(held, "peg")["pose"][:3], start[:3])) > 1e-4
    for found in (*seen, held):
        shapes = [world.body(name).shape for name in ("plate", "peg")]
        assert not intersect(*shapes, *(pose(part(found, name)["pose"]) for name in ("plate", "peg")))
    assert held["arrows"] <= held["contacts"]
    until(page, lambda s: s["held"] is None)


def test_parts_are_drawn_where_they_are(page):
    for found in until(page, lambda s: len(s["parts"]) == 2)["parts"]:
        assert np.allclose(found["drawn"], found["pose"], rtol=0.0, atol=1e-7)


def test_pause_step_undo_and_reset(page):
    page.keyboard.press("Space")
    paused = until(page, lambda s: s["paused"])
    page.keyboard.press(".")
    stepped = until(page, lambda s: s["time"] > paused["time"])
    assert stepped["time"] - paused["time"] == pytest.approx(1e-3)
    page.get_by_role("button", name="go on (space)").click()
    until(page, lambda s: not s["paused"])
    before = part(state(page), "peg")["pose"]
    drag(page, "peg", (80, -80))
    until(page, lambda s: s["held"] is not None and part(s, "peg")["pose"][2] > before[2] + 1e-3)
    page.mouse.up()
    page.keyboard.press("Control+z")
    until(page, lambda s: part(s, "peg")["pose"] == before)
    page.keyboard.press("Control+y")
    until(page, lambda s: part(s, "peg")["pose"][2] > before[2] + 1e-3)
    page.get_by_role("button", name="begin again (R)").click()
    until(page, lambda s: part(s, "peg")["pose"] == before)


def test_what_the_hand_did_is_kept_and_run_again_to_the_same_bits(page, kept, tmp_path):
    drag(page, "peg", (40, 120))
    until(page, lambda s: s["contacts"] > 0)
    page.mouse.up()
    until(page, lambda s: s["held"] is None)
    page.keyboard.press("Space")
    before = until(page, lambda s: s["paused"])
    page.get_by_role("button", name="keep what the hand did, to run it again (K)").click()
    said = until(page, lambda s: s["status"]["said"])["status"]["said"]
    assert said in page.locator(".chips").inner_text()
    file = kept / said.rpartition("abut run ")[2]
    command = [sys.executable, "-m", "abut", "run", str(file), "--out", str(tmp_path / "run"), "--json"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    run = Run(tmp_path / "run")
    assert run.times[-1] == before["time"]
    for name in run.bodies:
        assert run.world_at(run.times[-1]).body(name).pose.row.tolist() == part(before, name)["pose"]


def test_section_gizmo_keys_list_and_help(page):
    page.keyboard.press("c")
    assert until(page, lambda s: s["section"])
    page.keyboard.press("c")
    page.locator(".tree .name", has_text="peg").click()
    assert part(state(page), "peg")["selected"]
    assert "mass" in page.locator(".inspector").inner_text()
    there = part(state(page), "peg")["pose"]
    page.keyboard.press("PageUp")
    until(page, lambda s: abs(part(s, "peg")["pose"][2] - there[2] - 1e-4) < 2e-6)
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    assert page.locator('[data-name="gizmo"]').get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    page.locator(".parts li", has_text="peg").hover()
    page.get_by_role("button", name="hide or show: peg").click()
    assert part(state(page), "peg")["hidden"] and part(state(page), "peg")["screen"] is None
    page.get_by_role("button", name="hide or show: peg").click()
    page.keyboard.press("?")
    assert page.locator("dialog.help").is_visible()
    page.keyboard.press("Escape")


def test_the_page_is_accessible(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


def test_a_record_is_shown_without_network(browser, tmp_path):
    scene = scenes.free_fall(height=2e-3)
    with recording(scene.world, tmp_path / "run") as recorder:
        for _ in range(60):
            recorder.step()
    file = write_page(Run(tmp_path / "run"), tmp_path / "run.html")
    context = browser.new_context(offline=True, viewport={"width": 900, "height": 600})
    shown = context.new_page()
    shown.goto(file.as_uri())
    first = until(shown, lambda s: len(s["parts"]) > 0 and s["frame"] > 0)
    until(shown, lambda s: s["time"] != first["time"])
    shown.keyboard.press("Space")
    shown.get_by_role("slider", name="time").fill("0.06")
    until(shown, lambda s: abs(s["time"] - 0.06) < 1e-3 and s["contacts"] > 0)
    context.close()


def test_parts_are_fixed_and_freed(page):
    page.locator(".parts li", has_text="peg").hover()
    page.get_by_role("button", name="fix or free: peg").click()
    until(page, lambda s: part(s, "peg")["fixed"])
    page.locator(".parts li", has_text="peg").hover()
    page.get_by_role("button", name="fix or free: peg").click()
    until(page, lambda s: not part(s, "peg")["fixed"])


def test_one_page_drives_and_the_other_takes_the_hand(page, browser, address):
    other = browser.new_page(viewport={"width": 900, "height": 600})
    other.goto(address)
    assert not until(other, lambda s: s["frame"] > 0)["driving"]
    assert until(page, lambda s: s["watchers"] == 2)["driving"]
    other.get_by_role("button", name="take it").click()
    until(other, lambda s: s["driving"])
    until(page, lambda s: not s["driving"])
    other.close()
    until(page, lambda s: s["driving"])


def test_a_page_that_goes_away_lets_go(page, browser, address):
    other = browser.new_page(viewport={"width": 1200, "height": 760})
    other.goto(address)
    until(other, lambda s: s["frame"] > 0)
    other.get_by_role("button", name="take it").click()
    until(other, lambda s: s["driving"])
    drag(other, "peg", (30, -30))
    until(page, lambda s: s["held"] is not None)
    other.close()
    until(page, lambda s: s["held"] is None)
