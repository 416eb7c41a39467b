"""Getting rid of thin triangles by swapping edges, which keeps a closed surface closed."""

from ..._jit import kernel
from ...math.vec_kernels import cross, distance2, dot, norm, row, sub
from ..topology.edge_kernels import half_edge_ends, next_in_triangle
from .repair_kernels import triangle_height

# Cosine of the angle between two normals beyond which (negated) a triangle counts as folded back.
_FOLDED = 0.9
_WORTHWHILE = 1.5
"""By which factor the thinner triangle must gain height for an edge to be swapped."""


@kernel
def _longest_side(vertices, triangles, t):
    """The half-edge along the longest side of a triangle."""
    best, best2 = 3 * t, -1.0
    for h in range(3 * t, 3 * t + 3):
        a, b = half_edge_ends(triangles, h)
        length2 = distance2(row(vertices, a), row(vertices, b))
        if length2 > best2:
            best, best2 = h, length2
    return best


@kernel
def _is_neighbour(triangles, mate, h, wanted):
    """Whether the vertex where half-edge `h` starts has an edge to `wanted`; True also where the fan is not plain."""
    g = h
    for _ in range(triangles.shape[0]):
        if half_edge_ends(triangles, g)[1] == wanted:
            return True
        back = mate[next_in_triangle(next_in_triangle(g))]
        if back < 0 or half_edge_ends(triangles, back)[0] != half_edge_ends(triangles, h)[0]:
            return True
        g = back
        if g == h:
            return False
    return True


@kernel
def _join(mate_io, h, g):
    mate_io[h] = g
    if g >= 0:
        mate_io[g] = h


@kernel
def _swap_edge(triangles_io, mate_io, h, g):
    """Replace the edge between two triangles by the other diagonal of their quadrilateral."""
    t, s = h // 3, g // 3
    h1, g1 = next_in_triangle(h), next_in_triangle(g)
    h2, g2 = next_in_triangle(h1), next_in_triangle(g1)
    a, b, c, d = triangles_io[t, h % 3], triangles_io[s, g % 3], triangles_io[t, h2 % 3], triangles_io[s, g2 % 3]
    ca, ad, db, bc = mate_io[h2], mate_io[g1], mate_io[g2], mate_io[h1]
    triangles_io[t, 0], triangles_io[t, 1], triangles_io[t, 2] = c, a, d
    triangles_io[s, 0], triangles_io[s, 1], triangles_io[s, 2] = d, b, c
    _join(mate_io, 3 * t, ca)
    _join(mate_io, 3 * t + 1, ad)
    _join(mate_io, 3 * s, db)
    _join(mate_io, 3 * s + 1, bc)
    _join(mate_io, 3 * t + 2, 3 * s + 2)


@kernel
def _may_swap(vertices, triangles, mate, h):
    """Whether swapping edge `h` of a thin triangle makes the thinner of the two triangles thicker, folding nothing."""
    g = mate[h]
    if g < 0:
        return False
    a_at, b_at = half_edge_ends(triangles, h)
    h1, g1 = next_in_triangle(h), next_in_triangle(g)
    c_at, d_at = half_edge_ends(triangles, h1)[1], half_edge_ends(triangles, g1)[1]
    if half_edge_ends(triangles, g)[0] != b_at or c_at == d_at:
        return False
    for outer in (h1, next_in_triangle(h1), g1, next_in_triangle(g1)):
        if mate[outer] >= 0 and (mate[outer] // 3 == h // 3 or mate[outer] // 3 == g // 3):
            return False
    a, b, c, d = row(vertices, a_at), row(vertices, b_at), row(vertices, c_at), row(vertices, d_at)
    before = min(triangle_height(a, b, c), triangle_height(b, a, d))
    if min(triangle_height(c, a, d), triangle_height(d, b, c)) <= _WORTHWHILE * before:
        return False
    n = cross(sub(a, b), sub(d, b))
    if dot(cross(sub(a, c), sub(d, c)), n) < 0.0 or dot(cross(sub(b, d), sub(c, d)), n) < 0.0:
        return False
    return not _is_neighbour(triangles, mate, next_in_triangle(h1), d_at)


@kernel
def _is_folded(vertices, triangles, mate, h):
    """Whether a triangle lies back on its neighbour across `h`: rounding of coordinates turned it over."""
    if mate[h] < 0:
        return False
    a, b = half_edge_ends(triangles, h)
    a, b = row(vertices, a), row(vertices, b)
    c = row(vertices, half_edge_ends(triangles, next_in_triangle(h))[1])
    d = row(vertices, half_edge_ends(triangles, next_in_triangle(mate[h]))[1])
    n, m = cross(sub(b, a), sub(c, a)), cross(sub(d, a), sub(b, a))
    return dot(n, m) < -_FOLDED * norm(n) * norm(m)


@kernel
def swap_thin_triangles(vertices, triangles_io, mate_io, thinnest, reach):
    """Give thin triangles height by swapping their longest side, in place.

    Thin is what is lower than `thinnest`, or lower than `reach` and folded back on its neighbour. The corner opposite
    the longest side lies that near to it, so the surface moves by no more. Returns the number of swaps and the largest
    height. Each swap raises the smaller of two heights by half at least, so this ends.
    """
    n_swap, highest = 0, 0.0
    changed = True
    while changed:
        changed = False
        for t in range(triangles_io.shape[0]):
            a, b, c = (
                row(vertices, triangles_io[t, 0]),
                row(vertices, triangles_io[t, 1]),
                row(vertices, triangles_io[t, 2]),
            )
            height = triangle_height(a, b, c)
            if height > reach:
                continue
            h = _longest_side(vertices, triangles_io, t)
            if height > thinnest and not _is_folded(vertices, triangles_io, mate_io, h):
                continue
            if _may_swap(vertices, triangles_io, mate_io, h):
                _swap_edge(triangles_io, mate_io, h, mate_io[h])
                n_swap += 1
                highest = max(highest, height)
                changed = True
    return n_swap, highest
