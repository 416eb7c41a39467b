"""Solids: polyhedra with faces, edges and adjacencies, their mass, their making and their soundness."""

from .analytic import HalfSpace, Sphere
from .files.load import LoadReport, PlacedPart, load_assembly
from .files.save import save_assembly
from .making.fit import FitReport
from .mass import MassProperties
from .solid import Mesh, Solid
from .soundness.problems import Problem, warn_if_unsound
from .soundness.repair import RepairReport, repair_mesh
from .surfaces.surfaces import Surface, Surfaces
from .topology.csr import Csr
from .topology.facets import Facets
from .topology.topology import EdgeKind, Edges, Faces, Fans, Shells

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
