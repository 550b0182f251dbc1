"""Class progress on both databases: the learners' own states, for the class's teacher alone, in few statements."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest

from sprout.accounts.class_page.progress import ClassProgressReports
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.learning.graph.node_states import NodeState, node_states
from sprout.store.accounts.class_page.repository import SqlClassProgress
from tests.statement_counter import count_statements
from tests.store.accounts.class_page import CONCEPTS, RIGHT, SAID, WRONG, TaughtClass, a_taught_class
from tests.store.accounts.conftest import HERE, SchoolWithPath, an_account

FITS: type[ClassProgressReports] = SqlClassProgress  # mypy checks it


@pytest.fixture
async def taught(school_with_path: SchoolWithPath) -> TaughtClass:
    return await a_taught_class(school_with_path)


async def test_the_page_has_the_concepts_in_learning_order_and_every_member(taught: TaughtClass) -> None:
    page = await taught.page()
    assert [one.title for one in page.concepts] == [*CONCEPTS]
    assert (page.title, page.due_on, page.given_id) == ("Numbers", "2026-12-24", taught.given_id)
    assert [one.display_name for one in page.learners] == ["L0", "L1", "L2"]
    for learner in page.learners:
        assert (learner.has_copy, learner.last_active_at, learner.due) == (True, None, 0)
        assert learner.states == ["ready", "locked", "locked"]
    assert (page.active_this_week, page.stuck_somewhere) == (0, 0)


async def test_two_misses_are_stuck_and_two_right_answers_are_learned(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", WRONG, WRONG)
    await taught.answer(1, "Counting", RIGHT, RIGHT)
    await taught.answer(1, "Sharing", RIGHT)
    page = await taught.page()
    first, second, third = page.learners
    assert (first.display_name, first.states, first.stuck) == ("L0", ["in_progress", "locked", "locked"], [0])
    assert (second.states, second.stuck, second.unsure) == (["learned", "in_progress", "locked"], [], [1])
    assert third.states == ["ready", "locked", "locked"]
    assert [one.stuck for one in page.concepts] == [1, 0, 0]
    assert (page.active_this_week, page.stuck_somewhere) == (2, 1)
    assert first.study_seconds == 60
    await taught.answer(0, "Counting", RIGHT, RIGHT)
    assert (await taught.row(0)).stuck == []


async def test_what_was_done_long_ago_is_the_last_moment_and_no_study_of_this_week(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", RIGHT, days_ago=9)
    row = await taught.row(0)
    assert row.last_active_at is not None
    at = datetime.fromisoformat(row.last_active_at)
    assert abs(utc_now() - timedelta(days=9) - at) < timedelta(minutes=5)
    assert (row.study_seconds, (await taught.page()).active_this_week) == (0, 0)


async def test_a_part_that_is_due_is_due_on_the_page(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", RIGHT, RIGHT, days_ago=3)
    await taught.end_diagnostics()
    row = await taught.row(0)
    assert (row.due, row.due_concepts) == (0, [])
    await taught.make_due(0)
    row = await taught.row(0)
    assert (row.due, row.due_concepts) == (1, [0])


async def test_one_who_left_is_not_on_the_page_and_one_without_a_copy_has_no_states(taught: TaughtClass) -> None:
    school = taught.school
    await school.memberships.leave(taught.class_id, user_id=school.learners[0], origin=HERE)
    (copy,) = await school.given.copies(school.learners[1])
    await school.paths.delete_branch(copy.branch_id, user_id=school.learners[1])
    page = await taught.page()
    assert [one.user_id for one in page.learners] == [*school.learners[1:]]
    assert (page.learners[0].has_copy, page.learners[0].states) == (False, [None, None, None])
    with pytest.raises(NotFound):
        await taught.reports.seen(taught.class_id, learner_id=school.learners[0])
    concept = await taught.source_concept("Counting")
    with pytest.raises(NotFound):
        await taught.reports.concept(taught.class_id, school.learners[0], concept, teacher_id=school.teacher)
    gone = await taught.reports.concept(taught.class_id, school.learners[1], concept, teacher_id=school.teacher)
    assert (gone.state, gone.chance, gone.answers) == (None, None, [])


async def test_a_concept_that_the_learner_removed_or_the_teacher_added_has_no_state(taught: TaughtClass) -> None:
    school, learner = taught.school, taught.school.learners[0]
    for title in ("Odds by hand", "Odds"):
        nodes = await school.paths.nodes(user_id=learner)
        await school.paths.delete_node(next(one.id for one in nodes if one.title == title), user_id=learner)
    (root,) = await school.paths.nodes(user_id=school.teacher, type="root")
    await school.paths.create_node(
        user_id=school.teacher, type="concept", title="New", branch_id=root.branch_id, parent_id=root.id, desc=None
    )
    assert (await taught.row(0)).states == ["ready", "locked", None, None]
    assert (await taught.row(1)).states == ["ready", "locked", "locked", None]


async def test_nothing_of_a_class_is_for_another_teacher_or_another_class(taught: TaughtClass) -> None:
    school = taught.school
    other = await an_account(school.accounts, "Theo", AccountRole.TEACHER)
    concept, learner = await taught.source_concept("Counting"), school.learners[0]
    refused = [
        taught.reports.progress(taught.class_id, taught.given_id, teacher_id=other),
        taught.reports.progress(school.class_ids[1], taught.given_id, teacher_id=school.teacher),
        taught.reports.progress(taught.class_id, "unknown", teacher_id=school.teacher),
        taught.reports.concept(taught.class_id, learner, concept, teacher_id=other),
        taught.reports.concept(school.class_ids[1], learner, concept, teacher_id=school.teacher),
        taught.reports.concept(taught.class_id, school.teacher, concept, teacher_id=school.teacher),
        taught.reports.concept(taught.class_id, learner, "unknown", teacher_id=school.teacher),
        taught.reports.seen(school.class_ids[1], learner_id=learner),
    ]
    for one in refused:
        with pytest.raises(NotFound):
            await one


async def test_a_report_has_what_was_asked_and_how_it_went_and_no_word_of_the_learner(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", SAID, WRONG, RIGHT)
    learner, concept = taught.school.learners[0], await taught.source_concept("Counting")
    found = await taught.reports.concept(taught.class_id, learner, concept, teacher_id=taught.school.teacher)
    assert (found.display_name, found.title, found.state) == ("L0", "Counting", "in_progress")
    assert [one.outcome for one in found.answers][:2] == ["right", "wrong"]
    assert found.chance is not None
    assert all(not one.helped and "How many stay?" in one.prompt for one in found.answers)
    seen = await taught.reports.seen(taught.class_id, learner_id=learner)
    said = [found, await taught.page(), *seen]
    assert not any(SAID in one.model_dump_json() for one in said)


async def test_a_learner_sees_their_own_row_as_the_teacher_does_and_nobody_elses(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", WRONG, WRONG)
    await taught.answer(1, "Counting", RIGHT)
    await taught.end_diagnostics()
    (seen,) = await taught.reports.seen(taught.class_id, learner_id=taught.school.learners[0])
    assert (seen.title, seen.concepts, seen.given_id) == ("Numbers", [*CONCEPTS], taught.given_id)
    assert seen.row == await taught.row(0)
    assert taught.school.learners[1] not in seen.model_dump_json()


async def test_the_page_says_of_every_learner_what_their_own_graph_says(taught: TaughtClass) -> None:
    await taught.answer(0, "Counting", RIGHT, RIGHT, days_ago=2)
    await taught.answer(0, "Sharing", RIGHT, RIGHT, days_ago=1)
    await taught.answer(0, "Odds", WRONG)
    await taught.answer(1, "Counting", RIGHT, RIGHT)
    await taught.answer(2, "Sharing", WRONG)
    await taught.end_diagnostics()
    page = await taught.page()
    for learner in page.learners:
        own = await own_states(taught, learner.user_id)
        assert learner.states == [own[one.title] for one in page.concepts]
    said = {state for learner in page.learners for state in learner.states}
    assert said == {"learned", "in_progress", "ready", "locked"}


async def own_states(taught: TaughtClass, learner: str) -> Mapping[str, NodeState]:
    """Title → state of the concepts in the learner's copy, from the graph that their own page draws."""
    (copy,) = await taught.school.given.copies(learner)
    graph = await taught.school.paths.graph(copy.branch_id, user_id=learner)
    states = node_states(
        [node.id for node in graph.nodes],
        [(edge.source_node_id, edge.target_node_id) for edge in graph.edges],
        learned={row.node_id for row in graph.progress if row.completed_at},
        mastered={row.node_id for row in graph.progress if row.mastered_at},
        started={row.node_id for row in graph.progress if row.attempts_count or row.mastery_score},
    )
    return {node.title: states[node.id] for node in graph.nodes if node.type == "concept"}


async def test_a_page_takes_as_many_statements_for_three_learners_as_for_one(taught: TaughtClass) -> None:
    for at in range(3):
        await taught.answer(at, "Counting", WRONG)
    await taught.end_diagnostics()
    await taught.page()  # from here on it is known what the questions can reveal
    with count_statements(taught.school.database) as sent:
        await taught.page()
    for learner in taught.school.learners[1:]:
        await taught.school.memberships.leave(taught.class_id, user_id=learner, origin=HERE)
    with count_statements(taught.school.database) as fewer:
        await taught.page()
    assert len(sent) == len(fewer) < 25
