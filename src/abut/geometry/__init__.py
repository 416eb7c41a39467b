"""Solids: polyhedra with faces, edges and adjacencies, their mass, their making and their soundness."""

from .analytic import HalfSpace, Sphere
from .csr import Csr
from .mass import MassProperties
from .solid import Mesh, Solid
from .topology import EdgeKind, Edges, Faces, Fans, Shells

__all__ = [
    "Csr",
    "EdgeKind",
    "Edges",
    "Faces",
    "Fans",
    "HalfSpace",
    "MassProperties",
    "Mesh",
    "Shells",
    "Solid",
    "Sphere",
]
