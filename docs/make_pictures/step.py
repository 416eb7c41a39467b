"""Draw the timing diagram of docs/step.md, docs/pictures/step_timing.png: `python docs/make_pictures/step.py`.

Every scene is run several times. Its steps are the same each time, so the least time that a phase of a step took is
the one without interruptions by other programs.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont  # noqa: TID253
from rich.progress import track

from abut.app.draw import save_png
from abut.app.draw.palette import srgb
from abut.scene import scenes

PICTURES = Path(__file__).parents[1] / "pictures"
SCENES = ("driver", "peg_in_hole", "radio", "gears", "stack", "chain", "slider_crank", "arch", "nut_on_bolt")
PHASES = {"predict": "sky", "solve": "blue", "check": "amber", "admit": "rust", "advance": "green", "other": "steel"}
"""In the order of a step, with their colours; the last is what lies between them."""
RUNS, STEPS = 3, 400

WIDTH, ROW, BAR, TOP, LEFT, RIGHT = 900, 34, 22, 56, 120, 210
"""[pixels]"""
FINER = 2


def measure(name: str) -> tuple[dict[str, float], float]:
    """Seconds of a mean step in each phase, and rounds."""
    runs = [run(name) for _ in range(RUNS + 1)][1:]  # what the first one has to load does not count
    least = np.min([seconds for seconds, _ in runs], axis=0)
    return dict(zip(PHASES, least.mean(axis=0), strict=True)), runs[0][1]


def run(name: str) -> tuple[np.ndarray, float]:
    """(n_step, n_phase) seconds, and rounds of a mean step."""
    scene = scenes.make(name)
    world = scene.world
    scene.step()  # which prepares the bodies
    rows, rounds = [], []
    for _ in range(min(STEPS, round(scene.duration / world.dt)) - 1):
        if scene.drive is not None:
            scene.drive(world, world.time)
        start = time.perf_counter()
        report = world.step()
        whole = time.perf_counter() - start
        if report.rounds == 0:  # all bodies sleep
            continue
        phases = [report.seconds.get(phase, 0.0) for phase in list(PHASES)[:-1]]
        rows.append([*phases, whole - sum(phases)])
        rounds.append(report.rounds)
    return np.array(rows), float(np.mean(rounds))


def diagram(measured: dict[str, tuple[dict[str, float], float]]) -> np.ndarray:
    """One bar per scene, as long as its step, with the phases in their order."""
    height = TOP + ROW * len(measured) + 14
    picture = Image.new("RGB", (FINER * WIDTH, FINER * height), "white")
    pen = ImageDraw.Draw(picture)
    words, small = (ImageFont.load_default(FINER * size) for size in (14, 11))
    x = LEFT
    for phase, colour in PHASES.items():
        pen.rectangle(box(x, 16, 14, 14), rgb(colour))
        pen.text((FINER * (x + 20), FINER * 23), phase, rgb("ink"), words, "lm")
        x += 20 + int(pen.textlength(phase, words)) // FINER + 22
    for row, (name, (seconds, rounds)) in enumerate(measured.items()):
        y, whole = TOP + ROW * row, sum(seconds.values())
        pen.text((FINER * (LEFT - 10), FINER * (y + BAR / 2)), name, rgb("ink"), words, "rm")
        bar(pen, y, seconds, small)
        figures = f"{1e3 * whole:.2f} ms, {rounds:.2f} rounds"
        pen.text((FINER * (WIDTH - RIGHT + 12), FINER * (y + BAR / 2)), figures, rgb("ink"), words, "lm")
    return np.asarray(picture.resize((WIDTH, height), Image.Resampling.LANCZOS)).copy()


def bar(pen: ImageDraw.ImageDraw, y: float, seconds: dict[str, float], font: ImageFont.ImageFont) -> None:
    """The phases of a step side by side, with their share where there is room for it."""
    x, whole = float(LEFT), sum(seconds.values())
    for phase, spent in seconds.items():
        width = spent / whole * (WIDTH - LEFT - RIGHT)
        pen.rectangle(box(x, y, width, BAR), rgb(PHASES[phase]))
        if width > 30.0:
            share = f"{100.0 * spent / whole:.0f} %"
            pen.text((FINER * (x + width / 2), FINER * (y + BAR / 2)), share, "white", font, "mm")
        x += width


def box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Corners of a rectangle in the enlarged picture."""
    return FINER * x, FINER * y, FINER * (x + width), FINER * (y + height)


def rgb(colour: str) -> tuple[int, ...]:
    """A colour of the palette."""
    return tuple(int(v) for v in (255.0 * srgb("colour", colour)).round())


def main() -> None:
    """Measure and draw."""
    measured = {name: measure(name) for name in track(SCENES, "scenes")}
    save_png(PICTURES / "step_timing.png", diagram(measured), colours=64)


if __name__ == "__main__":
    main()
