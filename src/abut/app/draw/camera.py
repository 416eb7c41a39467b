"""Where a picture is taken from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, radians, sin, tan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, number, rows, vector
from ...errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .item import Item

AZIMUTH, ELEVATION, FOV, WIDEST = 30.0, 25.0, 24.0, 150.0
"""[degrees] from where pictures are seen and with which angle of view, if nobody says; angles of view end at WIDEST."""
FRAME = (960, 720)
"""[pixels] of a picture, if nobody says."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Looks at `target` from a direction given by two angles; world z is up in the picture.

    `azimuth` turns about z: 0 looks along +y with x to the right, 90 along -x. `elevation` 90 looks straight down.
    """

    target: Floats
    """(3,) point in the middle of the picture [m]."""
    span: float
    """Height of the picture at the target [m]."""
    azimuth: float
    """[degrees]."""
    elevation: float
    """[degrees] above the horizon."""
    fov: float
    """Vertical angle of view [degrees]; 0 is an orthographic picture."""

    def __init__(
        self,
        target: ArrayLike = (0.0, 0.0, 0.0),
        span: float = 1.0,
        azimuth: float = AZIMUTH,
        elevation: float = ELEVATION,
        fov: float = FOV,
    ) -> None:
        object.__setattr__(self, "target", vector("target", target))
        object.__setattr__(self, "span", number("span", span, above=0.0))
        object.__setattr__(self, "azimuth", number("azimuth", azimuth))
        object.__setattr__(self, "elevation", number("elevation", elevation))
        object.__setattr__(self, "fov", number("fov", fov, least=0.0))
        if self.fov >= WIDEST:
            raise InputError(f"fov: expected an angle of view below {WIDEST:g} degrees, got {self.fov:g}")

    @classmethod
    def fit(
        cls,
        scene: ArrayLike | Sequence[Item],
        azimuth: float = AZIMUTH,
        elevation: float = ELEVATION,
        fov: float = FOV,
        size: tuple[int, int] = FRAME,
        margin: float = 1.1,
    ) -> Camera:
        """The camera that shows the whole scene: items, or (n, 3) points [m]; `margin` 1 leaves no room around it."""
        from .item import scene_points

        points = scene_points(scene)
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        camera = cls(middle, 1.0, azimuth, elevation, fov)
        view = (points - middle) @ camera.axes.T
        slopes = np.array([size[0] / size[1], 1.0]) / number("margin", margin, above=0.0)
        shift, span = camera._fit_perspective(view, slopes) if camera.perspective else _fit_parallel(view, slopes)
        return replace(camera, target=middle + shift @ camera.axes[:2], span=max(span, 1e-9))

    def _fit_perspective(self, view: Floats, slopes: Floats) -> tuple[Floats, float]:
        """Place of the target right and up, and the span: the nearest eye from which all points lie in the picture.

        A point (p, z) is inside when |p - eye| <= slope (z - eye_z), right and up alike: four half spaces for the eye.
        """
        half = tan(radians(0.5 * self.fov))
        slopes = slopes * half
        plus = (view[:, :2] - slopes * view[:, 2:]).max(axis=0)
        minus = (-view[:, :2] - slopes * view[:, 2:]).max(axis=0)
        distance = max(float(((plus + minus) / (2.0 * slopes)).max()), 1e-9 - float(view[:, 2].min()))
        return 0.5 * (plus - minus), 2.0 * half * distance

    @property
    def perspective(self) -> bool:
        """Whether distant things look smaller."""
        return self.fov > 0.0

    @property
    def distance(self) -> float:
        """[m] from the eye to the target; without meaning but to order depths in an orthographic picture."""
        return 0.5 * self.span / tan(radians(0.5 * self.fov)) if self.perspective else 10.0 * self.span

    @property
    def axes(self) -> Floats:
        """(3, 3) rows: right, up and forward of the picture in the world."""
        a, e = radians(self.azimuth), radians(self.elevation)
        right = np.array([cos(a), sin(a), 0.0])
        forward = np.array([-sin(a) * cos(e), cos(a) * cos(e), -sin(e)])
        return np.stack((right, np.cross(right, forward), forward))

    @property
    def eye(self) -> Floats:
        """(3,) where the picture is taken from [m]."""
        return np.asarray(self.target - self.distance * self.axes[2])

    def to_view(self, points: ArrayLike) -> Floats:
        """(n, 3) points of the world as right, up and depth from the eye [m]."""
        return np.ascontiguousarray((rows("points", points, 3) - self.eye) @ self.axes.T)

    def to_pixels(self, points: ArrayLike, size: tuple[int, int]) -> Floats:
        """(n, 2) where points of the world lie in a picture of the given size: right and down from its corner."""
        p = self.to_view(points)
        scale = size[1] / self.span * (self.distance / p[:, 2] if self.perspective else 1.0)
        return np.stack((0.5 * size[0] + scale * p[:, 0], 0.5 * size[1] - scale * p[:, 1]), axis=1)


def _fit_parallel(view: Floats, slopes: Floats) -> tuple[Floats, float]:
    low, high = view[:, :2].min(axis=0), view[:, :2].max(axis=0)
    return 0.5 * (low + high), float(((high - low) / slopes).max())
