"""How bright each sample is: soft shadows, ambient occlusion, and the colour that results.

`lights` holds unit vectors towards the key light, the fill light and the sky, nine numbers in the eye's frame.
Shadows: percentage-closer filtering whose width grows with the distance to what blocks the light (Fernando,
Percentage-closer soft shadows, SIGGRAPH 2005 sketches). Ambient occlusion: McGuire et al., The Alchemy screen-space
ambient obscurance algorithm, HPG 2011. Both look at a few places only, another set at each of 4 x 4 neighbouring
samples, and the 4 x 4 are averaged afterwards.
"""

from math import inf, sqrt

from ..._jit import kernel, parallel_kernel, prange
from ...math.vec_kernels import add_scaled, dot, row, sub, unit
from .raster_kernels import view_point, view_ray

PLAIN, HATCHED, FLOOR = 0, 1, 2


@kernel
def _clamp(x, low, high):
    return min(high, max(low, x))


@kernel
def _row3(table, y, x):
    return float(table[y, x, 0]), float(table[y, x, 1]), float(table[y, x, 2])


@kernel
def openness(p, n, y, x, q, reach, lens, taps, pattern):
    """Share of the sky that the point `p` with normal `n` sees within `reach` [m], from 0 to 1."""
    near = q[y, x] if lens[3] > 0.0 else 1.0
    radius = _clamp(reach * lens[2] * near, 2.0, 0.25 * q.shape[0])
    blocked = 0.0
    for i in range(taps.shape[1]):
        u = int(x + radius * taps[pattern, i, 0])
        v = int(y + radius * taps[pattern, i, 1])
        if 0 <= u < q.shape[1] and 0 <= v < q.shape[0] and q[v, u] > -inf:
            d = sub(view_point(u + 0.5, v + 0.5, q[v, u], lens), p)
            length2 = dot(d, d)
            rise = dot(d, n) - 0.01 * reach
            if rise > 0.0 and length2 < 4.0 * reach * reach:
                blocked += rise / sqrt(length2) * (1.0 - 0.25 * length2 / (reach * reach))
    return max(0.0, 1.0 - 1.6 * blocked / taps.shape[1])


@kernel
def _to_light(p, sun):
    """Picture coordinates and nearness in the light's own orthographic picture; `sun` is a 3 x 4 matrix by rows."""
    return (
        sun[0] * p[0] + sun[1] * p[1] + sun[2] * p[2] + sun[3],
        sun[4] * p[0] + sun[5] * p[1] + sun[6] * p[2] + sun[7],
        sun[8] * p[0] + sun[9] * p[1] + sun[10] * p[2] + sun[11],
    )


@kernel
def _slopes(n, sun):
    """How the nearness of a surface with normal `n` changes per texel in the light's picture."""
    cos_light = n[0] * sun[8] + n[1] * sun[9] + n[2] * sun[10]
    if cos_light < 0.05:
        return 0.0, 0.0
    texel = 1.0 / sqrt(sun[0] * sun[0] + sun[1] * sun[1] + sun[2] * sun[2])
    along_x = (n[0] * sun[0] + n[1] * sun[1] + n[2] * sun[2]) * texel
    along_y = (n[0] * sun[4] + n[1] * sun[5] + n[2] * sun[6]) * texel
    return _clamp(-along_x / cos_light, -4.0, 4.0) * texel, _clamp(-along_y / cos_light, -4.0, 4.0) * texel


@kernel
def _blockers(at, slope, radius, bias, shadow, taps, pattern):
    """How many places around `at` are nearer to the light than the surface, and by how much in sum."""
    hits, rise = 0, 0.0
    for i in range(taps.shape[1]):
        dx, dy = radius * taps[pattern, i, 0], radius * taps[pattern, i, 1]
        u, v = int(at[0] + dx), int(at[1] + dy)
        if 0 <= u < shadow.shape[1] and 0 <= v < shadow.shape[0]:
            above = shadow[v, u] - (at[2] + slope[0] * dx + slope[1] * dy)
            if above > bias:
                hits += 1
                rise += above
    return hits, rise


