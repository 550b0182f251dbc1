"""`python -m bench [NAME…]`: measure, print a table, keep the figures in bench/results/."""

import argparse
import asyncio
import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measures import MEASURES as SHORT_MEASURES
from bench.measures import Figure
from bench.page import page
from bench.processes import OTHER_CORE, pin
from bench.streams import b7
from sprout import __version__

MEASURES = SHORT_MEASURES | {"B7": b7, "PAGE": page}
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run the named measures, all of them by default; the exit code is 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(MEASURES)} (all)")
    names = [name.upper() for name in parser.parse_args().names] or list(MEASURES)
    if unknown := [name for name in names if name not in MEASURES]:
        parser.error(f"no measure {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    pin(os.getpid(), OTHER_CORE)
    console = Console(highlight=False)
    figures: list[Figure] = []
    for name in names:
        console.print(f"{name}: {MEASURES[name].__doc__}")
        figures.extend(asyncio.run(MEASURES[name]()))
    console.print(table_of(figures))
    console.print(f"Written to {write(figures)}")
    return 0


def table_of(figures: list[Figure]) -> Table:
    """The figures as people read them."""
    table = Table(box=None, pad_edge=False)
    for heading in ("measure", "Sprout", "floor", "ratio", "goal"):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for figure in figures:
        met = "green" if figure.ratio <= figure.goal else "red"
        table.add_row(
            figure.name,
            f"{figure.value:.1f} {figure.unit}",
            f"{figure.floor:.1f} {figure.unit}",
            f"[{met}]{figure.ratio:.2f}[/]",
            f"≤ {figure.goal}",
        )
    return table


def write(figures: list[Figure]) -> Path:
    """Keep the figures with what they were measured on; the path of the file."""
    now = datetime.now(UTC)
    content = {
        "at": now.isoformat(timespec="seconds"),
        "sprout": __version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "cores": os.cpu_count(),
        "figures": [asdict(figure) | {"ratio": figure.ratio} for figure in figures],
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
