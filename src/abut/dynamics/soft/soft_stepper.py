"""A step of a world with deformable bodies, read from top to bottom in `SoftStepper.step` (docs/soft.md).

predict   soft bodies move under the forces of the last step, rigid ones take a step of their own under the same
solve     impulses so that every contact's distance is at least its target at the end
check     the whole motion of all skins, exactly: vertices move straight
admit     what comes too near as contacts, and solve again
advance   if the motion is free to its end, else half of it is tried
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from ...fem.elastic.exact_answers import ExactAnswers
from ...fem.elastic.flat_kernels import FLAT
from ...fem.elastic.spin_kernels import common_motion, follow_held
from ...geometry import Shape, Solid
from ...math import Pose
from ..moment import Moment
from ..report import StepReport, Stopwatch
from ..stepping.overlap import OverlapError, find_overlaps
from ..stepping.step import MAX_FAILURES, SHORTEST_PART
from .compliance import Answers
from .holds import Holds
from .impulse_problem import ImpulseProblem
from .law_kernels import ask_farther, keep_touches, most_raised, set_laws
from .name_kernels import choose_first
from .own_watch import OwnWatch
from .rigid_part import RigidPart
from .skin_watch import Hits, SkinWatch
from .skins import Skins
from .soft_account import SoftAccount
from .soft_spec import MOST_COMPLETE, THETA, KeptTouches, SoftState, no_touches
from .soft_tables import EndMotion, Laws, Masses, NodeMotion
from .step_totals import StepTotals
from .touch_kernels import (
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
FIRST_OF_FLAT = 3
"""Corrections after which bodies with flat elements, which answer otherwise than at rest, are asked how."""
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
MOST_LINEARISED = 4
"""How often forces of flat elements are taken anew in a motion, at most."""
SHORTEST_UNTURNED = 0.05
"""Of a step: shorter motions are made although they turn elements inside out, or nothing would move on."""
SETTLING_SWEEPS = 30
SAME_LENGTH = 1e-9
"""Share by which lengths of motions may differ by rounding: answers are known for one of them."""
SWEPT_TO, SHARE_OF_WORST = 0.3, 0.01
"""What sweeps over impulses may leave: of what is enough, or of the worst that a contact is off, if that is more."""
RUN_AWAY = 1e8
"""In contact gaps: where sweeps may leave more, contacts are off by thousands of sizes, and nothing leads back."""

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
        self._laws = Laws(self._skins.surface, self._skins.margin, self._skins.frictions(self.laws))
        self._bodies: list[ElasticBody] = [spec.new_body(spec.solver) for spec in soft.specs]
        for body in self._bodies:
            body.tolerance = PREDICTED_TO
        self._first = self._skins.node_first
        self._problem = ImpulseProblem(soft.specs, self._first)
        self._prepared: set[float] = set()
        self._dt = 0.0
        """Length of the step."""
        self._theta = THETA
        """Where in the motion forces of the material are taken."""
        self._holds = Holds(soft.specs, self._bodies, self._skins)
        self._replaced = False
        """Whether nodes feel forces of contacts that have ended: impulses must be looked for, to take their place."""
        self._exact: dict[int, ExactAnswers] = {}
        self._corrected = 0
        """How often impulses have been corrected in the motion."""
        self._set = TouchSet()
        n = int(self._first[-1])
        mass, drag = np.concatenate([body.masses for body in self._bodies]), [spec.damping[0] for spec in soft.specs]
        self._masses = Masses(mass, self._holds.held, self._first, np.array(drag, np.float64))
        self._account = SoftAccount(self._bodies, self._masses)
        self._nodes, self._before, self._w = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        """Where nodes begin the motion, with which velocities, and those through it."""
        for k, body in enumerate(self._bodies):
            begin = {"nodes": self._nodes[self._mine(k)], "velocities": self._before[self._mine(k)]}
            body.state = body.state._replace(**begin)
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
        self._dt = dt
        before, report, begin, loads = now, StepReport(), now.time, now.state.wrench
        left = h = dt
        failures, totals = 0, StepTotals(dt)
        while left > 0.0:
            report.parts += 1
            h = h if h < left * (1.0 + SAME_LENGTH) else left
            then = self._part(stepper, now, h, gravity, report, THETA) or self._part(
                stepper, now, h, gravity, report, DAMPING_THETA
            )
            if then is not None:
                left = left - h if left - h > 1e-9 * dt else 0.0
                now = then._replace(state=then.state.with_tables(wrench=loads))
                note_rigid(report, then.report)
                totals.add(then, h)
                h *= 2.0
                continue
            failures += 1
            if failures >= MAX_FAILURES or h <= SHORTEST_PART * dt:
                report.time_given_up, report.gave_up = max(report.time_given_up, left), "no way"
                break
            h *= 0.5
        now, touches = totals.tell(now), now.soft.touches
        report.contacts = now.contacts.n + len(touches.name)
        rigid = now.contacts.smallest_gap if now.contacts.n else np.inf
        report.smallest_gap = min(float(touches.gap.min(initial=np.inf)), rigid)
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
        self._account.begin(self._nodes, self._before, h, self._theta)
        if not self._find_sound_motion(now, rigid, h, report, watch):
            return None
        then = self._advance(rigid, now, h)
        watch.lap("advance")
        return then

    def _find_sound_motion(self, now: Moment, rigid: RigidPart, h: float, report: StepReport, watch: Stopwatch) -> bool:
        """A motion that is free to its end, gains no energy from nowhere, and turns no element inside out.

        Forces of flat elements are far from linear: where these are what is wrong, they are taken anew.
        """
        for _ in range(MOST_LINEARISED):
            if not self._find_motion(now, rigid, h, report, watch):
                return False
            gains = self._account.gains(now.soft.states, self._w, self._pushed)
            flat = self._account.flattened()
            if not gains and not (self._account.inverts(now.soft.states) and h > SHORTEST_UNTURNED * self._dt):
                return True
            if not flat:
                break
            self._linearise(rigid, h, flat)
        report.energy_refusals += 1
        return False

    def _linearise(self, rigid: RigidPart, h: float, bodies: Sequence[int]) -> None:
        """Take the forces of bodies anew, at the motion that has been found under the impulses as they are."""
        for k in bodies:
            body, mine = self._bodies[k], self._mine(k)
            np.divide(self._pushed[mine], h, out=body.loads)
            body.begin_step(h, self._theta)
            body.improve(self._w[mine])
        self._corrected = 0
        self._move(rigid, h)

    def _find_motion(self, now: Moment, rigid: RigidPart, h: float, report: StepReport, watch: Stopwatch) -> bool:
        """Impulses with which the motion is free to its end; False if none are found."""
        found: Hits | None = None
        for _ in range(MOST_CORRECTIONS):
            far, right, solved = self._errors(rigid, h)
            if self._replaced:
                far, right, solved, self._replaced = True, False, False, False
            if self._swept_to > RUN_AWAY * self.gap:
                return False
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
                    # What has grown beyond all numbers seems free: comparisons with it say nothing.
                    return bool(np.isfinite(self._w).all())
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
        v = self._skins.vertices
        found = [own.check((v.start, v.end), REFUSED * self.gap) for own in self._own]
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
        self._holds.begin(now)
        if h not in self._prepared and len(self._skins.surfaces) > 1 and not self._prepared:
            self._problem.prepare(h, self._theta, self._holds.nodes)
            self._prepared.add(h)
        for body, state in zip(self._bodies, now.soft.states, strict=True):
            for table, value in zip(body.state, state, strict=True):
                table[:] = value
        self._next_label, self._corrected = now.soft.next_label, 0
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
        set_laws(tuple(touches), tuple(self._laws), self.gap, 0, self._set.n)
        # A gap that is nearly right stays as it is: nothing has to move to make it exact.
        target = touches.target[: self._set.n]
        target[:] = np.where(np.abs(gap - target) <= NEARLY_RIGHT * self.gap, gap, target)
        self._holds.add_rows(now, self._set, h)
        self._spread()
        self._watch.begin()

    def _ask_farther(self, first: int) -> None:
        """Ask contacts from row `first` on to keep farther, by how far their points move past each other."""
        tables = tuple(self._set.touches), tuple(self._skins.vertices), tuple(self._laws)
        ask_farther(*tables, (self.gap, ASKED_SHARE_OF_WAY, MOST_ASKED * self.gap), first, self._set.n)

    def _spread(self, first: int = 0) -> None:
        contacts = self._set
        tables = (tuple(contacts.touches), tuple(self._skins.vertices), self._centre, first, contacts.n)
        spread_touches(*tables, tuple(contacts.spread))
        self._holds.put_arms(contacts, self._nodes, self._centre)

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
            w = self._w[mine]
            body.gravity = gravity
            np.divide(self._pushed[mine], h, out=body.loads)
            self._guess(now, rigid, k, h)
            body.begin_step(h, self._theta)
            report.iterations += body.improve(w)[0]
            if not np.isfinite(w).all():
                return False
        turns = [body.turns for body in self._bodies]
        self._problem.begin(h, self._theta, self._holds.nodes, turns, now.soft.answer)
        return True

    def _guess(self, now: Moment, rigid: RigidPart, k: int, h: float) -> None:
        """Velocities about which the forces of a body are taken: its common motion, as held nodes want it."""
        body, held, w = self._bodies[k], self._holds.nodes[k], self._w[self._mine(k)]
        common_motion(body.masses, body.state.nodes, body.state.velocities, w)
        if len(held):
            targets, weight = self._holds.targets(now, rigid.end, k, h), self._holds.held[self._mine(k)]
            follow_held(weight, body.state.nodes, targets, w)
            w[held] = targets[held]

    def _move(self, rigid: RigidPart, h: float) -> None:
        self._measured = 0
        self._skins.move_soft(self._w, h)
        self._skins.move_rigid(rigid.start, rigid.end, rigid.reach, rigid.straight)
        self._holds.aim(self._set, rigid.end)

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
        self._corrected += 1
        if self._corrected == FIRST_OF_FLAT:
            self._answer_exactly()
        contacts, n = self._set, self._set.n
        self._push_all(rigid)
        expected = self._problem.correct(
            contacts, rigid, self._push - self._pushed, STILL_NEAR * self.gap, self._swept_to
        )
        before = contacts.left[:n].copy()
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
        self._problem.learn(expected, contacts.left[:n] - before)

    def _answer_exactly(self) -> None:
        """Let bodies with flat elements answer as they are in this motion, not as at rest."""
        found: dict[int, Answers] = {}
        for k, body in enumerate(self._bodies):
            if body.flattest < FLAT and len(body.masses) <= MOST_COMPLETE:
                exact = self._exact[k] = self._exact.get(k) or ExactAnswers(body)
                if exact.factorise(body):
                    held = np.zeros(len(body.masses), np.int32)
                    held[self._holds.nodes[k]] = 1
                    found[k] = Answers(len(held), partial(exact.of, theta=self._theta, held=held))
        if found:
            self._problem.answer_exactly(found)

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
        set_laws(tuple(contacts.touches), tuple(self._laws), self.gap, first, contacts.n)
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
        asked = most_raised(tuple(self._set.touches), tuple(self._laws), self._set.n)
        return bool(asked > MOST_RAISED * self.gap)

    def _advance(self, rigid: RigidPart, now: Moment, h: float) -> Moment:
        """The moment at the end of the motion."""
        contacts, n, account, begun = self._set, self._set.n, self._account, now.soft.states
        twist, answers = rigid.settled()
        impulse = contacts.touches.impulse[:n].copy()
        free = np.where(self._holds.held == 0, self._masses.node, 0.0)
        motion = EndMotion(free, tuple(answers), account.velocity, twist)
        settle_velocities(tuple(contacts.touches), tuple(contacts.spread), SETTLING_SWEEPS, tuple(motion), impulse)
        account.keep_spins(contacts, self._skins.vertices, impulse)
        states = []
        for k, (body, before, speed) in enumerate(zip(self._bodies, begun, account.fastest(self._w), strict=True)):
            mine = self._mine(k)
            if speed <= (REST if before.velocities.any() else GOING_AGAIN) * self.gap / h:
                states.append(SoftState(before.nodes, np.zeros_like(before.nodes), before.rotations))
            else:
                tables = account.end[mine], account.velocity[mine], body.state.rotations
                states.append(SoftState(*(table.copy() for table in tables)))
        account.remember(states)
        acted = self._holds.with_reactions(rigid.then.state.acted, contacts, impulse / h)
        kept, answer = self._kept(impulse, h), self._problem.first_scale
        soft = replace(now.soft, states=tuple(states), touches=kept, told=None, suspect=False, answer=answer)
        soft = replace(soft, next_label=self._next_label)
        touched = contacts.spread.body[:n][impulse[:, 0] > 0.0]
        pose = rigid.stop(touched, REST * self.gap, twist)
        state = rigid.then.state.with_tables(pose=pose, twist=twist, acted=acted)
        return rigid.then._replace(state=state, soft=soft)

    def _kept(self, impulse: Floats, h: float) -> KeptTouches:
        """Contacts that pushed or are near, with the normals along which they did."""
        contacts, kept = self._set, no_touches(len(impulse))
        tables = tuple(contacts.touches), tuple(contacts.spread), tuple(self._skins.vertices), tuple(self._laws)
        n = keep_touches(*tables, impulse, contacts.label, (h, STILL_NEAR * self.gap), tuple(kept))
        return KeptTouches(*(table[:n].copy() for table in kept))


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
