"""What the page shows of a world, hears from fingers and other devices, and says where something is not right."""

import json
import re
import time

import numpy as np
import pytest

from abut import Pose, Run, Solid, World, recording, scenes
from abut.app.play import scene_message
from abut.app.play.export import write_page
from abut.scene.files import save
from abut.scene.scenes import Scene
from browser import CHROMIUM, drag, opened, part, playing, state, until

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'abut[dev]'")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
    pytest.mark.needs_jit,
]
STEPS = 40
SPACE_MOUSE = """
const facts = {opened: false, productName: 'Mouse of the test', open: async () => {}};
const device = Object.assign(new EventTarget(), facts);
const hid = Object.assign(new EventTarget(), {getDevices: async () => [], requestDevice: async () => [device]});
Object.defineProperty(navigator, 'hid', {value: hid});
window.pushMouse = (...words) => {
  const data = new DataView(new ArrayBuffer(12));
  words.forEach((word, k) => data.setInt16(2 * k, word, true));
  device.dispatchEvent(Object.assign(new Event('inputreport'), {reportId: 1, data}));
};
"""


@pytest.fixture(scope="module")
def block(tmp_path_factory):
    """The address of a page with a block on a floor."""
    file = tmp_path_factory.mktemp("block") / "block.toml"
    save(Scene(block_on_floor(), 1.0), file)
    with playing(file) as address:
        yield address


def block_on_floor(height=0.02, **options):
    world = World(**options)
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    world.add_body(Solid.box((0.06, 0.04, 0.04)), "block", pose=Pose((0.01, 0.0, height + 1e-5)), density=2700.0)
    return world


def test_arrows_are_the_contacts_of_the_world(browser, block):
    with opened(browser, block) as page:
        page.keyboard.press("Space")
        until(page, lambda s: s["paused"])
        page.keyboard.press("r")
        until(page, lambda s: s["time"] == 0.0)
        for _ in range(STEPS):
            page.keyboard.press(".")
        world = block_on_floor()
        for _ in range(STEPS):
            world.step()
        contacts = world.contacts
        assert len(contacts) >= 3
        forces = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]

        def matches(s):
            if abs(s["time"] - world.time) > 1e-9 or len(s["forces"]) != len(contacts):
                return False
            shown = np.array([(*each["bodies"], *each["point"], *each["force"]) for each in s["forces"]])
            rows = np.column_stack((contacts["body_a"], contacts["body_b"], contacts["point"], forces))
            shown, rows = (table[np.lexsort(np.round(table[:, 4:1:-1].T, 6))] for table in (shown, rows))
            return np.allclose(shown, rows, rtol=2e-3, atol=1e-6)

        found = until(page, matches)
        assert found["arrows"] == len(contacts)
        assert part(found, "block")["pose"] == world.body("block").pose.row.tolist()
        lit = {name: part(found, name)["lit"] for name in ("floor", "block")}
        touched = {name: set() for name in lit}
        for contact in contacts:
            for side, name in enumerate(contact["kind"].split("-")):
                if name == "face":
                    body = world.bodies[contact[("body_a", "body_b")[side]]].name
                    touched[body].add(int(contact[("entity_a", "entity_b")[side]]))
        assert {name: set(faces) for name, faces in lit.items()} == touched and any(lit.values())
        page.keyboard.press("Space")


def fingers(page, *points):
    """Fingers on the screen, as the browser gets them from a tablet."""
    return [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]


def test_one_finger_drags_or_turns_the_view_and_two_zoom(browser, block):
    with opened(browser, block, has_touch=True, viewport={"width": 820, "height": 900}) as page:
        tools = page.context.new_cdp_session(page)

        def touch(kind, *points):
            tools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers(page, *points)})
            time.sleep(0.05)

        x, y = part(state(page), "block")["screen"]
        start = part(state(page), "block")["pose"]
        touch("touchStart", (x, y))
        for k in range(1, 8):
            touch("touchMove", (x, y - 10 * k))
        until(page, lambda s: s["held"] is not None and part(s, "block")["pose"][2] > start[2] + 5e-3)
        touch("touchStart", (x, y - 70), (x + 60, y - 70))
        until(page, lambda s: s["held"] is None)
        near = state(page)["camera"]
        for k in range(1, 6):
            touch("touchMove", (x - 12 * k, y - 70), (x + 60 + 12 * k, y - 70))
        touch("touchEnd")
        closer = state(page)["camera"]
        away = [np.linalg.norm(np.subtract(c["position"], c["target"])) for c in (near, closer)]
        assert away[1] < 0.9 * away[0]
        box = page.locator(".view canvas").bounding_box()
        corner = (box["x"] + box["width"] - 20, box["y"] + 90)
        touch("touchStart", corner)
        for k in range(1, 6):
            touch("touchMove", (corner[0] - 15 * k, corner[1]))
        touch("touchEnd")
        turned = state(page)["camera"]
        assert np.linalg.norm(np.subtract(turned["position"], closer["position"])) > 0.05
        assert state(page, seen=False)["held"] is None


