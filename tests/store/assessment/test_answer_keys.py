"""Keys in the database: questions held back, verified, voided; and what a learner's word against one comes to."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from harness.builders import CLAIM, a_child, a_concept, a_run, a_topic, start_run
from sprout.clock import utc_now
from sprout.errors import Conflict, InvalidQuestion, NotFound
from sprout.events import NodeRow
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.marking.answer_keys import OUTCOME_TEXTS, Contest, Solution
from sprout.learning.questions.assessments import GivenAnswer
from sprout.learning.questions.diagnostics import SavedQuestion
from sprout.learning.questions.questions import QuestionDraft
from sprout.runs.run_store import CallBegun, StoredEvent
from sprout.runs.state import Run
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from tests.store.conftest import collect
from tests.store.paths.test_repository import CHOICE, NUMBER, OPEN

ME = Actor("00000000-0000-0000-0000-000000000000")
PARTS = ("Light reactions", "Sugar")


@pytest.fixture
def keys(database: Database, published: list[StoredEvent]) -> SqlAnswerKeys:
    return SqlAnswerKeys(database, partial(collect, published))


@pytest.fixture
async def concept(paths: SqlPaths, repositories: SqlPathRepository) -> NodeRow:
    return await with_parts(repositories, await a_concept(paths, await a_topic(paths), "Photosynthesis"))


@pytest.fixture
async def run(runs: SqlRunStore, concept: NodeRow) -> Run:
    return await start_run(runs, a_run(concept, agent="key_check", label="key_check"))


async def with_parts(repositories: SqlPathRepository, concept: NodeRow) -> NodeRow:
    for title in PARTS:
        await repositories.edit_graph(concept.id, lambda graph, t=title: graph.add(t, None, utc_now()), actor=ME)  # type: ignore[misc]
    await repositories.edit_graph(concept.id, lambda graph: graph.connect_titles(*PARTS), actor=ME)
    return concept


def acting(run: Run, call_id: str | None = None) -> Actor:
    return Actor(ME.user_id, run.label, run.id, run.root_id, call_id, run.epoch)


async def the_row(database: Database, question_id: str) -> tables.Question:
    async with database.open_read_session() as session:
        return (await session.exec(select(tables.Question).where(tables.Question.id == question_id))).one()


async def right_id(database: Database, question_id: str) -> str:
    return (await the_row(database, question_id)).correct_option_id or ""


async def wrong_id(database: Database, question_id: str) -> str:
    row = await the_row(database, question_id)
    options = cast(list[dict[str, str]], row.options)
    return next(one["id"] for one in options if one["id"] != row.correct_option_id)


async def asked_ids(assessments: SqlAssessments, saved: SavedQuestion) -> list[str]:
    return [one.id for one in await assessments.questions(saved.assessment_id, user_id=ME.user_id)]


async def test_Q3_a_question_that_is_held_back_is_neither_shown_nor_asked_nor_told(
    repositories: SqlPathRepository,
    assessments: SqlAssessments,
    paths: SqlPaths,
    concept: NodeRow,
    runs: SqlRunStore,
    run: Run,
) -> None:
    held = await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    assert held.created
    shown = await repositories.save_question(concept.id, NUMBER, actor=acting(run))
    assert await asked_ids(assessments, shown) == [shown.id]
    found = await assessments.diagnostic(concept.id, user_id=ME.user_id)
    assert ([one.id for one in found.questions], found.required_answers) == ([shown.id], 1)
    for refused in (
        assessments.record_answer(shown.assessment_id, GivenAnswer(held.id, option="Light"), user_id=ME.user_id),
        assessments.skip_question(held.id, user_id=ME.user_id),
    ):
        with pytest.raises(NotFound):
            await refused
    log = await runs.events(run.id)
    assert [json.loads(one.data)["question"]["id"] for one in log if one.kind == "question_ready"] == [shown.id]


async def test_Q3_a_key_that_holds_is_verified_and_its_question_told_with_the_end_of_the_call(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, assessments: SqlAssessments, concept: NodeRow,
    runs: SqlRunStore, run: Run, database: Database,
) -> None:  # fmt: skip
    saved = await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    assert await keys.unchecked_ids(concept.id, user_id=ME.user_id) == [saved.id]
    await runs.append(run, [CallBegun("c1", "record_solutions", "{}", "write")])
    solution = Solution(saved.id, 0.9, option_id=await right_id(database, saved.id))
    await keys.save_solutions(concept.id, [solution], actor=acting(run, "c1"))
    assert (await the_row(database, saved.id)).state == "verified"
    assert await asked_ids(assessments, saved) == [saved.id]
    assert await keys.unchecked_ids(concept.id, user_id=ME.user_id) == []
    (ready,) = [one for one in await runs.events(run.id) if one.kind == "question_ready"]
    assert "correctOption" not in ready.data
    with pytest.raises(Conflict):  # the call has ended
        await keys.save_solutions(concept.id, [solution], actor=acting(run, "c1"))


async def test_Q3_a_key_that_does_not_hold_voids_its_question_which_cannot_be_saved_again(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, assessments: SqlAssessments, concept: NodeRow,
    runs: SqlRunStore, run: Run, database: Database,
) -> None:  # fmt: skip
    saved = await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    solution = Solution(saved.id, 0.9, option_id=await wrong_id(database, saved.id))
    await keys.save_solutions(concept.id, [solution], actor=acting(run))
    assert (await the_row(database, saved.id)).state == "voided"
    assert await asked_ids(assessments, saved) == []
    (known,) = await repositories.asked_questions(concept.id, user_id=ME.user_id)
    assert (known.prompt, known.voided) == (CHOICE.prompt, True)
    with pytest.raises(InvalidQuestion, match="did not hold"):
        await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    assert "question_ready" not in [one.kind for one in await runs.events(run.id)]


async def test_Q3_a_guess_changes_nothing_and_what_could_not_be_checked_is_asked_in_the_end(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, assessments: SqlAssessments, concept: NodeRow,
    runs: SqlRunStore, run: Run, database: Database,
) -> None:  # fmt: skip
    saved = await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    for option in (await right_id(database, saved.id), await wrong_id(database, saved.id), None):
        await keys.save_solutions(concept.id, [Solution(saved.id, 0.4, option_id=option)], actor=acting(run))
        assert (await the_row(database, saved.id)).state == "drafted"
    for _ in range(2):
        await keys.release_held_back(concept.id, actor=acting(run))
    assert (await the_row(database, saved.id)).state == "posed"
    assert await asked_ids(assessments, saved) == [saved.id]
    assert [one.kind for one in await runs.events(run.id)].count("question_ready") == 1
    assert await keys.unchecked_ids(concept.id, user_id=ME.user_id) == [saved.id]  # whoever checks later still may
    await assessments.record_answer(saved.assessment_id, GivenAnswer(saved.id, option="Light"), user_id=ME.user_id)
    assert await keys.unchecked_ids(concept.id, user_id=ME.user_id) == []


async def test_Q3_only_a_choice_and_a_number_need_a_check(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, concept: NodeRow, database: Database
) -> None:
    states = []
    for draft in (CHOICE, NUMBER, OPEN):
        saved = await repositories.save_question(concept.id, draft, actor=ME)
        states.append((await the_row(database, saved.id)).state)
    assert states == ["posed", "posed", "verified"]


async def test_a_diagnostic_with_a_question_held_back_is_not_complete(
    repositories: SqlPathRepository,
    keys: SqlAnswerKeys,
    assessments: SqlAssessments,
    concept: NodeRow,
    run: Run,
    database: Database,
) -> None:
    held = await repositories.save_question(concept.id, CHOICE, actor=acting(run), held_back=True)
    number = await repositories.save_question(concept.id, NUMBER, actor=acting(run))
    await assessments.record_answer(number.assessment_id, GivenAnswer(number.id, text="6"), user_id=ME.user_id)
    assert (await assessments.assessment(number.assessment_id, user_id=ME.user_id)).completed_at is None
    await keys.save_solutions(
        concept.id, [Solution(held.id, 1.0, await right_id(database, held.id))], actor=acting(run)
    )
    await assessments.record_answer(number.assessment_id, GivenAnswer(held.id, option="Soil"), user_id=ME.user_id)
    assert (await assessments.assessment(number.assessment_id, user_id=ME.user_id)).completed_at is not None


async def test_Q3_what_is_solved_again_comes_without_its_key(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, concept: NodeRow, run: Run
) -> None:
    ids = [(await repositories.save_question(concept.id, one, actor=acting(run))).id for one in (CHOICE, NUMBER, OPEN)]
    choice, number, words = await keys.blind_questions(ids, user_id=ME.user_id)
    assert {option.text for option in choice.options} == set(CHOICE.options)
    for hidden in (choice, number):
        assert (hidden.answer, hidden.criteria, hidden.reason) == (None, (), None)
    assert "plants eat soil" not in str((choice, number))
    assert (words.answer, len(words.criteria)) == (OPEN.correct_answer, 2)  # only meaning can tell whether these hold
    assert await keys.blind_questions(ids, user_id="somebody-else") == []


@dataclass
class Contests:
    """A learner's doubts, each looked at by a run and its child, and settled."""

    keys: SqlAnswerKeys
    run: Run
    child: Run

    async def come_to(self, *looks: Solution, reason: str | None = "It is B.") -> Contest:
        question_id = looks[0].question_id
        await self.keys.contest(question_id, user_id=ME.user_id, reason=reason)
        for look, by in zip(looks, (self.run, self.child), strict=False):
            await self.keys.save_contest_solution(look, actor=acting(by))
        await self.keys.settle_contest(question_id, actor=acting(self.run))
        return await self.keys.find_contest(question_id, user_id=ME.user_id)


