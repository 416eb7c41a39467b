"""The tables of a step's problem, as the solvers take them.

Bodies are numbered as in the world; the last row of every table of bodies is the world itself, which never moves. An
item is a contact or one row of a joint (see row_kernels). Entry kernels take plain tuples and name them in their first
lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class Contacts(NamedTuple):
    """Contacts, of which the first n are in use."""

    n: Any
    """How many there are."""
    name: Any
    """(capacity, 7) bodies and features, see contact_kernels."""
    place: Any
    """(capacity, 17) points, normals and gaps, see contact_kernels."""
    radius: Any
    """(n_body + 1,) [m] of bodies that are balls, 0 for others."""
    extra: Any
    """(capacity,) [m] by how much targets are raised in this step."""
    mu: Any
    """(n,) coefficients of friction."""
    target: Any
    """(capacity,) [m] gaps to have at the end of the step; set_targets writes them."""
    gap: Any
    """[m] the contact gap."""


class Joints(NamedTuple):
    """Rows of joints, see joint_kernels."""

    name: Any
    """(n_joint, 4) kind of row, body A, body B, joint."""
    place: Any
    """(n_joint, 16) points, axes and factors."""
    last: Any
    """(n_joint,) [rad] angles at the start."""
    reference: Any
    """(n_joint,) [m] what is asked of the coordinates at the end of the step."""


class Bodies(NamedTuple):
    """Bodies in one motion of a step."""

    motion: Any
    """(n_body + 1, 18) rotation and position at the start, displacement, rotation vector."""
    free: Any
    """(n_body + 1, 6) twists without contacts and joints."""
    response: Any
    """(n_body + 1, 6, 6) inverses of `weight`; zero for what cannot move."""
    weight: Any
    """(n_body + 1, 6, 6) effective masses over the smallest mass."""
    dt: Any
    """[s] length of the motion."""
    reach: Any
    """(n_body + 1,) [m] radius about the centre of mass, which turns angles into ways."""
    shift: Any
    """(n_body + 1, 6) [m, rad] displacements beyond dt * free; the solvers find them."""
    end: Any
    """(n_body + 1, 12) rotation and position at the end."""
    wrench: Any
    """(n_body + 1, 6) scratch: sums of pushes."""
    twist: Any
    """(n_body + 1, 6) twists when the motion begins."""
    others: Any
    """(n_body + 1, 6) pushes by items beyond those that are solved; zero but inside solve_nearby."""
    missing: Any
    """(n_body + 1, 6) scratch of Newton's method: what is missing from equation (1) of multiplier_kernels."""
    step: Any
    """(n_body + 1, 6) scratch: the step of Newton's method, one row a member of the island; reference of sweeps."""
    moved: Any
    """(n_body + 1, 6) scratch: shifts after a sweep of Jacobi."""


class Status(NamedTuple):
    """What is known of bodies in one motion, kept from solution to solution."""

    locked: Any
    """(n_body + 1, 6) directions in which bodies are locked."""
    movable: Any
    """(n_body + 1,) whether a body gives way."""
    due: Any
    """(n_body + 1,) whether a body is to be solved; bodies whose shifts change become due."""
    begun: Any
    """(n_body + 1,) whether its island was solved in this motion and does not stand still."""
    coarse: Any
    """(n_body + 1,) whether the forces of its island are coarse: right to a wider tolerance, for now."""
    spin: Any
    """(n_body + 1, 3) [rad/s] with which contacts push as if bodies turned."""
    left: Any
    """(n_body + 1, 3) violations [m] of contacts and joints, and of friction, that the solver left in its island; 1 for
    one body of an island that is not solved to tolerance."""


