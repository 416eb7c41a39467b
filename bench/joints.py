"""A pendulum of ten links: steps per second, and how far its joints come apart, against MuJoCo."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

LINKS, LENGTH, DT, DURATION, REPEATS = 10, 0.1, 1e-3, 0.5, 3
Step = Callable[[], object]
Gap = Callable[[], float]


def run(console: Any) -> None:
    rivals: dict[str, Callable[[], tuple[Step, Gap]]] = {
        "abut, hinges": lambda: _abut("hinge"),
        "abut, balls": lambda: _abut("ball"),
    }
    try:
        import mujoco  # noqa: F401
    except ImportError:
        console.print("MuJoCo is not installed; its rows are left out.")
    else:
        rivals["MuJoCo, free bodies and constraints"] = lambda: _mujoco(_loose_model())
        rivals["MuJoCo, angles as coordinates"] = lambda: _mujoco(_tree_model())
    measured = {name: _measure(make) for name, make in rivals.items()}
    table = Table("solver", "steps/s", "joints apart at most [µm]", title=f"{LINKS} links, dt {1e3 * DT:g} ms")
    for name, (rate, apart) in measured.items():
        table.add_row(name, f"{rate:,.0f}", f"{1e6 * apart:.2g}")
    console.print(table)


def _measure(make: Callable[[], tuple[Step, Gap]]) -> tuple[float, float]:
    """Steps per second of processor time, the best of a few runs, and the largest gap seen."""
    best, apart = 0.0, 0.0
    for _ in range(REPEATS):
        step, gap = make()
        step()
        n = round(DURATION / DT)
        start = time.process_time()
        for _ in range(n):
            step()
        best = max(best, n / (time.process_time() - start))
        step, gap = make()
        for _ in range(n):
            step()
            apart = max(apart, gap())
    return best, apart


def _abut(joint: str) -> tuple[Step, Gap]:
    from abut.scene import scenes

    world = scenes.pendulum(n=LINKS, length=LENGTH, dt=DT).world
    if joint != "hinge":
        for i, pin in enumerate(world.joints):
            body, other = pin.body, pin.other
            pin.remove()
            world.add_joint(joint, body, other, anchor=(i * LENGTH, 0.0, 0.0))
    table, state = world._joints, world._state
    return world.step, lambda: float(np.abs(table.errors(state.pose)).max())


def _geometry() -> str:
    half = 0.5 * LENGTH
    size = f"{half} {0.05 * LENGTH} {0.15 * LENGTH}"
    return f'<geom type="box" size="{size}" pos="{half} 0 0" density="7850" contype="0" conaffinity="0"/>'


def _document(world: str, extra: str = "") -> str:
    option = f'<option timestep="{DT}" integrator="implicitfast" gravity="0 0 -9.81"/>'
    return f"<mujoco>{option}<worldbody>{world}</worldbody>{extra}</mujoco>"


def _tree_model() -> str:
    """Each link a child of the one before."""
    text = ""
    for i in reversed(range(LINKS)):
        place = f"{LENGTH if i else 0.0} 0 0"
        text = f'<body name="b{i}" pos="{place}"><joint type="hinge" axis="0 1 0"/>{_geometry()}{text}</body>'
    return _document(text)


def _loose_model() -> str:
    """Free bodies, joined by two coinciding points on each hinge's axis, as stiff as MuJoCo allows at this step."""
    bodies = "".join(f'<body name="b{i}" pos="{i * LENGTH} 0 0"><freejoint/>{_geometry()}</body>' for i in range(LINKS))
    words = f'solref="{2.0 * DT} 1" solimp="0.9999 0.9999 0.001"'
    rows = ""
    for i in range(LINKS):
        other = f'body2="b{i - 1}"' if i else ""
        for y in (-0.05 * LENGTH, 0.05 * LENGTH):
            rows += f'<connect body1="b{i}" {other} anchor="0 {y} 0" {words}/>'
    return _document(bodies, f"<equality>{rows}</equality>")


def _mujoco(text: str) -> tuple[Step, Gap]:
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def gap() -> float:
        start = data.xpos[1:]
        ends = start + LENGTH * data.xmat[1:].reshape(-1, 3, 3)[:, :, 0]
        held = np.concatenate((np.zeros((1, 3)), ends[:-1]))
        return float(np.linalg.norm(start - held, axis=1).max())

    return lambda: mujoco.mj_step(model, data), gap
