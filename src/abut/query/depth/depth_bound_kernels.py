"""Upper bounds of the depth of a piece of a surface under another surface, from cheap to good.

* Depth changes by no more than one goes.
* Distance from a convex facet is a convex function, so that of the corners bounds that of the triangle; so does any
  mixture of distances from several facets.
* Let B's surface within d of T rise no higher than h above the plane of one of its facets there. What is higher, within
  d of T, is convex and free of B's surface, and so outside B if any point of it is. Points of T in B then lie below the
  height h, and no deeper in B than that, if that is no more than d. Over T the depth below a plane is linear, so that
  mixtures of such planes give the true depth at corners and ridges of B. For d guesses are tried first, which the
  result has to confirm; then what is known to be a bound, and what becomes of it.
"""

from math import sqrt

import numpy as np

from ..._jit import lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import (
    add,
    add_scaled,
    cross,
    distance2,
    dot,
    lerp,
    mat_t_vec,
    mat_vec,
    norm,
    norm2,
    scale,
    sub,
    unit,
)
from ..containment.containment_kernels import OUTSIDE, locate_point
from ..distance.point_kernels import closest_point_from
from ..distance.triangle_pair_kernels import load_triangle, triangle_gap2
from ..search.search_tables import UNLIMITED
from ..volumes.obb_kernels import box_axes, box_centre, box_half
from .depth_tables import Near

MOST_FACETS, _FEW, _CLOSE = 96, 16, 4.0
"""Facets near a triangle that are compared, and how many where a bound is more than some times a guess; where there
are more, the triangle is divided."""
_GUESSES = 3
"""How many guesses are tried, each _CLOSE times the last one."""
_ROUNDS, _PROGRESS = 16, 0.5
"""How often a bound by planes is made better by itself, as long as it falls by this factor."""
_HOPELESS = 64.0
"""Bounds that are as many times a guess are not made better: the triangle is divided."""
_SPARE = 1.1
"""How much larger than the depth of its corners a guess of that of a triangle is."""
BEYOND_ALL = 1e300
"""Farther than anything."""


@lean_kernel
def signed_depth(p, part, guess, work):
    """Depth of a point in B, less than 0 outside, and the nearest facet; `guess` is a facet that may be near."""
    corners, child, _, boxes = part
    G = load_triangle(corners, guess)
    q, _ = closest_point_triangle(p, G[0], G[1], G[2])
    everything = np.int64(UNLIMITED)
    d2, q, facet = closest_point_from(p, part, work.stack, work.bounds, everything, distance2(p, q), q, guess)
    if d2 == 0.0:
        return 0.0, facet
    inside = locate_point(p, corners, child, boxes, work.stack) != OUTSIDE
    return sqrt(d2) if inside else -sqrt(d2), facet


@lean_kernel
def _facet_distance(p, corners, facet):
    G = load_triangle(corners, facet)
    q, _ = closest_point_triangle(p, G[0], G[1], G[2])
    return sqrt(distance2(p, q))


@lean_kernel
def _largest(v):
    return max(v[0], v[1], v[2])


@lean_kernel
def _mixed(v, w):
    """The least maximum over three corners of any mixture of two bounds v and w of them."""
    least = min(_largest(v), _largest(w))
    for i in range(3):
        j = (i + 1) % 3
        across, up = v[i] - v[j], w[j] - w[i]
        if across + up != 0.0:
            s = up / (across + up)
            if 0.0 < s < 1.0:
                least = min(least, _largest(add(scale(s, v), scale(1.0 - s, w))))
    return least


@lean_kernel
def _mixed_of_three(u, v, w):
    """The least maximum over three corners of any mixture of three bounds of them."""
    least = min(_mixed(u, v), _mixed(v, w), _mixed(w, u))
    m = cross((u[1] - u[0], v[1] - v[0], w[1] - w[0]), (u[2] - u[0], v[2] - v[0], w[2] - w[0]))
    total = m[0] + m[1] + m[2]
    if total != 0.0 and m[0] / total >= 0.0 and m[1] / total >= 0.0 and m[2] / total >= 0.0:
        sums = add(scale(m[0] / total, u), add(scale(m[1] / total, v), scale(m[2] / total, w)))
        least = min(least, _largest(sums))
    return least


@lean_kernel
def _bound_by_motion(T, depth):
    """Upper bound of the depth in T from that of its corners."""
    ab, bc, ca = sqrt(distance2(T[0], T[1])), sqrt(distance2(T[1], T[2])), sqrt(distance2(T[2], T[0]))
    return min(depth[0] + max(ab, ca), depth[1] + max(ab, bc), depth[2] + max(bc, ca))


