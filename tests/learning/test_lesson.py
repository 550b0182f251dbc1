"""What a turn of a lesson means, and how a reply reads for those who parse it (contract §1.9; H1, Q1, Q2)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.learning.lessons.help import HelpLevel, Ladder, NextStep
from sprout.learning.lessons.lesson import (
    MOST_CHUNKS,
    Checkpoint,
    Plan,
    Posed,
    Try,
    TurnKind,
    chosen,
    explanation_in,
    moved,
    rendered,
    try_at,
    words_of,
)
from sprout.learning.marking.keyed_answers import Option
from sprout.learning.questions.questions import QuestionDraft

OPEN = QuestionDraft("Why is the sky blue by day?", "open_ended", "short waves are scattered most", 3, ("Light",))
CHOICE = QuestionDraft("Which is a gas?", "mcq", "steam", 3, ("States",), options=("steam", "sand", "milk", "stone"))
# A marker as the contract has it: a line that is a marker alone, or one with a colon, however it is led in.
MARKER = re.compile(
    r"^[\s>#*+\-•\d.)]*(?:\*\*|__)?\s*(?:(?:new |checkpoint )?question\s*(?::|$)|(?:question type|mode)\s*[:\-–—])",
    re.IGNORECASE | re.MULTILINE,
)


def posed(draft: QuestionDraft = OPEN, *, last: str = "", **changes: object) -> Posed:
    kind = "mcq" if draft.format == "mcq" else "text"
    options = tuple(Option(f"{at}", text) for at, text in enumerate(draft.options))
    return Posed("q", Checkpoint(draft, kind, ("1", "2", "3", "4")), options, last=last, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "kind", "text", "mode"),
    [
        ("", TurnKind.OPENING, "", "text"),
        ("  \n ", TurnKind.OPENING, "", "text"),
        ("[ANSWER]\nMode: text\nbecause of light", TurnKind.ANSWER, "because of light", "text"),
        ("[ANSWER]\nMode: code\nfor x in y:\n    x", TurnKind.ANSWER, "for x in y:\n    x", "code"),
        ("[answer]\nmode: DRAW\n", TurnKind.ANSWER, "", "draw"),
        ("[ANSWER]\nMode: dance\nlight", TurnKind.ANSWER, "Mode: dance\nlight", "text"),
        ("[ANSWER] light", TurnKind.ANSWER, "light", "text"),
        ("[CLARIFICATION]\nwhat is a wave?", TurnKind.CLARIFICATION, "what is a wave?", "text"),
        ("hello [ANSWER] there", TurnKind.MESSAGE, "hello [ANSWER] there", "text"),
    ],
)
def test_the_tags_of_the_contract_say_what_words_are(content: str, kind: TurnKind, text: str, mode: str) -> None:
    words = words_of(content)
    assert (words.kind, words.text, words.mode) == (kind, text, mode)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("[ANSWER]\nblue light is scattered", Try.ATTEMPT),
        ("[ANSWER]\nI don't know", Try.NOT_KNOWN),
        ("[ANSWER]\n", Try.NOT_KNOWN),
        ("[ANSWER]\njust tell me the answer", Try.HELP_ASKED),
        ("[ANSWER]\nWhy is the sky blue by day?", Try.HELP_ASKED),
        ("[ANSWER]\nthe sea is in it", Try.HELP_ASKED),
        ("[CLARIFICATION]\nwhat is scattering like in fog?", Try.BESIDE),
        ("[CLARIFICATION]\nWhy is the sky blue by day?", Try.HELP_ASKED),
        ("[CLARIFICATION]\nidk", Try.NOT_KNOWN),
        ("do you like football?", Try.BESIDE),
    ],
)
def test_Q4_only_a_genuine_answer_is_an_attempt(content: str, what: Try) -> None:
    assert try_at(posed(last="the sea is in it"), words_of(content)) is what


def test_a_drawing_is_an_attempt_whatever_stands_beside_it() -> None:
    assert try_at(posed(), words_of("[ANSWER]\nMode: draw\n"), drawn=True) is Try.ATTEMPT
    assert try_at(posed(), words_of("[CLARIFICATION]\nlike this?"), drawn=True) is Try.BESIDE


@pytest.mark.parametrize(
    ("said", "text"),
    [("milk", "milk"), ("C", "milk"), ("c)", "milk"), ("(C)", "milk"), ("C. milk", "milk"), ("3", None), ("tea", None)],
)
def test_Q1_an_option_is_named_by_its_text_or_by_the_letter_that_was_shown(said: str, text: str | None) -> None:
    option = chosen(posed(CHOICE, last=""), said if said != "3" else "E")
    assert (option.text if option else None) == text


def test_Q1_a_letter_is_an_attempt_at_a_choice_and_other_words_are_talk() -> None:
    assert try_at(posed(CHOICE), words_of("[ANSWER]\nB")) is Try.ATTEMPT
    assert try_at(posed(CHOICE), words_of("[ANSWER]\nsomething green")) is Try.BESIDE


def test_H1_what_waits_moves_nothing_and_what_is_wrong_brings_one_level() -> None:
    question = posed(ladder=Ladder(HelpLevel.LOOK_HERE, attempts=2, step=NextStep.GIVE_HELP))
    beside = moved(question, Try.BESIDE)
    assert (beside.level, beside.step) == (HelpLevel.LOOK_HERE, NextStep.WAIT)
    assert moved(question, Try.ATTEMPT, right=False).level is HelpLevel.PARALLEL
    assert moved(question, Try.ATTEMPT, right=True).step is NextStep.SOLVED
    assert moved(question, Try.ATTEMPT, right=None).level is HelpLevel.LOOK_HERE


def test_a_plan_goes_on_after_a_right_answer_and_stays_after_help() -> None:
    first = Plan().after(None, ["a", "b", "c"], "x")
    assert first == Plan(("a", "b", "c"), 1)
    solved = Ladder(step=NextStep.SOLVED)
    assert first.after(solved, ["other"], "x") == Plan(("a", "b", "c"), 2)
    helped = Ladder(HelpLevel.LOOK_HERE, step=NextStep.SOLVED)
    assert first.after(helped, [], "x") == first
    assert first.after(Ladder(HelpLevel.WORKED_STEP, step=NextStep.WORK_THROUGH), [], "x") == first


@given(st.lists(st.text(min_size=1), max_size=20), st.integers(0, 30))
def test_a_plan_never_has_more_than_ten_chunks(can: list[str], turns: int) -> None:
    plan = Plan().after(None, can, "x")
    for _ in range(turns):
        plan = plan.after(Ladder(step=NextStep.SOLVED), (), "x")
    assert plan.chunk <= MOST_CHUNKS
    assert plan.chunk <= max(plan.chunks, 1) <= MOST_CHUNKS


def test_a_reply_is_rendered_as_clients_parse_it() -> None:
    assert rendered("Light bends.", posed()) == (
        "Light bends.\n\nQuestion Type: text\n\nQuestion:\nWhy is the sky blue by day?"
    )
    assert rendered("Three states.", posed(CHOICE)).endswith(
        "Question:\nWhich is a gas?\n\nA. steam\nB. sand\nC. milk\nD. stone"
    )
    assert rendered("Done.", None) == "Done."


@pytest.mark.parametrize(
    "line",
    [
        "Question: what?",
        "## Question",
        "- New question: x",
        "1. Checkpoint question",
        "Question Type: code",
        "Mode: draw",
    ],
)
def test_no_line_of_the_explanation_can_be_taken_for_the_question(line: str) -> None:
    reply = rendered(f"First.\n{line}\nLast.", posed())
    found = [hit.start() for hit in MARKER.finditer(reply)]
    assert len(found) == 2  # the type and the question, both ours
    assert found[0] > reply.index("Last.")


@given(st.text(st.characters(codec="utf-8")))
def test_a_rendered_reply_has_its_question_once_and_gives_its_words_back(words: str) -> None:
    reply = rendered(words, posed())
    assert reply.endswith("Question:\nWhy is the sky blue by day?")
    assert len(MARKER.findall(reply)) == 2
    assert explanation_in(reply) == rendered(words, None)
