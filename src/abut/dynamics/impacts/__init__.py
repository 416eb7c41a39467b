"""Velocities after impacts."""
