"""Whether all that acted on bodies in a step is what changed their motion."""

import numpy as np

from physics.energy import moving_bodies

PARTS = ("contact", "joint", "hand", "damping", "lock", "load")


class Balance:
    """Steps a world; compares wrenches that can be read with the changes of momentum and spin that can be read."""

    def __init__(self, world):
        self.world = world
        self.bodies = moving_bodies(world)
        self.worst = 0.0
        """The largest share of a scale that was missing."""
        self.largest_hold = 0.0
        """What held bodies without locks, as a share of their scale, in steps that gave no time up."""

    def step(self):
        """Take a step; returns its report."""
        weights = {body: body.mass * self.world.gravity + applied(body)[:3] for body in self.bodies}
        then = [momentum(body) for body in self.bodies]
        report = self.world.step()
        for body, before in zip(self.bodies, then, strict=True):
            self._weigh(body, before, weights[body], report)
        return report

    def _weigh(self, body, before, weight, report):
        dt, reach = self.world.dt, reach_of(body)
        np.testing.assert_allclose(body.load_wrench()[:3], weight, rtol=1e-14)
        wrenches = {part: getattr(body, f"{part}_wrench")() for part in PARTS}
        got = (momentum(body) - before) / dt
        missing = in_newtons(got - sum(wrenches.values()), reach)
        # Without forces there is rounding of what the body has.
        scale = max(in_newtons(wrench, reach) for wrench in (1e-3 * before / dt, got, *wrenches.values()))
        self.worst = max(self.worst, missing / scale if scale > 0.0 else missing)
        locked = np.array(body.spec.locked)
        hold = np.where(locked, 0.0, wrenches["lock"])
        if report.time_given_up == 0.0:
            self.largest_hold = max(self.largest_hold, in_newtons(hold, reach) / (body.mass * 9.81))


def applied(body):
    return body._world._state.wrench[body.index]


def momentum(body):
    """(6,) [N s] and, about the centre of mass, [N m s]."""
    R = body.pose.rotation
    return np.concatenate((body.mass * body.velocity, R @ body.spec.inertia @ R.T @ body.angular_velocity))


def reach_of(body):
    """[m] by which torques become forces."""
    return np.sqrt(body.spec.largest_inertia / body.mass)


def in_newtons(wrench, reach):
    return float(max(np.linalg.norm(wrench[:3]), np.linalg.norm(wrench[3:]) / reach))
