"""Play a world that is written down, and judge it after every step."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import abut
from abut.dynamics.stepping.overlap import OverlapError

from .clock import pace, working_time
from .facts import Facts, MotionFacts, contact_wrenches, gather_wrenches, pushes, reactions
from .finding import Case, Finding, Verdict
from .judge import LONGEST_TURN, Cast, at_share, near_pairs, overlaps, pairs_on_the_way, turns_between
from .laws import moved_apart, step_findings
from .reading import Floats, Snapshot, actors, look, parted
from .shapes import build_shape
from .twins import interrupted_findings, raced_findings, restored_findings
from .witness import witnessed

SLOW_STEP = 2.0
"""[s] of processor time that one step may take, where limits were chosen."""
SHARES = (0.5, 0.21, 0.79)
"""Of a motion at which it is judged between its ends."""

MOST_ROUNDS, MOST_WORK = 20000, 2e8
"""Of all steps of a world; one that is stuck for good need not be followed for long."""
FATAL = ("overlap", "overlap on the way", "finite", "slow")
"""Laws after whose breach nothing more is to be learned from a world."""

Recipe = dict[str, Any]


def play(case: Case) -> Verdict:
    """Judge a world."""
    return play_once(case, Game)


def play_once(case: Case, make_game: type[Game]) -> Verdict:
    """Build the world of a case, step it and judge every step."""
    verdict = Verdict()
    try:
        game = make_game(case)
    except abut.AbutError as error:
        verdict.count("refusals")
        verdict.findings += _sentence_findings(error)
        return verdict
    except Exception as error:
        verdict.findings.append(_exception(error, -1))
        return verdict
    verdict.count("worlds")
    for k in range(case["steps"]):
        if not game.turn(k, verdict):
            break
    if any(event["do"] == "threads" for event in case["events"]) and not verdict.findings:
        verdict.findings += _threads_findings(case, game)
    return verdict


def _exception(error: BaseException, step: int) -> Finding:
    return Finding("exception", f"{type(error).__name__}: {error}".splitlines()[0][:300], step)


def _sentence_findings(error: abut.AbutError) -> list[Finding]:
    """A refusal is a sentence: text, without the marks of a traceback."""
    text = str(error)
    good = bool(text.strip()) and "Traceback" not in text
    return [] if good else [Finding("sentence", f"{type(error).__name__} says {text!r}")]


def _threads_findings(case: Case, game: Game) -> list[Finding]:
    """The same world with two threads ends with the same bits."""
    other = type(game)(case, 2)
    verdict = Verdict()
    for k in range(game.played):
        other.turn(k, verdict, judged=False)
    same = other.last.same_bits(game.last)
    return [] if same else [Finding("threads", "one thread and two give other bits")]


class Game:
    """A world and what was done to it."""

    breaks: tuple[type[Exception], ...] = ()
    """Exceptions by which a judge breaks off a step."""

    def __init__(self, case: Case, threads: int | None = None) -> None:
        options = dict(case["world"])
        if threads is not None:
            options["threads"] = threads
        self.case, self.world = case, abut.World(**options)
        for body in case["bodies"]:
            _add_body(self.world, body)
        self.joints = list(case["joints"])
        for joint in self.joints:
            _add_joint(self.world, joint)
        self.cast, self.bodies = actors(self.world), self.world.bodies
        self._find_drives()
        self.stage = Cast(self.cast)
        self.rounds, self.work = 0, 0.0
        self.ruled: set[tuple[int, int]] = set()
        self._find_pairs()
        self.gap, self.played, self.last = self.world.contact_gap, 0, look(self.world)

    def _find_drives(self) -> None:
        """Joints that may do work: with a motor, a spring or limits."""
        driven = {j["name"] for j in self.joints if {"motor", "spring", "limits"} & set(j)}
        self.drives = [joint for joint in self.world.joints if joint.name in driven]

    def _find_pairs(self) -> None:
        """Pairs that must not overlap, and those that may if the report says so, since neither can give way."""
        joined = {self._numbers(j["body"], j["other"]) for j in self.joints if j["other"] is not None}
        free = set(combinations(range(len(self.cast)), 2)) - joined - self.ruled
        movable = [actor.kind == "dynamic" for actor in self.cast]
        self.pairs = [p for p in sorted(free) if movable[p[0]] or movable[p[1]]]
        self.driven_pairs = [p for p in sorted(free) if not (movable[p[0]] or movable[p[1]]) and self._driven(*p)]

    def _driven(self, a: int, b: int) -> bool:
        return "kinematic" in (self.cast[a].kind, self.cast[b].kind)

    def _numbers(self, a: str, b: str) -> tuple[int, int]:
        i, j = self.world.body(a).index, self.world.body(b).index
        return min(i, j), max(i, j)

    def turn(self, k: int, verdict: Verdict, judged: bool = True) -> bool:
        """Events and step number k; False where the world can no longer be followed."""
        try:
            findings = self._events(k, judged)
            before, applied = look(self.world), self.world._state.wrench.copy()
            self._speeds = self._coordinates()
            with witnessed(self.world.dt) as self._seen:
                begin = working_time()
                report = self.world.step()
                seconds = working_time() - begin
        except OverlapError as error:
            verdict.findings += [*_sentence_findings(error), *self._false_alarm(k, error)]
            return False
        except abut.AbutError as error:
            verdict.count("steps that stopped" if isinstance(error, abut.StoppedError) else "steps refused")
            verdict.findings += [*_sentence_findings(error), *self._after_refusal(error, k)]
            return False
        except Exception as error:
            if isinstance(error, self.breaks):
                raise
            verdict.findings.append(_exception(error, k))
            return False
        before = parted(before, self.cast, report.moved_apart)
        self.played, self.last = k + 1, look(self.world)
        if not judged:
            return True
        after = self.last
        verdict.count("steps")
        verdict.see("step_seconds", seconds)
        verdict.see("share_given_up", report.time_given_up / self.world.dt)
        facts = self._facts(applied, report, seconds, before)
        found = [*findings, *self._overlaps(before, after, facts, verdict), *moved_apart(self.cast, facts)]
        found += self._law_findings(before, after, facts)
        found += self._other_wrench(k) if k % 8 == 0 else []
        found += self._slow(seconds)
        for finding in found:
            finding.step = k
        verdict.findings += [finding for finding in found if finding.law not in verdict.laws()]
        self.rounds, self.work = self.rounds + report.rounds, self.work + report.work
        return not self._has_enough() and not any(finding.law in FATAL for finding in found)

    def _after_refusal(self, error: abut.AbutError, k: int) -> list[Finding]:
        """What is wrong with a world that refused a step."""
        return []

    def _law_findings(self, before: Snapshot, after: Snapshot, facts: Facts) -> list[Finding]:
        return list(step_findings(self.cast, before, after, facts))

    def _slow(self, seconds: float) -> list[Finding]:
        if seconds <= SLOW_STEP or seconds <= SLOW_STEP * pace():
            return []
        return [Finding("slow", f"a step took {seconds:.1f} s of processor time", size=seconds)]

    def _has_enough(self) -> bool:
        """Whether the world took so much that it is not worth to follow it any longer."""
        return self.rounds >= MOST_ROUNDS or self.work >= MOST_WORK

    def _other_wrench(self, k: int) -> list[Finding]:
        """What a body says of its contacts is what the list of contacts says."""
        body = self.bodies[k % len(self.cast)]
        contacts, told = self.world.contacts, body.contact_wrench()
        listed = contact_wrenches(contacts, len(self.cast))[body.index]
        if (np.abs(listed - told).reshape(2, 3) <= 1e-9 * pushes(contacts, len(self.cast))[body.index][:, None]).all():
            return []
        return [Finding("forces", f"contact_wrench() of '{body.name}' says {told}, the contacts say {listed}")]

    def _false_alarm(self, k: int, error: OverlapError) -> list[Finding]:
        """A world that is refused for an overlap has one, or parts nearer than the contact gap."""
        near = near_pairs(self.stage, look(self.world), self.pairs)
        return [] if len(near) else [Finding("false overlap", str(error).splitlines()[0], k)]

    def _overlaps(self, before: Snapshot, after: Snapshot, facts: Facts, verdict: Verdict) -> list[Finding]:
        met = overlaps(self.stage, after, self.pairs)
        found = [self._overlap_finding("overlap", o, "after the step") for o in met]
        found += self._silent_kinematic(after, facts.report)
        if facts.report.parts == 1 and not found:
            found += self._on_the_way(before, after, self.world.dt, verdict)
        for motion in facts.motions if not found else ():
            met = overlaps(self.stage, motion.after, self.pairs)
            found += [self._overlap_finding("overlap on the way", o, "after a motion of the step") for o in met]
            found += self._on_the_way(motion.before, motion.after, motion.h, verdict)
        return found

    def _on_the_way(self, before: Snapshot, after: Snapshot, h: float, verdict: Verdict) -> list[Finding]:
        turns, spins = turns_between(before, after), after.spin * h
        if np.linalg.norm((turns, spins), axis=2).max() > LONGEST_TURN:
            return []
        verdict.count("motions", len(SHARES))
        near = pairs_on_the_way(self.stage, before, after, self.pairs)
        for t in SHARES if len(near) else ():
            met = overlaps(self.stage, at_share(before, after, turns, t), near)
            if met:
                return [self._overlap_finding("overlap on the way", o, f"at {t} of the step") for o in met]
        return []

    def _overlap_finding(self, law: str, o: Any, when: str) -> Finding:
        names = f"'{self.cast[o.a].name}' and '{self.cast[o.b].name}'"
        return Finding(law, f"{names} overlap {when}: {o.how}, about {o.depth:.3g} m deep", size=o.depth / self.gap)

    def _silent_kinematic(self, after: Snapshot, report: Any) -> list[Finding]:
        """Kinematic bodies may overlap what cannot give way, and then the report says so."""
        met = overlaps(self.stage, after, self.driven_pairs)
        listed = len(getattr(report, "kinematic_overlaps", ()))
        if not met or listed >= len(met) or max(o.depth for o in met) < 1e-9 * self.gap:
            return []
        return [Finding("silence", f"{len(met)} kinematic overlaps, {listed} reported", size=met[0].depth / self.gap)]

    def _facts(self, applied: Floats, report: Any, seconds: float, before: Snapshot) -> Facts:
        world = self.world
        driven, motions = self._motions(before) if report.parts > 1 else (self._driven_work(world.dt), ())
        contacts = world.contacts
        wrenches = gather_wrenches(world, self.bodies, self.cast, applied, contacts)
        return Facts(
            dt=world.dt,
            gravity=np.asarray(world.gravity),
            contact_gap=self.gap,
            report=report,
            seconds=seconds,
            contacts=contacts,
            wrenches=wrenches,
            reactions=reactions(world, self.cast),
            driven=driven,
            level=self.case["world"].get("level", "dynamic"),
            motions=motions,
        )

    def _motions(self, before: Snapshot) -> tuple[float, tuple[MotionFacts, ...]]:
        """Work of drives [J] in the motions of a step that took several, and what happened in each of them."""
        if self.case["world"].get("impacts") == "gamma":
            # Motions go with a mean of the velocities at their ends: energies between them are of no one moment.
            return self._driven_work(self.world.dt, several=True), ()
        now, facts, driven = self.world._now, list[MotionFacts](), 0.0
        for motion in self._seen:
            self.world._now = now._replace(state=motion.state, joints=motion.joints)
            driven += self._driven_work(motion.h, several=True)
            self._speeds = self._coordinates()
            facts.append(MotionFacts(motion.h, before, look(self.world), motion.pushed, motion.wrenches))
            before = facts[-1].after
        self.world._now = now
        return driven, tuple(facts)

    def _coordinates(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Speed and value of every coordinate of every joint."""
        return {(j.name, c): (j[c].speed, j[c].value) for j in self.drives for c in j.coordinates}

    def _driven_work(self, h: float, several: bool = False) -> float:
        """[J] of motors, springs and limits of joints at most in a motion: along coordinates, or by their speeds.

        A spring gives what it has stored less, but for half a motion by which velocities and places differ. Where a
        step takes several motions, that is all that it holds.
        """
        work, now = 0.0, self._coordinates()
        for joint in self.drives:
            for c in joint.coordinates:
                key = (joint.name, c)
                (u, p), (v, q) = self._speeds.get(key, now[key]), now[key]
                given = [joint[c].force * way for way in (q - p, 0.5 * (u + v) * h, v * h)]
                then, later = _stored(joint[c].spring, p), _stored(joint[c].spring, q)
                work += max(*given, then + later if several and joint[c].spring is not None else then - later)
        return work

    def _events(self, k: int, judged: bool) -> list[Finding]:
        found: list[Finding] = []
        for event in self.case["events"]:
            if event["at"] == k:
                found += self._event(event, judged)
        return found

    def _event(self, event: Recipe, judged: bool) -> list[Finding]:
        do = event["do"]
        body: Any = None if event["body"] is None else self.world.body(event["body"])
        if do == "force":
            body.apply_force(event["force"])
            body.apply_torque(event["torque"])
        elif do == "velocity":
            body.velocity = event["velocity"]
        elif do == "pose":
            body.pose = _moved(body.pose, event)
        elif do == "grab":
            body.grab(_moved(body.pose, event))
        elif do == "release":
            body.release()
        elif do == "pair" and event["with"] != event["body"]:
            self._rule(body, self.world.body(event["with"]), event["rule"])
        elif do == "restore" and judged:
            return restored_findings(self.world)
        elif do == "interrupt" and judged:
            return interrupted_findings(self.world, event["line"])
        elif do == "race" and judged:
            return raced_findings(self.world)
        elif do == "dt":
            self.world.dt = event["dt"]
        elif do == "gravity":
            self.world.gravity = event["gravity"]
        elif do == "joint":
            self._change_joint(event)
        return []

    def _change_joint(self, event: Recipe) -> None:
        """Take a joint away, or its drive."""
        if event["joint"] not in {joint.name for joint in self.world.joints}:
            return
        joint = self.world.joint(event["joint"])
        if event["remove"]:
            joint.remove()
            self.joints = [j for j in self.joints if j["name"] != event["joint"]]
            self._find_drives()
            self._find_pairs()
        elif len(joint.coordinates) == 1:
            joint.motor = joint.spring = None

    def _rule(self, a: abut.Body, b: abut.Body, rule: str) -> None:
        self.world.set_pair(a, b, rule)
        pair = (min(a.index, b.index), max(a.index, b.index))
        (self.ruled.discard if rule == "contact" else self.ruled.add)(pair)
        self._find_pairs()


