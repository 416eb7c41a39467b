"""Which bodies sleep: they stood still in the last step with forces that held them, and nothing has happened since."""

from ..._jit import kernel
from ...math.motion_tables import MOTION_WIDTH, WAY
from ..block_kernels import bodies_in
from ..bodies.body_kernels import FIXED
from ..stepping.packet_tables import bodies_of, prediction_of


@kernel
def _is_zero(table, i, first, last):
    for k in range(first, last):
        if table[i, k] != 0.0:
            return False
    return True


@kernel
def _stood_still(i, kind, motion, twist_then):
    """Whether a body that could move did not, and had no velocity before."""
    return kind[i] != FIXED and _is_zero(motion, i, WAY, MOTION_WIDTH) and _is_zero(twist_then, i, 0, 6)


@kernel
def any_stood_still(kind, motion, twist_then):
    """Whether there is anyone to fall asleep."""
    for i in range(kind.shape[0]):
        if _stood_still(i, kind, motion, twist_then):
            return True
    return False


@kernel
def _is_same(force, friction, force_then, friction_then, k):
    same = force[k] == force_then[k]
    for i in range(3):
        same = same and friction[k, i] == friction_then[k, i]
    return same


@kernel
def mark_restless(name, n, alive, force, friction, force_then, friction_then, restless_out):
    """Mark the bodies of contacts that came or went in this step, or whose forces changed, to the bit."""
    for k in range(n):
        known = k < force_then.shape[0]
        if not (known and alive[k] and _is_same(force, friction, force_then, friction_then, k)):
            restless_out[name[k, 0]] = True
            restless_out[name[k, 1]] = True


@kernel
def fall_asleep(packet, restless, pose_out, awake_out):
    """Let bodies sleep that stood still before and in this step, held by nothing but old forces; keep their poses."""
    bodies, prediction = bodies_of(packet), prediction_of(packet)
    motion, twist_then = prediction.motion, prediction.twist
    for i in range(bodies.kind.shape[0]):
        alone = _is_zero(bodies.load, i, 0, 6) and bodies.hold[i, 0] == 0.0 and not restless[i]
        awake_out[i] = bodies.kind[i] != FIXED and not (alone and _stood_still(i, bodies.kind, motion, twist_then))
        for k in range(7):
            pose_out[i, k] = bodies.pose[i, k]


@kernel
def wake_touched(block, hold, pose_then, awake_io):
    """Wake bodies that were moved, pushed or grabbed; returns how many are awake. `block` as of block_kernels."""
    count, (kind, pose, twist, wrench) = 0, bodies_in(block, hold.shape[0])
    for i in range(kind.shape[0]):
        moved = not _is_zero(twist, i, 0, 6)
        for k in range(7):
            moved = moved or pose[i, k] != pose_then[i, k]
        if kind[i] != FIXED and (moved or hold[i, 0] != 0.0 or not _is_zero(wrench, i, 0, 6)):
            awake_io[i] = True
        count += awake_io[i]
    return count
