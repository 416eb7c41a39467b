"""Area, centre and convex hull of the pieces of a surface."""

from math import sqrt

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import add, add_scaled, cross, dot, sub
from .clip_kernels import piece_corner
from .group_kernels import LAST


@inner_kernel
def _before(flat, i, j):
    return flat[i, 0] < flat[j, 0] or (flat[i, 0] == flat[j, 0] and flat[i, 1] < flat[j, 1])


@lean_kernel
def sort_corners(flat, n, order_io):
    """Shell sort: corners from left to right."""
    step = 1
    while step < n // 3:
        step = 3 * step + 1
    while step > 0:
        for k in range(step, n):
            i, m = order_io[k], k
            while m >= step and _before(flat, i, order_io[m - step]):
                order_io[m] = order_io[m - step]
                m -= step
            order_io[m] = i
        step //= 3


@inner_kernel
def _turns_right(flat, i, j, k):
    """Whether j does not stand out to the right of the way from i to k."""
    x, y = flat[k, 0] - flat[i, 0], flat[k, 1] - flat[i, 1]
    return (flat[j, 0] - flat[i, 0]) * y - (flat[j, 1] - flat[i, 1]) * x <= 0.0


@inner_kernel
def _is_straight(flat, i, j, k, least):
    """Whether j lies between i and k and stands out by no more than `least`."""
    x, y = flat[k, 0] - flat[i, 0], flat[k, 1] - flat[i, 1]
    u, v = flat[j, 0] - flat[i, 0], flat[j, 1] - flat[i, 1]
    length2, along = x * x + y * y, u * x + v * y
    return u * y - v * x <= least * sqrt(length2) and 0.0 <= along <= length2


@lean_kernel
def convex_hull(flat, order, n, least, hull_out):
    """Convex hull of sorted corners, counter-clockwise (Andrew's monotone chain); returns how many."""
    m = 0
    for k in range(n):
        while m > 1 and _turns_right(flat, hull_out[m - 2], hull_out[m - 1], order[k]):
            m -= 1
        hull_out[m] = order[k]
        m += 1
    base = m
    for k in range(n - 2, -1, -1):
        while m > base and _turns_right(flat, hull_out[m - 2], hull_out[m - 1], order[k]):
            m -= 1
        hull_out[m] = order[k]
        m += 1
    return _without_straight(flat, m - 1, least, hull_out)


@lean_kernel
def _without_straight(flat, m, least, hull_io):
    """Leave out corners at which a hull is straight, as at the ends of both chains; returns how many are left."""
    k = 0
    while k < m and m > 3:
        if _is_straight(flat, hull_io[(k + m - 1) % m], hull_io[k], hull_io[(k + 1) % m], least):
            for i in range(k, m - 1):
                hull_io[i] = hull_io[i + 1]
            m -= 1
        else:
            k += 1
    return m


@lean_kernel
def measure_pieces(groups, group, normal, u, v, flat_out, order_out):
    """Corners of all pieces in the plane; returns their number, the area, and the area times its centre."""
    n, area, moment = 0, 0.0, (0.0, 0.0, 0.0)
    element = groups.state[group, LAST]
    while element >= 0:
        first, end = groups.element[element, 1], groups.element[element, 1] + groups.element[element, 2]
        origin, before = piece_corner(groups, first), piece_corner(groups, end - 1)
        for k in range(first, end):
            here = piece_corner(groups, k)
            part = -0.5 * dot(cross(sub(before, origin), sub(here, origin)), normal)
            moment = add_scaled(moment, part / 3.0, add(origin, add(before, here)))
            area += part
            before = here
            flat_out[k, 0], flat_out[k, 1] = dot(here, u), dot(here, v)
            order_out[n] = k
            n += 1
        element = groups.element[element, 0]
    return n, area, moment


@inner_kernel
def perimeter(flat, hull, m):
    """[m] around a hull."""
    total = 0.0
    for k in range(m):
        i, j = hull[k], hull[(k + 1) % m]
        total += sqrt((flat[j, 0] - flat[i, 0]) ** 2 + (flat[j, 1] - flat[i, 1]) ** 2)
    return total
