"""The common face of all engines in the comparison."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

import numpy as np

from abut import Pose
from abut.scene.scenes import Scene

from .snapshot import PeerBody, Puppeteer


class Engine(ABC):
    """A scene in some engine. Only `advance` is timed, in processor seconds."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.time, self.seconds, self.steps = scene, 0.0, 0.0, 0

    @property
    @abstractmethod
    def poses(self) -> list[Pose]:
        """Of the parts' frames, one per body of the scene."""

    @abstractmethod
    def drive(self) -> None:
        """Apply what drives the scene during the next step."""

    @abstractmethod
    def advance(self) -> None:
        """One step of the engine."""

    def step(self) -> None:
        """Drive, advance and count the time of it."""
        self.drive()
        start = time.process_time()
        self.advance()
        self.seconds += time.process_time() - start
        self.steps += 1
        self.time += self.scene.world.dt


class AbutEngine(Engine):
    """The scene in its own world."""

    @property
    def poses(self) -> list[Pose]:
        """Of the parts' frames."""
        return [body.pose for body in self.scene.world.bodies]

    def drive(self) -> None:
        """Apply what drives the scene."""
        if self.scene.drive is not None:
            self.scene.drive(self.scene.world, self.time)

    def advance(self) -> None:
        """One step."""
        self.scene.world.step()


class PeerEngine(Engine):
    """A scene in another engine, driven by the same law."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.puppeteer = Puppeteer(scene)
        self.bodies: list[PeerBody] = self.puppeteer.bodies

    def drive(self) -> None:
        """Apply what drives the scene."""
        self.push(self.puppeteer.wrenches(self.time, self.poses, self.twists))

    @property
    @abstractmethod
    def twists(self) -> list[np.ndarray]:
        """(6,) velocity of the centre of mass and angular velocity of every body, in the world's axes."""

    @abstractmethod
    def push(self, wrenches: dict[int, np.ndarray]) -> None:
        """Apply a force and a torque about the centre of mass to bodies during the next step."""
