"""The packets of a world with soft bodies: all tables that its kernels read, by their addresses (see _jit/packet.py).

Each skin has a packet of its own (`skin_packet_tables.py`), and so has each elastic body
(`fem/elastic/body_packet_tables.py`). A function `..._of` reads a section in the first lines of a kernel.
"""

from ..._jit import Layout
from ...fem.skin_tables import Hit, Near
from .skin_packet_tables import Found, NearPairs, Surfaces, WatchedWays
from .soft_tables import (
    Chosen,
    Fans,
    Felt,
    Laws,
    Links,
    Local,
    Masses,
    NodeAnswersTable,
    Rows,
    SoftNodes,
    Spread,
    Touched,
    Touches,
    TouchStates,
    Vertices,
)

LAYOUT = Layout()
vertices_of, _ = LAYOUT.section(Vertices, "f2 f2 i2 f2 i1 f1 f2")
fans_of, _ = LAYOUT.section(Fans, "i1 i2")
nodes_of, _ = LAYOUT.section(SoftNodes, "f2 f2 f2 f2 f2 f2")
masses_of, _ = LAYOUT.section(Masses, "f1 i1 l1 f1")
laws_of, _ = LAYOUT.section(Laws, "i1 f1 f2")
felt_of, _ = LAYOUT.section(Felt, "f1 f3 f2 f2 f2 f2")
touches_of, _ = LAYOUT.section(Touches, "i2 f2 f3 f1 f1 f2")
spread_of, _ = LAYOUT.section(Spread, "i2 f2 i1 i2 f3")
links_of, _ = LAYOUT.section(Links, "f2 f1 f1")
states_of, _ = LAYOUT.section(TouchStates, "l1 f2 f2 f1")
touched_of, _ = LAYOUT.section(Touched, "b1 f3 l1 l1")
answers_of, _ = LAYOUT.section(NodeAnswersTable, "i1 i1 l1 l1 l1 f1")
rows_of, _ = LAYOUT.section(Rows, "i1 i1 i1 f1 f1 f2")
local_of, _ = LAYOUT.section(Local, "f4")
chosen_of, _ = LAYOUT.section(Chosen, "l1")
surfaces_of, _ = LAYOUT.section(Surfaces, "l1 i1 b1 f1 f1 b2")
watched_of, _ = LAYOUT.section(WatchedWays, "f2 f2 f2")
near_of, _ = LAYOUT.section(Near, "i2 i1 f1")
near_pairs_of, _ = LAYOUT.section(NearPairs, "f1 f1")
hit_of, _ = LAYOUT.section(Hit, "i2 f2")
found_of, _ = LAYOUT.section(Found, "i2")
