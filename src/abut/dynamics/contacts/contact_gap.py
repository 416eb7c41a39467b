"""The distance at which contacts are held, beside the size of the parts."""

from __future__ import annotations

from ...errors import InputError

RELATIVE_CONTACT_GAP = 2e-5
"""Default distance at which contacts are held, as a fraction of the smallest dynamic part's size."""
LEAST_GAP, MOST_GAP = 1e-9, 0.01
"""Shares of that size between which it may be: rounding of places is not far below, parts seem to float above."""
NARROWEST_GAP = 1e-6
"""As a share of that size, where parts are drawn so close that the default would not fit between them."""


def checked_gap(gap: float | None, size: float) -> float:
    """The contact gap [m] of a world whose smallest part has this size; None is the default."""
    if gap is None:
        return RELATIVE_CONTACT_GAP * size
    if not LEAST_GAP * size <= gap <= MOST_GAP * size:
        raise InputError(
            f"contact_gap: expected {LEAST_GAP * size:.3g} m to {MOST_GAP * size:.3g} m beside the smallest part, of "
            f"{size:.3g} m, got {gap:g} m; leave it out for {RELATIVE_CONTACT_GAP * size:.3g} m"
        )
    return gap
