"""Contact between bodies: which pairs may touch."""

from .culling import Culling, HashGrid, SweepAndPrune, make_culling

__all__ = ["Culling", "HashGrid", "SweepAndPrune", "make_culling"]
