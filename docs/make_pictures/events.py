"""Draw the pictures of docs/events.md: `python docs/make_pictures/events.py`.

events_orders.png     how far the stepping method and the method "impulse" are from the event method, by dt
events_timeline.png   what happens to a block that slides over an edge, in time
"""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont  # noqa: TID253
from rich.console import Console

from abut import HalfSpace, Pose, Solid, Sphere, StoppedError, World
from abut.app.draw.palette import srgb

CONSOLE = Console()
PICTURES = Path(__file__).parents[1] / "pictures"
STEPS = (16e-3, 8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)
"""[s] dt of the stepping method."""
PARTS_OF_FLIGHT = 16
"""Steps of the methods "event" and "impulse": their length changes nothing but rounding."""
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM, FINER = 900, 420, 90, 50, 230, 60, 2
"""[pixels]"""
DOTS = 40
"""Of a dotted line."""
INK, GRID = (40, 44, 52), (220, 223, 228)
KINDS = {"impact": "rust", "touch": "green", "slide_off": "amber", "break": "blue"}


def falling(method: str, dt: float) -> World:
    """A double pendulum, let go from the horizontal."""
    world = World(method=method, dt=dt)
    first = world.add_body(Solid.box((1.0, 0.1, 0.1)), "first", pose=Pose((0.5, 0.0, 0.0)))
    second = world.add_body(Solid.box((1.0, 0.1, 0.1)), "part", pose=Pose((1.5, 0.0, 0.0)))
    world.add_joint("hinge", first, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("hinge", second, first, anchor=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return world


def bouncing(method: str, dt: float) -> World:
    """Balls that bounce, from several heights: where in a step they touch is a matter of chance."""
    world = World(method=method, dt=dt, restitution=0.8)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for i in range(12):
        world.add_body(Sphere(0.1), f"part {i}", pose=Pose((0.3 * i, 0.0, 0.4 + 0.0137 * i)))
    return world


def sliding(method: str, dt: float) -> World:
    """A block that slides over the edge of a table, at 0.5 m, and tips."""
    world = World(method=method, dt=dt)
    world.add_body(Solid.box((1.0, 1.0, 0.1)), "table", fixed=True, pose=Pose((0.0, 0.0, -0.05)))
    block = world.add_body(Solid.box((0.2, 0.2, 0.1)), "part", pose=Pose((0.3, 0.0, 1.0)), velocity=(0.5, 0.0, 0.0))
    block.pose = Pose((0.3, 0.0, 0.05 + world.contact_gap))
    return world


SCENES: dict[str, tuple[Callable[[str, float], World], float, str]] = {
    "double pendulum": (falling, 0.96, "blue"),
    "bouncing balls": (bouncing, 0.96, "rust"),
    "block over an edge": (sliding, 0.512, "green"),
}


def place(world: World, duration: float) -> np.ndarray:
    """Where the parts are then, scaled so that lengths of differences are root mean squares."""
    for _ in range(round(duration / world.dt)):
        world.step()
    parts = [body.pose.position for body in world.bodies if body.name.startswith("part")]
    return np.sqrt(len(parts)) ** -1 * np.array(parts)


class Found(NamedTuple):
    """Distances of a scene from where the event method places its parts."""

    errors: list[float]
    """[m] of the stepping method, by dt."""
    order: float
    """Of convergence, over the last halvings."""
    flying: float | None
    """[m] of the method "impulse"; None where it stops."""


def orders() -> dict[str, Found]:
    """What is found of each scene."""
    found = {}
    for name, (make, duration, _) in SCENES.items():
        exact = place(make("event", duration / PARTS_OF_FLIGHT), duration)
        errors = [float(np.linalg.norm(place(make("ncp", dt), duration) - exact)) for dt in STEPS]
        order = float(np.polyfit(np.log(STEPS[2:]), np.log(errors[2:]), 1)[0])
        found[name] = Found(errors, order, flying(make, duration, exact))
        told = " ".join(f"{error:.1e}" for error in errors)
        CONSOLE.print(f"{name}: order {order:.2f}, errors {told}; impulse {found[name].flying}")
    return found


def flying(make: Callable[[str, float], World], duration: float, exact: np.ndarray) -> float | None:
    """[m] how far the method "impulse" is from the event method, in steps of the same length; None where it stops."""
    try:
        return float(np.linalg.norm(place(make("impulse", duration / PARTS_OF_FLIGHT), duration) - exact))
    except StoppedError as stopped:
        CONSOLE.print(str(stopped))
        return None


class Chart:
    """A plot over two axes, drawn at twice its size."""

    def __init__(self, title: str, x: tuple[float, float], y: tuple[float, float], height: int = HEIGHT) -> None:
        self._x, self._y, self._height = x, y, height
        self._image = Image.new("RGB", (FINER * WIDTH, FINER * height), "white")
        self._draw = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(13 * FINER)
        self.text(LEFT, 14, title)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point."""
        across = (x - self._x[0]) / (self._x[1] - self._x[0])
        up = (y - self._y[0]) / (self._y[1] - self._y[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), self._height - BOTTOM - up * (self._height - TOP - BOTTOM)

    def text(self, x: float, y: float, words: str, colour: tuple[int, int, int] = INK) -> None:
        """Write from here on."""
        self._draw.text((FINER * x, FINER * y), words, colour, self._font)

    def line(self, points: list[tuple[float, float]], colour: tuple[int, int, int], width: int = 1) -> None:
        """Draw from point to point."""
        self._draw.line([(FINER * x, FINER * y) for x, y in points], colour, width * FINER)

    def dot(self, x: float, y: float, colour: tuple[int, int, int], radius: int = 4) -> None:
        """A dot here."""
        box = [(FINER * (x - radius), FINER * (y - radius)), (FINER * (x + radius), FINER * (y + radius))]
        self._draw.ellipse(box, colour)

    def save(self, name: str) -> None:
        """Write it beside the page."""
        self._image.resize((WIDTH, self._height), Image.Resampling.LANCZOS).save(PICTURES / f"{name}.png")


def colour_of(name: str) -> tuple[int, int, int]:
    """Of the palette."""
    red, green, blue = (int(channel) for channel in (255.0 * srgb("colour", name)).round())
    return red, green, blue


def draw_orders() -> None:
    """Distances from the event method over dt; of the method "impulse", one level, dotted."""
    found = orders()
    lowest = min(min((*of.errors, of.flying or 1.0)) for of in found.values())
    top, bottom = -1.0, float(np.floor(log10(lowest)))
    chart = Chart("distance from the event method [m], by dt of method 'ncp'", (-3.7, -1.7), (bottom, top))
    for exponent in range(int(bottom), int(top) + 1):
        chart.line([chart.at(-3.7, exponent), chart.at(-1.7, exponent)], GRID)
        if (exponent - int(top)) % 2 == 0:
            chart.text(30, chart.at(-3.7, exponent)[1] - 8, f"1e{exponent}")
    for dt in STEPS:
        x, y = chart.at(log10(dt), bottom)
        chart.text(x - 16, y + 8, f"{1e3 * dt:g} ms")
    for row, (name, of) in enumerate(found.items()):
        colour = colour_of(SCENES[name][2])
        points = [chart.at(log10(dt), log10(error)) for dt, error in zip(STEPS, of.errors, strict=True)]
        chart.line(points, colour, 2)
        for point in points:
            chart.dot(*point, colour)
        told = "stops" if of.flying is None else f"{of.flying:.1g} m"
        chart.text(WIDTH - RIGHT + 14, TOP + 66 * row, f"{name}\nncp: order {of.order:.2f}\nimpulse: {told}", colour)
        if of.flying:
            for x in np.linspace(-3.65, -1.75, DOTS):
                chart.dot(*chart.at(float(x), log10(of.flying)), colour, 2)
    chart.save("events_orders")


def draw_timeline() -> None:
    """Events of one scene over time."""
    world = sliding("event", 0.05)
    place(world, 0.8)
    chart = Chart("a block slides over the edge of a table", (0.0, 0.8), (0.0, 1.0), 260)
    chart.line([chart.at(0.0, 0.0), chart.at(0.8, 0.0)], INK)
    for tenth in range(9):
        x, y = chart.at(0.1 * tenth, 0.0)
        chart.line([(x, y), (x, y + 5)], INK)
        chart.text(x - 14, y + 10, f"{0.1 * tenth:.1f} s")
    for row, (kind, name) in enumerate(KINDS.items()):
        colour, level = colour_of(name), 0.85 - 0.2 * row
        chart.line([chart.at(0.0, level), chart.at(0.8, level)], GRID)
        chart.text(WIDTH - RIGHT + 14, chart.at(0.0, level)[1] - 8, kind, colour)
        for event in world.events:
            if event.kind == kind:
                chart.dot(*chart.at(event.time, level), colour, 5)
    chart.save("events_timeline")


if __name__ == "__main__":
    draw_timeline()
    draw_orders()
