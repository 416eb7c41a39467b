"""What a flight knows of bodies, of what is due next, and of what has happened."""

from typing import Any, NamedTuple


class Bodies(NamedTuple):
    """One row a body, each at a time of its own."""

    kind: Any
    """(n,) dynamic, fixed, kinematic or frozen."""
    core: Any
    """(n,) BALL, PLANE or OTHER, see flight_kernels."""
    mass: Any
    """(n,) [kg]."""
    inertia: Any
    """(n, 3, 3) about the centre of mass, along the part's axes [kg m^2]."""
    inverse: Any
    """(n, 3, 3) of the inertia; zero for what does not give way."""
    least: Any
    """(n,) [kg m^2] the smallest principal inertia."""
    is_round: Any
    """(n,) whether the inertia is the same about all axes."""
    reach: Any
    """(n,) [m] radius about the centre of mass that holds the body."""
    radius: Any
    """(n,) [m] of balls."""
    normal: Any
    """(n, 3) of half-spaces, in the world."""
    pose: Any
    """(n, 7) of the centre-of-mass frames."""
    velocity: Any
    """(n, 3) [m/s]."""
    spin: Any
    """(n, 3) angular momenta [N m s]; of kinematic bodies, angular velocities."""
    turn: Any
    """(n, 3) [rad/s] angular velocities."""
    acceleration: Any
    """(n, 3) [m/s^2] by weight and applied forces."""
    torque: Any
    """(n, 3) [N m] applied."""
    time: Any
    """(n,) [s] since the step began, at which all that is so."""
    offset: Any
    """(n,) [m] of half-spaces: normal . x at the plane, less normal . position."""


class Agenda(NamedTuple):
    """What is due next of each body, and when: a heap of bodies."""

    low: Any
    high: Any
    """(n, 3) ends of the room within which a body stays until it gets another one."""
    centre: Any
    """(n, 3) of the room of a body that moves."""
    margin: Any
    """(n,) [m] by which its centre may leave that."""
    neighbour: Any
    """(n, capacity) bodies whose rooms meet that of a body that moves."""
    count: Any
    """(n,) how many."""
    until: Any
    """(n, capacity) [s] until when the pair is known not to touch."""
    stamp: Any
    """(n, capacity) for which state of the two this is known."""
    change: Any
    """(n,) how often the flight of a body has changed."""
    due: Any
    """(n,) [s] when something happens to a body."""
    partner: Any
    """(n,) with whom; -1 for the end of its room."""
    heap: Any
    """(n_moving,) bodies, the earliest first."""
    place: Any
    """(n,) where a body is in the heap, -1 for those that do not move."""


class Laws(NamedTuple):
    """Of pairs that touch."""

    gap: Any
    """[m] distance at which bodies touch."""
    of_body: Any
    """(2, n) friction and restitution, nan where none is given."""
    default: Any
    """(2,) of pairs that say nothing else."""
    pairs: Any
    """(k, 2) pairs that have laws of their own."""
    of_pair: Any
    """(2, k) these."""
    group: Any
    """(n,) bodies of one group, from 0 on, do not see each other."""
    ignored: Any
    """(k, 2) pairs that do not see each other, the smaller number first."""


class Book(NamedTuple):
    """What has happened in a step."""

    size: Any
    """(2,) how many pairs there are and how many events."""
    pair: Any
    """(capacity, 2) bodies that struck each other, the smaller number first."""
    acted: Any
    """(capacity, 12) impulses as account_kernels has forces [N s, N m s]."""
    train: Any
    """(capacity,) [N s] along the normal, of blows of trains."""
    last: Any
    """(capacity,) [s] time of the last blow."""
    first: Any
    """(n,) the newest pair of which a body is the first, -1 for none."""
    following: Any
    """(capacity,) the pair of the same first body before."""
    event: Any
    """(capacity, 5) time, impulse on the second body of the pair, closing speed."""
    event_pair: Any
    """(capacity, 2) which pair, and whether it was an impact (0) or the first blow of a train in this step (1)."""
    what: Any
    """(capacity, 5) features that touched last, as sight_kernels tells them; -1 for pairs that it does not see."""
    where: Any
    """(capacity, 3) [m] where that was."""


class Corners(NamedTuple):
    """Corners of bodies, whose touches are found in the kernels."""

    point: Any
    """(n_corner, 3) [m] from the centres of mass, those of all shapes one after another."""
    start: Any
    """(n_body, 2) the first corner of each body, and the one after its last; half-spaces have none."""
    touched: Any
    """(1, 3) [m] scratch: where a half-space is touched, seen from it."""
    shape_of: Any
    """(n_body,) shape of each body, as hulls are numbered."""
    radius: Any
    """(n_body,) [m] how far bodies reach beyond their corners: of balls and capsules, else 0."""


class Touch(NamedTuple):
    """Where and when two bodies touch."""

    x: Any
    """Point in the world [m]."""
    n: Any
    """Normal from the first body to the second."""
    t: Any
    """[s]."""
    has_sunk: Any
    """Whether they are nearer than trains let them come."""


class PairLaw(NamedTuple):
    """What holds between two bodies that strike each other."""

    restitution: Any
    friction: Any
    hop: Any
    """[m/s] speed of a hop."""


class Seen(NamedTuple):
    """Two bodies that were looked at."""

    distance: Any
    """[m]."""
    n: Any
    """Unit normal that separates them, from the first to the second."""
    x_i: Any
    x_j: Any
    """Points of both that are nearest to each other [m]."""


class View(NamedTuple):
    """From where two bodies are seen that are looked at."""

    n: Any
    """Unit normal that separates them, from the first to the second."""
    turn: Any
    """[rad/s] with which it turns."""
    centre: Any
    """[m] the point about which that is."""
    speed: Any
    """[m/s] of that point."""


class Clock(NamedTuple):
    """How far a step has come."""

    now: Any
    """(2,) [s] since the step began: now, and when the blows of a storm began to be counted."""
    count: Any
    """(5,) blows since then; all blows, looks and rooms of the step; its work, in units of about 10 ns."""
    pair: Any
    """(2,) bodies that are to be looked at, or that struck each other last."""
    end: Any
    """[s] length of the step."""
    storm: Any
    """(3,) [s], how many blows in that time are a storm, and the most work of a step."""


class Sky(NamedTuple):
    """All that a flight works on."""

    bodies: Any
    """Bodies."""
    agenda: Any
    """Agenda."""
    laws: Any
    """Laws."""
    book: Any
    """Book."""
    clock: Any
    """Clock."""
    corners: Any
    """Corners."""
    hulls: Any
    """Hulls of feature_tables."""
