"""The forces of an island, by the solver that suits it (SiLVIA 3; Buck & Schömer 7)."""

from math import inf

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ..rest.rest_kernels import is_calm, rest, would_rest
from .accelerated_kernels import larger, solve_by_sweeps, tolerance_in_motion
from .direct_kernels import MOST_ITEMS, MOST_MEMBERS, WIDTH, solve_directly
from .island_kernels import clear_places, list_bodies, plan_elimination
from .law_kernels import SLIDING
from .multiplier_kernels import FRICTION_SLACK, solve_island
from .nearby_kernels import solve_nearby
from .problem_tables import Effort, Island, Matrix, Outcome, Room, Traits

MOST_PRODUCTS = 20_000
"""How many products of blocks a factorisation may take; larger islands are swept."""
FEW_IN_MOTION = 10
"""Up to how many bodies a direct solution is quicker than sweeps, where these are so fast that no last digits count."""
LEAST_ITEMS = 150
"""From how many items on an island is mended where it is no longer right, and not solved again as a whole."""
FEW_SWEEPS, MANY_SWEEPS = 200, 2000
"""Accelerated sweeps before elimination is tried, and where that does not get through."""
FEW_WRONG = 0.003
"""Share of the items of a large island that may be wrong after sweeps: these alone take less time than to go on."""

NONE, NEARBY, DIRECT, ACCELERATED, MULTIPLIERS, PATIENT = 0, 1, 2, 3, 4, 5
"""Solvers, in the order in which they are tried."""

# Columns of what settle_island reports; from SOLVERS on, how often each solver ran.
HARD, SOFT, ITERATIONS, UNSOLVED, WORK, SOLVERS = 0, 1, 2, 3, 4, 5
N_REPORT = SOLVERS + PATIENT + 1
# Work of an item in one Newton step and in one sweep, in the units of budget.py.
PER_STEP, PER_SWEEP = 50.0, 2.0


@inner_kernel
def choose_solver(traits, failed):
    """The solver for an island after another one, or NONE, has failed: the first one below it that suits.

    | solver      | islands                                             | why                                          |
    |-------------|-----------------------------------------------------|----------------------------------------------|
    | NEARBY      | large, agitated                                     | a new contact is felt by a few dozen bodies  |
    | DIRECT      | small, smooth, in motion, of FEW_IN_MOTION bodies   | exact in a few turns                         |
    |             | or slow enough that the last digits count           |                                              |
    | ACCELERATED | agitated, and smooth or not small                   | cheap, and right to what fast bodies need    |
    | MULTIPLIERS | any                                                 | last digits, friction, joints, bodies at rest|
    | PATIENT     | any: many accelerated sweeps                        | large islands of which the matrix fills up   |

    small: at most MOST_ITEMS items and MOST_MEMBERS bodies; large: LEAST_ITEMS items or more, and not an impact;
    smooth: contacts without friction only; in motion: contacts only, and bodies that are not about to come to rest;
    agitated: in motion, and so fast that a wider tolerance will do.
    """
    if failed < NEARBY and traits.large and traits.agitated:
        return NEARBY
    if failed < DIRECT and traits.moves and traits.smooth and traits.small and traits.quick:
        return DIRECT
    if failed < ACCELERATED and traits.agitated and (traits.smooth or not traits.small):
        return ACCELERATED
    return MULTIPLIERS if failed < MULTIPLIERS else PATIENT


@kernel
def add_report(hard, soft, iterations, solved, work, report_out):
    """Add what one island took."""
    report_out[HARD] = hard if not hard <= report_out[HARD] else report_out[HARD]
    report_out[SOFT] = soft if not soft <= report_out[SOFT] else report_out[SOFT]
    report_out[ITERATIONS] += iterations
    report_out[UNSOLVED] += 0.0 if solved else 1.0
    report_out[WORK] += work


