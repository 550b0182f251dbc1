"""The `eval` command: its arguments. What it does is imported when it runs, so that `sprout --help` answers at once."""

import argparse
import asyncio
from pathlib import Path
from typing import Any

from sprout.commands.subcommands import add_command, dollars

DEFAULT_OUT = Path("evaluations")
SUMMARIES = {  # the suites; a test compares them with what there is
    "marking": "marks of typed answers beside a person's",
    "dialogue": "lessons of scripted learners, judged by a rubric",
    "items": "questions solved blind, guessed and looked at for flaws",
    "graph": "edges of paths beside those of an expert, and notes taken up",
    "leaks": "lessons with learners who want the answer",
    "placement": "placements of simulated learners",
    "mastery": "forecasts of the next answer by knowledge tracing",
    "review": "forecasts of recall by the review scheduler",
}


def add_eval_command(commands: Any) -> None:
    """Add `eval`, with a subcommand for each suite and one that compares."""
    parser = add_command(commands, "eval", _run_suite, "measure what Sprout does with a model: marking, leaks and more")
    suites = parser.add_subparsers(metavar="SUITE", required=True, dest="suite")
    for name, says in SUMMARIES.items():
        _add_suite(suites, name, says)
    compared = add_command(suites, "compare", _compare, "say what got better and what got worse, by paired tests")
    for place in ("before", "after"):
        compared.add_argument(
            place, type=Path, metavar=place.upper(), help="scorecard.json, or the folder that holds it"
        )
    compared.add_argument("-o", "--output", type=Path, metavar="FILE", help="Markdown file (standard output)")


def _add_suite(suites: Any, name: str, says: str) -> None:
    parser = add_command(suites, name, _run_suite, says)
    parser.add_argument(
        "--model", metavar="NAME", help="model to measure, or `offline` (that of the suite's agent in the settings)"
    )
    parser.add_argument("--judge", metavar="NAME", help="model that judges, for the suite that needs one")
    parser.add_argument(
        "--data", type=Path, metavar="PATH", help="answers, log or set to measure on (Sprout's own sample)"
    )
    parser.add_argument(
        "--budget", type=dollars, metavar="USD", help="dollars that this command may spend at most (no limit)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=DEFAULT_OUT,
        metavar="DIR",
        help="folder of scorecards and kept replies (evaluations)",
    )


def _run_suite(given: argparse.Namespace) -> int:
    from rich.console import Console

    from sprout.commands.evaluation_run import EvaluationRequest, run_suite

    request = EvaluationRequest(given.suite, given.model, given.judge, given.data, given.budget, given.out)
    console = Console(highlight=False)
    try:
        return asyncio.run(run_suite(request, console))
    except KeyboardInterrupt:
        console.print("\nStopped. What was answered is kept: the same command goes on from here.")
        raise


def _compare(given: argparse.Namespace) -> int:
    from sprout.commands.evaluation_run import compare_scorecards

    text = compare_scorecards(given.before, given.after, given.output)
    if text:
        from rich.console import Console

        Console(highlight=False, markup=False, soft_wrap=True).print(text, end="")
    return 0
