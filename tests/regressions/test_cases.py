"""Cases that once broke a law, made small by `python -m torture --save`: each is played and judged again."""

import json
from pathlib import Path

import pytest
from torture.cases import judge

CASES = sorted(Path(__file__).parent.glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_breaks_no_law(path):
    verdict = judge(json.loads(path.read_text())["case"])
    assert not verdict.findings
