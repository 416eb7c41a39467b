"""Does a polygon with straight moving corners reach the origin, and when first? Rational arithmetic, no rounding.

A triangle with corners c_i(t) holds the origin either inside, at a root of det(c_0, c_1, c_2), or on an edge, where
c_i x c_j = 0 and c_i . c_j <= 0. Roots are isolated by Sturm's theorem; the sign of a polynomial at a root of another
is found by refining the root's interval, and is 0 where the two have that root in common.
Polynomials are lists of fractions, lowest power first.
"""

from fractions import Fraction as F
from itertools import pairwise

import numpy as np


def trim(p):
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def add(p, q, factor=1):
    n = max(len(p), len(q))
    p, q = p + [F(0)] * (n - len(p)), q + [F(0)] * (n - len(q))
    return trim([a + factor * b for a, b in zip(p, q, strict=True)])


def mul(p, q):
    product = [F(0)] * max(0, len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            product[i + j] += a * b
    return trim(product)


def divide(p, q):
    """Quotient and remainder."""
    quotient, rest = [F(0)] * max(0, len(p) - len(q) + 1), list(p)
    while len(rest) >= len(q):
        factor, shift = rest[-1] / q[-1], len(rest) - len(q)
        quotient[shift] = factor
        rest = trim(add(rest, [F(0)] * shift + [factor * a for a in q], -1))
    return quotient, rest


def gcd(p, q):
    while q:
        p, q = q, divide(p, q)[1]
    return [a / p[-1] for a in p] if p else p


def derivative(p):
    return trim([i * a for i, a in enumerate(p)][1:])


def value(p, t):
    result = F(0)
    for a in reversed(p):
        result = result * t + a
    return result


def sign(x):
    return (x > 0) - (x < 0)


def sturm_chain(p):
    chain = [p, derivative(p)]
    while chain[-1]:
        chain.append([-a for a in divide(chain[-2], chain[-1])[1]])
    return chain[:-1]


def changes(chain, t):
    signs = [s for s in (sign(value(p, t)) for p in chain) if s]
    return sum(a != b for a, b in pairwise(signs))


class Root:
    """A root of a square-free polynomial, alone in (lo, hi], or lo = hi."""

    def __init__(self, p, chain, lo, hi):
        self.p, self.chain, self.lo, self.hi = p, chain, lo, hi

    def refine(self):
        middle = (self.lo + self.hi) / 2
        if value(self.p, middle) == 0:
            self.lo = self.hi = middle
        elif changes(self.chain, self.lo) - changes(self.chain, middle):
            self.hi = middle
        else:
            self.lo = middle

    def narrowed(self, width=F(1, 2**80)):
        while self.hi - self.lo > width:
            self.refine()
        return self

    def sign_of(self, q):
        """Sign of another polynomial at this root."""
        if not q:
            return 0
        if self.lo == self.hi:
            return sign(value(q, self.lo))
        common = gcd(self.p, q)
        if len(common) > 1 and count_roots(common, self.lo, self.hi):
            return 0
        while self.lo != self.hi and (count_roots(q, self.lo, self.hi) or value(q, self.lo) == 0):
            self.refine()
        return sign(value(q, self.hi))


def count_roots(p, lo, hi):
    """Distinct roots in (lo, hi]."""
    chain = sturm_chain(p)
    return changes(chain, lo) - changes(chain, hi)


def roots(p):
    """Roots in [0, 1] of a polynomial that is not zero, in order."""
    if len(p) < 2:
        return []
    p = divide(p, gcd(p, derivative(p)))[0]
    chain = sturm_chain(p)
    found = [Root(p, chain, F(0), F(0))] if value(p, F(0)) == 0 else []
    stack = [(F(0), F(1))]
    while stack:
        lo, hi = stack.pop()
        number = changes(chain, lo) - changes(chain, hi)
        if number == 1:
            found.append(Root(p, chain, lo, hi))
        elif number > 1:
            middle = (lo + hi) / 2
            stack += [(middle, hi), (lo, middle)]
    return found


def poly_dot(a, b):
    return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]))


def poly_cross(a, b):
    return [add(mul(a[i], b[j]), mul(a[j], b[i]), -1) for i, j in ((1, 2), (2, 0), (0, 1))]


def poly_sub(a, b):
    return [add(p, q, -1) for p, q in zip(a, b, strict=True)]


START = Root([F(0), F(1)], None, F(0), F(0))


def edge_touches(a, b):
    """Candidate times at which the origin lies on the edge ab."""
    cross, dot = poly_cross(a, b), poly_dot(a, b)
    common = gcd(gcd(cross[0], cross[1]), cross[2])
    if common:
        return [r for r in roots(common) if r.sign_of(dot) <= 0]
    return [r for r in [START, *roots(dot)] if r.sign_of(dot) <= 0]


def triangle_touches(a, b, c):
    """Times at which a triangle begins, or may begin, to hold the origin."""
    touches = edge_touches(a, b) + edge_touches(b, c) + edge_touches(c, a)
    normal = poly_cross(poly_sub(b, a), poly_sub(c, a))
    weights = [poly_dot(poly_cross(p, q), normal) for p, q in ((b, c), (c, a), (a, b))]
    det = poly_dot(a, poly_cross(b, c))
    for r in roots(det) if det else [START]:
        flat = all(r.sign_of(n) == 0 for n in normal)
        if not flat and all(r.sign_of(w) >= 0 for w in weights):
            touches.append(r)
    return touches


def polynomial_corner(first, last):
    return [trim([F(u), F(w) - F(u)]) for u, w in zip(first, last, strict=True)]


def earliest(touches):
    return min((r.narrowed() for r in touches), key=lambda r: r.hi, default=None)


def exact_vertex_face(v_t0, f_t0, v_t1, f_t1):
    """An interval (lo, hi] around the exact first time of touch, or None."""
    first = [[F(x) - F(y) for x, y in zip(p, v_t0, strict=True)] for p in f_t0]
    last = [[F(x) - F(y) for x, y in zip(p, v_t1, strict=True)] for p in f_t1]
    return earliest(triangle_touches(*(polynomial_corner(u, w) for u, w in zip(first, last, strict=True))))


def exact_edge_edge(a_t0, b_t0, a_t1, b_t1):
    """An interval (lo, hi] around the exact first time of touch, or None."""
    pairs = ((0, 0), (1, 0), (1, 1), (0, 1))

    def differences(a, b):
        return [[F(x) - F(y) for x, y in zip(a[i], b[j], strict=True)] for i, j in pairs]

    ends = zip(differences(a_t0, b_t0), differences(a_t1, b_t1), strict=True)
    c = [polynomial_corner(u, w) for u, w in ends]
    return earliest(triangle_touches(c[0], c[1], c[2]) + triangle_touches(c[0], c[2], c[3]))


def plain(array):
    """Rows of an array as lists of Python floats, which fractions take exactly."""
    return np.asarray(array, float).tolist()
