"""Placement: the question that tells most, when it stops, and how well it does on simulated learners."""

from collections.abc import Iterable
from random import Random

import pytest

from faults.learners.placements import LEAST_RIGHT, MOST_ASKED
from sprout.evaluation.placement.simulated_learners import KINDS, course_space, place, random_space
from sprout.events import NodeRow
from sprout.learning.placement.knowledge_space import KnowledgeSpace, Placed, knowledge_space
from sprout.learning.placement.placement import (
    MAX_QUESTIONS,
    Asked,
    Reply,
    confirmed,
    next_check_step,
    next_step,
    question_limit,
    reply_of,
)
from sprout.learning.questions.questions import QuestionFormat
from sprout.offline.courses.catalogue import courses

LEARNERS = 5
CHAIN = KnowledgeSpace(tuple("abcdefg"), tuple(zip("abcdef", "bcdefg", strict=True)))


def formats(node_ids: Iterable[str], kind: QuestionFormat = "numeric") -> dict[str, QuestionFormat]:
    return dict.fromkeys(node_ids, kind)


ALL = formats("abcdefg")


def node(node_id: str, kind: str, parent: str | None = None) -> NodeRow:
    return NodeRow.model_construct(id=node_id, type=kind, parent_id=parent, title=node_id)


def asked(node_id: str, reply: Reply) -> Asked:
    return Asked(node_id, "numeric", 3, reply)


@pytest.mark.parametrize("kind", KINDS)
def test_P2_nine_nodes_of_ten_are_placed_right_with_a_third_of_the_questions(kind: str) -> None:
    drawn = Random(19)
    found = [place(drawn, random_space(drawn), kind) for _ in range(LEARNERS)]
    assert sum(one.right for one in found) / LEARNERS >= LEAST_RIGHT
    assert sum(one.asked for one in found) / LEARNERS <= MOST_ASKED


def test_P2_the_courses_items_are_enough_to_place_a_learner_on_their_graphs() -> None:
    drawn = Random(19)
    for course in courses():
        space, items = course_space(course)
        found = [place(drawn, space, kind, items) for kind in KINDS]
        assert sum(one.right for one in found) / len(found) >= LEAST_RIGHT, course.title
        assert sum(one.asked for one in found) / len(found) <= MOST_ASKED, course.title


def test_P1_the_first_question_is_as_likely_known_as_not_and_the_next_goes_the_way_of_the_answer() -> None:
    first = next_step(CHAIN, [], {}, ALL)
    assert 0.4 < first.beliefs[first.ask or ""] < 0.6
    up = next_step(CHAIN, [asked("d", Reply.RIGHT)], {}, ALL).ask
    down = next_step(CHAIN, [asked("d", Reply.NOT_KNOWN)], {}, ALL).ask
    assert up in {"e", "f", "g"}
    assert down in {"a", "b", "c"}


def test_P1_a_node_without_a_question_is_inferred_and_a_skipped_one_not_asked_again() -> None:
    assert next_step(CHAIN, [], {}, formats("g")).ask == "g"
    assert next_step(CHAIN, [asked("g", Reply.SKIPPED)], {}, formats("g")).ask is None
    assert next_step(CHAIN, [], {}, {}).ask is None
    known = next_step(CHAIN, [asked("g", Reply.RIGHT), asked("g", Reply.RIGHT)], {}, formats("g")).known
    assert known == set("abcdefg")


def test_P1_what_was_learned_before_is_known_and_not_asked_about_first() -> None:
    step = next_step(CHAIN, [], dict.fromkeys("abc", True), ALL)
    assert step.known >= set("abc")
    assert step.ask in set("defg")


def test_P1_what_its_learner_says_they_do_not_know_is_not_inferred_from_what_builds_on_it() -> None:
    replies = [asked("d", Reply.RIGHT), asked("c", Reply.RIGHT)]
    step = next_step(CHAIN, replies, {"b": False}, ALL)
    assert "b" not in step.known
    assert step.known >= {"a", "c", "d"}
    assert "b" in next_step(CHAIN, [*replies, *[asked("b", Reply.RIGHT)] * 2], {"b": False}, ALL).known


def test_P1_what_nothing_was_asked_about_is_not_known() -> None:
    """Not by what most learners know, nor by one right answer about something else."""
    assert next_step(CHAIN, [], {}, ALL).known == set()
    apart = KnowledgeSpace(tuple("abcd"), ())
    assert next_step(apart, [asked("a", Reply.RIGHT)], {}, formats("abcd")).known <= {"a"}


