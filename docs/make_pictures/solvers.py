"""Draw the convergence plots of docs/solvers.md: python docs/make_pictures/solvers.py (needs the extra `docs`)."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
matplotlib.use("Agg")

from bench.piles import frictionless, pile  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402

from abut.solve import Settings, friction, lcp, ncp  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
STYLE = {"newton": "C0o-", "pivoting": "C1s-", "gauss-seidel": "C2-", "jacobi": "C3-", "subspace": "C4D-"}


def axes(title, xlabel, ylabel="residual"):
    """One plot of the page's size."""
    figure, ax = plt.subplots(figsize=(6.4, 3.8), dpi=110)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.3)
    return figure, ax


def save(figure, name):
    """Write a figure beside the page."""
    figure.tight_layout()
    figure.savefig(PICTURES / f"{name}.png")
    plt.close(figure)


def linear():
    """Residual per iteration on the frictionless pile; an iteration of each method costs something else."""
    A, b = frictionless(6)
    figure, ax = axes(f"Frictionless pile, {len(b)} contacts, cold start", "iterations")
    for method, style in STYLE.items():
        result = lcp(A, b, method, settings=Settings(tolerance=1e-10, max_iterations=3000 if "-" in style else None))
        steps = np.arange(len(result.history))
        ax.loglog(steps + 1, np.maximum(result.history, 1e-16), style, ms=4, lw=1.2, label=method)
    ax.set_ylim(1e-15, 30)
    ax.legend()
    save(figure, "solvers_linear")


def josephy(x):
    """Josephy's problem."""
    a, b, c, d = x
    return np.array(
        [
            3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
            2 * a * a + a + b * b + 3 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 3 * d - 1,
            a * a + 3 * b * b + 2 * c + 3 * d - 3,
        ]
    )


def josephy_slopes(x):
    """Its derivatives."""
    a, b, _, _ = x
    return np.array(
        [
            [6 * a + 2 * b, 2 * a + 4 * b, 1, 3],
            [4 * a + 1, 2 * b, 3, 2],
            [6 * a + b, a + 4 * b, 2, 3],
            [2 * a, 6 * b, 2, 3],
        ]
    )


def nonlinear():
    """Newton's forms and functions on Josephy's problem."""
    figure, ax = axes("Josephy's problem from (1, 1, 1, 1)", "Newton steps", "max |min(x, g)|")
    runs = [("newton", f) for f in ("fischer", "min", "penalised")] + [("pair", "fischer"), ("linearised", "fischer")]
    for (method, function), mark in zip(runs, "osD^v", strict=True):
        result = ncp(josephy, josephy_slopes, np.ones(4), method, settings=Settings(function=function, tolerance=1e-14))
        name = f"{method}, {function}" if method != "linearised" else method
        ax.semilogy(np.maximum(result.history, 1e-17), f"{mark}-", ms=4, lw=1.2, label=name)
    ax.legend()
    save(figure, "solvers_nonlinear")


def frictional():
    """Sweeps and Newton rounds on piles with friction."""
    figure, ax = axes("Piles with friction 0.3, cold start", "sweeps (lines), Newton rounds (dots)")
    for colour, side in enumerate((3, 5, 7)):
        W, q = pile(side)
        n = len(q) // 3
        sweeps = friction(W, q, 0.3, "gauss-seidel", settings=Settings(max_iterations=10_000))
        newton = friction(W, q, 0.3, "newton")
        ax.loglog(5 * np.arange(len(sweeps.history)) + 1, sweeps.history, f"C{colour}-", lw=1, label=f"{n} contacts")
        ax.loglog(np.arange(len(newton.history)) + 1, np.maximum(newton.history, 1e-13), f"C{colour}o", ms=3)
    ax.set_ylim(1e-13, 3)
    ax.legend()
    save(figure, "solvers_friction")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    linear()
    nonlinear()
    frictional()
