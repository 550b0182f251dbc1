"""Closing calls: each ends its agent's run, and what the learner reads last is a field of it.

Words beside the calls of a reply may arrive as thinking, which is not shown. Plain text at the end of a run is taken
all the same, since weaker models write that.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.events import AgentDone, Usage
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

MAX_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class ClosingWords:
    """Words for the learner at the end of a run; `code` names Sprout's own, for pages in other languages."""

    words: str | None
    code: str | None = None


CLOSED: dict[str, JsonValue] = {"closed": True}

Rationale = Annotated[str, Field(max_length=MAX_WORDS, description="one paragraph to the learner, at most 150 words")]
Note = Annotated[str, Field(max_length=MAX_WORDS, description="one sentence: what stands as it is on purpose, and why")]
NoQuestions = Annotated[bool, Field(description="only where nothing can be asked that has a sure answer")]
ClosingMessage = Annotated[str, Field(max_length=MAX_WORDS, description="one or two sentences to the learner")]


@tool(effect=Effect.WRITE, stored=True, ends_turn=True, spoken="rationale")
async def close_path(rationale: Rationale) -> dict[str, JsonValue]:
    """End your work with the paragraph that the learner reads. The last call, in the same reply as the saves."""
    return CLOSED


@tool(effect=Effect.WRITE, stored=True, ends_turn=True)
async def close_concept(note: Note = "", no_questions: NoQuestions = False) -> dict[str, JsonValue]:
    """End your work. The last call, in the same reply as the saves."""
    return {**CLOSED, "questions": not no_questions}


@tool(effect=Effect.WRITE, stored=True, ends_turn=True, spoken="message")
async def close_review(message: ClosingMessage) -> dict[str, JsonValue]:
    """End your work with what the learner reads: what has changed and why, or that nothing has. The last call."""
    return CLOSED


def closing_words(result: TurnResult, tool: Tool, field: str) -> str | None:
    """The words of the last closing call; those of the last reply, where the run ended without one."""
    said = [str(call.input.get(field, "")) for call in result.calls if call.name == tool.name and not call.is_error]
    return (said[-1] if said else result.text).strip() or None


def says_no_questions(result: TurnResult) -> bool:
    """Whether the agent has closed its concept as one that nothing can be asked about."""
    closed = [call.input for call in result.calls if call.name == close_concept.name and not call.is_error]
    return any(given.get("no_questions") is True for given in closed)


def closing_event(reason: str, usage: Usage, closing: ClosingWords) -> AgentDone:
    """The closing event of an agent with what the learner reads."""
    return AgentDone(reason=reason, usage=usage, rationale=closing.words, rationale_code=closing.code)
