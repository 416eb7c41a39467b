"""A recorded run as one file that any browser shows, offline: the page of `abut play` with the record inside it."""

from __future__ import annotations

import base64
import gzip
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...dynamics import World
from ...dynamics.soft.soft_measure import node_stress, stress_of
from ...errors import FileError, InputError
from ...scene.scenes import View
from ..runs import Run
from .frame import centre_rows, frame
from .marks import marks_of
from .scene_message import extent, scene_message
from .server import PAGE
from .soft_rows import soft_block, soft_of_world

FRAMES = 60.0
"""A second of simulated time, at most."""
MOST_FRAMES = 3000
"""Of a record; a longer run is shown with longer steps."""
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
}
"""What a record does not know."""


def page_of_run(run: Run) -> str:
    """HTML of a page that shows a run."""
    return page_of(record_of(run))


def page_of(record: bytes) -> str:
    """HTML of a page that shows a record."""
    data = base64.b64encode(gzip.compress(record, mtime=0)).decode()
    page = PAGE.read_text(encoding="utf-8")
    script = f'<script type="application/abut-record" id="abut-record">{data}</script>'
    before, mark, after = page.rpartition("</body>")
    return f"{before}{script}{mark}{after}"


def record_of(run: Run) -> bytes:
    """A scene and its frames, each with its length before it."""
    times = run.times
    if len(times) == 0:
        raise InputError(f"{run.folder.path}: holds no states to show")
    shown = chosen_states(times)
    poses = _with_soft(run, run.all_poses)
    top = max((float(run.stress(name).max()) for name in run.soft_bodies), default=None)
    title = str(run.info.get("title") or run.folder.path.name)
    return _packed(
        [
            scene_message(
                run.first_world, run.view, {**_about(title, run.lost), "marks": marks_of(run), "stressTop": top}
            ),
            *_frames(run, times, poses, shown),
        ]
    )


def record_of_world(world: World, title: str, overlapping: Sequence[str] = ()) -> bytes:
    """A world as it is now: its scene and one frame."""
    contacts = world.contacts
    gap = float(contacts["gap"].min()) if len(contacts) else None
    status = {**STATUS, "paused": True, "gap": gap, "overlapping": list(overlapping)}
    shapes = [body.shape for body in world.bodies]
    soft = soft_of_world(world, *extent(world))
    now = frame(world.time, centre_rows(world), contacts, 1, status, shapes, soft)
    return _packed([scene_message(world, View(), _about(title)), now])


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


def _frames(run: Run, times: Floats, poses: Floats, shown: Ints) -> list[bytes]:
    shapes, place = [body.shape for body in run.first_world.bodies], extent(run.first_world)
    made = []
    for k, (state, now) in enumerate(zip(shown.tolist(), run.contacts_of(shown), strict=True)):
        status = {**STATUS, "gap": float(now["gap"].min()) if len(now) else None}
        made.append(frame(float(times[state]), poses[state], now, k, status, shapes, _soft(run, state, place)))
    return made


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


def write_page(run: Run, out: Path) -> Path:
    """Write the page of a run to a file."""
    content = page_of_run(run)
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{out}: cannot be written ({error.strerror}); name another file with --out") from error
    return out
