"""What friction costs, arches in real time, and stacks and walls against MuJoCo at equal steps."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

DENSITY, GAP = 1000.0, 2e-5
Boxes = list[tuple[tuple[float, float, float], tuple[float, float, float]]]
Step = Callable[[], object]
Depth = Callable[[], float]


def run(console: Any) -> None:
    console.print(_cost())
    console.print(_arches())
    console.print(_against_mujoco(console))


def stack(n: int = 10) -> Boxes:
    """Size and middle of the boxes of a stack."""
    return [((0.1, 0.1, 0.1), (0.0, 0.0, 0.05 + i * 0.1 + (i + 1) * GAP)) for i in range(n)]


def wall(wide: int = 5, high: int = 6) -> Boxes:
    """Bricks in running bond, every other course half a brick shorter."""
    x, y, z = 0.2, 0.1, 0.06
    return [
        ((x, y, z), ((k - 0.5 * (wide - 1 - row % 2)) * (x + 1e-3), 0.0, 0.5 * z + row * z + (row + 1) * GAP))
        for row in range(high)
        for k in range(wide - row % 2)
    ]


def _world(boxes: Boxes, mu: float, dt: float, *, shaken: bool = False) -> Any:
    from abut import HalfSpace, Pose, Solid, World

    world = World(dt=dt, friction=mu)
    if shaken:
        world.add_body(Solid.box((3.0, 3.0, 0.1)), "table", pose=Pose((0.0, 0.0, -0.05)), kinematic=True)
    else:
        world.add_body(HalfSpace(), "floor", fixed=True)
    for size, middle in boxes:
        world.add_body(Solid.box(size), pose=Pose(middle), density=DENSITY)
    return world


def _rate(step: Step, n: int, repeats: int = 3) -> float:
    """Steps per second of processor time, the best of a few runs."""
    best = 0.0
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            step()
        best = max(best, n / (time.process_time() - start))
    return best


def _tumbling(mu: float) -> Any:
    """Bricks, turned at random, that fall on a floor beside and on each other."""
    from abut import HalfSpace, Pose, Solid, World

    rng, world, brick = np.random.default_rng(0), World(friction=mu), Solid.box((0.2, 0.1, 0.06))
    world.add_body(HalfSpace(), "floor", fixed=True)
    for k in range(27):
        place = (0.3 * (k % 3), 0.3 * (k // 3 % 3), 0.15 + 0.25 * (k // 9))
        world.add_body(brick, pose=Pose.from_rotvec(place, rng.normal(size=3)), density=DENSITY)
    world.run(0.1)
    return world


PHASES = {"landing": (0, 50), "standing": (100, 200), "shaken": (100, 200)}
"""From which step on, and how many."""


def _cost() -> Table:
    table = Table("scene", "mu = 0, steps/s", "mu = 0.6, steps/s", "ratio", title="What friction costs, dt 1 ms")
    for name, boxes in (("stack of 10", stack()), ("wall of 27", wall())):
        for phase in PHASES:
            rates = [max(_rate_in(phase, boxes, mu) for _ in range(3)) for mu in (0.0, 0.6)]
            table.add_row(f"{name}, {phase}", *_figures(rates))
    rates = [max(_rate(_tumbling(mu).step, 600, 1) for _ in range(2)) for mu in (0.0, 0.6)]
    table.add_row("27 bricks, tumbling", *_figures(rates))
    return table


def _figures(rates: list[float]) -> list[str]:
    return [*(f"{rate:,.0f}" for rate in rates), f"{rates[0] / rates[1]:.2f}"]


def _rate_in(phase: str, boxes: Boxes, mu: float) -> float:
    first, n = PHASES[phase]
    world = _world(boxes, mu, 1e-3, shaken=phase == "shaken")
    world.contact_gap  # makes the tables before the clock runs  # noqa: B018

    def step() -> None:
        if phase == "shaken":  # five times a second by 2 mm to either side, which nothing slips on
            world.bodies[0].velocity = (2e-3 * 10.0 * np.pi * np.cos(10.0 * np.pi * world.time), 0.0, 0.0)
        world.step()

    for _ in range(first):
        step()
    return _rate(step, n, 1)


def _arches() -> Table:
    from abut.scene import scenes

    columns = ("stones", "slowest step, ms", "steps until at rest", "standing, steps/s", "x real time", "moved, µm")
    table = Table(*columns, title="Arch, dt 5 ms, mu = 0.6")
    for n in (25, 101):
        scene = scenes.arch(n=n)
        slowest, rest = 0.0, 0
        for k in range(100):
            start = time.process_time()
            report = scene.step()
            slowest = max(slowest, time.process_time() - start)
            rest = k + 1 if report.iterations > 20 else rest
        before = np.array([body.pose.position for body in scene.world.bodies])
        rate = _rate(scene.step, 200, 1)
        moved = np.abs(np.array([body.pose.position for body in scene.world.bodies]) - before).max()
        figures = (f"{1e3 * slowest:,.0f}", str(rest), f"{rate:,.0f}", f"{rate * scene.world.dt:.2f}")
        table.add_row(str(n), *figures, f"{1e6 * moved:.2g}")
    return table


def _against_mujoco(console: Any) -> Table:
    rivals: dict[str, Callable[[Boxes, float], tuple[Step, Depth, Callable[[], Any]]]] = {"abut": _abut}
    try:
        import mujoco  # noqa: F401
    except ImportError:
        console.print("MuJoCo is not installed; its rows are left out.")
    else:
        rivals["MuJoCo"] = _mujoco
    columns = ("scene", "engine", "steps/s", "deepest overlap, µm", "moved sideways, µm")
    table = Table(*columns, title="Standing for 1 s, dt 2 ms, mu = 0.6")
    for name, boxes in (("stack of 10", stack()), ("wall of 27", wall())):
        for engine, make in rivals.items():
            table.add_row(name, engine, *_stand(*make(boxes, 2e-3)))
    return table


def _stand(step: Step, depth: Depth, middles: Callable[[], Any]) -> list[str]:
    start = middles()
    deepest = -np.inf
    for _ in range(100):
        step()
        deepest = max(deepest, depth())
    rate = _rate(step, 130)
    deepest = max(deepest, depth())
    moved = np.abs(middles() - start)[:, :2].max()
    return [f"{rate:,.0f}", f"{1e6 * max(deepest, 0.0):.3g}", f"{1e6 * moved:.2g}"]


def _abut(boxes: Boxes, dt: float) -> tuple[Step, Depth, Callable[[], Any]]:
    world = _world(boxes, 0.6, dt)

    def middles() -> Any:
        return np.array([body.pose.position for body in world.bodies[1:]])

    return world.step, lambda: -world.report.smallest_gap, middles


def _mujoco(boxes: Boxes, dt: float) -> tuple[Step, Depth, Callable[[], Any]]:
    import mujoco

    bodies = "".join(
        f'<body pos="{p[0]} {p[1]} {p[2]}"><freejoint/>'
        f'<geom type="box" size="{s[0] / 2} {s[1] / 2} {s[2] / 2}" density="{DENSITY}"/></body>'
        for s, p in boxes
    )
    text = (
        f'<mujoco><option timestep="{dt}" cone="elliptic" integrator="implicitfast" gravity="0 0 -9.81"/>'
        '<default><geom friction="0.6"/></default>'
        f'<worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)  # so that the bodies have places before the first step

    def depth() -> float:
        return float(-data.contact.dist.min()) if data.ncon else -np.inf

    return lambda: mujoco.mj_step(model, data), depth, lambda: data.xpos[1:].copy()
