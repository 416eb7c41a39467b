"""Tables of the loop of a step: its integration, the search for events on the way, and what stands where."""

from typing import Any, NamedTuple


class Step(NamedTuple):
    """A step of the integration; all have a row for every body and one for the world."""

    y: Any
    """(n, 13) state at its start."""
    new: Any
    """(n, 13) at its end."""
    stages: Any
    """(16, n, 13) derivatives at its stages."""
    forces: Any
    """(16, m) [N] of hinges at its stages."""
    dense: Any
    """(7, n, 13) coefficients of the dense output."""
    spare: Any
    """(n, 13)."""
    bounds: Any
    """(n, 3) largest acceleration [m/s^2], angular acceleration [rad/s^2] and angular velocity [rad/s] on the way."""


class Way(NamedTuple):
    """A step as far as it is looked at: states between its ends come from the dense output."""

    y: Any
    """(n, 13) state at its start."""
    dense: Any
    """(7, n, 13) coefficients."""
    h: float
    """[s] its length."""
    bounds: Any
    """(n, 3) as of Step."""
    here: Any
    """(n, 13) scratch: a state on the way."""


class Span(NamedTuple):
    """Part of a way, in shares of it."""

    start: float
    until: float


class Look(NamedTuple):
    """Two features in a state."""

    y: Any
    """(n, 13)."""
    bounds: Any
    """(n, 3) as of Step."""
    radii: float
    """[m] of balls and capsules."""
    gap: float
    """[m] that is kept."""


class Shapes(NamedTuple):
    """What bodies look like."""

    table: Any
    """Of feature_table_kernels."""
    surfaces: Any
    """Of contact.surface."""
    shape_of: Any
    """(n,)."""
    reach: Any
    """(n,) [m] from centres of mass; inf of half-spaces."""


class Pairs(NamedTuple):
    """Pairs of bodies that may touch, and candidates among their features."""

    bodies: Any
    """(p, 2) all of them."""
    plain: Any
    """(p,) whether all of their features are looked at: they are few."""
    hits: Any
    """(h, 3) kind, feature of A, feature of B: candidates along the chord of the way."""
    of_hit: Any
    """(h,) rows of `found`."""
    found: Any
    """(k, 2) bodies."""


class Points(NamedTuple):
    """Points of contact: first the limits of joints, then contacts in the order of their rows."""

    status: Any
    """(n,) DEAD, INACTIVE or ACTIVE."""
    target: Any
    """(n,) [m] the gap at which a point is held."""
    slack: Any
    """(n,) [m] how far it may lie beyond its face."""
    touching: Any
    """(n,) whether it rests since an event that was noted."""
    mode: Any
    """(n,) SMOOTH, STICKS or SLIPS."""
    direction: Any
    """(n, 3) where it slips."""
    slow: Any
    """(n,) [m/s] below which its slip is slow: friction turns as if it were as fast."""
    pulled: Any
    """(n,) whether it would have begun to pull at this moment."""
    gripped: Any
    """(n,) whether its slip ended at this moment."""
    restitution: Any
    """(n,)."""
    friction: Any
    """(n,)."""


class Limits(NamedTuple):
    """Of coordinates of joints: sign (q - value) >= 0."""

    index: Any
    """(l,) row of the joints."""
    body: Any
    """(l, 2)."""
    sign: Any
    """(l,)."""
    value: Any
    """(l,) [m]."""


class Motors(NamedTuple):
    """Motors of joints that keep to a speed, or to one that brings them to a place, as well as their force allows."""

    index: Any
    """(k,) row of the joints."""
    body: Any
    """(k, 2)."""
    speed: Any
    """(k,) [m/s] that is kept; of a motor with a position, the largest."""
    place: Any
    """(k,) [m] position that is wanted."""
    response: Any
    """(k,) [s] of a motor with a position; 0 of one with a speed."""
    low: Any
    high: Any
    """(k,) [N] bounds of their forces."""
    mode: Any
    """(k,) KEEPS its speed, or pushes UP or DOWN as hard as it can."""
    spring: Any
    """(k,) row of the springs where its force stands then."""
    least: Any
    most: Any
    """(k,) [m] limits of their coordinates, beyond which they do not drive."""
    wanted: Any
    missing: Any
    """(k,) [m/s] speeds that they want at this moment, and by how much they are too slow."""
    slope: Any
    """(k,) [1/s] how the speed that is wanted changes with the coordinate."""


