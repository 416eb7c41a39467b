"""Complementarity solvers: solve times by contacts, growth, sweeps at memory speed, beside SciPy and QuantEcon."""

import time
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from abut.solve import Settings, Workspace, friction, lcp, lemke_kernels, sweep_kernels
from abut.solve.lcp import newton_work
from abut.solve.linear import linear_problem, scaled
from bench.friction_problems import problems
from bench.obstacle_kernels import solve_step
from bench.piles import frictionless, pile
from bench.timing import medians

PUBLISHED_MS = {1: 0.3, 2: 0.4, 3: 0.6, 5: 2.1, 10: 11.5}
"""Buck & Schömer, section 6: milliseconds on an SGI O2 (R10000, 150 MHz)."""
DT = 1e-3


def seat(contacts: int, flat: bool) -> tuple[np.ndarray, np.ndarray]:
    """Contact points (n, 3) in the body and plane normals (n, 3): a flat foot, or a body in a shallow funnel."""
    angle = 2.0 * np.pi * np.arange(contacts) / contacts
    ring = np.column_stack((np.cos(angle), np.sin(angle), np.full(contacts, -1.0)))
    points = 0.1 * ring if contacts > 1 else np.array([[0.0, 0.0, -0.1]])
    slope = 0.0 if flat or contacts < 3 else 0.4
    normals = np.column_stack((-slope * np.cos(angle), -slope * np.sin(angle), np.ones(contacts)))
    return points, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def press(contacts: int, flat: bool = False, steps: int = 1000) -> tuple[float, float, float]:
    """Median seconds of a solve, mean Newton steps and worst residual while a hand pushes the body about its seat."""
    points, normals = seat(contacts, flat)
    offsets = np.einsum("ij,ij->i", normals, points) - 1e-6
    n, inertia = contacts, 0.01
    y, w, J = np.zeros(n), np.zeros(n), np.zeros((n, n))
    bounds, options = (np.zeros(n), np.full(n, np.inf)), (1e-12, 1e-10, 0, 50)
    work = newton_work(Workspace(), n, 50)
    p, q, v, spin = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    seconds, newton_steps, worst = [], [], 0.0
    for step in range(steps):
        phase = 20.0 * step * DT
        push = (3.0 * np.cos(phase) - 400.0 * p[0], 3.0 * np.sin(phase) - 400.0 * p[1], -9.81 - 30.0 * p[2])
        twist = (0.2 * np.sin(2.3 * phase), 0.2 * np.cos(1.7 * phase), 0.0)
        free_v = tuple(0.98 * a + DT * b for a, b in zip(v, push, strict=True))
        free_w = tuple(0.9 * a + DT * b / inertia for a, b in zip(spin, twist, strict=True))
        start = time.perf_counter()
        v, spin, p, q = solve_step(
            y, (p, q, free_v, free_w), points, normals, offsets, DT, inertia, bounds, options, work, J, w
        )
        seconds.append(time.perf_counter() - start)
        newton_steps.append(int(work[1][1]))
        worst = max(worst, float(work[0][0]))
    return median(seconds[20:]), float(np.mean(newton_steps)), worst


def published_table(console: Console) -> None:
    table = Table("contacts", "published ms", "abut µs", "published / abut", "Newton steps", "worst residual m")
    for contacts, published in PUBLISHED_MS.items():
        seconds, steps, worst = press(contacts)
        ratio = 1e-3 * published / seconds
        table.add_row(
            str(contacts), f"{published}", f"{1e6 * seconds:.1f}", f"{ratio:.0f}", f"{steps:.1f}", f"{worst:.0e}"
        )
    seconds, steps, worst = press(20, flat=True)
    table.add_row("20 redundant", "-", f"{1e6 * seconds:.1f}", "-", f"{steps:.1f}", f"{worst:.0e}")
    console.print(table, "Warm-started, end-of-step distances, median of 980 steps, the call from Python included.\n")


def growth_table(console: Console) -> None:
    table = Table("contacts", "LCP subspace ms", "LCP Newton ms", "friction sweep µs", "sweeps for 1e-2", "ms for 1e-2")
    settings, sizes, times = Settings(tolerance=1e-8), [], []
    for side in (4, 6, 8, 10, 12):
        A, b = frictionless(side)
        rivals = {"subspace": lambda A=A, b=b: lcp(A, b, "subspace", settings=settings)}
        if len(b) < 700:
            rivals["newton"] = lambda A=A, b=b: lcp(A, b, "newton", settings=settings)
        seconds = medians(rivals, repeats=5)
        sizes.append(len(b))
        times.append(seconds["subspace"])
        W, q = pile(side)
        call = lambda W=W, q=q: friction(W, q, 0.3, "gauss-seidel", settings=Settings(tolerance=1e-2))  # noqa: E731
        result, spent = call(), medians({"sweeps": call}, repeats=3)["sweeps"]
        dense = f"{1e3 * seconds['newton']:.1f}" if "newton" in seconds else "-"
        table.add_row(
            f"{len(b)}",
            f"{1e3 * seconds['subspace']:.1f}",
            dense,
            f"{1e6 * spent / max(result.iterations, 1):.0f}",
            f"{result.iterations}",
            f"{1e3 * spent:.1f}",
        )
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    console.print(table, f"The frictionless pile to 1e-8 grows as contacts^{exponent:.2f} (published method: 3).\n")


