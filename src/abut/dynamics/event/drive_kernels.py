"""The loop of a step: integrate, search, arrive, resolve, from event to event until it is over or Python is needed.

What needs Python: candidates among bodies with many features, and more room in tables.
"""

from math import isfinite, sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ..._jit.handle import Fields, put_tuple
from ...contact.contact_tables import Surfaces, Touches
from ...math.pose_kernels import put_frame
from ...math.quat_kernels import quat_conj, quat_mul, quat_to_rotvec
from ...query.motion.feature_tables import Features
from ..joints.joint_kernels import JOINT_A, JOINT_B, ROW_KIND, SCREWED, TURNED, joint_angle
from .account_kernels import note_means, put_means
from .admission_kernels import admit, drop_points, note_slides, take_points
from .apart_kernels import put_bounds
from .dop853_kernels import advance, dense_state, put_dense
from .dop853_tables import STAGES
from .momentum_kernels import put_momenta
from .motion_kernels import derivative, pose_of
from .motion_tables import LIMIT, NORMAL, TURN, Bodies, Equations, Hinges, Room, Springs, Tables
from .note_kernels import has_room_for_notes
from .point_kernels import any_in, hold_active
from .projection_kernels import contradicted
from .resolve_kernels import follow_motors, hold_exactly, let_rise, recall, resolve
from .search_tables import (
    ACTIVE,
    ADMIT,
    ARRIVE,
    AT_ONCE,
    BLOWS,
    BY_HITS,
    CONTACTS,
    CONTRADICTED,
    CREEP,
    DENSE,
    DONE,
    ENDS,
    EVENTS,
    FAULT,
    FIRM,
    GONE,
    HANDLE,
    HINGES,
    INTEGRATE,
    KEEPS,
    LEAVE,
    NEED_HITS,
    NEED_NOTES,
    NEED_ROOM,
    NO_FORCES,
    NO_STEP,
    NOT_FINITE,
    NOTHING,
    NOW,
    PARTS,
    PAUSE,
    PHASE,
    PIECE,
    PIECES,
    PULL,
    RESOLVE,
    SEARCH,
    SHARE,
    SLIPS,
    STALLS,
    STICKS,
    STOP,
    STORM,
    STRIDES,
    TOUCH,
    TRY,
    USED,
    WHAT,
    WORK,
    WORN,
    Cones,
    Contacts,
    Joints,
    Laws,
    Limits,
    Means,
    Motors,
    Notes,
    Options,
    Pairs,
    Points,
    Scene,
    Shapes,
    Span,
    Step,
    Way,
    Work,
)
from .slip_kernels import first_change, note_gripped
from .storm_kernels import (
    LANDED,
    NO_STRIDE,
    STRIDING,
    begin_storm,
    begin_stride,
    can_stride,
    end_stride,
    hold_pushed,
    in_storm,
    length_of_stride,
    let_go_far,
    notice_storm,
)
from .support_kernels import number_of_points, put_gaps, system_of
from .touch_kernels import ARMED, MOST_TOUCHES_AT_ONCE, first_touch, need_hits
from .way_kernels import NOT_A_PULL, first_of_points

AT_ONE_MOMENT = 1e-12
"""Share of the step by which time goes on at least between events that are not at one moment."""


SCENE = Fields(
    Scene,
    system=Fields(Equations, bodies=Bodies, springs=Springs, hinges=Hinges, tables=Tables, room=Room),
    step=Step,
    shapes=Fields(Shapes, table=Features, surfaces=Surfaces),
    pairs=Pairs,
    points=Points,
    limits=Limits,
    motors=Motors,
    laws=Laws,
    contacts=Contacts,
    gone=Contacts,
    joints=Joints,
    notes=Notes,
    work=Work,
    cones=Cones,
    means=Means,
    touches=Touches,
    options=Options,
)
"""The tables of a scene by name."""


