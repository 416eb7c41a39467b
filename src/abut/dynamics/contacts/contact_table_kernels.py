"""Contacts as users read them: in the world's axes, and with the numbers that features have in their parts."""

from ..._jit import inner_kernel, kernel
from ...contact.contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIED_BY_A,
    CARRIED_BY_B,
    CARRIER,
    EDGE_VERTEX,
    FEATURE_A,
    FEATURE_B,
    KIND,
    NORMAL,
    POINT_A,
    POINT_B,
    SPOT,
    VERTEX_EDGE,
)
from ...math.pose_kernels import load_pose, pose_apply
from ...math.vec_kernels import add, add_scaled, mat_vec, norm, scale
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from ..accounts.account_kernels import PRESSURE
from .contact_tables import PartNumbers

# Rows of PartNumbers.first.
VERTEX, EDGE, FACE = 0, 1, 2


@inner_kernel
def _touching(kind, of_a):
    """What touches of A, or of B."""
    if kind == EDGE_EDGE or (kind == EDGE_VERTEX and of_a) or (kind == VERTEX_EDGE and not of_a):
        return EDGE
    if (kind == FACE_VERTEX and of_a) or (kind == VERTEX_FACE and not of_a):
        return FACE
    return VERTEX


@inner_kernel
def _number(numbers, what, shape, name, k, feature):
    """Of a feature in its part; faces are looked up by the triangle that is touched."""
    place = name[k, SPOT] if what == FACE else name[k, feature]
    return numbers.number[numbers.first[what, shape] + place]


@kernel
def contact_entities(name, n, shape_of, numbers, entity_out):
    """Vertices, edges and faces (n, 2) of A and B that touch, by their numbers in the parts."""
    numbers = PartNumbers(*numbers)
    for k in range(n):
        kind, a, b = name[k, KIND], shape_of[name[k, BODY_A]], shape_of[name[k, BODY_B]]
        entity_out[k, 0] = _number(numbers, _touching(kind, True), a, name, k, FEATURE_A)
        entity_out[k, 1] = _number(numbers, _touching(kind, False), b, name, k, FEATURE_B)


@inner_kernel
def _vector(table, k, first):
    """Three columns of row k."""
    return table[k, first], table[k, first + 1], table[k, first + 2]


@inner_kernel
def _facing(place, k, X_a, X_b):
    """The normal of the features, which stands in the frame of A, of B or of the world, as its carrier says."""
    normal = _vector(place, k, NORMAL)
    if place[k, CARRIER] == CARRIED_BY_A:
        return mat_vec(X_a.R, normal)
    return mat_vec(X_b.R, normal) if place[k, CARRIER] == CARRIED_BY_B else normal


@kernel
def contact_frames(name, place, radius, acted, n, pose, frames_out):
    """Points (n, 3) half-way between the two parts, normals (n, 3) in the world and forces [N] along them: frames_out.

    The normal is the direction of the pressure that acted, and that of the features where nothing did. `radius` is how
    far each body reaches beyond its features.
    """
    point_out, normal_out, force_out = frames_out
    for k in range(n):
        X_a, X_b = load_pose(pose, name[k, BODY_A]), load_pose(pose, name[k, BODY_B])
        x_a, x_b = pose_apply(X_a, _vector(place, k, POINT_A)), pose_apply(X_b, _vector(place, k, POINT_B))
        facing = _facing(place, k, X_a, X_b)
        x_a, x_b = add_scaled(x_a, radius[name[k, BODY_A]], facing), add_scaled(x_b, -radius[name[k, BODY_B]], facing)
        middle, pressure = scale(0.5, add(x_a, x_b)), _vector(acted, k, PRESSURE)
        force = norm(pressure)
        normal = scale(1.0 / force, pressure) if force > 0.0 else facing
        force_out[k] = force
        for i in range(3):
            point_out[k, i], normal_out[k, i] = middle[i], normal[i]