@kernel
def make_room(n_body):
    """Scratch for one island after the other."""
    position, members = np.full(n_body, -1, np.int32), np.empty(n_body, np.int32)
    pushing, small = np.empty(MOST_ITEMS, np.int32), np.empty((MOST_ITEMS, WIDTH))
    return Room(position, members, pushing, small, np.zeros(n_body, np.int32))


@lean_kernel
def _kind_of(items, contacts):
    """Whether an island has contacts only, and whether these have no friction."""
    smooth = True
    for item in items:
        if item >= contacts.n:
            return False, False
        smooth &= contacts.mu[item] <= 0.0
    return True, smooth


@lean_kernel
def _traits_of(island, problem, bodies, accuracy, large):
    """What the choice of a solver depends on."""
    n_item, n_body, tolerance, still = (
        island.items.shape[0],
        island.members.shape[0],
        accuracy.tolerance,
        accuracy.still,
    )
    touches, smooth = _kind_of(island.items, problem.contacts)
    small = n_item <= MOST_ITEMS and n_body <= MOST_MEMBERS
    if not touches or problem.linear or problem.law == SLIDING:
        return Traits(large, small, False, smooth, False, False, tolerance, still, tolerance, tolerance)
    if is_calm(island.members, bodies, tolerance, still):
        return Traits(large, small, False, smooth, False, False, tolerance, still, tolerance, tolerance)
    wanted, for_now = tolerance_in_motion(island.members, smooth, bodies, accuracy)
    quick = n_body <= FEW_IN_MOTION or wanted < accuracy.coarsest
    return Traits(large, small, True, smooth, wanted > tolerance, quick, tolerance, still, wanted, for_now)


@kernel
def _eliminate(island_io, problem, bodies_io, rows_io, tolerance, still):
    """Forces by elimination, where that does not fill up too much: residuals, inf if it would, and steps.

    The members of the island change their order.
    """
    n_body = island_io.members.shape[0]
    fits, start, row, target = plan_elimination(
        island_io.items, rows_io.body, n_body, island_io.position, island_io.members, MOST_PRODUCTS
    )
    if not fits:
        return inf, inf, 0
    blocks = row.shape[0]
    low, up, diagonal = np.empty((blocks, 6, 6)), np.empty((blocks, 6, 6)), np.empty((n_body, 6, 6))
    matrix = Matrix(start, row, target, low, up, diagonal, np.empty((6, 6)))
    return solve_island(island_io, problem, bodies_io, rows_io, tolerance, still, matrix)


@lean_kernel
def _sweep(island, problem, bodies_io, rows_io, tolerance, slack, few, sweeps):
    """Forces by accelerated sweeps from forces that nothing is known of."""
    return solve_by_sweeps(island, problem, bodies_io, rows_io, Effort(tolerance, slack, few, sweeps), False)


@kernel
def _mend(island_io, problem, bodies_io, rows_io, tolerance, room_io, marks_io):
    """Forces near those items of a large island that are not right.

    Most items are right if it is begun, but for bodies that are due. Else, or if that is too much, sweeps of all items
    come first. Returns whether this gets through, residuals, sweeps, those of items, and whether all bodies have moved.
    """
    right, hard, soft, sweeps, swept, items, movable = False, inf, inf, 0, 0, island_io.items, marks_io.movable
    # What is near is listed in the same room.
    clear_places(island_io.members, island_io.position)
    if marks_io.begun:
        right, hard, soft, sweeps, swept = solve_nearby(
            items, problem, bodies_io, rows_io, tolerance, room_io, marks_io, True
        )
    all_move = not right
    if not right:
        list_bodies(items, rows_io.body, movable, island_io.position, island_io.members)
        few = 1 + int(FEW_WRONG * items.shape[0])
        more = _sweep(island_io, problem, bodies_io, rows_io, tolerance, 1.0, few, FEW_SWEEPS)[2]
        sweeps, swept = sweeps + more, swept + more * items.shape[0]
        clear_places(island_io.members, island_io.position)
        right, hard, soft, more, of_items = solve_nearby(
            items, problem, bodies_io, rows_io, tolerance, room_io, marks_io, False
        )
        sweeps, swept = sweeps + more, swept + of_items
    list_bodies(items, rows_io.body, movable, island_io.position, island_io.members)
    return right, hard, soft, sweeps, swept, all_move


