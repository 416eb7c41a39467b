"""Deformable bodies in a world: what they are, how they step, and how they push what they touch."""