def test_a_space_mouse_moves_the_selected_part(browser, block):
    with opened(browser, "about:blank", ready=False) as page:
        page.add_init_script(SPACE_MOUSE)
        page.goto(block)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        page.keyboard.press("r")
        page.locator(".tree .name", has_text="block").click()
        page.get_by_role("button", name="use a space mouse").click()
        page.get_by_text("Mouse of the test moves the selected part.").wait_for()
        start = until(page, lambda s: len(s["parts"]) == 2)
        page.evaluate("window.pushMouse(0, 0, -350, 0, 0, 0)")
        until(page, lambda s: part(s, "block")["pose"][2] > part(start, "block")["pose"][2] + 0.01)
        assert state(page, seen=False)["held"] is not None
        page.evaluate("window.pushMouse(0, 0, 0, 0, 0, 0)")
        until(page, lambda s: s["held"] is None)


GAMEPAD = """
const buttons = Array.from({length: 16}, () => ({value: 0}));
const pad = {connected: true, id: 'Pad of the test', axes: [0, 0, 0, 0], buttons};
navigator.getGamepads = () => [pad];
window.pressTrigger = (k, value) => { pad.buttons[k].value = value; };
"""


def test_a_gamepad_moves_the_selected_part_without_asking(browser, block):
    with opened(browser, "about:blank", ready=False) as page:
        page.add_init_script(GAMEPAD)
        page.goto(block)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        page.keyboard.press("r")
        page.locator(".tree .name", has_text="block").click()
        start = until(page, lambda s: len(s["parts"]) == 2)
        page.evaluate("window.pressTrigger(7, 1)")
        until(page, lambda s: part(s, "block")["pose"][2] > part(start, "block")["pose"][2] + 0.01)
        page.evaluate("window.pressTrigger(7, 0)")
        until(page, lambda s: s["held"] is None)


def over(page, region):
    """What is said when the mouse is over a contact region."""
    page.mouse.move(*region["screen"])
    label = page.locator(".region-label")
    label.wait_for(state="visible")
    return label.inner_text()


def test_contact_regions_are_shown_and_named(browser, block):
    """With T: one surface under the block, with its weight and the faces of both; nothing without it."""
    with opened(browser, block) as page:
        page.keyboard.press("r")
        page.keyboard.press("t")
        shown = until(page, lambda s: s["regions"] and s["time"] > 0.1)
        (region,) = shown["regions"]
        assert region["dim"] == 2
        np.testing.assert_allclose(region["force"], (0, 0, 0.06 * 0.04**2 * 2700.0 * 9.81), rtol=0.05, atol=1e-3)
        page.keyboard.press("Space")
        until(page, lambda s: s["paused"])
        time.sleep(0.5)
        words = over(page, state(page, seen=False)["regions"][0])
        assert re.fullmatch(r"face \d+ of floor on face \d+ of block, 2400 mm², [\d.]+ N", words), words
        assert "1 region" in page.locator(".chips").inner_text()
        page.keyboard.press("Space")
        page.get_by_role("button", name="contact regions: what touches what (T)").click()
        until(page, lambda s: not s["regions"])
        page.locator(".region-label").wait_for(state="hidden")


def test_a_replay_shows_regions_plots_and_marks_of_events(browser, tmp_path):
    world = World(method="event", restitution=0.5, friction=0.3, dt=5e-3)
    world.add_body(Solid.box((0.2, 0.2, 0.02)), "floor", pose=Pose((0.0, 0.0, -0.01)), fixed=True)
    world.add_body(Solid.box((0.04, 0.04, 0.04)), "block", pose=Pose((0.0, 0.0, 0.03)))
    world.run(0.25, record=tmp_path / "run")
    file = write_page(Run(tmp_path / "run"), tmp_path / "run.html")
    with opened(browser, file.as_uri(), ready=False, offline=True) as page:
        until(page, lambda s: s["frame"] > 0)
        page.keyboard.press("Space")
        assert page.locator(".plots .plot").count() == 3 and 0 < page.locator(".mark").count() <= len(world.events)
        first = next(event for event in world.events if event.kind == "impact")
        mark = page.locator(".mark.impact").first
        assert mark.get_attribute("title").startswith("impact: floor (face")
        mark.click()
        until(page, lambda s: first.time - 6e-3 < s["time"] <= first.time + 1e-9)
        page.get_by_role("slider", name="time").fill("0.25")
        page.keyboard.press("t")  # the slider that has the focus leaves other keys to the page
        found = until(page, lambda s: s["regions"] and abs(s["time"] - 0.25) < 6e-3)
        time.sleep(0.5)
        assert " of floor on " in over(page, state(page, seen=False)["regions"][0])
        assert found["regions"][0]["text"] == state(page, seen=False)["regions"][0]["text"]
        box = page.locator(".plot .u-over").first.bounding_box()
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 5)
        until(page, lambda s: abs(s["time"] - 0.125) < 0.01)
        page.keyboard.press("?")
        assert "drag a part" not in page.locator("dialog.help").inner_text()
        page.keyboard.press("Escape")


