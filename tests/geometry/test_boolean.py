"""Union, intersection, difference: known answers, laws on random parts, and what cannot be combined."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abut import InputError, Pose, Solid
from geometry.surfaces import crossings

CUBE = Solid.box(1.0, name="cube")
MAKERS = (
    lambda: Solid.box((1.0, 0.7, 0.4)),
    lambda: Solid.sphere(0.5, subdivisions=1),
    lambda: Solid.cylinder(0.4, 1.1, segments=11),
    lambda: Solid.cone(0.6, 1.0, segments=9),
    lambda: Solid.torus(0.5, 0.2, segments=13, sides=7),
    lambda: Solid.extrude([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.0), (0.0, 0.0), (0.0, 0.5), (-0.5, 0.5)], 0.6),
)
placed = st.tuples(
    st.integers(0, len(MAKERS) - 1),
    st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    st.tuples(*[st.floats(-3.0, 3.0)] * 3),
).map(lambda choice: MAKERS[choice[0]]().transformed(Pose.from_rotvec(choice[1], choice[2])))


def euler_holds(part):
    """V - E + F = 2 (shells - genus), counting only vertices in use."""
    characteristic = len(np.unique(part.triangles)) - len(part.edges) + len(part.triangles)
    return part.closed and characteristic == 2 * (len(part.shells.closed) - part.genus)


def volume_or_nothing(operation, a, b):
    try:
        return operation(a, b).volume  # 0 of an empty intersection
    except InputError as error:
        assert "nothing is left" in str(error)
        return 0.0


def test_two_cubes_that_overlap_by_half():
    other = CUBE.translated((0.5, 0, 0))
    assert (CUBE | other).volume == pytest.approx(1.5, rel=1e-14)
    assert (CUBE & other).volume == pytest.approx(0.5, rel=1e-14)
    assert (CUBE - other).volume == pytest.approx(0.5, rel=1e-14)
    assert len((CUBE | other).faces) == 6, "coplanar faces become one"


def test_cutting_makes_holes_and_cavities():
    drilled = CUBE - Solid.cylinder(0.2, 2.0, segments=10)
    assert drilled.genus == 1 and drilled.cavities == 0
    hollow = CUBE - Solid.box(0.5)
    assert hollow.cavities == 1 and hollow.volume == pytest.approx(0.875, rel=1e-14)
    assert len(drilled.faces) == 6 + 10


def test_vertices_are_double_precision():
    """A cut at a coordinate that single precision cannot hold stays there to the last digits."""
    x = 0.1 + 1e-13
    part = CUBE - Solid.box(1.0).translated((0.5 + x, 0, 0))
    assert part.bounds[1, 0] == pytest.approx(x, abs=1e-16)


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.0, (0.5, -0.5, 1.0)])
def test_faces_that_coincide_up_to_rounding_leave_no_membranes(turn):
    """What was cut out and is put back flush, in a turned frame, once came back with folds and 1 % of volume wrong."""
    X = Pose.from_rotvec((0.25, 0, 0.25), turn if isinstance(turn, tuple) else (0, 0, turn))
    for i in range(len(MAKERS)):
        a, b = MAKERS[i]().transformed(X), MAKERS[(i + 1) % len(MAKERS)]()
        whole = a | b
        rest = whole - a
        again = rest | a
        assert rest.volume == pytest.approx(whole.volume - a.volume, rel=1e-7)
        assert again.volume == pytest.approx(whole.volume, rel=1e-7)
        assert volume_or_nothing(Solid.__and__, rest, a) < 1e-8
        for part in (rest, again):
            assert euler_holds(part) and np.abs(part.edges.dihedral).max() < 3.14 and crossings(part) == []


def test_a_blade_of_almost_no_angle_may_be_cut():
    """Its faces meet at 2e-5 rad, which looks like a membrane but is the part itself."""
    blade = Solid.hull([(0, 0, 0), (0, 1, 0), (1, 0, 1e-5), (1, 1, 1e-5), (1, 0, -1e-5), (1, 1, -1e-5)])
    cut = blade - Solid.box(0.2).translated((0.2, 0.5, 0))
    assert 0.0 < cut.volume < blade.volume == pytest.approx(1e-5)


def test_the_first_part_gives_the_name():
    assert (CUBE - Solid.box(0.5)).name == "cube"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(placed, placed)
def test_volumes_add_up_and_eulers_formula_holds(a, b):
    union = a | b
    common = volume_or_nothing(Solid.__and__, a, b)
    assert union.volume == pytest.approx(a.volume + b.volume - common, rel=1e-9)
    assert euler_holds(union)
    rest = volume_or_nothing(Solid.__sub__, a, b)
    assert rest == pytest.approx(a.volume - common, rel=1e-9, abs=1e-9)
    if common > 1e-6 and rest > 1e-6:
        assert euler_holds(a & b) and euler_holds(a - b)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(placed, placed)
def test_results_do_not_run_through_themselves(a, b):
    assert crossings(a | b) == []


@settings(max_examples=15, deadline=None, derandomize=True)
@given(placed, placed, placed)
def test_order_does_not_matter(a, b, c):
    assert ((a | b) | c).volume == pytest.approx((c | (b | a)).volume, rel=1e-9)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param((1, 0, 0), id="touching with faces"),
        pytest.param((1, 0.3, 0.2), id="faces in part"),
        pytest.param((1, 1, 0), id="touching with edges"),
        pytest.param((1, 1, 1), id="touching with corners"),
        pytest.param((3, 0, 0), id="apart"),
    ],
)
def test_what_parts_have_in_common_that_do_not_overlap_is_an_empty_part(way):
    common = CUBE & CUBE.translated(way)
    assert not common and common.volume == 0.0 and common.area == 0.0 and common.closed and common.problems() == []
    assert common.vertices.shape == common.triangles.shape == (0, 3) and "empty" in repr(common)
    assert (CUBE | common) is CUBE and (CUBE - common) is CUBE and (common | CUBE) is CUBE
    assert not (common & CUBE) and not (common - CUBE) and not common.translated((1, 0, 0))
    with pytest.raises(InputError, match="part 'cube' is empty"):
        common.faces  # noqa: B018
    assert CUBE


@pytest.mark.parametrize(
    ("combine", "message"),
    [
        (
            lambda: CUBE - Solid.box(2.0),
            "part 'cube' - an unnamed part: nothing is left, the first lies inside the second",
        ),
        (lambda: CUBE | Solid(CUBE.vertices, CUBE.triangles[:-1]), "an unnamed part: boolean operations need a closed"),
        (lambda: CUBE | Solid(CUBE.vertices, CUBE.triangles[:, ::-1]), "its surface is inside out"),
    ],
)
def test_what_cannot_be_combined_is_said(combine, message):
    with pytest.raises(InputError, match=message):
        combine()


@pytest.mark.parametrize("other", [3, None, np.eye(3)])
def test_only_solids_combine(other):
    with pytest.raises(TypeError):
        CUBE - other
