"""Play worlds with soft bodies, and judge them after every step."""

from __future__ import annotations

from typing import Any

import numpy as np

import abut
from abut.dynamics.stepping.overlap import OverlapError

from .clock import working_time
from .facts import Facts
from .finding import Case, Finding, Verdict
from .judge import LONGEST_TURN, at_share, overlaps, turns_between
from .laws import CREEP, finite, forces, silent_loss
from .play import SHARES, Game, Recipe, play_once
from .reading import Floats, Snapshot, look
from .skins import Met, skin_overlaps, skins_at
from .soft_laws import Bonds, make_cage, soft_findings
from .softs import build_cage, build_shape, node_masses

PATIENCE = 25.0
"""[s] of processor time for which a world is followed."""


def play_soft(case: Case) -> Verdict:
    """Judge a world with soft bodies."""
    return play_once(case, SoftGame)


class SoftGame(Game):
    """A world with soft bodies."""

    def __init__(self, case: Case, threads: int | None = None) -> None:
        super().__init__(case, threads)
        for recipe in case["softs"]:
            add_soft(self.world, recipe)
        self.softs = self.world.deformables
        self.cages = []
        for soft, recipe in zip(self.softs, case["softs"], strict=True):
            self.cages.append(make_cage(soft, recipe, node_masses(soft.mesh, recipe["density"])))
        self.attached: set[tuple[int, int]] = set()
        self.hands: dict[int, Any] = {}
        for k, recipe in enumerate(case["softs"]):
            if recipe.get("held") == "attached":
                self._attach(k, self.world.body("root"))
        self.gap, self.last = self.world.contact_gap, look(self.world)
        self.end = working_time() + PATIENCE
        self.wrong_skins = _wrong_skins(case, self.last)

    def _slow(self, seconds: float) -> list[Finding]:
        return []

    def _has_enough(self) -> bool:
        return working_time() > self.end

    def _motions(self, before: Snapshot) -> tuple[float, tuple[Any, ...]]:
        return 0.0, ()

    def _false_alarm(self, k: int, error: OverlapError) -> list[Finding]:
        """Skins may overlap, too, or be nearer than the contact gap."""
        now = look(self.world)
        for way in (0.0, *np.eye(3) * self.gap, *-np.eye(3) * self.gap):
            if self._met(now, [skin + way for skin in now.skins], "overlap", "at the start"):
                return []
        return super()._false_alarm(k, error)

    def _overlaps(self, before: Snapshot, after: Snapshot, facts: Facts, verdict: Verdict) -> list[Finding]:
        found = [*self.wrong_skins, *self._silent_kinematic(after, facts.report)]
        found += self._met(after, list(after.skins), "overlap", "after the step")
        turns = turns_between(before, after)
        if found or facts.report.parts != 1 or np.linalg.norm(turns, axis=1).max(initial=0.0) > LONGEST_TURN:
            return found
        verdict.count("motions", len(SHARES))
        for t in SHARES:
            now = at_share(before, after, turns, t)
            found = self._met(now, skins_at(before, after, t), "overlap on the way", f"at {t} of the step")
            if found:
                return found
        return []

    def _met(self, now: Snapshot, skins: list[Any], law: str, when: str) -> list[Finding]:
        found = (
            [self._overlap_finding(law, o, when) for o in overlaps(self.stage, now, self.pairs)] if self.cast else []
        )
        triangles = [cage.triangles for cage in self.cages]
        met = skin_overlaps(self.cast, now, skins, triangles, self.attached)
        return found + [self._skin_finding(law, m, when) for m in met]

    def _skin_finding(self, law: str, m: Met, when: str) -> Finding:
        return Finding(law, f"the skin of '{self.cages[m.skin].name}' and {m.other} overlap {when}: {m.how}")

    def _law_findings(self, before: Snapshot, after: Snapshot, facts: Facts) -> list[Finding]:
        found = [*finite(self.cast, before, after, facts), *silent_loss(self.cast, before, after, facts)]
        bonds = self._bonds(before, after)
        if facts.report.time_given_up == 0.0:
            found += forces(self.cast, before, after, facts)
        return found + list(soft_findings(self.cages, self.cast, before, after, facts, bonds))

    def _other_wrench(self, k: int) -> list[Finding]:
        return super()._other_wrench(k) if self.cast else []

    def _bonds(self, before: Snapshot, after: Snapshot) -> Bonds:
        fixed = {k for k, recipe in enumerate(self.case["softs"]) if recipe.get("held") == "fixed"}
        held = fixed | set(self.hands) | {k for k, _ in self.attached}
        work = sum(self._work_of_hand(k, before, after) for k in self.hands)
        driven = any(self.cast[b].kind == "kinematic" for _, b in self.attached)
        rigid = any(actor.kind != "dynamic" for actor in self.cast)
        joined = sum(float(self.cages[k].mass.sum()) for k in {k for k, _ in self.attached})
        joined += sum(self.cast[b].mass for b in {b for _, b in self.attached} if self.cast[b].kind == "dynamic")
        creep = 0.5 * joined * (CREEP * self.gap / self.world.dt) ** 2
        return Bonds(held, work, driven, rigid or bool(fixed or self.hands) or self.pushed, creep)

    def _work_of_hand(self, k: int, before: Snapshot, after: Snapshot) -> float:
        """[J] at most: what its spring holds less, as its force is that of the end; or its largest force on its way."""
        point, target, stiffness, most = self.hands[k]
        corners, shares = point
        x, y = shares @ before.skins[k][corners], shares @ after.skins[k][corners]
        spring = 0.5 * stiffness * float((target - x) @ (target - x) - (target - y) @ (target - y))
        return max(spring, most * float(np.linalg.norm(y - x)) if np.isfinite(most) else 0.0, 0.0)

    def turn(self, k: int, verdict: Verdict, judged: bool = True) -> bool:
        """Events and step number k."""
        self.pushed = False
        return super().turn(k, verdict, judged)

    def _event(self, event: Recipe, judged: bool) -> list[Finding]:
        do, k = event["do"], next(i for i, c in enumerate(self.cages) if c.name == event["soft"])
        soft = self.softs[k]
        if do in ("grab", "move_hand", "release"):
            self._hand(k, do, event)
        elif do == "attach":
            self._attach(k, self.world.body(event["body"]))
        elif do == "detach":
            soft.detach()
            self.attached = {pair for pair in self.attached if pair[0] != k}
        elif do == "speed":
            soft.velocities = soft.velocities + 0.3 * np.asarray(event["along"]) * _speed(soft)
        elif do == "shift":
            self._shift(k, 0.3 * self.gap * np.asarray(event["along"]))
        else:
            self.pushed = self.pushed or do == "force"
            if event["body"] is None and do in ("force", "velocity"):
                return []
            return super()._event(event, judged)
        return []

    def _shift(self, k: int, way: Floats) -> None:
        """Move a soft body; nodes that are attached stay, as the step would put them back with energy from nowhere."""
        soft = self.softs[k]
        stays = soft.fixed_or_attached & any(k == who for who, _ in self.attached)
        soft.nodes = soft.nodes + np.where(stays[:, None], 0.0, way)

    def _hand(self, k: int, do: str, event: Recipe) -> None:
        soft, size = self.softs[k], float(np.ptp(self.softs[k].vertices, axis=0).max())
        if do == "release":
            soft.release()
            self.hands.pop(k, None)
            return
        vertex = int(event["share"] * (len(soft.vertices) - 1))
        target = soft.vertices[vertex] + 0.3 * size * np.asarray(event["along"])
        if do == "grab":
            most = 20.0 * soft.mass * 9.81 if event["line"] % 3 == 0 else np.inf
            soft.grab(soft.vertices[vertex], target, max_force=most)
            hand = self.world._now.soft.hands[k]
            self.hands[k] = ((hand.vertices, hand.shares), hand.target, hand.stiffness, hand.max_force)
        elif k in self.hands:
            soft.move_hand(target)
            self.hands[k] = (self.hands[k][0], np.array(target), *self.hands[k][2:])

    def _attach(self, k: int, body: abut.Body) -> None:
        """The nodes nearest to a body, of those that are free."""
        soft = self.softs[k]
        free = np.flatnonzero(~soft.fixed_or_attached)
        near = np.linalg.norm(soft.nodes[free] - body.pose.position, axis=1)
        if len(free) > 4:
            soft.attach(free[np.argsort(near, kind="stable")[:4]], body)
            self.attached.add((k, body.index))


