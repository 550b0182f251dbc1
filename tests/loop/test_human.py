"""Asking a person: the tool, the prepared questions, what becomes of an answer."""

import pytest

from harness.loop.scripted_turn import run_script
from sprout.loop.human import (
    MAX_ANSWER,
    HumanQuestion,
    allows,
    answer_block,
    ask_human,
    context_question,
    question_from_call,
    stuck_question,
    wants_stop,
)
from sprout.loop.model import Text, ToolResult, ToolUse
from sprout.loop.tools import BadToolInput
from sprout.offline.script import Reply, TextOut, ToolOut


def asking(**given: object) -> ToolUse:
    return ToolUse("toolu_1", "ask_human", given)  # type: ignore[arg-type]


def test_the_tool_asks_for_a_question_and_perhaps_choices() -> None:
    schema = ask_human.spec.schema
    assert ask_human.name == "ask_human"
    assert set(schema["properties"]) == {"question", "choices"}  # type: ignore[arg-type]
    assert schema["required"] == ["question"]
    assert not ask_human.retryable


def test_a_call_becomes_the_question_that_the_run_waits_with() -> None:
    question = question_from_call(asking(question=" Which one? ", choices=["This", " That", "This "]))
    assert question.question == "Which one?"
    assert question.choices == ("This", "That")
    assert question.call_id == "toolu_1"
    assert question.why


def test_no_choices_and_an_empty_list_of_them_are_the_same() -> None:
    assert question_from_call(asking(question="Why?")).choices is None
    assert question_from_call(asking(question="Why?", choices=[])).choices is None


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": "?" * 2_001}, "question"),
        ({"question": "Why?", "choices": ["a"] * 9}, "choices"),
        ({"question": "Why?", "choices": [" "]}, "choices.0"),
        ({"question": "Why?", "to": "somebody"}, "to"),
    ],
)
def test_a_question_that_cannot_be_asked_names_the_field(given: dict[str, object], field: str) -> None:
    with pytest.raises(BadToolInput, match=field):
        question_from_call(asking(**given))


async def test_where_nobody_can_be_asked_the_model_is_told_to_decide_itself() -> None:
    script = [Reply([ToolOut("ask_human", {"question": "Which?"})]), Reply([TextOut("I took the first.")])]
    play = await run_script(script, tools=[ask_human])
    assert play.result.calls[0].is_error
    assert play.result.calls[0].attempts == 1
    assert "nobody to ask" in play.result.calls[0].result
    assert play.result.reason == "end_turn"


def test_an_answer_is_the_result_of_the_call_that_asked() -> None:
    assert answer_block(question_from_call(asking(question="Which?")), " The first. ") == ToolResult(
        "toolu_1", "The first."
    )


def test_an_answer_to_the_loops_own_question_stands_with_that_question() -> None:
    block = answer_block(context_question(), "Drop the {second} thread")
    assert isinstance(block, Text)
    assert context_question().question in block.text
    assert "Drop the {second} thread" in block.text


def test_an_empty_answer_is_told_as_one_and_an_endless_one_is_cut() -> None:
    question = HumanQuestion("Which?", None, "why", "toolu_1")
    assert "no answer" in str(answer_block(question, " \n"))
    cut = answer_block(question, "x" * (MAX_ANSWER + 1))
    assert cut == ToolResult("toolu_1", "x" * MAX_ANSWER)


@pytest.mark.parametrize("question", [stuck_question("search was called again."), context_question()])
def test_the_loops_own_questions_offer_going_on_changing_and_stopping(question: HumanQuestion) -> None:
    assert question.choices is not None
    assert [wants_stop(choice) for choice in question.choices] == [False, False, True]
    assert question.call_id is None
    assert question.why


@pytest.mark.parametrize("answer", ["yes", "Allow", "Do not allow", "allow this once, but change the name", ""])
def test_only_the_prepared_choice_allows(answer: str) -> None:
    assert not allows(answer)
    assert allows(" allow  this once\n")
