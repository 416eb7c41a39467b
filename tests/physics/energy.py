"""The energy that contacts alone can change.

A step moves bodies with the velocity it ends with, so kinetic energy belongs to the middle of the step. Potential
energy is therefore taken as the mean of start and end: gravity then cancels to rounding, and only contacts do work.
"""

import numpy as np

from physics.judge import Judge


def moving_bodies(world):
    """All but fixed and kinematic ones."""
    return [body for body in world.bodies if np.isfinite(body.mass)]


class EnergyWatch:
    """Follows the energy of a world from step to step."""

    def __init__(self, world):
        self.world, self.potential = world, world.energy - world.kinetic_energy
        self.start = self.lowest = world.energy
        self.largest_kinetic, self.rise, self.energy = world.kinetic_energy, 0.0, world.energy

    def step(self):
        """Call it after every step."""
        kinetic = self.world.kinetic_energy
        potential = self.world.energy - kinetic
        self.energy = kinetic + 0.5 * (self.potential + potential)
        self.potential = potential
        self.lowest = min(self.lowest, self.energy)
        self.largest_kinetic = max(self.largest_kinetic, kinetic)
        self.rise = max(self.rise, self.energy - self.lowest)


def run_watched(scene, duration=None, every=1, tolerance=2e-3):
    """Run a scene, judged every so many steps; fails where contacts without restitution add energy.

    Energy may come back by a small part of the largest kinetic energy: the direction of a contact is that of the start
    of a step, which is wrong by dt^2. Returns the reports.
    """
    judge, watch, reports = Judge(scene.world), EnergyWatch(scene.world), []
    for k, report in enumerate(scene.run(duration)):
        watch.step()
        assert k % every or judge.overlap() is None, f"{judge.overlap()} overlap after step {k}"
        reports.append(report)
    assert watch.rise <= tolerance * watch.largest_kinetic
    return reports


class EnergyLaw:
    """Holds every step to the law: no energy but from what works on the bodies.

    Energy is taken by two measures, with the velocities of a step, and with those half a step later: the first falls in
    free fall and rises as bodies rise, by half the weight's work in a step, the second is right then, but not where
    something carries part of a weight. What grows by both comes from nowhere.
    """

    def __init__(self, world):
        self.world, self.worst = world, 0.0
        self.energy = self._measures()

    def _measures(self):
        world = self.world
        pull = 0.5 * world.dt * np.asarray(world.gravity)
        moving = moving_bodies(world)
        later = sum(body.mass * (body.velocity @ pull + 0.5 * pull @ pull) for body in moving)
        return np.array([world.energy, world.energy + later])

    def step(self, given=0.0):
        """A step, in which the bodies may gain the energy given, and force times contact gap at every contact."""
        world, before, kinetic = self.world, self._measures(), self.world.kinetic_energy
        report = world.step()
        after = self._measures()
        mended = world.contact_gap * np.abs(world.contacts["force"]).sum() * report.parts
        gain = (after - before).min() - given - mended
        self.worst = max(self.worst, gain / max(kinetic + abs(given), 1e-300))
        return report