class Laws(NamedTuple):
    """Friction and restitution, as of pair_kernels."""

    of_body: Any
    pairs: Any
    of_pair: Any
    default: Any
    """(2,)."""


class Contacts(NamedTuple):
    """Rows of a ContactSet."""

    name: Any
    place: Any
    force: Any
    friction: Any
    extra: Any
    acted: Any


class Joints(NamedTuple):
    """Rows of a JointSet, beside what Tables say of them."""

    last: Any
    """(r,) [rad], also of rows that are only watched."""
    force: Any
    acted: Any
    wrench: Any


class Notes(NamedTuple):
    """Events that were noted."""

    kind: Any
    """(e,) as in NOTED."""
    name: Any
    """(e, 7) row of the contact; of a limit, its two bodies, -1, and the row of its joint."""
    time: Any
    """(e,) [s] since the step began."""
    impulse: Any
    """(e, 3) [N s]."""


class Work(NamedTuple):
    """Scratch of events."""

    near: Any
    """(n,) points at their targets."""
    gap: Any
    rate: Any
    """(n,) of all points [m], [m/s]."""
    force: Any
    acceleration: Any
    """(n,) of those that are near."""
    flag: Any
    """(n, 4) of points: rests, settles, pushes, is still."""
    delay: Any
    """(n,) [s]."""
    matrix: Any
    """(n, n) what points feel of each other."""
    right: Any
    """(n,)."""
    square: Any
    """(n, n)."""
    line: Any
    """(8, n)."""
    order: Any
    place: Any
    side: Any
    """(n,) numbers of rows; the last, of listed points, those of their first tangents."""
    alive: Any
    """(n,) of contacts."""
    first: Any
    following: Any
    """(bodies,) and (n,) chains of contacts, as of admit_kernels."""
    motion: Any
    """(bodies, 18) as checks of motions take them."""
    shift: Any
    """(bodies, 6)."""
    change: Any
    """(bodies, 13)."""
    steady: Any
    """(n, 16) forces of points in a stride through a storm, in columns of the means of a hinge."""
    thrust: Any
    load: Any
    """(bodies, 6) [N, N m] what these exert on bodies, and loads without that."""


class Cones(NamedTuple):
    """Scratch of friction: a problem of points in their cones, as its solver takes it, and the answer."""

    point: Any
    """(n,) which of the listed points those of the problem are."""
    first: Any
    """(n + 1,) where the row of blocks of each begins."""
    column: Any
    """(n^2,) the other point of each block."""
    block: Any
    """(n^2, 3, 3)."""
    diagonal: Any
    """(n,) place of the own block of each."""
    mu: Any
    """(n,)."""
    q: Any
    r: Any
    u: Any
    before: Any
    """(n, 3) right sides, impulses and velocities: along the normal, and along two tangents. Impulses before sweeps."""
    firm: Any
    """(n, 3) by how much each gives way to its own impulse, along these."""
    tables: Any
    matrix: Any
    pivot: Any
    flat: Any
    slopes: Any
    """As of FrictionNewtonWork."""
    history: Any
    """Residuals."""
    push: Any
    creep: Any
    """(n,) of listed points: impulses or forces along their normals, and how fast they begin to slip."""
    rub: Any
    """(n, 2) the same along their tangents."""


class Means(NamedTuple):
    """What acts on a way in the mean, as account_kernels of this room write it."""

    hinge: Any
    """(m, 16) of hinges."""
    spring: Any
    """(s, 16) of springs."""
    body: Any
    """(bodies, 12) wrenches of hands and of drag."""


class Options(NamedTuple):
    """What does not change in a step."""

    gap: float
    """[m] of contacts."""
    dt: float
    """[s] its length."""
    most_events: int
    most_at_once: int
    most_work: int
    """Of a step, in units of about 10 ns."""
    in_turn: bool
    """Whether impacts follow each other."""