def _speed(soft: Any) -> float:
    """[m/s] a tenth of that of its nodes, or what moves it visibly."""
    return max(float(np.abs(soft.velocities).max()), 0.01 * float(np.ptp(soft.nodes, axis=0).max()))


def add_soft(world: abut.World, soft: Recipe) -> None:
    """Add a soft body as it is written down."""
    mesh = build_cage(soft)
    top = np.argsort(-mesh.nodes[:, 2], kind="stable")[:5]
    more: Recipe = {"fixed_nodes": top} if soft.get("held") == "fixed" else {}
    if "friction" in soft:
        more["friction"] = soft["friction"]
    world.add_deformable(
        mesh,
        soft["name"],
        surface=build_shape(soft["shape"]) if soft["skin"] else None,
        young=soft["young"],
        poisson=soft["poisson"],
        density=soft["density"],
        damping=soft["damping"],
        pose=abut.Pose.from_rotvec(soft["position"], soft["rotvec"]),
        velocity=soft["velocity"],
        **more,
    )


def _wrong_skins(case: Case, now: Snapshot) -> list[Finding]:
    """Skins begin where the parts are that were given."""
    found = []
    for k, soft in enumerate(case["softs"]):
        part = build_shape(soft["shape"])
        if soft["skin"]:
            placed = abut.Pose.from_rotvec(soft["position"], soft["rotvec"]).apply(part.vertices)
            if np.abs(placed - now.skins[k]).max() > 1e-9 * float(np.abs(placed).max()):
                found.append(Finding("skin", f"the skin of '{soft['name']}' does not begin where its part is"))
    return found
