"""Tables of a step with deformable bodies, by name.

Nodes of all soft bodies stand one after the other, and so do the vertices of all skins: those of soft bodies first,
then those of rigid ones. A contact has four vertices, of which the first ones make up its point on A and the others its
point on B; shares of A are negative, so that the sum of shares times places is the way from A to B.
"""

from __future__ import annotations

from typing import Any, NamedTuple

NODES_OF_CONTACT = 16
"""On which a contact hangs at most: four vertices, each carried by four nodes."""


class Vertices(NamedTuple):
    """The vertices of all skins, and what carries them."""

    start: Any
    """(n, 3) [m] where they begin the step."""
    end: Any
    """(n, 3) [m] where they end it."""
    carrier: Any
    """(n, 4) nodes that carry them, of all soft bodies; -1 for those of rigid ones."""
    share: Any
    """(n, 4) with which shares."""
    body: Any
    """(n,) rigid body, or -1."""
    margin: Any
    """(n,) [m] by which a round shape reaches beyond them."""
    roll: Any
    """(n, 3) [m] that times the rotation of their rigid body in the step, as a vector."""


class Fans(NamedTuple):
    """The triangles around each vertex of all skins."""

    first: Any
    """(n + 1,) where those of each begin."""
    corners: Any
    """(3 m, 3) vertices of each, in its order."""


class Touches(NamedTuple):
    """Contacts of a step."""

    name: Any
    """(k, 5) kind and four vertices."""
    share: Any
    """(k, 4) how the points on A and on B are made of these vertices, negative on A."""
    axes: Any
    """(k, 3, 3) the normal, from A to B, and two tangents."""
    target: Any
    """(k,) [m] distance along the normal that is asked for at the end of the step, with what round shapes add."""
    friction: Any
    """(k,) Coulomb's coefficient."""
    impulse: Any
    """(k, 3) [N s] on B along the axes."""


class Laws(NamedTuple):
    """What contacts between skins have in common."""

    surface: Any
    """(n,) skin of each vertex."""
    margin: Any
    """(n_skin,) [m] by which round shapes reach beyond their features."""
    friction: Any
    """(n_skin, n_skin) Coulomb's coefficients."""


class KeptTouches(NamedTuple):
    """Contacts of deformable bodies between steps."""

    name: Any
    """(k, 5) kind and four vertices."""
    label: Any
    """(k,)."""
    impulse: Any
    """(k, 3) [N] force on B along the normal and two tangents, mean over the last step."""
    axes: Any
    """(k, 3, 3) these axes, along which it pushed; the normal points from A to B."""
    point: Any
    """(k, 3) [m] where it is."""
    gap: Any
    """(k,) [m] at the end of the step; those that are wider have let go."""
    torque: Any
    """(k, 2, 3) [N m] on a rigid A and B about their centres of mass."""


class Spread(NamedTuple):
    """How the contacts hang on nodes and rigid bodies."""

    node: Any
    """(k, 16) nodes of a contact."""
    share: Any
    """(k, 16) how far the way from A to B grows with the way of each of them."""
    count: Any
    """(k,) how many there are."""
    body: Any
    """(k, 2) rigid body of A and of B, -1 for none."""
    arm: Any
    """(k, 2, 3) [m] from the centres of these bodies to the contact."""


class Rigid(NamedTuple):
    """How rigid bodies answer to impulses."""

    mass: Any
    """(n,) 1 over the mass [1/kg]; 0 for those that do not give way."""
    inertia: Any
    """(n, 3, 3) inverse of the inertia along the world's axes [1/(kg m^2)]."""


class Links(NamedTuple):
    """Points that are held, by row."""

    aim: Any
    """(k, 3) [m] where they should be."""
    soft: Any
    """(k,) [m/(N s)] by how much they give way."""
    limit: Any
    """(k,) [N s] their largest impulse."""


class SoftNodes(NamedTuple):
    """Nodes of all soft bodies in a motion."""

    start: Any
    """(n, 3) [m] where they begin."""
    before: Any
    """(n, 3) [m/s] with which velocities."""
    velocity: Any
    """(n, 3) [m/s] mean velocities through the motion."""
    push: Any
    """(n, 3) [N s] what impulses of contacts as they are now do to them."""
    pushed: Any
    """(n, 3) [N s] what they have felt of that."""
    due: Any
    """(n, 3) [N s] what they have not."""


