"""Scorecard: the result of an evaluation, as it is written to disk and read again."""

import json
import platform
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from sprout import __version__
from sprout.errors import BadInput, SetupError
from sprout.evaluation.evaluation import ModelAccess, Outcome
from sprout.evaluation.measures.resampling import bootstrap, resamples_of
from sprout.evaluation.suite import Metric, Record, Suite
from sprout.events import Usage, Wire

DIGITS = 6
NO_MODEL = "none"


class Measured(Wire):
    """The value of a metric, None where the records do not give one, and the ends of its 95 % interval."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    better: Literal["higher", "lower"] | None
    says: str


class PromptVersion(Wire):
    version: int
    sha256: str


class DataDigest(Wire):
    name: str
    licence: str
    sha256: str
    items: int


class Calls(Wire):
    """Cost of the calls of an evaluation; those found on disk count as if they had been made."""

    count: int
    from_disk: int
    usage: Usage
    spent_usd: float


class ItemRecords(Wire):
    id: str
    records: list[dict[str, JsonValue]]


class Scorecard(Wire):
    """Everything that a comparison or a reader needs: what was measured, with what, on what."""

    format: Literal[1] = 1
    suite: str
    model: str
    judge: str | None
    versions: dict[str, str]
    prompts: dict[str, PromptVersion]
    data: DataDigest
    calls: Calls
    resamples: int
    metrics: list[Measured]
    items: list[ItemRecords]


def make_scorecard(
    suite: Suite, outcomes: Sequence[Outcome], access: ModelAccess, *, resamples: int | None = None
) -> Scorecard:
    """The scorecard of an evaluation.

    Args:
        resamples: of each interval; by the number of records by default.
    """
    count = resamples or resamples_of(sum(len(one.records) for one in outcomes))
    spending = access.spending
    return Scorecard(
        suite=suite.name,
        model=access.tested.name if suite.calls_model else NO_MODEL,
        judge=access.judge.name if access.judge and suite.wants_judge else None,
        versions={"sprout": __version__, "fsrs": version("fsrs"), "python": platform.python_version()},
        prompts={
            name: PromptVersion(version=one.version, sha256=sha256(one.text.encode()).hexdigest())
            for name, one in sorted(suite.prompts.items())
        },
        data=DataDigest(
            name=suite.data.name, licence=suite.data.licence, sha256=suite.data.digest, items=len(outcomes)
        ),
        calls=Calls(
            count=spending.calls + spending.calls_from_disk,
            from_disk=spending.calls_from_disk,
            usage=spending.total,
            spent_usd=spending.fresh.cost_usd,
        ),
        resamples=count,
        metrics=[_measured(metric, outcomes, count) for metric in suite.metrics],
        items=[ItemRecords(id=one.id, records=[dict(record) for record in one.records]) for one in outcomes],
    )


def all_records(items: Sequence[Outcome]) -> list[Record]:
    return [record for item in items for record in item.records]


def read_scorecard(path: Path) -> Scorecard:
    """A scorecard from its JSON file, or from the folder that holds it. Raises BadInput, SetupError."""
    file = path / "scorecard.json" if path.is_dir() else path
    try:
        return Scorecard.model_validate_json(file.read_bytes())
    except OSError as error:
        raise SetupError(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{file} is no scorecard of this version of Sprout: {place or 'the file'}: {first['msg']}"
        ) from None


def scorecard_json(card: Scorecard) -> str:
    return json.dumps(card.model_dump(), indent=1, ensure_ascii=False) + "\n"


def _measured(metric: Metric, outcomes: Sequence[Outcome], resamples: int) -> Measured:
    value = metric.statistic(all_records(outcomes))
    interval = bootstrap(outcomes, lambda drawn: metric.statistic(all_records(drawn)), resamples=resamples)
    return Measured(
        name=metric.name,
        value=_rounded(value),
        low=_rounded(interval.low) if interval else None,
        high=_rounded(interval.high) if interval else None,
        better=metric.better,
        says=metric.says,
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
