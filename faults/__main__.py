"""`python -m faults [NAME…]`: play the faults in their long forms and print one table of figures."""

import argparse
import asyncio
import sys
import time

from rich.console import Console
from rich.table import Table

from faults.figures import PROOFS, Figure

MARK = {None: "", True: "[green]holds[/]", False: "[red]BROKEN[/]"}


def main() -> int:
    """Play the named proofs, all of them by default; the exit code is 1 where a figure is not what it must be."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to play: {', '.join(PROOFS)} (all)")
    names = parser.parse_args().names or list(PROOFS)
    if unknown := [name for name in names if name not in PROOFS]:
        parser.error(f"no proof {', '.join(unknown)}; there are {', '.join(PROOFS)}")
    console = Console(highlight=False)
    figures: list[Figure] = []
    for name in names:
        began_s = time.monotonic()
        figures += asyncio.run(PROOFS[name]())  # type: ignore[arg-type]
        console.print(f"{name}: {PROOFS[name].__doc__} ({time.monotonic() - began_s:.0f} s)")
    console.print(table_of(figures))
    return 0 if all(figure.holds is not False for figure in figures) else 1


def table_of(figures: list[Figure]) -> Table:
    """The figures as people read them."""
    table = Table(box=None, pad_edge=False)
    for heading in ("proof", "figure", "value", ""):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for figure in figures:
        table.add_row(figure.proof, figure.name, figure.value, MARK[figure.holds])
    return table


if __name__ == "__main__":
    sys.exit(main())
