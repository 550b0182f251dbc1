"""Pause of a run for a question: the question, and the results that are stored with it."""

from collections.abc import Sequence

from pydantic import JsonValue

from sprout.clock import utc_now
from sprout.events import QuestionKind, wire_time
from sprout.loop.encoding.message_codec import result_as_text
from sprout.loop.human import HumanQuestion, ask_human
from sprout.loop.model import Message, ToolUse
from sprout.loop.tools import Effect, Tool
from sprout.loop.turn import TurnResult
from sprout.runs.execution.writer import RunWriter
from sprout.runs.questions import RunQuestion
from sprout.runs.run_store import CallEnded, Entry


def loop_question(asked: HumanQuestion, result: TurnResult, tools: Sequence[Tool]) -> RunQuestion:
    """The loop's question as stored with the run, with the visible input of its call."""
    call = find_call(asked.call_id, result.messages)
    kind: QuestionKind = "context" if call is None else "question" if call.name == ask_human.name else "permission"
    return RunQuestion(
        kind,
        asked.question,
        asked.choices,
        asked.why,
        wire_time(utc_now()),
        asked.call_id,
        None if call is None else call.name,
        None if call is None else visible_input(call, tools),
    )


def unstored_results(result: TurnResult, writer: RunWriter) -> list[Entry]:
    """Envelopes for results of calls that never started, so that the resumed run has them."""
    entries: list[Entry] = []
    for known in result.known:
        call = find_call(known.call_id, result.messages)
        if call is not None and not writer.has_call(call.id):
            entries.append(writer.begin_call(call, Effect.READ, iteration=result.iterations))
            entries.append(CallEnded(call.id, result_as_text(known.content), known.is_error, attempts=0))
    return entries


def find_call(call_id: str | None, messages: Sequence[Message]) -> ToolUse | None:
    """The call of that id, searched from the end."""
    for message in reversed(messages):
        for block in message.content:
            if isinstance(block, ToolUse) and block.id == call_id:
                return block
    return None


def visible_input(call: ToolUse, tools: Sequence[Tool]) -> dict[str, JsonValue]:
    """The call's input without secret fields; empty if its tool is missing."""
    tool = next((tool for tool in tools if tool.name == call.name), None)
    return {} if tool is None else dict(tool.shown_input(call))
