"""Questions to a person: the tool by which a model asks, the loop's own questions, and their answers."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from sprout.errors import ToolFailure
from sprout.loop.model import Text, ToolResult, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.tools import Effect, Profile, tool

MAX_QUESTION = 2_000
MAX_CHOICES = 8
MAX_CHOICE = 200
MAX_ANSWER = 10_000

Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUESTION)]
Choice = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHOICE)]
Choices = Annotated[list[Choice], Field(max_length=MAX_CHOICES, description="short answers to pick from, if any fit")]


@dataclass(frozen=True, slots=True)
class HumanQuestion:
    """Question to a person, during which the run waits.

    Args:
        choices: suggestions, or None; any other answer is accepted too.
        why: one sentence for the person on why the run stopped to ask.
        call_id: the call that waits for the answer; None if the loop itself asks.
    """

    question: str
    choices: tuple[str, ...] | None
    why: str
    call_id: str | None


@tool(effect=Effect.WRITE, stored=True, profile=Profile.CONVERSATIONAL)
async def ask_human(question: Question, choices: Choices | None = None) -> str:
    """Ask the person one question and wait for the answer. Only for what you cannot find out or decide yourself."""
    # A loop that can wait pauses before it comes here; any other has no person to ask.
    raise ToolFailure(notice("nobody_to_ask"))


def question_from_call(call: ToolUse) -> HumanQuestion:
    """The question of a call of `ask_human`. Raises BadToolInput."""
    checked = ask_human.checked(call).model_dump()
    choices = tuple(dict.fromkeys(checked["choices"] or ())) or None
    return HumanQuestion(checked["question"], choices, notice("why_asked"), call.id)


def stuck_question(noticed: str) -> HumanQuestion:
    """The loop's question when calls repeat at the highest level; `noticed` describes the repetition."""
    return _own_question("stuck_question", why=noticed)


def context_question() -> HumanQuestion:
    """The loop's question when the context overflows again and again."""
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


def answer_block(question: HumanQuestion, answer: str) -> ToolResult | Text:
    """The answer as the model reads it: the result of its call, or words where the loop had asked by itself.

    Not for permission questions: those decide whether the call that waits is run. Beyond `MAX_ANSWER` characters the
    answer is cut.
    """
    words = answer.strip()[:MAX_ANSWER] or notice("no_answer")
    if question.call_id is not None:
        return ToolResult(question.call_id, words)
    return Text(notice("person_answered", question=question.question, answer=words))
