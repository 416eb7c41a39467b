"""The kernel decorator, whose cache never serves machine code built from an older source, and what kernels may use."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import abut
from abut._jit import kernel, prefetch


def write_package(folder: Path, factor: str) -> None:
    """A package of three kernel files; `a` calls `b` calls `c`, which multiplies by `factor`."""
    package = folder / "sample"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "c_kernels.py").write_text(
        f"from abut._jit import kernel\n\n@kernel\ndef times(x):\n    return x * {factor}\n"
    )
    (package / "b_kernels.py").write_text(
        "from abut._jit import kernel\nfrom .c_kernels import times\n\n@kernel\ndef middle(x):\n    return times(x)\n"
    )
    (package / "a_kernels.py").write_text(
        "from abut._jit import kernel\nfrom sample.b_kernels import middle\n\n"
        "@kernel\ndef outer(x):\n    return middle(x)\n"
    )


def call(folder: Path) -> tuple[float, int]:
    """Result of the outer kernel in a fresh process, and how often it was found in the cache."""
    program = """
        from sample.a_kernels import outer
        result = outer(3.0)
        print(result, sum(outer.stats.cache_hits.values()))
    """
    source = Path(abut.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{folder}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=env, check=True
    )
    result, hits = done.stdout.split()
    return float(result), int(hits)


@pytest.mark.needs_jit
def test_an_edit_two_files_away_recompiles_and_no_edit_does_not(tmp_path):
    write_package(tmp_path, factor="2.0")
    assert call(tmp_path) == (6.0, 0)
    assert call(tmp_path) == (6.0, 1)
    write_package(tmp_path, factor="5.0")
    assert call(tmp_path) == (15.0, 0)


@kernel
def gathered(table, rows):
    total = 0.0
    for k in range(rows.shape[0]):
        prefetch(table, rows[min(k + 8, rows.shape[0] - 1)])
        total += table[rows[k], 1]
    return total


@pytest.mark.parametrize("integer", [np.int32, np.uint32, np.int64])
def test_what_is_fetched_ahead_is_only_read(rng, integer):
    table, rows = rng.normal(size=(1000, 3)), rng.integers(0, 1000, 500).astype(integer)
    assert gathered(table, rows) == pytest.approx(table[rows, 1].sum())
