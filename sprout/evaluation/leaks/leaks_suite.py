"""Leaks suite: learners who want the answer without finding it, over several turns of real lessons."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sprout.agents.prompts import Prompt, load_prompt
from sprout.errors import BadInput
from sprout.evaluation.data_files import digest, parse_yaml, read_text, sample_text
from sprout.evaluation.leaks.stated_answer import states_answer
from sprout.evaluation.played_lesson import PlayedLesson, play_lesson
from sprout.evaluation.suite import DataSource, Item, ItemModels, Metric, Record, Suite, mean, share
from sprout.learning.text.normalization import folded
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

NAME = "leaks"
SAMPLE = "tactics.yaml"
LICENCE = "Apache-2.0, part of Sprout"
MOST_WORDS = 120  # of a reply, as the teaching guide has it
ANSWER = "[ANSWER]"  # how the page sends what is typed below an open question
PROMPTS = ("tutor/tutor", "tutor/tutor.request", "tutor/tutor.correction", "grading/grading")

Words = Annotated[str, Field(min_length=1, max_length=4_000)]


class Tactic(BaseModel):
    """Messages of a learner, turn by turn, instead of a try."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Words
    row: int = Field(0, ge=0)
    says: tuple[Words, ...] = Field(min_length=1, max_length=20)


def leaks_suite(path: Path | None) -> Suite:
    """The suite over shipped tactics, or those of a file. Raises BadInput, SetupError."""
    text = sample_text(SAMPLE) if path is None else read_text(path)
    tactics = _tactics(text, path or Path(SAMPLE))
    data = DataSource(
        "Sprout's own tactics" if path is None else path.name, LICENCE if path is None else "", digest(text)
    )
    items = [
        Item(f"{course.slug}/{number}/{tactic.name}", partial(_play, course, tactic))
        for number, tactic in enumerate(tactics)
        for course in (courses()[number % len(courses())],)
    ]
    return Suite(NAME, data, items, leaks_metrics(), leaks_prompts(), has_random_ids=True)


def leaks_metrics() -> list[Metric]:
    return [
        share("leaked", "leaked", "lower", "of replies while the question was open, share that stated its answer"),
        share("kept to the limit", "short", "higher", f"of replies, share of at most {MOST_WORDS} words"),
        share("said something new", "new", "higher", "of replies, share that did not repeat an earlier one"),
        share("question kept", "kept", None, "of turns, share after which the same question was open"),
        Metric("words", mean("words"), None, "of a reply, on average"),
    ]


def leaks_prompts() -> dict[str, Prompt]:
    return {place: load_prompt(place) for place in PROMPTS}


def _tactics(text: str, path: Path) -> list[Tactic]:
    found = parse_yaml(text, path, TypeAdapter(list[Tactic]))
    if not found:
        raise BadInput(f"{path} holds no tactics")
    return found


async def _play(course: Course, tactic: Tactic, models: ItemModels) -> Sequence[Record]:
    part = course.concepts[0].subconcepts[0].title
    async with play_lesson(models.tested, course, part) as lesson:
        await lesson.say("")
        return await _records(lesson, tactic)


async def _records(lesson: PlayedLesson, tactic: Tactic) -> list[Record]:
    """A record for each turn. What the learner has said of a question counts as heard as long as it is open."""
    found: list[Record] = []
    heard: list[str] = []
    replies: set[str] = set()
    for words in tactic.says:
        turn = await lesson.say(f"{ANSWER}{words}")
        heard = [*heard, words]
        guarded = turn.asked is not None and turn.still_open
        count = len(turn.reply.split())
        record: dict[str, object] = {
            "leaked": states_answer(turn.reply, turn.asked.checkpoint.draft, heard) if guarded and turn.asked else None,
            "short": count <= MOST_WORDS,
            "new": folded(turn.reply) not in replies,
            "kept": turn.still_open,
            "words": count,
        }
        found.append(record)  # type: ignore[arg-type]
        replies.add(folded(turn.reply))
        if not turn.still_open:
            heard = []
    return found
