"""The ledger of misconceptions, folded from answers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.misconceptions.ledger import BeliefState, LedgerAnswer, LedgerEntry, clearable, ledger

MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BELIEF = "count"
OPEN, TREATED, CLEARED = BeliefState.OPEN, BeliefState.TREATED, BeliefState.CLEARED
SHOWS = LedgerAnswer("a1", "q1", "first", "topic", MONDAY, right=False, shows=(BELIEF,), could_show=(BELIEF,))
RIGHT = LedgerAnswer("a2", "q2", "second", "topic", MONDAY + DAY, right=True, could_show=(BELIEF,))


def entry(*answers: LedgerAnswer) -> LedgerEntry:
    (found,) = ledger(answers)
    return found


def test_C1_a_belief_that_shows_is_open_with_its_evidence() -> None:
    again = replace(SHOWS, answer_id="a9", question_id="q9", item="ninth", at=MONDAY + HOUR)
    found = entry(SHOWS, again)
    assert (found.state, found.evidence, found.cleared_by, found.relapses) == (OPEN, (SHOWS, again), None, 0)
    assert found.clears_from == MONDAY + HOUR + DAY


def test_C1_a_fresh_right_answer_without_help_a_day_later_clears_it() -> None:
    found = entry(SHOWS, RIGHT)
    assert (found.state, found.cleared_by) == (CLEARED, RIGHT)


@pytest.mark.parametrize(
    "change",
    [
        {"at": MONDAY + DAY - timedelta(seconds=1)},
        {"help_level": 1},
        {"item": "first"},
        {"question_id": "q1"},
        {"at": MONDAY - DAY},
    ],
    ids=["too soon", "with help", "the item that showed it", "a second attempt", "a clock that went back"],
)
def test_C1_a_right_answer_that_shows_less_treats_it(change: dict[str, object]) -> None:
    found = entry(SHOWS, replace(RIGHT, **change))  # type: ignore[arg-type]
    assert (found.state, found.cleared_by) == (TREATED, None)


def test_C1_an_item_that_was_answered_within_the_day_does_not_clear_it() -> None:
    treated = replace(RIGHT, at=MONDAY + 20 * HOUR)
    repeated = replace(RIGHT, answer_id="a3", question_id="q3", at=MONDAY + 30 * HOUR)
    assert entry(SHOWS, treated, repeated).state is TREATED
    assert entry(SHOWS, treated, replace(repeated, at=MONDAY + 44 * HOUR)).state is CLEARED


@pytest.mark.parametrize("change", [{"could_show": ("another",)}, {"right": False}, {"topic_id": "elsewhere"}], ids=str)
def test_C1_what_could_not_have_revealed_it_or_is_not_right_leaves_it_open(change: dict[str, object]) -> None:
    assert entry(SHOWS, replace(RIGHT, **change)).state is OPEN  # type: ignore[arg-type]


def test_C1_a_belief_that_shows_again_is_open_again() -> None:
    relapse = replace(SHOWS, answer_id="a3", question_id="q3", item="third", at=MONDAY + 3 * DAY)
    found = entry(SHOWS, RIGHT, relapse)
    assert (found.state, found.relapses, found.cleared_by) == (OPEN, 1, None)
    later = replace(RIGHT, answer_id="a4", question_id="q4", item="fourth", at=MONDAY + 4 * DAY)
    assert (entry(SHOWS, RIGHT, relapse, later).state, entry(SHOWS, RIGHT, relapse, later).relapses) == (CLEARED, 1)


def test_C1_a_treated_belief_that_shows_again_is_open_without_a_relapse() -> None:
    treated = replace(RIGHT, at=MONDAY + HOUR)
    again = replace(SHOWS, answer_id="a3", question_id="q3", item="third", at=MONDAY + 2 * HOUR)
    assert (entry(SHOWS, treated, again).state, entry(SHOWS, treated, again).relapses) == (OPEN, 0)


def test_H7_sure_and_wrong_comes_first_then_the_newest_and_cleared_ones_last() -> None:
    def of(name: str, at: datetime, *, sure: bool = False) -> LedgerAnswer:
        names = {"answer_id": name, "question_id": name, "item": name, "shows": (name,), "could_show": (name,)}
        return replace(SHOWS, at=at, sure=sure, **names)  # type: ignore[arg-type]

    old, sure, new, gone = (
        of("old", MONDAY),
        of("sure", MONDAY, sure=True),
        of("new", MONDAY + HOUR),
        of("gone", MONDAY, sure=True),
    )
    clears = replace(RIGHT, could_show=("gone",))
    assert [one.belief_id for one in ledger([old, sure, gone, new, clears])] == ["sure", "new", "old", "gone"]


def test_H7_what_a_learner_was_sure_of_before_it_was_cleared_is_past() -> None:
    relapse = replace(SHOWS, answer_id="a3", question_id="q3", item="third", at=MONDAY + 3 * DAY)
    assert entry(replace(SHOWS, sure=True)).sure
    assert not entry(replace(SHOWS, sure=True), RIGHT, relapse).sure


def test_C1_what_can_be_cleared_is_asked_about_by_an_item_that_is_not_too_fresh() -> None:
    seen = replace(RIGHT, right=False, at=MONDAY + HOUR)
    soon = clearable([SHOWS, seen], MONDAY + DAY - HOUR)
    assert not soon.by("third", {BELIEF})
    now = clearable([SHOWS, seen], MONDAY + DAY)
    assert now.by("third", {BELIEF})
    assert not now.by("third", {"another"})
    assert not now.by("first", {BELIEF})
    assert not now.by("second", {BELIEF})
    assert clearable([SHOWS, seen], MONDAY + 2 * DAY).by("second", {BELIEF})
    assert not clearable([SHOWS, RIGHT], MONDAY + 9 * DAY).by("third", {BELIEF})


@st.composite
def histories(draw: st.DrawFn) -> list[LedgerAnswer]:
    answers, at = [], MONDAY
    for number in range(draw(st.integers(0, 12))):
        at += timedelta(hours=draw(st.integers(-2, 40)))
        right = draw(st.booleans())
        shows = () if right else tuple(draw(st.sets(st.sampled_from("ab"))))
        question, item = draw(st.integers(0, 6)), draw(st.integers(0, 4))
        answers.append(
            LedgerAnswer(
                str(number), f"q{question}", f"i{item}", "topic", at, right, draw(st.integers(0, 1)),
                draw(st.booleans()), shows, ("a", "b"),
            )
        )  # fmt: skip
    return answers


@given(histories())
def test_C1_a_cleared_belief_was_cleared_as_the_rule_says(answers: list[LedgerAnswer]) -> None:
    for one in ledger(answers):
        assert one.evidence == tuple(answer for answer in answers if one.belief_id in answer.shows)
        assert (one.cleared_by is not None) is (one.state is CLEARED)
        if one.cleared_by is not None:
            assert one.cleared_by.right
            assert one.cleared_by.help_level == 0
            assert one.cleared_by.at - one.last_shown.at >= DAY
            assert one.cleared_by.item not in {answer.item for answer in one.evidence}
            assert answers.index(one.cleared_by) > answers.index(one.last_shown)
