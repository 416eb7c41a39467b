"""Complementarity problems, free of any notion of shape or body: linear, non-linear, and Coulomb friction."""

from .friction import FrictionProblem, friction
from .lcp import lcp
from .linear import LinearProblem
from .ncp import NonlinearProblem, ncp
from .result import Result, Settings, Status, Workspace

__all__ = [
    "FrictionProblem",
    "LinearProblem",
    "NonlinearProblem",
    "Result",
    "Settings",
    "Status",
    "Workspace",
    "friction",
    "lcp",
    "ncp",
]
