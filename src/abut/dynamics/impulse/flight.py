"""A flight of all bodies over a step: its tables, events in kernels, distances of shapes without closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...geometry import Shape, is_half_space, is_polyhedron
from ...math import Motion, Pose
from ...query.distance.distance import Distance, distance
from ...query.impact.impact import ImpactPair
from ..bodies.body import BodySpec
from ..bodies.body_kernels import DYNAMIC, FIXED, FROZEN
from ..contacts.pair_laws import PairLaws
from ..state import Model, State
from .agenda_kernels import begin_agenda
from .flight_kernels import BALL, LEAST_HOP, OTHER, PLANE, bend_of_turn, set_spins
from .flight_tables import Agenda, Bodies, Book, Clock, Corners, Laws
from .naming import Struck, features_of
from .nearing_kernels import next_level
from .train_kernels import (
    CLOSING,
    CROWDED,
    DONE,
    FULL,
    LOOK,
    NOW,
    SLOWLY,
    STORMED,
    WORK,
    WORN,
    answer,
    end_flight,
    fly,
    go_on,
)

MARGIN, LEAST_MARGIN, MOST_MARGIN = 0.3, 0.3, 4.0
"""By which share of the mean distance of bodies one may leave the middle of its room, and limits in reaches."""
NEIGHBOURS = 32
"""For which there is room at first."""
EVENTS = 1024
"""The same."""
STORM = 20_000, 200
"""Blows within the time of a hop that are a storm, and for each body that moves."""
MOST_WORK, LONG_STEP = 1e8, 0.1
"""Of a step, in units of about 10 ns: a second; a step that is longer than this [s] may take as much more."""
WORK_LIMIT = 2
"""Where the most work stands in `Clock.storm`."""
WORK_OF_LOOK, WORK_OF_PATH = 15_000, 300_000
"""Of asking for the distance of two bodies in Python, and of following them along chords of their ways."""
BENT = 0.1
"""Share of what is between two bodies by which their ways may bend from the chords that stand for them."""
HOPS = 2.0
"""Times of a hop in which the blows of a storm are counted."""
MOST_CORNERS = 2000
"""Of a part that is looked at to see whether it is convex."""


class Flight:
    """What flights of the same bodies need, kept from step to step; answers do not depend on it."""

    def __init__(self, model: Model, specs: Sequence[BodySpec], laws: PairLaws, gap: float) -> None:
        self._model, self._specs, self._gap = model, specs, gap
        n = len(specs)
        self._core = np.array([_core(spec) for spec in specs], np.int32)
        self._normal, self._offset = np.zeros((n, 3)), np.zeros(n)
        self._planes, self._stood = np.flatnonzero(self._core == PLANE).tolist(), np.full((n, 7), np.nan)
        """Half-spaces, and where they stood when their normals and offsets were found."""
        self._inverse = np.array([_inverse(spec) for spec in specs]).reshape(-1, 3, 3)
        principal = np.array([_principal(spec) for spec in specs]).reshape(-1, 3)
        self._least = principal.min(axis=1)
        self._is_round = np.array([_is_round(spec) for spec in specs], np.bool_)
        self._convex = [_is_convex(spec.shape) for spec in specs]
        self._corner = self._corner_table()
        self._laws, self._ignored = laws, np.zeros((0, 2), np.int32)
        self._capacity, self._agenda_of = NEIGHBOURS, np.zeros(0, np.int32)
        self._agenda = Agenda(*[np.zeros(0)] * len(Agenda._fields))
        self._book = _new_book(n, EVENTS)
        self._paths: dict[tuple[int, int], ImpactPair] = {}
        self._near: dict[tuple[int, int], Distance] = {}
        self.struck: dict[tuple[int, int], Struck] = {}
        """Where bodies touched at the last blow of a pair, the smaller number first, if they were looked at."""
        self.clock = _clock(0.0, np.zeros(3))

    def _corner_table(self) -> Corners:
        """Corners of polyhedra, and middles of what is round."""
        shapes, shape_of = self._model.table.shapes, self._model.shape_of
        first = np.cumsum([0, *(len(shape.point) for shape in shapes)])
        point = np.concatenate([shape.point for shape in shapes]) if shapes else np.zeros((0, 3))
        start = np.stack((first[shape_of], first[shape_of + 1]), axis=1) if shapes else np.zeros((0, 2))
        return Corners(
            np.ascontiguousarray(point), start.astype(np.int32), np.zeros((1, 3)), shape_of, self._model.radius
        )

    def ignore(self, pairs: list[tuple[int, int]]) -> None:
        """Pairs of bodies that may overlap."""
        self._ignored = np.array(pairs, np.int32).reshape(-1, 2)
        self._agenda_of = np.zeros(0, np.int32)

    @property
    def book(self) -> Book:
        """What happened in the last flight."""
        return self._book

    def go(self, state: State, dt: float, gravity: Floats) -> tuple[Bodies, int]:
        """Let all bodies fly for dt from a state; returns them at the end, and why it ended, see train_kernels."""
        bodies = self._bodies(state, gravity)
        self._prepare(state, bodies)
        laws = self._laws_of_pairs()
        self._book.size[:], self._book.first[:] = 0, -1
        self.struck = {}
        self.clock = self._new_clock(bodies, dt)
        while not begin_agenda(tuple(bodies), tuple(self._agenda), laws, dt):
            self._widen()
        status = self._fly(bodies, laws)
        self._note_features()
        end_flight(tuple(bodies), dt if status == DONE else float(self.clock.now[0]))
        return bodies, status

    def _fly(self, bodies: Bodies, laws: tuple[Any, ...]) -> int:
        solids = tuple(self._corner), self._model.table.hulls
        while True:
            sky = (tuple(bodies), tuple(self._agenda), laws, tuple(self._book), tuple(self.clock), *solids)
            status = int(fly(sky))
            if status == LOOK:
                if self._look(bodies, sky) == STORMED:
                    return status
            elif status == CROWDED:
                self._widen()
            elif status == FULL:
                self._book = _longer_book(self._book)
            elif status == WORN and self.clock.storm[WORK_LIMIT] < (most := _most_work(self.clock.end)):
                # A long step comes back here about once a second, so that it can be interrupted.
                self.clock.storm[WORK_LIMIT] = min(self.clock.storm[WORK_LIMIT] + MOST_WORK, most)
            else:
                return status

    def _note_features(self) -> None:
        """Take from the book what was struck by features that kernels saw."""
        book = self._book
        for k in np.flatnonzero(book.what[: book.size[0], 0] >= 0).tolist():
            a, b = book.pair[k].tolist()
            what, of_plane = book.what[k].tolist(), self._core[a] == PLANE
            features = features_of(what, self._model, (b, a) if of_plane else (a, b))
            self.struck[a, b] = Struck(features[::-1] if of_plane else features, book.where[k].copy())

    def _look(self, bodies: Bodies, sky: tuple[Any, ...]) -> int:
        """Ask for the distance of the two bodies of the clock and tell it; what becomes of them."""
        i, j = (int(k) for k in self.clock.pair)
        shapes = (self._specs[i].shape, self._specs[j].shape)
        X_i, X_j = (self._part_pose(k, bodies) for k in (i, j))
        before = self._near.get((i, j))
        found = distance(*shapes, X_i, X_j, start=before if all(map(is_polyhedron, shapes)) else None)
        self._near[i, j] = found
        directed = (self._convex[i] and self._convex[j]) or PLANE in (self._core[i], self._core[j])
        self.clock.count[WORK] += WORK_OF_LOOK if directed else WORK_OF_PATH
        points = (tuple(found.point_a.tolist()), tuple(found.point_b.tolist()))
        corners = (self._corners(i, found.point_a, bodies), self._corners(j, found.point_b, bodies))
        way = found.point_b - found.point_a
        n = tuple((way / np.linalg.norm(way)).tolist())
        outcome = int(answer(sky, (found.distance, n, *points), corners, directed))
        if outcome != SLOWLY:
            features, point = (found.feature_a, found.feature_b), 0.5 * (found.point_a + found.point_b)
            self.struck[min(i, j), max(i, j)] = Struck(features if i < j else features[::-1], point)
        if not directed:
            until = float(self.clock.now[NOW]) + self._free_time(i, j, bodies, found.distance)
            go_on(sky, until)
        return outcome

    def _corners(self, i: int, touched: Floats, bodies: Bodies) -> Floats:
        """(n, 3) corners of a body from its centre of mass; of a half-space, where it is touched."""
        if self._core[i] == PLANE:
            return np.ascontiguousarray((touched - bodies.pose[i, :3])[None] @ _rotation(bodies.pose[i]))
        corners: Floats = self._model.table.shapes[self._model.shape_of[i]].point
        return corners

    def _free_time(self, i: int, j: int, bodies: Bodies, apart: float) -> float:
        """For how long [s] two bodies do not touch of which one is not convex: along chords of their ways.

        Chords are so short that the ways bend from them by no more than BENT of what is between the bodies.
        """
        nearer = apart - float(next_level(apart, self._gap))
        bend: float = sum(bend_of_turn(bodies, k) + float(np.linalg.norm(bodies.acceleration[k])) for k in (i, j))
        left = float(self.clock.end) - float(self.clock.now[NOW])
        h = min(left, float(np.sqrt(8.0 * BENT * nearer / bend))) if bend > 0.0 else left
        if (i, j) not in self._paths:
            self._paths[i, j] = ImpactPair(self._specs[i].shape, self._specs[j].shape)
        motions = self._chord(i, bodies, h), self._chord(j, bodies, h)
        touch = self._paths[i, j].time_of_impact(*motions, apart - (1.0 - BENT) * nearer, tolerance=0.5 * BENT * nearer)
        return h if touch is None else float(touch.time) * h

    def _chord(self, i: int, bodies: Bodies, h: float) -> Motion:
        """The straight motion of a part that is nearest to its way in the time h."""
        way, turn = h * bodies.velocity[i] + 0.5 * h * h * bodies.acceleration[i], h * bodies.turn[i]
        centre, part = bodies.pose[i, :3], self._part_pose(i, bodies)
        turned = Pose.from_rotvec((0.0, 0.0, 0.0), turn)
        return Motion(part, way + turned.apply(part.position - centre) - (part.position - centre), turn)

    def _part_pose(self, i: int, bodies: Bodies) -> Pose:
        """Where the part of a body stands."""
        row = bodies.pose[i]
        return Pose(row[:3], quat_wxyz=row[3:]) @ Pose(-self._specs[i].centre)

    @property
    def is_round(self) -> NDArray[np.bool_]:
        """(n,) which bodies have the same inertia about all axes."""
        return self._is_round

    @property
    def any_looks(self) -> bool:
        """Whether there are bodies whose times of impact have no closed form."""
        return bool((self._core == OTHER).any())

    @property
    def core(self) -> Ints:
        """(n,) BALL, PLANE or OTHER."""
        return self._core

    def _bodies(self, state: State, gravity: Floats) -> Bodies:
        """Tables of bodies at the start of a step."""
        model, n = self._model, len(state.kind)
        kind, pose, velocity, turn = state.kind, state.pose.copy(), state.twist[:, :3].copy(), state.twist[:, 3:].copy()
        dynamic = kind == DYNAMIC
        mass = np.where(dynamic, model.mass, 1.0)
        still = (kind == FIXED) | (kind == FROZEN)
        velocity[still], turn[still] = 0.0, 0.0
        acceleration = np.where(dynamic[:, None], gravity + state.wrench[:, :3] / mass[:, None], 0.0)
        torque = np.where(dynamic[:, None], state.wrench[:, 3:], 0.0)
        spin = np.zeros((n, 3))
        moving = (pose, velocity, spin, turn, acceleration, torque, np.zeros(n))
        self._stand_planes(pose)
        shape = (model.reach, np.where(self._core == BALL, model.radius, 0.0))
        inverse = np.where(dynamic[:, None, None], self._inverse, 0.0)
        body = (kind, self._core, mass, model.inertia, inverse, self._least, self._is_round)
        bodies = Bodies(*body, *shape, self._normal, *moving, self._offset)
        set_spins(tuple(bodies))
        return bodies

    def _stand_planes(self, pose: Floats) -> None:
        """Normals and offsets of half-spaces where they stand."""
        for i in self._planes:
            if np.array_equal(pose[i], self._stood[i]):
                continue
            self._stood[i] = pose[i]
            plane: Any = self._specs[i].shape
            X = Pose(pose[i, :3], quat_wxyz=pose[i, 3:]) @ Pose(-self._specs[i].centre)
            self._normal[i] = X.rotation @ plane.normal
            self._offset[i] = plane.offset + self._normal[i] @ (X.position - pose[i, :3])

    def _laws_of_pairs(self) -> tuple[Any, ...]:
        laws = self._laws
        tables = (np.ascontiguousarray(table.T) for table in (laws.of_body, laws.of_pair))
        of_body, of_pair = tables
        default = np.array((laws.friction, laws.restitution))
        return tuple(Laws(self._gap, of_body, default, laws.pairs, of_pair, self._model.group, self._ignored))

    def _prepare(self, state: State, bodies: Bodies) -> None:
        """An agenda for those that move, unless there is one."""
        moving = np.flatnonzero((state.kind != FIXED) & (state.kind != FROZEN) & (self._core != PLANE)).astype(np.int32)
        if not np.array_equal(moving, self._agenda_of) or len(self._agenda.due) != len(state.kind):
            self._agenda_of = moving
            self._agenda = self._new_agenda(moving, bodies)

    def _new_agenda(self, moving: Ints, bodies: Bodies) -> Agenda:
        n, room = len(bodies.kind), self._capacity
        low, high, place = np.full((n, 3), np.inf), np.full((n, 3), -np.inf), np.full(n, -1, np.int32)
        place[moving] = np.arange(len(moving), dtype=np.int32)
        for i in np.flatnonzero(place < 0):
            low[i], high[i] = self._box(int(i), bodies.pose)
        reach = np.where(np.isfinite(bodies.reach), bodies.reach, 0.0)
        extent = np.maximum(np.ptp(bodies.pose[moving, :3], axis=0), reach[moving].max()) if len(moving) else np.ones(3)
        apart = float(extent.prod() / max(len(moving), 1)) ** (1.0 / 3.0)
        margin = np.clip(MARGIN * apart, LEAST_MARGIN * reach, MOST_MARGIN * reach)
        of_pairs = (np.zeros((n, room), np.int32), np.zeros(n, np.int32), np.zeros((n, room)), np.zeros((n, room), int))
        due = (np.zeros(n, int), np.full(n, np.inf), np.full(n, -1, np.int32))
        return Agenda(low, high, np.full((n, 3), np.inf), margin, *of_pairs, *due, moving.copy(), place)

    def _box(self, i: int, pose: Floats) -> tuple[Floats, Floats]:
        """The box around a body that does not move; a half-space is everywhere."""
        if not self._specs[i].shape.bounded:
            return np.full(3, -np.inf), np.full(3, np.inf)
        X, model = Pose(pose[i, :3], quat_wxyz=pose[i, 3:]), self._model
        corners = np.array(np.meshgrid(*zip(model.low[i], model.high[i], strict=True))).reshape(3, -1).T
        placed = X.apply(corners)
        return placed.min(axis=0), placed.max(axis=0)

    def _widen(self) -> None:
        """Room for more neighbours."""
        self._capacity *= 2
        agenda, n = self._agenda, len(self._agenda.due)
        room = (n, self._capacity)
        tables = [np.zeros(room, table.dtype) for table in (agenda.neighbour, agenda.until, agenda.stamp)]
        for new, old in zip(tables, (agenda.neighbour, agenda.until, agenda.stamp), strict=True):
            new[:, : old.shape[1]] = old
        self._agenda = agenda._replace(neighbour=tables[0], until=tables[1], stamp=tables[2])

    def _new_clock(self, bodies: Bodies, dt: float) -> Clock:
        fastest = float(np.sqrt((bodies.acceleration**2).sum(axis=1)).max(initial=0.0))
        hop = max(float(np.sqrt(0.5 * fastest * self._gap)), LEAST_HOP * self._gap)
        window = HOPS * self._gap / hop
        most = STORM[0] + STORM[1] * len(self._agenda.heap)
        storm = np.array((window, float(most), MOST_WORK))
        return _clock(dt, storm)


def _most_work(dt: float) -> float:
    """How much work a step may take."""
    return MOST_WORK * max(1.0, dt / LONG_STEP)


def _clock(dt: float, storm: Floats) -> Clock:
    """A clock at the beginning of a step."""
    return Clock(np.zeros(2), np.zeros(WORK + 1, np.int64), np.zeros(2, np.int32), dt, storm)


def _rotation(row: Floats) -> Floats:
    return Pose(row[:3], quat_wxyz=row[3:]).rotation


def _core(spec: BodySpec) -> int:
    if is_half_space(spec.shape):
        return PLANE
    return BALL if spec.shape.kind == "sphere" and not np.any(spec.centre) else OTHER


def _principal(spec: BodySpec) -> Floats:
    """(3,) principal inertias, 1 for what does not give way."""
    return np.asarray(np.linalg.eigvalsh(spec.inertia) if spec.kind == DYNAMIC else np.ones(3), np.float64)


def _inverse(spec: BodySpec) -> Floats:
    return np.asarray(np.linalg.inv(spec.inertia) if spec.kind == DYNAMIC else np.zeros((3, 3)), np.float64)


def _is_round(spec: BodySpec) -> bool:
    inertia = spec.inertia
    return spec.kind == DYNAMIC and bool((inertia == inertia[0, 0] * np.eye(3)).all())


def _is_convex(shape: Shape) -> bool:
    """Whether no corner lies above the plane of any triangle; large parts are not looked at."""
    if not is_polyhedron(shape):
        return True
    corners, triangles = shape.vertices, shape.triangles
    if len(corners) > MOST_CORNERS:
        return False
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    height = normal @ corners.T - (normal * a).sum(axis=1)[:, None]
    size = float(np.ptp(corners, axis=0).max())
    return bool((height <= 1e-9 * size * np.linalg.norm(normal, axis=1)[:, None]).all())


def _new_book(n: int, room: int) -> Book:
    pairs = (np.zeros((room, 2), np.int32), np.zeros((room, 12)), np.zeros(room), np.zeros(room))
    chains = (np.full(n, -1, np.int32), np.zeros(room, np.int32))
    events = (np.zeros((room, CLOSING + 1)), np.zeros((room, 2), np.int32))
    return Book(np.zeros(2, np.int64), *pairs, *chains, *events, np.full((room, 5), -1, np.int32), np.zeros((room, 3)))


def _longer_book(book: Book) -> Book:
    tables = {
        field: np.concatenate((table, np.zeros_like(table)))
        for field, table in book._asdict().items()
        if field not in ("size", "first")
    }
    return book._replace(**tables)
