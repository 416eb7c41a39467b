"""Two soft spheres that collide, abut beside MuJoCo flex: time of a step in contact, and overlap.

Spheres of 0.1 m radius, 2,496 tetrahedra, Young's modulus 1e5 Pa, Poisson's ratio 0.4, density 1000 kg/m^3, 2 m/s
towards each other, 10 mm off their line of centres. abut's carry skins of 5,040 triangles, MuJoCo's touch with the
surfaces of their cages.
Times are processor time of this one process. Overlap is counted by one judge for all: the most vertices of one surface
that are inside the other at the end of a step. ABUT_SOFT="abut" chooses the engines.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .worlds import markdown

RADIUS, SPEED, OFF, SPACE = 0.1, 1.0, 0.01, 0.024
CELL, SEGMENTS = 0.03, 72
YOUNG, POISSON, DENSITY = 1e5, 0.4, 1000.0
SECONDS = 0.25
STEPS = {"abut": (5e-3, 1 / 60), "MuJoCo": (5e-3,)}
"""[s] with which each engine is run."""


@dataclass
class Seen:
    """What a run was."""

    free: list[float] = field(default_factory=list)
    touching: list[float] = field(default_factory=list)
    """[s] of steps without and with contact."""
    inside: int = 0
    """The most vertices inside the other sphere at the end of any step looked at."""
    momentum: float = 0.0
    """Largest change, over mass times speed."""
    rebound: float = 0.0
    """Kinetic energy at the end over that at the start."""
    note: str = ""


def places() -> np.ndarray:
    """(2, 3) centres."""
    d = np.sqrt((2.0 * RADIUS) ** 2 - OFF**2) + SPACE
    return np.array(((-d / 2, -OFF / 2, 0.0), (d / 2, OFF / 2, 0.0)))


def cage() -> Any:
    """The tetrahedra that all engines get, and abut's skin."""
    import abut

    part = abut.Solid.sphere(RADIUS, segments=SEGMENTS)
    return part, abut.fem.TetMesh.from_solid(part, CELL)


def judge(surfaces: list[tuple[np.ndarray, np.ndarray]], seen: Seen) -> None:
    """Count vertices of each surface inside the other one."""
    import abut

    parts = [abut.Solid(vertices, triangles) for vertices, triangles in surfaces]
    for mine, other in (parts, parts[::-1]):
        seen.inside = max(seen.inside, int(abut.contains(other, mine.vertices).sum()))


def run_abut(dt: float) -> Seen:
    """With embedded skins."""
    import abut

    part, mesh = cage()
    seen = Seen()
    for _ in range(2):  # the first run compiles
        world = abut.World(gravity=(0, 0, 0), dt=dt)
        for name, place, side in zip("ab", places(), (1, -1), strict=True):
            material = {"young": YOUNG, "poisson": POISSON, "density": DENSITY}
            world.add_deformable(
                mesh, name, surface=part, pose=abut.Pose(place), velocity=(side * SPEED, 0, 0), **material
            )
        seen, before, energy = Seen(), world.momentum[0], world.kinetic_energy
        for i in range(round(SECONDS / dt)):
            begin = time.process_time()
            report = world.step()
            took = time.process_time() - begin
            (seen.touching if report.contacts else seen.free).append(took)
            if report.contacts and i % max(1, round(2e-3 / dt)) == 0:
                judge([(b.vertices, b.triangles) for b in world.deformables], seen)
            if report.time_given_up:
                seen.note = "time given up"
        mass = world.deformables[0].mass * SPEED
        seen.momentum = float(np.abs(world.momentum[0] - before).max() / mass)
        seen.rebound = world.kinetic_energy / energy
    return seen


def msh(path: Path, mesh: Any) -> None:
    """The cage as a Gmsh file of version 2.2."""
    nodes = "\n".join(f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(mesh.nodes.tolist()))
    cells = "\n".join(
        f"{i + 1} 4 2 0 1 {' '.join(str(v + 1) for v in row)}" for i, row in enumerate(mesh.tetrahedra.tolist())
    )
    n, m = len(mesh.nodes), len(mesh.tetrahedra)
    path.write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
        f"$Nodes\n{n}\n{nodes}\n$EndNodes\n$Elements\n{m}\n{cells}\n$EndElements\n"
    )


