"""The tutor: one turn of a lesson. Marks and help are settled before it speaks, and its words pass a screen."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.extra_tools import ExtraTool
from sprout.agents.fences import fenced, wrapped
from sprout.agents.fitting import Passages
from sprout.agents.lesson_turn import LessonTurn, TutorParts
from sprout.agents.marking_notes import state_of
from sprout.agents.prompts import Prompt, prompts_of
from sprout.agents.tutor_task import task_of
from sprout.agents.tutor_tools import tools_of
from sprout.events import AgentDone, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE
from sprout.learning.lessons.lesson import TurnKind, words_of
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.tutoring import Lesson, TurnEnd, Tutoring
from sprout.learning.paths.shelf import Shelf
from sprout.loop.model import Block, Image, Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.turn import StopCheck, TurnResult

TUTOR_POLICY = LoopPolicy(max_iterations=5)
PASSAGE_CHARACTERS = 6_000
REVIEW = "review"


def tutor_agent(
    tutoring: Tutoring,
    shelf: Shelf,
    memories: Memories,
    policy: LoopPolicy = TUTOR_POLICY,
    *,
    helpers: Collection[str] = (),
    care_text: str = "",
    extra_tools: Sequence[ExtraTool] = (),
) -> AgentSpec:
    """The agent whose runs are the turns of conversations; `job.task` is a TutorTask.

    Args:
        helpers: names of the agents that there are: of these it asks "grading" for what code cannot mark, and "review"
            for another look at the path once a subconcept is done.
        care_text: what a learner in distress is shown; a neutral text in their language where it is empty.
        extra_tools: what it has besides its own.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of("tutor", correction="tutor.correction")
    parts = TutorParts(tutoring, shelf, memories, frozenset(helpers), care_text, tuple(extra_tools))

    async def brief(job: Job, team: Team) -> Brief:
        task = task_of(job.task)
        lesson = await tutoring.lesson(task.session_id, user_id=job.user_id)
        turn = LessonTurn(parts, job, team, task, words_of(task.content), lesson)
        unbegun = Brief(
            objective=f"A turn of the lesson on “{lesson.node.title}”.",
            system=prompts.system.filled(),
            tools=tools_of(turn),
            finish=_finishing(turn),
            screen=turn.screen,
        )
        if not await turn.begin():
            return unbegun
        return replace(
            unbegun,
            messages=await _messages(prompts.request, turn),
            stop_checks=(_what_is_missing(prompts.correction, turn),),
        )

    return AgentSpec("tutor", "conversation", policy, brief, voice="message")


async def _messages(request: Prompt, turn: LessonTurn) -> tuple[Message, ...]:
    """The request, what was said so far, and where the lesson stands with the learner's words."""
    memories = await turn.parts.memories.recalled(turn.lesson.node.title, user_id=turn.job.user_id)
    last: list[Block] = [Text(state_of(turn.lesson, turn.words.kind, turn.marked, memories))]
    if turn.words.text:
        last.append(Text(turn.words.text))
    if turn.drawing is not None:
        last.append(Image(turn.drawing.media_type, base64.b64encode(turn.drawing.data).decode("ascii")))
    about = await _about(request, turn.parts.shelf, turn.lesson)
    return (Message("user", (Text(about),)), *_talk(turn.lesson), Message("user", tuple(last)))


def _talk(lesson: Lesson) -> list[Message]:
    """The conversation so far, from the tutor's first words that are at hand."""
    said = [
        Message("assistant", (Text(one.content),))
        if one.role == "assistant"
        else Message("user", (Text(words_of(one.content).text or "…"),))
        for one in lesson.messages
        if one.role != "system" and one.content.strip()
    ]
    first = next((at for at, message in enumerate(said) if message.role == "assistant"), len(said))
    return said[first:]


async def _about(prompt: Prompt, shelf: Shelf, lesson: Lesson) -> str:
    passages = await asyncio.to_thread(Passages, await shelf.passages(lesson.topic.id))
    fitting = passages.within(lesson.node.title, lesson.node.desc or "", characters=PASSAGE_CHARACTERS)
    return prompt.filled(
        topic=wrapped("topic", fenced("title", lesson.topic.title, limit=MAX_TITLE)),
        concept=wrapped(
            "concept",
            fenced("title", lesson.concept.title, limit=MAX_TITLE),
            fenced("desc", lesson.concept.desc or "", limit=MAX_DESC),
        ),
        subconcept=wrapped(
            "subconcept",
            fenced("title", lesson.node.title, limit=MAX_TITLE),
            fenced("desc", lesson.node.desc or "", limit=MAX_DESC),
        ),
        next=wrapped("next", *(fenced("subconcept", title, limit=MAX_TITLE) for title in lesson.following)),
        passages="\n".join(
            fenced(
                "passage",
                one.text,
                limit=PASSAGE_CHARACTERS,
                doc=one.document,
                heading=one.heading or "",
                id=one.id,
            )
            for one in fitting
        ),
    )


def _what_is_missing(correction: Prompt, turn: LessonTurn) -> StopCheck:
    async def check(_: TurnResult) -> str | None:
        """Where nothing is open, a question is due, or the end."""
        answered = turn.over or turn.concerned or turn.words.kind is TurnKind.CLARIFICATION
        if answered or turn.marked.open is not None:
            return None
        may_end = "`complete_subconcept`, if the plan is done, or " if turn.lesson.mastered else ""
        return correction.filled(call=f"{may_end}`ask_checkpoint`")

    return check


def _finishing(turn: LessonTurn) -> Callable[[TurnResult | None], Awaitable[AgentDone]]:
    async def finish(result: TurnResult | None) -> AgentDone:
        if result is not None and any(call.name == "raise_concern" and not call.is_error for call in result.calls):
            turn.concerned = True  # also where that was before a crash
        if not turn.over:
            reply, stays = turn.closing_words(result), turn.marked.open is not None
            await turn.end(TurnEnd(reply, turn.reply_kind, stays=stays, repeats=not turn.concerned))
        if turn.completed and REVIEW in turn.parts.helpers:
            await turn.team.start(REVIEW, node_id=turn.lesson.node.id, label="path_review")
        return AgentDone(reason=result.reason if result else "end_turn", usage=result.usage if result else Usage())

    return finish
