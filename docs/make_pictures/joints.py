"""Draw the pictures of docs/joints.md: `python docs/make_pictures/joints.py` writes docs/pictures/joints_*.png."""

from __future__ import annotations

from pathlib import Path as File

import numpy as np
from rich.progress import track

from abut import Pose, Solid
from abut.app.draw import Arrow, Camera, Dot, Image, Item, Path, draw, save_png, strip
from abut.app.scene_run import camera_for, picture, run_scene
from abut.scene import scenes

PICTURES = File(__file__).parents[1] / "pictures"
ARM = Solid.box((0.08, 0.03, 0.02)).translated((0.055, 0.0, 0.0))
BASE = Solid.box((0.02, 0.06, 0.06)).translated((-0.012, 0.0, 0.0))
X, Y, Z = np.eye(3)


def moved(shift=(0.0, 0.0, 0.0), *turns) -> Pose:
    """The arm shifted, and turned about its anchor, the first turn last."""
    pose = Pose(shift)
    for turn in turns:
        pose = pose @ Pose.from_rotvec((0.0, 0.0, 0.0), turn)
    return pose


# What each type leaves free, shown by poses that its arm can take; and its axes.
TYPES = {
    "ball": ([moved(0 * X, 0.5 * Z, 0.4 * X), moved(0 * X, -0.5 * Y, -0.3 * Z)], []),
    "hinge": ([moved(0 * X, 0.6 * Z), moved(0 * X, -0.6 * Z)], [Z]),
    "slider": ([moved(0.045 * X)], [X]),
    "cylindrical": ([moved(0.045 * X, 0.8 * X)], [X]),
    "universal": ([moved(0 * X, 0.5 * Y, 0.4 * Z), moved(0 * X, -0.4 * Y, -0.5 * Z)], [Y, Z]),
    "fixed": ([], []),
    "point_on_plane": ([moved(0.045 * Y + 0.02 * Z, 0.5 * Z, 0.3 * Y), moved(-0.05 * Y, -0.5 * Y)], [X]),
    "point_on_line": ([moved(0.045 * Z, -0.3 * Y), moved(-0.045 * Z, 0.3 * Y, 0.3 * X)], [Z]),
    "distance": ([moved(0.045 * np.array([0.8, 0.6, 0.0]), 0.8 * Z), moved(0.045 * Y, 0.3 * Z)], []),
    "screw": ([moved(0.03 * X, 1.2 * X)], [X]),
}


def joint_type(name: str, size: tuple[int, int] = (250, 200)) -> Image:
    """The arm of a joint where it is, and, translucent, where it can go."""
    poses, axes = TYPES[name]
    apart = 0.045 * X if name == "distance" else 0.0 * X
    items = [Item(BASE, colour="steel"), Item(ARM, Pose(apart), colour="amber")]
    items += [Item(ARM, pose, colour="amber", alpha=0.3) for pose in poses]
    marks = [Arrow(-0.07 * axis, 0.14 * axis, "rust", 3.0) for axis in axes]
    marks += [Dot(apart, "rust", 8.0)]
    if name == "distance":
        marks += [Path([0 * X, end], "rust", 3.0) for end in (apart, *(pose.position for pose in poses))]
    camera = Camera((0.03, 0.0, 0.0), 0.19, 35.0, 28.0)
    return draw(items, camera, size, marks=marks, samples=3)


def moments(name: str, n: int, size: tuple[int, int] = (300, 260), duration: float | None = None) -> list[Image]:
    """A scene at n times, the first left out where n is 1."""
    scene = scenes.make(name)
    record = run_scene(scene, max(n, 4), lambda record: None)
    chosen = record.moments if n > 1 else [record.moments[1]]
    camera = camera_for(scene, record.moments, size)
    return [picture(scene, moment, camera, size) for moment in chosen[:n]]


def swinging(size: tuple[int, int] = (1000, 560)) -> Image:
    """The pendulum at several times in one picture."""
    scene = scenes.pendulum()
    record = run_scene(scene, 8, lambda record: None)
    camera = camera_for(scene, record.moments, size)
    items = []
    for k, moment in enumerate(record.moments[:6]):
        for body in scene.world.bodies:
            row = moment.poses[body.index]
            items.append(
                Item(
                    body.shape, Pose(row[:3], quat_wxyz=row[3:]), ("steel", "amber", "blue", "rust", "green", "sand")[k]
                )
            )
    return draw(items, camera, size, samples=3)


def main() -> None:
    """Draw everything."""
    names = list(TYPES)
    types = [joint_type(name) for name in track(names, "types")]
    save_png(PICTURES / "joints_types.png", strip(types, 5, names, gap=6, text_size=15), 64)
    shown = ("slider_crank", "four_bar", "universal_shaft", "spinning_top", "screw_press")
    single = [moments(name, 1)[0] for name in track(shown, "mechanisms")]
    save_png(PICTURES / "joints_mechanisms.png", strip(single, 5, list(shown), gap=6, text_size=15), 128)
    save_png(PICTURES / "joints_gimbal.png", strip(moments("gimbal", 5)[:3], 3, gap=6), 128)
    save_png(PICTURES / "joints_pendulum.png", swinging(), 128)


if __name__ == "__main__":
    main()
