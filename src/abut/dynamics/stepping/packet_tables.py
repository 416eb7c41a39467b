"""The packet of a step: all tables that its kernels read, by their addresses (see _jit/packet.py).

A function `..._of` reads a section of it in the first lines of a kernel; `put_...` replaces one in every motion.
"""

from typing import Any, NamedTuple

from ..._jit import Layout
from ...contact.contact_tables import Surfaces
from ...query.motion.feature_tables import Features, Hulls
from ...query.motion.motion_tables import FoundInPairs, PairMemories
from ..bodies.body_tables import Prediction, RigidBodies
from ..contacts.contact_tables import ContactTables
from ..solver.problem_tables import Rows
from .step_tables import Looked, Paths


class Finding(NamedTuple):
    """What the solvers find of bodies, and what they report; see problem_tables.Bodies."""

    reach: Any
    """(n_body + 1,) [m]."""
    shift: Any
    """(n_body + 1, 6) [m, rad]."""
    end: Any
    """(n_body + 1, 12)."""
    wrench: Any
    """(n_body + 1, 6) scratch; likewise the next four."""
    others: Any
    missing: Any
    step: Any
    moved: Any
    report: Any
    """(N_REPORT,) see problem_kernels.settle_island."""


class Marked(NamedTuple):
    """What is known of bodies in a motion; see problem_tables.Status."""

    locked: Any
    """(n_body + 1, 6)."""
    due: Any
    """(n_body + 1,)."""
    begun: Any
    """(n_body + 1,)."""
    coarse: Any
    """(n_body + 1,)."""
    spin: Any
    """(n_body + 1, 3) [rad/s]."""
    left: Any
    """(n_body + 1, 3)."""
    awake: Any
    """(n_body + 1,) who does not sleep."""


class Sides(NamedTuple):
    """What stands beside the rows of contacts and joints in a solve."""

    mu: Any
    """(capacity,) coefficients of friction."""
    target: Any
    """(capacity,) [m] gaps at the end of the motion."""
    alive: Any
    """(capacity,) which contacts have features that face each other at its end."""
    reference: Any
    """(n_joint,) [m] what is asked of the coordinates of joints."""


class Shapes(NamedTuple):
    """Of each body."""

    shape_of: Any
    """(n_body,) its shape."""
    radius: Any
    """(n_body,) [m] how far it reaches beyond its points and edges."""
    features: Any
    """(n_body,) how many it has."""
    size: Any
    """(n_body,) [m] by which the length of its ways is told."""


class Watched(NamedTuple):
    """Pairs of bodies that are near enough to be checked."""

    pairs: Any
    """(n_pair, 2)."""
    slots: Any
    """(n_pair,) where memory of them is kept."""


class Rubbing(NamedTuple):
    """Friction of pairs of bodies, see contact_tables.PairTable."""

    of_body: Any
    """(n_body,)."""
    pairs: Any
    """(k, 2)."""
    of_pair: Any
    """(k,)."""


class JointTables(NamedTuple):
    """Rows of joints, see joint_set."""

    name: Any
    """(n_row, 4)."""
    place: Any
    """(n_row, 16)."""
    last: Any
    """(n_row,) [rad] angles at the start."""
    law: Any
    """(n_row,)."""
    value: Any
    """(n_row, 5)."""
    lower: Any
    """(n_row,) [N] least force."""
    upper: Any
    """(n_row,) [N] largest force."""
    before: Any
    """(n_row,) [N] of the motion before the last one."""
    force: Any
    """(n_row,) [N]."""
    acted: Any
    """(n_row,) [N] means over the step."""
    wrench: Any
    """(n_row, 6) means over the step."""
    spring_middle: Any
    """(n_joint,) as in balance_tables.Balance."""


class Noted(NamedTuple):
    """What is noted of bodies in a motion."""

    stays: Any
    """(n_body,) which bodies did not do all that forces would have them do."""
    velocity: Any
    """(n_body, 6) scratch."""


LAYOUT = Layout()
bodies_of, put_bodies = LAYOUT.section(RigidBodies, "i1 f1 f3 f2 b2 f2 f2 f2 f2 f2")
contacts_of, put_contacts = LAYOUT.section(ContactTables, "i2 f2 f1 f2 f1 f2")
joints_of, put_joints = LAYOUT.section(JointTables, "i2 f2 f1 i1 f2 f1 f1 f1 f1 f1 f2 f1")
noted_of, _ = LAYOUT.section(Noted, "b1 f2")
prediction_of, _ = LAYOUT.section(Prediction, "f3 f2 f2 f2 f2 f2 f2 b1 f3 f3")
finding_of, _ = LAYOUT.section(Finding, "f1 f2 f2 f2 f2 f2 f2 f2 f1")
marked_of, _ = LAYOUT.section(Marked, "b2 b1 b1 b1 f2 f2 b1")
rows_of, _ = LAYOUT.section(Rows, "i2 f2 f2 f1 f1 f1 f1 f2 f1 f1 f1")
sides_of, _ = LAYOUT.section(Sides, "f1 f1 b1 f1")
rubbing_of, _ = LAYOUT.section(Rubbing, "f1 i2 f1")
paths_of, _ = LAYOUT.section(Paths, "f2 f2 f1 f2 f2 f2 f1 f2 f2 f2")
shapes_of, _ = LAYOUT.section(Shapes, "i1 f1 l1 f1")
watched_of, put_watched = LAYOUT.section(Watched, "i2 i1")
memories_of, put_memories = LAYOUT.section(PairMemories, "f2 i2 f1 i2 f1 f2 f2")
found_of, put_found = LAYOUT.section(FoundInPairs, "f2 f1 i2 i1 f1")
looked_of, put_looked = LAYOUT.section(Looked, "b1 b1 b1 b1")
features_of, _ = LAYOUT.section(
    Features, "i2 f2 f2 f1 f2 f2 f1 f2 f2 f2 i1 i2 h3 f2 f2 f2 f2 f2 i1 i2 h3 f2 f1 f1 f2 i1"
)
hulls_of, _ = LAYOUT.section(Hulls, "i2 f2 f2 f2")
surfaces_of, _ = LAYOUT.section(Surfaces, "i2 i2 i2 f2")