class Rows(NamedTuple):
    """Rows of the items, see row_kernels."""

    body: Any
    """(n_item, 2) bodies of each item."""
    push: Any
    """(n_row, 12) wrenches of unit forces on both bodies, at the start."""
    slope: Any
    """(n_row, 12) derivatives of values by displacements of both bodies, at the end."""
    w: Any
    """(n_row,) [m] values at the end."""
    x: Any
    """(n_row,) [m] forces as lengths, f dt^2 / m."""
    y: Any
    """(n_row,) [m] forces that the values call for."""
    rho: Any
    """(n_row,) weights of the method of multipliers."""
    frame: Any
    """(n_contact, 14) points, tangents and slip of contacts with friction."""
    compliance: Any
    """(n_joint,) value of a row of a joint by its own force."""
    lower: Any
    """(n_joint,) [m] least force of a row of a joint."""
    upper: Any
    """(n_joint,) [m] largest force of a row of a joint."""


class Problem(NamedTuple):
    """What the values of rows depend on, beside bodies and rows."""

    contacts: Any
    """Contacts."""
    joints: Any
    """Joints."""
    law: Any
    """Friction law, see law_kernels."""
    linear: Any
    """Whether values are base + push . shift, as for problems of velocities."""
    base: Any
    """(n_row,) [m] values without shifts, if they are linear."""


class Island(NamedTuple):
    """Bodies that push each other."""

    items: Any
    """(n_item,) contacts and rows of joints."""
    members: Any
    """(n_member,) bodies that can move; for elimination in the order of that."""
    position: Any
    """(n_body + 1,) place of every body among the members, -1 for others."""


class Options(NamedTuple):
    """What the forces of a motion are to be like."""

    tolerance: Any
    """[m] to which gaps, joints and forces are right."""
    factor: Any
    """[m/N] from forces to lengths."""
    share: Any
    """Of the whole step that this motion is."""
    law: Any
    """Friction law, see law_kernels."""
    still: Any
    """[m] motion of bodies that counts as none."""
    coarseness: Any
    """How many times the tolerance of fast bodies will do for now."""


class Accuracy(NamedTuple):
    """How exact the forces of an island are to be."""

    tolerance: Any
    """[m]."""
    still: Any
    """[m] motion of bodies that counts as none."""
    coarsest: Any
    """[m] tolerance of the fastest bodies."""
    coarseness: Any
    """How many times that will do for now."""


class Forces(NamedTuple):
    """Forces of the last solution, and of this one in the end."""

    force: Any
    """(capacity,) [N] of contacts along their normals."""
    friction: Any
    """(capacity, 3) [N] on body B, in the world's axes."""
    joint: Any
    """(n_joint,) [N] of rows of joints."""


class Matrix(NamedTuple):
    """A matrix of 6 x 6 blocks, see elimination_kernels."""

    start: Any
    """(n_member + 1,) where the blocks of a column begin."""
    row: Any
    """(n_block,) rows of the blocks below the diagonal."""
    target: Any
    """(n_product,) where products of two blocks of a column go."""
    low: Any
    """(n_block, 6, 6) blocks below the diagonal."""
    up: Any
    """(n_block, 6, 6) blocks right of the diagonal."""
    diagonal: Any
    """(n_member, 6, 6)."""
    work: Any
    """(6, 6) scratch."""


class Search(NamedTuple):
    """What one search of Newton's method asks for."""

    factor: Any
    """By which weights rho are multiplied."""
    law: Any
    """Friction law of this search."""
    tolerance: Any
    """[m] to which equation (1) of multiplier_kernels is solved."""
    hold: Any
    """Whether contacts that push hold in the first step, and may pull."""


class Room(NamedTuple):
    """Scratch for one island after the other."""

    position: Any
    """(n_body + 1,) places of bodies in their island, -1 between islands."""
    members: Any
    """(n_body + 1,) bodies of an island."""
    pushing: Any
    """(MOST_ITEMS,) contacts that push, for solve_directly."""
    small: Any
    """(MOST_ITEMS, WIDTH) the linear problem of solve_directly."""
    near: Any
    """(n_body + 1,) marks of solve_nearby, 0 between islands."""


