"""What is beside the features of a contact: faces to which a vertex goes on, and faces over which ways lean."""

import numpy as np
import pytest

from abut._jit import Packet
from abut.dynamics.soft.beside_kernels import go_on_beside, leaning_edges
from abut.dynamics.soft.soft_packet_tables import LAYOUT
from abut.dynamics.soft.soft_tables import Fans, Touches, TouchStates, Vertices
from abut.dynamics.soft.touch_kernels import place_touches
from abut.fem.skin_check_kernels import EDGE_EDGE, VERTEX_FACE


def touches_of_one(name):
    tables = (
        np.zeros((1, 5), np.int32),
        np.zeros((1, 4)),
        np.zeros((1, 3, 3)),
        np.zeros(1),
        np.zeros(1),
        np.zeros((1, 3)),
    )
    tables[0][0] = name
    return Touches(*tables)


def skins_of(start, triangles):
    start, triangles, n = np.array(start, np.float64), np.array(triangles, np.int32), len(start)
    none, one = np.zeros((n, 4), np.int32), np.zeros((n, 4))
    vertices = Vertices(start, start.copy(), none, one, np.zeros(n, np.int32), np.zeros(n), np.zeros((n, 3)))
    order = np.argsort(triangles.ravel(), kind="stable")
    first = np.searchsorted(triangles.ravel()[order], np.arange(n + 1)).astype(np.int32)
    return vertices, Fans(first, np.ascontiguousarray(triangles[order // 3]))


def vertex_over_a_fold(x, height, drop):
    """Where a vertex at (x, 0, height) goes on that a face on the left of x = 0 holds; the one on the right drops."""
    places = [(x, 0, height), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, -drop)]
    vertices, fans = skins_of(places, [(1, 2, 3), (2, 1, 4)])
    touches, gap = touches_of_one((VERTEX_FACE, 0, 1, 2, 3)), np.zeros(1)
    states = TouchStates(np.zeros(1, np.int64), np.zeros((1, 3)), np.zeros((1, 3)), gap)
    packet = Packet(LAYOUT)
    for kind, tables in ((Vertices, vertices), (Fans, fans), (Touches, touches), (TouchStates, states)):
        packet.put(kind, tables)
    place_touches(tuple(touches), tuple(vertices), 0, 1, gap)
    go_on_beside(packet.words, 1)
    return touches.name[0, 2:].tolist(), touches.axes[0, 0], gap[0]


@pytest.mark.parametrize(
    ("x", "drop", "face", "normal"),
    [
        (-0.2, 0.0, [1, 2, 3], (0, 0, -1)),
        (0.01, 0.0, [1, 2, 3], (0, 0, -1)),
        (0.2, 0.0, [2, 1, 4], (0, 0, -1)),
        (0.01, -0.5, [1, 2, 3], (0, 0, -1)),
        (0.2, 1.0, [2, 1, 4], (-(0.5**0.5), 0, -(0.5**0.5))),
        (0.01, 5.0, [1, 2, 3], (-(0.5**0.5), 0, -(0.5**0.5))),
    ],
)
def test_a_vertex_goes_on_where_another_face_is_nearer(x, drop, face, normal):
    """On its face; hardly beyond it; far beyond it; in a valley; over a ridge; and above the ridge itself."""
    found, along, gap = vertex_over_a_fold(x, 0.01, drop)
    assert found == face and along == pytest.approx(normal, abs=1e-12)
    if drop == 0.0:
        assert gap == pytest.approx(0.01)


@pytest.mark.parametrize(("along", "leans"), [((0.0, 0.0, 1.0), 0.0), ((0.6, 0.0, 0.8), 0.6)])
def test_a_way_between_edges_leans_over_the_faces_beside_them(along, leans):
    """Of two edges along y, each between two faces of one plane."""
    places = [(0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0)]
    above = [(x, y, 1) for x, y, _ in places]
    vertices, fans = skins_of(places + above, [(0, 1, 2), (1, 0, 3), (4, 5, 7), (5, 4, 6)])
    touches = touches_of_one((EDGE_EDGE, 0, 1, 4, 5))
    touches.axes[0, 0] = along
    assert leaning_edges(fans, vertices, touches, 0, 0.0) == pytest.approx(leans)
