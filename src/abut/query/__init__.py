"""Exact questions about where parts are and how they move: how far, do they meet, what is inside, when."""

from .containment import contains
from .distance import Distance, distance
from .features import Feature
from .hierarchy import Hierarchy, hierarchy_of
from .impact import Impact, ImpactPair, time_of_impact
from .impact_elementary import impact_edge_edge, impact_vertex_face
from .intersect import Intersection, intersect
from .path import PathTouch, SweptPath, swept_free
from .schedule import Schedule, impact_bound

__all__ = [
    "Distance",
    "Feature",
    "Hierarchy",
    "Impact",
    "ImpactPair",
    "Intersection",
    "PathTouch",
    "Schedule",
    "SweptPath",
    "contains",
    "distance",
    "hierarchy_of",
    "impact_bound",
    "impact_edge_edge",
    "impact_vertex_face",
    "intersect",
    "swept_free",
    "time_of_impact",
]
