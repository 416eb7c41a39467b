"""What every test may ask for: seeded random numbers, random poses, the shared data, compiled signatures."""

import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

import abut

# Kernels compile at their first call, so no example may have a deadline; the same examples in every run.
settings.register_profile("abut", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("abut")

# Whether kernels were compiled meanwhile must not change what tests read on stderr.
os.environ.setdefault("ABUT_QUIET", "1")

# Programs that tests start run the code that is tested, also where another copy is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(Path(abut.__file__).parents[1]), os.environ.get("PYTHONPATH")))
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def rng(request):
    """Random numbers seeded by the test's name: the same in every run and on every worker."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture
def random_pose(rng):
    """A function that returns a new random pose at each call."""
    return lambda reach=1.0: abut.Pose(rng.uniform(-reach, reach, 3), quat_wxyz=rng.normal(size=4))


@pytest.fixture
def times():
    """How often to do something: a few times, or as often as it takes to be sure, with ABUT_THOROUGH=1."""
    thorough = os.environ.get("ABUT_THOROUGH", "0") not in ("", "0")
    return lambda few, many: many if thorough else few


@pytest.fixture
def shared_data():
    """Path of a third-party data set by name; the test is skipped where the data is not beside the project."""

    def folder(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"the data set {name} is not beside this checkout")
        return path

    return folder


@pytest.fixture
def compiled_signatures():
    """Signatures a kernel has been compiled for, for Python; the test is skipped under NUMBA_DISABLE_JIT."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        pytest.skip("nothing is compiled under NUMBA_DISABLE_JIT")
    return lambda kernel: kernel.signatures
