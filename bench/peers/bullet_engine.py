"""A scene in PyBullet: fixed parts as they are, moving ones as their hull or as CoACD pieces.

PyBullet has no contact between two concave moving meshes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from abut import HalfSpace, Pose, Solid
from abut.scene.scenes import Scene

from .engine import PeerEngine
from .pieces import Mesh, coacd_pieces, hull
from .snapshot import PeerBody

MARGIN = 1e-6
"""[m] by which hulls are grown; PyBullet's own default of 1 mm closes every fit here."""
ITERATIONS = 200
GUIDE_MASS = 1e-4
"""[kg] of the link between a guide's slide and its hinge, which Bullet wants to have some."""


class BulletEngine(PeerEngine):
    """Bodies stand in their principal frames, as Bullet wants them.

    `settings` go to `setPhysicsEngineParameter`: no single choice of them suits both stacks and tight fits.
    """

    def __init__(self, scene: Scene, settings: dict[str, Any]) -> None:
        super().__init__(scene)
        import pybullet

        self.p: Any = pybullet
        self.client = pybullet.connect(pybullet.DIRECT)
        self.pieces = 0
        self._shapes: dict[int, int] = {}
        self._scratch = tempfile.TemporaryDirectory()
        self._frames = [_principal(body) for body in self.bodies]
        world = scene.world
        self.p.setGravity(*world.gravity, physicsClientId=self.client)
        self.p.setPhysicsEngineParameter(
            fixedTimeStep=world.dt,
            numSolverIterations=ITERATIONS,
            numSubSteps=1,
            contactSlop=0.0,
            physicsClientId=self.client,
            **settings,
        )
        self._ids = [self._add(i, body) for i, body in enumerate(self.bodies)]

    def __del__(self) -> None:
        self.p.disconnect(self.client)

    def _add(self, i: int, body: PeerBody) -> tuple[int, int]:
        """Body and link in Bullet."""
        place = body.pose @ self._frames[i]
        spot = {"basePosition": place.position.tolist(), "baseOrientation": _xyzw(place)}
        shape = self._shape(i, body)
        if body.fixed or all(body.free):
            mass = 0.0 if body.fixed else body.mass
            number = self.p.createMultiBody(mass, shape, physicsClientId=self.client, **spot)
            link = -1
        else:
            number, link = self._guided(body, shape, spot), 1
        self._tune(number, link, i, body)
        return number, link

    def _guided(self, body: PeerBody, shape: int, spot: dict[str, Any]) -> int:
        """A body that can slide along z and turn about z."""
        if body.free != (False, False, True, False, False, True):
            raise ValueError(f"body '{body.name}': only a guide along z is known here")
        upright, nothing = (0.0, 0.0, 0.0, 1.0), [(0.0, 0.0, 0.0)] * 2
        number: int = self.p.createMultiBody(
            0.0,
            -1,
            linkMasses=[GUIDE_MASS, body.mass],
            linkCollisionShapeIndices=[-1, shape],
            linkVisualShapeIndices=[-1, -1],
            linkPositions=nothing,
            linkOrientations=[upright] * 2,
            linkInertialFramePositions=nothing,
            linkInertialFrameOrientations=[upright] * 2,
            linkParentIndices=[0, 1],
            linkJointTypes=[self.p.JOINT_PRISMATIC, self.p.JOINT_REVOLUTE],
            linkJointAxis=[(0.0, 0.0, 1.0)] * 2,
            physicsClientId=self.client,
            **spot,
        )
        for joint in (0, 1):
            control = self.p.VELOCITY_CONTROL
            self.p.setJointMotorControl2(number, joint, control, force=0.0, physicsClientId=self.client)
        return number

    def _tune(self, number: int, link: int, i: int, body: PeerBody) -> None:
        client = self.client
        self.p.changeDynamics(
            number, link, lateralFriction=0.0, rollingFriction=0.0, spinningFriction=0.0, restitution=0.0,
            linearDamping=0.0, angularDamping=0.0, physicsClientId=client,
        )  # fmt: skip
        if isinstance(body.shape, Solid):
            self.p.changeDynamics(number, link, collisionMargin=MARGIN, physicsClientId=client)
        if not body.fixed:
            turn = self._frames[i].rotation
            principal = np.diag(turn.T @ body.inertia @ turn).tolist()
            self.p.changeDynamics(number, link, localInertiaDiagonal=principal, physicsClientId=client)
            if link < 0:
                v, w = body.velocity.tolist(), body.angular_velocity.tolist()
                self.p.resetBaseVelocity(number, v, w, physicsClientId=client)

    def _shape(self, i: int, body: PeerBody) -> int:
        p, client, to_frame = self.p, self.client, self._frames[i].inverse()
        if isinstance(body.shape, HalfSpace):
            return int(
                p.createCollisionShape(p.GEOM_PLANE, planeNormal=body.shape.normal.tolist(), physicsClientId=client)
            )
        half = body.half_extents
        if half is not None:
            at = to_frame.apply(body.box_centre[None])[0].tolist()
            turn = _xyzw(to_frame)
            return int(
                p.createCollisionShape(
                    p.GEOM_BOX, halfExtents=half.tolist(), collisionFramePosition=at,
                    collisionFrameOrientation=turn, physicsClientId=client,
                )
            )  # fmt: skip
        if id(body.shape) not in self._shapes or body.fixed:
            meshes = [(body.shape.vertices, body.shape.triangles)] if body.fixed else _convex(body.shape)
            self.pieces += len(meshes)
            file = Path(self._scratch.name) / f"{i}.obj"
            file.write_text(_obj([(to_frame.apply(v), t) for v, t in meshes]))
            flags = p.GEOM_FORCE_CONCAVE_TRIMESH if body.fixed else 0
            shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(file), flags=flags, physicsClientId=client)
            if body.fixed:
                return int(shape)
            self._shapes[id(body.shape)] = shape
        return self._shapes[id(body.shape)]

    @property
    def poses(self) -> list[Pose]:
        """Of the parts' frames."""
        return [self._place(k) @ self._frames[k].inverse() for k in range(len(self.bodies))]

    def _place(self, k: int) -> Pose:
        number, link = self._ids[k]
        if link < 0:
            position, turn = self.p.getBasePositionAndOrientation(number, physicsClientId=self.client)
        else:
            position, turn = self.p.getLinkState(number, link, computeForwardKinematics=1, physicsClientId=self.client)[
                :2
            ]
        x, y, z, w = np.asarray(turn) / np.linalg.norm(turn)
        return Pose(position, quat_wxyz=(w, x, y, z))

    @property
    def twists(self) -> list[np.ndarray]:
        """Velocities at the centres of mass."""
        found = (self.p.getBaseVelocity(number, physicsClientId=self.client) for number, _ in self._ids)
        return [np.concatenate(twist) for twist in found]

    def push(self, wrenches: dict[int, np.ndarray]) -> None:
        """Apply wrenches during the next step."""
        for i, wrench in wrenches.items():
            number, link = self._ids[i]
            at, frame = self._place(i).position.tolist(), self.p.WORLD_FRAME
            self.p.applyExternalForce(number, link, wrench[:3].tolist(), at, frame, physicsClientId=self.client)
            self.p.applyExternalTorque(number, link, wrench[3:].tolist(), frame, physicsClientId=self.client)

    def advance(self) -> None:
        """One step."""
        self.p.stepSimulation(physicsClientId=self.client)


