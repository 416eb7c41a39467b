"""Contact detection between deformable bodies as Marinković, Zehn & Marinković published it (2011).

1. Boxes around both bodies; where they do not meet, nothing touches.
2. Candidates: by the hierarchy of boxes, the faces that reach into the common box and their vertices in it.
3. Rays from candidate vertices along x, y, z to the faces of the other body, until one decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from . import detect_kernels as kernels
from .skin import Skin
from .skin_kernels import triangles_in_box


@dataclass(frozen=True, eq=False)
class Entered:
    """What one body of a pair has in the common box, and which of its vertices are inside the other body."""

    faces: Ints
    """Candidate faces, which reach into the common box."""
    candidates: Ints
    """Candidate vertices, which lie in it."""
    vertices: Ints
    """Candidates that are inside the other body."""
    face: Ints
    """Of each of these, the face of the other body through which its ray leaves."""
    way: Floats
    """(n, 3) [m] from each of these along an axis to that face."""
    normal: Floats
    """(n, 3) outward normal of that face."""


@dataclass(frozen=True, eq=False)
class Detection:
    """Where two deformable bodies overlap."""

    box: Floats | None
    """(6,) [m] the common part of the boxes around both; None where these do not meet."""
    a: Entered
    b: Entered

    @property
    def touching(self) -> bool:
        """Whether a vertex of one lies inside the other."""
        return len(self.a.vertices) > 0 or len(self.b.vertices) > 0


def detect(a: Any, b: Any) -> Detection:
    """Vertices of two skins that lie inside the other one, by axis-oriented rays.

    `a` and `b` are each a `Skin`, whose boxes follow its `move`, or a `Solid`. As published, a vertex is outside if no
    face of the other body within the common box lies on the three lines through it along x, y and z: of a body that is
    deep inside another one nothing is found. Edges that cross without a vertex inside are not looked for. `World` does
    not rely on this: it checks motions.
    """
    skin_a, skin_b = Skin.of(a), Skin.of(b)
    low, high = np.maximum(skin_a.box[:3], skin_b.box[:3]), np.minimum(skin_a.box[3:], skin_b.box[3:])
    if (low >= high).any():
        return Detection(None, _entered(skin_a, skin_b, None), _entered(skin_b, skin_a, None))
    box = np.concatenate((low, high))
    return Detection(box, _entered(skin_a, skin_b, box), _entered(skin_b, skin_a, box))


def _entered(skin: Skin, other: Skin, box: Floats | None) -> Entered:
    """What `skin` has in the common box, and in `other`."""
    faces, candidates = _candidates(skin, box)
    n = len(candidates)
    inside, face, axis, way = np.zeros(n, np.bool_), np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n)
    if box is not None:
        surface = (other._vertices, other.triangles, other.child, other.boxes)
        kernels.locate_vertices(skin._vertices, candidates, surface, box[None], (inside, face, axis, way))
    face = face[inside]
    return Entered(
        faces, candidates, candidates[inside], face, np.eye(3)[axis[inside]] * way[inside, None], _normals(other, face)
    )


def _candidates(skin: Skin, box: Floats | None) -> tuple[Ints, Ints]:
    """Faces of a skin that reach into a box, and their vertices in it."""
    if box is None:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    found = np.empty(len(skin.triangles), np.int32)
    faces = np.sort(found[: triangles_in_box(skin.child, skin.boxes, box[None], found)])
    near = np.unique(skin.triangles[faces])
    points = skin._vertices[near]
    return faces, near[((points >= box[:3]) & (points <= box[3:])).all(axis=1)]


def _normals(skin: Skin, faces: Ints) -> Floats:
    a, b, c = (skin._vertices[skin.triangles[faces, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
