"""Methods that advance by whole steps, and differ in how they find the forces of one."""

from __future__ import annotations

from ..stepping.step import Stepper
from .method import force_solver
from .registry import Recipe


def make_stepper(recipe: Recipe) -> Stepper:
    """A stepper that solves for forces as the method says."""
    how = (force_solver(recipe.method, recipe.solver), recipe.level, recipe.threads)
    return Stepper(recipe.model, recipe.now, recipe.contact_gap, *how)
