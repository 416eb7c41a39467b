"""What several files of tests of geometry ask for."""

import pytest

import abut
from step_file import write_step


@pytest.fixture
def block_file(tmp_path):
    """A STEP file with a block of 10 x 20 x 30 mm."""
    path = tmp_path / "block.step"
    write_step(path, [abut.Solid.box((0.01, 0.02, 0.03), name="block")])
    return path
