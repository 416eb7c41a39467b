"""Pairs of parts and poses for the benchmarks of static questions, and the same parts in coal and python-fcl."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import abut

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PAIRS = [
    *(("torus2k", "torus2k"), ("torus20k", "torus20k")),
    *(("bumpy5k", "bumpy5k"), ("bumpy20k", "bumpy20k"), ("bumpy80k", "bumpy80k")),
    *(("nut", "bolt"), ("peg256", "hole256"), ("driver", "screw")),
]
GAPS = {"near": 1e-3, "5 %": 0.05, "50 %": 0.5, "overlap": -0.05}
POSED = {**GAPS, "touching": 0.0}
ASSEMBLED = {
    ("nut", "bolt"): [(0, 0, 0.0125), (0, 0, 0.005)],
    ("peg256", "hole256"): [(0, 0, 0.0), (0, 0, 0.01)],
    ("driver", "screw"): [(0, 0, 0.0), (0, 0, 0.0003)],
}


@dataclass(frozen=True)
class Case:
    """Two parts and some pairs of poses."""

    a: str
    b: str
    name: str
    poses: list[tuple[Any, Any]] = field(repr=False)


@cache
def part(name: str) -> Any:
    """A part of the data sets as a Solid; the triangles of no corners that one file has are left out."""
    import trimesh

    folder = "fcl-env-rob" if name in ("env", "rob") else "bench-meshes"
    path = DATA / folder / (name + (".obj" if folder == "fcl-env-rob" else ".ply"))
    mesh = trimesh.load(path, process=False, force="mesh")
    faces = np.asarray(mesh.faces)
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    return abut.Solid(np.asarray(mesh.vertices, float), faces, name=name)


def cases(n_pose: int = 3) -> list[Case]:
    """Every pair at every gap, and assembled."""
    rng = np.random.default_rng(5)
    found = [Case(a, b, gap, [posed(a, b, gap, rng) for _ in range(n_pose)]) for a, b in PAIRS for gap in GAPS]
    for (a, b), positions in ASSEMBLED.items():
        found.append(Case(a, b, "assembled", [(abut.Pose(p), abut.Pose()) for p in positions]))
    return found


def size_of(a: str, b: str) -> float:
    """The smaller of the two diagonals."""
    return float(min(np.linalg.norm(part(n).extents) for n in (a, b)))


def posed(a: str, b: str, gap: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Random orientations; B comes along a random line until it is as far from A as `gap` says."""
    size, solid_a, solid_b = size_of(a, b), part(a), part(b)
    X_a = abut.Pose((0, 0, 0), quat_wxyz=rng.normal(size=4))
    turned = abut.Pose((0, 0, 0), quat_wxyz=rng.normal(size=4))
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    base = X_a.apply(solid_a.bounds.mean(axis=0)) - turned.apply(solid_b.bounds.mean(axis=0))
    s = float(np.linalg.norm(solid_a.extents) + np.linalg.norm(solid_b.extents))
    wanted = max(0.0, POSED[gap]) * size
    for _ in range(200):
        rest = (
            abut.distance(solid_a, solid_b, X_a, abut.Pose(base + s * u, quat_wxyz=turned.quat_wxyz)).distance - wanted
        )
        if rest < 1e-9 * size:
            break
        s -= rest
    return X_a, abut.Pose(base + (s + min(0.0, POSED[gap]) * size) * u, quat_wxyz=turned.quat_wxyz)


def environment_poses() -> list[tuple[Any, Any, bool]]:
    """The poses of the robot in its rooms, and whether the surfaces meet there."""
    with (DATA / "fcl-env-rob" / "poses.csv").open() as file:
        table = [[float(x) for x in row.values()] for row in csv.DictReader(file)]
    return [(abut.Pose(), abut.Pose(row[4:7], quat_wxyz=row[:4]), bool(row[7])) for row in table]


def seconds(call: Callable[[], Any], repeats: int = 3, least: float = 0.003) -> float:
    """Time of one call on this thread: the best of some rounds, each of at least `least` seconds."""
    call()
    n = 1
    while _round(call, n) < least and least > 0.0:
        n *= 4
    return min(_round(call, n) for _ in range(repeats)) / n


