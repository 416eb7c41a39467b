"""Which triangle is seen where: a depth buffer over the samples of a picture.

A picture has `samples` x `samples` samples per pixel; x runs to the right, y down, sample (x, y) has its centre at
(x + 0.5, y + 0.5). Points of the scene are (right, up, depth) from the eye. *Nearness* q grows towards the eye and is
linear in the picture: 1 / depth in perspective, -depth in an orthographic view; -inf where nothing is.
"""

from math import ceil, floor, inf

import numpy as np

from ..._jit import kernel, parallel_kernel, prange
from ...math.vec_kernels import add_scaled, distance2, dot, unit

_FROM_LOW, _FROM_HIGH = 0.500001, 0.499999
"""[samples] half a sample and a hair: a sample on an edge belongs to both triangles, so that rounding leaves no gap."""
_LEAST_AREA = 1e-9
"""[samples^2] of a triangle that is drawn, twice."""
_LEAST_SLOPE = 1e-6
"""Of a line of sight that meets the floor."""


@kernel
def depth_of(q, lens):
    """Depth from nearness."""
    return 1.0 / q if lens.perspective > 0.0 else -q


@kernel
def nearness_of(depth, lens):
    """Nearness from depth."""
    return 1.0 / depth if lens.perspective > 0.0 else -depth


@kernel
def view_ray(x, y, lens):
    """Start of the line of sight through picture point (x, y), and its direction with a depth of 1."""
    right, up = (x - lens.x) / lens.scale, (lens.y - y) / lens.scale
    if lens.perspective > 0.0:
        return (0.0, 0.0, 0.0), (right, up, 1.0)
    return (right, up, 0.0), (0.0, 0.0, 1.0)


@kernel
def view_point(x, y, q, lens):
    """The point of the scene at picture point (x, y) and nearness q."""
    start, direction = view_ray(x, y, lens)
    return add_scaled(start, depth_of(q, lens), direction)


@kernel
def project(points, lens, screen_out):
    """Picture coordinates and nearness (n, 3) of (n, 3) points; nearness -inf marks points behind the eye."""
    for i in range(points.shape[0]):
        depth = points[i, 2]
        if lens.perspective > 0.0 and depth <= 0.0:
            screen_out[i, 0], screen_out[i, 1], screen_out[i, 2] = 0.0, 0.0, -inf
            continue
        scale = lens.scale / depth if lens.perspective > 0.0 else lens.scale
        screen_out[i, 0] = lens.x + scale * points[i, 0]
        screen_out[i, 1] = lens.y - scale * points[i, 1]
        screen_out[i, 2] = nearness_of(depth, lens)


