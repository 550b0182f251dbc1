"""From a loop that waits for a person to a run that does: the question, and the results that wait with it."""

from collections.abc import Sequence

from pydantic import JsonValue

from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.loop.human import HumanQuestion, ask_human
from sprout.loop.kept import result_as_text
from sprout.loop.model import Message, ToolUse
from sprout.loop.tools import Effect, Tool
from sprout.loop.turn import TurnResult
from sprout.runs.log import CallEnded, Entry
from sprout.runs.question import QuestionKind, RunQuestion
from sprout.runs.writer import RunWriter


def asked_by_loop(asked: HumanQuestion, result: TurnResult, tools: Sequence[Tool]) -> RunQuestion:
    """The loop's question as the run keeps it, with the call that waits as people may see it."""
    call = call_of(asked.call_id, result.messages)
    kind: QuestionKind = "context" if call is None else "question" if call.name == ask_human.name else "permission"
    return RunQuestion(
        kind,
        asked.question,
        asked.choices,
        asked.why,
        wire_time(utc_now()),
        asked.call_id,
        None if call is None else call.name,
        None if call is None else shown_input(call, tools),
    )


def unkept_results(result: TurnResult, writer: RunWriter) -> list[Entry]:
    """Envelopes for the results of calls that were never begun, so that they are known when the run goes on."""
    entries: list[Entry] = []
    for known in result.known:
        call = call_of(known.call_id, result.messages)
        if call is not None and not writer.knows(call.id):
            entries.append(writer.begun(call, Effect.READ, iteration=result.iterations))
            entries.append(CallEnded(call.id, result_as_text(known.content), known.is_error, attempts=0))
    return entries


def call_of(call_id: str | None, messages: Sequence[Message]) -> ToolUse | None:
    """The call of that id, searched from the end."""
    for message in reversed(messages):
        for block in message.content:
            if isinstance(block, ToolUse) and block.id == call_id:
                return block
    return None


def shown_input(call: ToolUse, tools: Sequence[Tool]) -> dict[str, JsonValue]:
    """The call's input without what is secret; nothing of a call whose tool is not there (any more)."""
    tool = next((tool for tool in tools if tool.name == call.name), None)
    return {} if tool is None else dict(tool.shown_input(call))
