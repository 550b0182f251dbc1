"""Milestones of mastery, their durations, and exports for other programs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.mastery.mastery import Evidence, mastery
from sprout.learning.mastery.milestones import milestones
from sprout.learning.mastery.reports import answer_mark, common_misconception
from sprout.learning.mastery.study_time import study_periods

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
EDGES = [("a", "b"), ("b", "c")]


def an_answer(node_id: str, score: float, minute: int, level: int = 0) -> Evidence:
    return Evidence(f"{minute:05}", (node_id,), "open_ended", score, level, NOON + timedelta(minutes=minute))


answers = st.lists(
    st.builds(
        an_answer, st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 500), st.integers(0, 4)
    ),
    max_size=30,
)


def test_a_node_is_begun_mastered_and_lost_at_the_answers_that_say_so() -> None:
    given_ones = [an_answer("a", score, minute) for minute, score in enumerate([0, 1, 1, 0, 0])]
    found = [(turn.at - NOON, turn.reached) for turn in milestones(given_ones, [])]
    assert found == [(timedelta(minutes=at), state) for at, state in ((0, "begun"), (1, "mastered"), (4, "begun"))]


@given(answers)
def test_H4_the_last_turns_are_what_mastery_says_of_all_answers(given_ones: Sequence[Evidence]) -> None:
    last = {turn.node_id: turn.reached for turn in milestones(given_ones, EDGES)}
    known = mastery(given_ones, EDGES)
    assert last == {node_id: "mastered" if one.mastered else "begun" for node_id, one in known.items() if one.evidence}


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
