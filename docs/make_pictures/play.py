"""Take the pictures of docs/play.md and one of docs/regions.md in Chromium: `python docs/make_pictures/play.py`."""

import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from abut import HalfSpace, Pose, Solid, World
from abut.scene.files import save
from abut.scene.scenes import Scene
from browser import chromium, part, playing, state, until
from page_looks import LAPTOP, PICTURES, live_looks, replay_look

ASSEMBLY = Path(__file__).parents[2] / "src/abut/scene/scenes/demonstrations/assembly.step"
SMALL, CALM = {"width": 1120, "height": 680}, {"width": 1000, "height": 560}
UP, FRAMES, HOLD = 130, 22, 0.15


def _frame(page):
    """What the view shows."""
    from PIL import Image

    shot = page.locator("main.view").screenshot()
    return Image.open(BytesIO(shot)).convert("RGB")


def taken_out_and_put_back(browser):
    """Pictures of a bolt that is drawn out of its countersunk hole and lowered again, with the plate cut open."""
    frames = []
    with playing("countersunk") as address:
        page = browser.new_page(viewport=SMALL)
        page.add_init_script("localStorage.setItem('abut-hints', '1')")
        page.goto(address)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        page.keyboard.press("c")
        page.get_by_role("combobox", name="how a dragged part moves").select_option("drag along z")
        page.mouse.move(560, 480)
        page.mouse.wheel(0, 240)
        page.add_style_tag(content=".chips, .cut { visibility: hidden; }")
        time.sleep(1.0)
        x, y = part(state(page), "bolt")["screen"]
        page.mouse.move(x, y)
        page.mouse.down()
        way = [UP * k / FRAMES for k in (*range(FRAMES + 1), *range(FRAMES, -4, -1))]
        for up in way:
            page.mouse.move(x, y - up)
            time.sleep(HOLD)
            frames.append(_frame(page))
        page.mouse.up()
        page.close()
    return frames


def taken_apart(browser):
    """A picture of an assembly of 18 parts, one of which is pulled at."""
    from PIL import Image

    with playing(ASSEMBLY) as address:
        page = browser.new_page(viewport=LAPTOP)
        page.add_init_script("localStorage.setItem('abut-hints', '1')")
        page.goto(address)
        until(page, lambda s: s["time"] > 0.5 and s["driving"])
        x, y = part(state(page), "bracket_left")["screen"]
        page.mouse.click(x, y)
        page.mouse.down()
        for up in range(0, 80, 8):
            page.mouse.move(x, y - up)
            time.sleep(0.05)
        until(page, lambda s: s["contacts"] > 50)
        time.sleep(2.0)
        image = Image.open(BytesIO(page.screenshot())).convert("RGB")
        page.mouse.up()
        page.close()
    return image


def beam_on_posts(folder):
    """A scene file: a block on a beam on two posts."""
    world = World(friction=0.5)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for name, x in (("left", -0.06), ("right", 0.06)):
        world.add_body(Solid.box((0.03, 0.06, 0.08)), name, pose=Pose((x, 0, 0.04)), density=2700.0)
    world.add_body(Solid.box((0.2, 0.05, 0.02)), "beam", pose=Pose((0, 0, 0.09)), density=2700.0)
    world.add_body(Solid.box((0.05, 0.04, 0.06)), "block", pose=Pose((0, 0, 0.13)), density=2700.0)
    save(Scene(world, 1.0), file := folder / "beam.toml")
    return file


def regions_page(browser, folder):
    """Contact regions with their forces, and what is said of the one under the mouse."""
    with playing(beam_on_posts(folder)) as address:
        page = browser.new_page(viewport=CALM)
        page.add_init_script("localStorage.setItem('abut-hints', '1')")
        page.goto(address)
        until(page, lambda s: s["frame"] > 0 and s["driving"])
        page.keyboard.press("t")
        page.keyboard.press("a")  # regions alone, without the forces of single contacts
        until(page, lambda s: len(s["regions"]) == 5 and s["time"] > 0.3)
        page.keyboard.press("Space")
        until(page, lambda s: s["paused"])
        time.sleep(1.0)
        told = next(region for region in state(page, seen=False)["regions"] if "of block" in region["text"])
        page.mouse.move(*told["screen"])
        page.locator(".region-label").wait_for(state="visible")
        image = _frame(page)
        page.close()
    return image


def _save(name, image):
    """Keep a picture, in 256 colours so that it is small."""
    image.quantize(256, dither=0).save(PICTURES / f"{name}.png", optimize=True)


def main():
    """Take them all."""
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for name, image in live_looks(browser):
            _save(name, image)
        _save(*replay_look(browser, Path(folder)))
        _save("play_assembly", taken_apart(browser))
        _save("regions_page", regions_page(browser, Path(folder)))
        first, *rest = taken_out_and_put_back(browser)
        options = {"duration": 90, "loop": 0, "quality": 60, "method": 4}
        first.save(PICTURES / "play_bolt.webp", save_all=True, append_images=rest, **options)


if __name__ == "__main__":
    main()
