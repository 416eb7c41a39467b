"""Scenes that several files of tests ask for."""

import pytest

from abut.scene.importers import rigid_ipc


@pytest.fixture
def scene(shared_data):
    """A scene of the rigid-ipc collection by its name."""
    return lambda name: rigid_ipc(shared_data("rigid-ipc"), name)
