"""The long forms of the loop's proofs: each gives figures, and says which of them must be zero."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.loop.cut_streams import cut_after_each, recorded_bytes
from harness.loop.invariants import SCRIPTS, run_and_check
from harness.loop.prompt_cache import cached_share, fifteen_iterations, many_compactions, rewritten
from harness.loop.storms import SHARE, storm

EXAMPLES = 1_000
EVERY = {"cut": 1, "reset": 5}
RUNS = 200
SEED = 20_26
LEAST_CACHED_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class ProofFigure:
    """One row of the table; `holds` is None if the figure is informative only."""

    proof: str
    name: str
    value: str
    holds: bool | None = None


async def cuts() -> list[ProofFigure]:
    """A reply with thinking, text and two tool calls: cut after every single byte, reset after every fifth."""
    raw = await recorded_bytes()
    figures = [ProofFigure("cuts", "bytes of the recorded reply", f"{len(raw):,}")]
    for how, step in EVERY.items():
        outcomes = await cut_after_each(range(0, len(raw) + 1, step), how)
        wrong = {
            "text lost or doubled": sum(bool(outcome.wrong_text) for outcome in outcomes),
            "calls lost, doubled or from a partial block": sum(bool(outcome.wrong_calls) for outcome in outcomes),
            "ended otherwise than well": sum(bool(outcome.wrong_ending) for outcome in outcomes),
        }
        figures.append(ProofFigure("cuts", f"runs with a {how}", f"{len(outcomes):,}"))
        figures += [ProofFigure("cuts", f"{how}: {name}", f"{count:,}", count == 0) for name, count in wrong.items()]
    return figures


async def storms() -> list[ProofFigure]:
    """Runs against a server that fails 30 % of all requests, in ways and places drawn by a seed."""
    weather = await storm(RUNS, seed=SEED)
    must_be_zero = {
        "runs that hung": weather.hung,
        "conversations that a healthy server refused": weather.poisoned,
        "requests that were not valid": weather.invalid,
        "runs without a stated reason": weather.runs - sum(weather.endings.values()),
    }
    return [
        ProofFigure(
            "storm", "runs, requests, faults", f"{weather.runs}, {weather.requests:,}, {weather.faults.total():,}"
        ),
        ProofFigure(
            "storm", "share of requests with a fault", f"{weather.faults.total() / weather.requests:.0%} of {SHARE:.0%}"
        ),
        ProofFigure("storm", "retries shown to the learner", f"{weather.retries:,}"),
        *(ProofFigure("storm", f"ended: {ending}", f"{count}") for ending, count in weather.endings.most_common()),
        *(ProofFigure("storm", name, f"{count}", count == 0) for name, count in must_be_zero.items()),
    ]


async def behaviours() -> list[ProofFigure]:
    """Any sequence of model behaviours and tool outcomes: valid requests, nothing twice, no text lost, one ending."""
    tried, requests = await asyncio.to_thread(_search_sequences)
    return [
        ProofFigure("behaviours", "sequences tried", f"{tried:,}"),
        ProofFigure("behaviours", "requests, all of them valid", f"{requests:,}"),
        ProofFigure("behaviours", "sequences that broke a rule", "0", True),
    ]


def _search_sequences() -> tuple[int, int]:
    """Sequences and requests until all were tried. Raises AssertionError with the shortest sequence that fails."""
    tried = requests = 0

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(script=SCRIPTS, thinks=st.booleans(), renames=st.booleans())
    def search(script: list[object], thinks: bool, renames: bool) -> None:
        nonlocal tried, requests
        play = asyncio.run(run_and_check(script, thinks=thinks, renames=renames))  # type: ignore[arg-type]
        tried, requests = tried + 1, requests + len(play.requests)

    search()
    return tried, requests


async def caches() -> list[ProofFigure]:
    """Share of input tokens read from the cache, and number of changes of a request's prefix."""
    share = cached_share(await fifteen_iterations())
    play = await many_compactions()
    changes, compactions = len(rewritten(play)), len(play.of_kind("context_compacted"))
    return [
        ProofFigure(
            "cache", "input read from the cache over 15 iterations", f"{share:.1%}", share > LEAST_CACHED_SHARE
        ),
        ProofFigure(
            "cache", "requests, compactions, changed prefixes", f"{len(play.requests)}, {compactions}, {changes}"
        ),
        ProofFigure(
            "cache", "prefixes changed without a compaction", f"{max(0, changes - compactions)}", changes <= compactions
        ),
    ]


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {
    "cuts": cuts,
    "storm": storms,
    "cache": caches,
    "behaviours": behaviours,
}
