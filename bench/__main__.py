"""`python -m bench [NAME…]`: measure, print a table, keep the figures in bench/results/."""

import argparse
import asyncio
import os
import sys

from rich.console import Console
from rich.table import Table

from bench.browser.page_smoothness import page
from bench.figure import Figure
from bench.load.learner_hour import b11
from bench.load.scaled_streams import b7_scaled
from bench.load.streams import b7
from bench.measures import MEASURES as SHORT_MEASURES
from bench.results import write_results
from harness.load.processes import OTHER_CORE, pin

MEASURES = SHORT_MEASURES | {"B11": b11, "B7": b7, "B7-SCALED": b7_scaled, "PAGE": page}


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
        measured = asyncio.run(MEASURES[name]())
        console.print(f"Written to {write_results(name, measured)}")
        figures.extend(measured)
    console.print(table_of(figures))
    return 0


def table_of(figures: list[Figure]) -> Table:
    """The figures as people read them."""
    table = Table(box=None, pad_edge=False)
    for heading in ("measure", "Sprout", "floor", "ratio", "goal"):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for figure in figures:
        colour = "green" if figure.met else "red"
        table.add_row(
            figure.name,
            f"{figure.value:.1f} {figure.unit}",
            f"{figure.floor:.1f} {figure.unit}",
            f"[{colour}]{figure.ratio:.2f}[/]",
            f"≤ {figure.goal}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