def _moved(pose: abut.Pose, event: Recipe) -> abut.Pose:
    turn = abut.Pose.from_rotvec((0.0, 0.0, 0.0), event["turn"])
    turned = turn @ abut.Pose((0.0, 0.0, 0.0), quat_wxyz=pose.quat_wxyz)
    return abut.Pose(pose.position + event["move"], quat_wxyz=turned.quat_wxyz)


def _add_body(world: abut.World, body: Recipe) -> None:
    more = {key: body[key] for key in MORE if key in body}
    world.add_body(
        build_shape(body["shape"]),
        body["name"],
        pose=abut.Pose.from_rotvec(body["position"], body["rotvec"]),
        velocity=body["velocity"],
        angular_velocity=body["spin"],
        fixed=body["kind"] == "fixed",
        kinematic=body["kind"] == "kinematic",
        **more,
    )


MORE = ("density", "mass", "friction", "restitution", "group", "locked", "damping", "angular_damping")


def _add_joint(world: abut.World, joint: Recipe) -> None:
    given = dict(joint)
    motor, spring = given.pop("motor", None), given.pop("spring", None)
    if motor is not None:
        motor = abut.Motor(**{key: value for key, value in motor.items() if value is not None})
    if spring is not None:
        spring = abut.Spring(**spring)
    other = given.pop("other")
    world.add_joint(
        given.pop("type"),
        world.body(given.pop("body")),
        None if other is None else world.body(other),
        motor=motor,
        spring=spring,
        **given,
    )


def _stored(spring: Any, value: float) -> float:
    """[J] in a spring along a coordinate."""
    return 0.0 if spring is None else 0.5 * spring.stiffness * (value - (spring.rest or 0.0)) ** 2