@kernel
def put_scene(tables, words_out):
    """Put the tables of a scene where those who hold it find them."""
    put_tuple(tables, words_out)


@lean_kernel
def put_motions(y, end, motion_out):
    """Motions with constant twists from one state to another, as checks of motions take them."""
    for i in range(motion_out.shape[0]):
        put_frame(pose_of(y, i), i, motion_out)
        q = (y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3])
        turned = (end[i, TURN], end[i, TURN + 1], end[i, TURN + 2], end[i, TURN + 3])
        r = quat_to_rotvec(quat_mul(turned, quat_conj(q)))
        for k in range(3):
            motion_out[i, 12 + k], motion_out[i, 15 + k] = end[i, k] - y[i, k], r[k]


@inner_kernel
def _way(scene):
    step = scene.step
    return Way(step.y, step.dense, scene.clock[USED], step.bounds, step.spare)


@inner_kernel
def _any_rubs(scene):
    """Whether friction acts at an active point."""
    return any_in(SLIPS, scene) or any_in(STICKS, scene)


@inner_kernel
def _work_of_step(m, n):
    """Of an integration step with m hinges and n bodies, and of the search on its way, in units of about 10 ns."""
    return 100 + STAGES * (5 * n + 5 * m + m * m * (12 + m) // 30)


@inner_kernel
def _number_of_firm(scene):
    """How many hinges are of joints and of motors that keep to their speeds; these come first."""
    n = 0
    for k in range(scene.motors.index.shape[0]):
        n += 1 if scene.motors.mode[k] == KEEPS else 0
    return scene.count[FIRM] + n


@inner_kernel
def _integrate(scene_io):
    """Take one step of the integration; the phase that follows, or why there is none."""
    clock, count, step = scene_io.clock, scene_io.count, scene_io.step
    count[FAULT] = contradicted(_number_of_firm(scene_io), step.y, system_of(scene_io, count[HINGES]))
    if count[FAULT] >= 0:
        return CONTRADICTED
    longest = scene_io.options.dt - clock[NOW]
    notice_storm(scene_io, 0)
    if in_storm(scene_io):
        longest = min(longest, length_of_stride(scene_io))
        if not begin_stride(scene_io, longest):
            return NO_FORCES
    elif _any_rubs(scene_io):  # its directions follow the bodies
        hold_active(scene_io)
    system = system_of(scene_io, count[HINGES])
    clock[USED], clock[TRY] = advance(clock[TRY], longest, system, step, scene_io.means)
    count[PARTS] += 1
    count[WORK] += _work_of_step(count[HINGES], step.y.shape[0])
    if clock[USED] == 0.0:
        return NO_STEP
    count[ENDS] = clock[USED] == scene_io.options.dt - clock[NOW]
    put_bounds(clock[USED], step)
    many, near = need_hits(scene_io, _way(scene_io)) if count[BY_HITS] < 2 else (True, True)
    count[BY_HITS] = (2 if count[BY_HITS] == 2 else 1) if many else 0
    count[DENSE] = near or number_of_points(scene_io) > 0 or scene_io.motors.index.shape[0] > 0
    if count[DENSE]:
        put_dense(clock[USED], system, step)
    count[PIECE], count[PIECES], count[PHASE] = 0, 1, SEARCH
    clock[SHARE], count[WHAT] = 1.0, NOTHING
    return NEED_HITS if many else DONE


@inner_kernel
def _search(scene_io):
    """Look for the first event on a piece of the way."""
    clock, count = scene_io.clock, scene_io.count
    count[PHASE] = ARRIVE
    if not count[DENSE]:
        return DONE
    span = Span(count[PIECE] / count[PIECES], (count[PIECE] + 1) / count[PIECES])
    way = _way(scene_io)
    share, touches = first_touch(scene_io, way, span)
    what = NOTHING if share >= span.until else (TOUCH if touches else PAUSE)
    if number_of_points(scene_io) > 0 or scene_io.motors.index.shape[0] > 0:
        share, what = first_of_points(scene_io, way, Span(span.start, share), what)
    if _any_rubs(scene_io):
        share, what = first_change(scene_io, way, Span(span.start, share), what)
    if count[STALLS]:  # nobody knows when friction changes
        begin_storm(scene_io)
        count[PHASE] = INTEGRATE
        return DONE
    clock[SHARE], count[WHAT] = share, what
    return _next_piece(count)


@inner_kernel
def _next_piece(count_io):
    """After a piece of the way on which nothing happens comes the next one."""
    if count_io[WHAT] == NOTHING and count_io[PIECE] + 1 < count_io[PIECES]:
        count_io[PIECE] += 1
        count_io[PHASE] = SEARCH
        return NEED_HITS
    return DONE


@inner_kernel
def _go_to(scene_io, share):
    """Put bodies to a share of the way; whether all numbers are finite."""
    step, y = scene_io.step, scene_io.step.y
    if share < 1.0:
        dense_state(y, step.dense, share, step.new)
    good = True
    for i in range(y.shape[0]):
        length = sqrt(step.new[i, 3] ** 2 + step.new[i, 4] ** 2 + step.new[i, 5] ** 2 + step.new[i, 6] ** 2)
        for k in range(y.shape[1]):
            good = good and isfinite(step.new[i, k])
            if 3 <= k < 7:
                step.new[i, k] /= length
    if good:
        for i in range(y.shape[0]):
            for k in range(y.shape[1]):
                y[i, k] = step.new[i, k]
    return good


@inner_kernel
def _count_turns(scene_io):
    """Angles of joints where bodies are, near the last ones; the last row of the state is the world's."""
    last, tables, y = scene_io.joints.last, scene_io.system.tables, scene_io.step.y
    for k in range(last.shape[0]):
        kind, a, b = tables.joint_name[k, ROW_KIND], tables.joint_name[k, JOINT_A], tables.joint_name[k, JOINT_B]
        if kind == TURNED or kind == SCREWED:
            a, b = (a if a >= 0 else y.shape[0] - 1), (b if b >= 0 else y.shape[0] - 1)
            last[k] = joint_angle(tables.joint_place, k, pose_of(y, a), pose_of(y, b), last[k])[0]


@inner_kernel
def _arrive(scene_io):
    """Go to a share of the way, where hinges hold to rounding."""
    clock, count, points = scene_io.clock, scene_io.count, scene_io.points
    share, used, dt = clock[SHARE], clock[USED], scene_io.options.dt
    system = system_of(scene_io, count[HINGES])
    if share < 1.0:
        put_means(scene_io, system, _way(scene_io), share, scene_io.means)
    passed, momentum = share * used, scene_io.work.change
    note_means(passed / dt, system, scene_io.means, scene_io)
    put_momenta(passed, scene_io.step.y, system, scene_io.means, momentum)
    if count[STRIDES] == STRIDING:
        end_stride(passed / dt, scene_io)
    if not _go_to(scene_io, share):
        return NOT_FINITE
    follow_motors(scene_io)
    if count[STRIDES] == LANDED:
        hold_pushed(scene_io)
    hold_exactly(scene_io, momentum)
    if count[STRIDES] == LANDED:
        let_go_far(scene_io, scene_io.options.gap * (1.0 + ARMED))
    _count_turns(scene_io)
    if passed > AT_ONE_MOMENT * dt:
        count[AT_ONCE] = 0
        for p in range(number_of_points(scene_io)):
            points.pulled[p], points.gripped[p] = False, False
    count[AT_ONCE] += 1
    clock[NOW] = dt if count[ENDS] and share >= 1.0 else clock[NOW] + passed
    count[PHASE] = HANDLE
    return DONE


@inner_kernel
def _handle(scene_io):
    """Drop points that moved apart; begin with an event, if there is one."""
    count, what = scene_io.count, scene_io.count[WHAT]
    if not has_room_for_notes(scene_io):
        return NEED_NOTES
    if count[CONTACTS] + count[GONE] + 1 >= scene_io.gone.force.shape[0]:
        return NEED_ROOM
    landed, count[STRIDES] = count[STRIDES] == LANDED, NO_STRIDE
    if number_of_points(scene_io) > 0:
        if not landed:
            let_rise(scene_io)
        if drop_points(scene_io):
            hold_active(scene_io)
    if landed and count[AT_ONCE] <= MOST_TOUCHES_AT_ONCE and note_slides(scene_io):
        count[PHASE] = ADMIT
        return DONE
    if what == NOTHING or what == PAUSE:
        count[PHASE] = RESOLVE if landed and not in_storm(scene_io) else INTEGRATE
        return DONE
    notice_storm(scene_io, 1 if what == PULL or what == STOP or what == CREEP else 0)
    count[EVENTS] += 1
    count[BLOWS] = 0
    if count[EVENTS] > scene_io.options.most_events or count[AT_ONCE] > scene_io.options.most_at_once:
        return STORM
    if what == LEAVE:
        note_slides(scene_io)
    if what == PULL and not any_in(STICKS, scene_io):
        _note_pulled(scene_io)
    count[PHASE] = ADMIT if what == TOUCH or what == LEAVE else RESOLVE
    return DONE


@lean_kernel
def _note_pulled(scene_io):
    """Remember the active points that bear nothing any more, until time goes on."""
    m, force, hinges = scene_io.count[HINGES], scene_io.step.forces[0], scene_io.system.hinges
    derivative(scene_io.step.y, system_of(scene_io, m), force, scene_io.work.change)
    most = 0.0
    for r in range(m):
        if hinges.kind[r] == NORMAL or hinges.kind[r] == LIMIT:
            most = max(most, abs(force[r]))
    r = 0
    for p in range(number_of_points(scene_io)):
        if scene_io.points.status[p] != ACTIVE:
            continue
        while not (hinges.kind[r] == NORMAL or hinges.kind[r] == LIMIT):
            r += 1
        scene_io.points.pulled[p] = force[r] <= NOT_A_PULL * most
        r += 1


@inner_kernel
def _resolve(scene_io):
    """Resolve an event."""
    if scene_io.count[WHAT] == STOP:
        note_gripped(scene_io)
    why = resolve(scene_io)
    if why == NO_FORCES and can_stride(scene_io):
        begin_storm(scene_io)
        why = DONE
    if why == DONE:
        scene_io.count[PHASE] = INTEGRATE
    return why


@kernel
def drive(scene_io):
    """Go on from the phase that stands in the counts until the step is over or something is needed; says what."""
    why, count = DONE, scene_io.count
    while why == DONE:
        phase = count[PHASE]
        if phase == INTEGRATE:
            if scene_io.clock[NOW] >= scene_io.options.dt:
                return DONE
            if count[WORK] > scene_io.options.most_work:
                return WORN
            why = _integrate(scene_io)
        elif phase == SEARCH:
            why = _search(scene_io)
        elif phase == ARRIVE:
            why = _arrive(scene_io)
        elif phase == HANDLE:
            why = _handle(scene_io)
        elif phase == ADMIT:
            why = admit(scene_io)
        else:
            why = _resolve(scene_io)
    return why


@kernel
def gaps(scene_io, gap_out, rate_out):
    """Gaps of all points where bodies are, and their rates."""
    put_gaps(scene_io, scene_io.step.y, gap_out, rate_out)


@kernel
def begin(scene_io):
    """Take the contacts of the last step as points."""
    take_points(scene_io)
    recall(scene_io)


@kernel
def state_at(scene, x, y_out):
    """State at a share of the way."""
    dense_state(scene.step.y, scene.step.dense, x, y_out)
