"""Tetrahedra from parts and from files."""
