"""Which tetrahedra can be computed with, and what can be healed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints, distinct_rows
from ...errors import InputError
from .shape import EDGES, oriented_faces, signed_volumes

FLAT_TETRAHEDRON = 1e-9
"""A tetrahedron is flat if its volume is less than this times the cube of its longest edge."""


def require_sound(nodes: Floats, tetrahedra: Ints) -> None:
    """Refuse flat, turned, doubled and overlapping tetrahedra and loose nodes, each by its number."""
    if len(tetrahedra) == 0:
        raise InputError("tetrahedra: expected at least one, got none")
    volumes, flat = signed_volumes(nodes, tetrahedra), _flat(nodes, tetrahedra)
    if flat.any():
        raise InputError(
            f"tetrahedra: {_named(flat)} no volume: {_they(flat)} corners lie in a plane; "
            f"repair=True drops {_them(flat)}"
        )
    turned = volumes < 0.0
    if turned.all():
        raise InputError(
            "tetrahedra: all are numbered the wrong way round, their volumes are negative; repair=True turns them"
        )
    if turned.any():
        raise InputError(
            f"tetrahedra: {_named(turned)} a negative volume: inverted, or numbered the wrong way round; "
            f"repair=True turns {_them(turned)}"
        )
    _require_manifold(tetrahedra)
    loose = np.setdiff1d(np.arange(len(nodes)), tetrahedra)
    if len(loose):
        raise InputError(
            f"nodes: node {loose[0]} belongs to no tetrahedron ({len(loose)} such); repair=True drops them"
        )


def repaired(nodes: Floats, tetrahedra: Ints, fill: Floats) -> tuple[Floats, Ints, Floats, tuple[str, ...]]:
    """Without flat and doubled tetrahedra and loose nodes, all wound the right way round; and what was done."""
    notes = []
    keep = ~_flat(nodes, tetrahedra)
    if not keep.all():
        notes.append(f"{int((~keep).sum())} flat tetrahedra were dropped")
    first = np.zeros(len(tetrahedra), np.bool_)
    first[np.unique(np.sort(tetrahedra, axis=1), axis=0, return_index=True)[1]] = True
    if not first.all():
        notes.append(f"{int((~first).sum())} doubled tetrahedra were dropped")
    tetrahedra, fill = tetrahedra[keep & first], fill[keep & first]
    turned = signed_volumes(nodes, tetrahedra) < 0.0
    if turned.any():
        notes.append(f"{int(turned.sum())} tetrahedra were turned the right way round")
        tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    used, corner = np.unique(tetrahedra, return_inverse=True)
    if len(used) < len(nodes):
        notes.append(f"{len(nodes) - len(used)} nodes that belong to no tetrahedron were dropped")
    cells = np.ascontiguousarray(corner.reshape(-1, 4), np.int32)
    return np.ascontiguousarray(nodes[used]), cells, np.ascontiguousarray(fill), tuple(notes)


def _flat(nodes: Floats, tetrahedra: Ints) -> NDArray[np.bool_]:
    lengths = [np.linalg.norm(nodes[tetrahedra[:, i]] - nodes[tetrahedra[:, j]], axis=1) for i, j in EDGES]
    longest = np.max(lengths, axis=0) if len(tetrahedra) else np.zeros(0)
    return np.asarray(np.abs(signed_volumes(nodes, tetrahedra)) <= FLAT_TETRAHEDRON * longest**3)


def _require_manifold(tetrahedra: Ints) -> None:
    """Two tetrahedra on one side of a face overlap; so do tetrahedra that occur twice."""
    if len(distinct_rows(np.sort(tetrahedra, axis=1))) < len(tetrahedra):
        raise InputError("tetrahedra: some of them occur twice; repair=True drops the doubles")
    faces = oriented_faces(tetrahedra)
    turned = np.take_along_axis(faces, (faces.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    order = np.lexsort(turned.T[::-1])
    same = (turned[order][1:] == turned[order][:-1]).all(axis=1)
    if same.any():
        k = int(same.argmax())
        a, b = sorted(int(order[i]) % len(tetrahedra) for i in (k, k + 1))
        raise InputError(
            f"tetrahedra: {a} and {b} lie on the same side of their common face {turned[order][k].tolist()}, so they "
            "overlap; mesh the part anew, TetMesh.from_solid does"
        )


def _named(bad: NDArray[np.bool_]) -> str:
    """The first of several, and the verb."""
    numbers = np.flatnonzero(bad)
    if len(numbers) == 1:
        return f"number {numbers[0]} has"
    listed = ", ".join(map(str, numbers[:3]))
    return f"numbers {listed}{', ...' if len(numbers) > 3 else ''} ({len(numbers)} in all) have"


def _they(bad: NDArray[np.bool_]) -> str:
    return "its" if bad.sum() == 1 else "their"


def _them(bad: NDArray[np.bool_]) -> str:
    return "it" if bad.sum() == 1 else "them"
