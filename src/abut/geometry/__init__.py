"""Solids: polyhedra with faces, edges and adjacencies, their mass, their making and their soundness."""

from .analytic import FORMULAS, Capsule, HalfSpace, Rounded, Sphere, is_half_space
from .files.load import LoadReport, PlacedPart, load_assembly
from .files.save import save_assembly
from .making.fit import FitReport
from .mass import MassProperties
from .shape import MESH, PLANE, POINT, SEGMENT, Shape, size_of
from .solid import Solid, is_polyhedron
from .solid_answers import Mesh
from .soundness.problems import Problem, warn_if_unsound
from .soundness.repair import RepairReport, repair_mesh
from .surfaces.surfaces import Surface, Surfaces
from .topology.csr import Csr
from .topology.facets import Facets
from .topology.topology import EdgeKind, Edges, Faces, Fans, Shells

__all__ = [
    "FORMULAS",
    "MESH",
    "PLANE",
    "POINT",
    "SEGMENT",
    "Capsule",
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
    "Rounded",
    "Shape",
    "Shells",
    "Solid",
    "Sphere",
    "Surface",
    "Surfaces",
    "is_half_space",
    "is_polyhedron",
    "load_assembly",
    "repair_mesh",
    "save_assembly",
    "size_of",
    "warn_if_unsound",
]
