"""One Coulomb contact: its cone, the distance from a solution, and the contact solved exactly by itself.

A contact has the order normal, tangent, tangent. Its impulse r lies in the cone K = {|r_t| <= mu r_n}; with the
velocity u = W r + q and u^ = (u_n + mu |u_t|, u_t), the law of Coulomb with sticking and slipping is: u^ in the dual
cone of K and u^ . r = 0 (De Saxcé & Feng 1998).
"""

from math import inf, sqrt

from .._jit import kernel

MAX_CONE_STEPS = 60
# Speeds and coefficients below this are none: their ratios would overflow.
TINY = 1e-50
# Slip along a force, as a share of the mean diagonal, from which the search starts at least; a share of the limit that
# is as good as equal; a change of the unknown, as a share of it, after which there is nothing left to find.
_LEAST_SLIP, _EQUAL, _SETTLED = 1e-3, 4e-16, 1e-15


@kernel
def project_cone(v, mu):
    """Point of {|r_t| <= mu r_n} nearest to v."""
    length = sqrt(v[1] * v[1] + v[2] * v[2])
    # Without friction, what points straight out of the cone has no length either.
    if v[0] >= 0.0 and length <= mu * v[0]:
        return v
    if mu * length <= -v[0]:
        return 0.0, 0.0, 0.0
    normal = (v[0] + mu * length) / (1.0 + mu * mu)
    factor = mu * normal / length
    return normal, factor * v[1], factor * v[2]


@kernel
def coulomb_residual2(r, u, mu):
    """Squared |r - P_K(r - u^)|, which is 0 exactly where contact and friction laws hold."""
    slip = sqrt(u[1] * u[1] + u[2] * u[2])
    p = project_cone((r[0] - u[0] - mu * slip, r[1] - u[1], r[2] - u[2]), mu)
    return (r[0] - p[0]) ** 2 + (r[1] - p[1]) ** 2 + (r[2] - p[2]) ** 2


@kernel
def solve_contact(W, q, mu):
    """The r of a single contact with u = W r + q, W a 3x3 tuple: it lifts off, sticks, or slips."""
    if q[0] > -TINY or not W[0] > 0.0:
        return 0.0, 0.0, 0.0
    # The normal impulse is chosen so that u_n = 0; what is left is S r_t + p = u_t, S the Schur complement of W_nn.
    t1, t2 = W[1] / W[0], W[2] / W[0]
    schur = (W[4] - W[3] * t1, W[5] - W[3] * t2, W[7] - W[6] * t1, W[8] - W[6] * t2)
    p1, p2 = q[1] - W[3] * q[0] / W[0], q[2] - W[6] * q[0] / W[0]
    alone = -q[0] / W[0]
    if mu < TINY or abs(p1) + abs(p2) < TINY * TINY:
        return alone, 0.0, 0.0
    if schur[0] * schur[3] - schur[1] * schur[2] > 0.0:
        r1, r2 = _solve2(schur, 0.0, -p1, -p2)
        normal = alone - t1 * r1 - t2 * r2
        if normal >= 0.0 and r1 * r1 + r2 * r2 <= mu * mu * normal * normal:
            return normal, r1, r2
    r1, r2 = _slip(schur, (p1, p2), (alone, t1, t2), mu)
    return _on_cone(alone - t1 * r1 - t2 * r2, r1, r2, mu)


@kernel
def _slip(schur, p, normal, mu):
    """Slipping, u_t = -a r_t with a > 0 and |r_t| = mu r_n: one equation in a, (S + a I) r_t = -p being linear.

    The share h(a) = mu r_n / |r_t| is below 1 at a = 0 (else it would stick), grows beyond it as a -> inf (where r_t
    vanishes), and is almost linear in a, as in the secular equation of trust regions (Moré & Sorensen 1983): Newton,
    kept within the bracket, needs few steps.
    """
    mean = 0.5 * (abs(schur[0]) + abs(schur[3]))
    a = max(sqrt(p[0] * p[0] + p[1] * p[1]) / (mu * normal[0]) - mean, _LEAST_SLIP * mean)
    low, high, r1, r2 = 0.0, inf, 0.0, 0.0
    for _ in range(MAX_CONE_STEPS):
        r1, r2 = _solve2(schur, a, -p[0], -p[1])
        share, slope = _normal_share(schur, normal, mu, a, r1, r2)
        if abs(share - 1.0) <= _EQUAL:
            break
        if share < 1.0:
            low = a
        else:
            high = a
        new = a - (share - 1.0) / slope if slope > 0.0 and share < inf else -1.0
        if not low < new < high:
            new = 0.5 * (low + high) if high < inf else 2.0 * a + mean
        if abs(new - a) <= _SETTLED * a:
            break
        a = new
    return r1, r2


@kernel
def _solve2(s, a, v1, v2):
    """Solution of (S + a I) x = v."""
    d1, d2 = s[0] + a, s[3] + a
    inverse = 1.0 / (d1 * d2 - s[1] * s[2])
    return (d2 * v1 - s[1] * v2) * inverse, (d1 * v2 - s[2] * v1) * inverse


@kernel
def _normal_share(schur, normal, mu, a, r1, r2):
    """Share mu r_n / |r_t| and its derivative by a, r_t being the solution for a; inf where r_t vanishes."""
    length2 = r1 * r1 + r2 * r2
    if not length2 > 0.0:
        return inf, 1.0
    length = sqrt(length2)
    r_n = normal[0] - normal[1] * r1 - normal[2] * r2
    d1, d2 = _solve2(schur, a, r1, r2)
    by_a = normal[1] * d1 + normal[2] * d2 + r_n * (r1 * d1 + r2 * d2) / length2
    return mu * r_n / length, mu * by_a / length


@kernel
def _on_cone(normal, r1, r2, mu):
    """The same direction exactly on the surface of the cone."""
    normal = max(normal, 0.0)
    length = sqrt(r1 * r1 + r2 * r2)
    factor = mu * normal / length if length > 0.0 else 0.0
    return normal, factor * r1, factor * r2
