"""Where points lie: in or out exactly, and on which vertex, edge or face within a tolerance.

A cell keeps one reference point and how often the surface winds around it. The way from a point to the reference point
stays in the cell, so that only the triangles filed there can lie between the two: their planes decide, with exact
signs where a plane parts them.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import segment_parameter
from ...math.vec_kernels import add_scaled, distance2, dot, lerp, norm, put_row, row, sub
from ..containment.containment_kernels import DIRECTIONS, ON_SURFACE, UNDECIDED, crossing_of_triangle, ray_direction
from ..distance.triangle_pair_kernels import load_triangle
from .brep_index_kernels import CELL
from .brep_index_tables import FACE, IN, OUT, UNKNOWN, BrepIndex, Name, Walk

_TRIES = 8


@inner_kernel
def height(planes, i, column, p):
    """Height of `p` above one of the planes of triangle `i`."""
    n = (planes[i, column], planes[i, column + 1], planes[i, column + 2])
    return dot(n, p) - planes[i, column + 3]


@inner_kernel
def cell_of(index, p):
    """The cell in which `p` lies, -1 outside of all."""
    for k in range(3):
        if p[k] < index.box[0, k] or p[k] > index.box[1, k]:
            return -1
    node = 0
    while index.axis[node] != CELL:
        node = np.int64(index.child[node]) + (1 if p[index.axis[node]] >= index.cut[node] else 0)
    return np.int64(index.child[node])


@inner_kernel
def _certain_crossing(index, i, p, q):
    """Crossing of triangle `i` by the segment pq: -1, 0 or 1 where rounding leaves no doubt, else UNDECIDED."""
    h, g, slack = height(index.planes, i, 0, p), height(index.planes, i, 0, q), index.slack
    if (h > slack and g > slack) or (h < -slack and g < -slack):
        return 0
    if abs(h) <= slack or abs(g) <= slack:
        return UNDECIDED
    x = lerp(p, q, h / (h - g))
    # Heights are off by the slack, so that x is off by its share of the way between the two.
    doubt = slack * (2.0 + 2.0 * norm(sub(q, p)) / abs(h - g))
    least = min(height(index.planes, i, 4, x), height(index.planes, i, 8, x), height(index.planes, i, 12, x))
    if abs(least) <= doubt:
        return UNDECIDED
    return 0 if least < 0.0 else (1 if h < 0.0 else -1)


@inner_kernel
def _crossings(index, triangles, first, last, p, q):
    """Signed crossings of triangles by the segment pq, and ON_SURFACE or UNDECIDED where they are in doubt (else 0)."""
    total = 0
    for k in range(first, last):
        i = np.int64(triangles[k])
        crossing = _certain_crossing(index, i, p, q)
        if crossing == UNDECIDED:
            crossing = crossing_of_triangle(p, q, load_triangle(index.corners, i))
            if crossing >= 2:
                return 0, crossing
        total += crossing
    return total, 0


@inner_kernel
def part_between(a, s, low, high, first, last):
    """The part of [first, last] where low <= a + s t <= high; last < first where there is none."""
    if s == 0.0:
        return (first, last) if low <= a <= high else (1.0, 0.0)
    x, y = (low - a) / s, (high - a) / s
    return max(first, min(x, y)), min(last, max(x, y))


@kernel
def new_walk(index):
    """Room for ways through an index."""
    n = index.corners.shape[0]
    seen, found = np.zeros(n, np.int32), np.empty(n, np.int32)
    return Walk(seen, np.empty(index.depth + 2, np.int32), np.empty((index.depth + 2, 2)), found)


@inner_kernel
def triangles_along(index, p, d, reach, mark, walk_io):
    """Triangles filed in cells that p + t d, 0 <= t <= 1, comes within `reach` of, each once; returns how many.

    Those that were found already are known by `mark`.
    """
    stack, parts = walk_io.stack, walk_io.parts
    t0, t1 = 0.0, 1.0
    for k in range(3):
        low, high = index.box[0, k] - reach, index.box[1, k] + reach
        if min(p[k], p[k] + d[k]) > high or max(p[k], p[k] + d[k]) < low:
            return 0
    for k in range(3):
        t0, t1 = part_between(p[k], d[k], index.box[0, k] - reach, index.box[1, k] + reach, t0, t1)
    if t1 < t0:
        return 0
    n, top = 0, 1
    stack[0], parts[0, 0], parts[0, 1] = 0, t0, t1
    while top > 0:
        top -= 1
        node = np.int64(stack[top])
        t0, t1 = parts[top, 0], parts[top, 1]
        axis, under = index.axis[node], np.int64(index.child[node])
        if axis == CELL:
            for i in range(index.first[under], index.first[under + 1]):
                t = index.filed[i]
                if walk_io.seen[t] != mark:
                    walk_io.seen[t] = mark
                    walk_io.found[n] = t
                    n += 1
            continue
        a, s, cut = p[axis], d[axis], index.cut[node]
        begin, end = a + t0 * s, a + t1 * s
        if max(begin, end) < cut - reach or min(begin, end) > cut + reach:
            stack[top] = under + (1 if begin > cut else 0)
            top += 1
            continue
        for side in range(2):
            low, high = (-np.inf, cut + reach) if side == 0 else (cut - reach, np.inf)
            x, y = part_between(a, s, low, high, t0, t1)
            if x <= y:
                stack[top], parts[top, 0], parts[top, 1] = under + side, x, y
                top += 1
    return n


@inner_kernel
def _winding_between(index, p, q, winding_q, mark, walk_io):
    """Winding number of `p` by the segment to `q`, where it is known, and what is in doubt (else 0)."""
    n = triangles_along(index, p, sub(q, p), 2.0 * index.slack, mark, walk_io)
    total, doubt = _crossings(index, walk_io.found, 0, n, p, q)
    return winding_q + total, doubt


@lean_kernel
def winding_by_rays(index, p, mark, walk_io):
    """Winding number of `p` by rays that leave the box, what is in doubt, and the next mark."""
    low, high = row(index.box, 0), row(index.box, 1)
    length = 2.0 * (norm(sub(high, low)) + norm(sub(p, low)))
    for k in range(DIRECTIONS):
        q = add_scaled(p, length, ray_direction(k))
        winding, doubt = _winding_between(index, p, q, 0, mark, walk_io)
        mark += 1
        if doubt != UNDECIDED:
            return winding, doubt, mark
    return 0, UNDECIDED, mark


@kernel
def _try_reference(cells, c, attempt):
    """A point of cell `c`, well inside and on no plane of symmetry."""
    p = (0.0, 0.0, 0.0)
    f = (
        (0.437 + 0.7548776662 * attempt) % 1.0,
        (0.571 + 0.5698402910 * attempt) % 1.0,
        (0.489 + 0.3287 * attempt) % 1.0,
    )
    p = (0.25 + 0.5 * f[0], 0.25 + 0.5 * f[1], 0.25 + 0.5 * f[2])
    return (
        cells[c, 0] + p[0] * (cells[c, 3] - cells[c, 0]),
        cells[c, 1] + p[1] * (cells[c, 4] - cells[c, 1]),
        cells[c, 2] + p[2] * (cells[c, 5] - cells[c, 2]),
    )


@kernel
def label_cells(index, cells, reference_out, winding_out):
    """A reference point of each cell and its winding number, by the way from the cell before; (n_cell, 6) `cells`."""
    index = BrepIndex(*index)
    walk = new_walk(index)
    mark, known, at = 1, 0, sub(row(index.box, 0), (1.0, 1.0, 1.0))
    for c in range(cells.shape[0]):
        winding_out[c] = UNKNOWN
        for attempt in range(_TRIES):
            p = _try_reference(cells, c, attempt)
            winding, doubt = _winding_between(index, p, at, known, mark, walk)
            mark += 1
            if doubt == UNDECIDED:
                winding, doubt, mark = winding_by_rays(index, p, mark, walk)
            if doubt == 0:
                at, known = p, winding
                winding_out[c] = winding
                put_row(p, c, reference_out)
                break


@kernel
def _place_by_rays(index, p):
    """IN or OUT where a cell has no reference point, or the way to it meets an edge: so rare that it makes tables."""
    winding, doubt, _ = winding_by_rays(index, p, 1, new_walk(index))
    return OUT if doubt == 0 and winding == 0 else IN


@inner_kernel
def place_in_cell(index, c, p):
    """IN or OUT for a point of cell `c`; points exactly on the surface count as in."""
    if c < 0:
        return OUT
    winding = np.int64(index.winding[c])
    first, last = np.int64(index.first[c]), np.int64(index.first[c + 1])
    if winding == UNKNOWN:
        return _place_by_rays(index, p)
    if first == last:
        return IN if winding != 0 else OUT
    crossings, doubt = _crossings(index, index.filed, first, last, p, row(index.reference, c))
    if doubt == UNDECIDED:
        return _place_by_rays(index, p)
    return IN if doubt == ON_SURFACE or winding + crossings != 0 else OUT


@inner_kernel
def _near_triangle(index, i, p, tolerance):
    """Whether `p` may lie within the tolerance of triangle `i`, by its plane and those across its sides."""
    if abs(height(index.planes, i, 0, p)) > tolerance:
        return False
    for k in range(3):
        if height(index.planes, i, 4 * k + 4, p) < -tolerance:
            return False
    return True


@inner_kernel
def _better(best, kind, number, d2):
    """The better of two names: the lower kind, the nearer, the lower number."""
    if kind != best.kind:
        return Name(kind, number, d2) if kind < best.kind else best
    if d2 != best.d2:
        return Name(kind, number, d2) if d2 < best.d2 else best
    return Name(kind, min(number, best.number), d2)


@inner_kernel
def _name_on_triangle(index, i, p, tolerance2, best):
    """The better of `best` and what of triangle `i` lies within the tolerance of `p`."""
    T = load_triangle(index.corners, i)
    above = 0
    for k in range(3):
        v, e = np.int64(index.vertices[i, k]), np.int64(index.edges[i, k])
        d2 = distance2(p, T[k])
        if d2 <= tolerance2:
            best = _better(best, np.int64(index.vertex_name[v, 0]), np.int64(index.vertex_name[v, 1]), d2)
        t = segment_parameter(p, T[k], T[(k + 1) % 3])
        d2 = distance2(p, lerp(T[k], T[(k + 1) % 3], t))
        if 0.0 < t < 1.0 and d2 <= tolerance2:
            best = _better(best, np.int64(index.edge_name[e, 0]), np.int64(index.edge_name[e, 1]), d2)
        above += 1 if height(index.planes, i, 4 * k + 4, p) >= 0.0 else 0
    flat = index.planes[i, 0] == 0.0 and index.planes[i, 1] == 0.0 and index.planes[i, 2] == 0.0
    if above == 3 and not flat:
        best = _better(best, FACE, np.int64(index.faces[i]), height(index.planes, i, 0, p) ** 2)
    return best


@inner_kernel
def name_point(index, p, tolerance, stack_io):
    """Kind and number of what `p` lies on, in or out of."""
    best, home = Name(OUT, np.int64(-1), np.inf), np.int64(-1)
    for k in range(3):
        if p[k] < index.box[0, k] - tolerance or p[k] > index.box[1, k] + tolerance:
            return best.kind, best.number
    stack_io[0], top = 0, 1
    while top > 0:
        top -= 1
        node = np.int64(stack_io[top])
        axis, under = index.axis[node], np.int64(index.child[node])
        if axis == CELL:
            # Cells in which the point itself lies come last of those on the stack, see below.
            home = under
            for i in range(index.first[under], index.first[under + 1]):
                t = np.int64(index.filed[i])
                if _near_triangle(index, t, p, tolerance):
                    best = _name_on_triangle(index, t, p, tolerance * tolerance, best)
            continue
        h = p[axis] - index.cut[node]
        side = 1 if h >= 0.0 else 0
        stack_io[top] = under + side
        top += 1
        if abs(h) <= tolerance:
            stack_io[top] = under + 1 - side
            top += 1
    if best.kind < IN:
        return best.kind, best.number
    inside = _within(index.box, p)
    return (place_in_cell(index, home, p) if inside else OUT), np.int64(-1)


@inner_kernel
def _within(box, p):
    for k in range(3):
        if p[k] < box[0, k] or p[k] > box[1, k]:
            return False
    return True


@kernel
def name_points(index, points, tolerance, kind_out, number_out):
    """Kind and number of what each of (n, 3) points lies on, in or out of."""
    index = BrepIndex(*index)
    stack = np.empty(index.depth + 2, np.int32)
    for i in range(points.shape[0]):
        kind, number = name_point(index, row(points, i), tolerance, stack)
        kind_out[i], number_out[i] = kind, number
