"""A scene of the library, run and recorded: poses for an animation, moments for pictures, figures for a summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._jit.progress import working_time
from ..arrays import Floats
from ..dynamics import Body, StepReport, World
from ..math import Pose
from ..query import Region
from ..scene.scenes import Scene, View
from .draw import Arrow, Camera, Dot, Image, Item, Mark, Section, draw, region_marks
from .draw.item import scene_points
from .draw.stress import ramps
from .gltf import SoftTrack, Track
from .soft_look import SoftLook, largest_stress, looks_of, soft_items, with_scale

FRAMES_PER_SECOND = 60.0


@dataclass(eq=False)
class Moment:
    """What a picture shows: where everything is, and the contacts."""

    time: float
    """[s]."""
    poses: Floats
    """(n_body, 7) of the parts' frames: x, y, z [m], quaternion w, x, y, z."""
    contacts: np.ndarray
    regions: Sequence[Region] | None = None
    """Contact regions with their forces, drawn instead of contacts where they are known."""
    soft: tuple[SoftLook, ...] = ()
    """Soft bodies."""


@dataclass(eq=False)
class Record:
    """What was kept of a run."""

    steps: int = 0
    seconds: float = 0.0
    """[s] of computing, without what compiling kernels took."""
    simulated: float = 0.0
    """[s] of the world's time."""
    contacts: int = 0
    """At most, at one time."""
    rounds: int = 0
    smallest_gap: float = np.inf
    """[m]."""
    time_given_up: float = 0.0
    """[s]."""
    moments: list[Moment] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    poses: list[Floats] = field(default_factory=list)
    """Of all bodies, at `times`."""
    looks: list[tuple[SoftLook, ...]] = field(default_factory=list)
    """Soft bodies, at `times`."""

    def add(self, report: StepReport, dt: float, seconds: float) -> None:
        """Count a step."""
        self.steps += 1
        self.seconds += seconds
        self.simulated += dt
        self.rounds += report.rounds
        self.contacts = max(self.contacts, report.contacts)
        self.smallest_gap = min(self.smallest_gap, report.smallest_gap)
        self.time_given_up += report.time_given_up

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per second of computing; above 1 is faster than nature."""
        return self.simulated / self.seconds if self.seconds > 0.0 else 0.0


def poses(world: World) -> Floats:
    """(n_body, 7) of the parts' frames."""
    return np.array([body.pose.row for body in world.bodies])


def moment(world: World) -> Moment:
    """The world as it is now."""
    return Moment(
        world.time, poses(world), world.contacts, None if world.deformables else world.regions, looks_of(world)
    )


def run_scene(
    scene: Scene, n_moment: int, tell: Callable[[Record], None], step: Callable[[], StepReport] | None = None
) -> Record:
    """Run a scene to its end; `tell` is called after every step, `step` takes one where the scene does not itself."""
    world, record, take = scene.world, Record(), step or scene.step
    n = round(scene.duration / world.dt)
    frame = min(1.0 / FRAMES_PER_SECOND, scene.duration / 120.0)
    pictured = {round(n * k / (n_moment - 1)) for k in range(n_moment)}
    record.moments.append(moment(world))
    _keep_frame(record, world)
    for k in range(1, n + 1):
        start = working_time()
        report = take()
        record.add(report, world.dt, working_time() - start)
        if k == n or world.time >= record.times[-1] + frame * (1.0 - 1e-9):
            _keep_frame(record, world)
        if k in pictured:
            record.moments.append(moment(world))
        tell(record)
    return record


def _keep_frame(record: Record, world: World) -> None:
    record.times.append(world.time)
    record.poses.append(poses(world))
    record.looks.append(looks_of(world))


def tracks(scene: Scene, record: Record, slow: float) -> tuple[list[Track | SoftTrack], Floats]:
    """The recorded motion for an animation, and its times, `slow` times slower than it was."""
    moved = np.array(record.poses)
    result: list[Track] = []
    for i, body in enumerate(scene.world.bodies):
        if not body.shape.bounded:
            continue
        still = bool((moved[:, i] == moved[0, i]).all())
        result.append(Track(body.name, body.shape, moved[:1, i] if still else moved[:, i]))
    return [*result, *soft_tracks(record.looks)], slow * np.array(record.times)


