"""Evaluation run: opens the models of an evaluation, shows its progress, and writes its scorecard."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from sprout.config import Settings, load_settings
from sprout.errors import BadInput, SetupError
from sprout.evaluation.comparison import compare
from sprout.evaluation.evaluation import ModelAccess, evaluate
from sprout.evaluation.replies.reply_store import ReplyStore
from sprout.evaluation.replies.spending import Spending
from sprout.evaluation.scorecard import Scorecard, make_scorecard, read_scorecard, scorecard_json
from sprout.evaluation.scorecard_page import comparison_page, scorecard_page
from sprout.evaluation.suite import NamedModel, Suite
from sprout.evaluation.suites import SUITES
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.loop.model import ChatModel
from sprout.models import choose_model, open_model
from sprout.offline.courses.added_course import NO_COURSES
from sprout.offline.pace import Pace
from sprout.telemetry.logs import configure_logging

OFFLINE = "offline"
LINES = 10  # of progress, where the output is no terminal


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Options of the command line."""

    suite: str
    model: str | None
    judge: str | None
    data: Path | None
    budget_usd: float | None
    out: Path


async def run_suite(request: EvaluationRequest, console: Console) -> int:
    """Run a suite and write its scorecard. Raises BadInput, SetupError, Interrupted."""
    settings = load_settings()
    configure_logging("error", settings.log_format)
    suite = await asyncio.to_thread(SUITES[request.suite].make, request.data)
    async with _open_access(request, suite, settings) as access:
        with _shown_progress(console, suite) as progress:
            outcomes = await evaluate(suite, access, progress)
    card = await asyncio.to_thread(make_scorecard, suite, outcomes, access)
    folder = request.out / card.suite / re.sub(r"[^\w.-]+", "-", card.model)
    _write(folder, card)
    console.print(scorecard_page(card), markup=False, soft_wrap=True)
    console.print(f"Written to {folder}", markup=False, soft_wrap=True)
    return 0


def compare_scorecards(before: Path, after: Path, output: Path | None) -> str:
    """The page of a comparison; empty where it was written to a file. Raises BadInput, SetupError."""
    first, second = read_scorecard(before), read_scorecard(after)
    if first.suite not in SUITES:
        raise BadInput(f"{before} is of the suite {first.suite!r}; there are: {', '.join(SUITES)}")
    page = comparison_page(compare(first, second, SUITES[first.suite].metrics()))
    if output is None:
        return page
    _write_text(output, page)
    return ""


@asynccontextmanager
async def _open_access(request: EvaluationRequest, suite: Suite, settings: Settings) -> AsyncIterator[ModelAccess]:
    """The models that the suite calls, and what they go through."""
    _check_models(request, suite)
    if not suite.calls_model or request.model == OFFLINE:
        settings = settings.model_copy(update={"api_key": None, "base_url": None})
    elif settings.offline and request.model is not None:
        raise SetupError(
            f"No provider is configured for {request.model}: set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL, "
            "or use --model offline."
        )
    if settings.offline and request.judge not in (None, OFFLINE):
        raise BadInput(f"{request.judge} cannot judge beside the offline model: both are asked at one provider.")
    async with open_model(settings, NO_COURSES, pace=Pace()) as (chat, _):
        named = {
            name: _named_model(settings, name, suite.agent, chat, request.budget_usd)
            for name in {request.model, request.judge}
        }
        yield ModelAccess(
            named[request.model],
            named[request.judge] if request.judge else None,
            server=settings.base_url or "Anthropic",
            store=None if settings.offline else ReplyStore(request.out / "replies"),
            outcomes=None if settings.offline else request.out / "outcomes",
            spending=Spending(request.budget_usd),
        )


def _check_models(request: EvaluationRequest, suite: Suite) -> None:
    """Raises BadInput: the suite calls other models than are named."""
    if suite.wants_judge and request.judge is None:
        raise BadInput(f"The suite {suite.name} needs a model that judges: give --judge NAME.")
    if request.judge is not None and not suite.wants_judge:
        raise BadInput(f"The suite {suite.name} needs no judge: leave out --judge.")
    if not suite.calls_model and request.model not in (None, OFFLINE):
        raise BadInput(f"The suite {suite.name} calls no model: leave out --model.")


def _named_model(
    settings: Settings, name: str | None, agent: str, chat: ChatModel, budget_usd: float | None
) -> NamedModel:
    """A model by its name, or that of the settings. Raises BadInput: its price is not known, and there is a budget."""
    chosen = settings if name is None else settings.model_copy(update={"model": name, "agents": {}})
    choice = choose_model(chosen, agent, small=False)
    if budget_usd is not None and facts_of(choice.name) is UNKNOWN:
        raise BadInput(
            f"No price of {choice.name} is known, so a budget in dollars would not hold: leave out --budget, and give "
            "fewer items with --data."
        )
    return NamedModel(choice.name, chat, choice.traits)


@contextmanager
def _shown_progress(console: Console, suite: Suite) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal; elsewhere a line for every tenth."""
    if console.is_terminal:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task(suite.name, total=len(suite.items))
            yield lambda done, count: bar.update(task, completed=done, total=count)
        return

    def show(done: int, count: int) -> None:
        if done * LINES // count > (done - 1) * LINES // count:
            console.print(f"{suite.name}: {done} of {count}", markup=False)

    yield show


def _write(folder: Path, card: Scorecard) -> None:
    _write_text(folder / "scorecard.json", scorecard_json(card))
    _write_text(folder / "scorecard.md", scorecard_page(card))


def _write_text(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}") from None
