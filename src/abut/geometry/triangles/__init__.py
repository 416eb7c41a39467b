"""Exact signs, intersections and closest points of triangles."""
