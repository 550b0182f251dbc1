"""Asking a person: the tool by which a model asks, the questions that the loop asks itself, and their answers."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from sprout.errors import ToolFailure
from sprout.loop.model import Text, ToolResult, ToolUse
from sprout.loop.notices import notice
from sprout.loop.tools import Effect, tool

MAX_QUESTION = 2_000
MAX_CHOICES = 8
MAX_CHOICE = 200
MAX_ANSWER = 10_000

Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION)]
Choice = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHOICE)]
Choices = Annotated[list[Choice], Field(max_length=MAX_CHOICES, description="short answers to pick from, if any fit")]


@dataclass(frozen=True, slots=True)
class HumanQuestion:
    """What a person is asked while the run waits.

    Args:
        choices: suggestions; any other answer is fine too. None where there are none.
        why: one sentence for the person: what made the run stop and ask.
        call_id: the call that waits for the answer; None where the loop asks of its own accord.
    """

    question: str
    choices: tuple[str, ...] | None
    why: str
    call_id: str | None


@tool(effect=Effect.WRITE, stored=True)
async def ask_human(question: Question, choices: Choices | None = None) -> str:
    """Ask the person one question and wait for the answer. Only for what you cannot find out or decide yourself."""
    # A loop that can wait pauses with `asked_by` and never comes here; anywhere else there is nobody to wait for.
    raise ToolFailure(notice("nobody_to_ask"))


def asked_by(call: ToolUse) -> HumanQuestion:
    """The question of a call of `ask_human`. Raises BadToolInput."""
    checked = ask_human.checked(call).model_dump()
    choices = tuple(dict.fromkeys(checked["choices"] or ())) or None
    return HumanQuestion(checked["question"], choices, notice("why_asked"), call.id)


def stuck_question(noticed: str) -> HumanQuestion:
    """What the loop asks when it goes in circles (loop.md D2, level 3); `noticed` says in a sentence how."""
    return _own_question("stuck_question", why=noticed)


def context_question() -> HumanQuestion:
    """What the loop asks when the context overflows again and again (loop.md C7, R3)."""
    return _own_question("context_question", why=notice("why_context"))


def _own_question(name: str, *, why: str) -> HumanQuestion:
    choices = tuple(notice(choice) for choice in ("choice_go_on", "choice_change", "choice_stop"))
    return HumanQuestion(notice(name), choices, why, None)


def wants_stop(answer: str) -> bool:
    """Whether the answer is the prepared choice to stop; in any other words it is for the model to read."""
    return _is_choice(answer, "choice_stop")


def allows(answer: str) -> bool:
    """Whether the answer to a permission question lets the call run: only the prepared choice does."""
    return _is_choice(answer, "choice_allow")


def _is_choice(answer: str, name: str) -> bool:
    return " ".join(answer.split()).casefold() == notice(name).casefold()


def answered(question: HumanQuestion, answer: str) -> ToolResult | Text:
    """The answer as the model reads it: the result of its call, or words where the loop had asked by itself.

    Not for permission questions: those decide whether the call that waits is run. Beyond `MAX_ANSWER` characters the
    answer is cut.
    """
    told = answer.strip()[:MAX_ANSWER] or notice("no_answer")
    if question.call_id is not None:
        return ToolResult(question.call_id, told)
    return Text(notice("person_answered", question=question.question, answer=told))
