"""Calls with arguments that make no sense: each works, or is refused in a sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import abut

from .dice import Dice
from .finding import Case, Finding, Verdict

BATCH = 30

NONSENSE: dict[str, Callable[[], Any]] = {
    "nan": lambda: np.nan,
    "infinity": lambda: np.inf,
    "huge whole number": lambda: 10**400,
    "2**31": lambda: 2**31,
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "half": lambda: 0.5,
    "true": lambda: True,
    "none": lambda: None,
    "text": lambda: "1e5",
    "bytes": lambda: b"1",
    "object": object,
    "dict": dict,
    "set": lambda: {1.0, 2.0},
    "empty": list,
    "complex": lambda: 1j,
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "nones": lambda: [None, None, None],
    "vector": lambda: (0.0, 0.0, 1.0),
    "no direction": lambda: (0.0, 0.0, 0.0),
    "vector of nan": lambda: (0.0, np.nan, 0.0),
    "vector of 1e300": lambda: (1e300, -1e300, 1e300),
    "four": lambda: (1.0, 2.0, 3.0, 4.0),
    "words": lambda: np.array(["x", "rz"]),
    "array": lambda: np.arange(3.0),
    "array of objects": lambda: np.array([None, "x", 1], object),
    "no rows": lambda: np.zeros((0, 3)),
    "matrix": lambda: np.eye(3),
    "type": lambda: float,
    "function": lambda: len,
    "pose": abut.Pose,
    "solid": lambda: abut.Solid.box((1.0, 1.0, 1.0)),
}
LARGE = ("2**31", "1e308", "huge whole number")
"""Not for numbers of segments, for which a computer has no room."""


def draw_inputs(seed: int) -> Case:
    """Calls, each with one argument or two replaced."""
    dice = Dice(4, seed)
    return {"kind": "inputs", "seed": seed, "calls": [_draw_call(dice) for _ in range(BATCH)]}


def _draw_call(dice: Dice) -> dict[str, Any]:
    name = dice.pick(sorted(CALLS))
    keys = sorted(CALLS[name][1])
    wrong = {dice.pick(keys): dice.pick(sorted(NONSENSE)) for _ in range(dice.pick((1, 1, 2)))}
    usable = {key: what for key, what in wrong.items() if not (key in COUNTS and what in LARGE)}
    return {"call": name, "wrong": usable}


COUNTS = ("segments", "subdivisions", "sides", "duration")


def judge_inputs(case: Case) -> Verdict:
    """Make the calls."""
    verdict = Verdict()
    for call in case["calls"]:
        function, good = CALLS[call["call"]]
        arguments = good | {key: NONSENSE[what]() for key, what in call["wrong"].items()}
        verdict.count("calls")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(**arguments)
        except abut.AbutError as error:
            if not str(error).strip() or "Traceback" in str(error):
                verdict.findings.append(Finding("sentence", f"{call}: {type(error).__name__} says {error!s:.200}"))
        except Exception as error:
            verdict.findings.append(Finding("exception", f"{call}: {type(error).__name__}: {error!s:.200}"))
    return verdict


def _world(**options: Any) -> None:
    world = abut.World(**options)
    world.add_body(abut.Solid.box((0.1, 0.1, 0.1)), "box")
    world.step()


def _body(**options: Any) -> None:
    world = abut.World()
    world.add_body(**options)
    world.step()


def _two() -> tuple[abut.World, abut.Body, abut.Body]:
    world = abut.World()
    a = world.add_body(abut.Solid.box((0.1, 0.1, 0.1)), "a")
    return world, a, world.add_body(abut.Solid.box((0.1, 0.1, 0.1)), "b", pose=abut.Pose((1.0, 0.0, 0.0)))


def _joint(**options: Any) -> None:
    world, a, b = _two()
    world.add_joint(body=a, other=b, **options)
    world.step()


def _on_body(method: str) -> Callable[..., None]:
    def call(**arguments: Any) -> None:
        world, a, _ = _two()
        getattr(a, method)(**arguments)
        world.step()

    return call


def _set(what: str) -> Callable[..., None]:
    def call(value: Any) -> None:
        world, a, _ = _two()
        setattr(a if hasattr(a, what) else world, what, value)
        world.step()

    return call


def _pair(**arguments: Any) -> None:
    world, a, b = _two()
    world.set_pair(a, b, **arguments)
    world.step()


def _run(duration: Any) -> None:
    _two()[0].run(duration)


BOX = abut.Solid.box((1.0, 1.0, 1.0))
ASIDE = abut.Pose((3.0, 0.0, 0.0))
MOTION = {"start": abut.Pose(), "displacement": (0.1, 0.0, 0.0), "rotvec": (0.0, 0.1, 0.0)}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "World": (
        _world,
        {
            "gravity": (0.0, 0.0, -9.81),
            "dt": 1e-3,
            "contact_gap": 1e-5,
            "friction": 0.3,
            "restitution": 0.1,
            "friction_law": "coulomb",
            "impacts": "newton",
            "method": "ncp",
            "solver": None,
            "level": "dynamic",
            "threads": 1,
        },
    ),
    "add_body": (
        _body,
        {
            "shape": BOX,
            "name": "box",
            "pose": None,
            "density": 1000.0,
            "mass": None,
            "inertia": None,
            "velocity": (0.0, 0.0, 0.0),
            "angular_velocity": (0.0, 0.0, 0.0),
            "fixed": False,
            "kinematic": False,
            "group": None,
            "locked": (),
            "damping": 0.0,
            "angular_damping": 0.0,
            "friction": None,
            "restitution": None,
        },
    ),
    "add_joint": (
        _joint,
        {
            "type": "hinge",
            "name": "hinge",
            "anchor": (0.5, 0.0, 0.0),
            "axis": (0.0, 1.0, 0.0),
            "anchor_other": None,
            "axis_other": None,
            "length": None,
            "pitch": None,
            "limits": (-1.0, 1.0),
            "motor": None,
            "spring": None,
            "contact": False,
        },
    ),
    "Motor": (abut.Motor, {"velocity": 1.0, "position": None, "max_force": 1.0, "max_speed": np.inf, "response": 0.0}),
    "Spring": (abut.Spring, {"stiffness": 1.0, "damping": 0.1, "rest": 0.0}),
    "Pose": (abut.Pose, {"position": (0.0, 0.0, 0.0), "quat_wxyz": (1.0, 0.0, 0.0, 0.0)}),
    "Pose.from_rotvec": (abut.Pose.from_rotvec, {"position": (0.0, 0.0, 0.0), "rotvec": (0.0, 0.0, 0.0)}),
    "Pose.from_matrix": (abut.Pose.from_matrix, {"M": np.eye(4)}),
    "Motion": (abut.Motion, MOTION),
    "Solid": (abut.Solid, {"vertices": BOX.vertices, "faces": BOX.triangles}),
    "Solid.box": (abut.Solid.box, {"size": (1.0, 1.0, 1.0)}),
    "Solid.cylinder": (abut.Solid.cylinder, {"radius": 1.0, "height": 1.0, "segments": 8}),
    "Solid.cone": (abut.Solid.cone, {"radius": 1.0, "height": 1.0, "segments": 8}),
    "Solid.torus": (abut.Solid.torus, {"major_radius": 1.0, "minor_radius": 0.2, "segments": 8, "sides": 6}),
    "Solid.sphere": (abut.Solid.sphere, {"radius": 1.0, "subdivisions": 1}),
    "Solid.extrude": (abut.Solid.extrude, {"outline": [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], "height": 1.0}),
    "Solid.revolve": (abut.Solid.revolve, {"profile": [(1.0, 0.0), (2.0, 0.0), (2.0, 1.0)], "segments": 8}),
    "Solid.hull": (abut.Solid.hull, {"points": BOX.vertices}),
    "scaled": (BOX.scaled, {"factor": 2.0}),
    "mirrored": (BOX.mirrored, {"normal": (1.0, 0.0, 0.0), "offset": 0.0}),
    "Sphere": (abut.Sphere, {"radius": 1.0}),
    "Capsule": (abut.Capsule, {"radius": 1.0, "length": 1.0}),
    "HalfSpace": (abut.HalfSpace, {"normal": (0.0, 0.0, 1.0), "offset": 0.0}),
    "distance": (
        abut.distance,
        {"a": BOX, "b": BOX, "X_a": None, "X_b": ASIDE, "budget_ms": None},
    ),
    "intersect": (abut.intersect, {"a": BOX, "b": BOX, "X_a": None, "X_b": None}),
    "contains": (abut.contains, {"part": BOX, "points": [(0.0, 0.0, 0.0)]}),
    "time_of_impact": (
        abut.time_of_impact,
        {"a": BOX, "b": BOX, "motion_a": None, "motion_b": ASIDE, "gap": 0.0, "tolerance": None},
    ),
    "apply_force": (_on_body("apply_force"), {"force": (1.0, 0.0, 0.0), "point": (0.0, 0.0, 0.0)}),
    "apply_torque": (_on_body("apply_torque"), {"torque": (1.0, 0.0, 0.0)}),
    "grab": (
        _on_body("grab"),
        {
            "target_pose": abut.Pose(),
            "stiffness": 10.0,
            "angular_stiffness": 1.0,
            "max_force": 10.0,
            "max_torque": 1.0,
        },
    ),
    "set_pair": (_pair, {"rule": "contact", "friction": 0.1, "restitution": 0.1}),
    "run": (_run, {"duration": 0.002}),
    **{what: (_set(what), {"value": None}) for what in ("velocity", "angular_velocity", "pose", "dt", "gravity")},
    **{what: (_set(what), {"value": None}) for what in ("friction", "restitution", "method", "threads", "gravty")},
}
