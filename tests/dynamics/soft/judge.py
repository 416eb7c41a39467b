"""An outside judge: exact intersection of skins, which knows nothing of how steps are made."""

import abut


def overlapping(world):
    """Pairs of names of bodies whose surfaces meet."""
    soft = [(body.name, abut.Solid(body.vertices, body.triangles), abut.Pose()) for body in world.deformables]
    rigid = [(body.name, body.shape, body.pose) for body in world.bodies]
    pairs = [(a, b) for i, a in enumerate(soft) for b in soft[i + 1 :] + rigid]
    return [(a[0], b[0]) for a, b in pairs if abut.intersect(a[1], b[1], a[2], b[2])]
