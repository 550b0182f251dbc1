"""Translation of a run's events into those of the AG-UI protocol: pure, one case for each kind."""

import json
from datetime import datetime
from typing import Any, assert_never

from ag_ui.core import (
    CustomEvent,
    Interrupt,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TokenUsage,
)
from ag_ui.core import Event as ClientEvent
from ag_ui.core.version import PROTOCOL_VERSION

from sprout import events
from sprout.events import Event
from sprout.learning.marking.choices import OPTION_LABELS
from sprout.learning.paths.repository import PathGraph
from sprout.runs.state import Run
from sprout.web.ag_ui.client_messages import Block, ClientMessages
from sprout.web.ag_ui.client_state import ClientState

Outcome = RunFinishedSuccessOutcome | RunFinishedInterruptOutcome | RunFinishedCancelledOutcome
CUSTOM_PREFIX = "sprout."
CUT_CODE, CUT = "reconnect", "The connection ends here, the run goes on: send the same request again to follow it."


class Translation:
    """One run as one client follows it; `run` and `graph` are as the stream begins.

    What the protocol has no word for is sent as a custom event, with the fields that it has in Sprout.
    """

    def __init__(self, request: RunAgentInput, run: Run, graph: PathGraph | None) -> None:
        self._request = request
        self._run = run
        self._messages = ClientMessages(request.messages)
        self._state = ClientState(graph, seq=run.last_seq)
        self._subagents: dict[str, bool] = {}  # run → whether it works
        self._error: events.AgentError | None = None
        self._question: events.WaitingOnHuman | None = None
        self._model = run.model
        self._blocks: dict[str, None] = {}  # texts of this run, in order
        self.ended = False

    def begin(self) -> list[ClientEvent]:
        """What comes before all events of the run."""
        started = RunStartedEvent(
            thread_id=self._request.thread_id,
            run_id=self._request.run_id,
            protocol_version=PROTOCOL_VERSION,
            metadata={"sprout": {"runId": self._run.id, "agent": self._run.agent, "nodeId": self._run.node_id}},
        )
        return [started, self._state.snapshot()]

    def translate(self, event: Event, seq: int | None = None) -> list[ClientEvent]:
        """What a client is sent for an event; `seq` is its number in the log, None for one that is not stored."""
        if self.ended:
            return []
        translated = self._translate(event, seq or 0)
        for one in translated:
            one.timestamp = None if event.at is None else int(datetime.fromisoformat(event.at).timestamp() * 1000)
        return translated

    def reply(self, words: str) -> list[ClientEvent]:
        """The stored reply of a turn that was made without a model, and so was no event; nothing if it was said."""
        return [] if self._said() else self._say("reply", words)

    def cut(self) -> list[ClientEvent]:
        """The end of a stream before that of its run."""
        return [] if self.ended else self._end(RunErrorEvent(message=CUT, code=CUT_CODE))

    def _translate(self, event: Event, seq: int) -> list[ClientEvent]:  # noqa: C901  # one case for each kind
        owner = self._owner(event)
        match event:
            case events.MessageDelta(block_id=id, text=text):
                return self._messages.grow(self._spoken(id, owner), text)
            case events.ReasoningDelta(block_id=id, text=text) | events.ThinkingDelta(block_id=id, text=text):
                return self._messages.grow(Block(id, "reasoning", owner), text)
            case events.BlockSnapshot(of=of, block_id=id, text=text):
                block = self._spoken(id, owner) if of == "message_delta" else Block(id, "reasoning", owner)
                return self._messages.replace(block, text, complete=False)
            case events.MessageBlock(block_id=id, text=text):
                return self._messages.replace(self._spoken(id, owner), text, complete=True)
            case events.ReasoningBlock(block_id=id, text=text) | events.ThinkingBlock(block_id=id, text=text):
                return self._messages.replace(Block(id, "reasoning", owner), text, complete=True)
            case events.MessageReset(block_id=id):
                return self._messages.withdraw(id)
            case events.RunResumed():
                return [*self._messages.withdraw_open(owner), self._custom(event)]
            case events.ToolCalled(call_id=id, tool=tool, input=given):
                return self._messages.call_tool(id, tool, json.dumps(given, ensure_ascii=False), owner)
            case events.ToolFinished(call_id=id, summary=summary):
                return self._messages.end_call(id, summary, owner)
            case (
                events.NodeCreated()
                | events.NodeUpdated()
                | events.NodeRemoved()
                | events.EdgeCreated()
                | events.EdgeRemoved()
            ):
                return self._state.change(event, seq)
            case events.AgentStart():
                return self._start_subagent(event, owner)
            case events.AgentDone():
                return self._finish_subagent(owner) if owner else [self._custom(event)]
            case events.AgentError():
                return self._fail(event, owner)
            case events.CheckpointQuestion():
                return [*self._ask(event), self._custom(event)]
            case events.WaitingOnHuman():
                self._question = event
                return []
            case events.RunWaiting():
                return self._end(self._interrupt(event))
            case events.Reconnect():
                return self.cut()
            case events.RunDone():
                return self._end(self._last(event))
            case events.RunStarted(model=model) | events.ModelSwitched(to_model=model):
                self._model = model if owner is None else self._model
                return [self._custom(event)]
            case (
                events.RunQueued()
                | events.DiagnosticStatus()
                | events.QuestionReady()
                | events.Graded()
                | events.MasteryChanged()
                | events.ContestSettled()
                | events.CardReady()
                | events.ModelRetry()
                | events.ContextCompacted()
                | events.Guardrail()
                | events.UsageReported()
                | events.Resync()
            ):
                return [self._custom(event)]
            case _:
                assert_never(event)

    def _owner(self, event: Event) -> str | None:
        """The subagent that acts: a run that the root has started."""
        return None if event.run_id in (None, self._run.root_id) else event.run_id

    def _spoken(self, block_id: str, owner: str | None) -> Block:
        self._blocks[block_id] = None
        return Block(block_id, "text", owner)

    def _said(self) -> str:
        """All that was said in this run."""
        return "\n\n".join(map(self._messages.text_of, self._blocks))

    def _ask(self, event: events.CheckpointQuestion) -> list[ClientEvent]:
        """The question in words: what is to be read, the question unless it was said, the options."""
        read = "\n".join(f"> {line}" for line in event.reading.text.splitlines()) if event.reading else ""
        prompt = "" if event.prompt in self._said() else event.prompt
        options = "\n".join(f"{OPTION_LABELS[at]}. {text}" for at, text in enumerate(event.options or ()))
        return self._say(event.question_id, "\n\n".join(part for part in (read, prompt, options) if part))

    def _say(self, name: str, text: str) -> list[ClientEvent]:
        """A message that comes whole."""
        block = Block(f"{self._run.id}:{name}", "text", None)
        return self._messages.replace(block, text, complete=True) if text else []

    def _custom(self, event: Event) -> ClientEvent:
        name, value = CUSTOM_PREFIX + event.kind, json.loads(events.wire_data(event))
        return CustomEvent(name=name, value=value, subagent_run_id=self._owner(event))

    def _start_subagent(self, event: events.AgentStart, owner: str | None) -> list[ClientEvent]:
        if owner is None or owner in self._subagents:  # taken up again after a crash
            return []
        self._subagents[owner] = True
        return [SubagentStartedEvent(subagent_run_id=owner, name=event.agent or "agent")]

    def _finish_subagent(self, owner: str) -> list[ClientEvent]:
        return [SubagentFinishedEvent(subagent_run_id=owner)] if self._close_subagent(owner) else []

    def _fail(self, event: events.AgentError, owner: str | None) -> list[ClientEvent]:
        if owner is None:
            self._error = event
            return []
        failed = SubagentErrorEvent(subagent_run_id=owner, message=event.message, code=event.code)
        return [failed] if self._close_subagent(owner) else [self._custom(event)]

    def _close_subagent(self, owner: str) -> bool:
        """Whether it worked until now."""
        worked = self._subagents.get(owner, False)
        self._subagents[owner] = False
        return worked

    def _end(self, last: ClientEvent) -> list[ClientEvent]:
        """The last event, after the ends of all that is open."""
        self.ended = True
        working = [owner for owner, works in self._subagents.items() if works]
        return [*self._messages.end_all(), *(one for owner in working for one in self._finish_subagent(owner)), last]

    def _interrupt(self, event: events.RunWaiting) -> ClientEvent:
        interrupt = Interrupt(
            id=self._run.root_id,
            reason=self._question.of if self._question is not None else "question",
            message=event.question,
            response_schema={"type": "string"},
            metadata={"sprout": {"choices": event.choices, "why": self._question.why if self._question else ""}},
        )
        return self._finished(RunFinishedInterruptOutcome(interrupts=[interrupt]))

    def _last(self, event: events.RunDone) -> ClientEvent:
        usage = [_token_usage(event.usage, self._model)]
        match event.status:
            case "completed":
                return self._finished(RunFinishedSuccessOutcome(), result={"reason": event.reason}, usage=usage)
            case "cancelled":
                return self._finished(RunFinishedCancelledOutcome(), usage=usage)
            case "failed" | "timed_out":
                message = f"The run ended early: {event.reason}." if self._error is None else self._error.message
                code = event.reason if self._error is None else self._error.code
                return RunErrorEvent(message=message, code=code, usage=usage)

    def _finished(self, outcome: Outcome, **more: Any) -> ClientEvent:
        request = self._request
        return RunFinishedEvent(thread_id=request.thread_id, run_id=request.run_id, outcome=outcome, **more)


def _token_usage(usage: events.Usage, model: str) -> TokenUsage:
    """Input in all, of which the cache is a part, as the protocol counts."""
    given = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return TokenUsage(
        model=model,
        input_tokens=given,
        output_tokens=usage.output_tokens,
        total_tokens=given + usage.output_tokens,
        cached_input_tokens=usage.cache_read_tokens,
        cache_write_input_tokens=usage.cache_write_tokens,
    )
