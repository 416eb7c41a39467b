"""Draw the convergence plots of docs/soft.md: `python docs/make_pictures/elastic.py` writes docs/pictures/."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import abut
from abut.app.draw import save_png
from abut.app.line_plot import Line, line_plot
from abut.fem import ElasticBody, MeshWarning, TetMesh

PICTURES = Path(__file__).parents[1] / "pictures"
LENGTH, THICK, WIDE = 1.0, 0.1, 0.05
ELASTICA = {0: (0.0, 0.0), 1: (0.30172, 0.05643), 2: (0.49346, 0.16064), 5: (0.71379, 0.38763), 10: (0.81061, 0.55500)}
"""P L² / E I, and how far the end of an elastica goes down and back, over L."""


def cantilever(mesh: TetMesh, young: float, poisson: float, force: float) -> tuple[np.ndarray, ElasticBody]:
    """Where the end of a beam goes under a force down, and the beam there."""
    end = mesh.nodes[:, 0] > LENGTH / 2 - 1e-9
    clamped = np.flatnonzero(mesh.nodes[:, 0] < -LENGTH / 2 + 1e-9)
    body = ElasticBody(
        mesh, young=young, poisson=poisson, density=1.0, gravity=(0, 0, 0), fixed_nodes=clamped, solver="direct"
    )
    body.loads[end, 2] = -force / end.sum()
    assert body.settle().converged
    return (body.nodes - mesh.nodes)[end].mean(axis=0), body


def bending() -> None:
    """Deflection of a cantilever over that of Timoshenko, by cells through the thickness."""
    young, poisson, force = 1e7, 0.3, 0.1
    inertia, shear = WIDE * THICK**3 / 12, young / (2 * (1 + poisson))
    exact = force * LENGTH**3 / (3 * young * inertia) + force * LENGTH / (5 / 6 * shear * WIDE * THICK)
    part, cells = abut.Solid.box((LENGTH, WIDE, THICK)), np.array([1, 2, 3, 4, 6, 8])
    meshes = [TetMesh.from_solid(part, THICK / n) for n in cells]
    shares = np.array([-cantilever(mesh, young, poisson, force)[0][2] / exact for mesh in meshes])
    lines = [
        Line(np.array([1.0, 8.0]), np.ones(2), "Timoshenko", "ink"),
        Line(cells.astype(float), shares, "linear tetrahedra", "blue"),
    ]
    save_png(PICTURES / "soft_bending.png", line_plot(lines, "cells through the thickness", "deflection"), 64)


def elastica() -> None:
    """The end of a beam under a growing force, four cells thick, beside the elastica."""
    mesh = TetMesh.from_solid(abut.Solid.box((1.0, 0.025, 0.05)), 0.0125)
    loads, ends = np.array(list(ELASTICA)), [np.zeros(3)]
    for load in loads[1:]:
        force = load * 1e7 * 0.025 * 0.05**3 / 12
        ends.append(cantilever(mesh, 1e7, 0.0, force)[0])
    exact = np.array(list(ELASTICA.values()))
    lines = [
        Line(loads, exact[:, 0], "down, exact", "ink"),
        Line(loads, -np.array(ends)[:, 2], "down", "blue"),
        Line(loads, exact[:, 1], "back, exact", "ink"),
        Line(loads, -np.array(ends)[:, 0], "back", "amber"),
    ]
    save_png(PICTURES / "soft_elastica.png", line_plot(lines, "P L^2 / (E I)", "way of the end over L"), 64)


if __name__ == "__main__":
    warnings.simplefilter("ignore", MeshWarning)
    bending()
    elastica()
