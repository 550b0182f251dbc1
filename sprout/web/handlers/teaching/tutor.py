"""Turns of a lesson, answered with one JSON object or a stream; a failed turn gets a reply too, not an error."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

from starlette.responses import Response

from sprout.agents.tutor.task import TutorTask
from sprout.errors import Conflict
from sprout.events import CardShown
from sprout.learning.leaks.prepared_help import given_help
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.lessons.readings import visible_reading
from sprout.learning.lessons.repository import Lesson, LessonRepository
from sprout.learning.lessons.turn import TurnKind, parse_input, render_reply
from sprout.learning.marking.comparison import compare_response
from sprout.runs.run_store import Admission, OnBusy, RequestKey, StoredEvent
from sprout.runs.state import Run, RunState
from sprout.runs.streaming.bus import BusMessage
from sprout.web.handlers.runs import idempotency_key, stream_response
from sprout.web.handlers.teaching.drawings import parse_drawing
from sprout.web.http.dependencies import Runs
from sprout.web.http.endpoint import Call, json_response
from sprout.web.http.patient_response import PatientResponse
from sprout.web.schemas.requests import NoFields, TutorTurn
from sprout.web.schemas.responses import GradeSummary, OpenLessonQuestion, TutorReply
from sprout.web.stream.learner_stream import check_stream_room

_ENVELOPE_FIELDS = ("agent", "runId", "at")
_TURN_ENDING_EVENTS = frozenset({"tool_result", "run_done", "agent_done", "agent_error", "waiting_on_human"})


@dataclass(frozen=True, slots=True)
class TutorDependencies:
    """Lessons, and the runs of their turns."""

    lessons: LessonRepository
    runs: Runs


async def take_turn(call: Call[TutorDependencies, NoFields, TutorTurn]) -> Response:
    """The tutor's reply. Invalid requests are refused; if the turn fails, the reply says why and repeats the
    question, and of the turn only an attempt and its mark are stored."""
    lesson = await call.dependencies.lessons.lesson(call.id, user_id=call.user_id)
    body = call.body
    content = "" if body.said_by_button else body.content.strip()
    if body.self_mark is not None and (lesson.pending is None or not lesson.pending.ladder.comparing):
        raise Conflict("No answer in this lesson waits to be compared.", code="nothing_to_compare")
    streaming = "text/event-stream" in call.request.headers.get("accept", "").lower()
    last_run = _repeated_final_turn(lesson, content)
    if lesson.ended and last_run is None and parse_input(content).kind is not TurnKind.CLARIFICATION:
        return json_response(
            _reply_without_turn(lesson, fixed_text("ended", lesson.language_of(parse_input(content).text)))
        )
    if not (content or body.said_by_button) and (opened := _latest_tutor_text(lesson)) is not None:
        await call.dependencies.lessons.mark_delivered(lesson)
        return json_response(_reply_without_turn(lesson, opened))
    if streaming:
        await check_stream_room(call)
    admission = (
        await _admit_turn(call, lesson, content, _answered_question(call, lesson, content, streaming=streaming))
        if last_run is None
        else await _replay_admission(call, last_run)
    )
    if streaming:
        return stream_response(call, call.dependencies.runs, admission.run, after=0, cancel_on_disconnect=False)

    async def make_reply() -> TutorReply:
        return await _turn_reply(call, admission.run.id, content, await _collect_events(call, admission.run))

    headers = {"X-Run-Id": admission.run.id} | (
        {"Idempotent-Replay": "true"} if admission.outcome == "replayed" else {}
    )
    return PatientResponse(make_reply, headers=headers, interval_s=call.policy.limits.progress_s)


def _answered_question(
    call: Call[TutorDependencies, NoFields, TutorTurn], lesson: Lesson, content: str, *, streaming: bool
) -> str | None:
    """The question that an answer is given to: the one that the client names, else the one that it was shown last.

    None for the open one: a stream shows questions by events, and which of them were read is unknown.
    """
    if call.body.said_by_button:
        return call.body.question_id
    if parse_input(content).kind is not TurnKind.ANSWER:
        return None
    return call.body.question_id or (None if streaming else lesson.delivered_question_id)


def _repeated_final_turn(lesson: Lesson, content: str) -> str | None:
    """The run of a lesson's last turn if the same text is sent again, as after a lost response."""
    if not (lesson.ended and content) or len(lesson.messages) < 2:
        return None
    message, reply = lesson.messages[-2:]
    repeated = (message.role, reply.role) == ("user", "assistant") and message.content.strip() == content
    return reply.id if repeated else None


