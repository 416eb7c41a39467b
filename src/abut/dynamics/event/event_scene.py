"""All tables of an event-driven step in one place, as the loop in drive_kernels takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._jit.handle import Holder
from ...arrays import Floats
from ..contacts.contact_set import ContactSet
from ..contacts.pair_laws import PairLaws
from ..joints.joint_set import JointSet
from ..state import Model
from .candidates import Candidates, Hits
from .drive_kernels import SCENE, put_scene
from .mean_kernels import MEANS
from .points import Points
from .rub_kernels import BETWEEN, LAST_SWEEPS, ROUNDS
from .search_tables import (
    BY_HITS,
    CLOCKS,
    CONTACTS,
    CONTACTS_OF_TOUCH,
    COUNTS,
    FIRM,
    GONE,
    HITS,
    LABELS,
    NOTED,
    NOW,
    STORM_UNTIL,
    TOUCHING,
    TRY,
    Cones,
    Joints,
    Laws,
    Options,
    Pairs,
    Work,
)
from .system import System

SPARE = 64
"""Rows for contacts that are gone, beyond those there are."""


class EventScene:
    """Tables of a step; `held` is what kernels take."""

    def __init__(self, model: Model, system: System, points: Points, candidates: Candidates) -> None:
        self._model, self._system, self._points, self._candidates = model, system, points, candidates
        self._shapes = (model.table.arrays, model.surfaces, model.shape_of, model.reach)
        self.clock, self.count = np.zeros(CLOCKS), np.zeros(COUNTS, np.int64)
        self.hits = Hits(0, *(np.zeros((0, 3), np.int32), np.zeros(0, np.int32), np.zeros((0, 2), np.int32)))
        self._joints, self._laws, self.options = JointSet(), PairLaws(), Options(0.0, 0.0, 0, 0, 0, False)
        self.acted, self._gone = np.zeros((0, 4, 6)), ContactSet()
        self._touches = _touches(SPARE)
        self._room = 0
        self._work: tuple[Any, ...] = ()
        self._cones = _cones(0)
        self._holder = Holder(SCENE, put_scene)
        self.held: Any = None

    def begin(self, joints: JointSet, laws: PairLaws, options: Options, acted: Floats) -> None:
        """Take what a step begins with; the system and the points have taken theirs."""
        contacts, count = self._points.contacts, self.count
        self._joints, self.options, self.acted = joints, options, acted
        self._laws = laws
        self.clock[:], count[:] = 0.0, 0
        self.clock[TRY], self.clock[STORM_UNTIL] = options.dt, -1.0
        count[CONTACTS], count[LABELS] = contacts.n, contacts.next_label
        count[FIRM] = len(self._system.held)
        count[BY_HITS] = 0 if self._candidates.plain_pairs else 2
        self.hits = self.hits._replace(n=0)
        if self._gone.n or not len(self._gone.force) > SPARE:  # those of the last step have been handed over
            self._gone = ContactSet()
            self._gone.make_room(SPARE)
        self.renew()

    def renew(self) -> None:
        """Put the tables together; they may have been replaced by larger ones."""
        system, points, contacts = self._system, self._points, self._points.contacts
        room = len(points.rows.status)
        system.make_room(len(system.held) + len(system.motors.index) + 3 * room)
        if self._room != len(system.hinges.kind):
            self._room = len(system.hinges.kind)
            self._work = scratch(self._room, len(self._model.mass))
            self._means = system.means()
        if room + 1 != len(self._cones[0]):
            self._cones = _cones(room)
        if len(self._means[1]) != len(system.springs[0]):
            self._means = system.means()
        joints, laws, hits = self._joints, self._laws, self.hits
        self.count[HITS] = hits.n
        pairs, plain = self._candidates.all_pairs
        tables = (
            system.equations,
            system.step,
            self._shapes,
            tuple(Pairs(pairs, plain, hits.hits, hits.pair, hits.pairs)),
            tuple(points.rows),
            tuple(system.limits),
            tuple(system.motors),
            tuple(Laws(laws.of_body, laws.pairs, laws.of_pair, np.array((laws.friction, laws.restitution)))),
            contacts.tables(),
            self._gone.tables(),
            tuple(Joints(joints.last, joints.force, joints.acted, joints.wrench)),
            tuple(points.notes),
            self._work,
            self._cones,
            self._means,
            self._touches,
            self.acted,
            tuple(self.options),
            self.clock,
            self.count,
        )
        self.held = self._holder.hold(tables)

    def make_room(self) -> None:
        """Let more contacts that are gone fit, if there is none for those there are, or else more of all others."""
        self.write_back()
        contacts, points = self._points.contacts, self._points
        if contacts.n + self._gone.n + 1 >= len(self._gone.force):
            self._gone.make_room(2 * len(self._gone.force) + contacts.n)
        else:
            contacts.make_room(self.wanted)
            points.make_room(len(self._system.limits.index) + self.wanted)
            if self.count[TOUCHING] > len(self._touches[2]):
                self._touches = _touches(2 * int(self.count[TOUCHING]))
        self.renew()

    @property
    def wanted(self) -> int:
        """For how many contacts there is to be room, where those that touch come to those that there are."""
        return int(self.count[CONTACTS] + CONTACTS_OF_TOUCH * self.count[TOUCHING]) + 2

    @property
    def touching(self) -> tuple[int, int]:
        """The first two bodies that touch."""
        pairs = self.hits.pairs if self.count[BY_HITS] else self._candidates.all_pairs[0]
        a, b = pairs[int(self._touches[2][0])].tolist()
        return a, b

    def write_back(self) -> None:
        """Let sets know how many rows kernels have left them."""
        contacts, count = self._points.contacts, self.count
        contacts.n, contacts.next_label = int(count[CONTACTS]), int(count[LABELS])
        self._gone.n, self._gone.next_label = int(count[GONE]), contacts.next_label
        contacts.gone = self._gone if self._gone.n else None

    def take_notes(self) -> int:
        """How many notes there are; they are taken."""
        n = int(self.count[NOTED])
        self.count[NOTED] = 0
        return n

    @property
    def now(self) -> float:
        """[s] since the step began."""
        return float(self.clock[NOW])


def scratch(n: int, bodies: int) -> tuple[Any, ...]:
    """Scratch of events with n rows of hinges."""
    numbers = np.zeros((5, n), np.int32)
    lines = np.zeros((6, n))
    return tuple(
        Work(
            near=numbers[0],
            gap=lines[0],
            rate=lines[1],
            force=lines[2],
            acceleration=lines[3],
            flag=np.zeros((n, 4), np.bool_),
            delay=lines[4],
            matrix=np.zeros((n, n)),
            right=lines[5],
            square=np.zeros((n, n)),
            line=np.zeros((8, n)),
            order=numbers[1],
            place=numbers[2],
            side=numbers[4],
            alive=np.zeros(n, np.bool_),
            first=np.zeros(bodies, np.int32),
            following=numbers[3],
            motion=np.zeros((bodies + 1, 18)),
            shift=np.zeros((bodies + 1, 6)),
            change=np.zeros((bodies + 1, 13)),
            steady=np.zeros((n, MEANS)),
            thrust=np.zeros((bodies + 1, 6)),
            load=np.zeros((bodies + 1, 6)),
        )
    )


def _cones(n: int) -> tuple[Any, ...]:
    """Room for a problem of n points with friction."""
    numbers, lines, vectors = np.zeros((3, n + 1), np.int32), np.zeros((3, n)), np.zeros((5, n, 3))
    return tuple(
        Cones(
            point=numbers[0],
            first=numbers[1],
            column=np.zeros(n * n, np.int32),
            block=np.zeros((n * n, 3, 3)),
            diagonal=numbers[2],
            mu=lines[0],
            q=vectors[0],
            r=vectors[1],
            u=vectors[2],
            before=vectors[3],
            firm=vectors[4],
            tables=np.zeros((4, n, 3)),
            matrix=np.zeros((3 * n, 3 * n)),
            pivot=np.zeros(3 * n, np.int32),
            flat=np.zeros(3 * n),
            slopes=np.zeros((2, n, 3, 3)),
            history=np.zeros(max(ROUNDS, LAST_SWEEPS // BETWEEN) + 3),
            push=lines[1],
            creep=lines[2],
            rub=np.zeros((n, 2)),
        )
    )


def _touches(n: int) -> tuple[Any, ...]:
    return (np.zeros(n + 1), np.zeros((n, 3), np.int32), np.zeros(n, np.int32), 0)
