"""Evaluation: runs the items of a suite, several at a time, within a budget; replies are kept for the next try."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sprout.errors import SproutError
from sprout.evaluation.replies.recorded_model import RecordedModel
from sprout.evaluation.replies.reply_store import ReplyStore
from sprout.evaluation.replies.spending import Spending
from sprout.evaluation.suite import Item, ItemModels, NamedModel, Record, Suite

AT_ONCE = 4

Progress = Callable[[int, int], None]
"""Receives how many items are done, of how many."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records that an item left."""

    id: str
    records: tuple[Record, ...]


class Interrupted(SproutError):
    """An evaluation stopped before its end: `cause` says why; the replies so far are on disk."""

    code = "evaluation_interrupted"

    def __init__(self, cause: SproutError, done: int, count: int) -> None:
        super().__init__(
            f"{cause} {done} of {count} items are done, and their replies are kept: the same command goes on from here."
        )
        self.cause = cause


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The models of an evaluation, and what their calls go through.

    Args:
        server: which server answers, for the replies on disk.
        store: the replies on disk; None where none are kept.
    """

    tested: NamedModel
    judge: NamedModel | None = None
    server: str = ""
    store: ReplyStore | None = None
    spending: Spending = field(default_factory=Spending)

    def for_one_item(self) -> ItemModels:
        judge = None if self.judge is None else self._recorded(self.judge)
        return ItemModels(self._recorded(self.tested), judge)

    def _recorded(self, model: NamedModel) -> NamedModel:
        chat = RecordedModel(model, self.spending, self.store, server=self.server)
        return NamedModel(model.name, chat, model.traits)


async def evaluate(suite: Suite, access: ModelAccess, progress: Progress = lambda _done, _count: None) -> list[Outcome]:
    """Run every item; the outcomes in the order of the items.

    Raises Interrupted: a model failed, or the budget is spent. Calls that are under way are waited for, since they are
    paid for, and no others begin.
    """
    run = _Evaluation(suite, access, progress, iter([*enumerate(suite.items)]))
    async with asyncio.TaskGroup() as tasks:
        for _ in range(min(AT_ONCE, len(suite.items))):
            tasks.create_task(run.work())
    if run.failure is not None:
        raise Interrupted(run.failure, len(run.outcomes), len(suite.items)) from run.failure
    return [run.outcomes[place] for place in range(len(suite.items))]


@dataclass(slots=True)
class _Evaluation:
    suite: Suite
    access: ModelAccess
    progress: Progress
    left: Iterator[tuple[int, Item]]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    failure: SproutError | None = None

    async def work(self) -> None:
        """Take items until none is left, or one has failed."""
        for place, item in self.left:
            if self.failure is not None:
                return
            try:
                records: Sequence[Record] = await item.run(self.access.for_one_item())
            except SproutError as failure:
                self.failure = failure
                return
            self.outcomes[place] = Outcome(item.id, tuple(records))
            self.progress(len(self.outcomes), len(self.suite.items))
