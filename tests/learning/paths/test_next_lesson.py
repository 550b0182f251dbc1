"""The lesson that comes next in a path, with its reason; and how long it will take."""

from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.lesson_history import DEFAULT_MINUTES, LessonHistory, PastLesson
from sprout.learning.paths.next_lesson import NextLesson, WhyNext, learning_order, next_lesson
from sprout.learning.paths.repository import BranchGraph, BranchRow, EdgeRow, NodeDetail, ProgressRow
from sprout.learning.today.lesson_minutes import lesson_minutes, reading_minutes
from sprout.learning.today.next_step import PathRuns, StepKind, path_step

NOW = "2026-11-20T08:00:00Z"
START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
BRANCH = BranchRow(id="b", title="Fractions", user_id="me", created_at=NOW, updated_at=NOW)


def node(node_id: str, kind: Literal["root", "concept", "subconcept"], parent: str | None) -> NodeDetail:
    return NodeDetail(
        id=node_id, user_id="me", type=kind, branch_id="b", parent_id=parent, title=node_id.upper(), desc=None,
        created_at=NOW, updated_at=NOW, reason=None,
    )  # fmt: skip


def progress(node_id: str, *, learned: bool = False, attempts: int = 1, at: str = NOW) -> ProgressRow:
    return ProgressRow(
        id=f"p-{node_id}", user_id="me", node_id=node_id, first_entered_at=None, last_entered_at=None,
        completed_at=at if learned else None, mastered_at=None, mastery_score=0.5, attempts_count=attempts,
        has_generated_subnodes=False, created_at=NOW, updated_at=at,
    )  # fmt: skip


def edge(source: str, target: str) -> EdgeRow:
    return EdgeRow(id=f"{source}>{target}", source_node_id=source, target_node_id=target, created_at=NOW)


def a_path(*rows: ProgressRow) -> BranchGraph:
    """Concept `a` with the parts a1 before a2, then `b` with b1; beside them `c` with c1. They were made backwards."""
    nodes = [node("root", "root", None)]
    nodes += [node(each, "concept", "root") for each in ("b", "a", "c")]
    nodes += [node("b1", "subconcept", "b"), node("a2", "subconcept", "a"), node("a1", "subconcept", "a")]
    nodes += [node("c1", "subconcept", "c")]
    edges = [edge("a", "b"), edge("a1", "a2")]
    return BranchGraph(branch=BRANCH, nodes=nodes, edges=edges, progress=list(rows), documents=[], places={}, bare=[])


def found(*rows: ProgressRow, started: dict[str, datetime] | None = None, concept: str | None = None) -> NextLesson:
    lesson = next_lesson(a_path(*rows), started or {}, concept_id=concept)
    assert lesson is not None
    return lesson


def test_a_path_begins_with_the_first_part_that_nothing_comes_before() -> None:
    lesson = found()
    assert (lesson.part.id, lesson.why, lesson.because) == ("a1", WhyNext.FIRST, ())
    assert (lesson.opens, lesson.learned, lesson.parts) == (("A2",), 0, 2)


def test_what_builds_on_a_learned_part_comes_next_and_the_last_part_opens_the_next_concept() -> None:
    lesson = found(progress("a1", learned=True))
    assert (lesson.part.id, lesson.why, lesson.because) == ("a2", WhyNext.BUILDS_ON, ("A1",))
    assert (lesson.opens, lesson.learned, lesson.parts) == (("B",), 1, 2)


def test_a_learned_concept_is_the_reason_for_what_it_opens() -> None:
    done = [progress(each, learned=True) for each in ("a1", "a2", "a")]
    lesson = found(*done, concept="b")
    assert (lesson.part.id, lesson.why, lesson.because) == ("b1", WhyNext.BUILDS_ON, ("A",))


def test_what_was_put_before_a_node_later_comes_right_before_it() -> None:
    needs = {"b": ["a", "first look"], "first look": ["still earlier"], "c": ["b"]}
    made = ["a", "b", "beside", "c", "first look", "still earlier"]
    assert learning_order(made, needs) == ["a", "still earlier", "first look", "b", "beside", "c"]


def test_the_learning_order_of_a_circle_has_each_node_once() -> None:
    assert learning_order(["a", "b", "c"], {"a": ["c"], "b": ["a"], "c": ["b", "elsewhere"]}) == ["b", "c", "a"]


def test_a_concept_of_which_nothing_leads_to_it_comes_in_the_order_of_the_path() -> None:
    done = [progress(each, learned=True) for each in ("a1", "a2", "a", "b1", "b")]
    lesson = found(*done)
    assert (lesson.part.id, lesson.why, lesson.because) == ("c1", WhyNext.IN_ORDER, ())


def test_the_lesson_that_was_left_last_comes_before_all_others() -> None:
    started = {"a1": START, "c1": START + timedelta(minutes=1)}
    assert (found(started=started).part.id, found(started=started).why) == ("c1", WhyNext.STARTED)
    assert found(started={"c1": START, "a1": START + timedelta(minutes=1)}).part.id == "a1"


def test_a_lesson_that_was_left_on_a_part_that_is_learned_since_does_not_come_back() -> None:
    lesson = found(progress("a1", learned=True), started={"a1": START})
    assert (lesson.part.id, lesson.why) == ("a2", WhyNext.BUILDS_ON)


def test_G6_a_lesson_that_was_left_goes_on_whatever_is_put_before_it_and_before_its_concept() -> None:
    for part in ("a2", "b1"):
        lesson = found(started={part: START})
        assert (lesson.part.id, lesson.why) == (part, WhyNext.STARTED)


