"""Parts that touch in known ways: for tests of contact regions."""

import numpy as np

import abut

TIP = [(0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05), (0.05, -0.05)]


def tip(up=True):
    """A pyramid whose apex is the origin; it stands below if `up`, else it hangs above."""
    sign = -1.0 if up else 1.0
    vertices = [(0.0, 0.0, 0.0)] + [(x, y, sign * 0.05) for x, y in TIP]
    faces = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [4, 3, 2, 1]]
    if not up:
        faces = [face[::-1] for face in faces]
    return abut.Solid(vertices, faces, name="tip")


def ridge(up=True, half=0.05):
    """A roof with its ridge along y through the origin."""
    profile = np.array([(0.0, 0.0), (-0.05, -0.05), (0.05, -0.05)])
    if not up:
        profile = -profile
    part = abut.Solid.extrude(profile, 2.0 * half)
    # along z to along y, the outline stays in the plane of x and z
    return part.transformed(abut.Pose.from_rotvec((0.0, half, 0.0), (np.pi / 2, 0.0, 0.0))).renamed("ridge")


def block(up=True, size=0.1):
    """A box with a face through the origin."""
    offset = -0.5 * size if up else 0.5 * size
    return abut.Solid.box(size).transformed(abut.Pose((0.0, 0.0, offset))).renamed("block")


def figure_3():
    """Two objects with a point (vertex/edge), a line (edge/edge) and a surface (face/face) in common."""
    unit = 0.01
    foot = abut.Solid.extrude([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 2.0)
    arm = box_between((1.5, 0.2, 1.5), (5.0, 0.8, 2.0))
    cone = [(4.5, 0.5, 0.5), (4.2, 0.2, 1.6), (4.8, 0.2, 1.6), (4.8, 0.8, 1.6), (4.2, 0.8, 1.6)]
    point = abut.Solid(cone, [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [1, 2, 3, 4]])
    base = box_between((-2, -2, -1), (6, 3, 0))
    pillar = box_between((-1, -1, -0.5), (0, 0, 1))
    a, b = foot | arm | point, base | pillar | _roof()
    return a.scaled(unit).renamed("upper"), b.scaled(unit).renamed("lower")


def _roof():
    profile = [(4.5, 0.5), (3.9, -0.1), (5.1, -0.1)]
    part = abut.Solid.extrude(profile, 3.0)
    return part.transformed(abut.Pose.from_rotvec((0.0, 2.0, 0.0), (np.pi / 2, 0.0, 0.0)))


def box_between(low, high):
    """A box from corner to corner."""
    low, high = np.array(low, float), np.array(high, float)
    return abut.Solid.box(high - low).transformed(abut.Pose(0.5 * (low + high)))