def sweep_table(console: Console) -> None:
    """A matrix that no cache holds, 24 entries a row near the diagonal, as a long pile has."""
    from scipy.sparse import diags_array

    n, reach = 400_000, 12
    A = diags_array([np.full(n, -0.04)] * (2 * reach), offsets=[k for k in range(-reach, reach + 1) if k], shape=(n, n))
    A = (A + diags_array(np.ones(n))).tocsr()
    problem = scaled(linear_problem(A, np.linspace(-1.0, 1.0, n), None, None))[0]
    rows, x = problem.rows(), np.zeros(n)
    bytes_read = rows[2].nbytes + rows[1].nbytes + rows[0].nbytes + 5 * x.nbytes
    source = np.zeros(bytes_read // 8)
    rivals = {
        "projected Gauss-Seidel sweep": lambda: sweep_kernels.gauss_seidel_sweep(
            rows, problem.b, problem.lower, problem.upper, 1.0, x
        ),
        "scipy sparse matrix times vector": lambda: problem.A @ x,
        "numpy sum over as many bytes": lambda: source.sum(),
    }
    seconds = medians(rivals, repeats=7)
    table = Table("pass over the state", "ms", "GB/s", "of memory speed")
    for name, spent in seconds.items():
        share = seconds["numpy sum over as many bytes"] / spent
        table.add_row(name, f"{1e3 * spent:.1f}", f"{1e-9 * bytes_read / spent:.1f}", f"{share:.2f}")
    console.print(table, f"{n:,} rows, {bytes_read / 1e6:.0f} MB of matrix and vectors.\n")


def random_problem(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    G = rng.normal(size=(n, n))
    return G @ G.T / n + 0.1 * np.eye(n), rng.normal(size=n)


def fischer_root(A: np.ndarray, b: np.ndarray) -> object:
    """The same Fischer equations given to SciPy, Jacobian included."""
    from scipy.optimize import root

    def equations(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        w = A @ x + b
        r = np.hypot(x, w) + 1e-300
        return r - x - w, np.diag(x / r - 1.0) + (w / r - 1.0)[:, None] * A

    return root(equations, np.zeros(len(b)), jac=True, tol=1e-10)


def peer_table(console: Console) -> None:
    try:
        from quantecon.optimize import lcp_lemke
    except ImportError:
        lcp_lemke = None
        console.print("quantecon is not installed: its column is left out.")
    table = Table(
        "n",
        "newton ms",
        "scipy root ms",
        "scipy / abut",
        "lemke ms",
        "its kernel ms",
        "quantecon ms",
        "quantecon / kernel",
    )
    for n in (5, 20, 60, 150, 400):
        A, b = random_problem(n)
        scratch = np.empty((n, n + 2)), np.empty(n), np.empty(n)
        rivals = {
            "newton": lambda A=A, b=b: lcp(A, b, "newton"),
            "root": lambda A=A, b=b: fischer_root(A, b),
            "lemke": lambda A=A, b=b: lcp(A, b, "lemke"),
            "kernel": lambda A=A, b=b, scratch=scratch: lemke_kernels.lemke(A, b, 10_000, *scratch),
        }
        if lcp_lemke:
            rivals["peer"] = lambda A=A, b=b: lcp_lemke(A, b)
        seconds = medians(rivals, repeats=9)
        ms = {name: f"{1e3 * s:.3f}" for name, s in seconds.items()}
        peer = [ms["peer"], f"{seconds['peer'] / seconds['kernel']:.1f}"] if lcp_lemke else ["-", "-"]
        scipy_ratio = f"{seconds['root'] / seconds['newton']:.1f}"
        table.add_row(str(n), ms["newton"], ms["root"], scipy_ratio, ms["lemke"], ms["kernel"], *peer)
    console.print(
        table, "Cold starts; newton and lemke through the front door, with validation, scaling and a last check.\n"
    )


def friction_table(console: Console) -> None:
    table = Table("problem", "contacts", "sweeps", "residual", "ms", "Newton rounds", "residual", "ms")
    for name, W, q, mu in sorted(problems(), key=lambda p: len(p[3])):
        cells = []
        for method in ("gauss-seidel", "newton"):
            call = lambda m=method, W=W, q=q, mu=mu: friction(W, q, mu, m)  # noqa: E731
            result, seconds = call(), medians({method: call}, repeats=5)[method]
            cells += [str(result.iterations), f"{result.residual:.0e}", f"{1e3 * seconds:.1f}"]
        table.add_row(name[:24], str(len(mu)), *cells)
    if table.row_count:
        console.print(table)
    else:
        console.print("The friction problems of Siconos are not beside this checkout: their table is left out.")


def run(console: Console) -> None:
    published_table(console)
    growth_table(console)
    sweep_table(console)
    peer_table(console)
    friction_table(console)
