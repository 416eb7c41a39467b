"""The choice of a solver: the table beside `choose_solver`, and what a step reports to have run."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, World
from abut.dynamics.solver.problem_kernels import (
    ACCELERATED,
    DIRECT,
    MULTIPLIERS,
    NEARBY,
    NONE,
    PATIENT,
    choose_solver,
)
from abut.dynamics.solver.problem_tables import Traits

CALM = Traits(False, True, False, False, False, False, 1e-9, 1e-9, 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("traits", "order"),
    [
        pytest.param({}, [MULTIPLIERS, PATIENT], id="bodies at rest or with joints"),
        pytest.param({"moves": True, "smooth": True, "quick": True}, [DIRECT, MULTIPLIERS, PATIENT], id="few and slow"),
        pytest.param(
            {"moves": True, "smooth": True, "agitated": True},
            [ACCELERATED, MULTIPLIERS, PATIENT],
            id="few, fast, without friction",
        ),
        pytest.param({"moves": True, "agitated": True}, [MULTIPLIERS, PATIENT], id="few, fast, with friction"),
        pytest.param(
            {"moves": True, "agitated": True, "small": False}, [ACCELERATED, MULTIPLIERS, PATIENT], id="many and fast"
        ),
        pytest.param(
            {"moves": True, "agitated": True, "small": False, "large": True},
            [NEARBY, ACCELERATED, MULTIPLIERS, PATIENT],
            id="hundreds and fast",
        ),
        pytest.param({"small": False, "large": True}, [MULTIPLIERS, PATIENT], id="hundreds at rest"),
    ],
)
def test_solvers_are_tried_in_this_order(traits, order):
    solver, tried = NONE, []
    while solver != PATIENT:
        solver = choose_solver(CALM._replace(**traits), solver)
        tried.append(solver)
    assert tried == order


def fall(n, friction, speed):
    """What ran in each step in which boxes fell on a floor and on each other, in layers of 25, each on four others."""
    world = World(dt=1e-3, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for k in range(n):
        half, layer = 0.5 * (k // 25 % 2), k // 25
        place = (0.101 * (k % 5 + half), 0.101 * (k // 5 % 5 + half), 0.0505 + 0.101 * layer)
        world.add_body(Solid.box(0.1), f"box {k}", pose=Pose(place), velocity=(0.0, 0.0, -speed))
    return [solvers for _ in range(20) if (solvers := world.step().solvers)]


def test_a_few_bodies_without_friction_are_solved_directly_until_they_come_to_rest():
    ran = fall(2, 0.0, 0.5)
    assert set(ran[0]) == {"direct"} and "direct" not in ran[-1] and "multipliers" in ran[-1]


def test_friction_calls_for_multipliers():
    assert all(set(ran) == {"multipliers"} for ran in fall(2, 0.5, 0.5))


def test_hundreds_of_fast_contacts_are_mended_where_they_are_wrong():
    ran = fall(100, 0.0, 2.0)
    assert any("nearby" in solvers for solvers in ran)


def test_bodies_that_touch_nothing_need_no_solver():
    world = World(dt=1e-3)
    world.add_body(Solid.box(0.1), "box")
    assert world.run(0.01).solvers == {} and np.isinf(world.report.smallest_gap)
