"""Scenes: files, units, importers and the part library."""
