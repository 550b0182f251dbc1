"""The ladder of help: every turn moves, no level is skipped, and there is always a way on."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.help_ladder import MAX_UNMARKED, HelpLadder, HelpLevel, LadderStep

Move = Callable[[HelpLadder], HelpLadder]


def wrong(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=False)


def right(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=True)


def unmarked(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=None)


MOVES: dict[str, Move] = {
    "wrong": wrong,
    "right": right,
    "unmarked": unmarked,
    "help": HelpLadder.after_help,
    "compare": HelpLadder.compare,
    "compared": HelpLadder.after_comparison,
    "show": HelpLadder.show,
    "change": HelpLadder.change,
    "aside": HelpLadder.wait,
}
LEARNER_MOVES = ["aside", "help", "right", "unmarked", "wrong"]


def climbed(*moves: str) -> HelpLadder:
    ladder = HelpLadder()
    for move in moves:
        ladder = MOVES[move](ladder)
    return ladder


@given(st.lists(st.sampled_from(sorted(MOVES)), max_size=40))
def test_H1_no_level_is_skipped_or_taken_back(moves: list[str]) -> None:
    ladder = HelpLadder()
    for move in moves:
        before, ladder = ladder, MOVES[move](ladder)
        assert ladder.level - before.level in {0, 1}
        assert ladder.ended >= before.ended
        assert ladder.may_show_answer == (ladder.step in {LadderStep.WORK_THROUGH, LadderStep.COMPARED})


@given(st.lists(st.sampled_from(LEARNER_MOVES), max_size=40))
def test_H1_the_solution_comes_after_the_last_level_unless_it_is_asked_for(moves: list[str]) -> None:
    ladder = climbed(*moves)
    if ladder.step is LadderStep.WORK_THROUGH:
        assert ladder.level is HelpLevel.WORKED_STEP


@given(st.lists(st.sampled_from(["help", "wrong"]), min_size=5, max_size=5))
def test_H1a_every_wrong_or_helpless_turn_brings_the_next_level_and_the_fifth_the_solution(moves: list[str]) -> None:
    levels = [climbed(*moves[:turns]).level for turns in range(6)]
    assert levels == [0, 1, 2, 3, 4, 4]
    assert [climbed(*moves[:turns]).step for turns in range(1, 6)] == [LadderStep.GIVE_HELP] * 4 + [
        LadderStep.WORK_THROUGH
    ]


def test_H1a_help_comes_at_once_before_any_attempt() -> None:
    assert climbed("help") == HelpLadder(HelpLevel.READ_AGAIN, step=LadderStep.GIVE_HELP)


def test_H1a_the_solution_is_shown_at_once_to_who_asks_for_it_and_nothing_counts() -> None:
    shown = climbed("show")
    assert (shown.step, shown.attempts, shown.may_show_answer) == (LadderStep.WORK_THROUGH, 0, True)
    assert climbed("wrong", "show").step is LadderStep.WORK_THROUGH


def test_A9_a_question_can_always_be_put_away() -> None:
    assert climbed("change").step is LadderStep.CHANGED
    assert not climbed("change").may_show_answer
    assert climbed("compare", "change").step is LadderStep.CHANGED


def test_A9_the_second_attempt_in_a_row_that_cannot_be_marked_is_compared() -> None:
    assert climbed("unmarked") == HelpLadder(attempts=1, unmarked=1, step=LadderStep.WAIT)
    assert climbed("unmarked", "unmarked").step is LadderStep.COMPARE
    assert climbed("unmarked", "wrong", "unmarked").step is LadderStep.WAIT
    assert climbed("unmarked", "help", "unmarked").step is LadderStep.COMPARE, "help between them is no verdict"


@given(st.lists(st.sampled_from(LEARNER_MOVES), max_size=40))
def test_A9_never_more_than_two_turns_without_a_verdict(moves: list[str]) -> None:
    ladder, without = HelpLadder(), 0
    for move in moves:
        if ladder.ended or ladder.comparing:
            return
        ladder = MOVES[move](ladder)
        without = {"unmarked": without + 1, "right": 0, "wrong": 0}.get(move, without)
        assert ladder.comparing == (without == MAX_UNMARKED)


@pytest.mark.parametrize("move", ["wrong", "right", "unmarked", "help", "aside"])
def test_A9_nothing_but_the_comparison_or_a_way_past_it_moves_a_learner_who_compares(move: str) -> None:
    comparing = climbed("compare")
    assert MOVES[move](comparing) == comparing
    assert climbed("compare", "compared").step is LadderStep.COMPARED
    assert climbed("compare", "show").step is LadderStep.WORK_THROUGH


def test_A11_only_who_compares_can_have_compared() -> None:
    assert climbed("compared") == HelpLadder()


@pytest.mark.parametrize("end", [["right"], ["wrong"] * 5, ["show"], ["change"], ["compare", "compared"]])
@pytest.mark.parametrize("move", sorted(MOVES))
def test_H1_a_ladder_that_has_ended_stays_as_it_is(end: list[str], move: str) -> None:
    ended = climbed(*end)
    assert ended.ended
    assert MOVES[move](ended) == ended


def test_H1_an_attempt_that_was_not_marked_is_never_counted_as_wrong() -> None:
    assert climbed("unmarked", "unmarked").level is HelpLevel.NONE


def test_H3_an_attempt_has_the_level_that_was_given_when_it_was_made() -> None:
    ladder, seen = HelpLadder(), []
    for move in [wrong, HelpLadder.after_help, wrong, unmarked, HelpLadder.after_help, right]:
        if move in {wrong, unmarked, right}:
            seen.append(int(ladder.level))
        ladder = move(ladder)
    assert seen == [0, 2, 3, 4]


def test_H3_right_without_help_stays_at_level_0() -> None:
    assert climbed("right").level is HelpLevel.NONE
    assert climbed("help", "right").level is HelpLevel.READ_AGAIN


def test_A9_what_code_marks_and_cannot_read_is_sent_back_once_and_then_brings_help() -> None:
    first = HelpLadder().after_unread()
    assert (first.step, first.level) == (LadderStep.WAIT, HelpLevel.NONE)
    assert first.after_attempt(right=True).level is HelpLevel.NONE, "what was a slip of the pen costs nothing"
    second = first.after_unread()
    assert (second.step, second.level) == (LadderStep.GIVE_HELP, HelpLevel.READ_AGAIN)
    assert second.after_unread().step is LadderStep.WAIT
