"""Bounding volumes and the hierarchies made of them: spheres, oriented boxes, k-DOPs, rectangle-swept spheres."""
