"""Contact scenes of polyfem (data/polyfem-contact): no skins that intersect, no element left inside out."""

import numpy as np
import pytest

from abut.dynamics.soft.soft_motion import MANY
from abut.fem.elastic.flat_kernels import FLAT
from dynamics.soft.judge import overlapping
from dynamics.soft.polyfem import load

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

SCENES = (
    "unit-tests/2-cubes",
    "unit-tests/edge-edge",
    "unit-tests/vertex-face",
    "unit-tests/vertex-vertex",
    "unit-tests/erleben/spikes",
    "unit-tests/erleben/wedges",
    "unit-tests/erleben/internal-edges",
)
LOOKED_AT = 5
"""Every so many steps the judge looks, and at the last one; at all of them with ABUT_THOROUGH=1."""

FIRST_CRUSHED = 20
"""Step from which on elements of the mat that is crushed may be inside out for a while."""


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_runs_without_interpenetration(shared_data, times, name):
    world, steps = load(shared_data("polyfem-contact") / "contact" / "examples" / "3D" / f"{name}.json")
    touched, inverted, every = 0, 0, times(LOOKED_AT, 1)
    for step in range(steps):
        report = world.step()
        assert report.time_given_up == 0.0
        touched = max(touched, report.contacts)
        inverted += sum(len(body.inverted) for body in world.deformables)
        if step % every == 0 or step == steps - 1:
            assert overlapping(world) == []
    assert world.time == pytest.approx(steps * world.dt)
    assert touched > 0, "they met"
    assert inverted == 0, "at any step"


def _smallest_volume(body):
    """Of a tetrahedron, over that at rest."""
    edges = [np.diff(x[body.mesh.tetrahedra], axis=1) for x in (body.nodes, np.asarray(body.mesh.nodes))]
    return (np.linalg.det(edges[0]) / np.linalg.det(edges[1])).min()


def test_two_mats_of_very_different_stiffness_meet(shared_data, times):
    """The last scene of the folder: a mat on its edge is crushed by its own weight (`docs/soft.md` says how far).

    17 steps are until elements at its foot are pressed flat and many contacts press; 60, until it has toppled off the
    other mat, with ABUT_THOROUGH=1.
    """
    path = (
        shared_data("polyfem-contact") / "contact" / "examples" / "3D" / "large-ratios" / "large-stiffness-ratio.json"
    )
    world, steps = load(path)
    assert steps == 120
    contacts, flattest, every, played = 0, 1.0, times(LOOKED_AT, 1), times(17, 60)
    for step in range(played):
        report = world.step()
        assert report.time_given_up == 0.0
        contacts = max(contacts, report.contacts)
        flattest = min(flattest, *(_smallest_volume(body) for body in world.deformables))
        assert step >= FIRST_CRUSHED or all(len(body.inverted) == 0 for body in world.deformables)
        if step % every == 0:
            assert overlapping(world) == []
    assert overlapping(world) == []
    assert contacts > MANY, "they met"
    assert flattest < FLAT, "what resists flatness was needed"
    assert all(len(body.inverted) == 0 for body in world.deformables), "at the end"
