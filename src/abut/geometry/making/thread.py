"""ISO metric screw threads as closed solids.

The surface is a graph over a plain cylinder: radius r(angle, z). In the unrolled plane (angle, z) the profile's
corners are straight lines of slope pitch / 2 pi, and vertices lie where these lines cross the columns
angle = 2 pi i / n. Between two columns the surface is a stack of quadrilaterals: flank, crest, flank, root.

A quadrilateral on a flank is a piece of a saddle. Of its two diagonals the one that is cut into the material is
taken, so that the polyhedron never sticks out of the thread it stands for, and the diagonal, being concave, is no
edge that could touch another part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Ints, count, number
from ...errors import InputError
from .rings import Arrays, band, convex_cap, ring_angles

COARSE_PITCH = {
    0.003: 0.0005, 0.0035: 0.0006, 0.004: 0.0007, 0.005: 0.0008, 0.006: 0.001, 0.007: 0.001, 0.008: 0.00125,
    0.010: 0.0015, 0.012: 0.00175, 0.014: 0.002, 0.016: 0.002, 0.018: 0.0025, 0.020: 0.0025, 0.022: 0.0025,
    0.024: 0.003,
}  # fmt: skip
"""Pitch [m] of the coarse series by nominal diameter [m], ISO 261."""


@dataclass(frozen=True)
class Relief:
    """What winds around a plain cylinder: the ridge of a bolt, or the groove in the tap that cuts a nut."""

    pitch: float
    """[m]."""
    base: float
    """[m] radius of the plain cylinder."""
    top: float
    """[m] radius of the relief's flat."""
    middle: float
    """z of the flat's middle at angle 0, in pitches."""
    flat: float
    """Half the width of the flat, in pitches."""
    foot: float
    """Half the width at the plain cylinder, in pitches."""

    @property
    def profile(self) -> Floats:
        """(4,) z of foot, flat, flat, foot at angle 0 [m]."""
        return self.pitch * (self.middle + np.array([-self.foot, -self.flat, self.flat, self.foot]))


def coarse_pitch(diameter: float) -> float:
    """Pitch [m] of the coarse series for a nominal diameter [m]."""
    for nominal, pitch in COARSE_PITCH.items():
        if abs(nominal - diameter) < 1e-9:
            return pitch
    sizes = ", ".join(f"M{1e3 * d:g}" for d in COARSE_PITCH)
    raise InputError(f"pitch: the coarse series has no M{1e3 * diameter:g} (it has {sizes}); give the pitch")


def thread_depth(pitch: float) -> float:
    """Radial height [m] of the basic profile: 5/8 of that of the fundamental triangle, ISO 68-1."""
    return 0.625 * 0.5 * float(np.sqrt(3.0)) * pitch


def thread(
    diameter: float,
    length: float,
    *,
    pitch: float | None = None,
    internal: bool = False,
    clearance: float = 0.0,
    segments: int = 32,
    runout: float = 0.5,
    chamfer: float | None = None,
) -> Arrays:
    """A right-handed thread along z from z = 0 to z = length; see `Solid.thread`."""
    n = count("segments", segments, least=8)
    major = 0.5 * number("diameter", diameter, above=0.0)
    length = number("length", length, above=0.0)
    pitch = coarse_pitch(2.0 * major) if pitch is None else number("pitch", pitch, above=0.0)
    chamfer = 0.25 * pitch if chamfer is None else number("chamfer", chamfer, least=0.0)
    clearance = number("clearance", clearance, least=0.0)
    if major - thread_depth(pitch) - clearance - chamfer <= 0.0:
        raise InputError(f"pitch: {pitch:g} m is too coarse for a diameter of {2 * major:g} m")
    turns = number("runout", runout, above=0.0)
    if internal:
        return _tap(major + clearance, pitch, length, n, turns, chamfer)
    return _rod(major - clearance, pitch, length, n, turns, chamfer)


def _rod(major: float, pitch: float, length: float, n: int, runout: float, chamfer: float) -> Arrays:
    """A bolt's shank: ridges on the core cylinder, which ends in chamfers of 45 degrees."""
    core = major - thread_depth(pitch)
    ridge = Relief(pitch, base=core, top=major, middle=0.0, flat=1.0 / 16.0, foot=6.0 / 16.0)
    tip = core - chamfer
    below, above = ([(0.0, tip)], [(length, tip)]) if chamfer else ([], [])
    return _closed(_Winding.over(ridge, n, chamfer, length - chamfer, runout), below, above, raised=True)


def _tap(major: float, pitch: float, length: float, n: int, runout: float, chamfer: float) -> Arrays:
    """What a nut leaves free: grooves, where its ridges are, in a cylinder that ends in countersinks of 120 degrees."""
    scale = 1.0 / np.cos(np.pi / n)  # sides, not corners, on the circles: true clearance whatever the angle
    base, top = scale * major, scale * (major - thread_depth(pitch))
    groove = Relief(pitch, base=base, top=top, middle=0.5, flat=2.0 / 16.0, foot=7.0 / 16.0)
    mouth, inset, beyond = base + scale * chamfer, chamfer / np.sqrt(3.0), 0.5 * pitch
    # The mouth goes on beyond the faces of the blank, so that cutting leaves clean circles.
    below, above = [(-beyond, mouth)], [(length + beyond, mouth)]
    if chamfer:
        below, above = [(0.0, mouth), *below], [(length, mouth), *above]
    return _closed(_Winding.over(groove, n, inset, length - inset, runout), below, above, raised=False)


