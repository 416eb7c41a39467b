"""abut: solid parts that touch.

Names are loaded when they are first used, so that `import abut` costs little and does not start the compiler.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "AbutError": "errors",
    "AbutWarning": "errors",
    "AssemblyWarning": "errors",
    "Body": "dynamics",
    "Capsule": "geometry",
    "ClearanceReport": "query",
    "Deformable": "dynamics",
    "Distance": "query",
    "EdgeKind": "geometry",
    "Event": "dynamics",
    "Feature": "query",
    "FileError": "errors",
    "HalfSpace": "geometry",
    "Impact": "query",
    "InputError": "errors",
    "Intersection": "query",
    "Joint": "dynamics",
    "KinematicOverlapError": "dynamics",
    "LoadReport": "geometry",
    "LoadWarning": "errors",
    "Loosened": "query",
    "MissingExtraError": "errors",
    "Motion": "math",
    "Motor": "dynamics",
    "MovedApart": "dynamics",
    "OverlapError": "dynamics",
    "PlacedPart": "geometry",
    "PairClearance": "query",
    "Pose": "math",
    "Problem": "geometry",
    "Region": "query",
    "Regions": "query",
    "RepairReport": "geometry",
    "Run": "app.runs",
    "RunSummary": "dynamics",
    "RunWarning": "errors",
    "SettingError": "errors",
    "ShapeError": "errors",
    "Solid": "geometry",
    "Sphere": "geometry",
    "Spring": "dynamics",
    "StepReport": "dynamics",
    "StoppedError": "errors",
    "Surface": "geometry",
    "SurfaceRegion": "query",
    "Surfaces": "geometry",
    "World": "dynamics",
    "clearance": "query",
    "contact_regions": "query",
    "contains": "query",
    "distance": "query",
    "intersect": "query",
    "load_assembly": "geometry",
    "loosen": "query",
    "save_assembly": "geometry",
    "recording": "app.runs",
    "swept_free": "query",
    "time_of_impact": "query",
}
_MODULES = {"contact", "fem", "geometry", "importers", "math", "parts", "query", "scene", "scenes", "solve"}
_INSIDE = {"importers": "scene.importers", "parts": "scene.parts", "scenes": "scene.scenes"}

__all__ = ["__version__", *sorted(_HOME), *sorted(_MODULES)]

if TYPE_CHECKING:
    from . import contact as contact
    from . import fem as fem
    from . import geometry as geometry
    from . import math as math
    from . import query as query
    from . import scene as scene
    from . import solve as solve
    from .app.runs import Run, recording
    from .dynamics import (
        Body,
        Deformable,
        Event,
        Joint,
        KinematicOverlapError,
        Motor,
        MovedApart,
        OverlapError,
        RunSummary,
        Spring,
        StepReport,
        World,
    )
    from .errors import (
        AbutError,
        AbutWarning,
        AssemblyWarning,
        FileError,
        InputError,
        LoadWarning,
        MissingExtraError,
        RunWarning,
        SettingError,
        ShapeError,
        StoppedError,
    )
    from .geometry import (
        Capsule,
        EdgeKind,
        HalfSpace,
        LoadReport,
        PlacedPart,
        Problem,
        RepairReport,
        Solid,
        Sphere,
        Surface,
        Surfaces,
        load_assembly,
        save_assembly,
    )
    from .math import Motion, Pose
    from .query import (
        ClearanceReport,
        Distance,
        Feature,
        Impact,
        Intersection,
        Loosened,
        PairClearance,
        Region,
        Regions,
        SurfaceRegion,
        clearance,
        contact_regions,
        contains,
        distance,
        intersect,
        loosen,
        swept_free,
        time_of_impact,
    )
    from .scene import importers as importers
    from .scene import parts as parts
    from .scene import scenes as scenes


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f".{_INSIDE.get(name, name)}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)
