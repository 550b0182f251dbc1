"""Learners whose beliefs are code go through whole courses over HTTP: how each of them is treated, and what leaks."""

import asyncio
import shutil
import signal
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from faults.core.loop_faults import ProofFigure
from faults.leaks.learner_client import LearnerClient, RequestRefused, learner_client, seed_account
from faults.leaks.secret_markers import SecretMarkers, mark_package, serve_marked_model
from faults.learners.answer_book import common_misconceptions, prerequisite_gaps
from faults.learners.course_record import CourseRecord
from faults.learners.course_run import CourseRun, LearnerStuck
from faults.learners.difficult_learners import (
    EssayWriter,
    FrustratedLearner,
    LuckyGuesser,
    SideAnswerer,
    SilentLearner,
)
from faults.learners.disputing_learner import DisputingLearner
from faults.learners.expected_treatment import check_treatment
from faults.learners.returning_learner import LESSONS_BEFORE_LEAVING, ReturningLearner, age_database
from faults.learners.scripted_learners import (
    AnswerExtractor,
    AnxiousLearner,
    CarelessLearner,
    ExpertLearner,
    GapLearner,
    GuessingLearner,
    HintClickingLearner,
    InformalLearner,
    MisconceptionLearner,
    NoviceLearner,
    ScriptedLearner,
)
from harness.servers.server_process import ServerSite, start_fork_server
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

SETTINGS = {"SPROUT_LOG_LEVEL": "warning"}
MINUTES = 30.0
LEARNERS: dict[str, Callable[[Course, int], ScriptedLearner]] = {  # who needs the fewest turns comes first
    "expert": lambda course, seed: ExpertLearner(),
    "informal speaker": lambda course, seed: InformalLearner(),
    "essay writer": lambda course, seed: EssayWriter(),
    "contester": lambda course, seed: DisputingLearner(),
    "returner": lambda course, seed: ReturningLearner(seed),
    "slipper": lambda course, seed: CarelessLearner(seed),
    "extractor": lambda course, seed: AnswerExtractor(),
    "misconception": lambda course, seed: MisconceptionLearner(common_misconceptions(course)),
    "solid with a hole": lambda course, seed: GapLearner(prerequisite_gaps(course)),
    "hint clicker": lambda course, seed: HintClickingLearner(),
    "side answerer": lambda course, seed: SideAnswerer(),
    "frustrated": lambda course, seed: FrustratedLearner(),
    "lucky guesser": lambda course, seed: LuckyGuesser(),
    "anxious": lambda course, seed: AnxiousLearner(seed),
    "guesser": lambda course, seed: GuessingLearner(seed),
    "silent": lambda course, seed: SilentLearner(),
    "novice": lambda course, seed: NoviceLearner(seed),
}


@dataclass(frozen=True, slots=True)
class MarkedCourses:
    """A model that teaches marked courses, and where servers come from.

    Args:
        initial_data: the data with which a classroom's server starts; None for an empty database.
        signed_in: whether a classroom's server asks its learner to sign in.
    """

    canaries: SecretMarkers
    model_url: str
    fork_server: Process
    initial_data: Path | None = None
    signed_in: bool = False


@asynccontextmanager
async def open_marked_courses(
    fork_server: Process | None = None, *, signed_in: bool = False
) -> AsyncIterator[MarkedCourses]:
    """A school in a folder of its own.

    Args:
        fork_server: a fork_server that is there already.
        signed_in: whether its learners sign in.
    """
    with tempfile.TemporaryDirectory(prefix="sprout-school-") as folder:
        canaries = await asyncio.to_thread(mark_package, Path(folder))
        initial_data = Path(folder, "accounts") if signed_in else None
        if initial_data is not None:
            initial_data.mkdir()
            await seed_account(initial_data)
        async with serve_marked_model(Path(folder)) as model_url:
            if fork_server is not None:
                yield MarkedCourses(canaries, model_url, fork_server, initial_data, signed_in)
                return
            async with start_fork_server() as bearing:
                yield MarkedCourses(canaries, model_url, bearing, initial_data, signed_in)


@asynccontextmanager
async def open_classroom(
    taught_by: MarkedCourses, *, settings: Mapping[str, str] = SETTINGS, clock: Path | None = None
) -> AsyncIterator[tuple[ServerSite, LearnerClient]]:
    """A server of its own, and a desk in front of it.

    Args:
        clock: file of the played clock that it lives by; None for the machine's.
    """
    with tempfile.TemporaryDirectory(prefix="sprout-room-") as folder:
        if taught_by.initial_data is not None:
            shutil.copytree(taught_by.initial_data, folder, dirs_exist_ok=True)
        settings = {**settings, "SPROUT_AUTH": "password"} if taught_by.signed_in else settings
        place = ServerSite(Path(folder), taught_by.model_url, taught_by.fork_server, settings, clock)
        await place.start()
        try:
            async with learner_client(place.port, taught_by.canaries, signed_in=taught_by.signed_in) as desk:
                yield place, desk
        finally:
            await place.kill_all()


async def grow_path(taught_by: MarkedCourses, course: Course, into: Path) -> tuple[MarkedCourses, CourseRecord]:
    """Grow a course's path once, for all classrooms that are opened with what is returned; with its record.

    Args:
        into: a folder for the data, not there yet.
    """
    async with open_classroom(taught_by) as (place, desk):
        story = await CourseRun(desk, LEARNERS["expert"](course, 1), course.title, most_concepts=0).run()
        place.processes[-1].send_signal(signal.SIGTERM)
        await place.processes[-1].wait_ended()
        shutil.copytree(place.data, into, ignore=shutil.ignore_patterns(place.log.name))
    return replace(taught_by, initial_data=into), story


