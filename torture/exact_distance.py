"""Squared distances as fractions, of points and triangles with whole coordinates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from .exact import Point, Triangle, cross, dot, sub, triangles_meet

SIDES = ((0, 1), (1, 2), (2, 0))


def triangle_distance2(T: Triangle, U: Triangle) -> Fraction:
    """Squared distance of two triangles, 0 where they meet."""
    if triangles_meet(T, U):
        return Fraction(0)
    between_sides = (segment_distance2(T[i], T[j], U[k], U[l]) for (i, j), (k, l) in product(SIDES, SIDES))
    above = (h for A, B in ((T, U), (U, T)) for p in A if (h := _height2(p, B)) is not None)
    return min([*between_sides, *above])


def point_triangle_distance2(p: Point, T: Triangle) -> Fraction:
    """Squared distance of a point from a triangle."""
    above = _height2(p, T)
    return above if above is not None else min(point_segment_distance2(p, T[i], T[j]) for i, j in SIDES)


def point_segment_distance2(p: Point, a: Point, b: Point) -> Fraction:
    """Squared distance of a point from a segment."""
    u, w = sub(b, a), sub(p, a)
    uu, uw, ww = dot(u, u), dot(u, w), dot(w, w)
    if uw <= 0:
        return Fraction(ww)
    return Fraction(ww * uu - uw * uw, uu) if uw < uu else Fraction(dot(sub(p, b), sub(p, b)))


def segment_distance2(a: Point, b: Point, c: Point, d: Point) -> Fraction:
    """Squared distance of two segments."""
    ends = ((a, c, d), (b, c, d), (c, a, b), (d, a, b))
    best = min(point_segment_distance2(*end) for end in ends)
    u, v, w = sub(b, a), sub(d, c), sub(a, c)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = uu * vv - uv * uv
    if det and 0 <= uv * vw - vv * uw <= det and 0 <= uu * vw - uv * uw <= det:
        n = cross(u, v)
        best = min(best, Fraction(dot(w, n) ** 2, dot(n, n)))
    return best


def _height2(p: Point, T: Triangle) -> Fraction | None:
    """Squared height of a point above the plane of a triangle; None where it is not above the triangle."""
    n = cross(sub(T[1], T[0]), sub(T[2], T[0]))
    if not any(n) or any(dot(cross(sub(T[j], T[i]), sub(p, T[i])), n) < 0 for i, j in SIDES):
        return None
    return Fraction(dot(sub(p, T[0]), n) ** 2, dot(n, n))
