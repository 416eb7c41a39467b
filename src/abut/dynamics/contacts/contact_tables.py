"""Contacts as kernels take them: their rows, what holds between pairs of bodies, and numbers of features."""

from typing import Any, NamedTuple


class PartNumbers(NamedTuple):
    """Numbers of vertices, edges and faces in their parts, of all shapes of a world, one shape after the other."""

    number: Any
    """(k,) vertices of all shapes, then edges, then the face of each triangle."""
    first: Any
    """(3, n_shape) where those of a shape begin: its vertices, edges and triangles."""


class ContactTables(NamedTuple):
    """Rows of contacts, of which the first ones are in use; the tables of a ContactSet in its order."""

    name: Any
    """(capacity, 7) bodies and features, see contact_kernels."""
    place: Any
    """(capacity, 17) points, normals and gaps, see contact_kernels."""
    force: Any
    """(capacity,) [N] along the normal, in the last motion."""
    friction: Any
    """(capacity, 3) [N] on body B, in the world's axes."""
    extra: Any
    """(capacity,) [m] by how much the target gap is raised in this step."""
    acted: Any
    """(capacity, 12) forces and torques as account_kernels write them, means over the step."""


class PairTable(NamedTuple):
    """Friction or restitution of pairs of bodies; nan where none is given."""

    of_body: Any
    """(n_body,)."""
    default: Any
    """Of pairs for which nothing else is said."""
    pairs: Any
    """(k, 2) bodies, the smaller number first."""
    of_pair: Any
    """(k,) overrules what bodies say."""


class ContactPlaces(NamedTuple):
    """Where contacts touch and push."""

    name: Any
    """(capacity, 7) bodies and features, see contact_kernels."""
    place: Any
    """(capacity, 17) points, normals and gaps, see contact_kernels."""
    radius: Any
    """(n_body,) [m] how far bodies reach beyond their points and edges."""


class Turning(NamedTuple):
    """How bodies turn while contacts push."""

    motion: Any
    """(n_body + 1, 18) rotation and position at the start, displacement, rotation vector."""
    spin: Any
    """(n_body + 1, 3) [rad/s] with which they are taken to turn."""
    dt: Any
    """[s] for so long, of which the middle counts."""