class Scene(NamedTuple):
    """All that the loop of a step works on."""

    system: Any
    """Equations, with room for more hinges than hold."""
    step: Any
    """Step."""
    shapes: Any
    """Shapes."""
    pairs: Any
    """Pairs."""
    points: Any
    """Points."""
    limits: Any
    """Limits."""
    motors: Any
    """Motors."""
    laws: Any
    """Laws."""
    contacts: Any
    """Contacts."""
    gone: Any
    """Contacts that are no longer, at which something acted."""
    joints: Any
    """Joints."""
    notes: Any
    """Notes."""
    work: Any
    """Work."""
    cones: Any
    """Cones."""
    means: Any
    """Means."""
    touches: Any
    """Touches of contact_tables: candidates that touch."""
    acted: Any
    """(bodies, 4, 6) wrenches as account_kernels write them."""
    options: Any
    """Options."""
    clock: Any
    """(8,) see the columns below."""
    count: Any
    """(26,) see the columns below."""


# Columns of the clock [s]: since the step began, the next step to try, the one that was taken, the share that is made,
# the time of the last event, when changes of friction began to be counted, the end of a storm, and its length.
NOW, TRY, USED, SHARE, LAST_EVENT, STORM_SINCE, STORM_UNTIL, STORM_LENGTH, CLOCKS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Columns of the counts: where the loop goes on, what happens next, how many there are of each, pieces of the way whose
# candidates are looked for, whether these are all that is looked at, the work that was done, how many hinges there
# are if all bodies that they hold swing, blows since the last event, the point at which the loop stopped, how many
# features touched when that was last looked at, changes of friction, the work that was done when these began to be
# counted, whether the way is a stride through a storm, and whether the solver of friction has stalled.
PHASE, WHAT, CONTACTS, LABELS, FIRM, HINGES, HITS, NOTED = 0, 1, 2, 3, 4, 5, 6, 7
GONE, PARTS, EVENTS, AT_ONCE, PIECE, PIECES, BY_HITS, ENDS, DENSE = 8, 9, 10, 11, 12, 13, 14, 15, 16
WORK, SWINGING, BLOWS, FAULT, TOUCHING, STORMY, SPENT, STRIDES, STALLS, COUNTS = 17, 18, 19, 20, 21, 22, 23, 24, 25, 26
CONTACTS_OF_TOUCH = 3
"""That features which touch may become at most."""
# Phases of the loop.
INTEGRATE, SEARCH, ARRIVE, HANDLE, ADMIT, RESOLVE = 0, 1, 2, 3, 4, 5
# Why the loop stops: the step is over; it needs candidates, room for rows, or for notes; it found no step, or numbers
# that are none; a storm of events, or of blows; more work than a step may take; no impulses, or forces, that keep
# bodies apart; no forces of motors that fit those; joints and motors that contradict each other.
DONE, NEED_HITS, NEED_ROOM, NEED_NOTES, NO_STEP, NOT_FINITE, STORM, HAMMERED, WORN = 0, 1, 2, 3, 4, 5, 6, 7, 8
NO_IMPULSES, NO_FORCES, NO_MOTORS, CONTRADICTED = 9, 10, 11, 12
# What happens on a way.
NOTHING, PAUSE, TOUCH, RETURN, LEAVE, PULL, STOP, CREEP, SWITCH = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Kinds of notes.
IMPACT_NOTE, TOUCH_NOTE, BREAK_NOTE, SLIDE_OFF_NOTE, STICK_NOTE, SLIP_NOTE = 0, 1, 2, 3, 4, 5
# States of points: it moves apart; rests and bears nothing; rests and pushes. What friction does at an active point.
DEAD, INACTIVE, ACTIVE = 0, 1, 2
SMOOTH, STICKS, SLIPS = 0, 1, 2
# States of motors.
KEEPS, UP, DOWN = 0, 1, 2
# In the place of a kind of contact: a limit of a joint.
OF_JOINT = -1
