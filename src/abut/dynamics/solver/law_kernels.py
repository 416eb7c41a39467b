"""The laws of contact, friction and joints for one item: the force that a value calls for, and how far both disagree.

All are projections y = P(x - rho w) with a weight rho > 0: on f >= 0 for a contact, on the disk of radius mu y_n for
its friction (Coulomb; Alart & Curnier 1991), between two bounds for a row of a joint. x = P(x - rho w) holds for any
rho exactly where the law does.
"""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel

COULOMB, LAGGED, SLIDING = np.int64(0), np.int64(1), np.int64(2)
"""Friction laws: the cone of Coulomb; the same with the normal force of the multipliers, for which (1) of
multiplier_kernels has a potential; and friction that only acts against the slip at the start of the step, whatever
happens in it (Buck & Schömer 5)."""


@inner_kernel
def _radius(mu, x, normal, law):
    """Largest friction: of the force that the value calls for, or of that which the multiplier stands for."""
    return mu * (x if law == LAGGED else normal)


@inner_kernel
def contact_force(x, w, mu, rho, slip, law):
    """Force (normal and two tangential) that a contact answers with."""
    normal = max(x[0] - rho[0] * w[0], 0.0)
    radius = _radius(mu, x[0], normal, law)
    if law == SLIDING:
        return normal, -radius * slip[0], -radius * slip[1]
    z1, z2 = x[1] - rho[1] * w[1], x[2] - rho[1] * w[2]
    length = sqrt(z1 * z1 + z2 * z2)
    if length <= radius:
        return normal, z1, z2
    factor = radius / length
    return normal, factor * z1, factor * z2


@inner_kernel
def contact_stiffness(x, w, mu, rho, slip, law):
    """Minus the derivative of `contact_force` by w: a 3x3 matrix by rows."""
    normal = x[0] - rho[0] * w[0]
    k = rho[0] if normal > 0.0 else 0.0
    radius = _radius(mu, x[0], max(normal, 0.0), law)
    if law == SLIDING:
        return k, 0.0, 0.0, -mu * k * slip[0], 0.0, 0.0, -mu * k * slip[1], 0.0, 0.0
    z1, z2 = x[1] - rho[1] * w[1], x[2] - rho[1] * w[2]
    length = sqrt(z1 * z1 + z2 * z2)
    if length <= radius:
        stick = rho[1] if radius > 0.0 else 0.0
        return k, 0.0, 0.0, 0.0, stick, 0.0, 0.0, 0.0, stick
    t1, t2, bend = z1 / length, z2 / length, rho[1] * radius / length
    m11, m12, m22 = bend * (1.0 - t1 * t1), -bend * t1 * t2, bend * (1.0 - t2 * t2)
    grip = 0.0 if law == LAGGED else mu * k
    return k, 0.0, 0.0, grip * t1, m11, m12, grip * t2, m12, m22


@inner_kernel
def joint_force(x, w, compliance, lower, upper, rho):
    """Force of a row of a joint, and minus its derivative by w. The row's value grows with its own compliance."""
    stiffness = rho / (1.0 + rho * compliance)
    y = (x - rho * w) / (1.0 + rho * compliance)
    if y <= lower:
        return lower, 0.0
    if y >= upper:
        return upper, 0.0
    return y, stiffness


@inner_kernel
def contact_residuals(x, w, mu, slip, law):
    """By how much a contact and its friction break their laws, [m]."""
    normal = abs(min(x[0], w[0]))
    if mu <= 0.0:
        return normal, 0.0
    y = contact_force((x[0], x[1], x[2]), (0.0, w[1], w[2]), mu, (1.0, 1.0), slip, law)
    return normal, max(abs(x[1] - y[1]), abs(x[2] - y[2]))


@inner_kernel
def joint_residual(x, w, compliance, lower, upper):
    """By how much a row of a joint breaks its law, [m]."""
    value = w + compliance * x
    return abs(max(min(x - lower, value), x - upper))
