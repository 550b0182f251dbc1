"""Scorecards that the documentation shows: made anew with `python -m scripts.scorecards`, and compared by a test."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from harness.loop.scripted_turn import claude_at
from harness.models.alphabetical_path import AlphabeticalPath
from harness.models.word_counter import WordCountingGrader
from sprout.evaluation.evaluation import ModelAccess, Outcome, evaluate
from sprout.evaluation.scorecard import Scorecard, make_scorecard, scorecard_json
from sprout.evaluation.scorecard_page import metric_table
from sprout.evaluation.suite import NamedModel, Suite
from sprout.evaluation.suites import SUITES
from sprout.offline.api.messages_api import OfflineModel
from sprout.offline.demo.router import demo_model
from sprout.offline.server import running_offline_server

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "scorecards"
PAGE = ROOT / "docs" / "evaluation.md"
BEGIN, END = "<!-- scorecard {name} -->", "<!-- end of scorecard -->"

SHOWN: Mapping[str, tuple[str, str]] = {  # name of the scorecard → suite and model
    "placement": ("placement", "sprout-offline"),
    "mastery": ("mastery", "sprout-offline"),
    "review": ("review", "sprout-offline"),
    "items-offline": ("items", "sprout-offline"),
    "graph-offline": ("graph", "sprout-offline"),
    "graph-alphabetical": ("graph", "alphabetical"),
    "leaks-offline": ("leaks", "sprout-offline"),
    "marking-offline": ("marking", "sprout-offline"),
    "marking-word-counter": ("marking", "word-counter"),
}

MODELS: Mapping[str, Callable[[], OfflineModel]] = {
    "sprout-offline": demo_model,
    "word-counter": WordCountingGrader,
    "alphabetical": AlphabeticalPath,
}


async def measure(name: str) -> tuple[Suite, list[Outcome], ModelAccess]:
    """Run the suite of a scorecard on its model."""
    kind, model = SHOWN[name]
    suite = SUITES[kind].make(None)
    async with _served(MODELS[model](), model) as access:
        return suite, await evaluate(suite, access), access


def shortened(card: Scorecard) -> Scorecard:
    """The scorecard without the records, which anybody can make again."""
    return card.model_copy(update={"items": []})


@asynccontextmanager
async def _served(model: OfflineModel, name: str) -> AsyncIterator[ModelAccess]:
    async with running_offline_server(model, keep_requests=0) as server, claude_at(server) as chat:
        yield ModelAccess(NamedModel(name, chat))


def with_table(page: str, name: str, card: Scorecard) -> str:
    """The page with the table of a scorecard in its place."""
    begin = BEGIN.format(name=name)
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(END)
    return f"{before}{begin}\n\n{metric_table(card)}\n\n{END}{after}"


async def main() -> int:
    for name in SHOWN:
        suite, outcomes, access = await measure(name)
        card = shortened(make_scorecard(suite, outcomes, access))
        await asyncio.to_thread(_record, name, card)
        print(name)
    return 0


def _record(name: str, card: Scorecard) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(scorecard_json(card), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), name, card), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
