"""The same learner in peace, disturbed by kills, and wandering off: what is known of them at the end is the same."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from rich.console import Console

from faults.desk import Refused
from faults.figures import Figure
from faults.harness.server import Place
from faults.kills import killed_where_no_run_ends
from faults.learners import PUPILS, School, room, school
from faults.pupils import Pupil, Wandering
from faults.schooling import Schooling, Stuck
from faults.story import Story
from sprout.offline.courses import Course, courses

LIVES_S = (0.1, 0.8)
KILLS = 60
LESSONS = 8
WHOLE_KILLS = 300
PUPILS_OF_COURSES = ("slipper", "novice", "anxious")


@dataclass(frozen=True, slots=True)
class Disturbed:
    """A story, how often its server was killed, and how often that cut off an answer."""

    story: Story
    kills: int = 0
    cuts: int = 0

    @property
    def said(self) -> list[tuple[str, str]]:
        """Every question with the words that were said to it, words beside it apart."""
        return [(turn.asked.prompt, turn.words.text) for turn in self.story.turns if turn.words.meant == "answer"]

    @property
    def grades(self) -> list[tuple[str, float | None]]:
        return [(turn.asked.prompt, turn.graded["score"]) for turn in self.story.turns if turn.graded]


async def in_peace(taught_by: School, pupil: Pupil, course: Course, *, lessons: int) -> Disturbed:
    """The learner's first lessons, and the diagnostic before them; without lessons the path alone."""
    async with room(taught_by) as (_, desk):
        schooling = Schooling(desk, pupil, course.title, most_lessons=lessons, most_concepts=99 if lessons else 0)
        return Disturbed(await _to_the_end(schooling))


async def under_kills(
    taught_by: School, pupil: Pupil, course: Course, *, lessons: int, kills: int, seed: int, growing: bool = False
) -> Disturbed:
    """The same while the server is killed at random moments, as often or for as long as the learner takes.

    Args:
        growing: whether it is killed from the topic on, else from the first diagnostic.
    """
    async with room(taught_by) as (place, desk):
        if not growing:
            await Schooling(desk, pupil, course.title, most_concepts=0).gone_through()
        over = asyncio.Event()
        killing = asyncio.create_task(_kill(place, over, kills, random.Random(seed)))
        try:
            schooling = Schooling(desk, pupil, course.title, most_lessons=lessons, most_concepts=99 if lessons else 0)
            story = await _to_the_end(schooling)
        finally:
            over.set()
            await killing
        return Disturbed(story, len(place.lives) - 1, desk.cuts)


async def disturbed(kills: int = KILLS, seed: int = 1, course: str | None = None) -> list[Figure]:
    """Each course from its topic to eight lessons, killed at random moments, and with a question beside each answer.

    Args:
        course: the slug of the one course that is played; all where it is left out.
    """
    figures, console = list[Figure](), Console(highlight=False)
    async with school() as taught_by:
        for name, taken in zip(PUPILS_OF_COURSES, courses(), strict=True):
            if course not in (None, taken.slug):
                continue
            for figure in await _figures(taught_by, name, taken, kills=kills, seed=seed):
                console.print(figure.name, figure.value, soft_wrap=True)
                figures.append(figure)
    return figures


async def whole(kills: int = WHOLE_KILLS, seed: int = 1) -> list[Figure]:
    """A whole course, from its topic to the last concept, killed at random moments all the way."""
    course = courses()[0]
    async with school() as taught_by:
        peace = await in_peace(taught_by, PUPILS["expert"](course, seed), course, lessons=99)
        killed = await under_kills(
            taught_by, PUPILS["expert"](course, seed), course, lessons=99, kills=kills, seed=seed, growing=True
        )
    found = [*([] if killed.story.done else ["not done"]), *differences(peace, killed)]
    return [
        Figure("whole", "kills, answers cut off", f"{killed.kills}, {killed.cuts}"),
        Figure("whole", "differences at the end", *_told(found)),
    ]


async def _figures(taught_by: School, name: str, course: Course, *, kills: int, seed: int) -> list[Figure]:
    pupil = PUPILS[name]
    peace = await in_peace(taught_by, pupil(course, seed), course, lessons=LESSONS)
    killed = await under_kills(
        taught_by, pupil(course, seed), course, lessons=LESSONS, kills=kills, seed=seed, growing=True
    )
    beside = await in_peace(taught_by, Wandering(pupil(course, seed)), course, lessons=LESSONS)
    return [
        Figure("disturbed", f"{name}: kills, answers cut off", f"{killed.kills}, {killed.cuts}"),
        Figure("disturbed", f"{name}: differences after kills", *_told(differences(peace, killed))),
        Figure("disturbed", f"{name}: differences with questions beside", *_told(differences(peace, beside))),
    ]


def differences(one: Disturbed, other: Disturbed) -> list[str]:
    """In what two ways through the same lessons differ that must be alike, and what was broken in either."""
    found = [*one.story.broken, *other.story.broken]
    if one.story.end != other.story.end:
        found += [
            f"{title}: {one.story.end.get(title)} and {other.story.end.get(title)}"
            for title in {*one.story.end, *other.story.end}
            if one.story.end.get(title) != other.story.end.get(title)
        ]
    found += [f"on one of the two maps alone: {node}" for node in sorted(one.story.map ^ other.story.map)[:3]]
    if one.said != other.said:
        found.append(f"{len(one.said)} and {len(other.said)} answers")
    if one.grades != other.grades:
        found.append(f"{len(one.grades)} and {len(other.grades)} grades")
    return found


async def _to_the_end(schooling: Schooling) -> Story:
    """The story, also of somebody who got stuck."""
    try:
        return await schooling.gone_through()
    except (Stuck, Refused) as stuck:
        schooling.story.broken.append(f"stuck: {stuck}")
        return schooling.story


async def _kill(place: Place, over: asyncio.Event, kills: int, draw: random.Random) -> None:
    """Kill and bear the server so often, or until all is over."""
    for _ in range(kills):
        with suppress(TimeoutError):
            async with asyncio.timeout(draw.uniform(*LIVES_S)):
                await over.wait()
        if over.is_set():
            return
        await killed_where_no_run_ends(place)
        await place.born()


def _told(found: list[str]) -> tuple[str, bool]:
    return "; ".join(found)[:200] or "0", not found


PROOFS: Mapping[str, Callable[..., Awaitable[list[Figure]]]] = {"disturbed": disturbed, "whole": whole}
