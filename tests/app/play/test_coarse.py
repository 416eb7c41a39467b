"""Large parts on the page: fewer triangles, the same shape, and said so."""

import json
import struct

import numpy as np

from abut import Solid, World
from abut.app.draw.item import facets
from abut.app.play import scene_message as messages
from abut.app.play.coarse import shown
from abut.scene.scenes import View


def test_a_coarser_surface_is_closed_and_where_the_part_is():
    ball = Solid.sphere(0.05, subdivisions=5)
    n = len(ball.triangles)
    found = shown(facets(ball), n // 8)
    assert found.coarse and n // 40 < len(found.triangles) <= n // 8
    radius = np.linalg.norm(found.corners, axis=2)
    assert radius.max() <= 0.05 + 1e-12 and radius.min() > 0.045
    a, b, c = (found.corners[:, k] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert abs(volume / ball.volume - 1.0) < 0.1, "nothing is torn open"


def test_small_parts_are_shown_as_they_are():
    box = Solid.box((0.1, 0.1, 0.1))
    found = shown(facets(box), 12)
    assert not found.coarse and len(found.triangles) == 12 and len(found.edges) == 12


def test_the_page_is_told(monkeypatch):
    monkeypatch.setattr(messages, "MOST_TRIANGLES", 500)
    world = World()
    world.add_body(Solid.sphere(0.05, subdivisions=4), "ball")
    world.add_body(Solid.box((0.1, 0.1, 0.1)), "box")
    data = messages.scene_message(world, View(), {})
    (length,) = struct.unpack_from("<I", data, 4)
    ball, box = json.loads(data[8 : 8 + length])["shapes"]
    assert ball["coarse"] and ball["position"][1] <= 500 * 36 and ball["triangles"] > 500
    assert not box["coarse"] and box["position"][1] == 12 * 36
