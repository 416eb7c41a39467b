"""The page in a real browser: parts are dragged, stopped, stepped, cut open; two pages; a connection that breaks."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from abut import Pose, Run, distance, intersect, recording, scenes
from abut.app.play.export import write_page
from abut.app.reports import write_report
from browser import CHROMIUM, PATIENCE, drag, opened, part, playing, state, until

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
]
START = scenes.make("peg_in_hole").world.body("peg").pose.row.tolist()
AXE = Path(__file__).parents[3] / "web/node_modules/axe-core/axe.min.js"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Folder in which the server runs."""
    return tmp_path_factory.mktemp("played")


@pytest.fixture(scope="module")
def address(kept):
    with playing("peg_in_hole", folder=kept) as found:
        yield found


@pytest.fixture
def page(browser, address):
    with opened(browser, address) as found:
        if state(found, seen=False)["paused"]:
            found.keyboard.press("Space")
        found.keyboard.press("r")
        until(found, lambda s: not s["paused"] and part(s, "peg")["pose"] == START)
        yield found


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
    assert said[1:] in page.locator(".chips").inner_text()
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


def barriers(page):
    """What axe-core finds that keeps people from using a page."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate("axe.run().then((result) => result.violations.map((v) => [v.id, v.nodes[0].html]))")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.locator(".tree .name", has_text="peg").click()
    page.keyboard.press("c")
    page.keyboard.press("m")
    time.sleep(0.5)
    for _ in ("page", "dialog"):
        assert barriers(page) == []
        page.keyboard.press("?")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("c")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_replay_and_a_page_without_a_scene_are_accessible(browser, tmp_path, scheme):
    scene = scenes.free_fall(height=2e-3)
    scene.world.run(0.05, record=tmp_path / "run")
    file = write_page(Run(tmp_path / "run"), tmp_path / "run.html")
    with opened(browser, file.as_uri(), ready=False, color_scheme=scheme) as shown:
        until(shown, lambda s: s["frame"] > 0)
        shown.keyboard.press("Space")
        assert barriers(shown) == []
    with playing(folder=tmp_path) as empty, opened(browser, empty, color_scheme=scheme) as shown:
        shown.get_by_role("heading", name="Take parts in the hand").wait_for()
        assert barriers(shown) == []


def test_parts_are_measured(page):
    page.keyboard.press("m")
    for name in ("peg", "plate"):
        page.mouse.click(*part(state(page), name)["screen"])
    found = until(page, lambda s: s["measured"])["measured"]
    world = scenes.make("peg_in_hole").world
    exact = distance(world.body("peg").shape, world.body("plate").shape, world.body("peg").pose)
    assert found["lower"] <= exact.distance <= found["upper"] * (1.0 + 1e-12)
    assert "peg to plate: " in page.locator(".measure").inner_text()
    page.keyboard.press("Escape")
    until(page, lambda s: s["measured"] is None)


def test_weight_friction_method_and_hand_are_chosen(page):
    for label, value in (("weight of parts", "0.5"), ("friction coefficient", "0.25")):
        page.get_by_role("slider", name=label).fill(value)
    page.get_by_role("combobox", name="method").select_option("velocity")
    page.get_by_role("combobox", name="strength").select_option("gentle")
    page.get_by_role("combobox", name="speed").select_option("0.1")

    def told(s):
        now = s["status"]
        chosen = (now["friction"], now["method"], now["hand"], now["speed"])
        return chosen == (0.25, "velocity", "gentle", 0.1) and abs(now["gravity"] - 0.5) < 1e-9

    until(page, told)
    page.get_by_role("slider", name="weight of parts").fill("0")
    page.get_by_role("slider", name="friction coefficient").fill("0")
    page.get_by_role("combobox", name="method").select_option("ncp")
    page.get_by_role("combobox", name="strength").select_option("normal")
    page.get_by_role("combobox", name="speed").select_option("1")
    until(page, lambda s: s["status"]["speed"] == 1 and s["status"]["method"] == "ncp" and s["status"]["gravity"] == 0)


def test_a_part_is_drawn_along_one_axis(page):
    page.get_by_role("combobox", name="how a dragged part moves").select_option("drag along z")
    drag(page, "peg", (60, -90))
    held = until(page, lambda s: s["held"] is not None and part(s, "peg")["pose"][2] > START[2] + 5e-3)
    target, place = held["held"]["target"], START
    page.mouse.up()
    page.get_by_role("combobox", name="how a dragged part moves").select_option("drag across")
    assert abs(target[0] - held["held"]["place"][0]) < 2e-3 and target[2] > place[2]


def test_pictures_and_videos_are_saved(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="save a picture").click()
    assert download.value.path().read_bytes()[:4] == b"\x89PNG" and download.value.suggested_filename.endswith(".png")
    page.get_by_role("button", name="record a video").click()
    assert page.locator('[data-name="video"]').get_attribute("aria-pressed") == "true"
    page.keyboard.press("v")
    time.sleep(1.5)
    with page.expect_download() as download:
        page.get_by_role("button", name="record a video").click()
    assert download.value.path().read_bytes()[:4] == b"\x1aE\xdf\xa3"
    page.keyboard.press("Home")


def test_the_gizmo_pushes_the_selected_part(page):
    page.locator(".tree .name", has_text="peg").click()
    page.keyboard.press("g")
    before = part(state(page), "peg")["pose"]
    found = page.evaluate("window.abut.gizmo()")
    page.mouse.move(*found["z"])
    time.sleep(0.3)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(found["z"][0], found["z"][1] - 8 * k)
        time.sleep(0.05)
    until(page, lambda s: part(s, "peg")["pose"][2] > before[2] + 2e-3)
    page.mouse.up()
    until(page, lambda s: s["held"] is None)
    page.keyboard.press("Escape")
    np.testing.assert_allclose(part(state(page), "peg")["pose"][:2], before[:2], atol=2e-3)


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


def test_a_report_shows_its_run_without_network(browser, tmp_path):
    scene = scenes.free_fall(height=2e-3)
    with recording(scene.world, tmp_path / "run") as recorder:
        for _ in range(40):
            recorder.step()
    write_report(Run(tmp_path / "run"), tmp_path / "report.html")
    context = browser.new_context(offline=True, viewport={"width": 900, "height": 700})
    shown = context.new_page()
    shown.goto((tmp_path / "report.html").as_uri())
    shown.locator("iframe").scroll_into_view_if_needed()
    inner = next(frame for frame in shown.frames if frame.parent_frame)
    first = until(inner, lambda s: len(s["parts"]) > 0)
    until(inner, lambda s: s["time"] != first["time"])
    context.close()
