"""Solids: polyhedra with faces, edges and adjacencies, their mass, their making and their soundness."""

from .analytic import HalfSpace, Sphere
from .csr import Csr
from .facets import Facets
from .fit import FitReport
from .load import LoadReport, PlacedPart, load_assembly
from .mass import MassProperties
from .problems import Problem, warn_if_unsound
from .repair import RepairReport, repair_mesh
from .save import save_assembly
from .solid import Mesh, Solid
from .surfaces import Surface, Surfaces
from .topology import EdgeKind, Edges, Faces, Fans, Shells

__all__ = [
    "Csr",
    "EdgeKind",
    "Edges",
    "Faces",
    "Facets",
    "Fans",
    "FitReport",
    "HalfSpace",
    "LoadReport",
    "MassProperties",
    "Mesh",
    "PlacedPart",
    "Problem",
    "RepairReport",
    "Shells",
    "Solid",
    "Sphere",
    "Surface",
    "Surfaces",
    "load_assembly",
    "repair_mesh",
    "save_assembly",
    "warn_if_unsound",
]
