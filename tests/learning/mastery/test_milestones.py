"""Milestones of mastery, their durations, and exports for other programs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.mastery.mastery import Claim, Evidence, mastery
from sprout.learning.mastery.milestones import milestones, stage
from sprout.learning.mastery.reports import answer_mark, common_misconception
from sprout.learning.mastery.study_time import study_periods

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
EDGES = [("a", "b"), ("b", "c")]


def an_answer(node_id: str, score: float, minute: int, level: int = 0) -> Evidence:
    """An answer to a question of its own about the node."""
    at, name = NOON + timedelta(minutes=minute), f"{minute:05}"
    return Evidence(name, name, name, (node_id,), "open_ended", 3, score, level, at, minute)


answers = st.lists(
    st.builds(
        an_answer, st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5_000), st.integers(0, 4)
    ),
    max_size=30,
)


def test_H4c_a_node_is_begun_learned_mastered_and_lost_at_the_answers_that_say_so() -> None:
    day = 24 * 60
    given_ones = [
        an_answer("a", score, minute) for minute, score in ((0, 0), (1, 1), (2, 1), (day + 2, 1), (day + 3, 0))
    ]
    found = [(turn.at - NOON, turn.reached) for turn in milestones(given_ones, [])]
    expected = ((0, "begun"), (2, "learned"), (day + 2, "mastered"), (day + 3, "begun"))
    assert found == [(timedelta(minutes=at), state) for at, state in expected]


def test_H4c_a_claim_is_a_milestone_and_so_is_what_takes_it_back() -> None:
    claims = [Claim("a", True, NOON), Claim("b", True, NOON), Claim("b", False, NOON + timedelta(hours=1))]
    found = milestones([*claims, an_answer("a", 0, 30)], EDGES)
    assert [(turn.node_id, turn.reached) for turn in found] == [
        ("a", "learned"), ("b", "learned"), ("a", "begun"), ("b", "begun"),
    ]  # fmt: skip


@given(answers)
def test_H4_the_last_turns_are_what_mastery_says_of_all_answers(given_ones: Sequence[Evidence]) -> None:
    last = {turn.node_id: turn.reached for turn in milestones(given_ones, EDGES)}
    known = mastery(given_ones, EDGES)
    assert last == {
        node_id: stage(learned=one.learned, mastered=one.mastered) for node_id, one in known.items() if one.evidence
    }


def test_time_goes_from_one_deed_to_the_next_and_long_pauses_do_not_count() -> None:
    moments = [NOON + timedelta(minutes=at) for at in (14, 16, 20, 75)]
    assert [((one.at - NOON).seconds // 60, one.activities, one.seconds) for one in study_periods(moments)] == [
        (0, 1, 60), (15, 2, 360), (75, 1, 60),
    ]  # fmt: skip
    assert study_periods([]) == []


def test_the_thought_behind_most_answers_is_told_and_of_several_the_newest() -> None:
    assert common_misconception(["a", "b", "a"]) == "a"
    assert common_misconception(["a", "b"]) == "b"
    assert common_misconception([]) is None


def test_a_score_is_one_of_three_marks() -> None:
    assert [answer_mark(score) for score in (0, 0.01, 0.99, 1)] == ["missed", "partly", "partly", "right"]
