"""Looks of the page that are kept in docs/pictures: how to come to each, and how much two pictures of it differ."""

import time
from pathlib import Path

import numpy as np
from PIL import Image

from abut import Run, scenes
from abut.app.play.export import write_page
from browser import part, playing, state, until

PICTURES = Path(__file__).parents[1] / "docs/pictures"
LAPTOP, TABLET = {"width": 1440, "height": 900}, {"width": 820, "height": 1180}
LIVE = {
    "play": {"viewport": LAPTOP, "color_scheme": "light"},
    "play_dark": {"viewport": LAPTOP, "color_scheme": "dark"},
    "play_tablet": {"viewport": TABLET, "color_scheme": "light", "has_touch": True},
}
CELL = 8
"""Pixels that are averaged before pictures are compared, so that fonts of other machines do not matter."""


def live_looks(browser):
    """Names and pictures of the live page: a peg over its hole, at rest."""
    with playing("peg_in_hole") as address:
        for name, options in LIVE.items():
            page = _page(browser, options)
            page.goto(address)
            until(page, lambda s: s["frame"] > 0 and s["driving"])
            if not state(page, seen=False)["paused"]:
                page.keyboard.press("Space")
            until(page, lambda s: s["paused"])
            page.keyboard.press("r")
            until(page, lambda s: s["time"] == 0.0)
            page.locator(".tree .name", has_text="peg").click()
            if name == "play_dark":
                page.keyboard.press("c")
            until(page, lambda s: part(s, "peg")["selected"])
            yield name, _taken(page)


def replay_look(browser, folder):
    """Name and picture of a replay at its end: a bolt in its seat, with forces."""
    scenes.make("countersunk").world.run(0.12, record=folder / "countersunk")
    file = write_page(Run(folder / "countersunk"), folder / "countersunk.html")
    page = _page(browser, {"viewport": LAPTOP, "color_scheme": "light"})
    page.goto(file.as_uri())
    until(page, lambda s: s["frame"] > 0)
    page.keyboard.press("Space")
    page.keyboard.press("c")
    page.get_by_role("slider", name="time").fill("0.12")
    until(page, lambda s: abs(s["time"] - 0.12) < 2e-3)
    return "play_replay", _taken(page)


def difference(one, other):
    """Mean and nearly largest difference of two pictures, of 255."""
    a, b = (np.asarray(_small(image), float) for image in (one, other))
    apart = np.abs(a - b).max(axis=2)
    return float(apart.mean()), float(np.percentile(apart, 99.0))


def _page(browser, options):
    page = browser.new_context(**options).new_page()
    page.add_init_script("localStorage.setItem('abut-hints', '1')")
    return page


def _taken(page):
    from io import BytesIO

    time.sleep(1.5)
    until(page, lambda s: s["sharp"])
    image = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.context.close()
    return image


def _small(image):
    return image.resize((image.width // CELL, image.height // CELL), Image.Resampling.BOX)
