"""What a record holds: one channel a kind of message, one message of each a step where there is something to say."""

from __future__ import annotations

from dataclasses import fields

from ...dynamics import StepReport
from .wire import Field, Message

STEP = Field("step", "sfixed64", "(1,) number of the step after which this holds; 0 is the start")
TIME = Field("time", "double", "(1,) [s] of the world")

STATE = Message(
    "State",
    (
        STEP,
        TIME,
        Field("pose", "double", "(n_body, 7) x y z qw qx qy qz of the bodies' centres of mass [m]", (7,)),
        Field("twist", "double", "(n_body, 6) velocity of the centre of mass [m/s], angular velocity [rad/s]", (6,)),
    ),
)
CONTACTS = Message(
    "Contacts",
    (
        STEP,
        TIME,
        Field("label", "sfixed64", "(n,) stays the same while a contact lasts"),
        Field("body_a", "sfixed32", "(n,) number of the body"),
        Field("body_b", "sfixed32", "(n,)"),
        Field("kind", "sfixed32", "(n,) which features touch: a number of the list in the record's metadata"),
        Field("entity_a", "sfixed32", "(n,) vertex, edge or triangle of the part"),
        Field("entity_b", "sfixed32", "(n,)"),
        Field("point", "double", "(n, 3) [m] in the world", (3,)),
        Field("normal", "double", "(n, 3) from A to B", (3,)),
        Field("gap", "double", "(n,) [m]"),
        Field("force", "double", "(n,) [N] along the normal, on B, mean over the step"),
        Field("friction", "double", "(n, 3) [N] on B", (3,)),
        Field("torque_a", "double", "(n, 3) [N m] of both on A, about its centre of mass", (3,)),
        Field("torque_b", "double", "(n, 3) [N m] of both on B, about its centre of mass", (3,)),
    ),
)
COUNTED = tuple(f.name for f in fields(StepReport) if f.type in ("int", "float") and f.name != "pairs")
"""Numbers of a step's report, each a field of its own; but for the pairs that were looked at, which depend on what the
steps before have left in memory, and so on where a run was resumed."""
REPORT = Message("Report", (STEP, TIME, *(Field(name, "double", "(1,) see abut.StepReport") for name in COUNTED)))
INPUT = Message(
    "Input",
    (
        STEP,
        Field("body", "sfixed32", "(k,) numbers of the bodies that were pushed, held or driven before the step"),
        Field("twist", "double", "(k, 6) their velocities when the step began", (6,)),
        Field("wrench", "double", "(k, 6) forces [N] and torques [N m] applied", (6,)),
        Field("hold", "double", "(k, 10) hands: what is held, springs of force and of torque, the held point", (10,)),
        Field(
            "target", "double", "(k, 7) pose to which a hand draws the centre of mass, or place of the held point", (7,)
        ),
    ),
)
JOINTS = Message(
    "Joints",
    (
        STEP,
        Field("rows", "sfixed32", "(1,) how many rows all joints have together"),
        Field("holding", "sfixed32", "(1,) how many of these hold; the others are watched"),
        Field("row", "sfixed32", "(k,) numbers of the rows that were given other motors, springs or limits"),
        Field("name", "sfixed32", "(k, 4) kind, bodies and joint", (4,)),
        Field("place", "double", "(k, 16) where the row acts", (16,)),
        Field("law", "sfixed32", "(k,) what is asked of it"),
        Field("value", "double", "(k, 5) numbers of the law", (5,)),
        Field("slot", "sfixed32", "(k,) the coordinate along which it acts"),
        Field("lower", "double", "(k,) [N] bounds of its force"),
        Field("upper", "double", "(k,) [N]"),
        Field("last", "double", "(k,) [rad] with all turns"),
        Field("force", "double", "(k,) [N] of the last motion"),
        Field("force_before", "double", "(k,) [N] of the motion before"),
        Field("acted", "double", "(k,) [N] the mean over the last step"),
        Field("wrench", "double", "(k, 6) on its second body", (6,)),
    ),
)
SOFT = Message(
    "Soft",
    (
        STEP,
        TIME,
        Field("origin", "double", "(n_soft, 3) [m] where the first node of each cage is", (3,)),
        Field("node", "float", "(n_node, 3) [m] nodes of all cages, from the origin of theirs", (3,)),
        Field("kinetic", "double", "(n_soft,) [J] kinetic energy of each soft body"),
        Field("strain", "double", "(n_soft,) [J] strain energy"),
        Field("stress", "double", "(n_soft,) [Pa] von Mises stress of the tetrahedron that has most"),
    ),
)
HANDS = Message(
    "Hands",
    (
        STEP,
        Field(
            "body", "sfixed32", "(k,) numbers of the soft bodies that hands hold from this step on; no other is held"
        ),
        Field("vertices", "sfixed32", "(k, 3) vertices of the skin between which the held point lies", (3,)),
        Field("shares", "double", "(k, 3) of these", (3,)),
        Field("target", "double", "(k, 3) [m] where it is drawn to", (3,)),
        Field("stiffness", "double", "(k,) [N/m]"),
        Field("max_force", "double", "(k,) [N]"),
    ),
)
NOTE = Message(
    "Note",
    (STEP, TIME, Field("kind", "string", "what happened"), Field("text", "string", "in words or JSON")),
)
_SIDES = (
    Field("body_a", "sfixed32", "(n,) number of the body"),
    Field("body_b", "sfixed32", "(n,)"),
    Field("kind_a", "sfixed32", "(n,) what of A touches: 0 a vertex, 1 an edge, 2 a face"),
    Field("feature_a", "sfixed32", "(n,) its number in the part"),
    Field("kind_b", "sfixed32", "(n,)"),
    Field("feature_b", "sfixed32", "(n,)"),
)
REGIONS = Message(
    "Regions",
    (
        STEP,
        TIME,
        Field("label", "sfixed64", "(n,) stays the same while a contact region lasts"),
        *_SIDES,
        Field("dim", "sfixed32", "(n,) 0 a point, 1 a line, 2 a surface"),
        Field("area", "double", "(n,) [m^2]"),
        Field("length", "double", "(n,) [m]"),
        Field("gap", "double", "(n,) [m]"),
        Field("normal", "double", "(n, 3) from A to B", (3,)),
        Field("centre", "double", "(n, 3) [m]", (3,)),
        Field("centre_of_pressure", "double", "(n, 3) [m]", (3,)),
        Field("force", "double", "(n,) [N] with which contacts press, mean over the step"),
        Field("friction", "double", "(n, 3) [N] on B", (3,)),
        Field("wrench", "double", "(n, 6) force [N] on B and its moment [N m] about the centre", (6,)),
        Field("wrench_a", "double", "(n, 6) the same on A", (6,)),
        Field("slip", "double", "(n, 3) [m/s] of B along A", (3,)),
        Field("sliding", "sfixed32", "(n,) 1 where it slides"),
    ),
)
REGION_EVENTS = Message(
    "RegionEvents",
    (
        STEP,
        TIME,
        Field("kind", "sfixed32", "(n,) what became of a region: 0 born, 1 changed, 2 died, 3 slip, 4 stick"),
        Field("label", "sfixed64", "(n,) of the region"),
        *_SIDES,
    ),
)
CENTRES = "centres"
"""Kind of a note: centres of mass in the part's frame [m] that bodies have from the next step on, by name, as JSON."""
CHANNELS = {
    "/state": STATE,
    "/contacts": CONTACTS,
    "/report": REPORT,
    "/input": INPUT,
    "/note": NOTE,
    "/joints": JOINTS,
    "/soft": SOFT,
    "/hands": HANDS,
    "/regions": REGIONS,
    "/region_events": REGION_EVENTS,
}
