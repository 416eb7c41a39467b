"""Pictures of parts, made in software: no graphics card, display or browser needed."""

from .camera import Camera
from .image import Image, save_png, strip
from .item import Item, Section
from .marks import Arrow, Dot, Label, Mark, Path
from .palette import PALETTE
from .picture import draw

__all__ = [
    "PALETTE",
    "Arrow",
    "Camera",
    "Dot",
    "Image",
    "Item",
    "Label",
    "Mark",
    "Path",
    "Section",
    "draw",
    "save_png",
    "strip",
]
