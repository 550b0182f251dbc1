"""Learners whose beliefs are code in the first lessons of a course, in short; `make faults` plays whole courses."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import cycle

import pytest

from faults.leaks.learner_client import Disclosures
from faults.leaks.secret_markers import MarkedText, SecretMarkers, mark_package
from faults.learners.answer_book import known_questions
from faults.learners.course_proofs import LEARNERS, MarkedCourses, grow_path, open_marked_courses, teach_course
from faults.learners.expected_treatment import check_treatment
from faults.learners.interrupted_courses import differences, run_under_kills, run_undisturbed
from faults.learners.scripted_learners import TACTICS, DigressingLearner
from faults.learners.study_days import Events, StudyDays, jump, live_through, move_to
from sprout.learning.text.normalization import one_line
from sprout.offline.courses.catalogue import courses
from sprout.offline.courses.course_format import Course

COURSE = courses()[0]
HARD_TO_TEACH = ("essay writer", "frustrated", "lucky guesser", "side answerer", "silent")


@pytest.fixture(scope="module")
async def empty(fork_server: Process) -> AsyncIterator[MarkedCourses]:
    """Classrooms begin with an empty database."""
    async with open_marked_courses(fork_server) as found:
        yield found


@pytest.fixture(scope="module")
def grown_for(
    empty: MarkedCourses, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Course], Awaitable[MarkedCourses]]:
    """Classrooms that begin with the path of a course, which is grown once."""
    grown = dict[str, MarkedCourses]()

    async def grow(course: Course) -> MarkedCourses:
        if course.slug not in grown:
            grown[course.slug], story = await grow_path(empty, course, tmp_path_factory.mktemp(course.slug) / "data")
            assert (story.leaks, story.violations) == ([], [])
        return grown[course.slug]

    return grow


@pytest.fixture(scope="module")
async def taught_by(grown_for: Callable[[Course], Awaitable[MarkedCourses]]) -> MarkedCourses:
    return await grown_for(COURSE)


@pytest.mark.parametrize(("name", "course"), [*zip(HARD_TO_TEACH, cycle(courses()), strict=False)])
async def test_A9_H1a_who_is_hard_to_teach_finishes_a_lesson_of_any_course_without_a_word_said_twice(
    grown_for: Callable[[Course], Awaitable[MarkedCourses]], name: str, course: Course
) -> None:
    story = await teach_course(await grown_for(course), name, course, most_lessons=1)
    assert (story.leaks, story.violations, check_treatment(name, story)) == ([], [], [])
    assert [lesson.turns[-1].mastered for lesson in story.lessons] == [True]


async def test_an_extractor_learns_nothing_that_may_not_be_seen_and_gets_on_by_honest_answers(
    taught_by: MarkedCourses,
) -> None:
    story = await teach_course(taught_by, "extractor", COURSE, most_lessons=1)
    assert story.leaks == []
    assert story.violations == []
    assert check_treatment("extractor", story) == []
    tried = [turn.message.tactic for turn in story.turns if turn.message.tactic]
    assert tried
    assert tried == [name for name, _, _ in TACTICS][: len(tried)]
    assert story.scanned_bytes > 50_000


async def test_a_learner_who_signs_in_is_treated_as_one_who_need_not(fork_server: Process) -> None:
    async with open_marked_courses(fork_server, signed_in=True) as signed_in:
        story = await teach_course(signed_in, "extractor", COURSE, most_lessons=1)
    assert story.leaks == []
    assert story.violations == []
    assert check_treatment("extractor", story) == []
    assert len(story.turns) > 1


async def test_H1a_a_novice_gets_help_at_every_turn_and_finishes_in_changed_forms(taught_by: MarkedCourses) -> None:
    story = await teach_course(taught_by, "novice", COURSE, most_lessons=1)
    assert story.leaks == []
    assert story.violations == []
    assert check_treatment("novice", story) == []
    assert story.questions_with_help > 0
    assert all(lesson.turns[-1].mastered for concept in story.concepts for lesson in concept.lessons)


async def test_Q4_a_learner_who_is_right_against_a_wrong_key_has_the_question_taken_back(
    taught_by: MarkedCourses,
) -> None:
    story = await teach_course(taught_by, "contester", COURSE, most_lessons=1)
    assert story.leaks == []
    assert story.violations == []
    assert check_treatment("contester", story) == []
    assert [concept.dispute and concept.dispute.outcome for concept in story.concepts] == ["wrong"]


async def test_who_comes_back_after_a_month_finds_all_as_it_was_and_goes_over_what_was_forgotten(
    taught_by: MarkedCourses,
) -> None:
    story = await teach_course(taught_by, "returner", COURSE, before_leaving=2, most_lessons=1)
    assert story.leaks == []
    assert story.violations == []
    assert check_treatment("returner", story) == []
    assert story.return_record is not None
    assert len(story.return_record.forgotten) == 1
    assert story.questions_with_help > 0


async def test_P2_kills_while_a_path_grows_change_nothing_of_it(empty: MarkedCourses, taught_by: MarkedCourses) -> None:
    peace = await run_undisturbed(taught_by, LEARNERS["expert"](COURSE, 1), COURSE, lessons=0)
    killed = await run_under_kills(
        empty, LEARNERS["expert"](COURSE, 1), COURSE, lessons=0, kills=3, seed=1, growing=True
    )
    assert killed.kills
    assert differences(peace, killed) == []
    assert len(peace.story.map) > 100


async def test_P2_Q2_kills_and_questions_beside_change_nothing_of_what_is_known_at_the_end(
    taught_by: MarkedCourses,
) -> None:
    learner = LEARNERS["slipper"]
    peace = await run_undisturbed(taught_by, learner(COURSE, 3), COURSE, lessons=1)
    killed = await run_under_kills(taught_by, learner(COURSE, 3), COURSE, lessons=1, kills=1, seed=5)
    beside = await run_undisturbed(taught_by, DigressingLearner(learner(COURSE, 3)), COURSE, lessons=1)
    assert killed.kills == 1
    assert differences(peace, killed) == []
    assert differences(peace, beside) == []
    assert peace.grades


@pytest.fixture(scope="module")
def canaries(tmp_path_factory: pytest.TempPathFactory) -> SecretMarkers:
    return mark_package(tmp_path_factory.mktemp("marked"))


def test_every_secret_text_of_every_question_has_a_word_of_its_own(canaries: SecretMarkers) -> None:
    marked = {prompt for hidden in canaries.hidden.values() for prompt in hidden.prompts}
    plain = {one_line(one.prompt) for one in known_questions().values() if not one.is_open and not one.wrong}
    assert marked >= {prompt for prompt in known_questions() if prompt not in plain}
    parts = {hidden.source for hidden in canaries.hidden.values()}
    assert parts == {"answer", "criterion", "misconception", "because", "solution"} | {
        f"help {level}" for level in range(1, 5)
    }


def test_a_word_that_comes_before_its_time_is_seen_in_whatever_it_stands(canaries: SecretMarkers) -> None:
    word, hidden = next((word, one) for word, one in canaries.hidden.items() if one.source == "help 2")
    seen = Disclosures()
    for raw in (word.encode(), b'{"a": "x ' + word.upper().encode() + b'."}', b"x-note: " + word.encode()):
        assert canaries.find_in(raw) == [hidden]
    assert not seen.may_be_seen(hidden)
    (prompt,) = hidden.prompts
    seen.levels[prompt] = 1
    assert not seen.may_be_seen(hidden)
    seen.levels[prompt] = 2
    assert seen.may_be_seen(hidden)


def test_a_misconception_that_several_questions_show_has_one_word_and_is_seen_once_one_was_tried() -> None:
    secrets, seen = SecretMarkers(), Disclosures()
    texts = {secrets.mark_text("Heat is a thing.", MarkedText((each,), "misconception")) for each in ("Why?", "How?")}
    ((word, hidden),) = secrets.hidden.items()
    assert texts == {f"Heat is a thing {word}."}
    assert not seen.may_be_seen(hidden)
    seen.tried.add("How?")
    assert seen.may_be_seen(hidden)


async def test_V5_days_with_kills_two_devices_and_a_clock_that_jumps_lose_and_double_no_review(
    taught_by: MarkedCourses,
) -> None:
    events: Events = {
        3: (StudyDays.delete_next, move_to("Pacific/Kiritimati")),
        4: (StudyDays.undo_removal, jump(days=-2)),
        5: (jump(days=3),),
    }
    life, _ = await live_through(taught_by, 5, seed=1, kills=True, events=events, lessons=2)
    assert life.violations == []
    assert life.counts["killed while they answered"]
    assert life.counts["answered on both devices"]
    assert (life.counts["brought back"], life.counts["jumps of the clock"]) == (1, 2)
