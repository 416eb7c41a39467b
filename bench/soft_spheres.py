"""Two soft spheres that collide, abut beside MuJoCo flex and PyBullet: time of a step in contact, overlap, a clip.

Spheres of 0.1 m radius, 2,496 tetrahedra, Young's modulus 1e5 Pa, Poisson's ratio 0.4, density 1000 kg/m^3, 2 m/s
towards each other, 10 mm off their line of centres, no friction, one core. abut's carry skins of 5,040 triangles, the
others touch with the surfaces of their cages. PyBullet takes steps of 1 ms: at 2 ms, it diverges.
Times are processor time of this one process; engines take turns, and the best of some runs counts for each. Overlap is
counted by one judge for all: the most vertices of one surface that are inside the other at the end of a step. abut
finds how bodies answer to impulses in its first step, which is told apart.
ABUT_SOFT="abut" chooses the engines.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from contextlib import chdir
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
STEPS = {"abut": (5e-3, 1 / 60), "MuJoCo": (5e-3,), "PyBullet": (1e-3,)}
"""[s] with which each engine is run."""
RUNS = 3
FRAME = 1 / 60
"""[s] a frame."""


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


_compiled: set[float] = set()


def run_abut(dt: float) -> Seen:
    """With embedded skins."""
    import abut

    part, mesh = cage()
    seen = Seen()
    for _ in range(1 if _compiled else 2):  # the first run compiles
        _compiled.add(dt)
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
            if i == 0:
                seen.note = f"first step {took:.2f} s"
            else:
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
            f'<elasticity young="{YOUNG}" poisson="{POISSON}"/><contact selfcollide="none" condim="1"/></flexcomp>'
            for name, (x, y, z) in zip("ab", places(), strict=True)
        )
        text = (
            f'<mujoco><option timestep="{dt}" gravity="0 0 0" solver="CG" tolerance="1e-6" '
            f'integrator="discrete"/><size memory="500M"/>'
            f"<worldbody>{bodies}</worldbody></mujoco>"
        )
        path = Path(folder) / "scene.xml"
        path.write_text(text)
        with chdir(folder):  # MuJoCo writes a log where it runs
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


def vtk(path: Path, mesh: Any) -> None:
    """The cage as a legacy VTK file."""
    nodes = "\n".join(f"{x!r} {y!r} {z!r}" for x, y, z in mesh.nodes.tolist())
    cells = "\n".join("4 " + " ".join(map(str, row)) for row in mesh.tetrahedra.tolist())
    n, m = len(mesh.nodes), len(mesh.tetrahedra)
    path.write_text(
        "# vtk DataFile Version 2.0\ncage\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        f"POINTS {n} double\n{nodes}\n\nCELLS {m} {5 * m}\n{cells}\n\nCELL_TYPES {m}\n" + "10\n" * m
    )


def run_bullet(dt: float) -> Seen:
    """Neo-Hookean soft bodies of the same cages, contact by faces."""
    import pybullet as bullet

    _, mesh = cage()
    client = bullet.connect(bullet.DIRECT)
    bullet.resetSimulation(bullet.RESET_USE_DEFORMABLE_WORLD)
    bullet.setGravity(0, 0, 0)
    bullet.setTimeStep(dt)
    mass, bodies = mesh.volume * DENSITY, []
    material = {
        "useNeoHookean": 1,
        "NeoHookeanMu": YOUNG / (2 * (1 + POISSON)),
        "NeoHookeanLambda": YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)),
        "NeoHookeanDamping": 0.0,
    }
    touch = {"collisionMargin": 5e-4, "useSelfCollision": 0, "frictionCoeff": 0.0, "useFaceContact": 1}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cage.vtk"
        vtk(path, mesh)
        for place, side in zip(places(), (1, -1), strict=True):
            body = bullet.loadSoftBody(str(path), basePosition=place.tolist(), mass=mass, **material, **touch)
            bullet.resetBaseVelocity(body, [side * SPEED, 0, 0])
            bodies.append(body)

    def nodes() -> list[np.ndarray]:
        flags = bullet.MESH_DATA_SIMULATION_MESH
        return [np.array(bullet.getMeshData(body, -1, flags=flags)[1]) for body in bodies]

    seen, faces, before = Seen(), np.asarray(mesh.boundary), nodes()
    for i in range(round(SECONDS / dt)):
        begin = time.process_time()
        bullet.stepSimulation()
        took = time.process_time() - begin
        now = nodes()
        touching = now[0][:, 0].max() > now[1][:, 0].min()
        (seen.touching if touching else seen.free).append(took)
        if touching and i % max(1, round(5e-3 / dt)) == 0:
            judge([_skin(now[0], faces), _skin(now[1], faces)], seen)
        speeds, before = [(x - y) / dt for x, y in zip(now, before, strict=True)], now
    masses = np.bincount(np.ravel(mesh.tetrahedra), np.repeat(DENSITY * mesh.volumes * mesh.fill / 4, 4))
    total = sum((masses[:, None] * v).sum(axis=0) for v in speeds)
    seen.momentum = float(np.abs(total).max() / (mass * SPEED))
    seen.rebound = float(sum((masses[:, None] * v**2).sum() for v in speeds) / (2 * mass * SPEED**2))
    bullet.disconnect(client)
    return seen


ENGINES = {"abut": run_abut, "MuJoCo": run_mujoco, "PyBullet": run_bullet}
PACKAGE = {"MuJoCo": "mujoco", "PyBullet": "pybullet"}


def run_clip() -> tuple[int, np.ndarray, np.ndarray]:
    """A clip of soft plastic, led over a rigid edge by a hand: tetrahedra, times of steps [s], and who touches."""
    import abut

    outline = [(0, 0), (0.003, 0), (0.003, 0.034), (0.0065, 0.034), (0.003, 0.042), (0, 0.042)]
    part = abut.Solid.extrude(outline, 0.008).transformed(abut.Pose.from_rotvec((0, 0, 0), (np.pi / 2, 0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mesh = abut.fem.TetMesh.from_solid(part, CLIP_CELL, fit="cage")
    world = abut.World(gravity=(0, 0, 0), dt=2e-3, friction=0.2)
    low, high = part.bounds
    material = {"young": 2e7, "poisson": 0.4, "density": 1100.0, "damping": (0.0, 1e-3)}
    soft = world.add_deformable(mesh, "clip", surface=part, pose=abut.Pose((0, 0, 0.04)), **material)
    middle = 0.5 * (low[1] + high[1])
    edge, hand = abut.Solid.box((0.01, 0.02, 0.006)), abut.Solid.box((0.012, 0.012, 0.006))
    world.add_body(edge, "edge", pose=abut.Pose((0.0082, middle, 0.0875)), fixed=True)
    root = world.add_body(hand, "hand", pose=abut.Pose((0.0015, middle, 0.037)), kinematic=True)
    soft.attach(np.flatnonzero(np.asarray(mesh.nodes)[:, 2] < low[2] + 0.003), root)
    root.velocity = (0, 0, 0.05)
    took, touching = [], []
    for _ in range(round(0.34 / world.dt)):
        begin = time.process_time()
        report = world.step()
        took.append(time.process_time() - begin)
        touching.append(report.contacts > 0)
    return len(mesh.tetrahedra), np.array(took), np.array(touching)


CLIP_CELL = 0.0015


def show_clip(console: Any) -> None:
    """How fast the clip runs beside real time."""
    run_clip()
    n, took, touching = run_clip()
    real, took, touching = 2e-3 / took[1:], took[1:], touching[1:]
    console.print(
        f"Clip of {n} tetrahedra (20 MPa) over a rigid edge, dt 2 ms: {2.0 / (1e3 * took.mean()):.2f} x real time, "
        f"free steps {1e3 * np.median(took[~touching]):.1f} ms, in contact {1e3 * np.median(took[touching]):.1f} ms "
        f"(median), {100 * (real >= 1).mean():.0f} % of all steps in real time",
        soft_wrap=True,
    )


def best_of(runs: list[Seen]) -> Seen:
    """The run whose steps in contact took least."""
    return min(runs, key=lambda seen: float(np.mean(seen.touching or [np.inf])))


def run(console: Any) -> None:
    """All engines that are installed, by turns in this process, and a clip."""
    chosen = [name for name in os.environ.get("ABUT_SOFT", " ".join(ENGINES)).split() if installed(name)]
    cases = [(name, dt) for name in chosen for dt in STEPS[name]]
    runs: dict[tuple[str, float], list[Seen]] = {case: [] for case in cases}
    for _ in range(RUNS):
        for name, dt in cases:
            runs[name, dt].append(ENGINES[name](dt))
    best = {case: best_of(seen) for case, seen in runs.items()}
    console.print(markdown(HEAD, [row(*case, seen) for case, seen in best.items()]), markup=False, soft_wrap=True)
    ours, theirs = best.get(("abut", 5e-3)), best.get(("MuJoCo", 5e-3))
    if ours and theirs:
        ratio = np.mean(ours.touching) / np.mean(theirs.touching)
        console.print(f"A step of 5 ms in contact takes {ratio:.2f} times as long as MuJoCo's.")
    if ours:
        show_clip(console)


def installed(name: str) -> bool:
    """Whether an engine can be run."""
    return name not in PACKAGE or find_spec(PACKAGE[name]) is not None


TIMES = ("engine", "dt ms", "free ms", "contact ms", "worst ms", "frames/s", "worst frames/s", "x real time")
HEAD = (*TIMES, "vertices inside", "momentum", "rebound", "")


def row(name: str, dt: float, seen: Seen) -> tuple[str, ...]:
    """A line of the table; frames are of 1/60 s of simulated time, through the contact."""
    touching, free = np.array(seen.touching or [np.nan]), np.array(seen.free or [np.nan])
    mean = (touching.sum() + free.sum()) / (len(touching) + len(free))
    return (
        name,
        f"{1e3 * dt:.3g}",
        f"{1e3 * np.median(free):.1f}",
        f"{1e3 * touching.mean():.1f}",
        f"{1e3 * touching.max():.1f}",
        f"{dt / FRAME / touching.mean():.0f}",
        f"{dt / FRAME / touching.max():.0f}",
        f"{dt / mean:.2f}",
        str(seen.inside),
        f"{seen.momentum:.0e}",
        f"{seen.rebound:.2f}",
        seen.note,
    )