class TouchStates(NamedTuple):
    """Contacts in a motion."""

    label: Any
    """(k,)."""
    left: Any
    """(k, 3) [m] by how much each is off its law."""
    rest: Any
    """(k, dim) [m] what impulses that are looked for leave of that, over how much more bodies answer than at rest."""
    gap: Any
    """(k,) [m] where the motion begins."""


class Felt(NamedTuple):
    """What contacts do to rigid bodies, and how these answer."""

    mass: Any
    """(n,) 1 over the mass [1/kg]; 0 for those that do not give way."""
    inertia: Any
    """(n, 3, 3) inverse of the inertia along the world's axes [1/(kg m^2)]."""
    wrench: Any
    """(n, 6) impulses of contacts with soft bodies [N s] and their moments about the centres [N m s]."""
    stepped: Any
    """(n, 6) those under which they have stepped."""
    extra: Any
    """(n, 6) velocities [m/s], [rad/s] by which they would move beyond what was found, as free bodies do."""
    centre: Any
    """(n, 3) [m] where their centres begin."""


class Touched(NamedTuple):
    """Nodes that contacts hang on."""

    used: Any
    """(n,) which are touched in this motion."""
    turned: Any
    """(n, 3, 3) how nodes have turned since the shape at rest."""
    missing: Any
    """(n,) scratch: those of which no answers are known."""
    best: Any
    """(n,) scratch, -1."""


class Chosen(NamedTuple):
    """Scratch of contacts."""

    row: Any
    """(k,) contacts that become rows."""


class Rows(NamedTuple):
    """Contacts that may push, in the order in which they were found to, and how each answers to each."""

    contact: Any
    """(m,) which contacts they are."""
    row: Any
    """(k,) where each contact stands among these, -1 for those that do not push."""
    kind: Any
    """(m,) of the contacts."""
    friction: Any
    """(m,) Coulomb's coefficient."""
    limit: Any
    """(m,) [N s] the largest impulse of held points."""
    answer: Any
    """(m * dim, m * dim) [m/(N s)] how the axes of each contact answer to impulses along those of each."""


class Local(NamedTuple):
    """Contacts as the touched nodes feel them at rest."""

    axis: Any
    """(k, dim, 16, 3) axes times shares of nodes, turned back to the rest with these; 1 axis without friction, or 3."""


class NodeAnswersTable(NamedTuple):
    """How touched nodes of soft bodies answer to impulses at rest."""

    dof: Any
    """(n,) first of three places of each node in vectors of touched nodes, -1 for those that are not touched."""
    body: Any
    """(n,) soft body of each node."""
    first: Any
    """(n_body + 1,) where the places of each body begin."""
    start: Any
    """(n_body + 1,) where the matrix of each body begins."""
    count: Any
    """(n_body,) how many places of a body are in use."""
    data: Any
    """Square matrices, one after the other [m/(s N s)]."""


class Problem(NamedTuple):
    """What impulses are looked for with."""

    h: Any
    """Length of the motion [s]."""
    scale: Any
    """How much more bodies answer than at rest."""
    near: Any
    """[m] contacts that are wider open do not push."""
    enough: Any
    """[m] what sweeps may leave."""
    n: Any
    """How many contacts there are."""
    known: Any
    """How many of these were there when impulses were looked for last."""


class Masses(NamedTuple):
    """Soft bodies and their nodes."""

    node: Any
    """(n_node,) [kg]."""
    held: Any
    """(n_node,) 1 for nodes whose motion is known, else 0."""
    first: Any
    """(n_body + 1,) first node of each body."""
    drag: Any
    """(n_body,) Rayleigh's factor of mass [1/s]."""


class EndMotion(NamedTuple):
    """Velocities at the end of a step."""

    mass: Any
    """(n_node,) of the nodes, 0 of those that are held [kg]."""
    rigid: Any
    """`Rigid`."""
    velocity: Any
    """(n_node, 3) [m/s]."""
    twist: Any
    """(n_body, 6) of rigid bodies [m/s], [rad/s]."""
