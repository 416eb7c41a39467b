"""The surface of a face: what it is, also where a file hides a plane or a cylinder in a free form."""

from __future__ import annotations

import contextlib
from typing import Any

from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.gp import gp_Cone, gp_Cylinder, gp_Pln, gp_Sphere
from OCP.ShapeAnalysis import ShapeAnalysis_CanonicalRecognition

from .document import MM

RECOGNISED = 1e-4
"""[mm] how far a free form may lie from the plane, cylinder, cone or sphere that is recognised in it."""

Facts = dict[str, Any]


def face_facts(face: Any, entities: Any) -> Facts:
    """Kind, parameters [m] and name of a face; the side of the material is left to its triangles."""
    return {**_surface_facts(face), "name": _face_name(face, entities)}


def _surface_facts(face: Any) -> Facts:
    surface = BRepAdaptor_Surface(face)
    kind = surface.GetType()
    if kind == GeomAbs_SurfaceType.GeomAbs_Plane:
        return _plane(surface.Plane())
    if kind == GeomAbs_SurfaceType.GeomAbs_Cylinder:
        return _cylinder(surface.Cylinder())
    if kind == GeomAbs_SurfaceType.GeomAbs_Cone:
        return _cone(surface.Cone())
    if kind == GeomAbs_SurfaceType.GeomAbs_Sphere:
        return _sphere(surface.Sphere())
    if kind == GeomAbs_SurfaceType.GeomAbs_Torus:
        return _torus(surface.Torus())
    return _recognised(face)


def _recognised(face: Any) -> Facts:
    """What a free form is in truth."""
    with contextlib.suppress(Exception):  # whatever it stumbles over, the face stays a free form
        look = ShapeAnalysis_CanonicalRecognition(face)
        for shape, matches, facts in (
            (gp_Pln(), look.IsPlane, _plane),
            (gp_Cylinder(), look.IsCylinder, _cylinder),
            (gp_Cone(), look.IsCone, _cone),
            (gp_Sphere(), look.IsSphere, _sphere),
        ):
            if matches(RECOGNISED, shape) and look.GetGap() <= RECOGNISED:
                return {**facts(shape), "recognised": True}
    return {"kind": "other"}


def _plane(plane: Any) -> Facts:
    return {"kind": "plane", "point": _metres(plane.Location()), "axis": _direction(plane.Axis())}


def _cylinder(cylinder: Any) -> Facts:
    return {
        "kind": "cylinder",
        "point": _metres(cylinder.Location()),
        "axis": _direction(cylinder.Axis()),
        "radius": cylinder.Radius() * MM,
    }


def _cone(cone: Any) -> Facts:
    """The axis runs from the apex into the opening; Open CASCADE's may run either way."""
    opening = 1.0 if cone.SemiAngle() > 0.0 else -1.0
    return {
        "kind": "cone",
        "point": _metres(cone.Apex()),
        "axis": [opening * x for x in _direction(cone.Axis())],
        "half_angle": abs(cone.SemiAngle()),
    }


def _sphere(sphere: Any) -> Facts:
    return {"kind": "sphere", "point": _metres(sphere.Location()), "radius": sphere.Radius() * MM}


def _torus(torus: Any) -> Facts:
    return {
        "kind": "torus",
        "point": _metres(torus.Location()),
        "axis": _direction(torus.Axis()),
        "radius": torus.MajorRadius() * MM,
        "minor_radius": torus.MinorRadius() * MM,
    }


def _metres(point: Any) -> list[float]:
    return [point.X() * MM, point.Y() * MM, point.Z() * MM]


def _direction(axis: Any) -> list[float]:
    direction = axis.Direction()
    return [direction.X(), direction.Y(), direction.Z()]


def _face_name(face: Any, entities: Any) -> str:
    """What the file calls the face; programs without names for faces write NONE."""
    entity = entities.EntityFromShapeResult(face, 1)
    name = entity.Name() if entity is not None and hasattr(entity, "Name") else None
    text = name.ToCString().strip() if name is not None else ""
    return "" if text.upper() == "NONE" else text
