"""Resume plan: from the record of a run its messages, its open calls, and the call whose outcome is unknown."""

from dataclasses import dataclass

from sprout.clock import utc_now
from sprout.events import AgentDone, Event, ToolCalled, ToolFinished, Usage, wire_time
from sprout.loop.encoding.message_codec import DecodingError
from sprout.loop.model import Message, ToolUse
from sprout.loop.resume.resume_point import CallEnvelope, MessageCheckpoint, resume_point
from sprout.loop.resume.state import ResumeState
from sprout.runs.questions import START_AGAIN, STOP, RunQuestion
from sprout.runs.run_store import CHECKPOINT_VERSION, Checkpoint, RunRecord, StoredCall
from sprout.runs.turn_end import closing_event

RECOVERED_SUMMARY = "done before Sprout was stopped"


@dataclass(frozen=True, slots=True)
class ResumePlan:
    """The state from which a run is resumed.

    Args:
        digest: of the instructions with which it began, or with which a person has allowed it to continue.
        final: the agent's closing event, where only the end of the run is missing.
        in_doubt: a call whose outcome is unknown (K6).
        unreadable: the question to a person if this program cannot read the record.
        started_calls: the ids of the calls that have an envelope.
        unpublished: events for the ends of calls that are not in the event log.
        journal: the run's journal as JSON, if its agent has written in it.
    """

    messages: tuple[Message, ...]
    state: ResumeState
    digest: str
    usage: Usage
    final: AgentDone | None = None
    in_doubt: ToolUse | None = None
    unreadable: RunQuestion | None = None
    started_calls: tuple[str, ...] = ()
    unpublished: tuple[Event, ...] = ()
    journal: str | None = None

    @property
    def has_loop(self) -> bool:
        """Whether its loop goes on: no model is asked by a run that began without one, or cannot be read."""
        return bool(self.messages)


def plan_resume(record: RunRecord) -> ResumePlan | None:
    """The plan of a run by its record; None if nothing is stored yet, so that the run simply begins."""
    digests = [one.digest for one in record.checkpoints if one.digest is not None]
    if not digests:
        return None
    try:
        return _build_plan(record, digests[-1])
    except DecodingError as error:
        return ResumePlan((), ResumeState(), digests[-1], record.usage, unreadable=_unreadable_question(str(error)))


def _build_plan(record: RunRecord, digest: str) -> ResumePlan:
    strange = {one.version for one in record.checkpoints} - {CHECKPOINT_VERSION}
    if strange:
        raise DecodingError(
            f"It was stored in version {max(strange)} of the format, and this program reads {CHECKPOINT_VERSION}."
        )
    again = resume_point(
        [_stored_messages(one) for one in record.checkpoints],
        [_call_envelope(one) for one in record.calls],
        usage=record.usage,
    )
    return ResumePlan(
        again.messages,
        again.resume,
        digest,
        record.usage,
        final=closing_event(record),
        in_doubt=next(iter(again.in_doubt), None),
        started_calls=tuple(one.begun.call_id for one in record.calls),
        unpublished=tuple(
            event
            for one in record.calls
            if one.begun.call_id not in record.published_calls
            for event in _unpublished_events(one)
        ),
        journal=record.journal,
    )


def _stored_messages(one: Checkpoint) -> MessageCheckpoint:
    return MessageCheckpoint(one.kind, one.iteration, one.messages, one.stop_reason, one.state, one.elapsed_s)


def _call_envelope(one: StoredCall) -> CallEnvelope:
    begun, ended = one.begun, one.ended
    return CallEnvelope(
        begun.call_id,
        begun.tool,
        begun.input,
        begun.iteration,
        begun.text_before,
        begun.repeatable,
        None if ended is None else ended.result,
        ended is not None and ended.is_error,
    )


def _unpublished_events(one: StoredCall) -> list[Event]:
    """The events of a call that has ended without them in the log.

    Its input is left out: only its tool knows which of its fields are secret.
    """
    begun, ended = one.begun, one.ended
    if ended is None:
        return []
    return [
        ToolCalled(call_id=begun.call_id, tool=begun.tool, input={}),
        ToolFinished(
            call_id=begun.call_id,
            tool=begun.tool,
            summary=RECOVERED_SUMMARY,
            ok=not ended.is_error,
            duration_ms=0,
            attempts=max(1, ended.attempts),
        ),
    ]


def _unreadable_question(why: str) -> RunQuestion:
    return RunQuestion(
        "changed",
        "This version of Sprout cannot read what was stored of this run. How should it go on?",
        (START_AGAIN, STOP),
        why[:300],
        wire_time(utc_now()),
    )
