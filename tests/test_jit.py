"""The kernel decorator: its cache never serves machine code built from an older source."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import abut


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