@dataclass(frozen=True)
class _Winding:
    """A relief on the columns first .. last, counted along the helix from angle 0; column j stands at 2 pi j / n."""

    relief: Relief
    n: int
    low: float
    high: float
    first: int
    last: int
    fading: int
    """Number of columns over which the relief rises from nothing."""

    @classmethod
    def over(cls, relief: Relief, n: int, low: float, high: float, runout: float) -> _Winding:
        """As far as the relief's feet stay between z = low and z = high."""
        margin = relief.pitch / 32.0
        foot_low, *_, foot_high = relief.profile
        first = int(np.ceil((low + margin - foot_low) / relief.pitch * n))
        last = int(np.floor((high - margin - foot_high) / relief.pitch * n))
        fading = max(1, round(runout * n))
        if last - first < max(n, 2 * fading):
            turns = max(2.0, 1.0 + 2.0 * runout) + 0.5
            raise InputError(
                f"length: too short for a thread of pitch {relief.pitch:g} m with its run-outs; "
                f"{turns * relief.pitch + low:.3g} m is enough"
            )
        return cls(relief, n, low, high, first, last, fading)

    @property
    def size(self) -> int:
        """How many columns of the helix carry the relief."""
        return self.last - self.first + 1

    def corners(self) -> Floats:
        """(4 * size, 3) foot, flat, flat, foot of each column."""
        relief, j = self.relief, np.arange(self.first, self.last + 1)
        share = np.clip(np.minimum(j - self.first, self.last - j) / self.fading, 0.0, 1.0)
        radius = np.full((self.size, 4), relief.base)
        radius[:, 1:3] += (share * (relief.top - relief.base))[:, None]
        z = relief.profile + (relief.pitch / self.n * j)[:, None]
        angle = (2.0 * np.pi / self.n * (j % self.n))[:, None]
        return np.stack((radius * np.cos(angle), radius * np.sin(angle), z), axis=2).reshape(-1, 3)

    def strips(self, points: Floats, raised: bool) -> Ints:
        """Triangles of flanks, flats and the plain bands between neighbouring turns."""
        line = np.arange(4 * self.size, dtype=np.int32).reshape(-1, 4)
        here, there = line[:-1], line[1:]
        quads = [np.stack((here[:, k], there[:, k], there[:, k + 1], here[:, k + 1]), axis=1) for k in range(3)]
        feet, heads = line[self.n :, 0], line[: -self.n, 3]
        quads.append(np.stack((heads[:-1], heads[1:], feet[1:], feet[:-1]), axis=1))
        return _split(points, np.concatenate(quads), raised)

    def margins(self, bottom: Ints, top: Ints) -> Ints:
        """Triangles between the first turn and the ring below it, and between the last turn and the ring above."""
        line = np.arange(4 * self.size, dtype=np.int32).reshape(-1, 4)
        triangles: list[Ints] = []
        for i in range(self.n):
            a, b = (self.first + i) % self.n, (self.first + i + 1) % self.n
            start = line[0] if i == self.n - 1 else line[0, :0]
            triangles.append(_zip([bottom[a], line[i, 0]], [bottom[b], *start, line[i + 1, 0]]))
            k = self.size - 1 - self.n + i
            a, b = (self.first + k) % self.n, (self.first + k + 1) % self.n
            end = line[-1] if i == 0 else line[0, :0]
            triangles.append(_zip([line[k, 3], *end, top[a]], [line[k + 1, 3], top[b]]))
        return np.concatenate(triangles)


def _closed(
    winding: _Winding, below: list[tuple[float, float]], above: list[tuple[float, float]], *, raised: bool
) -> Arrays:
    """The winding's surface, closed by plain rings (z, radius), named from the thread outwards, and discs."""
    n, base = winding.n, winding.relief.base
    points = winding.corners()
    rings = [(winding.low, base), *below, (winding.high, base), *above]
    tables = [points, *(_ring(radius, z, n) for z, radius in rings)]
    index = np.arange(len(rings) * n, dtype=np.int32).reshape(-1, n) + np.int32(len(points))
    down, up = index[: len(below) + 1], index[len(below) + 1 :]
    plain = [band(b, a) for a, b in pairwise(down)]
    plain += [band(a, b) for a, b in pairwise(up)]
    threaded = [winding.strips(points, raised), winding.margins(down[0], up[0])]
    return np.concatenate(tables), np.concatenate(
        (*threaded, *plain, convex_cap(down[-1])[:, ::-1], convex_cap(up[-1]))
    )


def _ring(radius: float, z: float, n: int) -> Floats:
    t = ring_angles(n)
    return np.stack((radius * np.cos(t), radius * np.sin(t), np.full(n, z)), axis=1)


def _split(points: Floats, quads: Ints, raised: bool) -> Ints:
    """Two triangles per quadrilateral, folded away from the other part's material."""
    a, b, c, d = points[quads].transpose(1, 0, 2)
    volume = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)
    along_ac = (volume > 0.0) == raised
    first = np.where(along_ac[:, None], quads[:, [0, 1, 2]], quads[:, [0, 1, 3]])
    second = np.where(along_ac[:, None], quads[:, [0, 2, 3]], quads[:, [1, 2, 3]])
    return np.concatenate((first, second))


def _zip(left: list[int], right: list[int]) -> Ints:
    """Triangles between two columns of vertices, each from below to above."""
    i = j = 0
    triangles = []
    while i < len(left) - 1 or j < len(right) - 1:
        if j < len(right) - 1 and (i == len(left) - 1 or j + 1 <= len(right) // 2):
            triangles.append((left[i], right[j], right[j + 1]))
            j += 1
        else:
            triangles.append((left[i], right[j], left[i + 1]))
            i += 1
    return np.array(triangles, np.int32)
