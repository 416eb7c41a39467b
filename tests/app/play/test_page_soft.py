"""Soft bodies on the page: their skins move and are coloured by stress, live and in replays; a hand holds a point."""

import time

import numpy as np
import pytest

import abut
from abut.app.play.export import write_page
from browser import CHROMIUM, drag, opened, part, playing, state, until

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
    pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"),
]

SCENE = """
title = "A strip of rubber between a wall and a hand"
[world]
dt = 5e-3
[parts.strip]
library = "box"
size = [0.1, 0.03, 0.03]
[parts.wall]
library = "box"
size = [0.02, 0.06, 0.06]
[bodies.floor]
shape = "half_space"
fixed = true
offset = -0.05
[bodies.wall]
part = "wall"
position = [-0.0605, 0, 0]
fixed = true
[soft.strip]
part = "strip"
cell = 0.015
divide = 2
young = 1e5
poisson = 0.35
density = 1000
damping = [0.5, 5e-3]
fixed = [{ box = [[-1, -1, -1], [-0.049, 1, 1]] }]
"""


@pytest.fixture(scope="module")
def scene_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("soft") / "strip.toml"
    path.write_text(SCENE)
    return path


@pytest.fixture(scope="module")
def page(browser, scene_file):
    with playing(scene_file, folder=scene_file.parent) as address, opened(browser, address) as found:
        until(found, lambda s: s["time"] > 0.3 and not s["status"]["said"])
        yield found


def test_a_point_of_the_skin_is_dragged_and_let_go(page):
    calm = part(state(page), "strip")["stress"]
    before = part(state(page, seen=False), "strip")["pose"][2]
    drag(page, "strip", (0, -110))
    held = until(page, lambda s: s["held"] is not None and part(s, "strip")["pose"][2] > before + 5e-3)
    assert held["held"]["body"] == 2 and np.linalg.norm(held["held"]["force"]) > 0.05
    assert calm > 0 and part(held, "strip")["stress"] != calm
    assert held["stressTop"] >= 0.9 * part(held, "strip")["stress"]
    page.mouse.up()
    until(page, lambda s: s["held"] is None and part(s, "strip")["pose"][2] < before + 2e-3)


def test_pause_undo_and_section_work_on_soft_bodies(page):
    page.keyboard.press("Space")
    until(page, lambda s: s["paused"])
    page.keyboard.press("Control+z")
    until(page, lambda s: s["status"]["redo"] > 0)
    page.keyboard.press("c")
    assert until(page, lambda s: s["section"])["section"]
    page.keyboard.press("c")
    page.keyboard.press("Space")
    until(page, lambda s: not s["paused"])
    assert page.locator(".stress-scale").inner_text().startswith("von Mises stress, 0 to ")


def test_what_is_for_rigid_parts_says_so(page):
    x, y = part(state(page), "strip")["screen"]
    page.mouse.click(x, y)
    until(page, lambda s: part(s, "strip")["selected"])
    assert "soft" in page.locator(".inspector").inner_text()
    page.keyboard.press("Escape")


def test_a_replay_shows_the_skin_as_it_was(browser, scene_file, tmp_path):
    scene = abut.scene.load(scene_file)
    with abut.recording(scene.world, tmp_path / "run") as recorder:
        for _ in range(20):
            recorder.step()
    run = abut.Run(tmp_path / "run")
    page_file = write_page(run, tmp_path / "replay.html")
    with opened(browser, page_file.as_uri(), ready=False) as page:
        found = until(page, lambda s: s["parts"] and s["stressTop"] > 0)
        assert found["stressTop"] == pytest.approx(run.stress("strip").max())
        until(page, lambda s: s["time"] > run.times[4])
        page.keyboard.press("Space")
        time.sleep(0.5)
        found = state(page, seen=False)
        k = int(np.abs(run.times - found["time"]).argmin())
        assert part(found, "strip")["stress"] == pytest.approx(run.skin_stress("strip", [k]).max(), rel=0.02)
        soft = scene.world.deformables[0]
        centre = soft._body.masses @ run.nodes("strip")[k] / soft.mass
        assert part(found, "strip")["pose"][:3] == pytest.approx(centre, abs=1e-6)
