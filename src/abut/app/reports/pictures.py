"""Pictures of moments of a run, through the renderer that needs no graphics card."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ...scene.scenes.scene import Scene
from ..draw import Camera, Image
from ..runs import Run
from ..scene_run import Moment, camera_for
from ..scene_run import pictures as pictures_of
from ..soft_look import SoftLook, look_of
from .end_regions import last_world


def scene_of(run: Run) -> Scene:
    """The world with which a run began, looked at as its scene file says."""
    return Scene(run.first_world, 0.0, None, run.view)


def moments(run: Run, n: int) -> list[Moment]:
    """States of a run, evenly in time, the first and the last among them."""
    return moments_at(run, np.unique(np.linspace(0, len(run) - 1, n).round().astype(int)))


def moments_at(run: Run, states: ArrayLike) -> list[Moment]:
    """Some states of a run, by their numbers."""
    chosen = np.asarray(states, np.int64)
    tables = zip(run.times[chosen].tolist(), run.all_poses[chosen], run.contacts_of(chosen), strict=True)
    soft = [_soft(run, state) for state in chosen.tolist()]
    return [Moment(*table, None, looks) for table, looks in zip(tables, soft, strict=True)]


def _soft(run: Run, state: int) -> tuple[SoftLook, ...]:
    """Soft bodies in a state."""
    return tuple(look_of(soft._spec, run.nodes(soft.name)[state]) for soft in run.first_world.deformables)


def at_the_end(run: Run, shown: list[Moment]) -> list[Moment]:
    """The same moments, the last one with the contact regions of the end, where the world of the end was kept."""
    world = last_world(run)
    if world is None or not shown or world.deformables:
        return shown
    return [*shown[:-1], replace(shown[-1], regions=world.regions)]


def pictures(run: Run, shown: list[Moment], size: tuple[int, int]) -> list[Image]:
    """Pictures of moments, all from one place."""
    scene = scene_of(run)
    camera: Camera = camera_for(scene, shown, size)
    return pictures_of(scene, shown, camera, size)


def as_data(image: Image) -> str:
    """A picture as an address that holds it."""
    from PIL import Image as pil

    stream = io.BytesIO()
    pil.fromarray(image).save(stream, "WEBP", quality=88)
    return "data:image/webp;base64," + base64.b64encode(stream.getvalue()).decode()


def page_file(name: str) -> str:
    """A file of the page: style, script, library."""
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")