class Sweeps(NamedTuple):
    """The linear problem that sweeps solve, see accelerated_kernels."""

    items: Any
    """(n_item,) in the order of the sweep."""
    first: Any
    """(n_item + 1,) the first row of each item in `table`."""
    pair: Any
    """(n_item, 2) both bodies as members of the island; the number of members for what cannot move."""
    table: Any
    """(n_row, WIDTH) slopes and answers."""
    own: Any
    """(n_item, 3, 3) what the rows of an item with friction do to each other."""
    n: Any
    """Number of contacts in the world: larger items are rows of joints."""
    mu: Any
    """(n,) coefficients of friction."""
    compliance: Any
    """(n_joint,) as in Rows."""
    lower: Any
    """(n_joint,) as in Rows."""
    upper: Any
    """(n_joint,) as in Rows."""


class Run(NamedTuple):
    """Forces and shifts that sweeps change."""

    x: Any
    """(n_row,) [m] forces as lengths."""
    x_before: Any
    """(n_row,) those of the sweep before."""
    shift: Any
    """(n_member + 1, 8) shifts of bodies, ahead by the momentum."""
    shift_before: Any
    """(n_member + 1, 8) those of the sweep before, not ahead."""


class Held(NamedTuple):
    """Bodies in an impact."""

    locked: Any
    """(n_body + 1, 6) directions in which bodies are locked."""
    movable: Any
    """(n_body + 1,) whether a body gives way."""
    spin: Any
    """(n_body + 1, 3) [rad/s] as in Status."""
    pose: Any
    """(n_body, 7) where the bodies have come to, and impulses act."""


class Effort(NamedTuple):
    """How far sweeps of an island are to go."""

    tolerance: Any
    """[m] to which items are right."""
    slack: Any
    """How many times as wrong as contacts and joints friction may be."""
    few: Any
    """How many items may be left that are not right."""
    sweeps: Any
    """At most."""


class Aim(NamedTuple):
    """When sweeps of a linear problem may end."""

    enough: Any
    """[m] the residual of an item that is right."""
    few: Any
    """How many items may be wrong."""
    sweeps: Any
    """At most."""


class Traits(NamedTuple):
    """What the choice of a solver depends on, see problem_kernels.choose_solver."""

    large: Any
    """Whether an island has so many items that it is mended where it is wrong."""
    small: Any
    """Whether it has so few items and bodies that a dense matrix of its gaps pays."""
    moves: Any
    """Whether it has contacts only, of bodies that are not about to come to rest."""
    smooth: Any
    """Whether it has contacts without friction only."""
    agitated: Any
    """Whether it moves so fast that a wider tolerance will do."""
    quick: Any
    """Whether a direct solution takes less time than sweeps."""
    tolerance: Any
    """[m] to which slow bodies are right."""
    still: Any
    """[m] motion of bodies that counts as none."""
    wanted: Any
    """[m] to which bodies as fast as these must be right in the end."""
    for_now: Any
    """[m] to which they must be right in a coarse round."""


class Marks(NamedTuple):
    """What is known of an island before it is solved."""

    movable: Any
    """(n_body + 1,) whether a body gives way."""
    due: Any
    """(n_body + 1,) as in Status; empty where nothing is mended."""
    begun: Any
    """Whether most items are right already, but for those of bodies that are due."""
    mends: Any
    """Whether forces may be found near what is wrong only: not in an impact."""


class Outcome(NamedTuple):
    """What a solver made of an island."""

    hard: Any
    """[m] largest violation of contacts and joints."""
    soft: Any
    """[m] largest violation of friction."""
    steps: Any
    """Iterations of all solvers that were tried."""
    work: Any
    """Of these, in the units of budget.py."""
    wanted: Any
    """[m] tolerance in the end."""
    tolerance: Any
    """[m] tolerance for now."""
    solver: Any
    """The one that got through, or the last one."""
    all_move: Any
    """Whether all bodies were moved, and not only some of them."""
