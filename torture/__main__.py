"""The adversary's command: `python -m torture --minutes 5`, and `--save NAME KIND:SEED` for a regression test."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path

from .cases import KINDS, draw, nth
from .finding import Case, Verdict
from .ledger import FOLDER, Run, read, summary
from .shrink import shrink
from .worker import Worker

PATIENCE = 120.0
"""[s] of processor time after which a case counts as hanging."""
REGRESSIONS = Path("tests/regressions")


def main(arguments: list[str]) -> int:
    """Run, show or save cases; 1 if a law did not hold."""
    options = _parser().parse_args(arguments)
    if options.save:
        return _save(*options.save)
    if options.case:
        return _show(options.case, options.shrink, options.without)
    if options.summary:
        print(summary(read(FOLDER)))
        return 0
    run = torture(options)
    run.write()
    print(summary([{"commit": "this run", **run.__dict__}]))
    return 1 if run.findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--minutes", type=float, help="stop drawing cases after this time (default 5)")
    parser.add_argument("--cases", type=int, help="stop after this many cases: the same in every run")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only cases of this kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--without", action="append", default=[], metavar="LAW", help="do not look at this law")
    parser.add_argument("--summary", action="store_true", help="print what all runs in out/torture add up to")
    parser.add_argument("--case", metavar="KIND:SEED", help="play one case and print its findings")
    parser.add_argument("--shrink", action="store_true", help="with --case: make it smaller and print it")
    parser.add_argument("--save", nargs=2, metavar=("NAME", "KIND:SEED"), help="shrink a case and keep it as a test")
    return parser


def torture(options: argparse.Namespace) -> Run:
    """Judge cases in `jobs` processes until the time is over or there are enough."""
    run, lock = Run(options.seed, options.kind), threading.Lock()
    minutes = 5.0 if options.minutes is None and options.cases is None else options.minutes
    end = time.monotonic() + 60.0 * minutes if minutes is not None else float("inf")
    last = options.seed + options.cases if options.cases is not None else None
    numbers = iter(range(options.seed, last if last is not None else 2**62))

    def work() -> None:
        worker = Worker()
        while time.monotonic() < end:
            with lock:
                n = next(numbers, None)
            if n is None:
                break
            case, begin = draw(*nth(n, options.kind)), time.monotonic()
            verdict = worker.judge(case, PATIENCE)
            verdict.findings = [f for f in verdict.findings if f.law not in options.without]
            with lock:
                run.add(case, verdict, time.monotonic() - begin)
                _tell(case, verdict)
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return run


def _tell(case: Case, verdict: Verdict) -> None:
    for law in sorted(verdict.laws()):
        finding = next(f for f in verdict.findings if f.law == law)
        print(f"{case['kind']}:{case['seed']}  {law}  step {finding.step}  {finding.text}", flush=True)


def _drawn(name: str) -> Case:
    if name.endswith(".json"):
        case: Case = json.loads(Path(name).read_text())["case"]
        return case
    kind, seed = name.split(":")
    return draw(kind, int(seed))


def compact(value: object, indent: str = "") -> str:
    """JSON in which short things stand on one line."""
    flat = json.dumps(value)
    if len(flat) + len(indent) < 118 or not isinstance(value, (dict, list)):
        return flat
    inner = indent + " "
    if isinstance(value, dict):
        rows = [f"{inner}{json.dumps(key)}: {compact(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + compact(item, inner) for item in value) + f"\n{indent}]"


def _show(name: str, smaller: bool, without: list[str]) -> int:
    case, worker = _drawn(name), Worker()

    def judged(case: Case) -> Verdict:
        verdict = worker.judge(case, PATIENCE)
        verdict.findings = [f for f in verdict.findings if f.law not in without]
        return verdict

    verdict = judged(case)
    if smaller and verdict.findings:
        case = shrink(case, verdict.findings[0].law, judged)
        verdict = judged(case)
    worker.stop()
    print(compact(case))
    _tell(case, verdict)
    return 1 if verdict.findings else 0


def _save(name: str, which: str) -> int:
    """Shrink a case and keep it in tests/regressions, where one test plays all of them."""
    case, worker = _drawn(which), Worker()
    verdict = worker.judge(case, PATIENCE)
    if not verdict.findings:
        print(f"{which} breaks no law; nothing to save")
        return 1
    finding = verdict.findings[0]
    case = shrink(case, finding.law, lambda c: worker.judge(c, PATIENCE))
    worker.stop()
    REGRESSIONS.mkdir(parents=True, exist_ok=True)
    path = REGRESSIONS / f"{name}.json"
    path.write_text(compact({"law": finding.law, "text": finding.text, "case": case}) + "\n")
    print(f"saved {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
