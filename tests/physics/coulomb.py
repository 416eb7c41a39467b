"""Coulomb's law checked from outside: by the forces and motions that a world reports, without the solver's kernels."""

import numpy as np


def slip_of(world, contact, normal):
    """Velocity [m/s] of B's surface over A's at a contact."""
    velocities = []
    for index in (contact["body_a"], contact["body_b"]):
        body = world.bodies[index]
        centre = world._state.pose[index, :3]
        velocities.append(body.velocity + np.cross(body.angular_velocity, contact["point"] - centre))
    v = velocities[1] - velocities[0]
    return v - (v @ normal) * normal


def nearest_in_disk(z, radius):
    length = np.linalg.norm(z)
    return z if length <= radius else z * (radius / length)


def normals_of(world):
    """Normals by label. Contacts act along those that they have when a step begins."""
    return {int(contact["label"]): contact["normal"] for contact in world.contacts}


def check_coulomb(world, mu, normals):
    """Forces lie in the cone and friction opposes the slip, or there is none; within what the solver promises.

    `normals` are those that acted in the step before, from which bodies have turned a little since; returns how many
    contacts, which were there already, were checked.
    """
    dt, gap = world.dt, world.contact_gap
    lightest = min(body.mass for body in world.bodies)
    to_length = dt * dt / lightest
    spin = max(np.linalg.norm(body.angular_velocity) for body in world.bodies)
    checked = 0
    for contact in world.contacts:
        normal, friction, n = contact["force"], contact["friction"], normals.get(int(contact["label"]))
        assert normal >= 0.0
        if n is None:
            continue
        checked += 1
        # Friction lies across the normal at the start of the step, between the one that acted before and this one.
        turned = np.linalg.norm(contact["normal"] - n)
        assert abs(friction @ n) <= (1e-9 + turned) * np.linalg.norm(friction)
        assert np.linalg.norm(friction) <= mu * normal * (1.0 + 1e-9) + 1e-3 * gap / to_length
        # The law as a fixed point: friction is what is nearest to friction less slip in the disk of radius mu N.
        t, w = friction * to_length, slip_of(world, contact, n) * dt
        missing = np.linalg.norm(t - nearest_in_disk(t - w, mu * normal * to_length))
        # The point is that at the end of the step, which bodies of up to 0.1 m have turned away from that at its start.
        assert missing <= 2e-3 * gap + 0.1 * (spin * dt) ** 2, missing / gap
    return checked
