"""A recorded run as one file that any browser shows, offline: the page of `abut play` with the record inside it."""

from __future__ import annotations

import base64
import gzip
import struct
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...dynamics import World
from ...dynamics.soft.soft_measure import node_stress, stress_of
from ...errors import AbutError, FileError, InputError
from ...geometry import Shape
from ...scene.scenes import View
from ..runs import Run
from .frame import centre_rows, frame
from .marks import marks_of
from .recorded_regions import SECONDS, Told, recorded_regions
from .region_rows import region_rows
from .scene_message import extent, scene_message
from .server import PAGE
from .soft_rows import soft_block, soft_of_world

FRAMES = 60.0
"""A second of simulated time, at most."""
MOST_FRAMES = 3000
"""Of a record; a longer run is shown with longer steps."""
ROAMS = 3.0
"""Sizes of a scene: a motion that goes farther is not fitted into the picture."""
STATUS: dict[str, Any] = {
    "paused": False,
    "speed": 1.0,
    "pace": 1.0,
    "hand": "normal",
    "held": None,
    "energy": 0.0,
    "undo": 0,
    "redo": 0,
    "gravity": 1.0,
    "friction": 0.0,
    "method": "",
    "driven": False,
    "problem": "",
    "said": "",
    "overlapping": [],
    "givenUp": 0.0,
    "stuck": [],
    "phase": "",
    "measured": None,
    "regions": None,
}
"""What a record does not know."""


def page_of_run(run: Run, regions: float | None = SECONDS) -> str:
    """HTML of a page that shows a run, with contact regions as far as so many seconds suffice; None: with all."""
    return page_of(record_of(run, regions))


def page_of(record: bytes) -> str:
    """HTML of a page that shows a record."""
    data = base64.b64encode(gzip.compress(record, mtime=0)).decode()
    page = PAGE.read_text(encoding="utf-8")
    script = f'<script type="application/abut-record" id="abut-record">{data}</script>'
    before, mark, after = page.rpartition("</body>")
    return f"{before}{script}{mark}{after}"


def seconds_for(wanted: bool | None) -> float | None:
    """[s] that may be spent on contact regions, where all are wanted, or none, or nobody says."""
    return SECONDS if wanted is None else None if wanted else 0.0


def record_of(run: Run, regions: float | None = SECONDS) -> bytes:
    """A scene and its frames, each with its length before it."""
    times = run.times
    if len(times) == 0:
        raise InputError(f"{run.folder.path}: holds no states to show")
    shown = chosen_states(times)
    poses = _with_soft(run, run.all_poses)
    top = max((float(run.stress(name).max()) for name in run.soft_bodies), default=None)
    title, found = str(run.info.get("title") or run.folder.path.name), recorded_regions(run, shown, regions)
    note = "; ".join(text for text in (run.lost, found.note) if text)
    about = {
        **_about(title, note),
        "marks": marks_of(run),
        "stressTop": top,
        "roam": _roamed(run, poses[shown]),
        "regions": any(found.rows),
    }
    frames = _frames(run, times, poses, shown, found.rows)
    return _packed([scene_message(run.first_world, run.view, about), *frames])


def _roamed(run: Run, poses: Floats) -> list[list[float]] | None:
    """Corners of the box [m] in which all motion is, where it is not much larger than the scene was at the start."""
    bodies = run.first_world.bodies
    points = [_swept(body.shape, poses[:, k]) for k, body in enumerate(bodies) if body.shape.bounded]
    points += [run.nodes(soft.name).reshape(-1, 3) for soft in run.first_world.deformables]
    if not points:
        return None
    low, high = (
        np.min([each.min(axis=0) for each in points], axis=0),
        np.max([each.max(axis=0) for each in points], axis=0),
    )
    wide = float(np.linalg.norm(high - low)) > ROAMS * extent(run.first_world)[1]
    return None if wide else [low.tolist(), high.tolist()]


def _swept(shape: Shape, poses: Floats) -> Floats:
    """(8 n, 3) corners of the box around a shape, at n poses."""
    q, corners = poses[:, 3:], np.array(list(product(*zip(*shape.bounds, strict=True))))
    # Twice the cross product with the vector of the quaternion, and with what that gives, turn a point.
    twice = 2.0 * np.cross(q[:, None, 1:], corners)
    turned = corners + q[:, None, :1] * twice + np.cross(q[:, None, 1:], twice)
    return np.asarray((turned + poses[:, None, :3]).reshape(-1, 3))


