"""A motion of soft bodies and what is near them: it is looked for until it is free to its end.

begin     contacts where they are now, with the forces that they had
predict   soft bodies move under weight and these forces
correct   impulses, by how far contacts are off their laws
look      what comes too near becomes a contact
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...fem.elastic.exact_answers import ExactAnswers, StepAnswers
from ...fem.elastic.flat_kernels import FLAT
from ...fem.elastic.spin_kernels import common_motion, follow_held
from ..moment import Moment
from ..report import StepReport, Stopwatch
from .admit_kernels import STILL_NEAR, VIOLATED, admit_hits, ask_contacts, most_asked, recall_contacts, spread_contacts
from .correct_kernels import measure, move_skins
from .motion_end import finished
from .rigid_part import RigidPart
from .skin_watch import Hits
from .soft_bench import SoftBench
from .soft_spec import MOST_COMPLETE

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
KEPT_TO = 0.1
"""In contact gaps: by how much contacts may slip that stick, or be open that push, in a motion that is made. What is
too narrow the check decides."""
KEPT_AT_REST, SHARE_OF_SMALL_WAY = 3e-4, 0.1
"""The same for what hardly moves: at least, and of the ways that the points of contacts make past each other."""
SHARE_OF_WAY, OPEN_SHARE_OF_WAY, MOST_OPEN = 1e-3, 1e-2, 2.0
"""The latter two, in ways that the points of contacts make past each other in the motion, if that is more; and the most
for contacts that push, in gaps."""
MOST_RAISED = 40.0
"""In contact gaps: by how much more a contact is asked to keep that came too near on the way, at most."""
PUSHED_TO, PUSHED_ROUGHLY_TO = 1e-2, 5e-2
"""Residual of conjugate gradients over that of their start, for what impulses change about a motion, where contacts are
far off their laws roughly: what one solution leaves, the next one solves for."""
MANY = 200
"""Contacts from which on bodies, one of them with flat elements, are asked at once how they answer as they are."""
PUSHED_EXACTLY_TO = 1e-5
"""Residual of conjugate gradients there, over that of their start: sweeps take far longer than these."""
MOST_LINEARISED = 4
"""How often forces of flat elements are taken anew in a motion, at most."""
MOST_TURNED = 0.05
"""Stretch beyond flat up to which elements may be turned inside out where many contacts press: what resists flatness
turns them back. Shorter motions would not help, as such pressures are what the material bears there."""
SHORTEST_UNTURNED = 0.05
"""Of a step: shorter motions are made although they turn elements inside out, or nothing would move on."""
SWEPT_TO, SHARE_OF_WORST = 0.3, 0.01
"""What sweeps over impulses may leave: of what is enough, or of the worst that a contact is off, if that is more."""
RUN_AWAY = 1e8
"""In contact gaps: where sweeps may leave more, contacts are off by thousands of sizes, and nothing leads back."""


class Errors(NamedTuple):
    """How far contacts are off their laws in a motion at most, and how far their points move past each other [m]."""

    narrow: float
    wide: float
    slip: float
    way: float


class Off(NamedTuple):
    """How contacts are off their laws."""

    far: bool
    right: bool
    """Whether they keep them but for distances."""
    solved: bool
    swept_to: float
    """[m] what sweeps over impulses may leave."""


class SoftMotion:
    """Looks for the motions of a world's steps, one after the other."""

    def __init__(self, bench: SoftBench, gap: float) -> None:
        self._bench, self._gap, self._words = bench, gap, bench.packet.words
        self._prepared = False
        self._exact: dict[int, ExactAnswers] = {}
        self._corrected = 0
        """How often impulses have been corrected since forces were taken."""
        self._asked = False
        """Whether bodies with flat elements have been asked since then how they answer."""
        self._replaced = False
        """Whether nodes feel forces of contacts that have ended, or along other normals: impulses must be looked for
        that take their place."""
        self._next_label = 1
        self._errors: Errors | None = None
        """In the motion as it is; None if that is not known."""

    def make(
        self, stepper: Any, now: Moment, span: tuple[float, float, float], gravity: Floats, report: StepReport
    ) -> Moment | None:
        """The moment after a motion; None if none was found that is free to its end and gains no energy from nowhere.

        `span` is its length, that of the step, and where in it forces of the material are taken.
        """
        self._h, self._dt, self._theta = span
        watch, bench, self._report = Stopwatch(report), self._bench, report
        rigid = self._rigid = RigidPart(stepper, now, self._h, gravity, KEPT_TO * self._gap, bench.felt)
        self._begin(now)
        rigid.step()
        if not self._predict(now, gravity):
            return None
        self._move()
        ask_contacts(self._words, self._gap, 0, bench.contacts.n)
        watch.lap("predict")
        self._admit(self._look(edges=False), raising=False)
        if self.crushed(now):
            self._admit(bench.watch.check_own(REFUSED * self._gap), raising=False)
        watch.lap("check")
        bench.account.begin(bench.nodes.start, bench.nodes.before, self._h, self._theta)
        if not self._find_sound_motion(now, watch):
            return None
        then = finished(bench, rigid, now, self._h, self._gap, self._next_label)
        watch.lap("advance")
        return then

    def crushed(self, now: Moment) -> bool:
        """Whether a body with flat elements is pressed by many contacts."""
        return len(now.soft.touches.name) > MANY and self._bench.account.any_flat(now.soft.states)

    def _begin(self, now: Moment) -> None:
        """Take over a moment: states, and contacts where they are now, with the forces that they had."""
        bench, rigid, h = self._bench, self._rigid, self._h
        bench.holds.begin(now)
        if not self._prepared and len(bench.skins.surfaces) > 1:
            bench.problem.prepare(h, self._theta, bench.holds.nodes)
            self._prepared = True
        for body, state in zip(bench.bodies, now.soft.states, strict=True):
            for table, value in zip(body.state, state, strict=True):
                table[:] = value
        self._next_label, self._corrected, self._errors = now.soft.next_label, 0, None
        self._asked = False
        bench.skins.place_soft(bench.nodes.start)
        bench.skins.move_rigid(rigid.start, rigid.start, rigid.reach, rigid.straight)
        bench.skins.ignore({(k, link.body) for k, links in enumerate(now.soft.attached) for link in links})
        kept, contacts = now.soft.touches, bench.contacts
        contacts.n = 0
        contacts.grow(len(kept.name))
        contacts.n = recall_contacts(self._words, tuple(kept), h, self._gap)
        self._replaced = contacts.n < len(kept.name)
        bench.holds.add_rows(now, contacts, h)
        spread_contacts(self._words, 0, contacts.n)
        bench.holds.put_arms(contacts, bench.nodes.start, bench.felt.centre)
        bench.watch.begin()

    def _predict(self, now: Moment, gravity: Floats) -> bool:
        """Velocities of nodes under weight and the forces of the last step."""
        bench = self._bench
        for k, body in enumerate(bench.bodies):
            w = bench.velocity[k]
            body.gravity = gravity
            np.divide(bench.pushed[k], self._h, out=body.loads)
            self._guess(now, k, w)
            body.begin_step(self._h, self._theta)
            iterations, residual = body.improve(w)
            self._report.iterations += iterations
            if not isfinite(residual) and not np.isfinite(w).all():
                return False
        turns = [body.turns for body in bench.bodies]
        bench.problem.begin(self._h, self._theta, bench.holds.nodes, turns, now.soft.answer)
        return True

    def _guess(self, now: Moment, k: int, w_io: Floats) -> None:
        """Velocities about which the forces of a body are taken: its common motion, as held nodes want it."""
        body, holds = self._bench.bodies[k], self._bench.holds
        held = holds.nodes[k]
        common_motion(body.masses, body.state.nodes, body.state.velocities, w_io)
        if len(held):
            targets, weight = holds.targets(now, self._rigid.end, k, self._h), self._bench.of_body(k, holds.held)
            follow_held(weight, body.state.nodes, targets, w_io)
            w_io[held] = targets[held]

    def _move(self) -> None:
        """Skins and what holds nodes, where soft and rigid bodies come to."""
        rigid, self._errors = self._rigid, None
        move_skins(self._words, self._h)
        self._bench.skins.move_rigid(rigid.start, rigid.end, rigid.reach, rigid.straight)
        self._bench.holds.aim(self._bench.contacts, rigid.end)

    def _find_sound_motion(self, now: Moment, watch: Stopwatch) -> bool:
        """A motion that is free to its end, gains no energy from nowhere, and turns no element inside out.

        Forces of flat elements are far from linear: where these are what is wrong, they are taken anew.
        """
        account, nodes = self._bench.account, self._bench.nodes
        least = -MOST_TURNED if self.crushed(now) else 0.0
        for _ in range(MOST_LINEARISED):
            if not self._find_motion(watch):
                return False
            gains = account.gains(now.soft.states, nodes.velocity, nodes.pushed)
            flat = account.flattened()
            turned = account.inverts(now.soft.states, least) and self._h > SHORTEST_UNTURNED * self._dt
            if not gains and not turned:
                return True
            if not flat:
                break
            self._linearise(flat)
        self._report.energy_refusals += 1
        return False

    def _linearise(self, flat: Sequence[int]) -> None:
        """Take the forces of bodies anew, at the motion that has been found under the impulses as they are."""
        bench = self._bench
        for k in flat:
            body = bench.bodies[k]
            np.divide(bench.pushed[k], self._h, out=body.loads)
            body.begin_step(self._h, self._theta)
            body.improve(bench.velocity[k])
        self._corrected, self._asked = 0, False
        self._move()

    def _find_motion(self, watch: Stopwatch) -> bool:
        """Impulses with which the motion is free to its end; False if none are found."""
        found, rigid = False, self._rigid
        """Whether a look has found what must not be, or hits, since impulses have changed."""
        for _ in range(MOST_CORRECTIONS):
            off = self._off()
            if off.swept_to > RUN_AWAY * self._gap:
                return False
            if off.solved and rigid.due:
                self._step_rigid()
                found = False
                continue
            if not off.solved and (found or off.far):
                self._correct(off.swept_to, PUSHED_ROUGHLY_TO if off.far else PUSHED_TO)
                found = False
                watch.lap("solve")
                continue
            self._report.rounds += 1
            hits, found = self._look(edges=True), True
            if off.right and hits.free and not rigid.due:
                hits = self._bench.watch.check_own(REFUSED * self._gap)
                if hits.free:
                    watch.lap("check")
                    # What has grown beyond all numbers seems free: comparisons with it say nothing.
                    return bool(np.isfinite(self._bench.nodes.velocity).all())
            watch.lap("check")
            more = self._admit(hits, raising=True)
            if hits.stuck or (off.solved and more == 0) or self._overasked():
                return False
            watch.lap("admit")
        return False

    def _look(self, *, edges: bool) -> Hits:
        """What comes near in the motion as it is; without edges, what must not is not told from it."""
        refused, beside = (REFUSED, 0.0) if edges else (ADMITTED, BESIDE)
        return self._bench.watch.check((ADMITTED * self._gap, refused * self._gap, beside * self._gap), edges=edges)

    def _step_rigid(self) -> None:
        """Let rigid bodies step again under the impulses as they are."""
        gave_way = self._rigid.gives_way
        self._rigid.step()
        self._move()
        if self._rigid.gives_way != gave_way:
            self._bench.problem.forget()

    def _off(self) -> Off:
        """Whether contacts are far off their laws, whether they keep them but for distances, and whether they do."""
        n, gap = self._bench.contacts.n, self._gap
        off = Off(False, True, True, 0.0)
        if n:
            self._errors = self._errors or Errors(*measure(self._words, self._h, n))
            narrow, wide, slip, way = self._errors
            # What hardly moves is held to its laws more strictly, or it would creep and never rest.
            least = min(KEPT_TO, max(KEPT_AT_REST, SHARE_OF_SMALL_WAY * way / gap)) * gap
            enough = max(least, SHARE_OF_WAY * way)
            worst = max(narrow, wide, slip)
            open_enough = max(least, min(MOST_OPEN * gap, OPEN_SHARE_OF_WAY * way))
            swept_to = max(SWEPT_TO * min(enough, VIOLATED * gap), SHARE_OF_WORST * worst)
            wide_enough = narrow <= max(least, min(VIOLATED * gap, OPEN_SHARE_OF_WAY * way))
            right = wide <= open_enough and slip <= enough and (wide_enough or way > gap)
            off = Off(worst > LOOKED_AT * gap, right, right and wide_enough, swept_to)
        if self._replaced:
            self._replaced = False
            return Off(True, False, False, off.swept_to)
        return off

    def _correct(self, swept_to: float, tolerance: float) -> None:
        """Change impulses by how bodies answer at rest, and see what that means for the motion."""
        self._corrected += 1
        bench = self._bench
        many = bench.contacts.n > MANY and all(len(body.masses) <= MOST_COMPLETE for body in bench.bodies)
        if not self._asked and (self._corrected >= FIRST_OF_FLAT or (many and not bench.problem.whole)):
            self._answer_exactly(many)
        if bench.problem.whole:
            way = self._errors.way if self._errors else 0.0
            tolerance, swept_to = PUSHED_EXACTLY_TO, max(swept_to, SWEPT_TO * min(SHARE_OF_WAY * way, self._gap))
        asked, held = (STILL_NEAR * self._gap, swept_to, tolerance), bench.holds.any_linked
        more, errors = bench.problem.correct(bench.contacts.n, asked, bench.body_words, held=held)
        self._errors = Errors(*errors)
        self._report.iterations += 1 + more

    def _answer_exactly(self, many: bool) -> None:
        """Let bodies with flat elements answer as they are in this motion, not as at rest; all if contacts are many."""
        self._asked, bodies = True, self._bench.bodies
        flat = [k for k, body in enumerate(bodies) if body.flattest < FLAT and len(body.masses) <= MOST_COMPLETE]
        found: dict[int, StepAnswers] = {}
        for k in range(len(bodies)) if flat and many else flat:
            body = bodies[k]
            exact = self._exact[k] = self._exact.get(k) or ExactAnswers(body)
            if exact.factorise(body):
                held = np.zeros(len(body.masses), np.int32)
                held[self._bench.holds.nodes[k]] = 1
                found[k] = exact.in_step(self._theta, held)
        if found:
            self._bench.problem.answer_exactly(found, whole=many and len(found) == len(bodies))

    def _admit(self, hits: Hits, *, raising: bool) -> int:
        """Make contacts of hits, and ask contacts to keep farther that came too near; how many there are of these."""
        if not hits.n:
            return 0
        contacts = self._bench.contacts
        before = contacts.n
        contacts.grow(before + hits.n)
        contacts.n, again, placed = admit_hits(self._words, hits.n, before, self._gap, self._next_label, raising)
        if placed:
            self._bench.problem.take_anew()
            self._replaced = True
        new = contacts.n - before
        self._next_label += new
        if new or again:
            self._errors = None
        return int(again + new)

    def _overasked(self) -> bool:
        """Whether contacts are asked to keep farther than makes sense."""
        return bool(most_asked(self._words, self._bench.contacts.n) > MOST_RAISED * self._gap)
