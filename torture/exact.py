"""Predicates in exact arithmetic: float64 coordinates are rationals, integers after one scaling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Point = tuple[int, int, int]
Triangle = tuple[Point, Point, Point]


def integers(*points: Iterable[float]) -> list[Point]:
    """The points times one power of two that makes all coordinates whole."""
    ratios = [[float(x).as_integer_ratio() for x in point] for point in points]
    scale = max(d for row in ratios for _, d in row)
    whole = [[n * (scale // d) for n, d in row] for row in ratios]
    return [(x, y, z) for x, y, z in whole]


def sub(a: Sequence[int], b: Sequence[int]) -> Point:
    """Difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[int], b: Sequence[int]) -> Point:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def sign(x: int) -> int:
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


def side(a: Point, b: Point, c: Point, d: Point) -> int:
    """On which side of the plane a b c the point d lies."""
    return sign(dot(cross(sub(b, a), sub(c, a)), sub(d, a)))


def triangles_meet(T: Triangle, U: Triangle) -> bool:
    """Whether two triangles have a common point, touching included; one without area has none."""
    n, m = cross(sub(T[1], T[0]), sub(T[2], T[0])), cross(sub(U[1], U[0]), sub(U[2], U[0]))
    if not any(n) or not any(m):
        return False
    of_u = [sign(dot(n, sub(p, T[0]))) for p in U]
    of_t = [sign(dot(m, sub(p, U[0]))) for p in T]
    if _one_sided(of_u) or _one_sided(of_t):
        return False
    if not any(of_u):
        return _flat_triangles_meet(T, U, n)
    return any(_pierces(T, of_t, i, U) for i in range(3)) or any(_pierces(U, of_u, i, T) for i in range(3))


def _one_sided(signs: list[int]) -> bool:
    return min(signs) > 0 or max(signs) < 0


def _pierces(T: Triangle, heights: list[int], i: int, U: Triangle) -> bool:
    """Whether side i of T meets U; sides in the plane of U are left to those that are not."""
    j = (i + 1) % 3
    if heights[i] * heights[j] > 0 or heights[i] == heights[j] == 0:
        return False
    p, q = T[i], T[j]
    turns = [side(p, q, U[k], U[(k + 1) % 3]) for k in range(3)]
    return min(turns) >= 0 or max(turns) <= 0


def _flat_triangles_meet(T: Triangle, U: Triangle, n: Point) -> bool:
    drop = max(range(3), key=lambda k: abs(n[k]))
    flat = [[(p[(drop + 1) % 3], p[(drop + 2) % 3]) for p in triangle] for triangle in (T, U)]
    t, u = flat
    crossing = any(_segments_meet(t[i], t[(i + 1) % 3], u[j], u[(j + 1) % 3]) for i in range(3) for j in range(3))
    return crossing or _holds(t, u[0]) or _holds(u, t[0])


def _turn(a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> int:
    return sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _segments_meet(a: Sequence[int], b: Sequence[int], c: Sequence[int], d: Sequence[int]) -> bool:
    if any(max(a[k], b[k]) < min(c[k], d[k]) or max(c[k], d[k]) < min(a[k], b[k]) for k in range(2)):
        return False
    return _turn(a, b, c) * _turn(a, b, d) <= 0 and _turn(c, d, a) * _turn(c, d, b) <= 0


def _holds(triangle: Sequence[Sequence[int]], p: Sequence[int]) -> bool:
    turns = [_turn(triangle[i], triangle[(i + 1) % 3], p) for i in range(3)]
    return min(turns) >= 0 or max(turns) <= 0


RAYS: tuple[Point, ...] = ((1009, 631, 353), (-727, 1013, 421), (523, -911, 1021), (317, 491, -1031), (-839, -547, 997))


def encloses(triangles: Sequence[Triangle], p: Point) -> bool:
    """Whether a closed surface holds a point, by crossings of a ray; a point on the surface counts as held."""
    for ray in RAYS:
        crossings = _crossings(triangles, p, ray)
        if crossings is not None:
            return crossings != 0
    return True  # every ray meets an edge: the point is on one


def _crossings(triangles: Sequence[Triangle], p: Point, ray: Point) -> int | None:
    """Signed number of crossings; None where the ray meets an edge, or the point is on the surface."""
    total = 0
    for a, b, c in triangles:
        n = cross(sub(b, a), sub(c, a))
        if not any(n):
            continue
        u, v, w = sub(a, p), sub(b, p), sub(c, p)
        turns = [sign(dot(cross(x, y), ray)) for x, y in ((u, v), (v, w), (w, u))]
        if min(turns) < 0 < max(turns):
            continue
        ahead, facing = sign(dot(n, u)), sign(dot(n, ray))
        if facing and ahead * facing < 0:
            continue
        if 0 in turns or facing == 0 or ahead == 0:
            return None
        total += facing
    return total
