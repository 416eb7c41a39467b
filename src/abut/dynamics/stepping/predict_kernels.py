"""How bodies would move without contacts, up to where hands draw them: one call for what every motion begins with."""

from ..._jit import kernel
from ..bodies.body_kernels import find_movable, predict_bodies
from ..bodies.hold_kernels import hold_errors
from .predict_tables import Bodies, Prediction


@kernel
def begin_prediction(bodies_io, wrench, gravity, dt, prediction_out):
    """Free motions, inertias in their middle, who can move, and how far hands are from their targets.

    Returns how many bodies are no longer finite, which are frozen now, and the smallest mass of those that can move.
    """
    bodies, found = Bodies(*bodies_io), Prediction(*prediction_out)
    for i in range(bodies.kind.shape[0]):
        for k in range(6):
            found.twist[i, k] = bodies.twist[i, k]
    moving = (bodies.kind, bodies.mass, bodies.inertia, bodies.pose, bodies.twist)
    broken = predict_bodies(*moving, wrench, gravity, dt, bodies.locked, found.middle, found.free, found.motion)
    scale = find_movable(bodies.kind, bodies.mass, found.movable)
    hold_errors(bodies.hold, bodies.pose, bodies.target, found.error)
    return broken, scale
