"""From what is kept of a run to how it goes on: its messages, the calls that are open, and what is in doubt."""

from dataclasses import dataclass

from sprout.clock import utc_now
from sprout.events import AgentDone, Event, ToolCalled, ToolFinished, Usage, wire_time
from sprout.loop.carried import Carried
from sprout.loop.kept import KeptUnreadable
from sprout.loop.model import Message, ToolResult, ToolUse
from sprout.loop.recalled import KeptCall, KeptMessages, recalled
from sprout.runs.log import CHECKPOINT_VERSION, CallKept, Checkpoint, Record
from sprout.runs.question import AFRESH, STOP, RunQuestion

SUMMARY = "done before Sprout was stopped"


@dataclass(frozen=True, slots=True)
class Recall:
    """How a run goes on.

    Args:
        digest: over the instructions that it began with, or with which a person has let it go on.
        final: how the agent has ended, where only the run's own end is missing.
        in_doubt: a call of which nobody knows whether it has happened (K6).
        unreadable: what a person is asked where this program cannot read what was kept.
        begun: the ids of the calls that have an envelope.
        untold: events for the ends of calls that nobody was told of.
    """

    messages: tuple[Message, ...]
    known: tuple[ToolResult, ...]
    carried: Carried
    digest: str
    usage: Usage
    final: AgentDone | None = None
    in_doubt: ToolUse | None = None
    unreadable: RunQuestion | None = None
    begun: tuple[str, ...] = ()
    untold: tuple[Event, ...] = ()


def recall(record: Record) -> Recall | None:
    """None where nothing was kept yet: then the run simply begins."""
    digests = [one.digest for one in record.checkpoints if one.digest is not None]
    if not digests:
        return None
    try:
        return _recalled(record, digests[-1])
    except KeptUnreadable as error:
        return Recall((), (), Carried(), digests[-1], record.usage, unreadable=_unreadable(str(error)))


def _recalled(record: Record, digest: str) -> Recall:
    strange = {one.version for one in record.checkpoints} - {CHECKPOINT_VERSION}
    if strange:
        raise KeptUnreadable(
            f"It was kept in version {max(strange)} of the form, this program knows {CHECKPOINT_VERSION}."
        )
    again = recalled(
        [_kept(one) for one in record.checkpoints], [_call(one) for one in record.calls], usage=record.usage
    )
    return Recall(
        again.messages,
        again.known,
        again.carried,
        digest,
        record.usage,
        final=next((_final(one) for one in record.checkpoints if one.kind == "final"), None),
        in_doubt=next(iter(again.in_doubt), None),
        begun=tuple(one.begun.call_id for one in record.calls),
        untold=tuple(event for one in record.calls if one.begun.call_id not in record.told for event in _told(one)),
    )


def _kept(one: Checkpoint) -> KeptMessages:
    return KeptMessages(one.kind, one.iteration, one.messages, one.stop_reason, one.state, one.elapsed_s)


def _call(one: CallKept) -> KeptCall:
    begun, ended = one.begun, one.ended
    return KeptCall(
        begun.call_id,
        begun.tool,
        begun.input,
        begun.iteration,
        begun.said,
        begun.safe,
        None if ended is None else ended.result,
        ended is not None and ended.is_error,
    )


def _final(one: Checkpoint) -> AgentDone:
    try:
        return AgentDone.model_validate_json(one.state or "")
    except ValueError as error:
        raise KeptUnreadable(f"The agent's end cannot be read: {error}") from None


def _told(one: CallKept) -> list[Event]:
    """What a reader has to hear of a call that has ended, and of whose end nobody was told.

    Its input is left out: what in it is secret is known to its tool alone.
    """
    begun, ended = one.begun, one.ended
    if ended is None:
        return []
    return [
        ToolCalled(call_id=begun.call_id, tool=begun.tool, input={}),
        ToolFinished(
            call_id=begun.call_id,
            tool=begun.tool,
            summary=SUMMARY,
            ok=not ended.is_error,
            duration_ms=0,
            attempts=max(1, ended.attempts),
        ),
    ]


def _unreadable(why: str) -> RunQuestion:
    return RunQuestion(
        "changed",
        "What was kept of this run cannot be read by this version of Sprout. How should it go on?",
        (AFRESH, STOP),
        why[:300],
        wire_time(utc_now()),
    )
