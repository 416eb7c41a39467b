"""Planes between parts that move: known answers, then that what they show is true and that answers do not need them."""

import numpy as np
import pytest

import abut
from abut import HalfSpace, Motion, Pose, Solid, Sphere
from abut.math.frame_tables import Frame
from abut.query.motion import separating_plane_kernels as kernels
from abut.query.motion.exposed import exposed_features
from abut.query.motion.feature_table import FeatureTable, PairMemory
from abut.query.motion.feature_table_kernels import check_range
from abut.query.motion.feature_tables import Hulls
from abut.query.motion.hulls import stack_hulls
from geometry.shapes import cube, square_frame, tetrahedron
from query.test_feature_table import GAP, TOLERANCE, all_pairs, hits_of, memory_of, row_of

DIE = Solid(*cube((-0.5, -0.5, -0.5)))
CONVEX = [DIE, Solid(*tetrahedron()), Sphere(0.4), Solid.box((2.0, 0.3, 0.7))]


def plane_of(shapes, motions):
    """The kind of plane that shows two objects to stay apart; -1 if the pair had to be looked at closely."""
    memory = memory_of(shapes)
    memory.set_pairs(all_pairs(2))
    hits_of(memory, motions)
    shown = (memory._ways[memory._slots] == -1.0).all()
    return int(memory._planes[memory._slots[0], 0]) if shown else -1


def without_planes(shapes):
    """Memory that knows no faces."""
    memory = memory_of(shapes)
    memory._hulls = stack_hulls([exposed_features(Solid(*square_frame())) for _ in shapes])
    assert all(len(table) == 0 for table in memory._hulls[1:])
    return memory


TILTED = Pose.from_rotvec((0, 0, 1.213), (np.pi / 4, 0, 0))
"""An edge, along x, points down, 6 thousandths above the top face of a die."""
CROSSED = Pose.from_rotvec((0, 0, np.sqrt(2) + 2 * GAP), (np.pi / 4, 0, 0))
ON_EDGE = Pose.from_rotvec((0, 0, 0), (0, np.pi / 4, 0))


@pytest.mark.parametrize(
    ("shapes", "starts", "kinds"),
    [
        pytest.param([DIE, DIE], [Pose((0, 0, 1.002)), Pose()], (0, 1), id="a die on another"),
        pytest.param([DIE, DIE], [TILTED, Pose()], (1,), id="an edge above a face"),
        pytest.param([DIE, DIE], [Pose(), TILTED], (0,), id="a face below an edge"),
        pytest.param([DIE, DIE], [CROSSED, ON_EDGE], (2, 3), id="crossed edges"),
        pytest.param([Sphere(0.4), DIE], [Pose((0.1, 0.2, 0.902)), Pose()], (1,), id="a ball on a die"),
        pytest.param([HalfSpace(), DIE], [Pose(), Pose((0, 0, 0.502))], (1,), id="a die on the floor"),
        pytest.param([Solid(*square_frame()), DIE], [Pose(), Pose((0, 0, 9))], (-1,), id="a frame is not convex"),
    ],
)
def test_the_plane_that_separates(shapes, starts, kinds):
    slide = [Motion(starts[0], (0.01, 0.02, 0)), Motion(starts[1], (0.02, -0.01, 0), (0, 0, 1e-4))]
    assert plane_of(shapes, slide) in kinds


def plane_at(shapes, poses):
    """The widest plane between two objects: its kind, and how wide it is."""
    hulls = Hulls(*FeatureTable.of([exposed_features(shape) for shape in shapes]).hulls)
    X_BA = poses[1].inverse() @ poses[0]
    plane, apart = kernels.plane_between(hulls, 0, 1, Frame(tuple(X_BA.rotation.ravel()), tuple(X_BA.position)))
    return plane.kind, apart


def test_the_widest_plane_is_as_wide_as_the_distance_where_faces_or_edges_meet(rng):
    """And never wider."""
    met = {"face": 0, "edges": 0}
    for _ in range(300):
        poses = [Pose.from_rotvec(rng.uniform(-1.2, 1.2, 3), rng.uniform(-2, 2, 3)) for _ in range(2)]
        shapes = [CONVEX[k] for k in rng.choice((0, 1, 3), 2)]
        found = abut.distance(*shapes, *poses)
        if found.distance < 0.01:
            continue
        _, apart = plane_at(shapes, poses)
        assert apart <= found.distance + 1e-13
        features = {found.feature_a.kind, found.feature_b.kind}
        if "face" in features or features == {"edge"}:
            assert apart == pytest.approx(found.distance, abs=1e-13)
            met["face" if "face" in features else "edges"] += 1
    assert min(met.values()) > 10


