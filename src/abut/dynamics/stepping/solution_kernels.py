"""From what the solver found to the motions that it means."""

from ..._jit import kernel
from ..bodies.body_kernels import any_spun, set_motions
from ..solver.force_kernels import sum_up


@kernel
def read_solution(left, hasty, free, shift, dt, due, motion_out):
    """Set the motions of those due; returns what sum_up does, and whether forces turn one of them too far."""
    hard, soft, unsolved, any_hasty = sum_up(left, hasty)
    set_motions(free, shift, dt, due, motion_out)
    return hard, soft, unsolved, any_hasty, any_spun(free, shift, dt, due)
