"""Pictures of parts, made in software: no graphics card, display or browser needed."""

from .camera import Camera
from .image import Image, save_png, strip
from .item import Item, Section
from .marks import Arrow, Dot, Label, Mark, Patch, Path
from .palette import PALETTE
from .picture import draw
from .region_marks import region_marks, region_text

__all__ = [
    "PALETTE",
    "Arrow",
    "Camera",
    "Dot",
    "Image",
    "Item",
    "Label",
    "Mark",
    "Patch",
    "Path",
    "Section",
    "draw",
    "region_marks",
    "region_text",
    "save_png",
    "strip",
]