@pytest.fixture
async def contests(keys: SqlAnswerKeys, runs: SqlRunStore, run: Run, concept: NodeRow) -> Contests:
    child = a_child(run, concept, agent="key_check", label="key_check", lane=f"child:{run.id}:second-look")
    return Contests(keys, run, (await runs.admit(child, lease=CLAIM, parent=run)).run)


@pytest.mark.parametrize(
    ("numbers", "outcome"),
    [
        (("5", "7"), "wrong"),
        (("6", "6.0"), "held"),
        ((None, None), "wrong"),
        (("5", "6"), "unsettled"),
        (("about 5 or 6", "5"), "unsettled"),
    ],
)
async def test_Q4_a_number_is_compared_as_an_answer_is_marked(
    repositories: SqlPathRepository, contests: Contests, concept: NodeRow, numbers: tuple[str | None, ...], outcome: str
) -> None:
    saved = await repositories.save_question(concept.id, NUMBER, actor=ME)
    looks = [Solution(saved.id, 0.9, number=number) for number in numbers]
    assert (await contests.come_to(*looks)).outcome == outcome


async def test_Q4_a_question_that_was_wrong_is_voided_and_the_learner_is_told_without_the_key(
    repositories: SqlPathRepository, contests: Contests, concept: NodeRow, runs: SqlRunStore, database: Database,
    paths: SqlPaths, assessments: SqlAssessments,
) -> None:  # fmt: skip
    saved = await repositories.save_question(concept.id, replace(CHOICE, tests=PARTS), actor=ME)
    await assessments.record_answer(saved.assessment_id, GivenAnswer(saved.id, option="Soil"), user_id=ME.user_id)
    wrong = Solution(saved.id, 0.9, option_id=await wrong_id(database, saved.id))
    contest = await contests.come_to(wrong, wrong)
    assert (contest.outcome, contest.reason, contest.settled) == ("wrong", "It is B.", True)
    assert (await the_row(database, saved.id)).state == "voided"
    assert {one.mastery_score for one in await paths.progress(ME.user_id)} == {0.0}
    log = await runs.events(contests.run.id)
    outcome_events = [one for one in log if one.kind in ("contest_settled", "mastery_changed")]
    assert [one.kind for one in outcome_events] == ["contest_settled"] + ["mastery_changed"] * 3
    assert json.loads(outcome_events[0].data)["says"] == OUTCOME_TEXTS["wrong"]
    assert "Light" not in str(outcome_events)


