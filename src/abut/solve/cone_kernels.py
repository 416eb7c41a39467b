"""One Coulomb contact: its cone, the distance from a solution, and the contact solved exactly by itself.

A contact has the order normal, tangent, tangent. Its impulse r lies in the cone K = {|r_t| <= mu r_n}; with the
velocity u = W r + q and u^ = (u_n + mu |u_t|, u_t), the law of Coulomb with sticking and slipping is: u^ in the dual
cone of K and u^ . r = 0 (De Saxcé & Feng 1998).
"""

from math import sqrt

from .._jit import kernel
from ..math.dense_kernels import solve3

MAX_BISECTIONS = 80


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

    With u_n = 0 the tangential system is (S + a I) r_t = -p, S the Schur complement. h(a) = |r_t| - mu r_n is positive
    at a = 0 (else it would stick) and negative as a -> inf (where r_t = 0), so false position, kept within the bracket
    by the Illinois rule, cannot fail. a = size t / (1 - t) maps the bracket to [0, 1].
    """
    inverse = 1.0 / W[0]
    s11, s12 = W[4] - W[3] * W[1] * inverse, W[5] - W[3] * W[2] * inverse
    s21, s22 = W[7] - W[6] * W[1] * inverse, W[8] - W[6] * W[2] * inverse
    p1, p2 = q[1] - W[3] * q[0] * inverse, q[2] - W[6] * q[0] * inverse
    schur = (s11, s12, s21, s22, p1, p2)
    size = max(abs(s11) + abs(s22), 1e-300)
    low, high = 1e-14, 1.0
    h_low, h_high = _slip_excess(W, q, mu, schur, size * low)[0], mu * q[0] * inverse
    t = 0.5
    if not h_low > 0.0:
        t, high = low, low
    for _ in range(MAX_BISECTIONS):
        if high - low <= 1e-15 * high:
            break
        t = (low * h_high - high * h_low) / (h_high - h_low) if abs(h_low) < 1e300 else 0.5 * (low + high)
        if not low < t < high:
            t = 0.5 * (low + high)
        h = _slip_excess(W, q, mu, schur, size * t / (1.0 - t))[0]
        if h == 0.0:
            break
        if h > 0.0:
            low, h_low, h_high = t, h, 0.5 * h_high
        else:
            high, h_high, h_low = t, h, 0.5 * h_low
    _, r1, r2 = _slip_excess(W, q, mu, schur, size * t / (1.0 - t))
    return _on_cone(-(q[0] + W[1] * r1 + W[2] * r2) * inverse, r1, r2, mu)


@kernel
def _slip_excess(W, q, mu, schur, a):
    """|r_t| - mu r_n for u_t = -a r_t, and r_t."""
    s11, s12, s21, s22, p1, p2 = schur
    d11, d22 = s11 + a, s22 + a
    determinant = d11 * d22 - s12 * s21
    r1 = (s12 * p2 - d22 * p1) / determinant
    r2 = (s21 * p1 - d11 * p2) / determinant
    return sqrt(r1 * r1 + r2 * r2) + mu * (q[0] + W[1] * r1 + W[2] * r2) / W[0], r1, r2


@kernel
def _on_cone(normal, r1, r2, mu):
    """The same direction exactly on the surface of the cone."""
    normal = max(normal, 0.0)
    length = sqrt(r1 * r1 + r2 * r2)
    factor = mu * normal / length if length > 0.0 else 0.0
    return normal, factor * r1, factor * r2