def _round(call: Callable[[], Any], n: int) -> float:
    begin = time.thread_time()
    for _ in range(n):
        call()
    return time.thread_time() - begin


class Coal:
    """coal, with the bounding volume that serves it best."""

    name = "coal"

    def __init__(self) -> None:
        import coal

        self.coal = coal

    @cache  # noqa: B019
    def model(self, name: str) -> Any:
        """The model of a part."""
        return self.built(part(name))[0]

    def built(self, solid: Any) -> tuple[Any, float]:
        """The part's model, and the seconds its hierarchy took to build."""
        coal = self.coal
        vertices, triangles = coal.StdVec_Vec3s(), (getattr(coal, "StdVec_Triangle32", None) or coal.StdVec_Triangle)()
        triangle = getattr(coal, "Triangle32", None) or coal.Triangle
        for vertex in solid.vertices:
            vertices.append(vertex)
        for corners in solid.triangles:
            triangles.append(triangle(*map(int, corners)))
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(vertices))
        model.addSubModel(vertices, triangles)
        begin = time.thread_time()
        model.endModel()
        return model, time.thread_time() - begin

    def pose(self, X: Any) -> Any:
        """The peer's own pose."""
        transform = self.coal.Transform3s()
        transform.setRotation(X.rotation)
        transform.setTranslation(X.position)
        return transform

    def distance(self, a: str, b: str, X_a: Any, X_b: Any) -> Callable[[], float]:
        """A call that answers the question."""
        model_a, model_b, X_a, X_b = self.model(a), self.model(b), self.pose(X_a), self.pose(X_b)
        request, coal = self.coal.DistanceRequest(), self.coal
        return lambda: coal.distance(model_a, X_a, model_b, X_b, request, coal.DistanceResult())

    def intersect(self, a: str, b: str, X_a: Any, X_b: Any) -> Callable[[], bool]:
        """A call that answers the question."""
        model_a, model_b, X_a, X_b = self.model(a), self.model(b), self.pose(X_a), self.pose(X_b)
        request, coal = self.coal.CollisionRequest(), self.coal
        return lambda: coal.collide(model_a, X_a, model_b, X_b, request, coal.CollisionResult()) > 0


class Fcl:
    """python-fcl."""

    name = "python-fcl"

    def __init__(self) -> None:
        import fcl

        self.fcl = fcl

    @cache  # noqa: B019
    def model(self, name: str) -> Any:
        """The model of a part."""
        model, solid = self.fcl.BVHModel(), part(name)
        model.beginModel(len(solid.vertices), len(solid.triangles))
        model.addSubModel(solid.vertices.copy(), solid.triangles.copy())
        model.endModel()
        return model

    def _object(self, name: str, X: Any) -> Any:
        return self.fcl.CollisionObject(self.model(name), self.fcl.Transform(X.rotation, X.position))

    def distance(self, a: str, b: str, X_a: Any, X_b: Any) -> Callable[[], float]:
        """A call that answers the question."""
        object_a, object_b, request, fcl = (
            self._object(a, X_a),
            self._object(b, X_b),
            self.fcl.DistanceRequest(),
            self.fcl,
        )
        return lambda: fcl.distance(object_a, object_b, request, fcl.DistanceResult())

    def intersect(self, a: str, b: str, X_a: Any, X_b: Any) -> Callable[[], bool]:
        """A call that answers the question."""
        object_a, object_b, request, fcl = (
            self._object(a, X_a),
            self._object(b, X_b),
            self.fcl.CollisionRequest(),
            self.fcl,
        )
        return lambda: fcl.collide(object_a, object_b, request, fcl.CollisionResult()) > 0


def peers(console: Any) -> list[Any]:
    """The peers that are installed."""
    found = []
    for peer in (Coal, Fcl):
        try:
            found.append(peer())
        except ImportError:
            console.print(f"{peer.name} is not installed, so its column is left out: pip install 'abut[bench]'.")
    return found


def geometric_mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))