async def _replay_admission(call: Call[TutorDependencies, NoFields, TutorTurn], run_id: str) -> Admission:
    return Admission(await call.dependencies.runs.run(run_id, user_id=call.user_id), "replayed")


async def _admit_turn(
    call: Call[TutorDependencies, NoFields, TutorTurn], lesson: Lesson, content: str, question_id: str | None
) -> Admission:
    """The run of this turn: a new one, or the one that the same text has started at this point of the conversation."""
    drawing = parse_drawing(call.body.drawing_image_data_url) if parse_input(content).kind is TurnKind.ANSWER else None
    move, self_mark = call.body.move, call.body.self_mark
    button = move or (self_mark.model_dump_json() if self_mark is not None else "")
    digest = _digest(lesson.session_id, content, sha256(drawing.data).hexdigest() if drawing else "", button)
    key = idempotency_key(call.request, digest)
    fresh = key is None
    key = key or RequestKey(f"turn:{_digest(digest, lesson.messages[-1].id if lesson.messages else '')}", digest)
    drawing_id = None
    if drawing is not None:
        drawing_id = await call.dependencies.lessons.save_drawing(lesson.session_id, drawing, user_id=call.user_id)
    task = TutorTask(
        session_id=lesson.session_id,
        content=content,
        drawing_id=drawing_id,
        question_id=question_id,
        move=move,
        self_mark=self_mark,
        sure=call.body.sure,
    )
    while True:
        admission = await start_turn(call.dependencies.runs, lesson, task, key)
        if admission.outcome != "replayed" or not fresh or not await _left_no_reply(call, admission.run):
            return admission
        key = RequestKey(f"turn:{_digest(key.key, admission.run.id)}", digest)


async def start_turn(runs: Runs, lesson: Lesson, task: TutorTask, key: RequestKey) -> Admission:
    """The run of a turn, behind those of the same lesson, or the one that has this key."""
    return await runs.start(
        "tutor",
        node=lesson.node,
        user_id=lesson.user_id,
        on_busy=OnBusy.ENQUEUE,
        key=key,
        lane=f"conversation:{lesson.session_id}",
        task=task.model_dump_json(),
        needs_model=not _is_marked_without_model(task, lesson),
    )


def _is_marked_without_model(task: TutorTask, lesson: Lesson) -> bool:
    """Whether the turn is of use without a model: it marks an answer by its key or by the learner."""
    if task.self_mark is not None:
        return True
    is_choice = lesson.pending is not None and bool(lesson.pending.options)
    return is_choice and parse_input(task.content).kind is TurnKind.ANSWER


async def _left_no_reply(call: Call[TutorDependencies, NoFields, TutorTurn], run: Run) -> bool:
    """Whether the run has ended without a reply: then the same text is a new attempt."""
    run = await call.dependencies.runs.run(run.id, user_id=call.user_id)
    return (
        run.ended
        and (await call.dependencies.lessons.lesson(call.id, user_id=call.user_id)).reply_of_run(run.id) is None
    )


async def _collect_events(call: Call[TutorDependencies, NoFields, TutorTurn], run: Run) -> Sequence[BusMessage]:
    """The messages of the run until its turn is over or the wait has expired; all of an ended run."""
    messages: list[BusMessage] = []
    seen, last = 0, None
    try:
        async with asyncio.timeout(call.policy.limits.turn_wait_s):
            async with aclosing(cast(Any, call.dependencies.runs.follow_to_end(run.id))) as batches:
                async for batch in batches:
                    messages.extend(batch)
                    may_be_over = not run.ended and any(one.kind in _TURN_ENDING_EVENTS for one in batch)
                    if last is None and may_be_over:
                        last = await _last_event_of_turn(call, run.id)
                    seen = max((one.seq for one in batch if isinstance(one, StoredEvent)), default=seen)
                    if last is not None and seen >= last:
                        return messages
    except TimeoutError:
        return messages
    return messages


