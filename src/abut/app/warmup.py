"""`abut warmup`: compile at once what a user meets sooner or later, so that nobody waits for it at work."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from .. import contact, query
from ..dynamics import World
from ..dynamics.stepping.predict_kernels import begin_motion
from ..fem import TetMesh
from ..geometry import HalfSpace, Solid, Sphere
from ..geometry.mass_kernels import volume_integrals
from ..math import Pose
from ..scene import parts, scenes
from .waiting import compiling_shown

N_BOX = 4000
"""Enough for culling to use all of its ways."""


def warmup(console: Console, stages: Mapping[str, Callable[[], None]]) -> None:
    """Go through the stages with a bar; say how long it took, and where the machine code is kept."""
    start = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[compiling]}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=len(stages), compiling="")
        with compiling_shown(console, lambda line: bar.update(task, compiling=line)):
            for name, stage in stages.items():
                bar.update(task, description=name)
                stage()
                bar.advance(task)
    console.print(f"ready after {time.perf_counter() - start:.0f} s: {', '.join(stages)}", soft_wrap=True)
    console.print(_where_kept(), soft_wrap=True, highlight=False)


def _where_kept() -> str:
    # Of two packages: what their folders have in common is the cache, wherever it is.
    used = [kernel for kernel in (volume_integrals, begin_motion) if hasattr(kernel, "stats")]
    if not used:
        return "NUMBA_DISABLE_JIT is set: nothing is compiled"
    folders = [kernel.stats.cache_path for kernel in used if kernel.stats.cache_path]
    if not folders:
        return "no folder for machine code can be written to; set NUMBA_CACHE_DIR to one, or every start compiles again"
    folder = Path(os.path.commonpath(folders))
    sizes = [file.stat().st_size for file in folder.rglob("*.nb?")]
    return f"machine code is kept in {folder}, {1e-6 * sum(sizes):.0f} MB"


def make_parts() -> None:
    """From the library, by operations and from a file, with soundness and repair."""
    plate, peg = parts.hole_plate(), parts.peg()
    (plate | peg).problems()
    parts.hex_bolt().problems()
    with TemporaryDirectory() as folder:
        Solid.load(_torn_stl(plate, Path(folder, "part.stl")), unit="m", repair=True).problems()


def _torn_stl(part: Solid, path: Path) -> Path:
    """A file of the part in which one corner of one triangle is a micrometre off, for repair to close."""
    table = np.zeros(len(part.triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    table["corners"] = part.vertices[part.triangles]
    table["corners"][0, 0] += 1e-6
    path.write_bytes(bytes(80) + np.uint32(len(table)).tobytes() + table.tobytes())
    return path


def ask_questions() -> None:
    """Distance, intersection, containment, time of impact and free paths."""
    plate, peg = parts.hole_plate(), parts.peg()
    above, below = Pose((0.0, 0.0, 0.2)), Pose.from_rotvec((0.01, 0.0, 0.0), (0.1, 0.0, 0.0))
    for shape in (peg, Sphere(0.02), HalfSpace((0.0, 0.0, -1.0), -0.2)):
        query.distance(plate, shape, None, above)
        query.intersect(plate, shape, None, below)
        query.time_of_impact(plate, shape, None, (above, below))
    query.distance(plate, peg, None, above, start=query.distance(plate, peg, None, above))
    query.intersect(plate, peg, None, below, every=True)
    query.contains(plate, np.zeros((2, 3)))
    query.swept_free(peg, [above, below], [plate])


def find_pairs() -> None:
    """Boxes by both methods, still, with a few that leave and with all that leave."""
    rng = np.random.default_rng(0)
    low = rng.uniform(0.0, 1.0, (N_BOX, 3))
    size = np.where(np.arange(N_BOX) % 500 == 0, 0.5, 0.02)[:, None]
    for culling in (contact.SweepAndPrune(), contact.HashGrid()):
        for moved in (0, 0, 1, N_BOX // 80, N_BOX):
            low[:moved] += rng.uniform(-0.5, 0.5, (moved, 3))
            culling.pairs(low, low + size)


def touch() -> None:
    """Contacts without friction, moved by gravity, by hands and by scripts."""
    _run(scenes.free_fall(height=1e-4), 20)
    _run(scenes.peg_in_hole(), 5)
    _run(scenes.chain(), 5)


def rub() -> None:
    """Contacts with friction."""
    _run(scenes.rough_incline(), 5)


def join() -> None:
    """Joints with motors, limits and springs."""
    for scene in (scenes.slider_crank(), scenes.gimbal(), scenes.screw_press()):
        _run(scene, 5)


def bounce() -> None:
    """Impacts with restitution."""
    world = World(restitution=0.5, friction=0.3)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.05), "ball", pose=Pose((0.5, 0.0, 0.051)))
    world.add_body(parts.stack_box(), "box", pose=Pose((0.0, 0.0, 1e-3)), velocity=(0.0, 0.0, -1.0))
    world.run(0.02)


def name_regions() -> None:
    """Regions of two parts and of a world, and where points and edges lie."""
    from .draw import region_marks

    plate, peg = parts.hole_plate(), parts.peg()
    query.classify_points(plate, np.zeros((2, 3)))
    query.classify_edges(plate, peg, None, Pose((0.0, 0.0, 0.02)))
    query.contact_regions(Solid.box(0.1), Solid.box(0.1), None, Pose((0.0, 0.0, 0.1)))
    scene = scenes.peg_in_hole()
    _run(scene, 5)
    region_marks(scene.world.regions)


def bend() -> None:
    """Soft bodies on a floor, on a part and on each other, with friction."""
    ball = Solid.sphere(0.05, segments=12)
    cage = TetMesh.from_solid(ball, cell=0.025)
    world = World(dt=5e-3, friction=0.5)
    world.add_body(Solid.box((0.4, 0.4, 0.1)), "table", pose=Pose((0.0, 0.0, -0.05)), fixed=True)
    for k, height in enumerate((0.0505, 0.1525)):
        pose = Pose((0.005 * k, 0.0, height))
        world.add_deformable(cage, f"ball {k}", surface=ball, young=1e5, poisson=0.4, density=1000.0, pose=pose)
    world.run(0.1)


def follow_events() -> None:
    """From event to event, with impacts, friction and joints; and by impulses."""
    for method in ("event", "impulse"):
        world = World(method=method, restitution=0.5, friction=0.3, dt=0.01)
        world.add_body(HalfSpace(), "floor", fixed=True)
        world.add_body(Sphere(0.05), "ball", pose=Pose((0.5, 0.0, 0.06)))
        world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.06)), velocity=(0.3, 0.0, 0.0))
        if method == "event":
            bar = world.add_body(Solid.box((0.02, 0.02, 0.2)), "bar", pose=Pose((2.0, 0.0, 1.0)))
            world.add_joint("hinge", bar, anchor=(2.0, 0.0, 1.1), axis=(0.0, 1.0, 0.0))
        world.run(0.1)


def draw() -> None:
    """Parts whole, cut open and translucent, with marks."""
    from .draw import Arrow, Dot, Item, Label, Mark
    from .portrait import portrait

    items = [Item(parts.hole_plate()), Item(parts.peg(), Pose((0.0, 0.0, 0.02)), alpha=0.4), Item(Sphere(0.02))]
    marks: list[Mark] = [Arrow((0.0, 0.0, 0.1), (0.0, 0.0, 0.1)), Dot((0.0, 0.0, 0.1)), Label((0.0, 0.0, 0.1), "peg")]
    portrait(items, (64, 48), cut=0.0, marks=marks)


def _run(scene: scenes.Scene, n: int) -> None:
    for _ in range(n):
        scene.step()


STAGES: dict[str, Callable[[], None]] = {
    "parts": make_parts,
    "queries": ask_questions,
    "culling": find_pairs,
    "contact": touch,
    "friction": rub,
    "joints": join,
    "bounces": bounce,
    "regions": name_regions,
    "soft parts": bend,
    "events": follow_events,
    "pictures": draw,
}
"""What there is to compile, in the order in which most users meet it."""
