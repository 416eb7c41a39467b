"""What was judged so far: every run adds a line to out/torture/runs.jsonl, and the lines add up."""

from __future__ import annotations

import json
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .finding import Case, Verdict

FOLDER = Path("out/torture")


@dataclass
class Run:
    """Sums of one run."""

    seed: int
    kind: str | None
    begun: float = field(default_factory=time.time)
    seconds: float = 0.0
    """Of all workers together."""
    cases: int = 0
    counts: dict[str, float] = field(default_factory=dict)
    worst: dict[str, list[Any]] = field(default_factory=dict)
    """Largest value of each kind, and the case it was seen in."""
    findings: list[dict[str, Any]] = field(default_factory=list)

    def add(self, case: Case, verdict: Verdict, seconds: float) -> None:
        """One more case."""
        self.cases += 1
        self.seconds += seconds
        name = f"{case['kind']}:{case['seed']}"
        for what, n in verdict.counts.items():
            self.counts[what] = self.counts.get(what, 0) + n
        for what, value in verdict.worst.items():
            if value > self.worst.get(what, [0.0])[0]:
                self.worst[what] = [value, name]
        seen: set[str] = set()
        for finding in verdict.findings:
            if finding.law not in seen:
                self.findings.append({"case": name, **finding.as_json()})
            seen.add(finding.law)

    def write(self, folder: Path = FOLDER) -> None:
        """Add the run to the ledger."""
        folder.mkdir(parents=True, exist_ok=True)
        row = {"commit": _commit(), **self.__dict__}
        with (folder / "runs.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
        (folder / "summary.md").write_text(summary(read(folder)))


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def read(folder: Path = FOLDER) -> list[dict[str, Any]]:
    """All runs."""
    path = folder / "runs.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(runs: list[dict[str, Any]]) -> str:
    """All runs added up, in Markdown."""
    counts: dict[str, float] = defaultdict(float)
    worst: dict[str, list[Any]] = {}
    laws: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for run in runs:
        for what, n in run["counts"].items():
            counts[what] += n
        for what, (value, name) in run["worst"].items():
            worst[what] = max(worst.get(what, [0.0, ""]), [value, name])
        for finding in run["findings"]:
            laws[finding["law"]].append(finding | {"commit": run["commit"]})
    hours = sum(run["seconds"] for run in runs) / 3600.0
    lines = ["# Torture", "", f"{sum(run['cases'] for run in runs)} cases in {hours:.2f} hours of one core.", ""]
    lines += ["| judged | |", "|---|---|", *(f"| {what} | {int(n):,} |" for what, n in sorted(counts.items())), ""]
    lines += ["| worst | | case |", "|---|---|---|"]
    lines += [f"| {what} | {value:.4g} | {name} |" for what, (value, name) in sorted(worst.items())]
    lines += ["", "Findings: " + ("none." if not laws else ""), ""]
    for law, found in sorted(laws.items()):
        lines.append(f"* **{law}**: {len(found)}")
        lines += [f"  * {f['case']} ({f['commit']}, step {f['step']}): {f['text']}" for f in found[:10]]
    return "\n".join(lines) + "\n"