@lean_kernel
def _distances(T, corners, facet):
    return (
        _facet_distance(T[0], corners, facet),
        _facet_distance(T[1], corners, facet),
        _facet_distance(T[2], corners, facet),
    )


@lean_kernel
def _bound_by_facets(T, facets, corners):
    """Upper bound of the distance of T from three facets."""
    u = _distances(T, corners, facets[0])
    if facets[0] == facets[1] == facets[2]:
        return _largest(u)
    v, w = _distances(T, corners, facets[1]), _distances(T, corners, facets[2])
    return _mixed_of_three(u, v, w)


@lean_kernel
def _sides(T):
    """For each side of T the unit vector across it, in the plane of T and out of it; zero where T has no area."""
    n = cross(sub(T[1], T[0]), sub(T[2], T[0]))
    return (
        unit(cross(sub(T[1], T[0]), n)),
        unit(cross(sub(T[2], T[1]), n)),
        unit(cross(sub(T[0], T[2]), n)),
    )


@lean_kernel
def _box_is_beyond(T, sides, normal, limit, boxes, node):
    """Whether box `node` is farther than `limit` from T across one of its sides or along its normal."""
    axes, centre, half = box_axes(boxes, node), box_centre(boxes, node), box_half(boxes, node)
    for k in range(4):
        n = normal if k == 3 else sides[k]
        v = mat_vec(axes, n)
        room = dot(n, sub(centre, T[k % 3])) if k < 3 else abs(dot(n, sub(centre, T[0])))
        if room - half[0] * abs(v[0]) - half[1] * abs(v[1]) - half[2] * abs(v[2]) > limit:
            return True
    return False


@lean_kernel
def _gather(T, sides, limit, most, part, work):
    """Find the facets within `limit` of T; their number, which is larger than `most` if there are more."""
    corners, child, _, boxes = part
    normal = unit(cross(sub(T[1], T[0]), sub(T[2], T[0])))
    work.stack[0], top, n = 0, 1, 0
    while top > 0:
        top -= 1
        work.spent[0] += 1
        node = np.int64(work.stack[top])
        if _box_is_beyond(T, sides, normal, limit, boxes, node):
            continue
        under = np.int64(child[node])
        if under >= 0:
            work.stack[top], work.stack[top + 1] = under, under + 1
            top += 2
            continue
        near2, _ = triangle_gap2(T, load_triangle(corners, -1 - under), limit * limit)
        if near2 <= limit * limit:
            if n == most:
                return n + 1
            work.found[n] = -1 - under
            n += 1
    return n


@lean_kernel
def _clip(n, side, offset, k, polygon_io):
    """Cut what is beyond `offset` along `side` off polygon k of two, into the other one; number of its corners."""
    kept, other = 0, 1 - k
    for i in range(n):
        p = (polygon_io[k, i, 0], polygon_io[k, i, 1], polygon_io[k, i, 2])
        j = (i + 1) % n
        q = (polygon_io[k, j, 0], polygon_io[k, j, 1], polygon_io[k, j, 2])
        beyond_p, beyond_q = dot(side, p) - offset, dot(side, q) - offset
        if beyond_p <= 0.0:
            polygon_io[other, kept, 0], polygon_io[other, kept, 1], polygon_io[other, kept, 2] = p
            kept += 1
        if (beyond_p < 0.0 < beyond_q) or (beyond_q < 0.0 < beyond_p):
            r = lerp(p, q, beyond_p / (beyond_p - beyond_q))
            polygon_io[other, kept, 0], polygon_io[other, kept, 1], polygon_io[other, kept, 2] = r
            kept += 1
    return kept


@lean_kernel
def _height_near(J, T, sides, limit, normal, origin, polygon_io):
    """How high facet J rises above a plane at most where it is within `limit` of T; far below where it is nowhere."""
    for i in range(3):
        polygon_io[0, i, 0], polygon_io[0, i, 1], polygon_io[0, i, 2] = J[i]
    n, k = 3, 0
    for e in range(3):
        n = _clip(n, sides[e], dot(sides[e], T[e]) + limit, k, polygon_io)
        k = 1 - k
    highest = -BEYOND_ALL
    for i in range(n):
        p = (polygon_io[k, i, 0], polygon_io[k, i, 1], polygon_io[k, i, 2])
        highest = max(highest, dot(normal, sub(p, origin)))
    return highest


