"""When a polynomial of time first comes down to zero: times of impact in closed form.

A ball and a plane under constant acceleration: a parabola. Two balls: one of degree four, or a parabola where both are
accelerated alike. What starts at zero or below and rises is meant to come down again.
"""

from math import inf, sqrt

from ..._jit import lean_kernel

HALVINGS = 200
"""At most, of an interval in which a polynomial is monotone."""


@lean_kernel
def descent_of_parabola(height, speed, acceleration):
    """First time > 0 at which height + speed t + acceleration t^2 / 2 comes down to 0; 0 if it is there and falls."""
    if height <= 0.0 and speed < 0.0:
        return 0.0
    if acceleration == 0.0:
        return -height / speed if speed < 0.0 else inf
    square = speed * speed - 2.0 * acceleration * height
    if acceleration < 0.0:
        root = sqrt(max(square, 0.0))
        return 2.0 * height / (root - speed) if speed < 0.0 else (speed + root) / -acceleration
    if speed >= 0.0 or square < 0.0:
        return inf
    return 2.0 * height / (sqrt(square) - speed)


@lean_kernel
def _value(c, t):
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])))


@lean_kernel
def _slope(c, t):
    return c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * 4.0 * c[4]))


@lean_kernel
def _bend(c, t):
    return 2.0 * c[2] + t * (6.0 * c[3] + t * 12.0 * c[4])


@lean_kernel
def _zero_of_slope(c, low, high):
    """Where the slope, monotone in between and of opposite signs at the ends, is zero."""
    rises = _slope(c, high) > _slope(c, low)
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        if t <= low or t >= high:
            break
        if (_slope(c, t) > 0.0) == rises:
            high = t
        else:
            low = t
    return 0.5 * (low + high)


@lean_kernel
def _zero(c, low, high):
    """Where the value comes down to zero between `low`, where it is above, and `high`: Newton's method, kept inside."""
    t = low
    for _ in range(HALVINGS):
        f, g = _value(c, t), _slope(c, t)
        if f > 0.0:
            low = t
        else:
            high = t
        step = t - f / g if g < 0.0 else inf
        t = step if low < step < high else 0.5 * (low + high)
        if t <= low or t >= high:
            break
    return low


@lean_kernel
def _bends(c, limit):
    """The times in (0, limit) at which the slope has an extremum, in order; `limit` where there are none."""
    a, b, d = 12.0 * c[4], 6.0 * c[3], 2.0 * c[2]
    if a == 0.0:
        t = -d / b if b != 0.0 else -1.0
        return (t if 0.0 < t < limit else limit), limit
    square = b * b - 4.0 * a * d
    if square <= 0.0:
        return limit, limit
    q = -0.5 * (b + (sqrt(square) if b > 0.0 else -sqrt(square)))
    s, t = q / a, (d / q if q != 0.0 else -1.0)
    s, t = min(s, t), max(s, t)
    s, t = (s if 0.0 < s < limit else limit), (t if 0.0 < t < limit else limit)
    return min(s, t), max(s, t)


@lean_kernel
def descent_of_quartic(c, limit):
    """First time in (0, limit) at which a polynomial with the coefficients c (5,) comes down to 0; inf if it does not.

    0 if it is at 0 or below and falls. Its extrema divide the time into pieces in which it is monotone.
    """
    if c[0] <= 0.0 and c[1] < 0.0:
        return 0.0
    b1, b2 = _bends(c, limit)
    start, value = 0.0, c[0]
    for k in range(3):
        low, high = (0.0 if k == 0 else (b1 if k == 1 else b2)), (b1 if k == 0 else (b2 if k == 1 else limit))
        if high <= low:
            continue
        if (_slope(c, low) > 0.0) != (_slope(c, high) > 0.0):
            turn = _zero_of_slope(c, low, high)
            now = _value(c, turn)
            if value > 0.0 >= now:
                return _zero(c, start, turn)
            start, value = turn, now
        now = _value(c, high)
        if value > 0.0 >= now:
            return _zero(c, start, high)
        start, value = high, now
    return inf
