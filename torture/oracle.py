"""Exact answers about two small solids, by looking at every pair of triangles that could matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

import abut

from .exact import Point, cross, dot, encloses, integers, sub
from .exact_distance import SIDES, point_triangle_distance2, triangle_distance2
from .reading import Floats

Triangles = list[tuple[Point, Point, Point]]


def _whole(*groups: Floats) -> tuple[int, list[list[Point]]]:
    """Groups of points in one scale: how many units a metre has, and the groups."""
    rows = np.concatenate([np.asarray(g, float).reshape(-1, 3) for g in groups])
    scale = max(float(x).as_integer_ratio()[1] for x in rows.ravel())
    points, out, at = integers((1.0 / scale, 0.0, 0.0), *rows)[1:], [], 0
    for group in groups:
        n = np.asarray(group).size // 3
        out.append(points[at : at + n])
        at += n
    return scale, out


def _triangles(points: list[Point], solid: abut.Solid) -> Triangles:
    return [(points[i], points[j], points[k]) for i, j, k in solid.triangles.tolist()]


def surface_distance2(a: abut.Solid, b: abut.Solid) -> Fraction:
    """Squared distance of two surfaces [m^2]."""
    scale, (p, q) = _whole(a.vertices, b.vertices)
    T, U = _triangles(p, a), _triangles(q, b)
    order = sorted((_box_distance(t, u), i, j) for (i, t), (j, u) in product(enumerate(T), enumerate(U)))
    best: Fraction | None = None
    for bound2, i, j in order:
        if best is not None and bound2 >= best:
            break
        d2 = triangle_distance2(T[i], U[j])
        best = d2 if best is None or d2 < best else best
    assert best is not None
    return best / scale**2


def _box_distance(t: Any, u: Any) -> int:
    """Squared distance of the boxes of two triangles."""
    total = 0
    for k in range(3):
        a, b = [p[k] for p in t], [p[k] for p in u]
        total += max(0, min(a) - max(b), min(b) - max(a)) ** 2
    return total


def enclosed(inner: Any, outer: abut.Solid, on_surface: Any = True) -> Any:
    """Whether a point, or the first vertex of a solid, lies in another one."""
    point = inner.vertices[0] if isinstance(inner, abut.Solid) else inner
    _, ((p,), q) = _whole(point, outer.vertices)
    triangles = _triangles(q, outer)
    if on_surface is not True and any(point_triangle_distance2(p, t) == 0 for t in triangles):
        return on_surface
    return encloses(triangles, p)


def first_touch(a: abut.Solid, b: abut.Solid, move: Floats) -> Fraction | None:
    """When b, moved straight, first touches a; None if it does not. 0 where they meet to begin with."""
    if surface_distance2(a, b) == 0 or enclosed(a, b) or enclosed(b, a):
        return Fraction(0)
    _, (p, q, (way,)) = _whole(a.vertices, b.vertices, move)
    T, U, back = _triangles(p, a), _triangles(q, b), sub((0, 0, 0), way)
    times: list[Fraction] = []
    for t, u in product(T, U):
        if not _reaches(t, u, way):
            continue
        times += [x for v in u if (x := _ray_triangle(v, way, t)) is not None]
        times += [x for v in t if (x := _ray_triangle(v, back, u)) is not None]
        for (i, j), (k, l) in product(SIDES, SIDES):
            x = _ray_edges(u[i], u[j], t[k], t[l], way)
            times += [] if x is None else [x]
    return min((x for x in times if 0 <= x <= 1), default=None)


def _reaches(t: Any, u: Any, way: Point) -> bool:
    for k in range(3):
        low, high = min(p[k] for p in u) + min(0, way[k]), max(p[k] for p in u) + max(0, way[k])
        if low > max(p[k] for p in t) or high < min(p[k] for p in t):
            return False
    return True


def _ray_triangle(p: Point, way: Point, T: Any) -> Fraction | None:
    """When a point that moves along a way is in a triangle; None where the way is parallel to it."""
    n = cross(sub(T[1], T[0]), sub(T[2], T[0]))
    along = dot(n, way)
    if along == 0:
        return None
    turns = [dot(cross(sub(T[i], p), sub(T[j], p)), way) for i, j in SIDES]
    if min(turns) < 0 < max(turns):
        return None
    return Fraction(dot(n, sub(T[0], p)), along)


def _ray_edges(a: Point, b: Point, c: Point, d: Point, way: Point) -> Fraction | None:
    """When the segment a b, moved along a way, meets c d; None where they are parallel to a plane with it."""
    u, v, w = sub(b, a), sub(d, c), sub(c, a)
    det = dot(cross(u, v), way)
    if det == 0:
        return None
    # a + s u + t way = c + r v
    s, t = Fraction(dot(cross(w, v), way), det), Fraction(dot(cross(u, v), w), det)
    r = Fraction(dot(cross(w, u), way), det)
    return t if 0 <= s <= 1 and 0 <= r <= 1 else None