async def test_Q4_contesting_again_returns_the_first_outcome_unless_there_was_none(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, contests: Contests, concept: NodeRow, database: Database
) -> None:
    saved = await repositories.save_question(concept.id, CHOICE, actor=ME)
    right = Solution(saved.id, 0.9, option_id=await right_id(database, saved.id))
    guess = replace(right, sure=0.1)
    assert (await contests.come_to(right, guess)).outcome == "unsettled"
    assert is_contested(await the_row(database, saved.id))
    first = await contests.come_to(right, right, reason="It is C.")
    assert (first.outcome, first.reason) == ("held", "It is C.")
    assert not is_contested(await the_row(database, saved.id))
    again = await keys.contest(saved.id, user_id=ME.user_id, reason="It is D.")
    assert again == first
    wrong = Solution(saved.id, 0.9, option_id=await wrong_id(database, saved.id))
    assert await contests.come_to(wrong, wrong) == first
    assert (await the_row(database, saved.id)).state != "voided"


async def test_Q4_a_look_that_was_lost_settles_nothing(
    repositories: SqlPathRepository, contests: Contests, concept: NodeRow, database: Database
) -> None:
    saved = await repositories.save_question(concept.id, CHOICE, actor=ME)
    wrong = Solution(saved.id, 0.9, option_id=await wrong_id(database, saved.id))
    assert (await contests.come_to(wrong)).outcome == "unsettled"
    assert (await the_row(database, saved.id)).state != "voided"


