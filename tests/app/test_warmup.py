"""`abut warmup`: it goes through its stages, and says how long that took and where machine code is kept."""

import re

import pytest
from rich.console import Console

from abut.app import cli, warmup
from abut.geometry.mass_kernels import volume_integrals

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def few_stages(monkeypatch):
    """The stages whose kernels every other test needs as well, and what they were called for."""
    called = []
    stages = {"parts": warmup.make_parts, "contact": lambda: called.append("contact")}
    monkeypatch.setattr(warmup, "STAGES", stages)
    return called


def test_it_says_how_long_it_took_and_where_the_cache_is(capsys, few_stages):
    assert cli.run(["warmup"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert few_stages == ["contact"]
    assert re.fullmatch(r"ready after \d+ s: parts, contact", first)
    folder = re.fullmatch(r"machine code is kept in (.+), \d+ MB", second).group(1)
    assert volume_integrals.stats.cache_path.startswith(folder)


def test_without_a_cache_that_is_said(monkeypatch, capsys):
    monkeypatch.setattr(volume_integrals.__class__, "stats", property(lambda self: type("S", (), {"cache_path": None})))
    warmup.warmup(Console(), {})
    assert "set NUMBA_CACHE_DIR" in capsys.readouterr().out