def test_parts_that_are_out_of_sight_are_found_again(browser, tmp_path):
    world = block_on_floor(height=0.05, gravity=(0.0, 0.0, 0.0))
    world.body("block").velocity = (0.0, 0.0, 3.0)
    file = tmp_path / "flying.toml"
    save(Scene(world, 1.0), file)
    with playing(file) as address, opened(browser, address) as page:
        until(page, lambda s: s["paused"])
        page.get_by_text("Time stands still, since parts fly here").wait_for()
        page.keyboard.press("Space")
        page.get_by_role("button", name="show all").click()
        page.keyboard.press("Space")
        until(page, lambda s: s["paused"] and part(s, "block")["pose"][2] > 0.2)
        page.keyboard.press("Home")
        page.get_by_role("button", name="show all").wait_for(state="hidden")


def test_a_page_that_is_played_with_for_long_does_not_grow(browser, block):
    with opened(browser, block) as page:
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable")

        def heap():
            """[MB] of objects that are in use."""
            tools.send("HeapProfiler.collectGarbage")
            metrics = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
            return metrics["JSHeapUsedSize"] / 1e6

        def play():
            for k in range(12):
                drag(page, "block", (20, -50 - k), steps=4)
                page.mouse.up()
                page.keyboard.press("Control+z" if k % 2 else "r")
                until(page, lambda s: s["held"] is None and abs(part(s, "block")["pose"][2] - 0.02) < 1e-3)

        page.keyboard.press("t")
        page.keyboard.press("c")
        play()
        before = heap()
        play()
        play()
        assert heap() - before < 1.5
        page.keyboard.press("c")
        page.keyboard.press("t")


def test_a_connection_that_breaks_in_mid_drag_lets_go_and_comes_back(browser, block):
    with opened(browser, "about:blank", ready=False, allowed=("WebSocket",)) as page:
        sockets = []

        def through(socket):
            sockets.append((socket, socket.connect_to_server()))

        page.route_web_socket("**/ws*", through)
        page.goto(block)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        drag(page, "block", (0, -60))
        until(page, lambda s: s["held"] is not None)
        with opened(browser, block, driving=False) as other:
            until(other, lambda s: s["held"] is not None)
            for side in sockets[0]:
                side.close(code=4000)
            until(other, lambda s: s["held"] is None)
        page.get_by_text("Connection lost").wait_for(state="hidden")
        again = until(page, lambda s: s["driving"] and s["held"] is None)
        assert len(sockets) >= 2
        until(page, lambda s: s["frame"] > again["frame"])
        page.mouse.up()


def test_parts_that_overlap_are_red_and_can_be_drawn_apart(browser, tmp_path):
    file = tmp_path / "overlap.toml"
    save(Scene(block_on_floor(height=0.012, gravity=(0.0, 0.0, 0.0)), 1.0), file)
    with playing(file) as address, opened(browser, address) as page:
        found = until(page, lambda s: s["paused"] and s["status"]["overlapping"])
        assert {each["name"] for each in found["parts"] if each["wrong"]} == {"floor", "block"}
        assert "overlap" in page.locator(".chip.warn").all_inner_texts()[-1]
        drag(page, "block", (0, -120))
        until(page, lambda s: part(s, "block")["pose"][2] > 0.03)
        page.mouse.up()
        page.keyboard.press("Space")
        free = until(page, lambda s: not s["paused"] and s["time"] > 0.0)
        assert not any(each["wrong"] for each in until(page, lambda s: not s["status"]["overlapping"])["parts"]), free


def test_parts_that_overlap_are_moved_apart_by_a_button(browser, tmp_path):
    file = tmp_path / "overlap.toml"
    save(Scene(block_on_floor(height=0.012), 1.0), file)
    with playing(file) as address, opened(browser, address) as page:
        until(page, lambda s: s["paused"] and s["status"]["overlapping"])
        page.get_by_role("button", name="take apart by hand").click()
        page.get_by_text("Drag block: it goes through the others until it is free.").wait_for()
        assert part(state(page, seen=False), "block")["selected"]
        page.get_by_role("button", name="move apart").click()
        free = until(page, lambda s: not s["paused"] and s["time"] > 0.05 and s["contacts"])
        assert (
            not any(each["wrong"] for each in free["parts"])
            and page.get_by_role("button", name="move apart").count() == 0
        )