@kernel
def signed_area(screen, triangles, t):
    """Twice the area in the picture; > 0 when the triangle's outer side is seen."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    abx, aby = screen[b, 0] - screen[a, 0], screen[b, 1] - screen[a, 1]
    acx, acy = screen[c, 0] - screen[a, 0], screen[c, 1] - screen[a, 1]
    return acx * aby - abx * acy  # y runs down


@kernel
def _row_bounds(screen, triangles, t, outward, y, low, high):
    """Narrow the interval [low, high] of x to where the line at height y is inside the triangle."""
    for k in range(3):
        a, b = triangles[t, k], triangles[t, (k + 1) % 3]
        dy = outward * (screen[b, 1] - screen[a, 1])
        if dy == 0.0:
            continue
        x = screen[a, 0] + (y - screen[a, 1]) * (screen[b, 0] - screen[a, 0]) / (screen[b, 1] - screen[a, 1])
        if dy > 0.0:
            low = max(low, x)
        else:
            high = min(high, x)
    return low, high


@kernel
def _plane_of(screen, triangles, t, area, va, vb, vc):
    """Coefficients (value at the picture's corner, per x, per y) of the linear function with given corner values."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    abx, aby = screen[b, 0] - screen[a, 0], screen[b, 1] - screen[a, 1]
    acx, acy = screen[c, 0] - screen[a, 0], screen[c, 1] - screen[a, 1]
    gx = ((vc - va) * aby - (vb - va) * acy) / area
    gy = ((vb - va) * acx - (vc - va) * abx) / area
    return va - gx * screen[a, 0] - gy * screen[a, 1], gx, gy


@kernel
def _fill(screen, height, triangles, t, area, ceiling, q_out, triangle_out):
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    n_y, n_x = q_out.shape
    top = ceil(max(0.0, min(screen[a, 1], screen[b, 1], screen[c, 1]) - 0.5))
    bottom = floor(min(n_y - 1.0, max(screen[a, 1], screen[b, 1], screen[c, 1]) - 0.5))
    qa, qb, qc = screen[a, 2], screen[b, 2], screen[c, 2]
    q_low, q_high = min(qa, qb, qc), max(qa, qb, qc)
    q_0, q_x, q_y = _plane_of(screen, triangles, t, area, qa, qb, qc)
    h_0, h_x, h_y = _plane_of(screen, triangles, t, area, height[a], height[b], height[c])
    outward = 1.0 if area > 0.0 else -1.0
    for y in range(top, bottom + 1):
        low, high = _row_bounds(screen, triangles, t, outward, y + 0.5, 0.5, n_x - 0.5)
        for x in range(max(0, ceil(low - _FROM_LOW)), min(n_x - 1, floor(high - _FROM_HIGH)) + 1):
            q = q_0 + q_x * (x + 0.5) + q_y * (y + 0.5)
            q = min(q_high, max(q_low, q))  # the plane of a triangle seen edge-on is steep
            if q > q_out[y, x] and q < ceiling[y, x] and h_0 + h_x * (x + 0.5) + h_y * (y + 0.5) <= 0.0:
                q_out[y, x] = q
                triangle_out[y, x] = t


@kernel
def rasterise(screen, height, triangles, ceiling, q_out, triangle_out):
    """Keep at each sample the nearest triangle that is farther than `ceiling` and nearer than what is there already.

    `height` (n,) is the height of each vertex over the section plane (times nearness in perspective, where only
    that is linear in the picture); what is above it is not drawn.
    """
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        area = signed_area(screen, triangles, t)
        behind = min(screen[a, 2], screen[b, 2], screen[c, 2]) == -inf
        cut_away = min(height[a], height[b], height[c]) > 0.0
        if abs(area) > _LEAST_AREA and not behind and not cut_away:
            _fill(screen, height, triangles, t, area, ceiling, q_out, triangle_out)


@kernel
def _weights(screen, triangles, t, x, y, perspective):
    """Barycentric weights, in the scene, of the point of triangle `t` seen at (x, y)."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay = screen[a, 0] - x, screen[a, 1] - y
    bx, by = screen[b, 0] - x, screen[b, 1] - y
    cx, cy = screen[c, 0] - x, screen[c, 1] - y
    area = signed_area(screen, triangles, t)
    wa, wb, wc = max(0.0, (cx * by - bx * cy) / area), max(0.0, (ax * cy - cx * ay) / area), 0.0
    wc = max(0.0, 1.0 - wa - wb)
    if perspective > 0.0:
        wa, wb, wc = wa * screen[a, 2], wb * screen[b, 2], wc * screen[c, 2]
    total = wa + wb + wc
    return wa / total, wb / total, wc / total


@kernel
def surface_normal(screen, triangles, normals, t, x, y, perspective):
    """Unit shading normal at the point of triangle `t` seen at (x, y), on the outer side of the surface."""
    w = _weights(screen, triangles, t, x, y, perspective)
    return unit(
        (
            w[0] * normals[t, 0, 0] + w[1] * normals[t, 1, 0] + w[2] * normals[t, 2, 0],
            w[0] * normals[t, 0, 1] + w[1] * normals[t, 1, 1] + w[2] * normals[t, 2, 1],
            w[0] * normals[t, 0, 2] + w[1] * normals[t, 1, 2] + w[2] * normals[t, 2, 2],
        )
    )


@kernel
def _resolve_row(surfaces, plane, lens, triangle, y, samples_io):
    screen, triangles, normals, surface, cap = surfaces
    q, materials, shading = samples_io
    for x in range(triangle.shape[1]):
        t = triangle[y, x]
        if t < 0:
            continue
        n = surface_normal(screen, triangles, normals, t, x + 0.5, y + 0.5, lens.perspective)
        material = surface[t]
        if signed_area(screen, triangles, t) < 0.0:
            n = (-n[0], -n[1], -n[2])
            start, direction = view_ray(x + 0.5, y + 0.5, lens)
            slope = dot(plane[:3], direction)
            if cap[t] >= 0 and slope < 0.0:
                # The inner side of a closed surface is seen only where the section has opened it: here is its cut face.
                n, material = plane[:3], cap[t]
                q[y, x] = nearness_of((plane[3] - dot(plane[:3], start)) / slope, lens)
        materials[y, x] = material
        shading[y, x, 0], shading[y, x, 1], shading[y, x, 2] = n


@parallel_kernel
def resolve(surfaces, plane, lens, triangle, samples_io):
    """Normal and material at each sample that shows a triangle; nearness where that is a cut face.

    `plane` is the section's (normal, offset), a zero normal for none.
    """
    for y in prange(triangle.shape[0]):
        _resolve_row(surfaces, plane, lens, triangle, y, samples_io)


@kernel
def lay_floor(plane, origin, reach, material, lens, q_out, material_out, normal_out):
    """Draw a disc of a plane (normal, offset), seen from above, wherever nothing is nearer."""
    for y in range(q_out.shape[0]):
        for x in range(q_out.shape[1]):
            start, direction = view_ray(x + 0.5, y + 0.5, lens)
            slope = dot(plane[:3], direction)
            if slope < -_LEAST_SLOPE:
                depth = (plane[3] - dot(plane[:3], start)) / slope
                ahead = depth > 0.0 or lens.perspective == 0.0
                inside = distance2(add_scaled(start, depth, direction), origin) < reach * reach
                if ahead and inside and nearness_of(depth, lens) > q_out[y, x]:
                    q_out[y, x] = nearness_of(depth, lens)
                    material_out[y, x] = material
                    normal_out[y, x, 0], normal_out[y, x, 1], normal_out[y, x, 2] = plane[:3]


@kernel
def facing(screen, triangles, front_out):
    """Whether each triangle shows its outer side."""
    for t in range(triangles.shape[0]):
        front_out[t] = signed_area(screen, triangles, t) > 0.0


@kernel
def average(colour, samples, colour_out):
    """Mean over the samples of each pixel."""
    n_y, n_x = colour_out.shape[0], colour_out.shape[1]
    share = np.float32(1.0 / (samples * samples))
    for y in range(n_y):
        for x in range(n_x):
            r, g, b = np.float32(0.0), np.float32(0.0), np.float32(0.0)
            for j in range(samples):
                for i in range(samples):
                    r += colour[y * samples + j, x * samples + i, 0]
                    g += colour[y * samples + j, x * samples + i, 1]
                    b += colour[y * samples + j, x * samples + i, 2]
            colour_out[y, x, 0], colour_out[y, x, 1], colour_out[y, x, 2] = r * share, g * share, b * share
