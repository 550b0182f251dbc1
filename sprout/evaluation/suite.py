"""A suite: items that are run one by one, the records that each leaves, and the metrics over all records."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from sprout.agents.prompts import Prompt
from sprout.loop.model import ChatModel, ModelTraits

Record = Mapping[str, JsonValue]
Statistic = Callable[[Sequence[Record]], float | None]
Better = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model by the provider's id of it, ready to be called."""

    name: str
    chat: ChatModel
    traits: ModelTraits = ModelTraits()


@dataclass(frozen=True, slots=True)
class ItemModels:
    """Models that an item may call: the one under test, and the one that judges, if there is one."""

    tested: NamedModel
    judge: NamedModel | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is measured, the unit of every resample.

    Args:
        id: the same in every evaluation of the suite on the same data.
        run: returns the records; the same calls of models in the same order each time.
    """

    id: str
    run: Callable[[ItemModels], Awaitable[Sequence[Record]]]


@dataclass(frozen=True, slots=True)
class Metric:
    """A number over the records of a suite.

    Args:
        better: in which direction it improves; None where it only describes.
        says: what it is, in one sentence.
        flag: the field of each record whose share it is, where it is one: two evaluations are compared by McNemar's
            test of it.
    """

    name: str
    statistic: Statistic
    better: Better | None
    says: str
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class DataSource:
    """Origin of the items: a name, the licence, and a hash of their content."""

    name: str
    licence: str
    digest: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Items and metrics.

    Args:
        prompts: that its items send to a model, by the place of their file.
        agent: whose model is measured where none is named.
        calls_model: whether any item calls the model under test.
        has_random_ids: whether what its items send differs each time, so that whole items are kept instead of replies.
        wants_judge: whether it needs a judge.
    """

    name: str
    data: DataSource
    items: Sequence[Item] = field(repr=False)
    metrics: Sequence[Metric] = field(repr=False)
    prompts: Mapping[str, Prompt] = field(default_factory=dict, repr=False)
    agent: str = "grading"
    calls_model: bool = True
    has_random_ids: bool = False
    wants_judge: bool = False


def numbers(records: Sequence[Record], name: str) -> list[float]:
    """The values of a field, of the records that have one."""
    return [float(value) for one in records if isinstance(value := one.get(name), (int, float))]


def mean(name: str) -> Statistic:
    """The mean of a field, or the share of records in which it is true; None where none has it."""

    def statistic(records: Sequence[Record]) -> float | None:
        values = numbers(records, name)
        return sum(values) / len(values) if values else None

    return statistic


def share(name: str, flag: str, better: Better | None, says: str) -> Metric:
    """A metric that is the share of records in which a flag is true, of those that have it."""
    return Metric(name, mean(flag), better, says, flag=flag)


def forecasts(name: str, happened: str) -> Callable[[Sequence[Record]], list[tuple[float, bool]]]:
    """Reads pairs of a probability and of what happened from the records that have both."""

    def read(records: Sequence[Record]) -> list[tuple[float, bool]]:
        return [
            (float(one[name]), bool(one[happened]))  # type: ignore[arg-type]
            for one in records
            if one.get(name) is not None and one.get(happened) is not None
        ]

    return read