def run_mujoco(dt: float) -> Seen:
    """Flex bodies of the same cages, conjugate gradients."""
    import mujoco

    _, mesh = cage()
    with tempfile.TemporaryDirectory() as folder:
        msh(Path(folder) / "cage.msh", mesh)
        mass = mesh.volume * DENSITY
        bodies = "".join(
            f'<flexcomp name="{name}" type="gmsh" file="cage.msh" dim="3" pos="{x} {y} {z}" mass="{mass}" '
            f'radius="0.0005">'
            f'<elasticity young="{YOUNG}" poisson="{POISSON}"/><contact selfcollide="none"/></flexcomp>'
            for name, (x, y, z) in zip("ab", places(), strict=True)
        )
        text = (
            f'<mujoco><option timestep="{dt}" gravity="0 0 0" solver="CG" tolerance="1e-6" '
            f'integrator="discrete"/><size memory="500M"/>'
            f"<worldbody>{bodies}</worldbody></mujoco>"
        )
        path = Path(folder) / "scene.xml"
        path.write_text(text)
        model = mujoco.MjModel.from_xml_path(str(path))
    data, n = mujoco.MjData(model), len(mesh.nodes)
    data.qvel.reshape(-1, 3)[:n, 0], data.qvel.reshape(-1, 3)[n:, 0] = SPEED, -SPEED
    seen, faces = Seen(), np.asarray(mesh.boundary)
    weight = np.array([model.body_mass[model.flex_vertbodyid[i]] for i in range(2 * n)])
    start = (weight[:, None] * data.qvel.reshape(-1, 3)).sum(axis=0)
    energy = 0.5 * float((weight[:, None] * data.qvel.reshape(-1, 3) ** 2).sum())
    for i in range(round(SECONDS / dt)):
        begin = time.process_time()
        mujoco.mj_step(model, data)
        took = time.process_time() - begin
        (seen.touching if data.ncon else seen.free).append(took)
        if data.ncon and i % max(1, round(2e-3 / dt)) == 0:
            x = np.array(data.flexvert_xpos)
            judge([_skin(x[:n], faces), _skin(x[n:], faces)], seen)
    v = data.qvel.reshape(-1, 3)
    seen.momentum = float(np.abs((weight[:, None] * v).sum(axis=0) - start).max() / (mass * SPEED))
    seen.rebound = 0.5 * float((weight[:, None] * v**2).sum()) / energy
    return seen


def _skin(nodes: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    used, triangles = np.unique(faces, return_inverse=True)
    return nodes[used], triangles.reshape(-1, 3)


ENGINES = {"abut": run_abut, "MuJoCo": run_mujoco}
PACKAGE = {"MuJoCo": "mujoco"}


def run(console: Any) -> None:
    """All engines that are installed, one after the other in this process."""
    chosen = os.environ.get("ABUT_SOFT", " ".join(ENGINES)).split()
    rows = []
    for name in chosen:
        if name in PACKAGE and find_spec(PACKAGE[name]) is None:
            continue
        for dt in STEPS[name]:
            seen = ENGINES[name](dt)
            touching, free = np.array(seen.touching or [np.nan]), np.array(seen.free or [np.nan])
            mean = (touching.sum() + free.sum()) / (len(touching) + len(free))
            rows.append(
                (
                    name,
                    f"{1e3 * dt:.3g}",
                    f"{1e3 * np.median(free):.1f}",
                    f"{1e3 * touching.mean():.1f}",
                    f"{1e3 * touching.max():.1f}",
                    f"{dt / mean:.2f}",
                    str(seen.inside),
                    f"{seen.momentum:.0e}",
                    f"{seen.rebound:.2f}",
                    seen.note,
                )
            )
    head = (
        "engine",
        "dt ms",
        "free ms",
        "contact ms",
        "worst ms",
        "x real time",
        "vertices inside",
        "momentum",
        "rebound",
        "",
    )
    console.print(markdown(head, rows), markup=False, soft_wrap=True)
