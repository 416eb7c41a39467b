"""The parts of a world's bodies, as the kernels of regions take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._jit import Packet
from ...arrays import Floats, Ints
from ...query.regions.region_part import region_part, stack_depth
from ...query.regions.region_tables import PART, RegionPart
from ..bodies.body import BodySpec


class PartStack(NamedTuple):
    """Parts; equal ones are one."""

    packets: list[Packet]
    words: Any
    """Of all packets, one a row."""
    margin: Floats
    """(n_part,) [m]."""
    shape: Ints
    """(n_body,) the part of each body."""
    centre: Floats
    """(n_body, 3) centre of mass in the part's frame [m]."""
    depth: int
    """Room for the search through any two trees."""


def stack_parts(specs: Sequence[BodySpec]) -> PartStack:
    """The parts of these bodies."""
    number: dict[int, int] = {}
    shapes: list[Any] = []
    for spec in specs:
        if id(spec.shape) not in number:
            number[id(spec.shape)] = len(shapes)
            shapes.append(spec.shape)
    packets = [_packet(shape) for shape in shapes]
    return PartStack(
        packets=packets,
        words=_stacked(packets),
        margin=np.array([float(shape.margin) for shape in shapes]),
        shape=np.array([number[id(spec.shape)] for spec in specs], np.int32),
        centre=np.array([spec.centre for spec in specs]).reshape(-1, 3),
        depth=2 * max(stack_depth(shape) for shape in shapes),
    )


def _packet(shape: Any) -> Packet:
    packet = Packet(PART)
    packet.put(RegionPart, region_part(shape))
    return packet


def _stacked(packets: list[Packet]) -> Any:
    words = [packet.words for packet in packets]
    return np.stack(words) if isinstance(words[0], np.ndarray) else words  # without machine code, words are no numbers
