"""Answers: the effect of a person's answer on the run that waits for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sprout.errors import BadInput
from sprout.events import ToolFinished
from sprout.loop.encoding.message_codec import messages_as_json, messages_from_json, result_as_text
from sprout.loop.human import MAX_ANSWER, HumanQuestion, allows, answer_block, wants_stop
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.tool_calls.permissions import Approval
from sprout.runs.execution.pause import find_call
from sprout.runs.execution.resume import RECOVERED_SUMMARY
from sprout.runs.questions import NOT_HAPPENED, START_AGAIN, STOP, RunQuestion, is_choice
from sprout.runs.run_store import CallBegun, CallCleared, CallEnded, Checkpoint, Entry, RunRecord

SUMMARY_CHARS = 200


class AnswerAction(StrEnum):
    CONTINUE = "continue"
    STOP = "stop"
    RESTART = "restart"


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """The effect of an answer: entries for the log of the run, and the action on it."""

    entries: tuple[Entry, ...] = ()
    approvals: tuple[Approval, ...] = ()
    action: AnswerAction = AnswerAction.CONTINUE


def interpret_answer(
    question: RunQuestion, words: str, record: RunRecord, *, result: str | None = None
) -> AnswerEffect:
    """The effect of an answer to the question.

    Args:
        result: of the call in doubt, if it happened.

    Raises BadInput: the answer has to be one of the choices.
    """
    if question.choices is not None and question.kind in ("in_doubt", "changed"):
        _require_choice(question.choices, words)
    match question.kind:
        case "question":
            return _answer_call(question, words, record)
        case "context":
            return _answer_loop(question, words)
        case "permission":
            return _answer_permission(question, words, record)
        case "in_doubt":
            return _resolve_doubt(question, words, result)
        case "changed":
            return _resolve_change(question, words)


def _require_choice(choices: Sequence[str], words: str) -> None:
    if not any(is_choice(words, choice) for choice in choices):
        listed = "; ".join(f"“{choice}”" for choice in choices)
        raise BadInput("Answer with one of these: {choices}.", field="answer", code="answer_choices", choices=listed)


def _answer_call(question: RunQuestion, words: str, record: RunRecord) -> AnswerEffect:
    assert question.call_id is not None
    told = answer_block(HumanQuestion(question.question, question.choices, question.why, question.call_id), words)
    content = told.text if isinstance(told, Text) else told.content
    return AnswerEffect(tuple(_end_entries(question, record, result_as_text(content), ok=True)))


def _answer_loop(question: RunQuestion, words: str) -> AnswerEffect:
    if wants_stop(words):
        return AnswerEffect(action=AnswerAction.STOP)
    told = answer_block(HumanQuestion(question.question, question.choices, question.why, None), words)
    assert isinstance(told, Text)
    return AnswerEffect((Checkpoint("human_pause", messages=messages_as_json([Message("user", (told,))])),))


def _answer_permission(question: RunQuestion, words: str, record: RunRecord) -> AnswerEffect:
    call = _find_call(record, question.call_id)
    if allows(words) and call is not None:
        return AnswerEffect(approvals=(Approval.of(call),))
    told = notice("not_approved", name=question.tool or "", answer=words.strip()[:MAX_ANSWER])
    return AnswerEffect(tuple(_end_entries(question, record, told, ok=False)))


def _resolve_doubt(question: RunQuestion, words: str, result: str | None) -> AnswerEffect:
    assert question.call_id is not None
    if is_choice(words, STOP):
        return AnswerEffect(action=AnswerAction.STOP)
    if is_choice(words, NOT_HAPPENED):
        return AnswerEffect((CallCleared(question.call_id),))
    told = (result or "").strip()[:MAX_ANSWER] or notice("happened")
    return AnswerEffect(
        (
            CallEnded(question.call_id, result_as_text(told), is_error=False, attempts=1),
            _finished_event(question, RECOVERED_SUMMARY, ok=True),
        )
    )


def _resolve_change(question: RunQuestion, words: str) -> AnswerEffect:
    if is_choice(words, STOP):
        return AnswerEffect(action=AnswerAction.STOP)
    if is_choice(words, START_AGAIN):
        return AnswerEffect(action=AnswerAction.RESTART)
    after = (question.input or {}).get("after")
    return AnswerEffect((Checkpoint("human_pause", digest=str(after)),))


def _end_entries(question: RunQuestion, record: RunRecord, told: str, *, ok: bool) -> list[Entry]:
    """The end of the call that waited for the answer, and its event."""
    assert question.call_id is not None
    entries: list[Entry] = []
    if all(one.begun.call_id != question.call_id for one in record.calls):
        last = max((one.iteration for one in record.checkpoints), default=0)
        entries.append(CallBegun(question.call_id, question.tool or "", "{}", "read", last))
    entries.append(CallEnded(question.call_id, told, is_error=not ok, attempts=1))
    entries.append(_finished_event(question, told, ok=ok))
    return entries


def _finished_event(question: RunQuestion, told: str, *, ok: bool) -> ToolFinished:
    return ToolFinished(
        call_id=question.call_id or "",
        tool=question.tool or "",
        summary=told if len(told) <= SUMMARY_CHARS else told[: SUMMARY_CHARS - 1] + "…",
        ok=ok,
        duration_ms=0,
        attempts=1,
    )


def _find_call(record: RunRecord, call_id: str | None) -> ToolUse | None:
    """The call as the model made it. Raises DecodingError."""
    messages = [message for one in record.checkpoints for message in messages_from_json(one.messages)]
    return find_call(call_id, messages)
