"""Tables of a step with deformable bodies, by name.

Nodes of all soft bodies stand one after the other, and so do the vertices of all skins: those of soft bodies first,
then those of rigid ones. A contact has four vertices, of which the first ones make up its point on A and the others its
point on B; shares of A are negative, so that the sum of shares times places is the way from A to B.
"""

from __future__ import annotations

from typing import Any, NamedTuple


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


class NodeMotion(NamedTuple):
    """Nodes of all soft bodies in a step."""

    start: Any
    """(n, 3) [m] where they begin."""
    velocity: Any
    """(n, 3) [m/s]."""


class Rows(NamedTuple):
    """Rows of contacts that may push, some for each contact one after the other."""

    contact: Any
    """(m,) which contacts they are of."""
    local: Any
    """(m * dim, 16, 3) axes of the contacts times shares of their nodes, turned back with these to the rest."""
    kind: Any
    """(m,) of the contacts."""
    friction: Any
    """(m,) Coulomb's coefficient."""
    limit: Any
    """(m,) [N s] the largest impulse of held points."""


class Span(NamedTuple):
    """Some of the rows."""

    dim: Any
    """Rows of each contact."""
    begin: Any
    """Number of the first contact."""
    end: Any
    """Number of the contact after the last one."""


class SoftAnswers(NamedTuple):
    """How one soft body answers to impulses at rest."""

    first: Any
    """Number of its first node among those of all bodies."""
    last: Any
    """Number of the node after its last one."""
    h: Any
    """Length of the step [s]."""
    columns: Any
    """(n_slot, n, 3, 3) velocities of all nodes for impulses along x, y, z (last axis) on one."""
    slot: Any
    """(n,) row of each node in these."""
    node: Any
    """(n,) nodes of the body on which contacts hang."""
    place: Any
    """(n,) where each node stands among these, -1 for nowhere."""


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
