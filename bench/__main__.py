"""Run the named topics, or all of them: each file here that has a `run` is one."""

import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console

TOPICS = sorted(p.stem for p in Path(__file__).parent.glob("[a-z]*.py") if "def run(" in p.read_text())


def main(wanted: list[str]) -> int:
    console = Console(width=110)
    unknown = [name for name in wanted if name not in TOPICS]
    if unknown:
        console.print(f"no topic {', '.join(unknown)}; there are: {', '.join(TOPICS)}")
        return 2
    for name in wanted or TOPICS:
        module = import_module(f"bench.{name}")
        console.rule(f"{name}: {(module.__doc__ or '').splitlines()[0]}")
        module.run(console)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
