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
from ...fem.elastic.spin_kernels import common_motion
from ...fem.elastic.turn_kernels import mean_turn
from ...geometry import Shape, Solid
from ...math import Pose
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from ..report import StepReport, Stopwatch
from ..stepping.overlap import OverlapError, find_overlaps
from ..stepping.step import MAX_FAILURES, SHORTEST_PART
from .impulse_problem import ImpulseProblem
from .name_kernels import choose_first
from .own_watch import OwnWatch
from .rigid_part import RigidPart
from .skin_watch import Hits, SkinWatch
from .skins import Skins
from .soft_account import SoftAccount
from .soft_spec import THETA, Attachment, KeptTouches, SoftState
from .soft_tables import EndMotion, NodeMotion
from .touch_kernels import (
    LINK,
    NODE,
    ask_farther,
    find_leaning,
    measure_touches,
    place_touches,
    push_all,
    settle_velocities,
    shortfalls,
    spread_touches,
    touch_errors,
)
from .touch_set import TouchSet

MOST_CORRECTIONS = 60
"""How often impulses are corrected in a motion."""
REFUSED, ADMITTED = 0.5, 1.0
"""In contact gaps: motions that bring skins nearer are refused; what comes nearer in these becomes a contact."""
BESIDE = 100.0
"""In contact gaps: vertices that end the predicted motion so near above a face may push when impulses are changed."""
LOOKED_AT = 24.0
"""In contact gaps: by how much contacts may be off their laws in a motion that is worth a look for others."""
VIOLATED, KEPT_TO = 0.35, 0.1
"""In contact gaps: by how much contacts that are solved for are too narrow at most, and by how much contacts may slip
that stick, or be open that push, in a motion that is made. What is too narrow the check decides."""
KEPT_AT_REST, SHARE_OF_SMALL_WAY = 3e-4, 0.1
"""The same for what hardly moves: at least, and of the ways that the points of contacts make past each other."""
SHARE_OF_WAY, OPEN_SHARE_OF_WAY, MOST_OPEN = 1e-3, 1e-2, 2.0
"""The latter two, in ways that the points of contacts make past each other in the motion, if that is more; and the most
for contacts that push, in gaps."""
STILL_NEAR = 2.0
"""In contact gaps: contacts that are farther open are not solved for, and let go after the step."""
ASKED_SHARE_OF_WAY, MOST_ASKED = 0.02, 8.0
"""Of the way that the points of a contact make past each other, and in contact gaps: how much farther than a gap it is
asked to keep. What moves fast is off its target by more, and need not be solved for again as long as it is free."""
RAISE, MOST_RAISED = 0.5, 40.0
"""In contact gaps: by how much more a contact is asked to keep that came too near on the way, at least and at most."""
PREDICTED_TO, PUSHED_TO, PUSHED_ROUGHLY_TO = 1e-4, 1e-2, 5e-2
"""Residual of conjugate gradients over that of their start, for the motion under known forces, and for what impulses
change about it, where contacts are far off their laws roughly: what one solution leaves, the next one solves for."""
NEARLY_RIGHT = 0.2
"""In contact gaps: a contact that is off its gap by less keeps the one it has."""
REST, GOING_AGAIN = 2e-3, 1e-2
"""In contact gaps: a body whose nodes all move by less in a step rests: it stays where it is, with no velocity. One
that rests goes again if a node would move by more than the second."""
DAMPING_THETA = 1.0
"""Where in a motion forces are taken that would gain energy otherwise: at its end, which damps."""
SETTLING_SWEEPS = 30
SWEPT_TO, SHARE_OF_WORST = 0.3, 0.01
"""What sweeps over impulses may leave: of what is enough, or of the worst that a contact is off, if that is more."""

Placed = tuple[str, Shape, Pose]


