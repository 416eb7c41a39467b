"""A run as an animated glTF scene: parts that move, and arrows where they push each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...geometry import Solid
from ..gltf import Track, save_glb
from ..runs import Run
from ..scene_run import FRAMES_PER_SECOND, soft_tracks
from ..soft_look import look_of

MOST_ARROWS = 200
LENGTH = 0.25
"""Of the longest arrow, as a share of the size of what moves."""


def save_animation(run: Run, folder: Path, slow: float) -> Path:
    """Write run.glb, `slow` times slower than nature."""
    frames = frame_places(run.times, FRAMES_PER_SECOND / slow)
    poses, world, tracks = run.all_poses[frames], run.first_world, list[Track]()
    for i, body in enumerate(world.bodies):
        if body.shape.bounded:
            still = bool((poses[:, i] == poses[0, i]).all())
            tracks.append(Track(body.name, body.shape, poses[:1, i] if still else poses[:, i]))
    specs = [soft._spec for soft in world.deformables]
    looks = [tuple(look_of(spec, run.nodes(spec.name)[k]) for spec in specs) for k in frames.tolist()]
    times = slow * (run.times[frames] - run.times[0])
    return save_glb(folder / "run.glb", [*tracks, *soft_tracks(looks), *_arrows(run, frames)], times)


def frame_places(times: Floats, rate: float, most: int | None = None) -> np.ndarray:
    """States to show at a rate [1/s], the first and the last among them."""
    length = float(times[-1] - times[0])
    n = max(2, round(length * rate) + 1)
    n = n if most is None else min(n, most)
    wanted = np.linspace(times[0], times[-1], n)
    places = np.searchsorted(times, wanted - 1e-12)
    return np.unique(np.minimum(places, len(times) - 1))


def _arrows(run: Run, frames: np.ndarray) -> list[Track]:
    """One arrow for each contact that is there at a time, as long as its force is large; hidden when it is not."""
    shown = run.contacts_of(frames)
    forces = [table["force"][:, None] * table["normal"] + table["friction"] for table in shown]
    largest = max((float(np.linalg.norm(force, axis=1).max(initial=0.0)) for force in forces), default=0.0)
    room = min(MOST_ARROWS, max((len(table) for table in shown), default=0))
    if room == 0 or largest == 0.0:
        return []
    shape, longest = _arrow(), LENGTH * _size(run)
    poses, scales = np.zeros((room, len(frames), 7)), np.zeros((room, len(frames), 3))
    poses[:, :, 3] = 1.0
    slots: dict[int, int] = {}
    for k, (table, force) in enumerate(zip(shown, forces, strict=True)):
        slots = _slots(slots, table["label"].tolist(), room)
        size = np.linalg.norm(force, axis=1)
        for label, point, f, length in zip(table["label"].tolist(), table["point"], force, size, strict=True):
            if label in slots and length > 0.0:
                # Square root: forces of very different size stay visible beside each other.
                poses[slots[label], k] = (*point, *_turn_to(f / length))
                scales[slots[label], k] = longest * np.sqrt(length / largest)
    return [Track(f"push {i}", shape, poses[i], "#c0392b", scales=scales[i]) for i in range(room)]


def _slots(before: dict[int, int], labels: list[int], room: int) -> dict[int, int]:
    """Arrows of contacts: those that go on keep theirs."""
    kept = {label: before[label] for label in labels if label in before}
    free = [i for i in range(room) if i not in kept.values()]
    return kept | dict(zip([label for label in labels if label not in kept], free, strict=False))


def _turn_to(direction: Floats) -> tuple[float, float, float, float]:
    """Quaternion w x y z that turns z to a unit vector."""
    x, y, z = direction.tolist()
    if z < -1.0 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    length = float(np.sqrt((1.0 + z) ** 2 + x * x + y * y))
    return (1.0 + z) / length, -y / length, x / length, 0.0


def _arrow() -> Solid:
    """An arrow of length 1 along z."""
    return Solid.revolve([(0, 0), (0.03, 0), (0.03, 0.7), (0.08, 0.7), (0, 1)], segments=16, name="push")


def _size(run: Run) -> float:
    sizes = [
        float(np.linalg.norm(body.shape.bounds[1] - body.shape.bounds[0]))
        for body in run.first_world.bodies
        if body.shape.bounded
    ]
    return max(sizes, default=1.0)
