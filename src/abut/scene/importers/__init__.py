"""Scenes of published collections, built from the folders they come in."""

from .factory import M16_PITCH, factory_nut, factory_peg
from .rigid_ipc import rigid_ipc

__all__ = ["M16_PITCH", "factory_nut", "factory_peg", "rigid_ipc"]