@kernel
def sunlight(p, n, sun, softness, bias, shadow, taps, pattern):
    """Share of the key light that reaches `p`, from 0 to 1; `softness` is the light's apparent size in radians."""
    at = _to_light(add_scaled(p, bias, n), sun)
    slope = _slopes(n, sun)
    per_metre = sqrt(sun[0] * sun[0] + sun[1] * sun[1] + sun[2] * sun[2])
    widest = 0.035 * shadow.shape[0]
    hits, rise = _blockers(at, slope, widest, bias, shadow, taps, pattern)
    if hits == 0:
        return 1.0
    radius = _clamp(softness * per_metre * rise / hits, 1.5, widest)
    hits, rise = _blockers(at, slope, radius, bias, shadow, taps, pattern)
    return 1.0 - hits / taps.shape[1]


@kernel
def _same_surface(material, normal, y, x, v, u):
    return material[v, u] == material[y, x] and dot(_row3(normal, y, x), _row3(normal, v, u)) > 0.9


@kernel
def _left_to_neighbours(material, normal, y, x):
    """Whether a sample may take the mean of its neighbours: every other one, away from borders."""
    if (x + y) % 2 == 0 or x == 0 or y == 0:
        return False
    return _same_surface(material, normal, y, x, y, x - 1) and _same_surface(material, normal, y, x, y - 1, x)


@kernel
def _expose_row(q, material, normal, lens, sun, shadow, reach, taps, y, exposure_out):
    bias = 0.03 * reach
    for x in range(q.shape[1]):
        if material[y, x] < 0 or _left_to_neighbours(material, normal, y, x):
            exposure_out[y, x, 0], exposure_out[y, x, 1] = -1.0, -1.0
            continue
        p, n = view_point(x + 0.5, y + 0.5, q[y, x], lens), _row3(normal, y, x)
        pattern = 4 * (y % 4) + x % 4
        key = 0.0
        if dot(n, (sun[8], sun[9], sun[10])) > 0.0:
            key = sunlight(p, n, sun, 0.12, bias, shadow, taps, pattern)
        exposure_out[y, x, 0] = key
        exposure_out[y, x, 1] = openness(p, n, y, x, q, reach, lens, taps, pattern)


@parallel_kernel
def expose(q, material, normal, lens, sun, shadow, reach, taps, exposure_out):
    """Key light and openness (n_y, n_x, 2) at each sample, -1 where `smooth` is to fill it in.

    `shadow` holds nearness to the light, `sun` is the matrix that leads there.
    """
    for y in prange(q.shape[0]):
        _expose_row(q, material, normal, lens, sun, shadow, reach, taps, y, exposure_out)


@kernel
def _smooth_row(material, normal, exposure, y, exposure_out):
    n_y, n_x = material.shape
    for x in range(n_x):
        if material[y, x] < 0:
            exposure_out[y, x, 0], exposure_out[y, x, 1] = 1.0, 1.0
            continue
        key, open_sky, count = 0.0, 0.0, 0
        for v in range(max(0, y - 2), min(n_y, y + 2)):
            for u in range(max(0, x - 2), min(n_x, x + 2)):
                if exposure[v, u, 0] >= 0.0 and _same_surface(material, normal, y, x, v, u):
                    key += exposure[v, u, 0]
                    open_sky += exposure[v, u, 1]
                    count += 1
        exposure_out[y, x, 0], exposure_out[y, x, 1] = key / count, open_sky / count


@parallel_kernel
def smooth(material, normal, exposure, exposure_out):
    """Mean over 4 x 4 samples of the same surface."""
    for y in prange(material.shape[0]):
        _smooth_row(material, normal, exposure, y, exposure_out)


@kernel
def _stripe(s, width):
    """1 inside the stripes of the given width around whole numbers, else 0."""
    return 1.0 if abs(s - round(s)) < 0.5 * width else 0.0


