"""What the README promises beyond its examples (tests/test_docs.py runs those)."""

import re
import shlex

import pytest

from abut.app import cli
from test_docs import ROOT, examples

README = (ROOT / "README.md").read_text()


def test_the_example_shows_what_it_prints_and_fits_on_a_screen():
    ((_, code, shown),) = examples(ROOT / "README.md")
    statements = [line for line in code.splitlines() if line.strip()]
    assert shown and len(statements) <= 12


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", README + (ROOT / "CONTRIBUTING.md").read_text()))
    assert {"demo", "test"} <= named <= targets


@pytest.mark.parametrize(
    "line", re.findall(r"^abut (?:check|demo|distance|path|warmup).*?(?=\s*(?:#|$))", README, re.MULTILINE)
)
def test_commands_and_options_exist(line, capsys):
    _, command, *rest = shlex.split(line)
    assert cli.run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(option in shown for option in rest if option.startswith("--"))