@kernel
def _find_forces(island_io, problem, bodies_io, rows_io, traits, room_io, marks_io, report_out):
    """Forces of an island by the solver that suits it, and by the next one where that does not get through."""
    tolerance, m = traits.tolerance, island_io.items.shape[0]
    solver, wanted, enough = NONE, tolerance, tolerance
    # Newton steps, sweeps, and sweeps of items: those of NEARBY are of some of them only.
    steps, sweeps, swept = 0, 0, 0
    hard, soft, right, all_move = inf, inf, False, True
    while not right and solver != PATIENT:
        solver = choose_solver(traits, solver)
        report_out[SOLVERS + solver] += 1.0
        if solver == NEARBY:
            wanted, enough = traits.wanted, traits.for_now
            right, hard, soft, sweeps, swept, all_move = _mend(
                island_io, problem, bodies_io, rows_io, enough, room_io, marks_io
            )
        elif solver == DIRECT:
            wanted, enough, soft = tolerance, tolerance, 0.0
            hard, steps = solve_directly(island_io, problem, bodies_io, rows_io, tolerance, room_io)
            right = hard <= tolerance
        elif solver == MULTIPLIERS:
            # Elimination lets friction be farther from its law; in motion that would be too far.
            fine = max(tolerance, enough / FRICTION_SLACK)
            hard, soft, more = _eliminate(island_io, problem, bodies_io, rows_io, fine, traits.still)
            steps += more
            # Sweeps begin with what it found and leave nothing worse by the same measure; they know Coulomb's law only.
            right = hard < inf and (larger(hard, soft / FRICTION_SLACK) <= fine or problem.law == SLIDING)
        else:
            wanted, enough = traits.wanted, traits.for_now
            slack = 1.0 if traits.agitated else FRICTION_SLACK
            most = FEW_SWEEPS if solver == ACCELERATED else MANY_SWEEPS
            hard, soft, more = _sweep(island_io, problem, bodies_io, rows_io, enough, slack, 0, most)
            sweeps, swept = sweeps + more, swept + more * m
            right = larger(hard, soft) <= enough
    work = PER_STEP * m * steps + PER_SWEEP * swept
    return Outcome(hard, soft, steps + sweeps, work, wanted, enough, solver, all_move)


@kernel
def settle_island(items, problem, bodies_io, rows_io, accuracy, room_io, marks_io, report_out):
    """Forces of the items of an island and shifts of its bodies.

    report_out = [largest violation of contacts and joints, of friction, iterations, islands not solved to tolerance,
    work, runs of each solver]. Returns whether the bodies rest with the forces they had, whether forces are coarse,
    and whether all bodies have moved.
    """
    n_body = list_bodies(items, rows_io.body, marks_io.movable, room_io.position, room_io.members)
    island = Island(items, room_io.members[:n_body], room_io.position)
    traits = _traits_of(island, problem, bodies_io, accuracy, marks_io.mends and items.shape[0] >= LEAST_ITEMS)
    found = _find_forces(island, problem, bodies_io, rows_io, traits, room_io, marks_io, report_out)
    solved = found.solver == NEARBY or larger(found.hard, found.soft / FRICTION_SLACK) <= found.tolerance
    for_now = found.solver == NEARBY or found.wanted < found.tolerance
    coarse = solved and for_now and found.wanted < larger(found.hard, found.soft)
    add_report(found.hard, found.soft, found.steps, solved, found.work, report_out)
    clear_places(island.members, island.position)
    resting = found.solver != NEARBY and would_rest(island.members, bodies_io, accuracy.still)
    if resting:
        rest(island.members, bodies_io)
    return resting and found.steps == 0, coarse, found.all_move
