"""What holds between two bodies that touch: friction and restitution."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, number
from ...errors import InputError
from .pair_kernels import pair_values


@dataclass(frozen=True, eq=False)
class PairLaws:
    """Friction and restitution of bodies and of pairs; nan where none is given."""

    friction: float = 0.0
    """Of pairs for which nothing else is said."""
    restitution: float = 0.0
    sliding: bool = False
    """Whether friction only acts against the slip at the start of a step, and nothing sticks."""
    gamma: float | None = None
    """Weight of the end of the step in the scheme of Galluzzo & Wendt, 1 / (1 + restitution), where it is used."""
    in_turn: bool = False
    """Whether impacts follow each other from pair to pair of bodies, and not one law holds for all at once."""
    of_body: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """(n_body, 2) friction and restitution."""
    pairs: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """(k, 2) bodies, the smaller number first."""
    of_pair: Floats = field(default_factory=lambda: np.zeros((0, 2)))

    def says_the_same(self, other: PairLaws) -> bool:
        """Whether two sets of laws differ in nothing."""
        plain = ("friction", "restitution", "sliding", "gamma", "in_turn")
        tables = ("of_body", "pairs", "of_pair")
        return all(getattr(self, word) == getattr(other, word) for word in plain) and all(
            np.array_equal(getattr(self, word), getattr(other, word), equal_nan=word != "pairs") for word in tables
        )

    @property
    def share_at_end(self) -> float:
        """Share of the velocities at the end of a motion in those with which it is made: gamma, or all of them."""
        return 1.0 if self.gamma is None else self.gamma

    @property
    def bouncy(self) -> bool:
        """Whether any contact may bounce by Newton's law."""
        given = max(np.nanmax(table[:, 1], initial=0.0) for table in (self.of_body, self.of_pair))
        return self.gamma is None and bool(self.restitution > 0.0 or given > 0.0)

    @cached_property
    def of_friction(self) -> tuple[Any, ...]:
        """Friction as kernels take it: the fields of PairTable."""
        given = max(np.nanmax(table[:, 0], initial=0.0) for table in (self.of_body, self.of_pair))
        if self.friction > 0.0 or given > 0.0:
            return self._table(0, self.friction)
        return (np.zeros(len(self.of_body)), 0.0, self.pairs[:0], np.zeros(0))

    @cached_property
    def of_restitution(self) -> tuple[Any, ...]:
        """Restitution likewise."""
        return self._table(1, self.restitution)

    def _table(self, column: int, default: float) -> tuple[Any, ...]:
        of_body, of_pair = (np.ascontiguousarray(table[:, column]) for table in (self.of_body, self.of_pair))
        return (of_body, default, self.pairs, of_pair)

    def with_body(self, friction: float | None, restitution: float | None) -> PairLaws:
        """Laws for one more body."""
        return replace(self, of_body=np.concatenate((self.of_body, [_known(friction, restitution)])))

    def with_pair(self, a: int, b: int, friction: float | None, restitution: float | None) -> PairLaws:
        """Laws that overrule what two bodies say; None takes that back."""
        pair = (min(a, b), max(a, b))
        others = (self.pairs != pair).any(axis=1)
        pairs = np.concatenate((self.pairs[others], np.array([pair], np.int32)))
        of_pair = np.concatenate((self.of_pair[others], [_known(friction, restitution)]))
        return replace(self, pairs=pairs, of_pair=of_pair)

    def friction_of(self, name: Ints, n: int) -> Floats:
        """(n,) friction of contacts."""
        return _values(name, n, self.of_friction)

    def restitution_of(self, name: Ints, n: int) -> Floats:
        """(n,) restitution of contacts."""
        return _values(name, n, self.of_restitution)


def _values(name: Ints, n: int, table: tuple[Any, ...]) -> Floats:
    result = np.empty(n)
    pair_values(name, n, table, result)
    return result


def _known(friction: float | None, restitution: float | None) -> tuple[float, float]:
    return (np.nan if friction is None else friction, np.nan if restitution is None else restitution)


def checked_friction(what: str, value: float) -> float:
    """A coefficient of friction."""
    return number(what, value, least=0.0)


def given_friction(what: str, value: float | None) -> float | None:
    """The same, or None where nothing is said."""
    return None if value is None else checked_friction(what, value)


def checked_restitution(what: str, value: float) -> float:
    """A coefficient of restitution."""
    e = number(what, value, least=0.0)
    if e > 1.0:
        raise InputError(f"{what}: expected a number from 0 (no bounce) to 1 (no loss), got {e:g}")
    return e


def given_restitution(what: str, value: float | None) -> float | None:
    """The same, or None where nothing is said."""
    return None if value is None else checked_restitution(what, value)