async def _last_event_of_turn(call: Call[TutorDependencies, NoFields, TutorTurn], run_id: str) -> int | None:
    """The number of the last event once the turn has its reply or waits for a person; None before that.

    The reply may be stored before the events that led to it have been received.
    """
    lesson = await call.dependencies.lessons.lesson(call.id, user_id=call.user_id)
    run = await call.dependencies.runs.run(run_id, user_id=call.user_id)
    is_over = run.state is RunState.WAITING_ON_HUMAN or lesson.reply_of_run(run_id) is not None
    return run.last_seq if is_over else None


async def _turn_reply(
    call: Call[TutorDependencies, NoFields, TutorTurn], run_id: str, content: str, messages: Sequence[BusMessage]
) -> TutorReply:
    run = await call.dependencies.runs.run(run_id, user_id=call.user_id)
    lesson = await call.dependencies.lessons.lesson(call.id, user_id=call.user_id)
    reply = lesson.reply_of_run(run_id)
    if reply is not None:
        message = reply.content
    else:
        question = None if parse_input(content).kind is TurnKind.CLARIFICATION else lesson.pending
        message = render_reply(_apology(run, lesson.language_of(parse_input(content).text)), question)
    await call.dependencies.lessons.mark_delivered(lesson)
    events = [(one.kind, json.loads(one.data)) for one in messages if one.kind in ("tool_call", "graded", "card_ready")]
    graded = [GradeSummary.model_validate(_without_envelope(data)) for kind, data in events if kind == "graded"]
    return TutorReply(
        message=message,
        is_complete=lesson.ended,
        tools_used=tuple(data["tool"] for kind, data in events if kind == "tool_call" and data.get("runId") == run_id),
        run_id=run_id,
        question=open_lesson_question(lesson.pending),
        reading=lesson.reading,
        graded=graded[-1] if graded else None,
        cards=tuple(CardShown.model_validate(data["card"]) for kind, data in events if kind == "card_ready"),
    )


def _apology(run: Run, language: str) -> str:
    if not run.ended:
        return fixed_text("slow", language)
    why = run.error.message if run.error is not None else (run.reason or run.state.value)
    return fixed_text("failed", language, why=why.strip().rstrip("."))


def _without_envelope(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in _ENVELOPE_FIELDS}


def _reply_without_turn(lesson: Lesson, message: str) -> TutorReply:
    question = open_lesson_question(lesson.pending)
    return TutorReply(message=message, is_complete=lesson.ended, question=question, reading=lesson.reading)


def _latest_tutor_text(lesson: Lesson) -> str | None:
    """The tutor's newest message, for a page that is opened again."""
    texts = [one.content for one in lesson.messages if one.role == "assistant" and one.kind != "hint_response"]
    return texts[-1] if texts else None


def open_lesson_question(question: AskedCheckpoint | None) -> OpenLessonQuestion | None:
    """The open question as its learner sees it."""
    if question is None:
        return None
    options = [option.text for option in question.options] or None
    compare, comparison = None, question.comparison
    if comparison is not None and question.last_attempt_id is not None:
        given = question.last_attempt_text
        compare = compare_response(comparison, answer_id=question.last_attempt_id, given=given)
    return OpenLessonQuestion(
        id=question.id,
        prompt=question.prompt,
        type=question.kind,
        options=options,
        form=question.checkpoint.draft.form,
        gap=question.checkpoint.is_gap,
        help=given_help(question),
        attempts=question.ladder.attempts,
        compare=compare,
        reading=visible_reading(question.reading, question.ladder),
    )


def _digest(*parts: str) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()