def soft_tracks(looks: Sequence[tuple[SoftLook, ...]]) -> list[SoftTrack]:
    """Soft bodies at the times of an animation, coloured by stress."""
    top = largest_stress(look for at in looks for look in at)
    result = []
    for bodies in zip(*looks, strict=True):
        colours = np.array([ramps(look.skin_stress, top) for look in bodies])
        spec = bodies[0].spec
        result.append(SoftTrack(spec.name, np.array([look.vertices for look in bodies]), spec.triangles, colours))
    return result


def camera_for(scene: Scene, moments: list[Moment], size: tuple[int, int]) -> Camera:
    """One camera for all pictures, that shows every moment."""
    view = scene.view
    if view.around is not None:
        return Camera(view.around[:3], view.around[3], view.azimuth, view.elevation)
    wanted = view.shown
    bodies = [b for b in scene.world.bodies if b.shape.bounded and (not wanted or b.name in wanted)]
    clouds = [scene_points(_items(bodies, m, view)) for m in moments if bodies]
    clouds += [look.vertices for m in moments for look in m.soft if not wanted or look.spec.name in wanted]
    return Camera.fit(np.concatenate(clouds), view.azimuth, view.elevation, size=size)


def pictures(scene: Scene, moments: Sequence[Moment], camera: Camera, size: tuple[int, int]) -> list[Image]:
    """Pictures of moments from one place, in all of which a colour of soft bodies means the same stress."""
    top = largest_stress(look for moment in moments for look in moment.soft)
    return [picture(scene, moment, camera, size, top) for moment in moments]


def picture(scene: Scene, at: Moment, camera: Camera, size: tuple[int, int], top: float | None = None) -> Image:
    """The bodies at one moment, with contact regions or points, and arrows that are longer where forces are larger.

    Soft bodies are coloured by stress, up to `top` [Pa] or the largest of the moment.
    """
    items = _items(scene.world.bodies, at, scene.view)
    section = _section(scene, at) if scene.view.cut else None
    most = largest_stress(at.soft) if top is None else top
    for look in at.soft:
        items += soft_items(look, most, section if look.spec.name in scene.view.cut else None)
    longest = 0.12 * camera.span
    marks = _marks(at, longest) if at.regions is None else region_marks(at.regions, longest)
    image = draw(items, camera, size, marks=marks, section=section)
    return with_scale(image, most) if at.soft else image


def _items(bodies: list[Body], at: Moment, view: View) -> list[Item]:
    items = []
    for body in bodies:
        row = at.poses[body.index]
        alpha = 0.35 if body.name in view.clear else 1.0
        items.append(Item(body.shape, Pose(row[:3], quat_wxyz=row[3:]), alpha=alpha, cut=body.name in view.cut))
    return items


def _section(scene: Scene, at: Moment) -> Section:
    """An upright plane through the first of the parts to be cut, facing the camera."""
    bodies = [body for body in scene.world.bodies if body.name in scene.view.cut]
    soft = [look.vertices for look in at.soft if look.spec.name in scene.view.cut]
    points = scene_points(_items(bodies, at, scene.view)) if bodies else np.concatenate(soft)
    turn = np.radians(scene.view.azimuth)
    return Section(0.5 * (points.min(axis=0) + points.max(axis=0)), (np.sin(turn), -np.cos(turn), 0.0))


def _marks(at: Moment, longest: float) -> list[Mark]:
    """A dot at each contact, and an arrow along the force, friction included, that it exerts on body B."""
    force = at.contacts["force"][:, None] * at.contacts["normal"] + at.contacts["friction"]
    size = np.linalg.norm(force, axis=1)
    largest = size.max(initial=0.0)
    marks: list[Mark] = []
    for k, point in enumerate(at.contacts["point"]):
        marks.append(Dot(point))
        # Square root: forces of very different size stay visible beside each other.
        length = longest * float(np.sqrt(size[k] / largest)) if largest > 0.0 else 0.0
        if length > 0.05 * longest:
            marks.append(Arrow(point, length * force[k] / size[k]))
    return marks
