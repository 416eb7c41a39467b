"""Ways in which the hand moves a part on the page: keys while dragging, keys alone, double clicks, hiding."""

import time

import numpy as np
import pytest

from abut import Pose, Solid, World
from abut.scene.files import save
from abut.scene.scenes import Scene
from browser import CHROMIUM, opened, part, playing, state, until

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
]
START = (0.0, 0.0, 0.06)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with a block that floats over a floor."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Solid.box((0.3, 0.3, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    world.add_body(Solid.box((0.06, 0.05, 0.04)), "block", pose=Pose(START))
    file = tmp_path_factory.mktemp("floating") / "floating.toml"
    save(Scene(world, 1.0), file)
    with playing(file) as found:
        yield found


@pytest.fixture
def page(browser, address):
    with opened(browser, address) as found:
        found.keyboard.press("r")
        until(found, lambda s: block(s)["pose"][:3] == list(START) and s["held"] is None)
        yield found


def block(found):
    return part(found, "block")


def dragged(page, by, *keys):
    """Where the hand's target went, with keys pressed while the pointer moved."""
    x, y = block(state(page))["screen"]
    page.mouse.move(x, y)
    page.mouse.down()
    before = np.array(until(page, lambda s: s["held"] is not None)["held"]["place"])
    for key in keys:
        page.keyboard.down(key)
        page.keyboard.down(key)  # as keyboards do with a key that stays down
    for k in range(1, 7):
        page.mouse.move(x + by[0] * k / 6, y + by[1] * k / 6)
        time.sleep(0.02)
    last = held(page)
    for key in keys:
        page.keyboard.up(key)
    return before, last


def sight(page):
    """From the camera to what it looks at."""
    camera = state(page, seen=False)["camera"]
    return np.subtract(camera["target"], camera["position"])


def held(page):
    """What the hand holds, once nothing more comes of the last move of the pointer."""
    last, same = None, 0
    while same < 3:
        found = until(page, lambda s: s["held"] is not None)["held"]["target"]
        same = same + 1 if found == last else 0
        last = found
        time.sleep(0.3)
    return np.array(last)


@pytest.mark.parametrize(("key", "axis"), [("x", 0), ("y", 1), ("z", 2)])
def test_an_axis_while_dragging(page, key, axis):
    before, target = dragged(page, (70, -50), key)
    page.mouse.up()
    others = [k for k in range(3) if k != axis]
    assert abs(target - before)[axis] > 5e-3 and abs(target - before)[others].max() < 1e-3


def test_shift_while_dragging_is_along_the_line_of_sight(page):
    before, target = dragged(page, (0, -60), "Shift")
    page.mouse.up()
    way, away = target - before, sight(page)
    assert np.linalg.norm(way) > 5e-3
    assert way @ away > 0.95 * np.linalg.norm(way) * np.linalg.norm(away)


def test_alt_while_dragging_turns_and_without_it_the_drag_goes_on(page):
    x, y = block(state(page))["screen"]
    _, target = dragged(page, (60, 30), "Alt")
    turned = until(page, lambda s: abs(block(s)["pose"][3]) < np.cos(0.1))
    np.testing.assert_allclose(block(turned)["pose"][:3], START, atol=0.04)
    assert len(target) == 7
    page.mouse.move(x + 60, y - 10)
    moved = held(page)
    page.mouse.up()
    np.testing.assert_allclose(moved[3:], target[3:], atol=1e-9)
    way, right = moved[:3] - target[:3], np.cross(sight(page), (0.0, 0.0, 1.0))
    assert 0.01 < np.linalg.norm(way) < 0.1
    assert abs(way @ right) < 0.1 * np.linalg.norm(way) * np.linalg.norm(right), "up, as the pointer went then"


def test_a_drag_goes_on_from_where_it_is_when_a_key_is_let_go(page):
    x, y = block(state(page))["screen"]
    _, target = dragged(page, (0, -60), "Shift")
    page.mouse.move(x + 1, y - 60)
    assert np.linalg.norm(held(page) - target) < 2e-3
    page.mouse.up()


def test_keys_push_and_turn_the_selected_part(page):
    page.locator(".tree .name", has_text="block").click()

    def moved(to):
        return lambda s: abs(np.subtract(block(s)["pose"][:3], to)).max() < 3e-6

    at = list(START)
    for key, length in (("PageUp", 1e-4), ("Shift+PageUp", 1e-3), ("Control+PageDown", -1e-5)):
        page.keyboard.press(key)
        at[2] += length
        until(page, moved(at))
    for key, back in (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown")):
        page.keyboard.press(f"Shift+{key}")
        there = until(page, lambda s: np.linalg.norm(np.subtract(block(s)["pose"][:3], at)) > 9.9e-4)
        assert np.count_nonzero(abs(np.subtract(block(there)["pose"][:3], at)) > 1e-4) == 1
        page.keyboard.press(f"Shift+{back}")
        until(page, moved(at))
    for _ in range(10):
        page.keyboard.press("[")
    until(page, lambda s: abs(2.0 * np.degrees(np.arccos(block(s)["pose"][3])) - 10.0) < 0.05)
    page.keyboard.press("Escape")
    until(page, lambda s: s["held"] is None and not block(s)["selected"])


def test_a_double_click_fixes_and_frees(page):
    for fixed in (True, False):
        page.mouse.dblclick(*block(state(page))["screen"])
        until(page, lambda s, fixed=fixed: block(s)["fixed"] is fixed)


def test_parts_are_hidden_shown_alone_and_looked_at(page):
    page.locator(".tree .name", has_text="block").click()
    hidden = {"h": ["block"], "Shift+H": [], "i": ["floor"]}
    for key, names in hidden.items():
        page.keyboard.press(key)
        assert [each["name"] for each in state(page)["parts"] if each["hidden"]] == names
    page.keyboard.press("i")
    assert not any(each["hidden"] for each in state(page)["parts"])
    far = state(page)["camera"]
    page.keyboard.press("f")
    near = state(page)["camera"]
    page.keyboard.press("Home")
    page.keyboard.press("v")
    assert np.linalg.norm(np.subtract(near["position"], near["target"])) < np.linalg.norm(
        np.subtract(far["position"], far["target"])
    )
    assert state(page)["camera"]["position"] != far["position"]


def test_a_key_that_stays_down_pauses_once(page):
    page.keyboard.down("Space")
    page.keyboard.down("Space")
    page.keyboard.up("Space")
    until(page, lambda s: s["paused"])
    page.keyboard.press("Space")
    until(page, lambda s: not s["paused"])
