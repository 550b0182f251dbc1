"""`python -m faults [NAME…]`: play the faults in their long forms and print one table of figures."""

import argparse
import asyncio
import inspect
import sys
import time

from rich.console import Console
from rich.table import Table

from faults.core import core_simulation, loop_faults, loop_simulation, sloppy_calls
from faults.core.loop_faults import ProofFigure
from faults.crashes import (
    crash_loop,
    failpoints,
    machines,
    out_of_memory,
    paused_process,
    random_kills,
    reconnect_storm,
    rolling_restart,
    shutdown,
)
from faults.http import (
    concurrent_edits,
    five_principals,
    hostile_documents,
    hostile_text,
    random_requests,
    slow_clients,
)
from faults.http.stream_readers import streams
from faults.learners import (
    answer_leaks,
    corpora,
    course_proofs,
    cramming,
    interrupted_courses,
    large_collection,
    placements,
    review_dates,
    school_class,
    study_days,
)
from faults.load import soak
from faults.storage import hot_path, nth_failure, sqlite_faults

PROOFS = {
    **loop_faults.PROOFS,
    **sqlite_faults.PROOFS,
    **failpoints.PROOFS,
    **nth_failure.PROOFS,
    **hot_path.PROOFS,
    **out_of_memory.PROOFS,
    **loop_simulation.PROOFS,
    **core_simulation.PROOFS,
    **sloppy_calls.PROOFS,
    **random_kills.PROOFS,
    **crash_loop.PROOFS,
    **shutdown.PROOFS,
    **reconnect_storm.PROOFS,
    **paused_process.PROOFS,
    **machines.PROOFS,
    **rolling_restart.PROOFS,
    **corpora.PROOFS,
    **course_proofs.PROOFS,
    **answer_leaks.PROOFS,
    **interrupted_courses.PROOFS,
    **review_dates.PROOFS,
    **placements.PROOFS,
    **study_days.PROOFS,
    **large_collection.PROOFS,
    **cramming.PROOFS,
    **school_class.PROOFS,
    **soak.PROOFS,
    **random_requests.PROOFS,
    **five_principals.PROOFS,
    **concurrent_edits.PROOFS,
    **hostile_text.PROOFS,
    **hostile_documents.PROOFS,
    **slow_clients.PROOFS,
    "streams": streams,
}
MARK = {None: "", True: "[green]holds[/]", False: "[red]BROKEN[/]"}


def main() -> int:
    """Play the named proofs, all of them by default; the exit code is 1 where a figure is not what it must be."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to play: {', '.join(PROOFS)} (all)")
    parser.add_argument("--seed", type=int, help="what chance is drawn from (1)")
    parser.add_argument("--seeds", type=int, help="how many seeds, for points (5) and histories (300)")
    parser.add_argument(
        "--count",
        type=int,
        help="how many: requests, reviews, cards (10,000), learners of placement (1,000), of cramming (20), "
        "pupils (35), days (60)",
    )
    parser.add_argument("--kills", type=int, help="how many kills, for kills (300) and machines (500)")
    parser.add_argument("--rounds", type=int, help="how often all processes are restarted, for rolling (10)")
    parser.add_argument("--step", type=int, help="for nth: only every so many (1: all of them)")
    parser.add_argument(
        "--minutes", type=float, help="after how many no learner begins another course (30), or the soak ends (60)"
    )
    parser.add_argument("--who", help="which learners, between commas (all)")
    parser.add_argument("--course", help="the one course that they take, by its file (each the next one in turn)")
    parser.add_argument(
        "--signed-in", action="store_true", default=None, help="learners and disturbed on servers with accounts"
    )
    given = parser.parse_args()
    names = given.names or list(PROOFS)
    if unknown := [name for name in names if name not in PROOFS]:
        parser.error(f"no proof {', '.join(unknown)}; there are {', '.join(PROOFS)}")
    console = Console(highlight=False)
    found: list[ProofFigure] = []
    for name in names:
        began_s = time.monotonic()
        found += asyncio.run(_run_proof(name, given))
        console.print(f"{name}: {(PROOFS[name].__doc__ or '').splitlines()[0]} ({time.monotonic() - began_s:.0f} s)")
    console.print(table_of(found))
    return 0 if all(figure.holds is not False for figure in found) else 1


async def _run_proof(name: str, given: argparse.Namespace) -> list[ProofFigure]:
    """The figures of a proof, which is called with the options that it takes."""
    known = inspect.signature(PROOFS[name]).parameters
    return await PROOFS[name](
        **{key: value for key, value in vars(given).items() if key in known and value is not None}
    )


def table_of(figures: list[ProofFigure]) -> Table:
    """The figures as people read them."""
    table = Table(box=None, pad_edge=False)
    for heading in ("proof", "figure", "value", ""):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for figure in figures:
        table.add_row(figure.proof, figure.name, figure.value, MARK[figure.holds])
    return table


if __name__ == "__main__":
    sys.exit(main())
