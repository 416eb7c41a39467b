"""Pairs of boxes in coherent motion, beside sorting everything again in every frame."""

import time
from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.table import Table

from abut._jit import kernel
from abut.contact import HashGrid, SweepAndPrune, make_culling

WARM_UP = 20
"""Frames until compilers, buffers and speeds are settled."""


def frames(n: int, n_frame: int, speed: float, flat: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Boxes that fly through a room, or over a floor, and bounce; `speed` is in box sizes per frame."""
    rng = np.random.default_rng(0)
    room = np.array([1.0, 1.0, 0.02 if flat else 1.0])
    x = rng.uniform(0, 1, (n, 3)) * room
    half = 0.5 * n ** (-1 / 2 if flat else -1 / 3) * rng.uniform(0.5, 1.0, (n, 1))
    v = 2.0 * half * speed * rng.normal(size=(n, 3))
    for _ in range(n_frame):
        x = x + v
        v = np.where((x < 0) & (v < 0) | (x > room) & (v > 0), -v, v)
        yield x - half, x + half


def sort_all(finder: SweepAndPrune, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The same sweep with nothing remembered: the exact boxes, a full sort, all pairs."""
    if finder._ready_for != len(low):
        finder._forget(len(low))
        finder._ready_for = len(low)
    finder._axis, finder._fat_low, finder._fat_high = -1, low, high
    return finder._fresh[: finder._find_fresh(True)]


@kernel
def sweep_one_axis(low, high, order, pairs_out):
    """Sweep along x in the given order, other axes tested; returns the number of pairs."""
    count = 0
    for a in range(order.shape[0]):
        i = order[a]
        for b in range(a + 1, order.shape[0]):
            j = order[b]
            if low[j, 0] > high[i, 0]:
                break
            if (
                low[i, 1] <= high[j, 1]
                and low[j, 1] <= high[i, 1]
                and low[i, 2] <= high[j, 2]
                and low[j, 2] <= high[i, 2]
            ):
                pairs_out[count, 0], pairs_out[count, 1] = min(i, j), max(i, j)
                count += 1
    return count


def sort_one_axis(low: np.ndarray, high: np.ndarray, buffer: np.ndarray) -> np.ndarray:
    """The textbook's sweep and prune with a full sort, pairs not sorted."""
    order = np.argsort(low[:, 0])
    table = np.ascontiguousarray(low[order]), np.ascontiguousarray(high[order])
    return buffer[: sweep_one_axis(*table, np.arange(len(low)), buffer)]


def milliseconds(n: int, speed: float, n_frame: int, flat: bool = False) -> tuple[dict[str, float], int]:
    """Mean processor time per frame of each way, all on the same frames, and the number of pairs."""
    sort, grid, plain = make_culling("sort"), HashGrid(), SweepAndPrune()
    buffer = np.empty((40 * n, 2), np.int32)
    ways = {
        "sort": lambda low, high: sort.pairs(low, high),
        "grid": lambda low, high: grid.pairs(low, high),
        "sort all": lambda low, high: sort_all(plain, low, high),
        "one axis": lambda low, high: sort_one_axis(low, high, buffer),
    }
    seconds = dict.fromkeys(ways, 0.0)
    n_pair = 0
    for frame, (low, high) in enumerate(frames(n, WARM_UP + n_frame, speed, flat)):
        # From scratch a frame costs the same in every frame: a few are enough.
        for name in ways if frame % 5 == 0 else ("sort", "grid"):
            start = time.thread_time()
            n_pair = len(ways[name](low, high))
            spent = time.thread_time() - start
            seconds[name] += (spent if frame >= WARM_UP else 0.0) * (5 if name in ("sort all", "one axis") else 1)
    return {name: 1e3 * s / n_frame for name, s in seconds.items()}, n_pair


def microseconds_of_few(n: int, repeats: int = 2000) -> float:
    """Median time of a call with a few boxes."""
    (low, high), finder = next(frames(n, 1, 0.0)), make_culling()
    spent = []
    for _ in range(repeats):
        start = time.perf_counter()
        finder.pairs(low, high)
        spent.append(time.perf_counter() - start)
    return 1e6 * float(np.median(spent))


def add_row(table: Table, n: int, speed: float, n_frame: int, flat: bool) -> tuple[float, float, int]:
    ms, n_pair = milliseconds(n, speed, n_frame, flat)
    what = (f"{n:,}", "floor" if flat else "room", f"{100 * speed:g} %", f"{n_pair:,}")
    ratios = (f"{ms[a] / ms[b]:.2f}" for a in ("sort", "grid") for b in ("sort all", "one axis"))
    table.add_row(*what, *(f"{t:.2f}" for t in ms.values()), *ratios)
    return ms["sort"], ms["grid"], n_pair


def run(console: Console) -> None:
    table = Table(
        title="ms of processor time a frame; s = sort, g = grid, all = sort all, one = one axis", pad_edge=False
    )
    names = (
        "boxes",
        "where",
        "speed",
        "pairs",
        "sort",
        "grid",
        "sort all",
        "one axis",
        "s/all",
        "s/one",
        "g/all",
        "g/one",
    )
    for name in names:
        table.add_column(name, no_wrap=True)
    growth = {}
    for n, n_frame in ((1_000, 200), (10_000, 100), (100_000, 40)):
        for flat in (False, True):
            growth[n, flat] = add_row(table, n, 0.01, n_frame, flat)
    for speed in (0.001, 0.05, 1.0):
        add_row(table, 10_000, speed, 100 if speed < 1.0 else 20, False)
    console.print(table)
    for flat in (False, True):
        (sort_0, grid_0, pairs_0), (sort_1, grid_1, pairs_1) = growth[1_000, flat], growth[100_000, flat]
        work = [(100_000 + pairs_1) * np.log(1e5), (1_000 + pairs_0) * np.log(1e3)]
        console.print(
            f"from 1,000 to 100,000 boxes, {'floor' if flat else 'room'}: sort x{sort_1 / sort_0:.0f}, "
            f"grid x{grid_1 / grid_0:.0f}, (boxes + pairs) log boxes x{work[0] / work[1]:.0f}"
        )
    console.print("a few boxes, µs a call: " + ", ".join(f"{n}: {microseconds_of_few(n):.1f}" for n in (2, 20, 64, 65)))
