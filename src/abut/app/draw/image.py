"""Pictures as arrays: saving them, writing on them, putting several on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, count
from ...errors import FileError, InputError
from .palette import Colour, srgb

Image = NDArray[np.uint8]
"""(h, w, 3) sRGB."""


def save_png(path: str | Path, image: Image, colours: int | None = None) -> Path:
    """Write a picture and return its path; folders are made. With `colours` (2 to 256) the file has a palette."""
    from PIL import Image as pil

    path, picture = Path(path), pil.fromarray(_checked("image", image))
    if path.suffix.lower() != ".png":
        raise InputError(f"path: expected a name that ends in .png, got {path.name!r}")
    if colours is not None:
        limited = min(count("colours", colours, least=2), 256)
        picture = picture.quantize(limited, pil.Quantize.MEDIANCUT, kmeans=3, dither=pil.Dither.NONE)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, optimize=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def strip(
    images: Sequence[Image],
    columns: int | None = None,
    captions: Sequence[str] = (),
    *,
    gap: int = 12,
    text_size: int = 18,
    background: Colour = "white",
) -> Image:
    """One picture made of several of the same size, row by row, each with its caption below."""
    if not images:
        raise InputError("images: expected at least one, got none")
    tiles = [_checked(f"images[{i}]", image) for i, image in enumerate(images)]
    if len({tile.shape for tile in tiles}) > 1:
        raise InputError(f"images: expected pictures of one size, got {sorted({t.shape[:2] for t in tiles})}")
    if captions and len(captions) != len(tiles):
        raise InputError(f"captions: expected one for each of {len(tiles)} pictures, got {len(captions)}")
    columns = len(tiles) if columns is None else min(count("columns", columns, least=1), len(tiles))
    height, width = tiles[0].shape[:2]
    row_height = height + gap + (int(1.6 * text_size) if captions else 0)
    n_rows = -(-len(tiles) // columns)
    paper = (255.0 * srgb("background", background)).round().astype(np.uint8)
    sheet = np.tile(paper, (n_rows * row_height + gap, columns * (width + gap) + gap, 1))
    for i, tile in enumerate(tiles):
        y, x = gap + i // columns * row_height, gap + i % columns * (width + gap)
        sheet[y : y + height, x : x + width] = tile
    places = [
        (gap + i % columns * (width + gap) + width / 2, gap + i // columns * row_height + height + 0.7 * text_size)
        for i in range(len(captions))
    ]
    return write(sheet, [(text, place, "ink", text_size, "mm") for text, place in zip(captions, places, strict=True)])


def write(image: Image, texts: Sequence[tuple[str, Any, Colour, float, str]]) -> Image:
    """A copy of the picture with words on it: (text, (x, y), colour, size, anchor), each with a pale rim."""
    if not texts:
        return image
    from PIL import Image as pil
    from PIL import ImageDraw, ImageFont

    picture = pil.fromarray(image)
    pen = ImageDraw.Draw(picture)
    for text, place, colour, size, anchor in texts:
        fill = _bytes(srgb("colour", colour))
        font = ImageFont.load_default(size)
        rim = max(1, round(size / 8))
        pen.text(tuple(place), text, fill, font, anchor, stroke_width=rim, stroke_fill=(255, 255, 255))
    return np.asarray(picture).copy()


def _bytes(rgb: Floats) -> tuple[int, ...]:
    return tuple(int(x) for x in (255.0 * rgb).round())


def _checked(name: str, image: Any) -> Image:
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8 or array.size == 0:
        raise InputError(f"{name}: expected (h, w, 3) of uint8, got {array.shape} of {array.dtype}")
    return np.ascontiguousarray(array)
