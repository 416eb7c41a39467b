"""Scenes of the Factory assembly parts (Narang et al., Factory: Fast Contact for Robotic Assembly, 2022).

Meshes are in metres with the axis along z. A bolt and its nut share a frame, in which the nut, raised by twice the
pitch, sits free on the thread. A peg stands on z = 0, as does the plate with its hole.
"""

from __future__ import annotations

from math import radians
from pathlib import Path

from ...dynamics import World
from ...errors import InputError
from ...geometry import Solid
from ...math import Pose
from ..scenes import Scene, View

DENSITY = 8000.0
"""[kg/m^3] of all parts."""
PLATE, PEG = 8.992e-3, 50e-3
"""[m] Height of the plates and length of the pegs."""
M16_PITCH = 2e-3
"""[m]."""


def factory_peg(
    folder: str | Path,
    peg: str = "round_peg_8mm_tight",
    *,
    tilt: float = radians(3.0),
    offset: float = 2e-4,
    speed: float = 0.2,
    dt: float = 1e-3,
) -> Scene:
    """A hand that holds a peg tilted and beside the axis pushes it through the hole of its plate, and yields.

    `tilt` [rad] and `offset` [m] of the hand all the way, `speed` [m/s] along it.
    """
    hole = peg.replace("peg", "hole").removesuffix("_tight").removesuffix("_loose")
    world = World(dt=dt)
    world.add_body(_load(folder, hole), "plate", fixed=True)
    top = PLATE + 1e-3
    askew = Pose.from_rotvec((offset, -0.5 * offset, 0.0), (tilt, 0.5 * tilt, 0.3 * tilt))
    body = world.add_body(_load(folder, peg), "peg", pose=Pose((0.0, 0.0, top)) @ askew, density=DENSITY)

    def drive(_world: World, time: float) -> None:
        z = max(top - speed * time, -0.5 * PEG)
        body.grab(Pose((0.0, 0.0, z)) @ askew, stiffness=500.0, angular_stiffness=5.0, max_force=10.0)

    return Scene(world, (top + 0.5 * PEG) / speed + 0.1, drive, View(azimuth=25.0, elevation=20.0, cut=("plate",)))


def factory_nut(
    folder: str | Path, fit: str = "loose", *, turns: float = 1.0, torque: float = 0.0, dt: float = 1e-3
) -> Scene:
    """An M16 nut spins down the thread of its bolt by its weight alone, without friction.

    `turns` above the lowest position on the thread at the start; `torque` [N m] about the axis drives it down.
    """
    world = World(dt=dt)
    world.add_body(_load(folder, f"bolt_m16_{fit}"), "bolt", fixed=True)
    start = Pose.from_rotvec((0.0, 0.0, M16_PITCH * (2.0 + turns)), (0.0, 0.0, radians(360.0) * (turns % 1.0)))
    nut = world.add_body(_load(folder, f"nut_m16_{fit}"), "nut", pose=start, density=DENSITY)

    def drive(_world: World, _time: float) -> None:
        nut.apply_torque((0.0, 0.0, -torque))

    return Scene(world, 0.5, drive, View(azimuth=25.0, elevation=20.0, cut=("nut",)))


def _load(folder: str | Path, part: str) -> Solid:
    """A part by its name, with the T-junctions of its subdivision healed."""
    found = sorted((Path(folder) / "mesh").glob(f"factory_{part}*.obj"))
    if not found:
        raise InputError(f"folder: there is no part {part!r} of Factory in {folder}")
    return Solid.load(found[0], unit="m", repair=True)
