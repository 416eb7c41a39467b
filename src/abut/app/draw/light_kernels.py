"""How bright each sample is: soft shadows, ambient occlusion, and the colour that results.

Shadows: percentage-closer filtering whose width grows with the distance to what blocks the light (Fernando,
Percentage-closer soft shadows, SIGGRAPH 2005 sketches). Ambient occlusion: McGuire et al., The Alchemy screen-space
ambient obscurance algorithm, HPG 2011. Both look at a few places only, another set at each of 4 x 4 neighbouring
samples, and the 4 x 4 are averaged afterwards.
"""

from math import inf, sqrt

from ..._jit import kernel, parallel_kernel, prange
from ...math.vec_kernels import add, add_scaled, dot, norm, row, scale, sub, unit
from .draw_tables import ACROSS, ALONG, KIND, LINE_WIDTH, ORIGIN, REACH, SPACING
from .raster_kernels import view_point, view_ray

PLAIN, HATCHED, FLOOR = 0, 1, 2
SOFTNESS = 0.12
"""[rad] apparent size of the key light."""
# Of the reach of ambient occlusion: how far a shadow is kept off the surface that casts it, and what is no rise.
_BIAS, _LEAST_RISE = 0.03, 0.01
# How dark it is where half of the sky is blocked, and so on; cosine below which light only grazes a surface.
_DARKNESS, _GRAZING = 1.6, 0.05
# Widths of a shadow's border: of the light's picture at most, [texels] at least.
_WIDEST, _NARROWEST = 0.035, 1.5
_SAME_SIDE = 0.9
"""Cosine of normals from which two samples show one surface."""
# A matt surface is lit by the key light, the fill, the sky around and above, and a little anyhow; then its highlight.
_KEY, _FILL, _AROUND, _ABOVE, _LEAST, _GLOSS, _SHARPNESS = 0.62, 0.14, 0.33, 0.13, 0.04, 0.11, 24
# By how much shadows, crevices and lines darken a floor.
_SHADOW, _CREVICE, _LINE = 0.42, 0.30, 0.13
# How bright a cut face is: by itself, by the sky and by the key light; and how much darker its hatching is.
_CUT, _CUT_BY_SKY, _CUT_BY_KEY, _HATCH = 0.45, 0.40, 0.15, 0.42


@kernel
def _clamp(x, low, high):
    return min(high, max(low, x))


@kernel
def _row3(table, y, x):
    return float(table[y, x, 0]), float(table[y, x, 1]), float(table[y, x, 2])


@kernel
def openness(p, n, y, x, q, reach, lens, taps):
    """Share of the sky that the point `p` with normal `n` sees within `reach` [m], from 0 to 1.

    It is looked for at `taps` (n, 2), places in the unit disc.
    """
    near = q[y, x] if lens.perspective > 0.0 else 1.0
    radius = _clamp(reach * lens.scale * near, 2.0, 0.25 * q.shape[0])
    blocked = 0.0
    for i in range(taps.shape[0]):
        u = int(x + radius * taps[i, 0])
        v = int(y + radius * taps[i, 1])
        if 0 <= u < q.shape[1] and 0 <= v < q.shape[0] and q[v, u] > -inf:
            d = sub(view_point(u + 0.5, v + 0.5, q[v, u], lens), p)
            length2 = dot(d, d)
            rise = dot(d, n) - _LEAST_RISE * reach
            if rise > 0.0 and length2 < 4.0 * reach * reach:
                blocked += rise / sqrt(length2) * (1.0 - 0.25 * length2 / (reach * reach))
    return max(0.0, 1.0 - _DARKNESS * blocked / taps.shape[0])


@kernel
def _to_light(p, shadow):
    """Coordinates and nearness in the light's picture."""
    m = shadow.matrix
    return dot(row(m, 0), p) + m[0, 3], dot(row(m, 1), p) + m[1, 3], dot(row(m, 2), p) + m[2, 3]


@kernel
def _slopes(n, shadow):
    """How the nearness of a surface with normal `n` changes per texel in the light's picture."""
    x, y, towards = row(shadow.matrix, 0), row(shadow.matrix, 1), row(shadow.matrix, 2)
    cos_light = dot(n, towards)
    if cos_light < _GRAZING:
        return 0.0, 0.0
    texel = 1.0 / norm(x)
    along_x, along_y = dot(n, x) * texel, dot(n, y) * texel
    return _clamp(-along_x / cos_light, -4.0, 4.0) * texel, _clamp(-along_y / cos_light, -4.0, 4.0) * texel


@kernel
def _blockers(at, slope, radius, bias, q, taps):
    """How many places around `at` are nearer to the light than the surface, and by how much in sum."""
    hits, rise = 0, 0.0
    for i in range(taps.shape[0]):
        dx, dy = radius * taps[i, 0], radius * taps[i, 1]
        u, v = int(at[0] + dx), int(at[1] + dy)
        if 0 <= u < q.shape[1] and 0 <= v < q.shape[0]:
            above = q[v, u] - (at[2] + slope[0] * dx + slope[1] * dy)
            if above > bias:
                hits += 1
                rise += above
    return hits, rise


