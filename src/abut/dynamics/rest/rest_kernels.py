"""When bodies are at rest: they would move, but by less than the error of the forces that hold them.

Forces are found to a tolerance, so that a pile that stands is left with velocities of that size. They would take it out
of the tolerance again after a few steps, and so on for ever. So the forces of an island that is calm are found better
than elsewhere, to half of `still` [m], a motion too small to be of any account; and if its bodies then move by no more
than that, they stay where they are and lose their velocities. `still` = 0: nothing comes to rest.
"""

from math import inf

from ..._jit import lean_kernel

CALM = 10.0
"""In tolerances: how far the bodies of an island go in a step if it is worth the search for better forces."""
STAYING = 5.0
"""How much farther than `still` forces have to move what is at rest to get it going."""


@lean_kernel
def longest_way(members, bodies, twist, share):
    """The longest way [m] of a point of the bodies with these velocities and this share of their shifts."""
    dt, shift, reach, longest = bodies.dt, bodies.shift, bodies.reach, 0.0
    for b in members:
        for i in range(6):
            way = abs(dt * twist[b, i] + share * shift[b, i]) * (1.0 if i < 3 else reach[b])
            if not way <= longest:
                longest = way if way == way else inf
    return longest


@lean_kernel
def is_calm(members, bodies, tolerance, still):
    """Whether bodies move so slowly that they may come to rest."""
    return still > 0.0 and longest_way(members, bodies, bodies.twist, 0.0) <= CALM * tolerance


@lean_kernel
def would_rest(members, bodies, still):
    """Whether bodies hardly move with their shifts."""
    if still <= 0.0:
        return False
    at_rest = longest_way(members, bodies, bodies.twist, 0.0) == 0.0
    return longest_way(members, bodies, bodies.free, 1.0) <= (STAYING * still if at_rest else still)


@lean_kernel
def rest(members, bodies_io):
    """Shift bodies back to where they are."""
    free, dt, shift = bodies_io.free, bodies_io.dt, bodies_io.shift
    for b in members:
        for i in range(6):
            shift[b, i] = -(dt * free[b, i])
