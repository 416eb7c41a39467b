"""Tables of the equations of motion between two events; all have one more row of bodies, at rest, for the world."""

from typing import Any, NamedTuple

# Columns of a row of the state of a body.
PLACE, TURN, SPEED, SPIN, WIDTH = 0, 3, 7, 10, 13
# Column of a spring's constant force.
CONSTANT = 3
# Kinds of hinges.
JOINT, NORMAL, TANGENT, LIMIT, MOTOR = 0, 1, 2, 3, 4


class Bodies(NamedTuple):
    """What bodies are and what loads them; arrays have N + 1 rows."""

    kind: Any
    """(n,) as of body_kernels."""
    mass: Any
    """(n,) [kg]."""
    inertia: Any
    """(n, 3, 3) [kg m^2] along the body's axes."""
    drag: Any
    """(n, 2) [1/s] of translation and rotation."""
    locked: Any
    """(n, 6) directions of the world that are held."""
    turns: Any
    """(n,) whether a body that gives way has no locked axis of rotation."""
    inverse: Any
    """(n, 12) inverse masses along the axes of the world, and inverse inertia along those of the body; 0 where nothing
    gives way."""
    load: Any
    """(n, 6) [N, N m] weight, and force and torque applied."""
    hold: Any
    """(n, 10) of hands, as of hold_kernels."""
    aim: Any
    """(n, 7) where hands draw bodies to."""


class Tables(NamedTuple):
    """Joints and contacts as their kernels write them; hinges and springs refer to rows of these."""

    joint_name: Any
    joint_place: Any
    joint_last: Any
    """[rad] angles of the last moment, with all turns."""
    name: Any
    place: Any
    radius: Any
    """(n,) [m] of bodies that are balls or capsules, else 0."""


class Springs(NamedTuple):
    """Rows of joints with springs, and of motors that push as hard as they can."""

    index: Any
    """(s,) row of the joints."""
    body: Any
    """(s, 2)."""
    value: Any
    """(s, 4) stiffness [N/m], damping [N s/m], rest [m], and a force [N] that is always there."""


class Hinges(NamedTuple):
    """Scalar conditions at acceleration level: joints, and contacts that are temporary hinges."""

    kind: Any
    """(m,) JOINT, NORMAL, TANGENT, LIMIT or MOTOR."""
    index: Any
    """(m,) row of the joints or of the contacts."""
    body: Any
    """(m, 2)."""
    target: Any
    """(m,) [m] value that is held; of a MOTOR, its rate [m/s]."""
    mu: Any
    """(m,) friction of contacts that slip, which follows the normal force; of a LIMIT its sign; of a MOTOR how its rate
    changes with its value [1/s]; else 0."""
    direction: Any
    """(m, 3) of a TANGENT; of a contact that slips, where it will slip if it does not yet."""
    slow: Any
    """(m,) [m/s] of a contact that slips, the slip below which friction turns as if it were as fast."""
    length: float
    """[m] least radius of curvature of what is held, as of balls; inf if there is none."""
    swing: bool
    """Whether all bodies that they hold swing, as of swing_kernels."""


class Room(NamedTuple):
    """Scratch of the equations of motion."""

    frames: Any
    """(n, 12) poses."""
    inverse: Any
    """(n, 12) inverse masses along the axes, and inverse inertia in the world."""
    row: Any
    """(m, 12) derivatives of the hinges by the twists of their bodies."""
    push: Any
    """(m, 12) wrenches of a unit of their forces, where contacts slip with friction; else these are the rows."""
    answer: Any
    """(m, 12) accelerations by these."""
    matrix: Any
    """(m, m)."""
    factor: Any
    """(m, m)."""
    right: Any
    """(m,)."""
    value: Any
    """(m,) [m] of hinges where bodies are."""
    order: Any
    """(m,) columns in the order of pivots."""
    size: Any
    """(m,) by which rows and columns are scaled."""
    line: Any
    """(2, 12)."""
    small: Any
    """(3, 3)."""


class Equations(NamedTuple):
    """All that the derivative of a state follows from."""

    bodies: Any
    """Bodies."""
    springs: Any
    """Springs."""
    hinges: Any
    """Hinges that hold."""
    tables: Any
    """Tables."""
    room: Any
    """Room for at least as many hinges."""


class Moving(NamedTuple):
    """A number or a vector along the motion with constant twists."""

    value: Any
    rate: Any
    """Its first derivative."""
    bend: Any
    """Its second derivative."""


class Twist(NamedTuple):
    """Of a body."""

    speed: Any
    """[m/s] of the centre of mass."""
    spin: Any
    """[rad/s]."""


class Joined(NamedTuple):
    """Two bodies at a joint, and what all of its rows need."""

    R_a: Any
    R_b: Any
    """Rotations."""
    w_a: Any
    w_b: Any
    """[rad/s] angular velocities."""
    arm_a: Any
    arm_b: Any
    """[m] from the centres of mass of A and of B to B's point."""
    way: Any
    """[m] from A's point to B's."""
    bend: Any
    """[m/s^2] acceleration of the way, seen from A, along the motion with constant twists."""


class Pair(NamedTuple):
    """The two bodies of a hinge."""

    X_a: Any
    X_b: Any
    """Poses."""
    u_a: Any
    u_b: Any
    """Twists."""