@kernel
def sunlight(p, n, shadow, softness, bias, taps):
    """Share of the key light that reaches `p`, from 0 to 1; `softness` is the light's apparent size in radians."""
    at, slope, per_metre = _to_light(add_scaled(p, bias, n), shadow), _slopes(n, shadow), norm(row(shadow.matrix, 0))
    widest = _WIDEST * shadow.q.shape[0]
    hits, rise = _blockers(at, slope, widest, bias, shadow.q, taps)
    if hits == 0:
        return 1.0
    radius = _clamp(softness * per_metre * rise / hits, _NARROWEST, widest)
    hits, rise = _blockers(at, slope, radius, bias, shadow.q, taps)
    return 1.0 - hits / taps.shape[0]


@kernel
def _same_surface(material, normal, y, x, v, u):
    return material[v, u] == material[y, x] and dot(_row3(normal, y, x), _row3(normal, v, u)) > _SAME_SIDE


@kernel
def _left_to_neighbours(material, normal, y, x):
    """Whether a sample may take the mean of its neighbours: every other one, away from borders."""
    if (x + y) % 2 == 0 or x == 0 or y == 0:
        return False
    return _same_surface(material, normal, y, x, y, x - 1) and _same_surface(material, normal, y, x, y - 1, x)


@kernel
def _expose_row(samples, lens, shadow, reach, taps, y, exposure_out):
    (q, material, normal), bias = samples, _BIAS * reach
    for x in range(q.shape[1]):
        if material[y, x] < 0 or _left_to_neighbours(material, normal, y, x):
            exposure_out[y, x, 0], exposure_out[y, x, 1] = -1.0, -1.0
            continue
        p, n = view_point(x + 0.5, y + 0.5, q[y, x], lens), _row3(normal, y, x)
        places, key = taps[4 * (y % 4) + x % 4], 0.0
        if dot(n, row(shadow.matrix, 2)) > 0.0:
            key = sunlight(p, n, shadow, SOFTNESS, bias, places)
        exposure_out[y, x, 0] = key
        exposure_out[y, x, 1] = openness(p, n, y, x, q, reach, lens, places)


@parallel_kernel
def expose(samples, lens, shadow, reach, taps, exposure_out):
    """Key light and openness (n_y, n_x, 2) at each sample, -1 where `smooth` is to fill it in.

    `taps` (16, n, 2) are places in the unit disc, another set for each of 4 x 4 neighbouring samples.
    """
    for y in prange(samples.q.shape[0]):
        _expose_row(samples, lens, shadow, reach, taps, y, exposure_out)


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
    direct = _KEY * max(0.0, dot(n, lights.key)) * key
    fill = _FILL * max(0.0, dot(n, lights.fill))
    ambient = (_AROUND + _ABOVE * dot(n, lights.sky)) * open_sky
    gloss = max(0.0, dot(n, unit(add(lights.key, eye)))) ** _SHARPNESS
    return direct + fill * open_sky + ambient + _LEAST, _GLOSS * gloss * key


@kernel
def _vector(numbers, first):
    return numbers[first], numbers[first + 1], numbers[first + 2]


@kernel
def _paint(p, n, eye, look, key, open_sky, lights):
    """Colour at a point of the scene; `look` is a row of the table of materials."""
    colour, kind, offset = _vector(look, 0), int(look[KIND]), sub(p, _vector(look, ORIGIN))
    along, across = dot(offset, _vector(look, ALONG)), dot(offset, _vector(look, ACROSS))
    spacing, width = look[SPACING], look[LINE_WIDTH]
    if kind == FLOOR:
        fade = max(0.0, 1.0 - dot(offset, offset) / (look[REACH] * look[REACH]))
        line = max(_stripe(along / spacing, width), _stripe(across / spacing, width))
        dim = 1.0 - fade * (_SHADOW * (1.0 - key) + _CREVICE * (1.0 - open_sky) + _LINE * line)
        return scale(dim, _vector(lights.background, 0))
    if kind == HATCHED:
        dim = (1.0 - _HATCH * _stripe(along / spacing, width)) * (_CUT + _CUT_BY_SKY * open_sky + _CUT_BY_KEY * key)
        return scale(dim, colour)
    matt, gloss = lit(n, eye, key, open_sky, lights)
    return matt * colour[0] + gloss, matt * colour[1] + gloss, matt * colour[2] + gloss


@kernel
def to_eye(x, y, lens):
    """Unit vector from the scene towards the eye."""
    direction = view_ray(x, y, lens)[1]
    return unit((-direction[0], -direction[1], -direction[2]))


@kernel
def _shade_row(samples, exposure, materials, lens, lights, y, colour_out):
    q, material, normal = samples
    for x in range(q.shape[1]):
        colour = _vector(lights.background, 0)
        if material[y, x] >= 0:
            p, eye = view_point(x + 0.5, y + 0.5, q[y, x], lens), to_eye(x + 0.5, y + 0.5, lens)
            look = materials[material[y, x]]
            key, open_sky = float(exposure[y, x, 0]), float(exposure[y, x, 1])
            colour = _paint(p, _row3(normal, y, x), eye, look, key, open_sky, lights)
        colour_out[y, x, 0], colour_out[y, x, 1], colour_out[y, x, 2] = colour


@parallel_kernel
def shade(samples, exposure, materials, lens, lights, colour_out):
    """Colour (n_y, n_x, 3) of every sample, as light intensity; columns of `materials` are those of draw_tables."""
    for y in prange(samples.q.shape[0]):
        _shade_row(samples, exposure, materials, lens, lights, y, colour_out)


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