def test_the_concept_that_was_worked_on_last_goes_on() -> None:
    lesson = found(progress("a1", learned=True, at="2026-11-20T08:00:00Z"), progress("c1", at="2026-11-21T08:00:00Z"))
    assert lesson.part.id == "c1"


def test_a_part_whose_lesson_came_to_its_end_comes_again_once_the_others_are_through() -> None:
    lesson = next_lesson(a_path(), {}, {"a1"})
    assert lesson is not None
    assert lesson.part.id == "a2", "it need not be learned to go on"
    assert (lesson.why, lesson.because, lesson.learned) == (WhyNext.FOLLOWS, ("A1",), 0), "nor is it said to be"
    onward = next_lesson(a_path(), {}, {"a1", "a2"})
    assert onward is not None
    assert onward.part.id == "b1", "the concept is through with all of its parts"
    assert (onward.why, onward.because) == (WhyNext.FOLLOWS, ("A",))
    again = next_lesson(a_path(progress("a2", learned=True)), {}, {"a1", "a2", "b1", "c1"})
    assert again is not None
    assert (again.part.id, again.why) == ("a1", WhyNext.AGAIN)


def test_nothing_comes_next_where_a_concept_is_locked_or_everything_is_learned() -> None:
    everything = [progress(each, learned=True) for each in ("a1", "a2", "a", "b1", "b", "c1", "c")]
    assert next_lesson(a_path(*everything), {}) is None
    assert next_lesson(a_path(), {}, concept_id="b") is None


PARTS, CONCEPTS = ("a1", "a2", "b1", "c1"), ("a", "b", "c")


@given(st.sets(st.sampled_from([*PARTS, *CONCEPTS])), st.sets(st.sampled_from(PARTS)), st.sets(st.sampled_from(PARTS)))
def test_a_path_is_done_only_where_every_part_is_learned(learned: set[str], taken: set[str], left: set[str]) -> None:
    lessons = [
        *(past(one, 10) for one in sorted(taken)),
        *(past(one, 5, is_over=False) for one in sorted(left - learned)),
    ]
    path = a_path(*(progress(one, learned=True) for one in sorted(learned)))
    step = path_step(path, PathRuns(), LessonHistory(lessons))
    assert step.kind is (StepKind.DONE if learned.issuperset(PARTS) else StepKind.LESSON)


def past(node_id: str, minutes: float, *, is_over: bool = True, step: int = 1, steps: int = 3) -> PastLesson:
    """A lesson with a message each minute; the first is taken to have been prepared for one minute."""
    moments = [START + timedelta(minutes=minute) for minute in range(round(minutes))]
    return PastLesson(node_id, is_over, step, steps, moments)


def test_minutes_are_those_of_the_middle_lesson_once_there_are_three() -> None:
    lessons = [past("x", 4), past("y", 20), past("z", 6)]
    assert LessonHistory(lessons[:2]).minutes("new") == DEFAULT_MINUTES
    assert LessonHistory(lessons).minutes("new") == 6


@pytest.mark.parametrize(("step", "minutes"), [(0, 8), (1, 8), (2, 6), (3, 3), (4, 3)])
def test_of_a_lesson_that_was_left_only_the_rest_takes_time(step: int, minutes: int) -> None:
    history = LessonHistory([past("a1", 2, is_over=False, step=step)])
    assert (history.minutes("a1"), history.minutes("a2")) == (minutes, 8)
    assert history.unfinished == {"a1": START + timedelta(minutes=1)}


def test_the_newest_lesson_of_a_part_says_whether_it_came_to_its_end() -> None:
    history = LessonHistory([past("a", 2, is_over=False), past("a", 3), past("b", 2), past("b", 3, is_over=False)])
    assert (history.taken, {*history.unfinished}) == ({"a"}, {"b"})
    assert history.standings == {"a": "over", "b": "left"}


def test_a_node_has_the_minutes_of_the_lessons_that_are_left_in_it() -> None:
    graph, whole = a_path(progress("a1", learned=True), progress("c1", learned=True)), int(DEFAULT_MINUTES)
    assert lesson_minutes(graph, LessonHistory([])) == {"b1": whole, "b": whole, "a2": whole, "a": whole}
    assert lesson_minutes(a_path(), LessonHistory([]))["a"] == 2 * whole
    half = PastLesson("a2", is_over=False, step=2, steps=2, moments=[START])
    assert lesson_minutes(graph, LessonHistory([half]))["a2"] == whole // 2


@pytest.mark.parametrize(("words", "minutes"), [(60, 1), (150, 2), (500, 4), (2_000, 16)])
def test_guided_reading_takes_as_long_as_its_passages_and_a_question_on_each_step(words: int, minutes: int) -> None:
    assert ceil(reading_minutes(words * 6)) == minutes


def test_a_part_of_notes_has_the_minutes_of_its_passages_and_no_others_do() -> None:
    graph = a_path()
    nodes = [
        node.model_copy(update={"desc": f"In your notes: {node.title}"}) if node.id == "a1" else node
        for node in graph.nodes
    ]
    given = graph.model_copy(update={"nodes": nodes, "cited": {"a1": 900, "a2": 900}})
    found = lesson_minutes(given, LessonHistory([past("x", 4), past("y", 20), past("z", 6)]))
    assert (found["a1"], found["a2"], found["a"]) == (2, 6, 8)
