"""Interrupts while kernels are compiled: a process that has none is broken off again and again in its first steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from .dice import Dice
from .finding import Case, Finding, Verdict

MOST_SECONDS = 1800.0
"""By the clock, for a process that compiles everything on a busy machine."""


def draw_cold(seed: int) -> Case:
    """Moments in processor time [s], each counted from where the last one broke a step off."""
    dice = Dice(6, seed)
    return {"kind": "cold", "seed": seed, "moments": [dice.scale(0.02, 8.0) for _ in range(12)]}


def judge_cold(case: Case) -> Verdict:
    """Play a case in a process with an empty folder for machine code."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "ABUT_QUIET": "1"}
        command = [sys.executable, "-m", "torture.cold_world", json.dumps(case["moments"])]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=MOST_SECONDS, check=False
        )
    verdict = Verdict()
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        verdict.findings.append(Finding("interrupt", f"the process ended with {done.returncode}: {last:.200}"))
        return verdict
    told = json.loads(done.stdout.splitlines()[-1])
    verdict.count("cold starts")
    verdict.count("interrupts", told["interrupts"])
    verdict.findings += [Finding("interrupt", text) for text in told["faults"]]
    return verdict