def record_of_world(world: World, title: str, overlapping: Sequence[str] = ()) -> bytes:
    """A world as it is now: its scene and one frame."""
    contacts = world.contacts
    gap = float(contacts["gap"].min()) if len(contacts) else None
    energy = float(world.energy) if world.bodies or world.deformables else 0.0
    told = {"gap": gap, "energy": energy, "overlapping": list(overlapping), "regions": _regions_of(world)}
    status = {**STATUS, "paused": True, **told}
    shapes = [body.shape for body in world.bodies]
    soft = soft_of_world(world, *extent(world))
    now = frame(world.time, centre_rows(world), contacts, 1, status, shapes, soft)
    about = {**_about(title), "regions": bool(status["regions"])}
    return _packed([scene_message(world, View(), about), now])


def _regions_of(world: World) -> list[dict[str, Any]] | None:
    """None where a world has none, because it cannot be stepped as it is."""
    try:
        return region_rows(world)
    except AbutError:
        return None


def _about(title: str, note: str = "") -> dict[str, Any]:
    empty = {"sentence": "", "hint": "", "drivable": False, "refittable": False, "methods": [], "choices": []}
    return {"title": title, "note": note, **empty}


def _packed(messages: Sequence[bytes]) -> bytes:
    return b"".join(struct.pack("<I", len(message)) + message for message in messages)


def chosen_states(times: Floats) -> Ints:
    """Numbers of the states that are shown: the first, the last, and no more than FRAMES a second between them."""
    apart = max(1.0 / FRAMES, float(times[-1] - times[0]) / MOST_FRAMES)
    apart = min(apart, max(float(times[-1] - times[0]) / 240.0, 1e-12))  # short runs are shown in slow motion
    slot = np.floor((times - times[0]) / apart * (1.0 + 1e-12))
    first = np.concatenate(([True], slot[1:] != slot[:-1]))
    first[-1] = True
    return np.flatnonzero(first).astype(np.int32)


def _frames(run: Run, times: Floats, poses: Floats, shown: Ints, regions: Sequence[Told]) -> list[bytes]:
    shapes, place = [body.shape for body in run.first_world.bodies], extent(run.first_world)
    energy, made = _energy(run), []
    for k, (state, now) in enumerate(zip(shown.tolist(), run.contacts_of(shown), strict=True)):
        gap = float(now["gap"].min()) if len(now) else None
        status = {**STATUS, "gap": gap, "energy": float(energy[state]), "regions": regions[k]}
        made.append(frame(float(times[state]), poses[state], now, k, status, shapes, _soft(run, state, place)))
    return made


def _energy(run: Run) -> Floats:
    """(n,) [J] of motion, weight and strain, one a state; nothing where it is not finite."""
    strain = sum((run.strain_energy(name) for name in run.soft_bodies), np.zeros(len(run.times)))
    return np.nan_to_num(run.kinetic_energy() + run.potential_energy() + strain, posinf=0.0, neginf=0.0)


def _with_soft(run: Run, poses: Floats) -> Floats:
    """Poses with those of soft bodies behind them: their centres of mass, not turned."""
    more = []
    for soft in run.first_world.deformables:
        rows, masses = np.tile((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (len(poses), 1)), soft._body.masses
        rows[:, :3] = masses @ run.nodes(soft.name) / masses.sum()
        more.append(rows)
    return np.concatenate((poses, np.stack(more, axis=1)), axis=1) if more else poses


def _soft(run: Run, state: int, place: tuple[Floats, float]) -> bytes:
    specs = [soft._spec for soft in run.first_world.deformables]
    nodes = [run.nodes(spec.name)[state] for spec in specs]
    stresses = [node_stress(spec, stress_of(spec, table)) for spec, table in zip(specs, nodes, strict=True)]
    return soft_block(nodes, stresses, *place)


def write_page(run: Run, out: Path, regions: float | None = SECONDS) -> Path:
    """Write the page of a run to a file; `regions` as in `page_of_run`."""
    content = page_of_run(run, regions)
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{out}: cannot be written ({error.strerror}); name another file with --out") from error
    return out
