"""Rules of the class page: who is stuck, what is in doubt, states, order, and the table for spreadsheets."""

import csv
import io

import pytest

from sprout.accounts.class_page.export import progress_csv
from sprout.accounts.class_page.progress import ClassConcept, ClassProgress, LearnerProgress
from sprout.accounts.class_page.rules import ConceptStanding, copy_states, in_order, is_stuck, outcome_of
from sprout.learning.graph.node_states import NodeState


@pytest.mark.parametrize(
    ("scores", "stuck"),
    [
        ((), False), ((0.0,), False), ((0.0, 0.0), True), ((1.0, 0.0, 0.0), True), ((0.0, 1.0, 0.0), True),
        ((1.0, 1.0, 0.0, 0.0), False), ((0.0, 0.5, 0.5), False), ((0.4, 0.49), True),
    ],
)  # fmt: skip
def test_two_misses_among_the_last_three_answers_are_stuck(scores: tuple[float, ...], stuck: bool) -> None:
    assert is_stuck(scores, learned=False) is stuck
    assert not is_stuck(scores, learned=True)


def standing(node_id: str, *, learned: bool = False, answers: int = 0, mastery: float = 0.0) -> ConceptStanding:
    return ConceptStanding(node_id, learned=learned, mastered=False, answers=answers, mastery=mastery)


def test_in_doubt_is_what_is_begun_or_known_from_fewer_than_two_answers() -> None:
    assert not standing("a").is_unsure
    assert standing("a", answers=1).is_unsure
    assert standing("a", learned=True, mastery=0.7).is_unsure
    assert not standing("a", answers=2, mastery=0.3).is_unsure
    assert not standing("a", learned=True, answers=4, mastery=0.9).is_unsure


def test_what_follows_a_concept_whose_lessons_are_over_is_open_and_the_concept_is_not_learned() -> None:
    concepts = [standing("a"), standing("b"), standing("c"), standing("d")]
    edges = [("a", "b"), ("b", "c")]
    found = copy_states(concepts, edges, left={"d"}, over={"a"})
    assert found == {
        "a": NodeState.READY, "b": NodeState.READY, "c": NodeState.LOCKED, "d": NodeState.IN_PROGRESS
    }  # fmt: skip


def test_outcomes_are_those_of_the_marks() -> None:
    assert [outcome_of(score) for score in (None, 1.0, 0.8, 0.5, 0.49)] == [
        "unmarked", "right", "right", "partly", "wrong"
    ]  # fmt: skip


def a_row(name: str, *stuck: int) -> LearnerProgress:
    return LearnerProgress(
        user_id=name, display_name=name, last_active_at=None, due=1, study_seconds=0, has_copy=True,
        states=[NodeState.READY, None], stuck=[*stuck], unsure=[], due_concepts=[0],
    )  # fmt: skip


def test_who_is_stuck_at_most_comes_first_and_then_the_names_decide() -> None:
    rows = [a_row("Zoe"), a_row("ben"), a_row("Ada", 0), a_row("Cem", 0, 1), a_row("Anna")]
    assert [one.user_id for one in in_order(rows)] == ["Cem", "Ada", "Anna", "ben", "Zoe"]


def test_the_table_has_a_row_for_each_learner_and_concept_and_no_formula() -> None:
    concepts = [ClassConcept(node_id="a", title="=1+1", stuck=1), ClassConcept(node_id="b", title="Light", stuck=0)]
    page = ClassProgress(
        class_id="c", given_id="g", branch_id="b", title="t", due_on=None, at="now", concepts=concepts,
        learners=[a_row("@SUM(A1)", 0)], mix_ups=[], active_this_week=0, stuck_somewhere=1,
    )  # fmt: skip
    head, first, second = csv.reader(io.StringIO(progress_csv(page).removeprefix("\ufeff")))
    assert head == ["learner", "concept", "state", "stuck", "in doubt", "due", "last here"]
    assert first == ["'@SUM(A1)", "'=1+1", "ready", "yes", "", "yes", ""]
    assert second == ["'@SUM(A1)", "Light", "", "", "", "", ""]
