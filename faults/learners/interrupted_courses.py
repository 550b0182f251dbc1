"""The same learner in peace, disturbed by kills, and wandering off: what is known of them at the end is the same."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from rich.console import Console

from faults.core.loop_faults import ProofFigure
from faults.crashes.random_kills import kill_without_ending_runs
from faults.leaks.learner_client import RequestRefused
from faults.learners.course_proofs import LEARNERS, MarkedCourses, open_classroom, open_marked_courses
from faults.learners.course_record import CourseRecord
from faults.learners.course_run import CourseRun, LearnerStuck
from faults.learners.scripted_learners import DigressingLearner, ScriptedLearner
from harness.servers.server_process import ServerSite
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

LIVES_S = (0.1, 0.8)
KILLS = 60
LESSONS = 8
WHOLE_KILLS = 300
LEARNERS_OF_COURSES = ("slipper", "novice", "anxious")


@dataclass(frozen=True, slots=True)
class InterruptedStory:
    """A story, how often its server was killed, and how often that cut off an answer."""

    story: CourseRecord
    kills: int = 0
    cuts: int = 0

    @property
    def answers(self) -> list[tuple[str, str]]:
        """Every question with the words that were said to it, words beside it apart."""
        return [
            (turn.question.prompt, turn.message.text) for turn in self.story.turns if turn.message.intent == "answer"
        ]

    @property
    def grades(self) -> list[tuple[str, float | None]]:
        return [(turn.question.prompt, turn.grade["score"]) for turn in self.story.turns if turn.grade]


async def run_undisturbed(
    taught_by: MarkedCourses, learner: ScriptedLearner, course: Course, *, lessons: int
) -> InterruptedStory:
    """The learner's first lessons, and the diagnostic before them; without lessons the path alone."""
    async with open_classroom(taught_by) as (_, desk):
        schooling = CourseRun(desk, learner, course.title, most_lessons=lessons, most_concepts=99 if lessons else 0)
        return InterruptedStory(await _run_to_end(schooling))


async def run_under_kills(
    taught_by: MarkedCourses,
    learner: ScriptedLearner,
    course: Course,
    *,
    lessons: int,
    kills: int,
    seed: int,
    growing: bool = False,
) -> InterruptedStory:
    """The same while the server is killed at random moments, as often or for as long as the learner takes.

    Args:
        growing: whether it is killed from the topic on, else from the first diagnostic.
    """
    async with open_classroom(taught_by) as (place, desk):
        if not growing:
            await CourseRun(desk, learner, course.title, most_concepts=0).run()
        over = asyncio.Event()
        killing = asyncio.create_task(_kill_repeatedly(place, over, kills, random.Random(seed)))
        try:
            schooling = CourseRun(desk, learner, course.title, most_lessons=lessons, most_concepts=99 if lessons else 0)
            story = await _run_to_end(schooling)
        finally:
            over.set()
            await killing
        return InterruptedStory(story, len(place.processes) - 1, desk.interrupted)


async def disturbed(
    kills: int = KILLS, seed: int = 1, course: str | None = None, signed_in: bool = False
) -> list[ProofFigure]:
    """Each course from its topic to eight lessons, killed at random moments, and with a question beside each answer.

    Args:
        course: the slug of the one course that is played; all where it is left out.
        signed_in: whether the learners sign in on servers with accounts.
    """
    figures, console = list[ProofFigure](), Console(highlight=False)
    async with open_marked_courses(signed_in=signed_in) as taught_by:
        for name, taken in zip(LEARNERS_OF_COURSES, courses(), strict=True):
            if course not in (None, taken.slug):
                continue
            for figure in await _figures(taught_by, name, taken, kills=kills, seed=seed):
                console.print(figure.name, figure.value, soft_wrap=True)
                figures.append(figure)
    return figures


async def whole(kills: int = WHOLE_KILLS, seed: int = 1) -> list[ProofFigure]:
    """A whole course, from its topic to the last concept, killed at random moments all the way."""
    course = courses()[0]
    async with open_marked_courses() as taught_by:
        peace = await run_undisturbed(taught_by, LEARNERS["expert"](course, seed), course, lessons=99)
        killed = await run_under_kills(
            taught_by, LEARNERS["expert"](course, seed), course, lessons=99, kills=kills, seed=seed, growing=True
        )
    found = [*([] if killed.story.completed else ["not done"]), *differences(peace, killed)]
    return [
        ProofFigure("whole", "kills, answers cut off", f"{killed.kills}, {killed.cuts}"),
        ProofFigure("whole", "differences at the end", *_comparison(found)),
    ]


async def _figures(taught_by: MarkedCourses, name: str, course: Course, *, kills: int, seed: int) -> list[ProofFigure]:
    learner = LEARNERS[name]
    peace = await run_undisturbed(taught_by, learner(course, seed), course, lessons=LESSONS)
    killed = await run_under_kills(
        taught_by, learner(course, seed), course, lessons=LESSONS, kills=kills, seed=seed, growing=True
    )
    beside = await run_undisturbed(taught_by, DigressingLearner(learner(course, seed)), course, lessons=LESSONS)
    return [
        ProofFigure("disturbed", f"{name}: kills, answers cut off", f"{killed.kills}, {killed.cuts}"),
        ProofFigure("disturbed", f"{name}: differences after kills", *_comparison(differences(peace, killed))),
        ProofFigure(
            "disturbed", f"{name}: differences with questions beside", *_comparison(differences(peace, beside))
        ),
    ]


def differences(one: InterruptedStory, other: InterruptedStory) -> list[str]:
    """In what two ways through the same lessons differ that must be alike, and what was broken in either."""
    found = [*one.story.violations, *other.story.violations]
    if one.story.final_progress != other.story.final_progress:
        found += [
            f"{title}: {one.story.final_progress.get(title)} and {other.story.final_progress.get(title)}"
            for title in {*one.story.final_progress, *other.story.final_progress}
            if one.story.final_progress.get(title) != other.story.final_progress.get(title)
        ]
    found += [f"on one of the two maps alone: {node}" for node in sorted(one.story.map ^ other.story.map)[:3]]
    if one.answers != other.answers:
        found.append(f"{len(one.answers)} and {len(other.answers)} answers")
    if one.grades != other.grades:
        found.append(f"{len(one.grades)} and {len(other.grades)} grades")
    return found


async def _run_to_end(schooling: CourseRun) -> CourseRecord:
    """The record of the course, also if the learner got stuck."""
    try:
        return await schooling.run()
    except (LearnerStuck, RequestRefused) as stuck:
        schooling.story.violations.append(f"stuck: {stuck}")
        return schooling.story


async def _kill_repeatedly(place: ServerSite, over: asyncio.Event, kills: int, draw: random.Random) -> None:
    """Kill and bear the server so often, or until all is over."""
    for _ in range(kills):
        with suppress(TimeoutError):
            async with asyncio.timeout(draw.uniform(*LIVES_S)):
                await over.wait()
        if over.is_set():
            return
        await kill_without_ending_runs(place)
        await place.start()


def _comparison(found: list[str]) -> tuple[str, bool]:
    return "; ".join(found)[:200] or "0", not found


PROOFS: Mapping[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"disturbed": disturbed, "whole": whole}
