"""Tables of skins that are watched, and the packet of each: its tables by their addresses (see _jit/packet.py)."""

from typing import Any, NamedTuple

from ..._jit import Layout
from ...fem.skin_tables import Clusters, SkinParts


class Surfaces(NamedTuple):
    """The skins of a world."""

    first: Any
    """(n + 1,) the first vertex of each."""
    number: Any
    """(n,) soft body, or -1; soft ones come first."""
    faces: Any
    """(n,) whether its triangles are faces: those of balls and capsules are not."""
    margin: Any
    """(n,) [m] by which a round shape reaches beyond them."""
    spare: Any
    """(n,) [m] how far vertices may be off straight ways in this motion; inf where they move in no straight way."""
    ignored: Any
    """(n, n) which do not see each other."""


class WatchedWays(NamedTuple):
    """Ends of the ways of vertices, as they were looked at before."""

    thought: Any
    """(n, 3) [m] when features were listed."""
    last: Any
    """(n, 3) [m] when they were looked at last."""
    swept: Any
    """(n, 6) boxes around ways."""


class NearPairs(NamedTuple):
    """Pairs of skins of which features are listed."""

    spare: Any
    """(k,) [m] by how much vertices may be off their straight ways."""
    margin: Any
    """(k,) [m] by how much round shapes reach beyond their features."""


class Found(NamedTuple):
    """Pairs of triangles."""

    triangles: Any
    """(k, 2)."""


LAYOUT = Layout()
parts_of, _ = LAYOUT.section(SkinParts, "i2 i2 b2 i1 f2 f2 f2")
clusters_of, _ = LAYOUT.section(Clusters, "i1 i1 i1 i1 i1 i1 i2 i1 i1 i1 i1 i1 i1 f2 b1")
