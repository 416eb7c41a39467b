"""The energy that contacts alone can change.

A step moves bodies with the velocity it ends with, so kinetic energy belongs to the middle of the step. Potential
energy is therefore taken as the mean of start and end: gravity then cancels to rounding, and only contacts do work.
"""

from physics.judge import Judge


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
