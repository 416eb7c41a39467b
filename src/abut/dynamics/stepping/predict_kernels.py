"""How bodies would move without contacts, and how they answer to forces: one call for what every motion begins with."""

import numpy as np

from ..._jit import kernel, lean_kernel
from ..block_kernels import (
    ACTED,
    FORCE,
    FORCE_BEFORE,
    LAST,
    WRENCH,
    begin_bodies,
    begin_joints,
    bodies_in,
    column_of,
    columns_of,
)
from ..bodies.body_kernels import DYNAMIC, find_before, find_movable, predict_bodies
from ..bodies.hold_kernels import hold_errors
from ..bodies.response_kernels import build_responses
from ..joints.joint_kernels import FORCE_CHANGE_AT_REST, expect_forces
from .packet_tables import (
    bodies_of,
    contacts_of,
    joints_of,
    marked_of,
    prediction_of,
    put_bodies,
    put_contacts,
    put_joints,
)
from .step_tables import Pace

FIRMNESS = 100.0
"""How much less than others a body in a hand yields where there is no inertia."""


@lean_kernel
def _want_twists(bodies, still_for, prediction_io):
    """Twists without inertia: as given, or within `still_for` [s] to where a hand draws the body."""
    for i in range(bodies.kind.shape[0]):
        for k in range(6 if bodies.kind[i] == DYNAMIC else 0):
            wanted = bodies.twist[i, k]
            prediction_io.free[i, k] = prediction_io.error[i, k] / still_for if bodies.hold[i, 0] > 0.0 else wanted


@lean_kernel
def _firm_up(bodies, prediction_io):
    """Let bodies in hands yield less than others."""
    weight, response = prediction_io.weight, prediction_io.response
    for i in range(bodies.kind.shape[0]):
        for k in range(6 if bodies.kind[i] == DYNAMIC and bodies.hold[i, 0] > 0.0 else 0):
            for l in range(6):
                weight[i, k, l], response[i, k, l] = weight[i, k, l] * FIRMNESS, response[i, k, l] / FIRMNESS


@lean_kernel
def _mix(gamma, prediction_io):
    """Let motions be made with gamma v_1 + (1 - gamma) v_0 (Galluzzo & Wendt), so that only that share answers.

    Of rotation, the same is said of momenta: a body that nothing touches keeps its own, however it turns.
    """
    before, free, weight, response = (
        prediction_io.before,
        prediction_io.free,
        prediction_io.weight,
        prediction_io.response,
    )
    for i in range(prediction_io.middle.shape[0]):
        for k in range(6):
            free[i, k] = before[i, k] + gamma * (free[i, k] - before[i, k])
            for l in range(6):
                weight[i, k, l], response[i, k, l] = weight[i, k, l] / gamma, response[i, k, l] * gamma


@kernel
def _predict(bodies_io, gravity, pace, prediction_out):
    """Motions without contacts, inertias in their middle, who can move, how far hands are from targets, responses.

    Returns how many bodies are no longer finite, which are frozen now, the smallest mass of those that can move, and
    whether hands hold any of them by springs.
    """
    bodies, found = bodies_io, prediction_out
    for i in range(bodies.kind.shape[0]):
        for k in range(6):
            found.twist[i, k] = bodies.twist[i, k]
    broken = predict_bodies(bodies, gravity, pace.h, found)
    scale = find_movable(bodies.kind, bodies.mass, found.movable)
    hold_errors(bodies.hold, bodies.pose, bodies.target, found.error)
    still = pace.still_for > 0.0
    if still:
        _want_twists(bodies, pace.still_for, found)
    hold = np.zeros_like(bodies.hold) if still else bodies.hold
    any_held = build_responses(bodies, hold, pace.h, scale, found)
    if still:
        _firm_up(bodies, found)
    if pace.gamma > 0.0:
        find_before(bodies, found)
        _mix(pace.gamma, found)
    return broken, scale, any_held


@kernel
def take_contacts(contacts, packet_out):
    """Put the tables of contacts into the packet."""
    put_contacts(contacts, packet_out)


@kernel
def take_hands(hold, target, packet_io):
    """Put the tables of hands into the packet, between those of bodies."""
    known = bodies_of(packet_io)
    moving = (known.pose, known.twist, known.load, hold, target)
    put_bodies((known.kind, known.mass, known.inertia, known.drag, known.locked, *moving), packet_io)


@kernel
def _begin_bodies(begun_io, still, packet_io):
    """Copy bodies into the block of a step that begins, and put its tables into the packet."""
    known, (then, now) = bodies_of(packet_io), begun_io
    n = known.mass.shape[0]
    begin_bodies(then, n, now)
    kind, pose, twist, _ = bodies_in(now, n)
    load = known.load if still else bodies_in(then, n)[3]
    moving = (pose, twist, load, known.hold, known.target)
    put_bodies((kind, known.mass, known.inertia, known.drag, known.locked, *moving), packet_io)


@kernel
def _begin_joints(begun_io, packet_io):
    """Likewise joints."""
    known, (then, now) = joints_of(packet_io), begun_io
    n = known.name.shape[0]
    begin_joints(then, n, now)
    force, before = column_of(now, FORCE, n), column_of(then, FORCE_BEFORE, n)
    acted, wrench = column_of(now, ACTED, n), columns_of(now, WRENCH, 6, n)
    asked = (known.law, known.value, known.lower, known.upper)
    tables = (column_of(now, LAST, n), *asked, before, force, acted, wrench, known.spring_middle)
    put_joints((known.name, known.place, *tables), packet_io)


@kernel
def take_joints(joints, packet_out):
    """Put the tables of joints into the packet."""
    put_joints(joints, packet_out)


@kernel
def begin_motion(begins, bodies_io, joints_io, gravity, pace, packet_io):
    """Predict a motion that begins, and guess the forces of joints.

    If a step `begins`, bodies and joints are copied first: blocks of these as they were then and as they will be.
    Nothing is known of the motion yet: everyone awake is due, and contacts push as if bodies turned as they do at the
    start. Returns what _predict does.
    """
    if begins:
        _begin_bodies(bodies_io, Pace(*pace).still_for > 0.0, packet_io)
        _begin_joints(joints_io, packet_io)
    bodies, prediction, marked = bodies_of(packet_io), prediction_of(packet_io), marked_of(packet_io)
    found, joints = _predict(bodies, gravity, Pace(*pace), prediction), joints_of(packet_io)
    expect_forces(joints.name, prediction.movable, joints.before, FORCE_CHANGE_AT_REST, joints.force)
    for b in range(marked.due.shape[0]):
        marked.due[b], marked.begun[b], marked.coarse[b] = marked.awake[b], False, False
        for k in range(3):
            marked.spin[b, k], marked.left[b, k] = prediction.twist[b, 3 + k], 0.0
    extra = contacts_of(packet_io).extra
    for k in range(extra.shape[0]):
        extra[k] = 0.0
    return found
