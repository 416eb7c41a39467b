"""Contacts that a trial motion makes: their normals lead apart what begins apart."""

import numpy as np
import pytest

from abut.dynamics.soft.soft_tables import Touches, Vertices
from abut.dynamics.soft.touch_kernels import put_touches, start_apart
from abut.fem.skin_check_kernels import VERTEX_FACE


def a_vertex_and_a_face(below, above, shares, normal):
    """A contact of vertex 0, which moves from `below` to `above`, and a face at height 0."""
    start = np.array([below, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    end = start.copy()
    end[0] = above
    none, one = np.zeros((4, 4), np.int32), np.zeros((4, 4))
    vertices = Vertices(start, end, none, one, np.zeros(4, np.int32), np.zeros(4), np.zeros((4, 3)))
    touches = Touches(
        np.zeros((1, 5), np.int32), np.zeros((1, 4)), np.zeros((1, 3, 3)), np.zeros(1), np.zeros(1), np.zeros((1, 3))
    )
    names = np.array([(VERTEX_FACE, 0, 1, 2, 3)], np.int32)
    values = np.array([(0.5, 1.0, *shares, *normal, 0.5)])
    put_touches(names, values, np.zeros(1, np.int64), 1, 0, tuple(touches))
    return touches, vertices


def begins(touches, vertices):
    """How far the features of the contact are apart along its normal where the motion begins [m]."""
    return touches.axes[0, 0] @ sum(s * vertices.start[i] for s, i in zip(touches.share[0], range(4), strict=True))


def test_a_normal_that_leads_back_gives_way_to_that_of_the_begin():
    touches, vertices = a_vertex_and_a_face((0.2, 0.2, 0.3), (0.2, 0.2, -0.4), (0.6, 0.2, 0.2), (0.0, 0.0, 1.0))
    assert begins(touches, vertices) == pytest.approx(-0.3)
    gap = np.empty(1)
    start_apart(tuple(touches), tuple(vertices), 0, 1, gap)
    assert gap[0] == pytest.approx(0.3) == begins(touches, vertices)
    assert touches.axes[0, 0] == pytest.approx((0, 0, -1)) and touches.share[0] == pytest.approx((-1, 0.6, 0.2, 0.2))


def test_a_normal_that_leads_apart_stays():
    normal = np.array((0.0, 0.6, -0.8))
    touches, vertices = a_vertex_and_a_face((0.2, 0.2, 0.3), (0.2, 0.2, 1e-4), (0.5, 0.25, 0.25), normal)
    before = [table.copy() for table in touches]
    gap = np.full(1, -1.0)
    start_apart(tuple(touches), tuple(vertices), 0, 1, gap)
    assert all((a == b).all() for a, b in zip(before, touches, strict=True)) and gap[0] == -1.0
