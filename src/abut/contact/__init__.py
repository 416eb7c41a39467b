"""Contact between bodies: which pairs may touch."""

from .boxes import BodyBounds
from .culling import Culling, HashGrid, SweepAndPrune, make_culling

__all__ = ["BodyBounds", "Culling", "HashGrid", "SweepAndPrune", "make_culling"]
