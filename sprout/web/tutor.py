"""The answer to a turn of a lesson: one JSON object or its stream, and never an error that would hide the form."""

import asyncio
import base64
import binascii
import json
from collections.abc import Sequence
from contextlib import aclosing
from hashlib import sha256
from typing import Any, cast

from starlette.responses import Response

from sprout.agents.tutor_task import TutorTask
from sprout.events import CardShown
from sprout.learning.lessons.lesson import Posed, TurnKind, rendered, words_of
from sprout.learning.lessons.standard_words import language_of, words_for
from sprout.learning.lessons.tutoring import Drawing, Lesson
from sprout.runs.bus import News
from sprout.runs.log import Admission, Key, OnBusy
from sprout.runs.state import Run
from sprout.web.bodies import MaybeOwner, MemoryChange, Nothing, TutorTurn
from sprout.web.endpoint import Call, nothing_left, row, rows
from sprout.web.runs import caller_key, stream
from sprout.web.shown import GradeTold, QuestionAsked, TutorReply
from sprout.web.streams import refuse_one_too_many

LARGEST_DRAWING = 10 * 1024 * 1024
SHORTEST_DRAWING = 16
_PICTURES = {
    "data:image/png;base64,": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "data:image/jpeg;base64,": ("image/jpeg", b"\xff\xd8\xff"),
    "data:image/jpg;base64,": ("image/jpeg", b"\xff\xd8\xff"),
}
_ABOUT_EVENT = ("agent", "runId", "at")
_TURN_MAY_BE_OVER = frozenset({"tool_result", "run_done", "agent_done", "agent_error"})


async def turned(call: Call[Nothing, TutorTurn]) -> Response:
    """The tutor's reply. What is wrong with the request is refused; what goes wrong in the turn is told in the reply,
    with the question as it was: nothing of such a turn is stored."""
    parts = call.parts
    lesson = await parts.tutoring.lesson(call.id, user_id=call.user_id)
    content = call.body.content.strip()
    streams = "text/event-stream" in call.request.headers.get("accept", "").lower()
    last = _turn_that_ended_it(lesson, content)
    if lesson.ended and last is None:
        return row(_without_a_turn(lesson, words_for("ended", _language(lesson, content))))
    if not content and (opened := _latest(lesson)) is not None:
        return row(_without_a_turn(lesson, opened))
    if streams:
        refuse_one_too_many(call)
    admission = await _admitted(call, lesson, content) if last is None else await _replayed(call, last)
    if streams:
        return stream(call, admission.run, after=0, cancel_on_disconnect=False)
    news = await _waited_for(call, admission.run)
    headers = {"X-Run-Id": admission.run.id} | (
        {"Idempotent-Replay": "true"} if admission.verdict == "replayed" else {}
    )
    return row(await _reply(call, admission.run.id, content, news), 200, headers)


def _turn_that_ended_it(lesson: Lesson, content: str) -> str | None:
    """The run of a lesson's last turn, where the same words come again: whoever did not hear its reply asks anew."""
    if not (lesson.ended and content) or len(lesson.messages) < 2:
        return None
    words, reply = lesson.messages[-2:]
    again = (words.role, reply.role) == ("user", "assistant") and words.content.strip() == content
    return reply.id if again else None


async def _replayed(call: Call[Nothing, TutorTurn], run_id: str) -> Admission:
    return Admission(await call.parts.runs.run(run_id, user_id=call.user_id), "replayed")


async def _admitted(call: Call[Nothing, TutorTurn], lesson: Lesson, content: str) -> Admission:
    """The run of this turn: a new one, or the one that the same words have begun at this place of the conversation."""
    drawing = drawing_in(call.body.drawing_image_data_url) if words_of(content).kind is TurnKind.ANSWER else None
    asked = _digest(lesson.session_id, content, sha256(drawing.data).hexdigest() if drawing else "")
    key = caller_key(call.request, asked)
    fresh = key is None
    key = key or Key(f"turn:{_digest(asked, lesson.messages[-1].id if lesson.messages else '')}", asked)
    drawing_id = None
    if drawing is not None:
        drawing_id = await call.parts.tutoring.keep_drawing(lesson.session_id, drawing, user_id=call.user_id)
    task = TutorTask(session_id=lesson.session_id, content=content, drawing_id=drawing_id).model_dump_json()
    while True:
        admission = await call.parts.runs.start(
            "tutor",
            node=lesson.node,
            user_id=call.user_id,
            on_busy=OnBusy.ENQUEUE,
            key=key,
            lane=f"conversation:{lesson.session_id}",
            task=task,
        )
        if admission.verdict != "replayed" or not fresh or not await _came_to_nothing(call, admission.run):
            return admission
        key = Key(f"turn:{_digest(key.key, admission.run.id)}", asked)


