"""What the last step took, in a snapshot: it changes nothing that comes after, so that a reader may leave it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from math import inf, isinf, isnan, nan
from typing import Any

from ..report import StepReport
from ..stepping.overlap import MovedApart, Overlap
from .archive import END_64, Section


def write_report(report: StepReport) -> Section:
    """The section of a report; infinite numbers are null."""
    data: dict[str, Any] = {}
    for field in fields(report):
        value = getattr(report, field.name)
        data[field.name] = None if isinstance(value, float) and isinf(value) else value
    data["frozen"], data["stuck"] = list(report.frozen), list(report.stuck)
    data["kinematic_overlaps"] = [
        {"a": overlap.a, "b": overlap.b, "depth": None if isnan(overlap.depth) else overlap.depth}
        for overlap in report.kinematic_overlaps
    ]
    data["moved_apart"] = write_moved_apart(report.moved_apart)
    return Section("report", data, needed=False)


def read_report(section: Section, n_body: int) -> StepReport:
    """The report of a section; what it does not say is as in a new report."""
    report = StepReport()
    for field in fields(report):
        if field.name in section.data:
            default = getattr(report, field.name)
            if isinstance(default, int):
                setattr(report, field.name, section.whole(field.name, least=0, below=END_64))
            elif isinstance(default, float):
                value = section.data[field.name]
                setattr(report, field.name, inf if value is None else section.real(field.name))
            elif isinstance(default, str):
                setattr(report, field.name, section.text(field.name))
    report.frozen = _indices(section, "frozen", n_body)
    if "stuck" in section.data:
        report.stuck = _indices(section, "stuck", n_body)
    seconds = Section(section.name, section.of_type("seconds", dict, "an object"))
    report.seconds = {phase: seconds.real(phase) for phase in seconds.data}
    if "solvers" in section.data:
        solvers = Section(section.name, section.of_type("solvers", dict, "an object"))
        report.solvers = {solver: solvers.whole(solver, least=0, below=END_64) for solver in solvers.data}
    report.kinematic_overlaps = tuple(_overlap(record) for record in section.records("kinematic_overlaps"))
    if "moved_apart" in section.data:
        report.moved_apart = read_moved_apart(section)
    return report


def write_moved_apart(moved: Iterable[MovedApart]) -> list[dict[str, Any]]:
    """Bodies that were moved before a step."""
    return [{"body": one.body, "x": one.way[0], "y": one.way[1], "z": one.way[2]} for one in moved]


def read_moved_apart(section: Section) -> tuple[MovedApart, ...]:
    """The same from a section."""
    return tuple(
        MovedApart(record.text("body"), (record.real("x"), record.real("y"), record.real("z")))
        for record in section.records("moved_apart")
    )


def _indices(section: Section, name: str, n_body: int) -> tuple[int, ...]:
    given = section.of_type(name, list, "a list")
    if not all(type(i) is int and 0 <= i < n_body for i in given):
        section.refuse(f"{name} names a body that does not exist")
    return tuple(given)


def _overlap(record: Section) -> Overlap:
    depth = nan if record.data.get("depth") is None else record.real("depth")
    return Overlap(record.text("a"), record.text("b"), depth)