@lean_kernel
def _below_plane(T, sides, near, n, facet, wanted, work):
    """Bounds of the depth at the corners of T by the plane of a facet, given the n that are Near T.

    Far where the plane gives none.
    """
    corners, child, _, boxes = wanted.part
    K = load_triangle(corners, facet)
    normal, highest, nothing = unit(cross(sub(K[1], K[0]), sub(K[2], K[0]))), 0.0, (BEYOND_ALL, BEYOND_ALL, BEYOND_ALL)
    if norm2(normal) == 0.0:
        return nothing
    work.spent[0] += n
    for j in range(n):
        J = load_triangle(corners, work.found[j])
        if max(dot(normal, sub(J[0], K[0])), dot(normal, sub(J[1], K[0])), dot(normal, sub(J[2], K[0]))) > highest:
            highest = max(highest, _height_near(J, T, sides, near.limit, normal, K[0], work.polygon))
    top = highest + 2.0 * wanted.slack
    row = (
        top - dot(normal, sub(T[0], K[0])),
        top - dot(normal, sub(T[1], K[0])),
        top - dot(normal, sub(T[2], K[0])),
    )
    k = 0 if row[0] <= row[1] and row[0] <= row[2] else (1 if row[1] <= row[2] else 2)
    if row[k] > near.limit or (not near.proven and _largest(row) > near.limit):
        return nothing
    above = add_scaled(T[k], max(0.0, row[k]), normal)
    return row if locate_point(above, corners, child, boxes, work.stack) == OUTSIDE else nothing


@lean_kernel
def _bound_within(piece, sides, near, most, wanted, work):
    """Upper bound of a piece's depth by the planes of the facets nearest to its corners; far where none is found."""
    T, facets = piece.T, piece.facets
    n = _gather(T, sides, near.limit, most, wanted.part, work)
    if n > most:
        return BEYOND_ALL
    if n == 0:  # T does not meet B's surface, and if the limit is a bound, it is not in B
        return 0.0 if near.proven or piece.depth[0] < 0.0 else BEYOND_ALL
    u = _below_plane(T, sides, near, n, facets[0], wanted, work)
    v, w = u, u
    if facets[1] != facets[0]:
        v = _below_plane(T, sides, near, n, facets[1], wanted, work)
    if facets[2] == facets[1]:
        w = v
    elif facets[2] != facets[0]:
        w = _below_plane(T, sides, near, n, facets[2], wanted, work)
    return max(0.0, _mixed_of_three(u, v, w))


@lean_kernel
def _bound_by_planes(piece, limit, enough, wanted, work):
    """Upper bound of a piece's depth by planes; `limit` is one to begin with."""
    sides, depth, slack = _sides(piece.T), piece.depth, wanted.slack
    guess = _SPARE * max(enough, abs(depth[0]), abs(depth[1]), abs(depth[2])) + 4.0 * slack
    tried = guess
    for _ in range(_GUESSES):
        if tried >= limit:
            break
        found = _bound_within(piece, sides, Near(tried, False), MOST_FACETS, wanted, work)
        if found < limit:
            limit = found
            break
        tried *= _CLOSE
    for _ in range(_ROUNDS):
        if limit <= enough or limit > _HOPELESS * guess:
            break
        # A bound that is far from the guess takes in much, and is soon lower where that is little.
        most = _FEW if limit > _CLOSE * guess else MOST_FACETS
        least = _bound_within(piece, sides, Near(limit + slack, True), most, wanted, work)
        if least > _PROGRESS * limit:
            return min(least, limit)
        limit = least
    return limit


@lean_kernel
def bound_of(piece, enough, wanted, work):
    """Upper bound of a piece's depth; no effort is made below `enough`."""
    bound = _bound_by_motion(piece.T, piece.depth)
    if bound > enough:
        bound = min(bound, _bound_by_facets(piece.T, piece.facets, wanted.part.corners))
    if bound > enough:
        bound = min(bound, _bound_by_planes(piece, bound, enough, wanted, work))
    return bound


@lean_kernel
def bound_of_node(node, part_a, X, part, guess, work):
    """Upper bound of the depth in node `node` of A, and the facet of B nearest to its centre."""
    boxes_a = part_a.boxes
    centre, half = pose_apply(X, box_centre(boxes_a, node)), box_half(boxes_a, node)
    reach = norm(half)
    depth, facet = signed_depth(centre, part, guess, work)
    if depth + reach <= 0.0:
        return depth + reach, facet
    axes, farthest = box_axes(boxes_a, node), 0.0
    for k in range(8):
        corner = (half[0] if k & 1 else -half[0], half[1] if k & 2 else -half[1], half[2] if k & 4 else -half[2])
        p = pose_apply(X, add(box_centre(boxes_a, node), mat_t_vec(axes, corner)))
        farthest = max(farthest, _facet_distance(p, part.corners, facet))
    return min(depth + reach, farthest), facet