def test_without_a_name_the_page_lists_what_there_is(browser, tmp_path):
    Solid.box((30.0, 20.0, 10.0)).save(tmp_path / "block.stl")
    with playing(folder=tmp_path) as address, opened(browser, address) as page:
        page.get_by_role("heading", name="Take parts in the hand").wait_for()
        page.keyboard.press("Escape")
        assert page.locator(".choice").count() == len(scenes.NAMES)
        page.get_by_role("button", name="chain Ten rings").click()
        until(page, lambda s: len(s["parts"]) == 10 and s["time"] > 0.0)
        assert page.locator(".tree .many").count() == 1 and not page.locator(".opener").is_visible()
        page.locator(".many .name").first.click()
        page.locator(".inner .name").last.click()
        assert until(page, lambda s: s["parts"][9]["selected"])
        page.keyboard.press("o")
        page.set_input_files(".file", tmp_path / "block.stl")
        until(page, lambda s: [each["name"] for each in s["parts"]] == ["block"])


def test_a_scene_that_is_too_heavy_says_by_how_much(browser, tmp_path):
    file = tmp_path / "heavy.toml"
    save(Scene(block_on_floor(dt=2e-6), 1.0), file)
    with playing(file) as address, opened(browser, address) as page:
        until(page, lambda s: s["status"]["pace"] < 0.8)
        page.get_by_text("x real time, as fast as this computer can").wait_for()


def test_a_browser_without_webgl_gets_a_sentence(browser, block):
    with opened(browser, "about:blank", ready=False) as page:
        page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        page.goto(block)
        page.get_by_text("This browser gives the page no WebGL").wait_for()


def test_parts_that_are_shown_coarser_are_said_to_be(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(scene_message, "MOST_TRIANGLES", 100)
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(scenes.make("gears").world.bodies[0].shape, "gear")
    with recording(world, tmp_path / "run") as recorder:
        recorder.step()
    file = write_page(Run(tmp_path / "run"), tmp_path / "run.html")
    with opened(browser, file.as_uri(), ready=False) as page:
        page.get_by_text("Large parts are shown coarser than they are simulated.").wait_for()


DROP = """([files]) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  const canvas = document.querySelector('.view canvas');
  for (const kind of ['dragenter', 'dragover', 'drop'])
    canvas.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def test_dropped_files_are_sent_piece_by_piece_and_answered_in_words(browser, block):
    got = []

    def take(socket):
        def hear(message):
            got.append(message)
            if len(got) == 1:
                socket.send(json.dumps({"ready": True}))
            if sum(len(each) for each in got if isinstance(each, bytes)) >= 300_003:
                socket.send(json.dumps({"problem": "scene.toml: names a part that was not dropped with it"}))

        socket.on_message(hear)

    with opened(browser, "about:blank", ready=False) as page:
        page.route_web_socket("**/drop*", take)
        page.goto(block)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        page.evaluate(DROP, [[["scene.toml", "abc"], ["part.stl", "x" * 300_000]]])
        page.get_by_text("names a part that was not dropped with it").wait_for()
        head, *pieces = got
        assert json.loads(head)["files"] == [
            {"name": "scene.toml", "size": 3},
            {"name": "part.stl", "size": 300_000},
        ]
        assert b"".join(pieces) == b"abc" + b"x" * 300_000 and max(map(len, pieces)) <= 4096
        page.evaluate(DROP, [[["program.exe", "MZ"]]])
        page.get_by_text("program.exe: expected a scene (.toml), parts").wait_for()
        assert len(got) == 1 + len(pieces)


def test_parts_that_are_dropped_are_shown(browser, tmp_path):
    Solid.box((30.0, 20.0, 10.0)).save(tmp_path / "block.stl")
    text = (tmp_path / "block.stl").read_bytes().hex()
    with playing("gears", folder=tmp_path) as address, opened(browser, address) as page:
        turned = DROP.replace(
            "new File([text]", "new File([Uint8Array.from(text.match(/../g), (x) => parseInt(x, 16))]"
        )
        page.evaluate(turned, [[["block.stl", text], ["other.stl", text]]])
        page.get_by_text("The files are shown now.").wait_for()
        until(page, lambda s: {each["name"] for each in s["parts"]} == {"block", "other"} and s["time"] > 0.0)
        assert page.locator(".tree h1").inner_text() == "block.stl, other.stl"
        assert page.locator('[data-name="drive"]').count() == 0
