"""A step of a world with deformable bodies, read from top to bottom in `SoftStepper.step` (docs/soft.md).

predict   soft bodies move under the forces of the last step, rigid ones take a step of their own under the same
solve     impulses so that every contact's distance is at least its target at the end
check     the whole motion of all skins, exactly: vertices move straight
admit     what comes too near as contacts, and solve again
advance   if the motion is free to its end, else half of it is tried
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from ...fem.skin_check_kernels import VERTEX_FACE
from ...geometry import Shape, Solid
from ...math import Pose
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from ..report import StepReport, Stopwatch
from ..stepping.overlap import OverlapError, find_overlaps
from ..stepping.step import MAX_FAILURES, SHORTEST_PART
from .common_motion import common_motion
from .compliance import Compliance, compliance_of
from .hold_exactly import hold_exactly
from .response_kernels import add_rigid_answers, add_soft_answers, sweep_impulses, touched_nodes, turn_nodes
from .rigid_part import RigidPart
from .skins import Hits, Skins
from .soft_spec import THETA, Attachment, KeptTouches, SoftState
from .touch_kernels import (
    LINK,
    NODE,
    find_leaning,
    measure_touches,
    place_touches,
    push,
    put_normals,
    settle_velocities,
    spread_touches,
)
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
"""In contact gaps: by how much more a contact is asked to keep that came too near on the way, at first and at most."""
RESPONSE_TOLERANCE, ROUGH_TOLERANCE = 1e-4, 1e-2
"""Residual of conjugate gradients for what contacts change, over that of their start; while contacts are sought."""
MOST_SCALE = 2.0
"""By how much more or less bodies may be found to answer than was thought, at once."""
DAMPING_THETA = 1.0
"""Where in a motion forces are taken that would gain energy otherwise: at its end, which damps."""
MOST_GAINED, TINY_ENERGY = 1e-2, 1e-12
"""Share of the energy of motion, strain and work, and [J], that a body may gain in a motion from nowhere."""
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
        self._compliance: dict[tuple[int, float, float, bytes], Compliance] = {}
        self._theta = THETA
        """Where in the motion forces of the material are taken."""
        self._held: list[Ints] = []
        self._links: list[tuple[Attachment, NDArray[np.int64]]] = []
        """Nodes that are held, by bodies; attachments to bodies that give way, and their rows."""
        self._set = TouchSet()
        self._first = self._skins.node_first
        n = int(self._first[-1])
        self._mass = np.concatenate([body.masses for body in self._bodies])
        self._w, self._predicted, self._nodes = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        """Velocities of nodes through the motion, as they were predicted, and where nodes begin."""
        self._push, self._pushed, self._recalled = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        """Impulses on nodes: those of one change, all since the prediction, and those of the last step."""
        self._expected, self._scale = np.zeros(0), 1.0
        """By how much contacts were expected to open; how much more bodies answer than at rest."""
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
            then = self._part(stepper, now, h, gravity, report, THETA) or self._part(
                stepper, now, h, gravity, report, DAMPING_THETA
            )
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

    def _part(
        self, stepper: Any, now: Moment, h: float, gravity: Floats, report: StepReport, theta: float
    ) -> Moment | None:
        """Advance by `h`; None if no motion was found that is free to its end and gains no energy from nowhere."""
        watch, self._theta = Stopwatch(report), theta
        rigid = RigidPart(stepper, now, h, gravity, KEPT_TO * self.gap)
        self._begin(now, rigid, h)
        rigid.step()
        if not self._predict(now, rigid, h, gravity, report):
            return None
        self._move(rigid, h)
        watch.lap("predict")
        self._admit(self._skins.check(_ignored(now), ADMITTED * self.gap), raising=False, edges=False)
        watch.lap("check")
        final = False
        for _ in range(ADMITTING_ROUNDS):
            report.rounds += 1
            final = final or not self._solve_roughly(rigid, h, report)
            solved = not final or self._solve_well(rigid, h, report)
            watch.lap("solve")
            if not solved:
                return None
            found = self._skins.check(_ignored(now), (REFUSED if final else ADMITTED) * self.gap)
            if final and found.free:
                found = self._skins.check_own(REFUSED * self.gap)
            watch.lap("check")
            if final and found.free:
                if self._gains(now, h):
                    report.energy_refusals += 1
                    return None
                then = self._advance(rigid, now, h)
                watch.lap("advance")
                return then
            more = self._admit(found, raising=final, edges=True)
            if found.stuck or self._overasked():
                return None
            final = more == 0
            watch.lap("admit")
        return None

    def _begin(self, now: Moment, rigid: RigidPart, h: float) -> None:
        """Take over a moment: states, and contacts where they are now, with the forces that they had."""
        self._held = [self._held_nodes(now, k) for k in range(len(self._bodies))]
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            if not np.array_equal(body.fixed_nodes, self._held[k]):
                body.fixed_nodes = self._held[k]
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
        leaning = np.zeros(n, np.bool_)
        find_leaning(tuple(touches), tuple(self._skins.vertices), n, leaning)
        self._set.keep(~leaning)
        self._set_laws(0)
        self._hold(now, h)
        self._spread()
        self._push[:], self._pushed[:], self._scale = 0.0, 0.0, 1.0
        self._push_all(rigid, touches.impulse)
        self._recalled[:] = self._push

    def _held_nodes(self, now: Moment, k: int) -> Ints:
        """Nodes of body k whose motion is known: fixed ones, and those attached to bodies that do not give way."""
        links = [link.nodes for link in now.soft.attached[k] if now.state.kind[link.body] != DYNAMIC]
        return np.unique(np.concatenate((self.specs[k].fixed_nodes, *links))).astype(np.int32)

    def _targets(self, now: Moment, rigid: RigidPart, k: int, h: float) -> Floats:
        """(n, 3) velocities of held nodes."""
        nodes = now.soft.states[k].nodes
        targets = np.zeros_like(nodes)
        for link in now.soft.attached[k]:
            places = Pose.of_row(rigid.end[link.body]).apply(link.places)
            targets[link.nodes] = (places - nodes[link.nodes]) / h
        return targets

    def _hold(self, now: Moment, h: float) -> None:
        """Rows of points that are held: by hands, and by rigid bodies that give way."""
        contacts, self._links = self._set, []
        for k, hand in enumerate(now.soft.hands):
            if hand is not None:
                first, x = self._skins.surfaces[k].first, self._skins.vertices.start
                drag = 2.0 * sqrt(hand.stiffness * float(self._bodies[k].masses.sum())) / h
                place = hand.shares @ x[first + hand.vertices]
                name = (LINK, *(first + hand.vertices).tolist(), -1)
                answer = 1.0 / (h * (hand.stiffness + drag))
                row = contacts.hold(name, (*hand.shares, 0.0), answer, hand.max_force * h)
                contacts.aim[row] = (hand.stiffness * hand.target + drag * place) / (hand.stiffness + drag)
        for k, links in enumerate(now.soft.attached):
            for link in links:
                if now.state.kind[link.body] == DYNAMIC:
                    names = [(NODE, int(self._first[k] + i), link.body, -1, -1) for i in link.nodes]
                    rows = [contacts.hold(name, (0.0, 0.0, 0.0, 0.0), 0.0, np.inf) for name in names]
                    self._links.append((link, np.array(rows)))

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
        for link, rows in self._links:
            nodes = self._nodes[contacts.touches.name[rows, 1]]
            contacts.spread.arm[rows, 0] = nodes - self._centre[link.body]

    def _push_all(self, rigid: RigidPart, impulse: Floats) -> None:
        """Let impulses of contacts act on nodes and on rigid bodies."""
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(contacts.spread), impulse, rigid.answers, contacts.n)
        push(*tables, self._push, rigid.wrench, rigid.extra)

    def _mine(self, k: int) -> slice:
        """Nodes of body k among all."""
        return slice(int(self._first[k]), int(self._first[k + 1]))

    def _predict(self, now: Moment, rigid: RigidPart, h: float, gravity: Floats, report: StepReport) -> bool:
        """Velocities of nodes under weight and the forces of the last step."""
        for k, body in enumerate(self._bodies):
            body.gravity, body.loads[:] = gravity, self._push[self._mine(k)] / h
            start = common_motion(body.masses, body.state.nodes, body.state.velocities)
            predicted = body.predict(h, targets=self._targets(now, rigid, k, h), start=start, theta=self._theta)
            report.iterations += predicted.iterations
            if not np.isfinite(predicted.velocities).all():
                return False
            self._w[self._mine(k)] = predicted.velocities
            turn_nodes(body.elements.corner, body.state.rotations, self._turn[k])
        self._predicted[:] = self._w
        return True

    def _move(self, rigid: RigidPart, h: float) -> None:
        self._skins.move_soft(self._w, h)
        self._skins.move_rigid(rigid.start, rigid.end, rigid.reach, rigid.straight)
        for link, rows in self._links:
            self._set.aim[rows] = Pose.of_row(rigid.end[link.body]).apply(link.places)

    def _solve_roughly(self, rigid: RigidPart, h: float, report: StepReport) -> bool:
        """Impulses that are good enough to see what else comes near; False if they are so already."""
        if self._set.n == 0:
            return False
        self._measure(rigid, h)
        if self._right(VIOLATED * self.gap):
            return False
        self._respond(rigid, self._correct(rigid, h, VIOLATED * self.gap), h, ROUGH_TOLERANCE, report)
        return True

    def _solve_well(self, rigid: RigidPart, h: float, report: StepReport) -> bool:
        """Impulses with which no contact is violated, corrected by the true matrices."""
        if self._set.n == 0:
            return True
        self._respond_anew(rigid, h)
        for _ in range(MAX_SOLVES):
            self._measure(rigid, h)
            if not self._right(KEPT_TO * self.gap):
                self._respond(rigid, self._correct(rigid, h, KEPT_TO * self.gap), h, RESPONSE_TOLERANCE, report)
            elif rigid.due:
                rigid.step()
                self._move(rigid, h)
            else:
                return True
        self._measure(rigid, h)
        touching = self._set.touches.name[: self._set.n, 0] < LINK
        return not (self._set.left[: self._set.n][touching, 0] < -VIOLATED * self.gap).any() and not rigid.due

    def _measure(self, rigid: RigidPart, h: float) -> None:
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(self._skins.vertices), tuple(contacts.spread))
        links, nodes = (contacts.aim, contacts.soft), (self._nodes, self._w)
        measure_touches(*tables, links, nodes, rigid.extra, h, contacts.n, contacts.left)

    def _right(self, enough: float) -> bool:
        """Whether contacts keep their laws well enough."""
        n = self._set.n
        left, impulse, kind = self._set.left[:n], self._set.touches.impulse[:n], self._set.touches.name[:n, 0]
        touching = kind < LINK
        pushing = touching & (impulse[:, 0] > 0.0)
        if (left[touching, 0] < -enough).any() or (left[pushing, 0] > enough).any():
            return False
        bound = self._set.touches.friction[:n] * impulse[:, 0]
        sticks = np.hypot(impulse[:, 1], impulse[:, 2]) < (1.0 - 1e-9) * bound
        if (np.abs(left[touching & sticks, 1:]) > enough).any():
            return False
        held = ~touching & (np.linalg.norm(impulse, axis=1) < (1.0 - 1e-9) * self._set.limit[:n])
        return not (np.abs(left[held]) > enough).any()

    def _correct(self, rigid: RigidPart, h: float, enough: float) -> Floats:
        """By how much impulses change, by the answers of bodies at rest."""
        contacts, n = self._set, self._set.n
        touches, left = contacts.touches, contacts.left[:n]
        kind, rough = touches.name[:n, 0], touches.friction[:n] > 0.0
        dim = 3 if rough.any() or (kind >= LINK).any() else 1
        near = (touches.impulse[:n, 0] > 0.0) | (left[:, 0] < STILL_NEAR * self.gap) | (kind >= LINK)
        active = np.flatnonzero(near).astype(np.int32)
        answer = self._scale * self._answers(rigid, active, dim, h)
        impulse = np.ascontiguousarray(touches.impulse[active, :dim].reshape(-1))
        rows = np.ascontiguousarray(left[active, :dim].reshape(-1))
        before = rows[::dim].copy()
        laws = (kind[active].copy(), touches.friction[active], contacts.limit[active])
        attached = np.flatnonzero(np.repeat(kind[active] == NODE, dim))
        for _ in range(SWEEPS if len(attached) else 1):
            if not hold_exactly(answer, attached, 0.1 * enough, rows, impulse):
                sweep_impulses(answer, *laws, dim, SWEEPS, 0.1 * enough, rows, impulse)
                if np.abs(rows[attached]).max(initial=0.0) < 0.1 * enough:
                    break
        self._expected = np.zeros(n)
        self._expected[active] = rows[::dim] - before
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
        if dim == 3:
            answer[np.diag_indices(len(answer))] += np.repeat(self._set.soft[active], 3)
        return answer

    def _compliance_of(self, k: int, h: float) -> Compliance:
        key = (k, h, self._theta, self._held[k].tobytes())
        if key not in self._compliance:
            if len(self._compliance) > 8 * len(self._bodies):
                self._compliance.clear()
            self._compliance[key] = compliance_of(self.specs[k], self._held[k], h, self._theta)
        return self._compliance[key]

    def _respond(self, rigid: RigidPart, change: Floats, h: float, tolerance: float, report: StepReport) -> None:
        """What other impulses mean for the motion."""
        report.iterations += 1
        n = len(change)
        before = self._set.left[:n, 0].copy()
        self._push[:] = 0.0
        self._push_all(rigid, change)
        self._set.touches.impulse[:n] += change
        self._pushed += self._push
        self._add_answers_to(self._push, tolerance)
        self._skins.move_soft(self._w, h)
        self._measure(rigid, h)
        expected = self._expected[:n]
        found = self._set.left[:n, 0] - before
        size = float(expected @ expected)
        if size > 0.0:
            self._scale *= min(MOST_SCALE, max(1.0 / MOST_SCALE, float(found @ expected) / size))

    def _respond_anew(self, rigid: RigidPart, h: float) -> None:
        """The motion under all impulses since it was predicted, without the errors of rough answers."""
        self._w[:] = self._predicted
        self._add_answers_to(self._pushed, RESPONSE_TOLERANCE)
        self._skins.move_soft(self._w, h)

    def _add_answers_to(self, push: Floats, tolerance: float) -> None:
        for k, body in enumerate(self._bodies):
            if push[self._mine(k)].any():
                self._w[self._mine(k)] += body.respond(push[self._mine(k)], tolerance=tolerance)

    def _admit(self, found: Hits, *, raising: bool, edges: bool) -> int:
        """Make contacts of hits, and ask contacts to keep farther that came too near; how many there are of these."""
        contacts = self._set
        rows = contacts.rows_of(found.names)
        again = np.flatnonzero(rows >= 0) if raising else np.zeros(0, np.int64)
        if len(again):
            self._raise(found, again, rows[again])
        chosen, first = _earliest(found.names, rows, edges), contacts.n
        self._next_label = contacts.add(found.names, found.values, chosen, self._next_label)
        self._set_laws(first)
        self._spread()
        return len(again) + len(chosen)

    def _raise(self, found: Hits, hits: NDArray[np.int64], rows: Ints) -> None:
        """Ask contacts to keep farther that came too near on the way, along the normals that they had there."""
        touches = self._set.touches
        put_normals(found.values, hits, rows, tuple(touches))
        a_gap = self.gap + self._skins.margins(touches.name[rows])
        touches.target[rows] += np.maximum(RAISE * self.gap, touches.target[rows] - a_gap)

    def _overasked(self) -> bool:
        """Whether contacts are asked to keep farther than makes sense."""
        real = self._set.touches.name[: self._set.n, 0] < LINK
        names, target = self._set.touches.name[: self._set.n][real], self._set.touches.target[: self._set.n][real]
        return bool((target - self._skins.margins(names) > MOST_RAISED * self.gap).any())

    def _advance(self, rigid: RigidPart, now: Moment, h: float) -> Moment:
        """The moment at the end of the motion."""
        contacts, n = self._set, self._set.n
        # Impulses that were too small to let rigid bodies step again belong to the momentum all the same.
        velocity, twist = self._end_velocities(now), rigid.then.state.twist + rigid.extra
        impulse = contacts.touches.impulse[:n].copy()
        tables = (tuple(contacts.touches), tuple(contacts.spread), self._free_mass(), rigid.answers, n)
        settle_velocities(*tables, SETTLING_SWEEPS, velocity, twist, impulse)
        states = []
        for k, body in enumerate(self._bodies):
            nodes = self._nodes[self._mine(k)] + h * self._w[self._mine(k)]
            states.append(SoftState(nodes, velocity[self._mine(k)].copy(), body.state.rotations.copy()))
        kept = self._kept(impulse[contacts.touches.name[:n, 0] < LINK], h)
        soft = replace(now.soft, states=tuple(states), touches=kept, next_label=self._next_label, suspect=False)
        return rigid.then._replace(state=rigid.then.state.with_tables(twist=twist), soft=soft)

    def _gains(self, now: Moment, h: float) -> bool:
        """Whether a body has more energy after the motion than before it and than was given to it."""
        velocity = self._end_velocities(now)
        for k, (body, state) in enumerate(zip(self._bodies, now.soft.states, strict=True)):
            mine, held = self._mine(k), self._held[k]
            w, end = self._w[mine], self._nodes[mine] + h * self._w[mine]
            given = float((self._recalled[mine] * w).sum() + (self._pushed[mine] * w).sum())
            if len(held):
                given += h * float((body.reactions(w)[held] * w[held]).sum())
            before, after = body.energy_at(state.nodes, state.velocities), body.energy_at(end, velocity[mine])
            stored = before + float(body.masses @ (state.nodes @ body.gravity))
            if after - before - given > MOST_GAINED * (stored + abs(given) + abs(after - before)) + TINY_ENERGY:
                return True
        return False

    def _end_velocities(self, now: Moment) -> Floats:
        velocity = np.concatenate([state.velocities for state in now.soft.states])
        for k in range(len(self._bodies)):
            velocity[self._mine(k)] += (self._w[self._mine(k)] - velocity[self._mine(k)]) / self._theta
            held = self._first[k] + self._held[k]
            velocity[held] = self._w[held]
        return velocity

    def _free_mass(self) -> Floats:
        """Masses of nodes, 0 of those that are held."""
        mass = self._mass.copy()
        for k, held in enumerate(self._held):
            mass[self._first[k] + held] = 0.0
        return mass

    def _kept(self, impulse: Floats, h: float) -> KeptTouches:
        """Contacts that pushed or are near, with the normals along which they did."""
        self._set.keep(self._set.touches.name[: self._set.n, 0] < LINK)
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


def _earliest(names: Ints, rows: Ints, edges: bool) -> NDArray[np.int64]:
    """Of new hits, sorted by time: the first of each vertex and, if there are none or if asked for, of each edge."""
    new = np.flatnonzero(rows < 0)
    at_vertices = names[new, 0] == VERTEX_FACE
    if at_vertices.any() and not edges:
        new = new[at_vertices]
    key = names[new, :3].copy()
    key[key[:, 0] == VERTEX_FACE, 2] = -1
    return np.asarray(new[np.sort(np.unique(key, axis=0, return_index=True)[1])])


def _ignored(now: Moment) -> set[tuple[int, int]]:
    """Pairs of soft and rigid bodies that do not see each other: those that are attached."""
    return {(k, link.body) for k, links in enumerate(now.soft.attached) for link in links}