async def test_Q4_a_question_of_another_learner_or_one_that_was_never_asked_cannot_be_contested(
    repositories: SqlPathRepository, keys: SqlAnswerKeys, assessments: SqlAssessments, concept: NodeRow, paths: SqlPaths
) -> None:
    await paths.ensure_user("someone-else")
    saved = await repositories.save_question(concept.id, CHOICE, actor=ME)
    held = await repositories.save_question(
        concept.id, replace(CHOICE, prompt="Which one else?"), actor=ME, held_back=True
    )
    for question_id, user_id in ((saved.id, "someone-else"), ("nothing", ME.user_id), (held.id, ME.user_id)):
        with pytest.raises(NotFound):
            await keys.contest(question_id, user_id=user_id, reason=None)
        with pytest.raises(NotFound):
            await assessments.skip_question(question_id, user_id=user_id)
    with pytest.raises(NotFound):
        await keys.find_contest(saved.id, user_id=ME.user_id)


async def test_Q4_a_skip_is_kept_as_an_attempt_that_says_nothing(
    repositories: SqlPathRepository, assessments: SqlAssessments, concept: NodeRow, paths: SqlPaths, database: Database
) -> None:
    saved = await repositories.save_question(concept.id, CHOICE, actor=ME)
    skipped = await assessments.skip_question(saved.id, user_id=ME.user_id)
    assert (skipped.answer_text, skipped.selected_option, skipped.score) == (None, None, None)
    assert await assessments.skip_question(saved.id, user_id=ME.user_id) == skipped
    assert (await the_row(database, saved.id)).state == "skipped"
    assert await paths.progress(ME.user_id) == []
    assert (await assessments.assessment(saved.assessment_id, user_id=ME.user_id)).completed_at is not None


async def test_Q2_a_question_that_is_voided_is_pending_in_no_conversation(
    repositories: SqlPathRepository, contests: Contests, concept: NodeRow, database: Database
) -> None:
    saved = await repositories.save_question(concept.id, CHOICE, actor=ME)
    session = tables.ChatSession(id="s", user_id=ME.user_id, node_id=concept.id, pending_question_id=saved.id)
    await database.write_tx(lambda tx: tx.session.add(session))
    wrong = Solution(saved.id, 0.9, option_id=await wrong_id(database, saved.id))
    await contests.come_to(wrong, wrong)
    async with database.open_read_session() as reading:
        assert (await reading.exec(select(tables.ChatSession.pending_question_id))).all() == [None]


