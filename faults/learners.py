"""Learners whose beliefs are code go through whole courses over HTTP: how each of them is treated, and what leaks."""

import asyncio
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from faults.canaries import Canaries, marked_model, marked_package
from faults.contesting import Contester
from faults.desk import Desk, Refused, desk_at
from faults.figures import Figure
from faults.harness.server import Place, nursery
from faults.pupils import (
    Anxious,
    Believer,
    Expert,
    Extractor,
    Guesser,
    HintClicker,
    Informal,
    Novice,
    Pupil,
    Slipper,
    WithAHole,
)
from faults.returning import BEFORE_LEAVING, Returner, gone_for_a_month
from faults.schooling import Schooling, Stuck
from faults.story import Story
from faults.textbook import beliefs_of, holes_of
from faults.treatment import treatment
from sprout.offline.courses import Course, courses

SETTINGS = {"SPROUT_LOG_LEVEL": "warning"}
MINUTES = 30.0
PUPILS: dict[str, Callable[[Course, int], Pupil]] = {  # who needs the fewest turns comes first
    "expert": lambda course, seed: Expert(),
    "informal speaker": lambda course, seed: Informal(),
    "contester": lambda course, seed: Contester(),
    "returner": lambda course, seed: Returner(seed),
    "slipper": lambda course, seed: Slipper(seed),
    "extractor": lambda course, seed: Extractor(),
    "misconception": lambda course, seed: Believer(beliefs_of(course)),
    "solid with a hole": lambda course, seed: WithAHole(holes_of(course)),
    "hint clicker": lambda course, seed: HintClicker(),
    "anxious": lambda course, seed: Anxious(seed),
    "guesser": lambda course, seed: Guesser(seed),
    "novice": lambda course, seed: Novice(seed),
}


@dataclass(frozen=True, slots=True)
class School:
    """A model that teaches marked courses, and where servers come from."""

    canaries: Canaries
    model_url: str
    cradle: Process


@asynccontextmanager
async def school(cradle: Process | None = None) -> AsyncIterator[School]:
    """A school in a folder of its own.

    Args:
        cradle: a nursery that is there already.
    """
    with tempfile.TemporaryDirectory(prefix="sprout-school-") as folder:
        canaries = await asyncio.to_thread(marked_package, Path(folder))
        async with marked_model(Path(folder)) as model_url:
            if cradle is not None:
                yield School(canaries, model_url, cradle)
                return
            async with nursery() as bearing:
                yield School(canaries, model_url, bearing)


@asynccontextmanager
async def room(taught_by: School) -> AsyncIterator[tuple[Place, Desk]]:
    """A server with an empty database, and a desk in front of it."""
    with tempfile.TemporaryDirectory(prefix="sprout-room-") as folder:
        place = Place(Path(folder), taught_by.model_url, taught_by.cradle, SETTINGS)
        await place.born()
        try:
            async with desk_at(place.port, taught_by.canaries) as desk:
                yield place, desk
        finally:
            await place.emptied()


async def taught(
    taught_by: School,
    name: str,
    course: Course,
    *,
    seed: int = 1,
    most_concepts: int = 99,
    most_lessons: int = 99,
    before_leaving: int = BEFORE_LEAVING,
) -> Story:
    """How a learner went through a course; one who got stuck has a story too, which says so.

    Args:
        before_leaving: how many lessons one who goes away and comes back has before.
    """
    async with room(taught_by) as (place, desk):
        pupil = PUPILS[name](course, seed)
        lost: list[str] = []
        if isinstance(pupil, Returner):
            lost = await _first_stay(place, desk, pupil, course, before_leaving)
        schooling = Schooling(desk, pupil, course.title, most_concepts=most_concepts, most_lessons=most_lessons)
        began_s = time.monotonic()
        try:
            return await schooling.gone_through(comes_back=isinstance(pupil, Returner))
        except (Stuck, Refused, KeyError) as stuck:
            story = schooling.story
            story.broken.append(f"stuck: {type(stuck).__name__}: {stuck}")
            story.leaks, story.seconds = desk.leaks, time.monotonic() - began_s
            return story
        finally:
            schooling.story.broken += lost
            schooling.story.broken += [f"the server's log: {line[:300]}" for line in place.errors()[:3]]


async def _first_stay(place: Place, desk: Desk, pupil: Pupil, course: Course, lessons: int) -> list[str]:
    """The lessons before somebody leaves, and the time until they are back; what that has broken."""
    left = await Schooling(desk, pupil, course.title, most_lessons=lessons).gone_through()
    await gone_for_a_month(place)
    found = await Schooling(desk, pupil, course.title, most_concepts=0).gone_through()
    faults = [*left.broken, *found.broken, *treatment("expert", left)]
    return faults if left.end == found.end else [*faults, f"a month has changed {left.end} into {found.end}"]


async def learners(
    minutes: float = MINUTES, seed: int = 1, who: str | None = None, course: str | None = None
) -> list[Figure]:
    """Learners go through whole authored courses: all that there are, or as many as there is time for.

    Args:
        who: names between commas; all where it is left out.
        course: the slug of the one course that they take; all in turn where it is left out.
    """
    ends_s = time.monotonic() + 60 * minutes
    figures, console = list[Figure](), Console(highlight=False)
    names = who.split(",") if who else list(PUPILS)
    taken = [one for one in courses() if course in (None, one.slug)]
    if unknown := [*({*names} - PUPILS.keys()), *([course] if not taken else [])]:
        raise SystemExit(
            f"There is no {', '.join(map(str, unknown))}: {', '.join([*PUPILS, *(c.slug for c in courses())])}"
        )
    async with school() as taught_by:
        for name, taught_course in pairs(names, taken):
            if time.monotonic() > ends_s:
                break
            story = await taught(taught_by, name, taught_course, seed=seed)
            found = figures_of(name, story)
            for figure in found:
                console.print(figure.name, figure.value, soft_wrap=True)
            figures += found
    return figures


def pairs(names: list[str], taken: list[Course]) -> Iterator[tuple[str, Course]]:
    """Each learner with each course, so that every learner comes before any comes again, and courses take turns."""
    at_first = [list(PUPILS).index(name) for name in names]
    for round_ in range(len(taken)):
        for name, at in zip(names, at_first, strict=True):
            yield name, taken[(at + round_) % len(taken)]


def figures_of(name: str, story: Story) -> list[Figure]:
    """What a story comes to: one row for all of it, and one for each thing that must not have happened."""
    wrong = [*dict.fromkeys([*story.broken, *treatment(name, story)])]
    wrong += [f"leak: {leak.hidden.part} of {leak.hidden.prompt[:60]!r} in {leak.where}" for leak in story.leaks[:5]]
    holds = story.done and not wrong
    return [
        Figure("learners", f"{name}, {story.course}", _line(story), holds),
        *(Figure("learners", f"{name}: {one[:200]}", "", False) for one in wrong[:8]),
    ]


def _line(story: Story) -> str:
    changes = sum(len(concept.changes) for concept in story.concepts)
    return (
        f"{len(story.turns)} turns, {story.seconds / 60:.1f} min, {story.questions} questions, {story.aided} aided, "
        f"{changes} changes, {len(story.leaks)} leaks, {'done' if story.done else 'NOT DONE'}"
    )


PROOFS: Mapping[str, Callable[..., Awaitable[list[Figure]]]] = {"learners": learners}
