"""Polyhedra in a capsule and around it."""

import numpy as np

from abut import Capsule, Solid

SEGMENTS, RINGS = 64, 16


def inscribed(capsule, segments=SEGMENTS, rings=RINGS):
    """A polyhedron whose corners lie on the capsule."""
    angle = np.linspace(0.0, 0.5 * np.pi, rings + 1)
    r, half = capsule.radius, 0.5 * capsule.length
    cap = np.column_stack((r * np.cos(angle), half + r * np.sin(angle)))
    cap[-1, 0] = 0.0
    return Solid.revolve(np.concatenate((cap[::-1] * (1.0, -1.0), cap)), segments=segments)


def circumscribed(capsule, segments=SEGMENTS, rings=RINGS):
    """A polyhedron that holds the capsule: its facets are no nearer to the axis than its radius.

    The plane of a facet between two meridians and two parallels is off the ball around its corners by the cosines of
    half the angles between them, at most.
    """
    shrunk = np.cos(np.pi / segments) * np.cos(0.25 * np.pi / rings)
    return inscribed(Capsule(capsule.radius / shrunk * (1.0 + 1e-12), capsule.length), segments, rings)
