"""What travels between the kernels of motion checks.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class ChordBounds(NamedTuple):
    """Of paths of a part seen from another, for a point at a distance `arm` from its part's origin."""

    speed: Any
    """[m] it travels at most speed + spin arm."""
    spin: Any
    """[rad]."""
    bend: Any
    """[m] its path stays within bend + bend_per_arm arm of its chord."""
    bend_per_arm: Any


class Chord(NamedTuple):
    """Poses of a part in the frame of another at both ends of a motion."""

    X_0: Any
    X_1: Any


class Plane(NamedTuple):
    """A plane between two parts, of a face of one of them or across an edge of each."""

    kind: Any
    """FACE_OF_A, FACE_OF_B, EDGES_UP, EDGES_DOWN or NOTHING of separating_plane_kernels."""
    of_a: Any
    """Face or edge of A, NOTHING for none."""
    of_b: Any
    """Face or edge of B, NOTHING for none."""


class Between(NamedTuple):
    """Two parts in motion between which there may be a plane."""

    hulls: Any
    """Hulls of feature_tables."""
    a: Any
    """Shape of A."""
    b: Any
    """Shape of B."""
    motions: Any
    """MovingFrames of A and of B."""
    poses: Any
    """Chord of A in the frame of B."""
    bend: Any
    """[m] how far paths of A seen from B leave their chords."""
    arm_of_b: Any
    """[m] the farthest point of B from its origin."""


class Parabola(NamedTuple):
    """Paths of points of a part in the frame of another."""

    X_0: Any
    """Pose at the start."""
    X_1: Any
    """Pose at the end."""
    bow: Any
    """Like a pose: applied to a point it gives its way [m] from the middle of the chord."""


class ParabolaBounds(NamedTuple):
    """How far paths are from parabolas, for a point at a distance `arm` from its part's origin."""

    sway: Any
    """[m] its path stays within sway + sway_per_arm arm of its parabola."""
    sway_per_arm: Any
    bulge: Any
    """[m] over a part h of the motion, within h^2 (bulge + bulge_per_arm arm) of the one between its ends there."""
    bulge_per_arm: Any


class Relative(NamedTuple):
    """How points of a part move as seen from another."""

    path: Any
    """Parabola."""
    bounds: Any
    """ParabolaBounds."""


class Seen(NamedTuple):
    """Two motions, of which the one is looked at in the frame of the other."""

    moving: Any
    """MovingFrame."""
    other: Any
    """MovingFrame."""
    side: Any
    """A_IN_B or B_IN_A of motion_piece_kernels."""


class CheckOptions(NamedTuple):
    """What a motion check looks for."""

    gap: Any
    """[m] within which features are reported."""
    tolerance: Any
    """[m] beyond gap + tolerance nothing is reported."""
    share: Any
    """Of the distance with which a pair begins that is nearer than the gap: when it is reported; 0: at once."""
    window: Any
    """Of the motion: what comes so much later than the first hit of a pair is left out."""
    most_effort: Any
    """After which nothing more is looked at."""


class Limits(NamedTuple):
    """The same for points and edges of two shapes, which may have a radius."""

    gap: Any
    """[m] with both radii."""
    tolerance: Any
    """[m]."""
    share: Any
    """As in CheckOptions; likewise window."""
    radii: Any
    """[m] sum of the radii."""
    window: Any


class Check(NamedTuple):
    """Features of one kind of a part that are checked against those of another."""

    kind: Any
    """VERTEX_FACE or EDGE_EDGE of motion_candidate_kernels."""
    motions: Any
    """Seen."""
    limits: Any
    """Limits."""


class Search(NamedTuple):
    """All features that are checked, and what they may meet."""

    features: Any
    """(n, 3) points or (n, 6) edges [m]."""
    target: Any
    """Target of feature_tables."""
    path: Any
    """Parabola."""
    check: Any
    """Check."""


class Spread(NamedTuple):
    """Of the paths of a block of features."""

    sway: Any
    """[m] how far they are from their parabolas, at most."""
    bulge: Any
    """[m] how far pieces of them are, as in ParabolaBounds."""
    bow: Any
    """[m] the largest of their bows."""


