"""A step of a world with deformable bodies, read from top to bottom in `SoftStepper.step` (docs/soft.md).

predict   soft bodies move under the forces of the last step, rigid ones take a step of their own under the same
solve     impulses so that every contact's distance is at least its target at the end
check     the whole motion of all skins, exactly: vertices move straight
admit     what comes too near as contacts, and solve again
advance   if the motion is free to its end, else half of it is tried
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from ...fem.skin_check_kernels import VERTEX_FACE
from ...geometry import Shape, Solid
from ...math import Pose
from ..moment import Moment
from ..report import StepReport, Stopwatch
from ..stepping.overlap import OverlapError, find_overlaps
from ..stepping.step import MAX_FAILURES, SHORTEST_PART
from .compliance import Compliance
from .response_kernels import add_rigid_answers, add_soft_answers, sweep_impulses, touched_nodes, turn_nodes
from .rigid_part import RigidPart
from .skins import Skins
from .soft_spec import KeptTouches, SoftState
from .touch_kernels import LINK, measure_touches, place_touches, push, settle_velocities, spread_touches
from .touch_set import TouchSet

ADMITTING_ROUNDS = 24
"""How often contacts may be added to a motion."""
MAX_SOLVES = 12
"""How often impulses are corrected by the true matrices in a round."""
REFUSED, ADMITTED = 0.5, 1.0
"""In contact gaps: motions that bring skins nearer are refused; what comes nearer in these becomes a contact."""
VIOLATED, KEPT_TO = 0.35, 0.1
"""In contact gaps: by how much contacts may be too narrow while others are sought, and in a motion that is made."""
STILL_NEAR = 2.0
"""In contact gaps: contacts that are farther open are not solved for, and let go after the step."""
RAISE, MOST_RAISED = 0.5, 40.0
"""In contact gaps: by how much more a contact is asked to keep that came too near on the way, and how much at most."""
RESPONSE_TOLERANCE = 1e-4
"""Residual of conjugate gradients for what contacts change, over that of their start."""
SWEEPS, SETTLING_SWEEPS = 200, 30

Placed = tuple[str, Shape, Pose]


class SoftStepper:
    """Makes the next moment of a world that has deformable bodies."""

    def __init__(self, now: Moment, gap: float) -> None:
        soft = now.soft
        self.specs, self.rigid_specs, self.laws, self.gap = soft.specs, now.setup.specs, now.setup.laws, gap
        self._skins = Skins(soft.specs, now.setup.specs, gap)
        self._friction = self._skins.frictions(self.laws)
        self._bodies: list[ElasticBody] = [spec.new_body() for spec in soft.specs]
        self._compliance: dict[tuple[int, float], Compliance] = {}
        self._set = TouchSet()
        self._first = self._skins.node_first
        n = int(self._first[-1])
        self._mass = np.concatenate([body.masses for body in self._bodies])
        self._w, self._nodes, self._push = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        self._turn = [np.zeros((len(spec.mesh.nodes), 4)) for spec in soft.specs]
        self._next_label = 1

    def fits(self, now: Moment, gap: float) -> bool:
        """Whether it was made for the bodies of a moment."""
        known = (now.soft.specs, now.setup.specs, now.setup.laws)
        return self.gap == gap and all(
            a is b for a, b in zip(known, (self.specs, self.rigid_specs, self.laws), strict=True)
        )

    def refuse_overlaps(self, now: Moment) -> None:
        """Raise an error that names bodies which overlap where something was put."""
        ignored, placed = _ignored(now), []
        for spec, state in zip(self.specs, now.soft.states, strict=True):
            placed.append((spec.name, Solid(spec.embedding.positions(state.nodes), spec.triangles), Pose()))
        pairs: list[tuple[Placed, Placed]] = [(a, b) for i, a in enumerate(placed) for b in placed[i + 1 :]]
        for b, body in enumerate(self.rigid_specs):
            if not body.absent:
                other = (body.name, body.shape, Pose.of_row(now.state.pose[b]) @ Pose(-body.centre))
                pairs += [(mine, other) for k, mine in enumerate(placed) if (k, b) not in ignored]
        if overlaps := find_overlaps(pairs):
            raise OverlapError(overlaps, self.gap)

    def step(self, stepper: Any, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`, as far as that is possible without overlap; `stepper` is of rigid bodies."""
        report, begin = StepReport(), now.time
        left = h = dt
        failures = 0
        while left > 0.0:
            report.parts += 1
            h = min(h, left)
            then = self._part(stepper, now, h, gravity, report)
            if then is not None:
                now, left = then, left - h if left - h > 1e-9 * dt else 0.0
                h *= 2.0
                continue
            failures += 1
            if failures >= MAX_FAILURES or h <= SHORTEST_PART * dt:
                report.time_given_up, report.gave_up = left, "no way"
                break
            h *= 0.5
        touches = now.soft.touches
        report.contacts = now.contacts.n + len(touches.name)
        report.smallest_gap = min(
            touches.gap.min(initial=np.inf), now.contacts.smallest_gap if now.contacts.n else np.inf
        )
        return now._replace(time=begin + dt, report=report)

    def _part(self, stepper: Any, now: Moment, h: float, gravity: Floats, report: StepReport) -> Moment | None:
        """Advance by `h`; None if no motion was found that is free to its end."""
        watch = Stopwatch(report)
        rigid = RigidPart(stepper, now, h, gravity, KEPT_TO * self.gap)
        self._begin(now, rigid, h)
        if not self._predict(h, gravity, report):
            return None
        rigid.step()
        self._move(rigid, h)
        watch.lap("predict")
        enough = VIOLATED
        for _ in range(ADMITTING_ROUNDS):
            report.rounds += 1
            solved = self._solve(rigid, h, enough * self.gap, report)
            watch.lap("solve")
            if not solved:
                return None
            n, names, values, stuck = self._skins.check(_ignored(now), REFUSED * self.gap)
            watch.lap("check")
            if n == 0 and not stuck:
                if enough > KEPT_TO and self._set.n:
                    enough = KEPT_TO
                    continue
                then = self._advance(rigid, now, h)
                watch.lap("advance")
                return then
            if stuck or not self._admit(now, names[:n], values[:n]):
                return None
            watch.lap("admit")
        return None

    def _begin(self, now: Moment, rigid: RigidPart, h: float) -> None:
        """Take over a moment: states, and contacts where they are now, with the forces that they had."""
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            for table, value in zip(body.state, state, strict=True):
                table[:] = value
            self._nodes[self._first[k] : self._first[k + 1]] = state.nodes
        self._next_label = now.soft.next_label
        self._centre = np.ascontiguousarray(now.state.pose[:, :3])
        self._skins.place_soft(self._nodes)
        self._skins.move_rigid(rigid.start, rigid.start, rigid.reach, rigid.straight)
        self._set.recall(now.soft.touches, now.soft.touches.gap < STILL_NEAR * self.gap, h)
        n, touches = self._set.n, self._set.touches
        place_touches(tuple(touches), tuple(self._skins.vertices), 0, n, self._set.gap)
        self._set_laws(0)
        self._spread()
        self._push[:] = 0.0
        self._push_all(rigid, touches.impulse)

    def _set_laws(self, first: int) -> None:
        """Targets and friction of contacts from row `first` on."""
        touches, n = self._set.touches, self._set.n
        names = touches.name[first:n]
        touches.target[first:n] = self.gap + self._skins.margins(names)
        a, b = self._skins.sides(names)
        touches.friction[first:n] = self._friction[a, b]

    def _spread(self) -> None:
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(self._skins.vertices), self._centre, contacts.n)
        spread_touches(*tables, tuple(contacts.spread))

    def _push_all(self, rigid: RigidPart, impulse: Floats) -> None:
        """Let impulses of contacts act on nodes and on rigid bodies."""
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(contacts.spread), impulse, rigid.answers, contacts.n)
        push(*tables, self._push, rigid.wrench, rigid.extra)

    def _mine(self, k: int) -> slice:
        """Nodes of body k among all."""
        return slice(int(self._first[k]), int(self._first[k + 1]))

    def _predict(self, h: float, gravity: Floats, report: StepReport) -> bool:
        """Velocities of nodes under weight and the forces of the last step."""
        for k, body in enumerate(self._bodies):
            body.gravity, body.loads[:] = gravity, self._push[self._mine(k)] / h
            predicted = body.predict(h)
            report.iterations += predicted.iterations
            if not np.isfinite(predicted.velocities).all():
                return False
            self._w[self._mine(k)] = predicted.velocities
            turn_nodes(body.elements.corner, body.state.rotations, self._turn[k])
        return True

    def _move(self, rigid: RigidPart, h: float) -> None:
        self._skins.move_soft(self._w, h)
        self._skins.move_rigid(rigid.start, rigid.end, rigid.reach, rigid.straight)

    def _solve(self, rigid: RigidPart, h: float, enough: float, report: StepReport) -> bool:
        """Impulses with which no contact is violated by more than `enough` [m], corrected by the true matrices."""
        if self._set.n == 0:
            return True
        for _ in range(MAX_SOLVES):
            self._measure(rigid, h)
            if not self._right(enough):
                self._respond(rigid, self._correct(rigid, h, enough), h, report)
            elif rigid.due:
                rigid.step()
                self._move(rigid, h)
            else:
                return True
        self._measure(rigid, h)
        return bool(self._set.left[: self._set.n, 0].min() > -VIOLATED * self.gap) and not rigid.due

    def _measure(self, rigid: RigidPart, h: float) -> None:
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(self._skins.vertices), tuple(contacts.spread))
        measure_touches(*tables, contacts.aim, rigid.extra, h, contacts.n, contacts.left)

    def _right(self, enough: float) -> bool:
        """Whether contacts keep their laws well enough."""
        n = self._set.n
        left, impulse = self._set.left[:n], self._set.touches.impulse[:n]
        pushing = impulse[:, 0] > 0.0
        if (left[:, 0] < -enough).any() or (left[pushing, 0] > enough).any():
            return False
        bound = self._set.touches.friction[:n] * impulse[:, 0]
        sticks = np.hypot(impulse[:, 1], impulse[:, 2]) < (1.0 - 1e-9) * bound
        return not (np.abs(left[sticks, 1:]) > enough).any()

    def _correct(self, rigid: RigidPart, h: float, enough: float) -> Floats:
        """By how much impulses change, by the answers of bodies at rest."""
        contacts, n = self._set, self._set.n
        touches, left = contacts.touches, contacts.left[:n]
        kind, rough = touches.name[:n, 0], touches.friction[:n] > 0.0
        dim = 3 if rough.any() or (kind == LINK).any() else 1
        near = (touches.impulse[:n, 0] > 0.0) | (left[:, 0] < STILL_NEAR * self.gap) | (kind == LINK)
        active = np.flatnonzero(near).astype(np.int32)
        answer = self._answers(rigid, active, dim, h)
        impulse = np.ascontiguousarray(touches.impulse[active, :dim].reshape(-1))
        rows = np.ascontiguousarray(left[active, :dim].reshape(-1))
        laws = (kind[active].copy(), touches.friction[active], contacts.limit[active])
        sweep_impulses(answer, *laws, dim, SWEEPS, 0.1 * enough, rows, impulse)
        change = np.zeros((n, 3))
        change[active, :dim] = impulse.reshape(-1, dim) - touches.impulse[active, :dim]
        return change

    def _answers(self, rigid: RigidPart, active: Ints, dim: int, h: float) -> Floats:
        """How the ways of active contacts answer to their impulses."""
        answer = np.zeros((dim * len(active), dim * len(active)))
        tables = (tuple(self._set.touches), tuple(self._set.spread), active, dim)
        for k in range(len(self._bodies)):
            first, last = int(self._first[k]), int(self._first[k + 1])
            mark, nodes = np.full(last - first, -1, np.int32), np.empty(last - first, np.int32)
            m = touched_nodes(tuple(self._set.spread), active, first, last, mark, nodes)
            if m:
                known = self._compliance_of(k, h)
                known.need(nodes[:m])
                rest = (nodes[:m], known.columns, known.slot, self._turn[k], mark)
                add_soft_answers(*tables, (first, last, h), *rest, answer)
        if len(rigid.start):
            add_rigid_answers(*tables, rigid.answers, h, answer)
        return answer

    def _compliance_of(self, k: int, h: float) -> Compliance:
        if (k, h) not in self._compliance:
            if len(self._compliance) > 8 * len(self._bodies):
                self._compliance.clear()
            self._compliance[k, h] = Compliance(self.specs[k], self._bodies[k].fixed_nodes, h)
        return self._compliance[k, h]

    def _respond(self, rigid: RigidPart, change: Floats, h: float, report: StepReport) -> None:
        """What other impulses mean for the motion."""
        report.iterations += 1
        self._push[:] = 0.0
        self._push_all(rigid, change)
        self._set.touches.impulse[: len(change)] += change
        for k, body in enumerate(self._bodies):
            if self._push[self._mine(k)].any():
                self._w[self._mine(k)] += body.respond(self._push[self._mine(k)], tolerance=RESPONSE_TOLERANCE)
        self._skins.move_soft(self._w, h)

    def _admit(self, now: Moment, names: Ints, values: Floats) -> bool:
        """Make contacts of hits; those that are contacts already are asked to keep farther."""
        contacts = self._set
        again = contacts.rows_of(names)
        again = np.unique(again[again >= 0])
        contacts.touches.target[again] += RAISE * self.gap
        asked = contacts.touches.target[again] - self._skins.margins(contacts.touches.name[again])
        if (asked > MOST_RAISED * self.gap).any():
            return False
        n, names, values, _ = self._skins.check(_ignored(now), ADMITTED * self.gap)
        names, values = names[:n], values[:n]
        chosen, first = _earliest(names, contacts.rows_of(names)), contacts.n
        self._next_label = contacts.add(names, values, chosen, self._next_label)
        self._set_laws(first)
        self._spread()
        return len(again) + len(chosen) > 0

    def _advance(self, rigid: RigidPart, now: Moment, h: float) -> Moment:
        """The moment at the end of the motion."""
        contacts, n = self._set, self._set.n
        velocity, twist = self._end_velocities(now), rigid.then.state.twist.copy()
        impulse = contacts.touches.impulse[:n].copy()
        tables = (tuple(contacts.touches), tuple(contacts.spread), self._free_mass(), rigid.answers, n)
        settle_velocities(*tables, SETTLING_SWEEPS, velocity, twist, impulse)
        states = []
        for k, body in enumerate(self._bodies):
            nodes = self._nodes[self._mine(k)] + h * self._w[self._mine(k)]
            states.append(SoftState(nodes, velocity[self._mine(k)].copy(), body.state.rotations.copy()))
        kept = self._kept(impulse, h)
        soft = replace(now.soft, states=tuple(states), touches=kept, next_label=self._next_label, suspect=False)
        return rigid.then._replace(state=rigid.then.state.with_tables(twist=twist), soft=soft)

    def _end_velocities(self, now: Moment) -> Floats:
        velocity = np.concatenate([state.velocities for state in now.soft.states])
        for k, body in enumerate(self._bodies):
            velocity[self._mine(k)] += (self._w[self._mine(k)] - velocity[self._mine(k)]) / body.theta
            held = self._first[k] + body.fixed_nodes
            velocity[held] = self._w[held]
        return velocity

    def _free_mass(self) -> Floats:
        """Masses of nodes, 0 of those that are held."""
        mass = self._mass.copy()
        for k, body in enumerate(self._bodies):
            mass[self._first[k] + body.fixed_nodes] = 0.0
        return mass

    def _kept(self, impulse: Floats, h: float) -> KeptTouches:
        """Contacts that pushed or are near, with the normals along which they did."""
        contacts, v, n = self._set, self._skins.vertices, self._set.n
        touches, arm, body = contacts.touches, contacts.spread.arm[:n], contacts.spread.body[:n]
        force = np.einsum("kd,kde->ke", impulse, touches.axes[:n]) / h
        torque = np.stack((-np.cross(arm[:, 0], force), np.cross(arm[:, 1], force)), axis=1) * (body >= 0)[:, :, None]
        axes = touches.axes[:n].copy()
        self._skins.finish()
        place_touches(tuple(touches), tuple(v), 0, n, contacts.gap)
        gap = contacts.gap[:n] - self._skins.margins(touches.name[:n])
        keep = (impulse[:, 0] > 0.0) | (gap < STILL_NEAR * self.gap)
        point = np.einsum("km,kmd->kd", np.abs(touches.share[:n]), v.start[touches.name[:n, 1:]]) / 2.0
        tables: Any = (touches.name[:n], contacts.label[:n], impulse / h, axes, point, gap, torque)
        return KeptTouches(*(table[keep].copy() for table in tables))


def _earliest(names: Ints, rows: Ints) -> NDArray[np.int64]:
    """Of new hits, sorted by time: the first of each vertex, and where there are none the first of each edge."""
    new = np.flatnonzero(rows < 0)
    faces = new[names[new, 0] == VERTEX_FACE]
    chosen, key = (faces, names[faces, 1:2]) if len(faces) else (new, names[new, 1:3])
    return np.asarray(chosen[np.sort(np.unique(key, axis=0, return_index=True)[1])])


def _ignored(now: Moment) -> set[tuple[int, int]]:
    """Pairs of soft and rigid bodies that do not see each other: those that are attached."""
    return {(k, link.body) for k, links in enumerate(now.soft.attached) for link in links}
