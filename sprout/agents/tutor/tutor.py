"""Tutor: one turn of a lesson. Marks and help are decided before it speaks; its words pass a leak filter."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.fences import fenced, wrapped
from sprout.agents.prompt_elements import node_element, passage_elements
from sprout.agents.prompts import Prompt, load_prompts
from sprout.agents.tutor.dependencies import TutorDependencies
from sprout.agents.tutor.extra_tools import ExtraTool
from sprout.agents.tutor.task import TutorTask, parse_task
from sprout.agents.tutor.tools import make_tools
from sprout.agents.tutor.turn import LessonTurn
from sprout.agents.tutor.turn_state import state_element
from sprout.events import AgentDone, Usage
from sprout.learning.graph.graph import MAX_TITLE
from sprout.learning.lessons.memories import Memories
from sprout.learning.lessons.repository import Lesson, LessonRepository
from sprout.learning.lessons.turn import LearnerInput, TurnKind, parse_input
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.paths.passages import PassageRepository
from sprout.learning.paths.repositories import Repositories
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Block, Image, Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool
from sprout.loop.turn import StopCheck, TurnResult

TUTOR_POLICY = LoopPolicy(max_iterations=5)
PASSAGE_CHARACTERS = 12_000
REVIEW = "review"


def tutor_agent(
    lessons: LessonRepository,
    repositories: Repositories,
    memories: Memories,
    policy: LoopPolicy = TUTOR_POLICY,
    *,
    programs: ProgramMarker,
    helpers: Collection[str] = (),
    care_text: str = "",
    extra_tools: Sequence[ExtraTool] = (),
) -> AgentSpec:
    """The agent whose runs are the turns of conversations; `job.task` is a TutorTask.

    Args:
        programs: marks answers that are programs.
        helpers: names of the available agents; it delegates to "grading" what code cannot mark, has "key_check" solve
            its choices and numbers while the learner reads them, and starts "review" once a subconcept is done.
        care_text: text for a learner in distress; if empty, a neutral text in their language.
        extra_tools: tools besides its own.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts = load_prompts("tutor/tutor", correction="tutor/tutor.correction")
    dependencies = TutorDependencies(
        lessons, repositories, memories, programs, frozenset(helpers), care_text, tuple(extra_tools)
    )

    async def brief(job: Job, team: Team) -> Brief:
        task = parse_task(job.task)
        lesson = await lessons.lesson(task.session_id, user_id=job.user_id)
        turn = LessonTurn(dependencies, job, team, task, _input_of(task), lesson)
        empty = Brief(
            objective=f"A turn of the lesson on “{lesson.node.title}”.",
            system=prompts.system.fill(),
            tools=make_tools(turn),
            finish=_finish(turn),
            output_filter=turn.guard.new_output_filter,
        )
        if not await turn.begin() or turn.prepared_reply() is not None:
            return empty
        return replace(
            empty,
            messages=await _build_messages(prompts.request, turn, empty.tools),
            profile=turn.profile,
            stop_checks=(_question_due(prompts.correction, turn),),
        )

    mechanisms = LoopMechanisms(memory=True, asks=True)
    return AgentSpec("tutor", "conversation", policy, brief, voice="message", mechanisms=mechanisms)


def _input_of(task: TutorTask) -> LearnerInput:
    """The learner's words; what is said by a button has none."""
    return LearnerInput(TurnKind.MESSAGE, "") if task.is_button else parse_input(task.content)


async def _build_messages(request: Prompt, turn: LessonTurn, tools: Sequence[Tool]) -> tuple[Message, ...]:
    """The request, the conversation so far, and the turn's state with the learner's message."""
    memories = await turn.dependencies.memories.search(turn.lesson.node.title, user_id=turn.job.user_id)
    offered = None if turn.profile is None else [tool.name for tool in tools if tool.profile <= turn.profile]
    held = await turn.dependencies.lessons.held_beliefs(turn.lesson)
    state = state_element(
        turn.lesson,
        turn.input.kind,
        turn.result,
        memories,
        offered,
        held=held,
        fading=await turn.fading(),
        neighbours=await turn.neighbours(),
    )
    last: list[Block] = [Text(state)]
    if turn.input.text:
        last.append(Text(turn.input.text))
    if turn.drawing is not None:
        last.append(Image(turn.drawing.media_type, base64.b64encode(turn.drawing.data).decode("ascii")))
    about = await _fill_request(request, turn.dependencies.repositories, turn.lesson)
    return (Message("user", (Text(about),)), *_conversation(turn.lesson), Message("user", tuple(last)))


def _conversation(lesson: Lesson) -> list[Message]:
    """The conversation so far, from the tutor's first loaded message on."""
    conversation = [
        Message("assistant", (Text(one.content),))
        if one.role == "assistant"
        else Message("user", (Text(parse_input(one.content).text or "…"),))
        for one in lesson.messages
        if one.role != "system" and one.content.strip()
    ]
    first = next((at for at, message in enumerate(conversation) if message.role == "assistant"), len(conversation))
    return conversation[first:]


async def _fill_request(prompt: Prompt, documents: PassageRepository, lesson: Lesson) -> str:
    passages = await asyncio.to_thread(PassageIndex, await documents.passages(lesson.topic.id))
    fitting = passages.select(lesson.node.title, lesson.node.desc or "", characters=PASSAGE_CHARACTERS)
    return prompt.fill(
        topic=wrapped("topic", fenced("title", lesson.topic.title, limit=MAX_TITLE)),
        concept=node_element(lesson.concept),
        subconcept=node_element(lesson.node, "subconcept"),
        next=wrapped("next", *(fenced("subconcept", title, limit=MAX_TITLE) for title in lesson.dependents)),
        passages=passage_elements(fitting, limit=PASSAGE_CHARACTERS),
    )


def _question_due(correction: Prompt, turn: LessonTurn) -> StopCheck:
    async def check(_: TurnResult) -> str | None:
        """Without an open question the turn must ask one, or complete the lesson."""
        if turn.ended or not turn.question_due:
            return None
        may_end = "`complete_subconcept`, if the plan is done, or " if turn.lesson.may_end else ""
        return correction.fill(call=f"{may_end}`ask_checkpoint`")

    return check


def _finish(turn: LessonTurn) -> Callable[[TurnResult | None], Awaitable[AgentDone]]:
    async def finish(result: TurnResult | None) -> AgentDone:
        if not turn.ended:
            await turn.end_with_reply(turn.closing_words(result))
        await turn.check_key()
        if turn.completed and REVIEW in turn.dependencies.available_agents:
            await turn.team.start(REVIEW, node_id=turn.lesson.node.id, label="path_review")
        return AgentDone(reason=result.reason if result else "end_turn", usage=result.usage if result else Usage())

    return finish