def numbered(number: int) -> QuestionDraft:
    """A choice or a number about the first part, the second or both."""
    tests = (PARTS[:1], PARTS[1:], PARTS)[number % 3]
    prompt = f"Question {number}: how many does a plant have of it?"
    if number % 2:
        return QuestionDraft(prompt, "numeric", "6", 2, tests, tolerance=0.0)
    return QuestionDraft(prompt, "mcq", "Light", 2, tests, options=CHOICE.options)


async def answer_all(
    assessments: SqlAssessments, saved: Sequence[SavedQuestion], answers: Sequence[tuple[int, bool]]
) -> None:
    for number, right in answers:
        answer: dict[str, Any] = (
            {"text": "6" if right else "5"} if number % 2 else {"option": "Light" if right else "Soil"}
        )
        given = GivenAnswer(saved[number].id, **answer)
        await assessments.record_answer(saved[number].assessment_id, given, user_id=ME.user_id)


async def shown(paths: SqlPaths, repositories: SqlPathRepository, concept: NodeRow) -> list[tuple[float, int, bool]]:
    """Mastery, answers and completion of the concept and its parts; of what has no row, nothing."""
    parts, _ = await repositories.children(concept.id)
    rows = {one.node_id: one for one in await paths.progress(ME.user_id)}
    found = [rows.get(node_id) for node_id in (concept.id, *(part.id for part in parts))]
    return [
        (0.0, 0, False) if one is None else (one.mastery_score, one.attempts_count, one.completed_at is not None)
        for one in found
    ]


GIVEN_ANSWERS = given(
    answers=st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=12),
    void_after=st.integers(0, 12),
    voided=st.integers(0, 4),
)
ON_A_DATABASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
CheckVoided = Callable[[list[tuple[int, bool]], int, int], Awaitable[None]]


@pytest.fixture
def check_voided(
    repositories: SqlPathRepository, contests: Contests, assessments: SqlAssessments, paths: SqlPaths
) -> CheckVoided:
    """Asserts that a question that was voided after some of the answers has changed nothing."""

    async def check(answers: list[tuple[int, bool]], void_after: int, voided: int) -> None:
        topic = await a_topic(paths, new_id())
        with_it, without_it = [
            await with_parts(repositories, await a_concept(paths, topic, title)) for title in ("With it", "Without it")
        ]
        asked_of = [
            [await repositories.save_question(concept.id, numbered(number), actor=ME) for number in range(5)]
            for concept in (with_it, without_it)
        ]
        before, after = answers[:void_after], [one for one in answers[void_after:] if one[0] != voided]
        await answer_all(assessments, asked_of[0], before)
        look = Solution(asked_of[0][voided].id, 1.0)  # no option is right, no number follows
        assert (await contests.come_to(look, look)).outcome == "wrong"
        await answer_all(assessments, asked_of[0], after)
        await answer_all(assessments, asked_of[1], [one for one in before if one[0] != voided] + after)
        assert await shown(paths, repositories, with_it) == await shown(paths, repositories, without_it)

    return check


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@settings(ON_A_DATABASE, max_examples=30)
@GIVEN_ANSWERS
async def test_Q4_after_a_question_is_voided_mastery_is_exactly_as_if_it_had_never_been_asked(
    check_voided: CheckVoided, answers: list[tuple[int, bool]], void_after: int, voided: int
) -> None:
    await check_voided(answers, void_after, voided)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
@settings(ON_A_DATABASE, max_examples=3)
@GIVEN_ANSWERS
async def test_Q4_after_a_question_is_voided_mastery_is_the_same_on_postgresql(
    check_voided: CheckVoided, answers: list[tuple[int, bool]], void_after: int, voided: int
) -> None:
    await check_voided(answers, void_after, voided)


def is_contested(question: tables.Question) -> bool:
    """Return True while a dispute of the question is not settled."""
    return isinstance(question.contest, dict) and question.contest["outcome"] in (None, "unsettled")