def test_a_turn_that_bends_paths_more_than_the_gap_is_shown_in_pieces():
    """A die rolls over its lower edge, and its corners run on circles, by more than a gap beside their chords."""
    roll = Motion(TILTED, (0, 0.1, 0.0), (0.1, 0, 0))
    bend = 0.125 * 0.1**2 * np.sqrt(0.75)
    assert bend > 1.213 - 0.5 - np.sqrt(0.5) - GAP - TOLERANCE - 5e-3
    assert plane_of([DIE, DIE], [roll, Motion(Pose())]) == kernels.FACE_OF_B


def test_parts_that_touch_are_not_shown_to_be_apart():
    fall = Motion(Pose((0, 0, 1.002)), (0, 0, -0.1))
    assert plane_of([DIE, DIE], [fall, Motion(Pose())]) == -1
    # Out of the way at both ends, but not between: the ends alone do not show anything.
    pass_by = Motion(Pose((-1.5, 0.3, 0.2)), (3.0, 0, 0))
    assert plane_of([DIE, DIE], [pass_by, Motion(Pose())]) == -1


def test_what_has_normals_and_directions():
    start, corner, normal, direction = stack_hulls([exposed_features(s) for s in (*CONVEX, HalfSpace((0, 1, 0), 2.0))])
    assert np.diff(start, axis=0).tolist() == [[8, 6, 3], [4, 4, 6], [1, 0, 0], [8, 6, 3], [0, 1, 0]]
    np.testing.assert_allclose(normal[:6, 3], 0.5)
    np.testing.assert_allclose(np.linalg.norm(direction, axis=1), 1.0)
    assert len(corner) == start[-1, 0] and normal[-1].tolist() == [0.0, 1.0, 0.0, 2.0]


def near(rng, shapes, way, turn):
    """Random motions of two objects that start close to each other."""
    a, b = (Pose(rng.normal(size=3), quat_wxyz=rng.normal(size=4)) for _ in range(2))
    distance = abut.distance(shapes[0], shapes[1], a, b)
    if distance.lower > 0.0:
        gap = rng.choice([0.5, 1.5, 5.0, 100.0]) * GAP
        towards = (np.asarray(distance.point_b) - np.asarray(distance.point_a)) / distance.lower
        a = Pose(a.position + (distance.lower - gap) * towards, quat_wxyz=a.quat_wxyz)
    return [Motion(X, way * rng.normal(size=3), turn * rng.normal(size=3)) for X in (a, b)]


def test_what_a_plane_shows_to_be_apart_is_apart(rng):
    n_shown = np.zeros(4, int)
    for k in range(400):
        shapes = [CONVEX[i] for i in rng.integers(4, size=2)]
        motions = near(rng, shapes, *((1e-3, 1e-3), (0.1, 0.3), (1e-3, 0.3))[k % 3])
        kind = plane_of(shapes, motions)
        if kind < 0:
            continue
        n_shown[kind] += 1
        for t in np.linspace(0.0, 1.0, 9):
            assert abut.distance(*shapes, motions[0].at(t), motions[1].at(t)).lower > GAP
    assert (n_shown >= 5).all()


def test_answers_do_not_depend_on_planes(rng):
    n_hit = n_shown = 0
    for _ in range(60):
        shapes = [CONVEX[i] for i in rng.integers(4, size=2)]
        motions = near(rng, shapes, 0.02, 0.02)
        memory, plain = memory_of(shapes), without_planes(shapes)
        for each in (memory, plain):
            each.set_pairs(all_pairs(2))
        for _ in range(4):
            seen = hits_of(memory, motions)
            assert seen == hits_of(plain, motions)
            n_hit, n_shown = n_hit + len(seen), n_shown + int(memory._planes[memory._slots[0], 0] >= 0)
            motions = [Motion(m.at(1.0), 0.01 * rng.normal(size=3), 0.01 * rng.normal(size=3)) for m in motions]
    assert n_hit > 50 and n_shown > 50


def test_each_kernel_is_compiled_once(compiled_signatures):
    table = FeatureTable.of([exposed_features(DIE), exposed_features(DIE)])
    memory = PairMemory(table, np.arange(2, dtype=np.int32))
    memory.set_pairs(all_pairs(2))
    motions = np.array([row_of(Motion(Pose())), row_of(Motion(Pose((3, 0, 0))))])
    assert memory.check(np.ones(1, bool), motions, (GAP, TOLERANCE, 0.0)) == 0
    assert len(compiled_signatures(check_range)) == 1
