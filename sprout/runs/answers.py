"""What a person's answer means for the run that waits for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sprout.errors import BadInput
from sprout.events import ToolFinished
from sprout.loop.human import MAX_ANSWER, HumanQuestion, allows, answered, wants_stop
from sprout.loop.kept import messages_as_json, messages_from_json, result_as_text
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.notices import notice
from sprout.loop.permissions import Approval
from sprout.runs.log import CallBegun, CallCleared, CallEnded, Checkpoint, Entry, Record
from sprout.runs.pausing import call_of
from sprout.runs.question import AFRESH, DO_IT, STOP, RunQuestion, is_choice
from sprout.runs.recall import SUMMARY

SUMMARY_CHARS = 200


class Verdict(StrEnum):
    GO_ON = "go_on"
    STOP = "stop"
    AFRESH = "afresh"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is done about an answer: the entries that say it to the run, and whether the run goes on at all."""

    entries: tuple[Entry, ...] = ()
    approvals: tuple[Approval, ...] = ()
    verdict: Verdict = Verdict.GO_ON


def answer_to(question: RunQuestion, words: str, record: Record, *, result: str | None = None) -> Answer:
    """What the words mean as an answer to the question.

    Args:
        result: what the call in doubt has brought, where it has happened.

    Raises BadInput: they are none of the choices, and only those will do.
    """
    if question.choices is not None and question.kind in ("in_doubt", "changed"):
        _refuse_other_words(question.choices, words)
    match question.kind:
        case "question":
            return _to_the_model(question, words, record)
        case "context":
            return _to_the_loop(question, words)
        case "permission":
            return _permission(question, words, record)
        case "in_doubt":
            return _doubt(question, words, result)
        case "changed":
            return _change(question, words)


def _refuse_other_words(choices: Sequence[str], words: str) -> None:
    if not any(is_choice(words, choice) for choice in choices):
        listed = "; ".join(f"“{choice}”" for choice in choices)
        raise BadInput(f"Answer with one of these: {listed}.", field="answer")


def _to_the_model(question: RunQuestion, words: str, record: Record) -> Answer:
    assert question.call_id is not None
    told = answered(HumanQuestion(question.question, question.choices, question.why, question.call_id), words)
    content = told.text if isinstance(told, Text) else told.content
    return Answer(tuple(_ended(question, record, result_as_text(content), ok=True)))


def _to_the_loop(question: RunQuestion, words: str) -> Answer:
    if wants_stop(words):
        return Answer(verdict=Verdict.STOP)
    told = answered(HumanQuestion(question.question, question.choices, question.why, None), words)
    assert isinstance(told, Text)
    return Answer((Checkpoint("human_pause", messages=messages_as_json([Message("user", (told,))])),))


def _permission(question: RunQuestion, words: str, record: Record) -> Answer:
    call = _call_in(record, question.call_id)
    if allows(words) and call is not None:
        return Answer(approvals=(Approval.of(call),))
    told = notice("not_approved", name=question.tool or "", answer=words.strip()[:MAX_ANSWER])
    return Answer(tuple(_ended(question, record, told, ok=False)))


def _doubt(question: RunQuestion, words: str, result: str | None) -> Answer:
    assert question.call_id is not None
    if is_choice(words, STOP):
        return Answer(verdict=Verdict.STOP)
    if is_choice(words, DO_IT):
        return Answer((CallCleared(question.call_id),))
    told = (result or "").strip()[:MAX_ANSWER] or notice("happened")
    return Answer(
        (
            CallEnded(question.call_id, result_as_text(told), is_error=False, attempts=1),
            _finished(question, SUMMARY, ok=True),
        )
    )


def _change(question: RunQuestion, words: str) -> Answer:
    if is_choice(words, STOP):
        return Answer(verdict=Verdict.STOP)
    if is_choice(words, AFRESH):
        return Answer(verdict=Verdict.AFRESH)
    after = (question.input or {}).get("after")
    return Answer((Checkpoint("human_pause", digest=str(after)),))


def _ended(question: RunQuestion, record: Record, told: str, *, ok: bool) -> list[Entry]:
    """The envelope of the call that waited, ended by the person's word, and what readers see of it."""
    assert question.call_id is not None
    entries: list[Entry] = []
    if all(one.begun.call_id != question.call_id for one in record.calls):
        last = max((one.iteration for one in record.checkpoints), default=0)
        entries.append(CallBegun(question.call_id, question.tool or "", "{}", "read", last))
    entries.append(CallEnded(question.call_id, told, is_error=not ok, attempts=1))
    entries.append(_finished(question, told, ok=ok))
    return entries


def _finished(question: RunQuestion, told: str, *, ok: bool) -> ToolFinished:
    return ToolFinished(
        call_id=question.call_id or "",
        tool=question.tool or "",
        summary=told if len(told) <= SUMMARY_CHARS else told[: SUMMARY_CHARS - 1] + "…",
        ok=ok,
        duration_ms=0,
        attempts=1,
    )


def _call_in(record: Record, call_id: str | None) -> ToolUse | None:
    """The call as the model made it. Raises KeptUnreadable."""
    messages = [message for one in record.checkpoints for message in messages_from_json(one.messages)]
    return call_of(call_id, messages)
