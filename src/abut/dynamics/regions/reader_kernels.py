"""What the kernels of a world's regions read from packets."""

from ..._jit import inner_kernel
from ...query.regions.region_tables import Memory, Work
from .world_region_tables import (
    BodyTables,
    Moments,
    bodies_of,
    frames_of,
    groups_of,
    memory_of,
    pairs_of,
    reading_of,
    regions_of,
    scratch_of,
)


@inner_kernel
def moving_bodies(known, moving):
    """Bodies where they are; moving = poses and twists."""
    still = bodies_of(known)
    return BodyTables(still.shape, still.centre, *moving, still.radius, still.feature_shape, still.margin)


@inner_kernel
def moment_of(packet):
    """The regions of a moment."""
    return Moments(regions_of(packet), pairs_of(packet), reading_of(packet), frames_of(packet))


@inner_kernel
def work_of(packet, found):
    """Room for a search, and where it writes what it finds."""
    return Work(scratch_of(packet), groups_of(packet), found)


@inner_kernel
def room_to_remember(packet, n):
    """Room for n regions that a search is to know."""
    memory = memory_of(packet)
    return Memory(
        memory.key[:n], memory.normal[:n], memory.start, memory.code, memory.place, memory.label, memory.witness[:n]
    )
