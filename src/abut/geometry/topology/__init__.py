"""Edges, faces, fans and shells of a mesh."""
