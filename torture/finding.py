"""What the judge objects to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Case = dict[str, Any]
"""A case written down: `kind`, `seed` and everything needed to play it again, as JSON holds it."""


@dataclass
class Finding:
    """A law that did not hold."""

    law: str
    """Which one, in one or two words; findings are grouped by it."""
    text: str
    """What was seen, with names and numbers."""
    step: int = -1
    """After which step, counted from 0; -1 where there are none."""
    size: float = 0.0
    """By how much, in units of what is allowed, where that means something."""

    def as_json(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        return asdict(self)


@dataclass
class Verdict:
    """What became of one case."""

    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)
    """How much was judged: worlds, steps, motions, queries, files, refusals."""
    worst: dict[str, float] = field(default_factory=dict)
    """Largest values seen of what has a limit, as `step_seconds`."""

    def count(self, what: str, n: float = 1) -> None:
        """So many more were judged."""
        self.counts[what] = self.counts.get(what, 0) + n

    def see(self, what: str, value: float) -> None:
        """A value of which the largest is kept."""
        self.worst[what] = max(self.worst.get(what, 0.0), float(value))

    def laws(self) -> set[str]:
        """Names of the laws that did not hold."""
        return {finding.law for finding in self.findings}