@kernel
def lit(n, eye, key, open_sky, lights):
    """Brightness of a matt surface, and its highlight; `eye` points to the eye."""
    to_key, to_fill, to_sky = lights[0:3], lights[3:6], lights[6:9]
    direct = 0.62 * max(0.0, dot(n, to_key)) * key
    fill = 0.14 * max(0.0, dot(n, to_fill))
    ambient = (0.33 + 0.13 * dot(n, to_sky)) * open_sky
    gloss = max(0.0, dot(n, unit((to_key[0] + eye[0], to_key[1] + eye[1], to_key[2] + eye[2])))) ** 24
    return direct + fill * open_sky + ambient + 0.04, 0.11 * gloss * key


@kernel
def _paint(p, n, eye, look, key, open_sky, lights, background):
    """Colour at a point of the scene; `look` is a row of the table of materials."""
    colour = (look[0], look[1], look[2])
    kind, offset = int(look[3]), sub(p, (look[4], look[5], look[6]))
    along, across = dot(offset, (look[7], look[8], look[9])), dot(offset, (look[10], look[11], look[12]))
    if kind == FLOOR:
        fade = max(0.0, 1.0 - dot(offset, offset) / (look[14] * look[14]))
        line = max(_stripe(along / look[13], look[15]), _stripe(across / look[13], look[15]))
        dim = 1.0 - fade * (0.42 * (1.0 - key) + 0.30 * (1.0 - open_sky) + 0.13 * line)
        return dim * background[0], dim * background[1], dim * background[2]
    if kind == HATCHED:
        dim = (1.0 - 0.42 * _stripe(along / look[13], look[15])) * (0.45 + 0.40 * open_sky + 0.15 * key)
        return dim * colour[0], dim * colour[1], dim * colour[2]
    matt, gloss = lit(n, eye, key, open_sky, lights)
    return matt * colour[0] + gloss, matt * colour[1] + gloss, matt * colour[2] + gloss


@kernel
def to_eye(x, y, lens):
    """Unit vector from the scene towards the eye."""
    direction = view_ray(x, y, lens)[1]
    return unit((-direction[0], -direction[1], -direction[2]))


@kernel
def _shade_row(q, material, normal, exposure, materials, lens, lights, background, y, colour_out):
    for x in range(q.shape[1]):
        colour = background
        if material[y, x] >= 0:
            p, eye = view_point(x + 0.5, y + 0.5, q[y, x], lens), to_eye(x + 0.5, y + 0.5, lens)
            look = materials[material[y, x]]
            key, open_sky = float(exposure[y, x, 0]), float(exposure[y, x, 1])
            colour = _paint(p, _row3(normal, y, x), eye, look, key, open_sky, lights, background)
        colour_out[y, x, 0], colour_out[y, x, 1], colour_out[y, x, 2] = colour


@parallel_kernel
def shade(q, material, normal, exposure, materials, lens, lights, background, colour_out):
    """Colour (n_y, n_x, 3) of every sample, as light intensity.

    A row of `materials`: colour, kind, origin, two axes, line spacing, reach, relative line width.
    """
    for y in prange(q.shape[0]):
        _shade_row(q, material, normal, exposure, materials, lens, lights, background, y, colour_out)


@kernel
def _veil_sample(n, eye, colour, alpha, lights):
    """Light that a transparent surface sends to the eye, and the share of what is behind it that passes through."""
    matt, gloss = lit(n, eye, 1.0, 1.0, lights)
    # Seen at a slant the way through the material is longer (Beer's law), so outlines stay visible.
    through = (1.0 - alpha) ** (1.0 / max(0.25, dot(n, eye)))
    own = (1.0 - through) * matt
    return (own * colour[0] + gloss, own * colour[1] + gloss, own * colour[2] + gloss), through


@kernel
def veil(material, normal, materials, alpha, lens, lights, light_out, through_out):
    """Put one layer of a transparent surface behind those already there: its light, and what passes through it."""
    for y in range(material.shape[0]):
        for x in range(material.shape[1]):
            m = material[y, x]
            if m >= 0:
                n, eye = _row3(normal, y, x), to_eye(x + 0.5, y + 0.5, lens)
                light, through = _veil_sample(n, eye, row(materials, m), alpha[m], lights)
                for c in range(3):
                    light_out[y, x, c] += through_out[y, x] * light[c]
                through_out[y, x] *= through