def _principal(body: PeerBody) -> Pose:
    """The frame of the principal axes in the part's frame; the part's own for what does not move freely."""
    if isinstance(body.shape, HalfSpace):
        return Pose(body.shape.offset * body.shape.normal)
    if body.fixed:
        return Pose()
    if not all(body.free):
        return Pose(body.centre)
    _, axes = np.linalg.eigh(body.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = axes, body.centre
    return Pose.from_matrix(M)


def _convex(part: Solid) -> list[Mesh]:
    whole = hull(part)
    corners = whole[0][0][whole[0][1]]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return whole if np.isclose(volume, part.volume, rtol=1e-6) else coacd_pieces(part)


def _obj(meshes: list[Mesh]) -> str:
    """A file with one object per mesh; Bullet makes a hull of each."""
    lines, first = [], 1
    for k, (vertices, triangles) in enumerate(meshes):
        lines.append(f"o piece{k}")
        lines += [f"v {x:.12g} {y:.12g} {z:.12g}" for x, y, z in vertices.tolist()]
        lines += [f"f {a + first} {b + first} {c + first}" for a, b, c in triangles.tolist()]
        first += len(vertices)
    return "\n".join(lines) + "\n"


def _xyzw(pose: Pose) -> list[float]:
    w, x, y, z = pose.quat_wxyz
    return [float(x), float(y), float(z), float(w)]