class Passage(NamedTuple):
    """One feature on its way; ends are pairs of points, and a vertex stands twice."""

    i: Any
    """Its number."""
    own: Any
    """Its ends [m] in the frame of its part."""
    start: Any
    """Where they begin [m], in the frame of the other part."""
    end: Any
    """Where they arrive [m]."""
    low: Any
    """Lowest coordinates [m] of a box around their paths."""
    high: Any
    """Highest coordinates [m]."""


class Reach(NamedTuple):
    """How far around the path of a feature elements matter."""

    reach: Any
    """[m] what stays beyond it does not come within the gap."""
    certain: Any
    """[m] what is farther is not reported, whether it is looked at or not."""
    enough: Any
    """[m] beyond it, it does not matter how far an element is."""
    way: Any
    """[m] how far the feature goes."""
    used_up: Any
    """Whether the next such motion uses up what is found."""
    bulge: Any
    """[m] as in Spread; likewise bow."""
    bow: Any


class Candidate(NamedTuple):
    """One feature that may meet an element; ends are pairs of points, and a vertex stands twice."""

    own: Any
    """Its ends [m] in the frame of its part."""
    start: Any
    """Where they begin [m], in the frame of the other part."""
    bows: Any
    """Their bows [m]."""
    bulge: Any
    """[m] as in ParabolaBounds."""


class Memory(NamedTuple):
    """What is remembered of the features of one search, see motion_check_kernels."""

    clearance: Any
    """(n,) [m] of each feature along the path it was last looked at; -1 if nothing is known."""
    hints: Any
    """(n, 4) direction along which it was apart from something, and how far [m] to look."""
    blocks: Any
    """(n_block, 38) paths of blocks of features, see path_memory_kernels."""


class Memories(NamedTuple):
    """What is remembered of a pair of shapes."""

    points_a: Any
    """Memory of the points of A."""
    points_b: Any
    """Memory of the points of B."""
    edges: Any
    """Memory of the edges of the shape that has fewer."""


class PairMemories(NamedTuple):
    """What is remembered of many pairs, in slots, see feature_table_kernels."""

    ways: Any
    """(n_slot, 25) paths of the smaller part, see path_memory_kernels."""
    planes: Any
    """(n_slot, 3) planes that separated the pair, see separating_plane_kernels."""
    slack: Any
    """(n_slot,) [m] by how much motions may change since they were checked, and yet be free."""
    first: Any
    """(n_slot, 8) where features and blocks of the three searches begin, in turn, and where the last ones end."""
    clearance: Any
    """(n,) [m] as in Memory; likewise the next two."""
    hints: Any
    """(n, 4)."""
    blocks: Any
    """(n_block, 38)."""


class Objects(NamedTuple):
    """Shapes in motion."""

    shape_of: Any
    """(n,) the shape of each."""
    motions: Any
    """(n, 18) see math.motion_tables."""
    ends: Any
    """(n, 12) rotation and position [m] at the end of the motion."""


class Pairs(NamedTuple):
    """Pairs of objects to check."""

    objects: Any
    """(n_pair, 2)."""
    slots: Any
    """(n_pair,) where memory of them is kept."""
    chosen: Any
    """(n_pair,) which to check."""
    afresh: Any
    """(n_pair,) which of these without memory, so that the effort depends on nothing else."""


class Found(NamedTuple):
    """Where a check writes its hits."""

    work: Any
    """(ROWS, 12) scratch of one pair, see motion_piece_kernels."""
    times: Any
    """(room + 1,) how many hits there are, also those for which there was no room; then the time of each."""
    hits: Any
    """(room, 3) kind, feature of A, feature of B."""


class FoundInPairs(NamedTuple):
    """The same of many pairs."""

    work: Any
    """As in Found; likewise times and hits."""
    times: Any
    hits: Any
    pair: Any
    """(room,) the pair of each hit."""
    effort: Any
    """(n_pair,) [10 ns] that was spent on each pair that was checked afresh."""
