"""Elastic bodies: forces of elements beside what the processor could do at best, and how a step grows with elements."""

import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

import abut
from abut._jit import kernel
from abut.fem import ElasticBody, TetMesh
from abut.fem.elastic.elastic_tables import Elements
from abut.fem.elastic.force_kernels import elastic_force
from abut.fem.elastic.rotation_kernels import (
    F_ROW,
    LANE_COUNT,
    LANE_ROWS,
    QUAT_ROW,
    TURNED_ENOUGH2,
    _largest_step,
    _newton,
    load_gradients,
    load_lanes,
    multiply_lanes,
)

FLOPS_ONCE = 195
"""Additions and multiplications of an element's F, stress and corner forces, counted in the source."""
FLOPS_A_TURN = 172
"""Those of a Newton step of its rotation; its two divisions and its root count as nothing, so that this is a bound."""
BYTES = 225
"""Memory that an element's corners, gradients, rotation, moduli and its share of nodes and forces take, in and out."""
MATERIAL = {"young": 1e5, "poisson": 0.4, "density": 1000.0}


def run(console: Console) -> None:
    console.print(kernel_table())
    console.print(growth_table())


def seconds(call: Callable[[], object], repeats: int = 15) -> float:
    """Median processor time of a call, which other programs on the machine do not lengthen much."""
    call()
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return median(times)


# ---- forces of elements


@kernel
def multiply_add(rounds, work):
    """Sixteen dependent pairs of a product and a sum for each number, in lanes: what the processor can do at best."""
    for _ in range(rounds):
        for i in range(work.shape[0]):
            x = work[i]
            x = 0.999 * x + 1e-3
            x = 0.998 * x + 2e-3
            x = 0.997 * x + 3e-3
            x = 0.996 * x + 4e-3
            x = 0.995 * x + 5e-3
            x = 0.994 * x + 6e-3
            x = 0.993 * x + 7e-3
            x = 0.992 * x + 8e-3
            x = 0.991 * x + 9e-3
            x = 0.989 * x + 1e-3
            x = 0.988 * x + 2e-3
            x = 0.987 * x + 3e-3
            x = 0.986 * x + 4e-3
            x = 0.985 * x + 5e-3
            x = 0.984 * x + 6e-3
            work[i] = 0.983 * x + 7e-3


@kernel
def copy_rows(table, table_out):
    for i in range(table.shape[0]):
        table_out[i] = table[i]


@kernel
def count_turns(nodes, elements, rotations):
    """Newton steps of all lanes together, for each of them."""
    elements = Elements(*elements)
    work, n, turns = np.empty(LANE_ROWS * LANE_COUNT), elements.corner.shape[0], 0
    for first in range(0, n, LANE_COUNT):
        count = min(LANE_COUNT, n - first)
        load_gradients(elements, first, count, work)
        load_lanes(nodes, elements, first, count, work)
        multiply_lanes(count, F_ROW, work)
        for lane in range(count):
            for k in range(4):
                work[(QUAT_ROW + k) * LANE_COUNT + lane] = rotations[first + lane, k]
        largest = 1.0
        while largest > TURNED_ENOUGH2:
            _newton(count, work)
            largest = _largest_step(count, work)
            turns += count
    return turns / n


def best_flops() -> float:
    """Additions and multiplications a second."""
    work = np.ones(256)
    return 2 * 16 * 256 * 1000 / seconds(lambda: multiply_add(1000, work))


def best_bandwidth() -> float:
    """Bytes a second, in and out, of a table much larger than the caches."""
    table = np.ones(8_000_000)
    into = np.empty_like(table)
    return 16 * len(table) / seconds(lambda: copy_rows(table, into), 7)


def _forces(states: list[np.ndarray], elements: tuple, rotations: np.ndarray, force: np.ndarray) -> None:
    for nodes in states:
        elastic_force(nodes, nodes, elements, 0.0, rotations, force)


def kernel_table() -> Table:
    flops, bandwidth = best_flops(), best_bandwidth()
    table = Table(
        title=f"rotation and force of elements; at best {flops / 1e9:.1f} Gflop/s, {bandwidth / 1e9:.1f} GB/s"
    )
    for column in ("tetrahedra", "Newton steps", "ns an element", "flop bound", "bandwidth bound", "x the larger"):
        table.add_column(column, justify="right")
    for cell in (0.03, 0.0225, 0.0105):
        mesh = TetMesh.from_solid(abut.Solid.sphere(0.1), cell)
        body, rng = ElasticBody(mesh, **MATERIAL), np.random.default_rng(0)
        elements, force = tuple(body.elements), np.empty_like(body.loads)
        # Two states between which elements strain and turn as in a step of 5 ms at 1 m/s.
        states = [np.array(mesh.nodes) + 0.03 * cell * rng.normal(size=mesh.nodes.shape) for _ in range(2)]
        rotations = body.state.rotations
        both = partial(_forces, states, elements, rotations, force)
        n, taken = len(mesh.tetrahedra), 0.5e9 * seconds(both)
        turns = count_turns(states[0], elements, rotations)
        by_flops, by_bytes = 1e9 * (FLOPS_ONCE + turns * FLOPS_A_TURN) / flops, 1e9 * BYTES / bandwidth
        ratio = taken / n / max(by_flops, by_bytes)
        row = (f"{n:,}", f"{turns:.1f}", f"{taken / n:.1f}", f"{by_flops:.1f}", f"{by_bytes:.1f}", f"{ratio:.1f}")
        table.add_row(*row)
    return table


# ---- growth


def growth_table() -> Table:
    """A block that grows, cells of 2 cm, and a ball of 10 cm with ever smaller cells; steps of 5 ms."""
    table = Table(title="a step of 5 ms, residual 1e-6")
    for column in ("body", "tetrahedra", "iterations", "ms a step", "µs a 1,000 tetrahedra", "exponent"):
        table.add_column(column, justify="right")
    blocks = [abut.Solid.box((0.08 * k, 0.08, 0.08)) for k in (1, 4, 16, 56)]
    _add_rows(table, "block", [TetMesh.from_solid(block, 0.02) for block in blocks])
    _add_rows(table, "ball", [TetMesh.from_solid(abut.Solid.sphere(0.1), c) for c in (0.04, 0.025, 0.0165, 0.0105)])
    return table


def _add_rows(table: Table, name: str, meshes: list[TetMesh]) -> None:
    found = []
    for mesh in meshes:
        body = ElasticBody(mesh, **MATERIAL)
        k = mesh.nodes / 0.08
        body.velocities = 0.3 * np.stack([np.sin(3 * k[:, 1]), np.cos(5 * k[:, 0]), np.sin(4 * k[:, 0])], axis=1)
        taken = seconds(partial(body.predict, 5e-3), 7)
        found.append((len(mesh.tetrahedra), body.predict(5e-3).iterations, taken))
    elements, times = np.log([f[0] for f in found]), np.log([f[2] for f in found])
    exponent = np.polyfit(elements, times, 1)[0]
    for n, iterations, taken in found:
        last = f"{exponent:.2f}" if n == found[-1][0] else ""
        table.add_row(name, f"{n:,}", str(iterations), f"{1e3 * taken:.2f}", f"{1e9 * taken / n:.0f}", last)
