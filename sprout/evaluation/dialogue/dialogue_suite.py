"""Dialogue suite: a judge marks lessons of scripted learners by the rubric, and transcripts that people marked."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from sprout.agents.prompts import Prompt, load_prompt
from sprout.evaluation.data_files import digest, read_text, sample_text
from sprout.evaluation.dialogue.judge import judge, judge_prompt
from sprout.evaluation.dialogue.lessons import SCRIPTS, Script, transcript_of
from sprout.evaluation.dialogue.transcript import ROWS, Row, Transcript, read_transcripts
from sprout.evaluation.measures.agreement import accuracy, quadratic_weighted_kappa
from sprout.evaluation.suite import (
    DataSource,
    Item,
    ItemModels,
    Metric,
    NamedModel,
    Record,
    Statistic,
    Suite,
    numbers,
    share,
)
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

NAME = "dialogue"
SAMPLE = "transcripts.yaml"
PASSES_FROM = 2  # in the rows that must hold everywhere
STARRED: tuple[Row, ...] = ("no_leak", "reads_attempt", "truth", "honesty")
PROMPTS = ("tutor/tutor", "tutor/tutor.request", "tutor/tutor.correction", "grading/grading")


def dialogue_suite(path: Path | None) -> Suite:
    """The suite: lessons that are played and judged, and marked transcripts, the shipped ones or those of a file.

    Raises BadInput, SetupError.
    """
    text = sample_text(SAMPLE) if path is None else read_text(path)
    given = read_transcripts(text, path or Path(SAMPLE))
    items = [Item(f"given/{number}/{one.name}", partial(_judge_given, one)) for number, one in enumerate(given)]
    items += [
        Item(f"played/{course.slug}/{script.name}", partial(_judge_played, course, script))
        for number, script in enumerate(SCRIPTS)
        for course in (courses()[number % len(courses())],)
    ]
    name, licence = (
        ("Sprout's own transcripts and learners", "Apache-2.0, part of Sprout")
        if path is None
        else (path.name, "your own")
    )
    return Suite(
        NAME,
        DataSource(name, licence, digest(text)),
        items,
        dialogue_metrics(),
        dialogue_prompts(),
        has_random_ids=True,
        wants_judge=True,
    )


def dialogue_metrics() -> list[Metric]:
    return [
        share("judged", "judged", None, "share of the transcripts that got a verdict from the judge"),
        Metric(
            "judge's kappa", _agreement(quadratic_weighted_kappa), "higher", "with a person's marks, mean over the rows"
        ),
        Metric(
            "judge's agreement",
            _agreement(accuracy),
            "higher",
            "share of a person's marks that it gives, mean over the rows",
        ),
        Metric("judge's bias", _bias, None, "its marks less a person's, on average"),
        share(
            "lessons that pass",
            "passes",
            "higher",
            f"of played lessons, share with {PASSES_FROM} or more in every starred row",
        ),
        *(Metric(f"lessons: {row.replace('_', ' ')}", _played(row), "higher", "0 to 3, by the judge") for row in ROWS),
    ]


def dialogue_prompts() -> dict[str, Prompt]:
    return {place: load_prompt(place) for place in PROMPTS} | {"evaluation/judge": judge_prompt()}


async def _judge_given(transcript: Transcript, models: ItemModels) -> Sequence[Record]:
    scores = await judge(transcript, _judge_of(models))
    marks = {f"human_{row}": transcript.marks.get(row) for row in ROWS}
    return [{"judged": bool(scores), **{f"judge_{row}": scores.get(row) for row in ROWS}, **marks}]


async def _judge_played(course: Course, script: Script, models: ItemModels) -> Sequence[Record]:
    scores = await judge(await transcript_of(models.tested, course, script), _judge_of(models))
    starred = [score for row in STARRED if (score := scores.get(row)) is not None]
    passes = min(starred) >= PASSES_FROM if starred else None
    return [{"judged": bool(scores), "passes": passes, **{f"played_{row}": scores.get(row) for row in ROWS}}]


def _judge_of(models: ItemModels) -> NamedModel:
    assert models.judge is not None, "the command line asks for a judge"
    return models.judge


def _pairs(records: Sequence[Record], row: Row) -> list[tuple[int, int]]:
    return [
        (one[f"human_{row}"], one[f"judge_{row}"])  # type: ignore[misc]
        for one in records
        if one.get(f"human_{row}") is not None and one.get(f"judge_{row}") is not None
    ]


def _agreement(measure: Callable[[Sequence[tuple[int, int]]], float | None]) -> Statistic:
    def statistic(records: Sequence[Record]) -> float | None:
        found = [value for row in ROWS if (value := measure(_pairs(records, row))) is not None]
        return fmean(found) if found else None

    return statistic


def _bias(records: Sequence[Record]) -> float | None:
    found = [given - human for row in ROWS for human, given in _pairs(records, row)]
    return fmean(found) if found else None


def _played(row: Row) -> Statistic:
    def statistic(records: Sequence[Record]) -> float | None:
        values = numbers(records, f"played_{row}")
        return fmean(values) if values else None

    return statistic
