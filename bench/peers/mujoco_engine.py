"""A scene in MuJoCo: parts as boxes, as hulls, as CoACD pieces, or as distance fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from abut import HalfSpace, Pose, Solid
from abut.scene.scenes import Scene

from .engine import PeerEngine
from .pieces import Mesh, coacd_pieces, hull
from .snapshot import PeerBody

CUTS: dict[str, Callable[[Solid], list[Mesh]]] = {
    "hull": hull,
    "CoACD": coacd_pieces,
    "SDF": lambda part: [(np.asarray(part.vertices), np.asarray(part.triangles))],
}
AXES = np.eye(3)


class MujocoEngine(PeerEngine):
    """`shapes` is one of CUTS. Contacts are as stiff as MuJoCo's own rule allows: a time constant of two steps."""

    def __init__(self, scene: Scene, shapes: str, octree: int = 8) -> None:
        super().__init__(scene)
        import mujoco

        self.mujoco = mujoco
        self.pieces = 0
        spec = mujoco.MjSpec.from_string(self._document(shapes))
        if shapes == "SDF":
            for mesh in spec.meshes:
                mesh.needsdf, mesh.octree_maxdepth = True, octree
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._set_velocities()
        mujoco.mj_kinematics(self.model, self.data)

    def _document(self, shapes: str) -> str:
        meshes: dict[int, list[str]] = {}
        assets: list[str] = []
        for body in self.bodies:
            if isinstance(body.shape, Solid) and body.half_extents is None and id(body.shape) not in meshes:
                cut = CUTS[shapes](body.shape)
                names = [f"mesh {len(meshes)} {k}" for k in range(len(cut))]
                assets += [_mesh(n, piece) for n, piece in zip(names, cut, strict=True)]
                meshes[id(body.shape)] = names
                self.pieces += len(cut)
        kind = "sdf" if shapes == "SDF" else "mesh"
        bodies = "".join(_body(body, kind, meshes.get(id(body.shape), [])) for body in self.bodies)
        world, dt = self.scene.world, self.scene.world.dt
        return (
            f'<mujoco><option timestep="{dt}" gravity="{_text(world.gravity)}" integrator="implicitfast"'
            ' sdf_iterations="10" sdf_initpoints="40"><flag multiccd="enable"/></option>'
            '<size memory="500M"/><compiler angle="radian"/>'
            f'<default><geom condim="1" solref="{2.0 * dt} 1" solimp="0.99 0.999 1e-5"/></default>'
            f"<asset>{''.join(assets)}</asset><worldbody>{bodies}</worldbody></mujoco>"
        )

    def _set_velocities(self) -> None:
        for i, body in enumerate(self.bodies):
            joint = self.model.body_jntadr[i + 1]
            if joint >= 0 and all(body.free):
                at, R = self.model.jnt_dofadr[joint], body.pose.rotation
                arm = R @ body.centre
                self.data.qvel[at : at + 3] = body.velocity - np.cross(body.angular_velocity, arm)
                self.data.qvel[at + 3 : at + 6] = R.T @ body.angular_velocity

    @property
    def poses(self) -> list[Pose]:
        """Of the parts' frames."""
        data = self.data
        return [
            body.pose if body.fixed else Pose(data.xpos[i], quat_wxyz=data.xquat[i] / np.linalg.norm(data.xquat[i]))
            for i, body in enumerate(self.bodies, start=1)
        ]

    @property
    def twists(self) -> list[np.ndarray]:
        """Velocities at the centres of mass."""
        return [self._twist(i, body) for i, body in enumerate(self.bodies)]

    def _twist(self, i: int, body: PeerBody) -> np.ndarray:
        joint = self.model.body_jntadr[i + 1]
        if joint < 0 or not all(body.free):
            return np.zeros(6)
        at, R = self.model.jnt_dofadr[joint], self.data.xmat[i + 1].reshape(3, 3)
        w = R @ self.data.qvel[at + 3 : at + 6]
        return np.concatenate((self.data.qvel[at : at + 3] + np.cross(w, R @ body.centre), w))

    def push(self, wrenches: dict[int, np.ndarray]) -> None:
        """Apply wrenches during the next step."""
        for i, wrench in wrenches.items():
            self.data.xfrc_applied[i + 1] = wrench

    def advance(self) -> None:
        """One step."""
        self.mujoco.mj_step(self.model, self.data)

    def step(self) -> None:
        """Drive, advance and look where bodies are."""
        super().step()
        # A step ends with new coordinates, but with the places of bodies from before; these are for the judge.
        self.mujoco.mj_kinematics(self.model, self.data)


def _body(body: PeerBody, kind: str, meshes: list[str]) -> str:
    joints = "" if body.fixed else _joints(body)
    return (
        f'<body name="{body.name}" pos="{_text(body.pose.position)}" quat="{_text(body.pose.quat_wxyz)}">'
        f"{joints}{_geoms(body, kind, meshes)}</body>"
    )


def _joints(body: PeerBody) -> str:
    t = body.inertia
    inertia = _text((t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]))
    inertial = f'<inertial pos="{_text(body.centre)}" mass="{body.mass:.17g}" fullinertia="{inertia}"/>'
    if all(body.free):
        return "<freejoint/>" + inertial
    slides = [f'<joint type="slide" axis="{_text(body.pose.rotation.T @ AXES[k])}"/>' for k in range(3) if body.free[k]]
    hinges = [
        f'<joint type="hinge" axis="{_text(body.pose.rotation.T @ AXES[k])}" pos="{_text(body.centre)}"/>'
        for k in range(3)
        if body.free[3 + k]
    ]
    return "".join(slides + hinges) + inertial


def _geoms(body: PeerBody, kind: str, meshes: list[str]) -> str:
    if isinstance(body.shape, HalfSpace):
        place = _text(body.shape.offset * body.shape.normal)
        return f'<geom type="plane" size="0 0 1" pos="{place}" zaxis="{_text(body.shape.normal)}"/>'
    half = body.half_extents
    if half is not None:
        return f'<geom type="box" size="{_text(half)}" pos="{_text(body.box_centre)}" mass="0"/>'
    return "".join(f'<geom type="{kind}" mesh="{name}" mass="0"/>' for name in meshes)


def _mesh(name: str, mesh: Mesh) -> str:
    vertices, triangles = mesh
    faces = " ".join(map(str, triangles.ravel().tolist()))
    return f'<mesh name="{name}" vertex="{_text(vertices.ravel())}" face="{faces}" inertia="shell"/>'


def _text(values: Any) -> str:
    return " ".join(f"{float(v):.17g}" for v in np.asarray(values).ravel())