async def teach_course(
    taught_by: MarkedCourses,
    name: str,
    course: Course,
    *,
    seed: int = 1,
    most_concepts: int = 99,
    most_lessons: int = 99,
    before_leaving: int = LESSONS_BEFORE_LEAVING,
) -> CourseRecord:
    """Record of a learner's way through a course; a learner who gets stuck has a record that says so.

    Args:
        before_leaving: how many lessons one who goes away and comes back has before.
    """
    async with open_classroom(taught_by) as (place, desk):
        learner = LEARNERS[name](course, seed)
        lost: list[str] = []
        if isinstance(learner, ReturningLearner):
            lost = await _take_first_lessons(place, desk, learner, course, before_leaving, taught_by.signed_in)
        schooling = CourseRun(desk, learner, course.title, most_concepts=most_concepts, most_lessons=most_lessons)
        began_s = time.monotonic()
        try:
            return await schooling.run(comes_back=isinstance(learner, ReturningLearner))
        except (LearnerStuck, RequestRefused, KeyError) as stuck:
            story = schooling.story
            story.violations.append(f"stuck: {type(stuck).__name__}: {stuck}")
            story.leaks, story.seconds = desk.leaks, time.monotonic() - began_s
            return story
        finally:
            schooling.story.violations += lost
            schooling.story.violations += [f"the server's log: {line[:300]}" for line in place.errors()[:3]]


async def _take_first_lessons(
    place: ServerSite, desk: LearnerClient, learner: ScriptedLearner, course: Course, lessons: int, signed_in: bool
) -> list[str]:
    """Play the lessons before an absence, and the time until the return; return the violations."""
    left = await CourseRun(desk, learner, course.title, most_lessons=lessons).run()
    await age_database(place)
    if signed_in:
        await desk.sign_in()  # a session does not last for a month without use
    found = await CourseRun(desk, learner, course.title, most_concepts=0).run()
    faults = [*left.violations, *found.violations, *check_treatment("expert", left)]
    return (
        faults
        if left.final_progress == found.final_progress
        else [*faults, f"a month has changed {left.final_progress} into {found.final_progress}"]
    )


async def learners(
    minutes: float = MINUTES,
    seed: int = 1,
    who: str | None = None,
    course: str | None = None,
    signed_in: bool = False,
) -> list[ProofFigure]:
    """Learners go through whole authored courses: all that there are, or as many as there is time for.

    Args:
        who: names of learners, separated by commas; by default all.
        course: slug of the one course that they take; by default all in turn.
        signed_in: whether they sign in on servers with accounts.
    """
    ends_s = time.monotonic() + 60 * minutes
    figures, console = list[ProofFigure](), Console(highlight=False)
    names = who.split(",") if who else list(LEARNERS)
    taken = [one for one in courses() if course in (None, one.slug)]
    if unknown := [*({*names} - LEARNERS.keys()), *([course] if not taken else [])]:
        raise SystemExit(
            f"There is no {', '.join(map(str, unknown))}: {', '.join([*LEARNERS, *(c.slug for c in courses())])}"
        )
    async with open_marked_courses(signed_in=signed_in) as taught_by:
        for name, taught_course in pairs(names, taken):
            if time.monotonic() > ends_s:
                break
            story = await teach_course(taught_by, name, taught_course, seed=seed)
            found = figures_of(name, story)
            for figure in found:
                console.print(figure.name, figure.value, soft_wrap=True)
            figures += found
    return figures


def pairs(names: list[str], taken: list[Course]) -> Iterator[tuple[str, Course]]:
    """Each learner with each course, so that every learner comes before any comes again, and courses take turns."""
    at_first = [list(LEARNERS).index(name) for name in names]
    for round_ in range(len(taken)):
        for name, at in zip(names, at_first, strict=True):
            yield name, taken[(at + round_) % len(taken)]


def figures_of(name: str, story: CourseRecord) -> list[ProofFigure]:
    """Figures of a record: one row for the whole, and one for each violation."""
    wrong = [*dict.fromkeys([*story.violations, *check_treatment(name, story)])]
    wrong += [f"leak: {leak.text.source} of {leak.text.prompts[0][:60]!r} in {leak.where}" for leak in story.leaks[:5]]
    holds = story.completed and not wrong
    return [
        ProofFigure("learners", f"{name}, {story.course}", _summary_line(story), holds),
        *(ProofFigure("learners", f"{name}: {one[:200]}", "", False) for one in wrong[:8]),
    ]


def _summary_line(story: CourseRecord) -> str:
    changes = sum(len(concept.changes) for concept in story.concepts)
    return (
        f"{len(story.turns)} turns in {len(story.lessons)} lessons, at most "
        f"{max((len(lesson.turns) for lesson in story.lessons), default=0)}, {story.seconds / 60:.1f} min, "
        f"{story.questions} questions, {story.questions_with_help} aided, "
        f"{changes} changes, {len(story.leaks)} leaks, {'done' if story.completed else 'NOT DONE'}"
    )


PROOFS: Mapping[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"learners": learners}
