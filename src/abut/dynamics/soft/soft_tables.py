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
