"""Evaluation: runs the items of a suite, several at a time, within a budget; replies are kept for the next try."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from sprout.errors import SproutError
from sprout.evaluation.replies.outcome_store import OutcomeStore, StoredOutcome
from sprout.evaluation.replies.recorded_model import RecordedModel
from sprout.evaluation.replies.reply_store import ReplyStore
from sprout.evaluation.replies.spending import Spending
from sprout.evaluation.suite import Item, ItemModels, NamedModel, Record, Suite
from sprout.events import Usage

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
        outcomes: the folder of whole items, for suites of which replies cannot be kept; None where none are.
    """

    tested: NamedModel
    judge: NamedModel | None = None
    server: str = ""
    store: ReplyStore | None = None
    outcomes: Path | None = None
    spending: Spending = field(default_factory=Spending)

    @property
    def names(self) -> tuple[str, ...]:
        """Key that distinguishes these models from others."""
        return (self.tested.name, self.judge.name if self.judge else "", self.server)

    def recorded(self, model: NamedModel | None, *, keeps_replies: bool) -> RecordedModel | None:
        """A model as one item calls it."""
        store = self.store if keeps_replies else None
        return None if model is None else RecordedModel(model, self.spending, store, server=self.server)


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
                records = await self.outcome(item)
            except SproutError as failure:
                self.failure = failure
                return
            self.outcomes[place] = Outcome(item.id, tuple(records))
            self.progress(len(self.outcomes), len(self.suite.items))

    async def outcome(self, item: Item) -> Sequence[Record]:
        """The records of an item, from disk if they are kept there. Raises SproutError."""
        kept, store = None, self.outcomes_on_disk
        if store is not None and (kept := store.find(self.suite, item)) is not None:
            self.access.spending.note_from_disk(kept.usage, kept.calls)
            return kept.records
        called = [
            self.access.recorded(one, keeps_replies=store is None) for one in (self.access.tested, self.access.judge)
        ]
        records = await item.run(_item_models(self.access, called))
        if store is not None:
            usage = sum_usage(one.usage for one in called if one is not None)
            calls = sum(one.calls for one in called if one is not None)
            store.save(
                self.suite, item, StoredOutcome(records=[dict(one) for one in records], calls=calls, usage=usage)
            )
        return records

    @property
    def outcomes_on_disk(self) -> OutcomeStore | None:
        """Folder of whole items, for a suite whose replies cannot be stored."""
        folder = self.access.outcomes
        return OutcomeStore(folder, self.access.names) if folder is not None and self.suite.has_random_ids else None


def sum_usage(usages: Iterable[Usage]) -> Usage:
    return reduce(Usage.plus, usages, Usage())


def _item_models(access: ModelAccess, called: Sequence[RecordedModel | None]) -> ItemModels:
    tested, judge = (
        None if chat is None or model is None else NamedModel(model.name, chat, model.traits)
        for model, chat in zip((access.tested, access.judge), called, strict=True)
    )
    assert tested is not None
    return ItemModels(tested, judge)
