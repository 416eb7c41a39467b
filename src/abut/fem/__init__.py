"""Deformable bodies: their skins, and how these meet."""

from .detect import Detection as Detection
from .detect import Entered as Entered
from .detect import detect as detect
from .skin import Skin as Skin
