"""Runs: their folders, records and snapshots, written while a world is stepped and read afterwards."""

from .recorder import recording
from .run import Run

__all__ = ["Run", "recording"]