class SoftStepper:
    """Makes the next moment of a world that has deformable bodies."""

    def __init__(self, now: Moment, gap: float) -> None:
        soft = now.soft
        self.specs, self.rigid_specs, self.laws, self.gap = soft.specs, now.setup.specs, now.setup.laws, gap
        self._skins = Skins(soft.specs, now.setup.specs, gap)
        self._watch = SkinWatch(self._skins)
        n = len(self._skins.surface)
        self._own = [OwnWatch(surface, n) for surface in self._skins.surfaces if surface.number >= 0]
        self._friction = self._skins.frictions(self.laws)
        self._bodies: list[ElasticBody] = [spec.new_body(spec.solver) for spec in soft.specs]
        for body in self._bodies:
            body.tolerance = PREDICTED_TO
        self._first = self._skins.node_first
        self._problem = ImpulseProblem(soft.specs, self._first)
        self._account = SoftAccount(self._bodies, self._first)
        self._prepared: set[float] = set()
        self._theta = THETA
        """Where in the motion forces of the material are taken."""
        self._held: list[Ints] = []
        self._links: list[tuple[Attachment, NDArray[np.int64]]] = []
        """Nodes that are held, by bodies; attachments to bodies that give way, and their rows."""
        self._replaced = False
        """Whether nodes feel forces of contacts that have ended: impulses must be looked for, to take their place."""
        self._set = TouchSet()
        n = int(self._first[-1])
        self._mass = np.concatenate([body.masses for body in self._bodies])
        self._w, self._nodes = np.zeros((n, 3)), np.zeros((n, 3))
        """Velocities of nodes through the motion, and where nodes begin."""
        self._push, self._pushed = np.zeros((n, 3)), np.zeros((n, 3))
        """Impulses on nodes: those of one change, and all of the motion."""
        self._next_label = 1
        self._measured = 0
        """How many contacts are measured in the motion as it is."""
        self._swept_to = 0.0
        """[m] what sweeps over impulses may leave."""
        self._still: tuple[Moment | None, float, bytes] = (None, 0.0, b"")
        """The moment after a step that moved nothing, and its length and gravity."""

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
        if now is self._still[0] and self._still[1:] == (dt, gravity.tobytes()):
            return self._sleep(now, dt, gravity)
        before, report, begin, loads = now, StepReport(), now.time, now.state.wrench
        left = h = dt
        failures = 0
        while left > 0.0:
            report.parts += 1
            h = min(h, left)
            then = self._part(stepper, now, h, gravity, report, THETA) or self._part(
                stepper, now, h, gravity, report, DAMPING_THETA
            )
            if then is not None:
                left = left - h if left - h > 1e-9 * dt else 0.0
                now = then._replace(state=then.state.with_tables(wrench=loads))
                note_rigid(report, then.report)
                h *= 2.0
                continue
            failures += 1
            if failures >= MAX_FAILURES or h <= SHORTEST_PART * dt:
                report.time_given_up, report.gave_up = max(report.time_given_up, left), "no way"
                break
            h *= 0.5
        touches = now.soft.touches
        report.contacts = now.contacts.n + len(touches.name)
        report.smallest_gap = min(
            touches.gap.min(initial=np.inf), now.contacts.smallest_gap if now.contacts.n else np.inf
        )
        loaded = now.state.with_tables(wrench=np.zeros_like(loads), applied=loads)
        then = now._replace(state=loaded, time=begin + dt, report=report)
        if not report.time_given_up and stands_still(before, then):
            self._still = then, dt, gravity.tobytes()
        return then

    def _sleep(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """A step of a world that stands still, and that nobody has touched since."""
        report = StepReport(contacts=now.report.contacts, smallest_gap=now.report.smallest_gap)
        then = now._replace(time=now.time + dt, report=report)
        self._still = then, dt, gravity.tobytes()
        return then

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
        self._ask_farther(0)
        watch.lap("predict")
        self._admit(self._look(now, edges=False), raising=False)
        watch.lap("check")
        if not self._find_motion(now, rigid, h, report, watch):
            return None
        if self._account.gains(now, self._w, self._pushed, h, self._theta):
            report.energy_refusals += 1
            return None
        then = self._advance(rigid, now, h)
        watch.lap("advance")
        return then

    def _find_motion(self, now: Moment, rigid: RigidPart, h: float, report: StepReport, watch: Stopwatch) -> bool:
        """Impulses with which the motion is free to its end; False if none are found."""
        found: Hits | None = None
        for _ in range(MOST_CORRECTIONS):
            far, right, solved = self._errors(rigid, h)
            if self._replaced:
                far, right, solved, self._replaced = True, False, False, False
            if solved and rigid.due:
                self._step_rigid(rigid, h)
                found = None
                continue
            if not solved and (found is not None or far):
                self._correct(rigid, h, report, PUSHED_ROUGHLY_TO if far else PUSHED_TO)
                found = None
                watch.lap("solve")
                continue
            report.rounds += 1
            found = self._look(now, edges=True)
            if right and found.free and not rigid.due:
                found = self._look_at_own()
                if found.free:
                    watch.lap("check")
                    return True
            watch.lap("check")
            more = self._admit(found, raising=True)
            if found.stuck or (solved and more == 0) or self._overasked():
                return False
            watch.lap("admit")
        return False

    def _look(self, now: Moment, *, edges: bool) -> Hits:
        """What comes near in the motion as it is; without edges, what must not is not told from it."""
        refused, beside = (REFUSED, 0.0) if edges else (ADMITTED, BESIDE)
        reach = ADMITTED * self.gap, refused * self.gap, beside * self.gap
        return self._watch.check(_ignored(now), reach, edges)

    def _look_at_own(self) -> Hits:
        """What of a skin comes near to the same skin."""
        v, found, turned = self._skins.vertices, [], np.empty((3, 3))
        for own, body in zip(self._own, self._bodies, strict=True):
            mean_turn(body.turns, turned)
            found.append(own.check((v.start, v.end), turned, REFUSED * self.gap))
        if all(hits.free for hits in found):
            return found[0]
        names, values = np.concatenate([hits.names for hits in found]), np.concatenate([hits.values for hits in found])
        return Hits(names, values, any(hits.stuck for hits in found))

    def _step_rigid(self, rigid: RigidPart, h: float) -> None:
        """Let rigid bodies step again under the impulses as they are."""
        answers = rigid.answers
        rigid.step()
        self._move(rigid, h)
        if rigid.answers is not answers:
            self._problem.forget()

    def _begin(self, now: Moment, rigid: RigidPart, h: float) -> None:
        """Take over a moment: states, and contacts where they are now, with the forces that they had."""
        self._held = [self._held_nodes(now, k) for k in range(len(self._bodies))]
        if h not in self._prepared and len(self._skins.surfaces) > 1 and not self._prepared:
            self._problem.prepare(h, self._theta, self._held)
            self._prepared.add(h)
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
        self._set.recall(now.soft.touches, h)
        n, touches = self._set.n, self._set.touches
        place_touches(tuple(touches), tuple(self._skins.vertices), 0, n, self._set.gap)
        self._spread()
        self._push_all(rigid)
        self._pushed[:] = self._push
        pushes = now.soft.touches.impulse[:, 0] > 0.0
        lasting = now.soft.touches.gap < np.where(pushes, STILL_NEAR + MOST_ASKED, STILL_NEAR) * self.gap
        leaning = np.zeros(n, np.bool_)
        find_leaning(tuple(touches), tuple(self._skins.vertices), n, leaning)
        lasting &= ~leaning
        gap = self._set.gap[:n][lasting]
        self._set.keep(lasting)
        self._replaced = not lasting.all()
        self._set_laws(0)
        # A gap that is nearly right stays as it is: nothing has to move to make it exact.
        target = touches.target[: self._set.n]
        target[:] = np.where(np.abs(gap - target) <= NEARLY_RIGHT * self.gap, gap, target)
        self._hold(now, h)
        self._spread()
        self._watch.begin()

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
                contacts.links.aim[row] = (hand.stiffness * hand.target + drag * place) / (hand.stiffness + drag)
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

    def _ask_farther(self, first: int) -> None:
        """Ask contacts from row `first` on to keep farther, by how far their points move past each other."""
        tables = tuple(self._set.touches), tuple(self._skins.vertices), first, self._set.n
        names = self._set.touches.name[first : self._set.n]
        real, base = names[:, 0] < LINK, np.full(len(names), self.gap)
        base[real] += self._skins.margins(names[real])
        ask_farther(*tables, ASKED_SHARE_OF_WAY, MOST_ASKED * self.gap, base, self._set.touches.target)

    def _spread(self, first: int = 0) -> None:
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(self._skins.vertices), self._centre, first, contacts.n)
        spread_touches(*tables, tuple(contacts.spread))
        for link, rows in self._links:
            nodes = self._nodes[contacts.touches.name[rows, 1]]
            contacts.spread.arm[rows, 0] = nodes - self._centre[link.body]

    def _push_all(self, rigid: RigidPart) -> None:
        """Let the impulses of contacts as they are act on nodes and on rigid bodies."""
        contacts = self._set
        push_all(tuple(contacts.touches), tuple(contacts.spread), contacts.n, self._push, rigid.wrench)

    def _mine(self, k: int) -> slice:
        """Nodes of body k among all."""
        return slice(int(self._first[k]), int(self._first[k + 1]))

    def _predict(self, now: Moment, rigid: RigidPart, h: float, gravity: Floats, report: StepReport) -> bool:
        """Velocities of nodes under weight and the forces of the last step."""
        for k, body in enumerate(self._bodies):
            mine = self._mine(k)
            body.gravity, body.loads[:] = gravity, self._pushed[mine] / h
            common_motion(body.masses, body.state.nodes, body.state.velocities, self._w[mine])
            targets = self._targets(now, rigid, k, h)
            predicted = body.predict(h, targets=targets, start=self._w[mine], theta=self._theta)
            report.iterations += predicted.iterations
            if not np.isfinite(predicted.velocities).all():
                return False
            self._w[mine] = predicted.velocities
        turns = [body.turns for body in self._bodies]
        self._problem.begin(h, self._theta, self._held, turns, now.soft.answer)
        return True

    def _move(self, rigid: RigidPart, h: float) -> None:
        self._measured = 0
        self._skins.move_soft(self._w, h)
        self._skins.move_rigid(rigid.start, rigid.end, rigid.reach, rigid.straight)
        for link, rows in self._links:
            self._set.links.aim[rows] = Pose.of_row(rigid.end[link.body]).apply(link.places)

    def _errors(self, rigid: RigidPart, h: float) -> tuple[bool, bool, bool]:
        """Whether contacts are far off their laws, whether they keep them but for distances, and whether they do."""
        contacts, n = self._set, self._set.n
        if n == 0:
            return False, True, True
        if self._measured < n:
            self._measure(rigid, h)
        tables = tuple(contacts.touches), tuple(self._skins.vertices), contacts.left[:n], contacts.links.limit
        narrow, wide, off, way = touch_errors(*tables)
        # What hardly moves is held to its laws more strictly, or it would creep and never rest.
        least = min(KEPT_TO, max(KEPT_AT_REST, SHARE_OF_SMALL_WAY * way / self.gap)) * self.gap
        enough = max(least, SHARE_OF_WAY * way)
        worst = max(narrow, wide, off)
        open_enough = max(least, min(MOST_OPEN * self.gap, OPEN_SHARE_OF_WAY * way))
        self._swept_to = max(SWEPT_TO * min(enough, VIOLATED * self.gap), SHARE_OF_WORST * worst)
        wide_enough = narrow <= max(least, min(VIOLATED * self.gap, OPEN_SHARE_OF_WAY * way))
        right = wide <= open_enough and off <= enough and (wide_enough or way > self.gap)
        return worst > LOOKED_AT * self.gap, right, right and wide_enough

    def _measure(self, rigid: RigidPart, h: float) -> None:
        contacts, nodes = self._set, NodeMotion(self._nodes, self._w)
        tables = tuple(contacts.touches), tuple(self._skins.vertices), tuple(contacts.spread), tuple(contacts.links)
        measure_touches(*tables, tuple(nodes), rigid.extra, h, contacts.left[: contacts.n])
        self._measured = contacts.n

    def _correct(self, rigid: RigidPart, h: float, report: StepReport, tolerance: float) -> None:
        """Change impulses by how bodies answer at rest, and see what that means for the motion."""
        report.iterations += 1
        contacts, n = self._set, self._set.n
        self._push_all(rigid)
        expected = self._problem.correct(
            contacts, rigid, self._push - self._pushed, STILL_NEAR * self.gap, self._swept_to
        )
        before = contacts.left[:n, 0].copy()
        self._push_all(rigid)
        rigid.answer()
        change = self._push - self._pushed
        self._pushed[:] = self._push
        for k, body in enumerate(self._bodies):
            mine = self._mine(k)
            if change[mine].any():
                report.iterations += body.push(change[mine], self._w[mine], tolerance)
        self._skins.move_soft(self._w, h)
        self._measure(rigid, h)
        self._problem.learn(expected, contacts.left[:n, 0] - before)

    def _admit(self, found: Hits, *, raising: bool) -> int:
        """Make contacts of hits, and ask contacts to keep farther that came too near; how many there are of these."""
        contacts = self._set
        rows, refused = contacts.rows_of(found.names), found.refused
        again = refused[rows[refused] >= 0]
        # What is not solved for yet will be; what is, and comes too near all the same, must keep farther.
        again = again[contacts.left[rows[again], 0] >= -VIOLATED * self.gap] if raising else again[:0]
        if len(again):
            self._raise(rows[again])
        chosen, first = np.empty(len(rows), np.int64), contacts.n
        chosen = chosen[: choose_first(found.names, rows, chosen)]
        self._next_label = contacts.add(found.names, found.values, chosen, self._next_label)
        self._set_laws(first)
        self._ask_farther(first)
        self._spread(first)
        self._measured = 0 if len(again) else self._measured
        return len(again) + len(chosen)

    def _raise(self, rows: Ints) -> None:
        """Ask contacts to keep farther that came too near on the way: by what their frozen normals miss, and more."""
        contacts, short = self._set, np.empty(len(rows))
        shortfalls(tuple(contacts.touches), tuple(self._skins.vertices), contacts.left, rows, short)
        target = contacts.touches.target
        a_gap = self.gap + self._skins.margins(contacts.touches.name[rows])
        target[rows] = np.maximum(target[rows] + RAISE * self.gap, a_gap + short)

    def _overasked(self) -> bool:
        """Whether contacts are asked to keep farther than makes sense."""
        real = self._set.touches.name[: self._set.n, 0] < LINK
        names, target = self._set.touches.name[: self._set.n][real], self._set.touches.target[: self._set.n][real]
        return bool((target - self._skins.margins(names) > MOST_RAISED * self.gap).any())

    def _advance(self, rigid: RigidPart, now: Moment, h: float) -> Moment:
        """The moment at the end of the motion."""
        contacts, n = self._set, self._set.n
        velocity = self._account.end_velocities(now, self._w, self._held, self._theta)
        twist, answers = rigid.settled()
        impulse = contacts.touches.impulse[:n].copy()
        motion = EndMotion(self._free_mass(), tuple(answers), velocity, twist)
        settle_velocities(tuple(contacts.touches), tuple(contacts.spread), SETTLING_SWEEPS, tuple(motion), impulse)
        moved = self._nodes + h * self._w
        self._account.keep_spins(now, contacts, self._skins.vertices, impulse, (h, self._theta), moved, velocity)
        states = []
        for k, body in enumerate(self._bodies):
            mine, before = self._mine(k), now.soft.states[k]
            least = (REST if before.velocities.any() else GOING_AGAIN) * self.gap / h
            if rests(before.velocities, self._w[mine], velocity[mine], least):
                states.append(SoftState(before.nodes, np.zeros_like(before.nodes), before.rotations))
            else:
                states.append(SoftState(moved[mine].copy(), velocity[mine].copy(), body.state.rotations.copy()))
        self._account.remember(states)
        kept = self._kept(impulse[contacts.touches.name[:n, 0] < LINK], h)
        soft = replace(now.soft, states=tuple(states), touches=kept, next_label=self._next_label, suspect=False)
        soft = replace(soft, answer=self._problem.first_scale)
        return rigid.then._replace(state=rigid.then.state.with_tables(twist=twist), soft=soft)

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
        torque = np.zeros((n, 2, 3))
        if len(self.rigid_specs):
            torque[:, 0], torque[:, 1] = -np.cross(arm[:, 0], force), np.cross(arm[:, 1], force)
            torque *= (body >= 0)[:, :, None]
        axes = touches.axes[:n].copy()
        self._skins.finish()
        place_touches(tuple(touches), tuple(v), 0, n, contacts.gap)
        gap = contacts.gap[:n] - self._skins.margins(touches.name[:n])
        keep = impulse.any(axis=1) | (gap < STILL_NEAR * self.gap)
        point = np.einsum("km,kmd->kd", np.abs(touches.share[:n]), v.start[touches.name[:n, 1:]]) / 2.0
        point += self._skins.lean_of_margins(touches.name[:n])[:, None] * touches.axes[:n, 0]
        tables: Any = (touches.name[:n], contacts.label[:n], impulse / h, axes, point, gap, torque)
        return KeptTouches(*(table[keep].copy() for table in tables))


