"""The ladder of help: no level is skipped, no answer without a try, and what counts as a try."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.help_ladder import HelpLadder, HelpLevel, NextStep, is_genuine_attempt

Move = Callable[[HelpLadder], HelpLadder]


def wrong(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=False)


def right(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=True)


def ungraded(ladder: HelpLadder) -> HelpLadder:
    return ladder.after_attempt(right=None)


MOVES: dict[str, Move] = {
    "wrong": wrong,
    "right": right,
    "ungraded": ungraded,
    "help": HelpLadder.after_help_request,
    "not known": HelpLadder.after_dont_know,
}


def climbed(*moves: str) -> HelpLadder:
    ladder = HelpLadder()
    for move in moves:
        ladder = MOVES[move](ladder)
    return ladder


@given(st.lists(st.sampled_from(sorted(MOVES)), max_size=40))
def test_H1_no_way_leads_to_the_answer_without_a_try_and_the_last_level(moves: list[str]) -> None:
    ladder = HelpLadder()
    for move in moves:
        before, ladder = ladder, MOVES[move](ladder)
        assert ladder.level - before.level in {0, 1}
        assert ladder.may_show_answer == (ladder.step is NextStep.WORK_THROUGH)
        if ladder.may_show_answer:
            assert ladder.level is HelpLevel.WORKED_STEP
            assert ladder.attempts_since_help >= 1
            assert moves.count("wrong") >= 1


@given(st.lists(st.sampled_from(["help", "not known"]), max_size=40))
def test_H1_without_a_try_nothing_gets_beyond_the_first_level(moves: list[str]) -> None:
    ladder = climbed(*moves)
    assert ladder.level <= HelpLevel.READ_AGAIN
    assert not ladder.ended


def test_H1_ten_clicks_on_hint_bring_the_advice_to_try_first() -> None:
    assert climbed(*["help"] * 10) == HelpLadder(step=NextStep.TRY_FIRST)


def test_H1_a_wrong_attempt_brings_the_next_level_and_after_the_last_one_the_answer() -> None:
    levels = [climbed(*["wrong"] * times).level for times in range(6)]
    assert levels == [0, 1, 2, 3, 4, 4]
    assert climbed(*["wrong"] * 4).step is NextStep.GIVE_HELP
    assert climbed(*["wrong"] * 5).may_show_answer


def test_H1_help_is_given_once_for_a_try() -> None:
    asked = climbed("ungraded", "help")
    assert (asked.level, asked.step) == (HelpLevel.READ_AGAIN, NextStep.GIVE_HELP)
    assert asked.after_help_request().step is NextStep.TRY_FIRST
    assert climbed("wrong", "help") == HelpLadder(HelpLevel.READ_AGAIN, attempts=1, step=NextStep.TRY_FIRST)


def test_H1_asking_at_the_last_level_does_not_bring_the_answer() -> None:
    last = climbed("wrong", "wrong", "wrong", "wrong", "ungraded", "help")
    assert last.step is NextStep.TRY_FIRST
    assert last.after_attempt(right=False).may_show_answer


def test_H1_who_does_not_know_gets_a_smaller_question_then_a_choice_then_the_first_level() -> None:
    steps = [climbed(*["not known"] * times).step for times in range(1, 5)]
    assert steps == [
        NextStep.SMALLER_QUESTION,
        NextStep.CHOICE_OF_TWO,
        NextStep.GIVE_HELP,
        NextStep.SMALLER_QUESTION,
    ]
    assert climbed("not known", "not known").level is HelpLevel.NONE
    assert climbed("not known", "not known", "not known").level is HelpLevel.READ_AGAIN


def test_H1_a_try_starts_the_count_of_not_knowing_anew() -> None:
    assert climbed("not known", "not known", "wrong", "not known").step is NextStep.SMALLER_QUESTION


@pytest.mark.parametrize("end", [["right"], ["wrong"] * 5])
@pytest.mark.parametrize("move", sorted(MOVES))
def test_H1_a_ladder_that_has_ended_stays_as_it_is(end: list[str], move: str) -> None:
    ended = climbed(*end)
    assert ended.ended
    assert MOVES[move](ended) == ended


def test_H1_an_attempt_that_was_not_graded_is_never_counted_as_wrong() -> None:
    assert climbed(*["ungraded"] * 9) == HelpLadder(attempts=9, attempts_since_help=9)


def test_H1_after_the_last_level_the_second_try_that_cannot_be_marked_is_worked_through_and_no_earlier_one() -> None:
    at_the_end = ["wrong"] * 4
    assert climbed(*at_the_end, "ungraded").step is NextStep.GIVE_HELP
    assert climbed(*at_the_end, "ungraded", "ungraded").may_show_answer
    assert not climbed(*["wrong"] * 3, *["ungraded"] * 5).ended


def test_H3_an_attempt_has_the_level_that_was_given_when_it_was_made() -> None:
    ladder, seen = HelpLadder(), []
    for move in [wrong, HelpLadder.after_help_request, wrong, ungraded, HelpLadder.after_help_request, right]:
        if move in {wrong, ungraded, right}:
            seen.append(int(ladder.level))
        ladder = move(ladder)
    assert seen == [0, 1, 2, 3]


def test_H3_right_without_help_stays_at_level_0() -> None:
    assert climbed("right").level is HelpLevel.NONE
    assert climbed("help", "right").level is HelpLevel.NONE


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
