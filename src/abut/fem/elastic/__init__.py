"""Elastic bodies: rotations and forces of elements, the matrix of a step, its solution, and what elements suffer."""
