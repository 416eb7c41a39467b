"""An independent judge: after a step, no two bodies of a world may have a point in common."""

from itertools import combinations

import numpy as np

from abut import HalfSpace, Solid, Sphere
from abut.dynamics.bodies.body_kernels import KINEMATIC
from physics.overlap_kernels import first_meeting, winding_number


def corners(body):
    """(n, 9) triangles of a body in the world."""
    return body.pose.apply(body.shape.vertices)[body.shape.triangles].reshape(-1, 9)


def joined(world):
    """Numbers of bodies that a joint holds together without contact."""
    held = (joint for joint in world.joints if joint.other is not None and not joint.contact)
    return {frozenset((joint.body.index, joint.other.index)) for joint in held}


def ignored(world, a, b, held):
    """Whether two bodies may overlap, by what a user can ask of them."""
    moving = [i for i in (a, b) if not np.isinf(i.mass) or i.spec.kind == KINEMATIC]
    same_group = a.spec.group >= 0 and a.spec.group == b.spec.group
    return not moving or same_group or {a.index, b.index} in held or world.pair_rule(a, b) != "contact"


class Judge:
    """Remembers nothing but the triangles of bodies that never move."""

    def __init__(self, world):
        held = joined(world)
        self.world = world
        self.pairs = [(a, b) for a, b in combinations(world.bodies, 2) if not ignored(world, a, b, held)]

    def overlap(self):
        """The first two bodies that overlap, or None."""
        solids = {b.index: corners(b) for b in self.world.bodies if isinstance(b.shape, Solid)}
        for a, b in self.pairs:
            if overlap(a, b, solids):
                return a.name, b.name
        return None


def overlap(a, b, solids):
    if isinstance(b.shape, HalfSpace) or (isinstance(a.shape, Sphere) and isinstance(b.shape, Solid)):
        a, b = b, a
    if isinstance(a.shape, HalfSpace):
        return height(a, b, solids) <= 0.0
    if isinstance(a.shape, Sphere) and isinstance(b.shape, Sphere):
        return np.linalg.norm(a.pose.position - b.pose.position) <= a.shape.radius + b.shape.radius
    assert isinstance(a.shape, Solid) and isinstance(b.shape, Solid)
    return solids_overlap(solids[a.index], solids[b.index], a.shape.closed, b.shape.closed)


def height(plane, body, solids):
    """How far the lowest point of a body is above a half-space."""
    normal = plane.pose.rotation @ plane.shape.normal
    offset = plane.shape.offset + normal @ plane.pose.position
    if isinstance(body.shape, Sphere):
        return normal @ body.pose.position - body.shape.radius - offset
    return (solids[body.index].reshape(-1, 3) @ normal).min() - offset


def boxes_apart(p, q):
    p, q = p.reshape(-1, 3), q.reshape(-1, 3)
    return (p.max(0) < q.min(0)).any() or (q.max(0) < p.min(0)).any()


def solids_overlap(p, q, p_closed, q_closed):
    if boxes_apart(p, q):
        return False
    if first_meeting(p, q)[0] >= 0:
        return True
    # Surfaces that do not meet: one body may still lie inside the other.
    return (q_closed and winding_number(p[0, :3], q) > 0.5) or (p_closed and winding_number(q[0, :3], p) > 0.5)


def run_judged(scene, duration=None, every=1):
    """Run a scene; returns the reports of all steps. Fails at the first overlap."""
    judge, reports = Judge(scene.world), []
    assert judge.overlap() is None, "overlap at the start"
    for k, report in enumerate(scene.run(duration)):
        reports.append(report)
        if k % every == 0:
            assert judge.overlap() is None, f"{judge.overlap()} overlap after step {k}"
    assert judge.overlap() is None, f"{judge.overlap()} overlap at the end"
    return reports
