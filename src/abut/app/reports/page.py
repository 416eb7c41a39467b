"""The page of a report: one HTML file with everything in it, to be sent to a colleague, opened offline or printed."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from ...geometry.units import plain
from ..play.export import page_of_run
from ..runs import Run
from ..runs.folder import write_whole
from .figures import figures
from .pictures import as_data, at_the_end, moments, page_file, pictures

PICTURES, PICTURE_SIZE = 6, (360, 360)


def write_report(run: Run, file: Path) -> dict[str, Any]:
    """Write the page and return its figures."""
    told = figures(run)
    write_whole(file, report_page(run, told).encode())
    return told


def report_page(run: Run, told: dict[str, Any]) -> str:
    """The page as text."""
    title = told["title"] or told["source"] or str(run.folder.path)
    return page_file("report.html").format(
        title=escape(str(title)),
        style=page_file("uPlot.min.css") + page_file("report.css"),
        notice=escape(page_file("uPlot.LICENSE")).replace("--", "-"),
        state=_state(told),
        facts=_facts(told),
        pictures=_pictures(run),
        replay=_replay(run),
        measures=_table(
            ("measure", "value", ""),
            [(name, _number(value), told["units"].get(name, "")) for name, value in told["measures"].items()],
        ),
        parameters=_table(("parameter", "value"), [(k, _number(v)) for k, v in told["parameters"].items()]),
        pairs=_pair_table(told),
        regions=_region_table(told),
        health=_health(told),
        timing=_timing(told),
        events=_event_table(told),
        versions=escape(", ".join(f"{name} {value}" for name, value in told["versions"].items())),
        data=json.dumps({"curves": told["curves"], "pairs": _spans(told)}).replace("</", "<\\/"),
        library=page_file("uPlot.iife.min.js"),
        script=page_file("report.js"),
    )


def _event_table(told: dict[str, Any]) -> str:
    """The first events, and how many more there are."""
    rows = [(f"{e['time']:.6g}", e["kind"], e["text"]) for e in told["events"]]
    if more := told["more_events"]:
        rows.append(("", "", f"and {more:,} more: abut export --csv writes all events of the world"))
    return _table(("time [s]", "event", ""), rows)


def _spans(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": pair["name"], "spans": pair["spans"]} for pair in told["pairs"]]


def _state(told: dict[str, Any]) -> str:
    """How the run ended, and what a reader must know."""
    loud = [told["complaint"], told["lost"]]
    if told["totals"]["islands_unsolved"]:
        loud.append(f"up to {told['totals']['islands_unsolved']} islands of contacts stayed unsolved in a step")
    lines = "".join(f'<p class="loud">{escape(text)}</p>' for text in loud if text)
    return f'<p class="state">{escape(told["state"])}</p>{lines}'


def _facts(told: dict[str, Any]) -> str:
    totals = told["totals"]
    gap = totals["smallest_gap"]
    facts = {
        "simulated": f"{totals['simulated']:.4g} s",
        "steps": f"{totals['steps']:,} of {1e3 * totals['dt']:g} ms",
        "bodies": str(len(told["bodies"])),
        "contacts at most": str(totals["contacts_at_most"]),
        "largest force of a contact": f"{totals['largest_force']:.4g} N",
        "smallest gap": "nothing touched" if gap is None else f"{1e6 * gap:.3g} µm",
        "time given up": f"{1e3 * totals['time_given_up']:.3g} ms in {totals['steps_given_up']} steps",
    }
    return "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts.items())


def _pictures(run: Run) -> str:
    if len(run) == 0:
        return ""
    shown = at_the_end(run, moments(run, PICTURES))
    figures_of = []
    for moment, image in zip(shown, pictures(run, shown, PICTURE_SIZE), strict=True):
        words = f"{moment.time:.4g} s, contacts: {len(moment.contacts)}"
        figures_of.append(
            f'<figure><img src="{as_data(image)}" alt="{escape(words)}" width="{PICTURE_SIZE[0]}" '
            f'height="{PICTURE_SIZE[1]}"><figcaption>{escape(words)}</figcaption></figure>'
        )
    return "".join(figures_of)


def _replay(run: Run) -> str:
    """The run in three dimensions: the page of `abut replay` in a frame of its own."""
    if len(run) == 0:
        return ""
    return f'<iframe title="replay" loading="lazy" srcdoc="{escape(page_of_run(run))}"></iframe>'


def _pair_table(told: dict[str, Any]) -> str:
    rows = []
    for pair in told["pairs"]:
        features = "; ".join(f"{f['a']} on {f['b']} ({f['largest_force']:.3g} N)" for f in pair["features"][:3])
        rows.append(
            (
                pair["name"],
                f"{pair['time']:.4g}",
                f"{pair['largest_force']:.4g}",
                f"{pair['mean_force']:.4g}",
                f"{1e6 * pair['smallest_gap']:.3g}",
                str(pair["contacts_at_most"]),
                features,
            )
        )
    heads = (
        "pair",
        "touched [s]",
        "force at most [N]",
        "mean [N]",
        "gap [µm]",
        "contacts",
        "features that pushed most",
    )
    return _table(heads, rows)


def _region_table(told: dict[str, Any]) -> str:
    """Contact regions at the end."""
    rows = [
        (
            one["bodies"],
            one["features"],
            ("point", "line", "surface")[one["dim"]],
            f"{plain(one['size'], 4)} {('', 'mm', 'mm²')[one['dim']]}" if one["dim"] else "",
            plain(one["force"], 4),
            "slides" if one["slides"] else "sticks",
        )
        for one in told["regions"]
    ]
    return _table(("pair", "what touches what at the end", "", "size", "force [N]", ""), rows)


def _health(told: dict[str, Any]) -> str:
    totals = told["totals"]
    steps = max(1, totals["steps"])
    return _table(
        ("solver", ""),
        [
            ("rounds a step", f"{totals['rounds'] / steps:.2f}"),
            ("iterations a step", f"{totals['iterations'] / steps:.1f}"),
            ("largest residual", f"{totals['residual']:.2g} m"),
            ("islands unsolved, at most", str(totals["islands_unsolved"])),
            ("bodies frozen", str(len(totals["frozen"]))),
        ],
    )


def _timing(told: dict[str, Any]) -> str:
    totals = told["totals"]
    factor = totals["real_time_factor"]
    rows = [
        ("computing", f"{totals['computing']:.3g} s"),
        ("real-time factor", "-" if factor is None else f"{factor:.3g}"),
        *((phase, f"{seconds:.3g} s") for phase, seconds in told["seconds"].items()),
    ]
    return _table(("timing", ""), rows)


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
