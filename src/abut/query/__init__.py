"""Exact questions about where parts are and how they move: how far, do they meet, what is inside, when."""

from .classification.classification import Place, PointOfSegment, PointPlaces, SegmentPlaces, SegmentsPlaces, Stretch
from .classification.classify import classify_edges, classify_points, classify_segment, classify_segments
from .clearance.clearance import ClearanceReport, PairClearance, clearance
from .clearance.loosen import Loosened, loosen
from .containment.containment import contains
from .distance.distance import Distance, distance
from .features import Feature
from .impact.impact import Impact, ImpactPair, time_of_impact
from .impact.impact_elementary import impact_edge_edge, impact_vertex_face
from .impact.path import PathTouch, SweptPath, swept_free
from .impact.schedule import Schedule, impact_bound
from .intersection.intersect import Intersection, intersect
from .regions.regions import Region, Regions, contact_regions
from .regions.surface_regions import SurfaceRegion
from .volumes.hierarchy import Hierarchy, hierarchy_of

__all__ = [
    "ClearanceReport",
    "Distance",
    "Feature",
    "Hierarchy",
    "Impact",
    "ImpactPair",
    "Intersection",
    "Loosened",
    "PairClearance",
    "PathTouch",
    "Place",
    "PointOfSegment",
    "PointPlaces",
    "Region",
    "Regions",
    "Schedule",
    "SegmentPlaces",
    "SegmentsPlaces",
    "Stretch",
    "SurfaceRegion",
    "SweptPath",
    "classify_edges",
    "classify_points",
    "classify_segment",
    "classify_segments",
    "clearance",
    "contact_regions",
    "contains",
    "distance",
    "hierarchy_of",
    "impact_bound",
    "impact_edge_edge",
    "impact_vertex_face",
    "intersect",
    "loosen",
    "swept_free",
    "time_of_impact",
]