async def _came_to_nothing(call: Call[Nothing, TutorTurn], run: Run) -> bool:
    """Whether the run has ended and left no reply: then the same words are a new try."""
    run = await call.parts.runs.run(run.id, user_id=call.user_id)
    return run.ended and (await call.parts.tutoring.lesson(call.id, user_id=call.user_id)).turn(run.id) is None


async def _waited_for(call: Call[Nothing, TutorTurn], run: Run) -> Sequence[News]:
    """What was told of the run until its turn was over, or for as long as a client can wait; all of one that ended."""
    heard: list[News] = []
    try:
        async with asyncio.timeout(call.parts.limits.run_wait_s):
            async with aclosing(cast(Any, call.parts.runs.follow(run.id))) as batches:
                async for batch in batches:
                    heard.extend(batch)
                    may_be_over = not run.ended and any(one.kind in _TURN_MAY_BE_OVER for one in batch)
                    if may_be_over and await _is_over(call, run):
                        return heard
    except TimeoutError:
        return heard
    return heard


async def _is_over(call: Call[Nothing, TutorTurn], run: Run) -> bool:
    return (await call.parts.tutoring.lesson(call.id, user_id=call.user_id)).turn(run.id) is not None


async def _reply(call: Call[Nothing, TutorTurn], run_id: str, content: str, news: Sequence[News]) -> TutorReply:
    run = await call.parts.runs.run(run_id, user_id=call.user_id)
    lesson = await call.parts.tutoring.lesson(call.id, user_id=call.user_id)
    said = lesson.turn(run_id)
    if said is not None:
        message = said.content
    else:
        question = None if words_of(content).kind is TurnKind.CLARIFICATION else lesson.pending
        message = rendered(_apology(run, _language(lesson, content)), question)
    told = [(one.kind, json.loads(one.data)) for one in news if one.kind in ("tool_call", "graded", "card_ready")]
    graded = [GradeTold.model_validate(_bare(data)) for kind, data in told if kind == "graded"]
    return TutorReply(
        message=message,
        is_complete=lesson.ended,
        tools_used=tuple(data["tool"] for kind, data in told if kind == "tool_call" and data.get("runId") == run_id),
        run_id=run_id,
        question=question_asked(lesson.pending),
        graded=graded[-1] if graded else None,
        cards=tuple(CardShown.model_validate(data["card"]) for kind, data in told if kind == "card_ready"),
    )


def _apology(run: Run, language: str) -> str:
    if not run.ended:
        return words_for("slow", language)
    why = run.error.message if run.error is not None else (run.reason or run.state.value)
    return words_for("failed", language, why=why.strip().rstrip("."))


def _bare(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in _ABOUT_EVENT}


def _without_a_turn(lesson: Lesson, message: str) -> TutorReply:
    return TutorReply(message=message, is_complete=lesson.ended, question=question_asked(lesson.pending))


def _latest(lesson: Lesson) -> str | None:
    """The tutor's newest words in the middle, as a page that is opened again shows them."""
    said = [one.content for one in lesson.messages if one.role == "assistant" and one.kind != "hint_response"]
    return said[-1] if said else None


def question_asked(question: Posed | None) -> QuestionAsked | None:
    """The open question as its learner sees it."""
    if question is None:
        return None
    options = [option.text for option in question.options] or None
    return QuestionAsked(id=question.id, prompt=question.prompt, type=question.kind, options=options)


def _language(lesson: Lesson, content: str) -> str:
    return language_of(words_of(content).text, lesson.node.title, lesson.node.desc or "")


def _digest(*parts: str) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()


def drawing_in(url: str | None) -> Drawing | None:
    """The picture in a data URL; None where it is none that is taken: PNG or JPEG, whole, not too large."""
    if url is None:
        return None
    head = next((head for head in _PICTURES if url[: len(head)].lower() == head), None)
    if head is None or len(url) > LARGEST_DRAWING * 4 // 3 + 100:
        return None
    media_type, magic = _PICTURES[head]
    try:
        data = base64.b64decode(url[len(head) :], validate=True)
    except (binascii.Error, ValueError):
        return None
    whole = data.startswith(magic) and SHORTEST_DRAWING <= len(data) <= LARGEST_DRAWING
    return Drawing(media_type, data) if whole else None


async def memories(call: Call[MaybeOwner, Nothing]) -> Response:
    """All that is kept of the caller."""
    return rows(await call.parts.memories.memories(call.user_id))


async def memory_changed(call: Call[Nothing, MemoryChange]) -> Response:
    """The entry as the caller wants it."""
    return row(await call.parts.memories.change_memory(call.id, call.body.text, user_id=call.user_id))


async def memory_forgotten(call: Call) -> Response:
    """204: it is gone."""
    await call.parts.memories.forget(call.id, user_id=call.user_id)
    return nothing_left()
