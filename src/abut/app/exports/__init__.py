"""Runs in formats of other programs."""

from .animation import save_animation
from .moving_pictures import save_pictures
from .tables import save_csv, save_parquet

__all__ = ["save_animation", "save_csv", "save_parquet", "save_pictures"]
