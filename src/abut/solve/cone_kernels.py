"""One Coulomb contact: its cone, the distance from a solution, and the contact solved exactly by itself.

A contact has the order normal, tangent, tangent. Its impulse r lies in the cone K = {|r_t| <= mu r_n}; with the
velocity u = W r + q and u^ = (u_n + mu |u_t|, u_t), the law of Coulomb with sticking and slipping is: u^ in the dual
cone of K and u^ . r = 0 (De Saxcé & Feng 1998).
"""

from math import inf, sqrt

from .._jit import kernel
from ..math.dense_kernels import solve3

MAX_STEPS = 60


@kernel
def project_cone(v, mu):
    """Point of {|r_t| <= mu r_n} nearest to v."""
    length = sqrt(v[1] * v[1] + v[2] * v[2])
    if length <= mu * v[0]:
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
    if q[0] >= 0.0 or not W[0] > 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return -q[0] / W[0], 0.0, 0.0
    r = solve3(W, (-q[0], -q[1], -q[2]))
    # A comparison with nan is False: a singular block goes on to slipping, which is always defined.
    if r[0] >= 0.0 and r[1] * r[1] + r[2] * r[2] <= mu * mu * r[0] * r[0]:
        return r
    return _slip(W, q, mu)


@kernel
def _slip(W, q, mu):
    """Slipping: u_n = 0, u_t = -a r_t with a > 0, |r_t| = mu r_n; one equation in a.

    With u_n = 0 the tangential system is (S + a I) r_t = -p, S the Schur complement. The share h(a) = mu r_n / |r_t| is
    below 1 at a = 0 (else it would stick), grows beyond it as a -> inf (where r_t = 0), and is almost linear in a, as
    in the secular equation of trust regions (Moré & Sorensen 1983): Newton, kept within the bracket, needs few steps.
    """
    inverse = 1.0 / W[0]
    schur = (
        W[4] - W[3] * W[1] * inverse,
        W[5] - W[3] * W[2] * inverse,
        W[7] - W[6] * W[1] * inverse,
        W[8] - W[6] * W[2] * inverse,
    )
    p1, p2 = q[1] - W[3] * q[0] * inverse, q[2] - W[6] * q[0] * inverse
    mean = 0.5 * (abs(schur[0]) + abs(schur[3]))
    # The guess of equal eigenvalues; a contact pressed by next to nothing would make it overflow.
    reach = max(-mu * q[0] * inverse, 1e-150)
    a = max(sqrt(p1 * p1 + p2 * p2) / reach - mean, 1e-3 * mean)
    low, high, r1, r2 = 0.0, inf, 0.0, 0.0
    for _ in range(MAX_STEPS):
        r1, r2 = _solve2(schur, a, -p1, -p2)
        share, slope = _normal_share(W, q, mu, schur, a, r1, r2)
        if abs(share - 1.0) <= 4e-16:
            break
        if share < 1.0:
            low = a
        else:
            high = a
        new = a - (share - 1.0) / slope
        if not low < new < high:
            new = 0.5 * (low + high) if high < inf else 2.0 * a + mean
        if abs(new - a) <= 1e-15 * a:
            break
        a = new
    return _on_cone(-(q[0] + W[1] * r1 + W[2] * r2) * inverse, r1, r2, mu)


@kernel
def _solve2(s, a, v1, v2):
    """Solution of (S + a I) x = v."""
    d1, d2 = s[0] + a, s[3] + a
    inverse = 1.0 / (d1 * d2 - s[1] * s[2])
    return (d2 * v1 - s[1] * v2) * inverse, (d1 * v2 - s[2] * v1) * inverse


@kernel
def _normal_share(W, q, mu, schur, a, r1, r2):
    """Share mu r_n / |r_t| and its derivative by a, r_t being the solution for a; inf where r_t vanishes."""
    length2 = r1 * r1 + r2 * r2
    if not length2 > 0.0:
        return inf, 1.0
    length = sqrt(length2)
    normal = -(q[0] + W[1] * r1 + W[2] * r2) / W[0]
    d1, d2 = _solve2(schur, a, r1, r2)
    by_a = (W[1] * d1 + W[2] * d2) / W[0] + normal * (r1 * d1 + r2 * d2) / length2
    return mu * normal / length, mu * by_a / length


@kernel
def _on_cone(normal, r1, r2, mu):
    """The same direction exactly on the surface of the cone."""
    normal = max(normal, 0.0)
    length = sqrt(r1 * r1 + r2 * r2)
    factor = mu * normal / length if length > 0.0 else 0.0
    return normal, factor * r1, factor * r2
