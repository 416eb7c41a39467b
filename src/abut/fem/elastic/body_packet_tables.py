"""The packet of an elastic body: all tables that the kernels of a step read, by their addresses (see _jit/packet.py).

Bodies of one world have their packets in the rows of one table, so that a kernel goes from body to body.
"""

from typing import Any, NamedTuple

from ..._jit import Layout
from .elastic_tables import Elements, Matrix, NodeData, Pattern, Round, State


class Begun(NamedTuple):
    """The step that has begun."""

    numbers: Any
    """(7,) those of `StepSettings`, in their order."""


LAYOUT = Layout()
elements_of, _ = LAYOUT.section(Elements, "i2 f3 f1 f1")
pattern_of, _ = LAYOUT.section(Pattern, "i1 i1 i1 i1 i2 i1 i1 i1")
nodes_of, _ = LAYOUT.section(NodeData, "f1 i1 f2")
state_of, _ = LAYOUT.section(State, "f2 f2 f2")
matrix_of, _ = LAYOUT.section(Matrix, "f3 f3 f3 f3 f3 i2 i1 l1 i1 s1 f1")
round_of, _ = LAYOUT.section(Round, "f2 f2 f2 f2 f3")
begun_of, _ = LAYOUT.section(Begun, "f1")
