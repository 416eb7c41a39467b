"""Exact questions about where parts are and how they move: how far, do they meet, when."""

from .impact_elementary import impact_edge_edge, impact_vertex_face

__all__ = ["impact_edge_edge", "impact_vertex_face"]
