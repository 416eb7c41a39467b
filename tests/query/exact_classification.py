"""In, out, or on which feature? In rational arithmetic, without rounding, by looking at every triangle."""

from fractions import Fraction as F
from itertools import pairwise

from torture.exact import cross, dot, sub

from abut.geometry import EdgeKind


def at(p, d, t):
    return p[0] + t * d[0], p[1] + t * d[1], p[2] + t * d[2]


def fractions(v):
    return tuple(F(float(x)) for x in v)


class ExactPart:
    """A part as fractions, and what its vertices, edges and triangles are called."""

    def __init__(self, solid):
        self.vertices = [fractions(v) for v in solid.vertices]
        self.triangles = [tuple(int(v) for v in t) for t in solid.triangles]
        self.faces = [int(f) for f in solid.faces.of_triangle]
        edges = solid.edges
        self.edges, sharp = {}, set()
        for e in range(len(edges)):
            key = tuple(int(v) for v in edges.vertices[e])
            if edges.kind[e] == EdgeKind.FLAT:
                self.edges.setdefault(key, ("f", int(edges.faces[e, 0])))
            elif self.edges.get(key, ("f",))[0] == "f":
                self.edges[key] = ("e", e)
                sharp.update(key)
        self.names = {}
        for t, f in zip(self.triangles, self.faces, strict=True):
            for v in t:
                self.names[v] = ("v", v) if v in sharp else ("f", f)

    def within(self, p, tolerance2):
        """Names of everything within the tolerance of p, with squared distances."""
        found = []
        for v, name in self.names.items():
            arm = sub(p, self.vertices[v])
            found.append((name, dot(arm, arm)))
        for (a, b), name in self.edges.items():
            found.append((name, distance2_inside_edge(p, self.vertices[a], self.vertices[b])))
        for t, f in zip(self.triangles, self.faces, strict=True):
            found.append((("f", f), distance2_above(p, *(self.vertices[v] for v in t))))
        return [(name, d2) for name, d2 in found if d2 is not None and d2 <= tolerance2]

    def name(self, p, tolerance2=F(0)):
        """Name of the lowest, nearest feature within the tolerance, else "in" or "out"."""
        found = self.within(p, tolerance2)
        if not found:
            return "in" if self.winding(p) else "out"
        (letter, number), _ = min(found, key=lambda one: ("vef".index(one[0][0]), one[1], one[0][1]))
        return f"{letter}{number}"

    def winding(self, p):
        """Winding number of a point that is not on the surface: by a ray that meets no edge."""
        for k in range(50):
            d = (F(1009 + 13 * k, 1024), F(617 - 7 * k, 1024), F(401 + 29 * k, 1024))
            total = 0
            for t in self.triangles:
                crossing = ray_crossing(p, d, *(self.vertices[v] for v in t))
                if crossing is None:
                    break
                total += crossing
            else:
                return total
        raise AssertionError("every ray meets an edge")

    def sequence(self, p, q):
        """The words of the sequence of the segment pq: points and stretches in turn."""
        d = sub(q, p)
        cuts = sorted({F(0), F(1), *self.cuts(p, d)})
        words = [self.name(at(p, d, cuts[0]))]
        for a, b in pairwise(cuts):
            words += [self.name(at(p, d, (a + b) / 2)), self.name(at(p, d, b))]
        return merged(words)

    def cuts(self, p, d):
        """Parameters in [0, 1] at which the segment may come to something else."""
        found = []
        for t in self.triangles:
            a, b, c = (self.vertices[v] for v in t)
            n = cross(sub(b, a), sub(c, a))
            rise, height = dot(n, d), dot(n, sub(a, p))
            if rise:
                found.append(height / rise)
            elif height == 0:
                for u, v in ((a, b), (b, c), (c, a)):
                    across = cross(n, sub(v, u))
                    if dot(across, d):
                        found.append(dot(across, sub(u, p)) / dot(across, d))
                found += [dot(sub(v, p), d) / dot(d, d) for v in (a, b, c)]
        return [t for t in found if 0 <= t <= 1]


def merged(words):
    """Points that are the same as both stretches beside them are none: diagonals of faces, planes beside a part."""
    kept = words[:2]
    for k in range(2, len(words) - 1, 2):
        if words[k - 1] != words[k] or words[k] != words[k + 1]:
            kept += words[k : k + 2]
    return [*kept, words[-1]]


def distance2_inside_edge(p, a, b):
    """Squared distance from a segment, None where the nearest point is an end."""
    u, w = sub(b, a), sub(p, a)
    uu, uw = dot(u, u), dot(u, w)
    return dot(w, w) - uw * uw / uu if 0 < uw < uu else None


def distance2_above(p, a, b, c):
    """Squared distance from a triangle, None where p does not lie straight above or below it."""
    n = cross(sub(b, a), sub(c, a))
    if not any(n):
        return None
    for u, v in ((a, b), (b, c), (c, a)):
        if dot(cross(n, sub(v, u)), sub(p, u)) < 0:
            return None
    return dot(n, sub(p, a)) ** 2 / dot(n, n)


def ray_crossing(p, d, a, b, c):
    """Signed crossing of a triangle by a ray: 0, 1 or -1; None where the ray meets an edge or lies in the plane."""
    a, b, c = sub(a, p), sub(b, p), sub(c, p)
    x, y, z = dot(d, cross(a, b)), dot(d, cross(b, c)), dot(d, cross(c, a))
    if min(x, y, z) < 0 < max(x, y, z):
        return 0
    n = cross(sub(b, a), sub(c, a))
    if not any(n):
        return 0
    if x * y * z == 0:
        return None
    return 0 if dot(n, a) * dot(n, d) <= 0 else (1 if dot(n, d) > 0 else -1)