def test_P1_it_ends_at_25_questions_or_a_third_of_the_path() -> None:
    large = KnowledgeSpace(tuple(map(str, range(200))), ())
    assert question_limit(large) == MAX_QUESTIONS == 25
    assert question_limit(KnowledgeSpace(tuple(map(str, range(40))), ())) == 14
    assert question_limit(KnowledgeSpace(("a", "b"), ())) == 2
    every = formats(large.node_ids, "mcq")
    replies = [asked(str(number), Reply.RIGHT if number % 2 else Reply.WRONG) for number in range(25)]
    assert next_step(large, replies[:24], {}, every).ask is not None
    assert next_step(large, replies, {}, every).ask is None
    with_skips = [*replies[:24], asked("190", Reply.SKIPPED)]
    assert next_step(large, with_skips, {}, every).ask is not None, "what was skipped does not count"


def test_P1_the_result_is_known_ready_or_later() -> None:
    placed = CHAIN.placed({"a", "b"})
    assert [placed[one] for one in "abcd"] == [Placed.KNOWN, Placed.KNOWN, Placed.READY, Placed.LATER]


def test_P1_the_parts_of_a_concept_rest_on_the_last_parts_of_the_one_before_it() -> None:
    nodes = [
        node("one", "concept"), node("two", "concept"), node("empty", "concept"),
        node("a", "subconcept", "one"), node("b", "subconcept", "one"),
        node("c", "subconcept", "two"), node("d", "subconcept", "two"),
    ]  # fmt: skip
    space = knowledge_space(nodes, [("one", "two"), ("two", "empty"), ("a", "b"), ("c", "d"), ("gone", "d")])
    assert space.node_ids == ("a", "b", "c", "d", "empty")
    assert set(space.edges) == {("a", "b"), ("b", "c"), ("c", "d"), ("d", "empty")}


def test_P1a_two_questions_on_it_and_on_what_it_rests_on_confirm() -> None:
    first = next_check_step(CHAIN, ["d"], [], {}, ALL)
    assert (first.ask, first.most) == ("d", 2)
    one = [asked("d", Reply.RIGHT)]
    assert next_check_step(CHAIN, ["d"], one, {}, ALL).ask == "c"
    two = [*one, asked("c", Reply.RIGHT)]
    last = next_check_step(CHAIN, ["d"], two, {}, ALL)
    assert last.ask is None
    assert confirmed(CHAIN, ["d"], two, last) == set("abcd"), "it, and what it rests on"


def test_P1a_a_miss_ends_the_check_and_confirms_nothing() -> None:
    for reply in (Reply.WRONG, Reply.NOT_KNOWN):
        replies = [asked("d", reply)]
        step = next_check_step(CHAIN, ["d"], replies, {}, ALL)
        assert step.ask is None
        assert confirmed(CHAIN, ["d"], replies, step) == set()
    partly = [asked("d", Reply.PARTLY), asked("c", Reply.RIGHT)]
    assert confirmed(CHAIN, ["d"], partly, next_check_step(CHAIN, ["d"], partly, {}, ALL)) == set()


def test_P1a_where_it_rests_on_nothing_both_questions_are_about_it() -> None:
    assert next_check_step(CHAIN, ["a"], [asked("a", Reply.RIGHT)], {}, formats("a", "mcq")).ask == "a"
    assert next_check_step(CHAIN, ["a"], [asked("a", Reply.SKIPPED)], {}, formats("a", "mcq")).ask is None


def test_P1a_of_a_concept_its_last_part_is_asked_first_and_then_what_is_least_certain() -> None:
    space = KnowledgeSpace(tuple("abcd"), (("a", "b"), ("a", "c"), ("a", "d")))
    first = next_check_step(space, ["b", "c", "d"], [], {}, formats("abcd")).ask
    assert first in {"b", "c", "d"}
    second = next_check_step(space, ["b", "c", "d"], [asked(first or "", Reply.RIGHT)], {}, formats("abcd")).ask
    assert second in {"b", "c", "d"} - {first}


def test_A3_a_score_shows_known_partly_or_not_and_none_at_all_is_not_known() -> None:
    assert [reply_of(score) for score in (1.0, 0.8, 0.6, 0.5, 0.4, 0.0, None)] == [
        Reply.RIGHT, Reply.RIGHT, Reply.PARTLY, Reply.PARTLY, Reply.WRONG, Reply.WRONG, Reply.NOT_KNOWN,
    ]  # fmt: skip
