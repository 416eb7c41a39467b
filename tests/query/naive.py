"""Slow and obvious versions of what `abut.query` does, and simple parts to ask about."""

from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
from torture.exact import cross, dot, sub
from torture.exact_distance import segment_distance2

import abut
from abut._jit import kernel
from abut.geometry.triangles.intersect_kernels import triangles_intersect
from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from abut.math.vec_kernels import distance2, row

BOX_FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def box(size=(1, 1, 1), centre=(0, 0, 0)):
    corners = np.array([(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    return abut.Solid(corners * size + centre, BOX_FACES)


def hollow_box(outer=4.0, inner=3.0):
    """A box with a cavity: the inner surface turned inside out."""
    a, b = box((outer,) * 3), box((inner,) * 3)
    faces = np.concatenate((a.triangles, b.triangles[:, ::-1] + len(a.vertices)))
    return abut.Solid(np.concatenate((a.vertices, b.vertices)), faces)


def grid_surface(point_at, n_u, n_v):
    """A closed surface over a torus of parameters."""
    u, v = np.meshgrid(np.arange(n_u), np.arange(n_v), indexing="ij")
    points = point_at(2 * np.pi * u.ravel() / n_u, 2 * np.pi * v.ravel() / n_v)
    a, b = u * n_v + v, (u + 1) % n_u * n_v + v
    c, d = (u + 1) % n_u * n_v + (v + 1) % n_v, u * n_v + (v + 1) % n_v
    faces = np.concatenate((np.stack((a, b, c), axis=-1).reshape(-1, 3), np.stack((a, c, d), axis=-1).reshape(-1, 3)))
    return abut.Solid(points, faces)


def torus(n_u=24, n_v=10, ring=1.0, tube=0.35, bumps=0.0):
    def point_at(u, v):
        r = tube * (1.0 + bumps * np.sin(5 * u) * np.cos(3 * v))
        return np.stack(
            ((ring + r * np.cos(v)) * np.cos(u), (ring + r * np.cos(v)) * np.sin(u), r * np.sin(v)), axis=-1
        )

    return grid_surface(point_at, n_u, n_v)


@kernel
def _pair2(a, b):
    if triangles_intersect(a[0], a[1], a[2], b[0], b[1], b[2]):
        return 0.0
    best = 1e300
    for i in range(3):
        q, _ = closest_point_triangle(a[i], b[0], b[1], b[2])
        best = min(best, distance2(a[i], q))
        q, _ = closest_point_triangle(b[i], a[0], a[1], a[2])
        best = min(best, distance2(b[i], q))
        for j in range(3):
            p, q, _, _ = closest_segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3])
            best = min(best, distance2(p, q))
    return best


@kernel
def _all_pairs2(v_a, t_a, v_b, t_b, out):
    for i in range(len(t_a)):
        a = (row(v_a, t_a[i, 0]), row(v_a, t_a[i, 1]), row(v_a, t_a[i, 2]))
        for j in range(len(t_b)):
            b = (row(v_b, t_b[j, 0]), row(v_b, t_b[j, 1]), row(v_b, t_b[j, 2]))
            out[i, j] = _pair2(a, b)


def pair_distances(a, b, X_a, X_b):
    """(n, m) distances of all pairs of triangles; B is carried into the frame of A, as the library does."""
    X_ab = X_a.inverse() @ X_b
    out = np.empty((len(a.triangles), len(b.triangles)))
    _all_pairs2(a.mesh.vertices, a.mesh.triangles, X_ab.apply(b.mesh.vertices), b.mesh.triangles, out)
    return np.sqrt(out)


def exact_triangle_distance2(A, B):
    """Squared distance of two triangles, as a fraction; the coordinates are taken as the doubles they are."""
    # In units of the last binary place of any coordinate all are integers, with which Python is fastest.
    unit = max(Fraction(float(x)).denominator for T in (A, B) for p in T for x in p)
    A, B = ([[int(Fraction(float(x)) * unit) for x in p] for p in T] for T in (A, B))
    return Fraction(_integer_distance2(A, B)) / unit**2


def _integer_distance2(A, B):
    sides = [(0, 1), (1, 2), (2, 0)]
    if any(_pierces(P[i], P[j], Q) for P, Q in ((A, B), (B, A)) for i, j in sides):
        return Fraction(0)
    segments = [segment_distance2(A[i], A[j], B[k], B[l]) for (i, j), (k, l) in product(sides, sides)]
    return min([*segments, *(_point_inside2(p, Q) for P, Q in ((A, B), (B, A)) for p in P)])


def _inside(p, scale, n, Q):
    """Whether the point p / scale of the plane of Q lies in Q."""
    for k in range(3):
        arm = [x - scale * y for x, y in zip(p, Q[k], strict=True)]
        if scale * dot(cross(sub(Q[(k + 1) % 3], Q[k]), arm), n) < 0:
            return False
    return True


def _point_inside2(p, Q):
    n = cross(sub(Q[1], Q[0]), sub(Q[2], Q[0]))
    return Fraction(dot(sub(p, Q[0]), n) ** 2, dot(n, n)) if any(n) and _inside(p, 1, n, Q) else inf


def _pierces(p, q, Q):
    n = cross(sub(Q[1], Q[0]), sub(Q[2], Q[0]))
    h, drop = dot(sub(p, Q[0]), n), dot(sub(p, q), n)
    if not drop or not (0 <= h <= drop or drop <= h <= 0):
        return False
    return _inside([drop * x + h * (y - x) for x, y in zip(p, q, strict=True)], drop, n, Q)