def rests(before: Floats, through: Floats, after: Floats, speed: float) -> bool:
    """Whether no node of a body is faster than `speed` [m/s] in a motion: what is left is the error of forces."""
    return max(float(np.abs(table).max()) for table in (before, through, after)) <= speed


def note_rigid(report: StepReport, rigid: StepReport) -> None:
    """Add to the report of a step what rigid bodies took in a motion of it."""
    report.parts += max(rigid.parts - 1, 0)
    report.time_given_up += rigid.time_given_up
    report.gave_up = report.gave_up or rigid.gave_up
    report.energy_taken += rigid.energy_taken
    report.stuck = tuple(sorted({*report.stuck, *rigid.stuck}))
    report.frozen = tuple(sorted({*report.frozen, *rigid.frozen}))


def stands_still(before: Moment, then: Moment) -> bool:
    """Whether a step has moved nothing, so that the next one would not either."""
    pairs = zip(before.soft.states, then.soft.states, strict=True)
    soft = all(a.nodes is b.nodes and not b.velocities.any() and not a.velocities.any() for a, b in pairs)
    return soft and np.array_equal(before.state.pose, then.state.pose) and not then.state.twist.any()


def _ignored(now: Moment) -> set[tuple[int, int]]:
    """Pairs of soft and rigid bodies that do not see each other: those that are attached."""
    return {(k, link.body) for k, links in enumerate(now.soft.attached) for link in links}
