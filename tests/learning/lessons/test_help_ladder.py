"""The ladder of help: every turn moves, no level is skipped, there is always a way on; and what counts as a try."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.help_ladder import MAX_UNMARKED, HelpLadder, HelpLevel, NextStep, is_genuine_attempt

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
        assert ladder.may_show_answer == (ladder.step in {NextStep.WORK_THROUGH, NextStep.COMPARED})


@given(st.lists(st.sampled_from(LEARNER_MOVES), max_size=40))
def test_H1_the_solution_comes_after_the_last_level_unless_it_is_asked_for(moves: list[str]) -> None:
    ladder = climbed(*moves)
    if ladder.step is NextStep.WORK_THROUGH:
        assert ladder.level is HelpLevel.WORKED_STEP


@given(st.lists(st.sampled_from(["help", "wrong"]), min_size=5, max_size=5))
def test_H1a_every_wrong_or_helpless_turn_brings_the_next_level_and_the_fifth_the_solution(moves: list[str]) -> None:
    levels = [climbed(*moves[:turns]).level for turns in range(6)]
    assert levels == [0, 1, 2, 3, 4, 4]
    assert [climbed(*moves[:turns]).step for turns in range(1, 6)] == [NextStep.GIVE_HELP] * 4 + [NextStep.WORK_THROUGH]


def test_H1a_help_comes_at_once_before_any_attempt() -> None:
    assert climbed("help") == HelpLadder(HelpLevel.READ_AGAIN, step=NextStep.GIVE_HELP)


def test_H1a_the_solution_is_shown_at_once_to_who_asks_for_it_and_nothing_counts() -> None:
    shown = climbed("show")
    assert (shown.step, shown.attempts, shown.may_show_answer) == (NextStep.WORK_THROUGH, 0, True)
    assert climbed("wrong", "show").step is NextStep.WORK_THROUGH


def test_A9_a_question_can_always_be_put_away() -> None:
    assert climbed("change").step is NextStep.CHANGED
    assert not climbed("change").may_show_answer
    assert climbed("compare", "change").step is NextStep.CHANGED


def test_A9_the_second_attempt_in_a_row_that_cannot_be_marked_is_compared() -> None:
    assert climbed("unmarked") == HelpLadder(attempts=1, unmarked=1, step=NextStep.WAIT)
    assert climbed("unmarked", "unmarked").step is NextStep.COMPARE
    assert climbed("unmarked", "wrong", "unmarked").step is NextStep.WAIT
    assert climbed("unmarked", "help", "unmarked").step is NextStep.COMPARE, "help between them is no verdict"


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
    assert climbed("compare", "compared").step is NextStep.COMPARED
    assert climbed("compare", "show").step is NextStep.WORK_THROUGH


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


PROMPT = "A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s, to two places?"


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "?!", "…", "\u200b", "idk", "IDK!!", "I don't know", "i dont know sorry", "no idea", "hint", "Hint?",
        "please just tell me the answer", "just give me the answer now", "tell me", "skip", "Can I have a hint?",
        "help me please",
        "ok idk, just tell me", "Ich weiß es nicht", "keine Ahnung", "Sag mir bitte einfach die Antwort", "Tipp!",
        "je ne sais pas", "dis-moi la réponse", "s'il te plaît", "no sé", "Dime la respuesta, por favor", "não sei",
        "non lo so", "weet ik niet", "nie wiem", "bilmiyorum", "не знаю", "不知道", "わからない", "모르겠어요", PROMPT,
        PROMPT.upper(), "A tram covers 1.5 km in 3 minutes at steady speed. What is its speed in m/s",
    ],
)  # fmt: skip
def test_H1_a_request_and_a_copy_of_the_prompt_are_no_try(text: str) -> None:
    assert not is_genuine_attempt(text, prompt=PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        "4", "0.5", "-3", "no", "yes", "is", "x", "idk, something with conduction?", "I don't know but maybe 500",
        "keine Ahnung, vielleicht 30?", "the answer is 3", "3 minutes", "1.5 km in 3 minutes is 0.5", "光合作用",
        "help is on its way", "a", "weil es warm ist",
    ],
)  # fmt: skip
def test_H1_a_short_or_unsure_answer_is_a_try(text: str) -> None:
    assert is_genuine_attempt(text, prompt=PROMPT)


def test_H1_the_same_answer_once_more_is_no_try() -> None:
    assert not is_genuine_attempt(" 500 ", prompt=PROMPT, last_attempt="500")
    assert not is_genuine_attempt("It is  cold.", prompt=PROMPT, last_attempt="it is cold.")
    assert is_genuine_attempt("-500", prompt=PROMPT, last_attempt="500")
    assert is_genuine_attempt("mW", prompt=PROMPT, last_attempt="MW")


def test_H1_code_with_a_line_moved_in_is_another_attempt() -> None:
    outside, inside = "if fuel < 10:\n    print(fuel)\nfuel = 60", "if fuel < 10:\n    print(fuel)\n    fuel = 60"
    assert is_genuine_attempt(inside, prompt=PROMPT, last_attempt=outside, code=True)
    assert not is_genuine_attempt(f"{outside}\n", prompt=PROMPT, last_attempt=outside, code=True)


def test_H1_the_right_answer_is_a_try_though_it_reads_like_a_request() -> None:
    asked = 'Which English word means "Hinweis"?'
    assert not is_genuine_attempt("hint", prompt=asked)
    assert is_genuine_attempt("Hint", prompt=asked, answers=["hint"])


@given(st.text(max_size=300), st.text(max_size=100))
def test_H1_whatever_is_written_is_a_try_or_not(text: str, prompt: str) -> None:
    assert is_genuine_attempt(text, prompt=prompt) in {True, False}
    assert not is_genuine_attempt(text, prompt=prompt, last_attempt=text)


@pytest.mark.parametrize("piece", ["idk ", "a", "? ", "no ", "не знаю ", "\u0301", "ﷺ"])
def test_H1_a_hundred_thousand_characters_are_read(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert is_genuine_attempt(text, prompt=PROMPT) == (piece in {"a", "no ", "ﷺ"})
