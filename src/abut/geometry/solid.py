"""A part, immutable: how it is made, combined with others, moved, loaded and saved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, number, rows, three, unit_vector, vector
from ..errors import InputError
from ..hooks import provider
from ..math.pose import as_pose
from .facts import facts_of
from .given_faces import as_triangles
from .making import primitives, sweep
from .making.boolean import Operation, combine, convex_hull
from .making.thread import thread as _thread
from .shape import MESH, Shape
from .solid_answers import Mesh, SolidAnswers
from .surfaces.known_surfaces import box_surfaces, matched_surfaces, measured, revolved_surfaces
from .surfaces.surfaces import CYLINDER, SHAFT, SPHERE, TORUS, Surface, Surfaces, no_surfaces

if TYPE_CHECKING:
    from pathlib import Path

    from .files.load import LoadReport
    from .soundness.problems import Problem

_ORIGIN = (0.0, 0.0, 0.0)

FLATNESS = 1e-6
"""Default of `tolerance`, as a fraction of the part's size: above float32 rounding, far below any fit."""


class Solid(SolidAnswers):
    """A polyhedral part, immutable: vertices, triangles, and on demand faces, edges, fans, shells and mass.

    `faces` is (m, 3) triangles, (m, k) polygons or a list of polygons of any length, counter-clockwise seen from
    outside. Triangles whose corners lie within `tolerance` [m] of one plane form one face; no vertex is ever moved.
    """

    colour: tuple[float, float, float] | None = None
    """Red, green and blue from 0 to 1, as the file says; None where it says nothing."""
    origin: LoadReport | None = None
    """What `load` did; None for a part that was made."""

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike | Sequence[Sequence[int]],
        *,
        name: str = "",
        tolerance: float | None = None,
    ) -> None:
        points = rows("vertices", vertices, 3).copy()
        self.mesh = Mesh(points, as_triangles(points, faces))
        self.name = name
        if tolerance is None:
            tolerance = FLATNESS * float(np.linalg.norm(self.extents))
        self.tolerance = number("tolerance", tolerance, least=0.0)
        self.surfaces = no_surfaces(len(self.mesh.triangles))
        self._frozen = True

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that differ for parts that differ in any vertex, triangle or fact."""
        hash = blake2b(digest_size=16)
        for table in (self.mesh.vertices, self.mesh.triangles):
            hash.update(f"{table.shape}".encode())
            hash.update(table.data)
        hash.update(self.surfaces.ids.data)
        told = json.dumps([self.tolerance, self.name, facts_of(self)])
        hash.update(told.encode())
        return hash.hexdigest()

    @property
    def identity(self) -> str:
        """Its digest."""
        return self.digest

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        unit: str | None = None,
        repair: bool = False,
        tolerance: float | None = None,
        name: str | None = None,
        merge: bool = False,
        flatness: float | None = None,
        fit: bool = False,
    ) -> Solid:
        """One part from an STL, OBJ, PLY, OFF, GLB, 3MF or STEP file.

        `unit` is that of the file's numbers: m (the default where the file states none), mm, cm, um, in or ft; STEP
        files always state theirs. `repair` heals what exporters do to solids and reports it in `origin.repair`.
        `tolerance` [m] is the chord error of triangles that stand for curved STEP surfaces. A file with several parts
        is refused, since each would move on its own (`abut.load_assembly`), unless `merge` joins them into one rigid
        part. `flatness` [m] is the `tolerance` of the Solid. Vertices in the same place are merged. `fit` makes holes
        of a STEP part as wide as lets nothing be lost to chords, and shafts no thicker than drawn; `origin.fit` says
        what a fit gains by that. `path` may end with `#name` or a pattern of names, to take parts of an assembly.
        """
        from .files.load import load_solid

        return load_solid(
            path, unit=unit, repair=repair, tolerance=tolerance, name=name, merge=merge, flatness=flatness, fit=fit
        )

    def save(self, path: str | Path, *, unit: str = "m") -> None:
        """Write the part as STL, OBJ, PLY, GLB or 3MF, by the end of the file's name.

        `unit` is that of the numbers in STL, OBJ and PLY files, which do not state one; give the same to `load`. OBJ,
        PLY and 3MF keep double precision, STL and GLB are in single precision.
        """
        from .files.save import save_solid

        save_solid(self, path, unit=unit)

    def problems(self) -> list[Problem]:
        """What is wrong with the surface and where, worst first; [] for a sound solid."""
        return list(self._problems)

    @cached_property
    def _problems(self) -> tuple[Problem, ...]:
        from .soundness.problems import find_problems

        return tuple(find_problems(self)) if self else ()

    def _with_surfaces(self, candidates: list[Surface]) -> Solid:
        return self._with(surfaces=matched_surfaces(self.mesh.vertices, self.mesh.triangles, candidates))

    def _with(self, **facts: Any) -> Solid:
        """The part, just made, with facts that its vertices do not tell."""
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        return self

    def renamed(self, name: str) -> Solid:
        """The same part under another name."""
        if not self:
            return _nothing(name)
        part = Solid(self.mesh.vertices, self.mesh.triangles, name=name, tolerance=self.tolerance)
        return part._with(surfaces=self.surfaces, colour=self.colour, origin=self.origin)

    def _rebuilt(self, vertices: Floats, triangles: Ints, tolerance: float) -> Solid:
        """A part of another shape that goes by the same name."""
        if len(triangles) == 0:
            return _nothing(self.name)
        return Solid(vertices, triangles, name=self.name, tolerance=tolerance)._with(colour=self.colour)

    def _moved(self, vertices: Floats, triangles: Ints, tolerance: float, surfaces: Surfaces) -> Solid:
        """The part with every vertex moved and every triangle kept."""
        return self._rebuilt(vertices, triangles, tolerance)._with(surfaces=surfaces)

    @classmethod
    def box(cls, size: ArrayLike = (0.1, 0.1, 0.1), *, name: str = "") -> Solid:
        """A box of the given size (x, y, z) [m], or a cube of one length, centred on the origin."""
        part = cls(*primitives.box(size), name=name)
        return part._with_surfaces(box_surfaces(part.extents))

    @classmethod
    def sphere(
        cls,
        radius: float = 0.05,
        *,
        subdivisions: int = 3,
        segments: int | None = None,
        rings: int | None = None,
        name: str = "",
    ) -> Solid:
        """A ball [m] about the origin with its corners on the sphere.

        By default an icosahedron whose triangles are cut in four `subdivisions` times; with `segments` meridians, and
        `rings` bands of latitude (half as many if not given), a globe with its poles on z.
        """
        if segments is None:
            arrays = primitives.ico_sphere(radius, subdivisions=subdivisions)
        else:
            rings = max(2, segments // 2) if rings is None else rings
            arrays = primitives.uv_sphere(radius, segments=segments, rings=rings)
        return cls(*arrays, name=name)._with_surfaces([Surface(SPHERE, radius=float(radius), sense=SHAFT)])

    @classmethod
    def cylinder(
        cls, radius: float, height: float, *, segments: int = 64, circumscribed: bool = False, name: str = ""
    ) -> Solid:
        """A cylinder [m] along z, centred on the origin.

        Its `segments`-gon lies inside the circle and has a corner on the x axis. With `circumscribed` it lies outside:
        the form to subtract for a hole that lets everything up to `radius` pass.
        """
        part = cls(*primitives.cylinder(radius, height, segments=segments, circumscribed=circumscribed), name=name)
        outer = float(np.abs(part.mesh.vertices[:, 0]).max()) if circumscribed else radius
        part = part._with_surfaces(revolved_surfaces(primitives.cone_profile(outer, outer, height)))
        return part._with(surfaces=_of_radius(part, radius)) if circumscribed else part

    @classmethod
    def cone(
        cls, radius: float, height: float, *, top_radius: float = 0.0, segments: int = 64, name: str = ""
    ) -> Solid:
        """A cone [m] along +z, centred on the origin at half its height; with `top_radius` a frustum."""
        part = cls(*primitives.cone(radius, top_radius, height, segments=segments), name=name)
        return part._with_surfaces(revolved_surfaces(primitives.cone_profile(radius, top_radius, height)))

    @classmethod
    def torus(
        cls, major_radius: float, minor_radius: float, *, segments: int = 48, sides: int = 16, name: str = ""
    ) -> Solid:
        """A ring [m] about the z axis: the middle of its tube runs at `major_radius`."""
        part = cls(*primitives.torus(major_radius, minor_radius, segments=segments, sides=sides), name=name)
        ring = Surface(TORUS, _ORIGIN, (0.0, 0.0, 1.0), float(major_radius), float(minor_radius), sense=SHAFT)
        return part._with_surfaces([ring])

    @classmethod
    def extrude(cls, outline: ArrayLike, height: float, *, holes: Sequence[ArrayLike] = (), name: str = "") -> Solid:
        """A plane polygon (n, 2) [m] with polygonal `holes`, swept from z = 0 to z = height."""
        return cls(*sweep.extrude(outline, height, holes=holes), name=name)

    @classmethod
    def revolve(cls, profile: ArrayLike, *, segments: int = 64, angle: float | None = None, name: str = "") -> Solid:
        """A closed polygon (n, 2) of (radius, z) [m] turned about z: all around, or by `angle` [rad] from x."""
        part = cls(*sweep.revolve(profile, segments=segments, angle=angle), name=name)
        return part._with_surfaces(revolved_surfaces(profile))

    @classmethod
    def hull(cls, points: ArrayLike, *, name: str = "") -> Solid:
        """The convex hull of points (n, 3) [m]."""
        return cls(*convex_hull(points), name=name)

    @classmethod
    def thread(
        cls,
        diameter: float,
        length: float,
        *,
        pitch: float | None = None,
        internal: bool = False,
        clearance: float = 0.0,
        segments: int = 32,
        runout: float = 0.5,
        chamfer: float | None = None,
        name: str = "",
    ) -> Solid:
        """A right-handed ISO metric thread along z from 0 to `length` [m], with the profile of ISO 68-1.

        `diameter` is the nominal one; `pitch` is that of the coarse series if not given. The middle of the ridge passes
        the x axis at z = 0, were it to reach there, so a nut fits its bolt after any whole number of pitches.
        At both ends the ridge fades over `runout` turns. External: a rod whose ends have a `chamfer` of 45 degrees
        (default a quarter of the pitch). `internal`: the tap to be subtracted from a blank that lies between z = 0 and
        z = length, with a countersink that widens each mouth by `chamfer`. `clearance` moves the profile radially away
        from the mating thread, which opens its flanks by half as much. No facet of the `segments` per turn sticks out
        of the ideal thread by more than pitch / segments^3, so that clearance is what it says, or more.
        """
        return cls(
            *_thread(
                diameter,
                length,
                pitch=pitch,
                internal=internal,
                clearance=clearance,
                segments=segments,
                runout=runout,
                chamfer=chamfer,
            ),
            name=name,
        )

    def __or__(self, other: Solid) -> Solid:
        return self._combined("|", other)

    def __and__(self, other: Solid) -> Solid:
        return self._combined("&", other)

    def __sub__(self, other: Solid) -> Solid:
        return self._combined("-", other)

    def _combined(self, operation: Operation, other: Solid) -> Solid:
        if not isinstance(other, Solid):
            return NotImplemented
        if not (self and other):
            return self._combined_with_nothing(operation, other)
        a, b = ((part.mesh.vertices, part.mesh.triangles) for part in (self, other))
        arrays = combine(operation, a, b, label_a=self.label, label_b=other.label)
        if len(arrays[1]) == 0:
            return _nothing(self.name)
        return self._rebuilt(*arrays, max(self.tolerance, other.tolerance))

    def _combined_with_nothing(self, operation: Operation, other: Solid) -> Solid:
        """An empty part is the zero of union and difference."""
        if operation == "&" or (operation == "-" and not self):
            return _nothing(self.name)
        return self if self else other

    def transformed(self, pose: Any) -> Solid:
        """The part moved by a `Pose` or a 4x4 matrix."""
        X = as_pose("pose", pose)
        surfaces = self.surfaces.moved(X.rotation, X.position)
        return self._moved(X.apply(self.mesh.vertices), self.mesh.triangles, self.tolerance, surfaces)

    def translated(self, offset: ArrayLike) -> Solid:
        """The part moved by (x, y, z) [m]."""
        shift = vector("offset", offset)
        surfaces = self.surfaces.moved(np.eye(3), shift)
        return self._moved(self.mesh.vertices + shift, self.mesh.triangles, self.tolerance, surfaces)

    def scaled(self, factor: ArrayLike) -> Solid:
        """The part enlarged about the origin by one factor, or by three along the axes; all greater than 0."""
        factors = three("factor", factor)
        if (factors <= 0.0).any():
            raise InputError(
                f"factor: expected numbers greater than 0, got {factors.tolist()}; mirrored() reflects a part"
            )
        largest = float(factors.max())
        part = self._rebuilt(self.mesh.vertices * factors, self.mesh.triangles, self.tolerance * largest)
        if (factors != largest).any():
            return part  # round surfaces are no longer round
        return part._with(surfaces=self.surfaces.moved(np.eye(3), np.zeros(3), largest))

    def mirrored(self, normal: ArrayLike, offset: float = 0.0) -> Solid:
        """The part reflected in the plane normal . x = offset; its surface still points outwards."""
        n = unit_vector("normal", normal)
        height = self.mesh.vertices @ n - number("offset", offset)
        reflected = self.mesh.vertices - 2.0 * height[:, None] * n
        surfaces = self.surfaces.moved(np.eye(3) - 2.0 * np.outer(n, n), 2.0 * float(offset) * n)
        triangles = np.ascontiguousarray(self.mesh.triangles[:, ::-1])
        return self._moved(reflected, triangles, self.tolerance, surfaces)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise AttributeError(f"a Solid cannot be changed; make a new one instead of setting {attribute!r}")
        super().__setattr__(attribute, value)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {"surfaces": self.surfaces, "colour": self.colour, "origin": self.origin}
        return _restore, (self.mesh.vertices, self.mesh.triangles, self.name, self.tolerance, facts)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """What a notebook shows."""
        shown: dict[str, Any] = provider("show_solid")(self)
        return shown

    def __repr__(self) -> str:
        size = " x ".join(f"{1e3 * x:.4g}" for x in self.extents)
        name = f"{self.name!r}, " if self.name else ""
        return f"Solid({name}{len(self.triangles)} triangles, {size} mm)" if self else f"Solid({name}empty)"


def _of_radius(part: Solid, radius: float) -> Surfaces:
    """The surfaces of a circumscribed cylinder: its side stands for one of the radius asked for."""
    (side,) = part.surfaces.find(CYLINDER)
    corners = part.mesh.vertices[part.mesh.triangles[part.surfaces.triangles(side)]]
    true = measured(replace(part.surfaces[side], radius=radius), corners)
    return Surfaces(tuple(true if i == side else s for i, s in enumerate(part.surfaces)), part.surfaces.ids)


def _nothing(name: str) -> Solid:
    """The empty part, which no list of faces can ask for."""
    from .mass import MassProperties

    part = Solid.__new__(Solid)
    part.mesh = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32))
    part.name, part.tolerance, part.surfaces = name, 0.0, no_surfaces(0)
    part.bounds, part.closed = np.zeros((2, 3)), True
    part.mass_properties = MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    part._frozen = True
    return part


def _restore(vertices: Floats, triangles: Ints, name: str, tolerance: float, facts: dict[str, Any]) -> Solid:
    return Solid(vertices, triangles, name=name, tolerance=tolerance)._with(**facts)


def is_polyhedron(shape: Shape) -> TypeGuard[Solid]:
    """Whether it has vertices, edges and faces."""
    return shape.core == MESH
