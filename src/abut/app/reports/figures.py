"""The figures of a report, as plain numbers and texts: totals, curves over time, who touched whom and when."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import RunSummary
from ..play.event_words import event_text
from ..runs import Run
from ..runs.scene_run import summary_of
from .end_regions import end_regions
from .touches import Touches

POINTS = 1000
"""Most points of a curve; of each of so many stretches of time, the extreme value is shown."""
CURVES = 8
"""Most curves of forces; pairs that push less are told in the table only."""
PHASES = 12
LISTED_EVENTS = 100
"""Most events that are listed; the page says how many more there are."""


def figures(run: Run) -> dict[str, Any]:
    """All that a report shows, as JSON takes it."""
    summary, touches = summary_of(_totals(run)), Touches(run)
    return {
        "title": run.info.get("title") or "",
        "source": run.info.get("source", ""),
        "state": run.summary.get("state", ""),
        "complaint": summary.complaint(),
        "lost": run.lost,
        "parameters": run.info.get("parameters", {}),
        "measures": run.summary.get("measures", {}),
        "units": run.summary.get("units", {}),
        "totals": _told(run, summary, touches),
        "curves": _curves(run, touches),
        "pairs": touches.pairs(),
        "regions": end_regions(run),
        "bodies": [*run.bodies, *run.soft_bodies],
        "seconds": dict(sorted(summary.seconds.items(), key=lambda item: -item[1])[:PHASES]),
        "events": [_event(event) for event in run.events[:LISTED_EVENTS]],
        "more_events": max(len(run.events) - LISTED_EVENTS, 0),
        "versions": run.info.get("versions", {}),
    }


def _event(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "time": float(event["time"]), "text": event_text(event)}


def _totals(run: Run) -> dict[str, Any]:
    """Of a run that was killed, they stand one level deeper."""
    summary = run.summary
    return dict(summary.get("summary", summary))


def _told(run: Run, summary: RunSummary, touches: Touches) -> dict[str, Any]:
    computing = sum(summary.seconds.values())
    times = run.times
    simulated = float(times[-1] - times[0]) if len(times) else 0.0
    return {
        "steps": summary.steps,
        "dt": float(run.info.get("dt", 0.0)),
        "simulated": simulated,
        "computing": computing,
        "real_time_factor": summary.time / computing if computing > 0.0 else None,
        "contacts_at_most": summary.contacts,
        "smallest_gap": summary.smallest_gap if np.isfinite(summary.smallest_gap) else None,
        "largest_force": touches.largest_force,
        "time_given_up": summary.time_given_up,
        "steps_given_up": summary.steps_given_up,
        "islands_unsolved": summary.unsolved,
        "frozen": list(summary.frozen),
        "residual": summary.residual,
        "rounds": summary.rounds,
        "iterations": summary.iterations,
    }


def _curves(run: Run, touches: Touches) -> dict[str, dict[str, Any]]:
    """Curves over time by topic: `times`, and `lines` with a name and values; None where there is nothing."""
    reports, times = run.reports, run.times
    after = reports["time"]
    potential = run.potential_energy()
    energies = {"kinetic": run.kinetic_energy(), "potential, from the start": potential - potential[:1]}
    if run.soft_bodies:
        energies["strain"] = sum((run.strain_energy(name) for name in run.soft_bodies), np.zeros(len(times)))
    gap = np.where(reports["contacts"] > 0, reports["smallest_gap"], np.nan)
    given_up = np.cumsum(reports["time_given_up"])
    return {
        "forces": _topic("N", *touches.forces(CURVES), np.nanmax),
        "gap": _topic("m", after, {"smallest gap": gap}, np.nanmin),
        "energy": _topic("J", times, {**energies, "sum": np.sum(list(energies.values()), axis=0)}, _last),
        "contacts": _topic("", after, {"contacts": reports["contacts"]}, np.nanmax),
        "given up": _topic("s", after, {"time given up, summed": given_up}, _last),
        **({"stress": _stress(run)} if run.soft_bodies else {}),
        "work": _topic("", after, {name: reports[name] for name in ("rounds", "iterations")}, np.nanmax),
        "residual": _topic("m", after, {name: reports[name] for name in ("residual", "friction_residual")}, np.nanmax),
    }


def _stress(run: Run) -> dict[str, Any]:
    return _topic("Pa", run.times, {name: run.stress(name) for name in run.soft_bodies}, np.nanmax)


def _last(values: Floats, axis: int) -> Floats:
    return np.asarray(values[:, -1])


def _topic(unit: str, times: Floats, lines: dict[str, Floats], extreme: Any) -> dict[str, Any]:
    """Curves short enough to be drawn; of each stretch of time the extreme."""
    n = len(times)
    width = max(1, -(-n // POINTS))
    shown = {name: _reduced(np.asarray(values, float), width, extreme) for name, values in lines.items()}
    ends = np.minimum(np.arange(width, n + width, width), n) - 1
    return {"unit": unit, "times": times[ends].tolist(), "lines": shown, "steps_a_point": width}


def _reduced(values: Floats, width: int, extreme: Any) -> list[float | None]:
    if width > 1 and len(values):
        filled = np.concatenate((values, np.full(-len(values) % width, values[-1])))
        rows = filled.reshape(-1, width)
        none = np.isnan(rows).all(axis=1)
        values = np.full(len(rows), np.nan)
        values[~none] = extreme(rows[~none], axis=1)
    return [x if np.isfinite(x) else None for x in values.tolist()]
