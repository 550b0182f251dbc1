"""Threads of AG-UI: which agent a message is for, and the run that answers it."""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from ag_ui.core import TextPart, UserMessage

from sprout.agents.tutor.task import TutorTask, parse_task
from sprout.errors import BadInput, Conflict, NotFound, SproutError
from sprout.events import NodeRow
from sprout.learning.lessons.conversations import Conversations
from sprout.learning.lessons.repository import Lesson, LessonRepository
from sprout.learning.lessons.turn import TurnKind, extract_explanation, parse_input
from sprout.learning.paths.repository import PathRepository
from sprout.learning.paths.topic_coverage import TopicCoverage
from sprout.learning.today.next_step import PathRuns, StepKind, path_step
from sprout.runs.run_store import RequestKey
from sprout.runs.state import Run, RunState
from sprout.web.handlers.runs import AgentNotFound
from sprout.web.handlers.teaching.next_action import active_runs
from sprout.web.handlers.teaching.tutor import start_turn
from sprout.web.http.dependencies import Runs
from sprout.web.http.parsing import validate
from sprout.web.schemas.ag_ui_requests import AgentInput, ForwardedProps
from sprout.web.schemas.requests import NewBranch

OWN_AGENTS = {"topic": "root", "refinement": "concept"}
TUTOR = "tutor"


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation of a learner, by the repositories that it needs."""

    paths: PathRepository
    runs: Runs
    conversations: Conversations
    lessons: LessonRepository
    coverage: TopicCoverage
    extra_agents: tuple[str, ...]

    async def run(self, request: AgentInput, *, user_id: str) -> Run:
        """The run that answers the request: the one that it has started before, or a new one."""
        if request.resume:
            return await self._resume(request, user_id)
        key = _key(request.thread_id, request.run_id)
        known = await self.runs.run_of_key(key, user_id=user_id)
        if known is not None:
            return known
        node = await self._node(request, user_id)
        if node is None:
            return await self._grow_path(request, RequestKey(key, key), user_id)
        return await self._work_on(node, request, RequestKey(key, key), user_id)

    async def reply(self, run: Run) -> str:
        """The words with which a turn of the tutor has ended; "" without any, and for another agent."""
        if run.agent != TUTOR:
            return ""
        lesson = await self.lessons.lesson(parse_task(run.task).session_id, user_id=run.user_id)
        reply = lesson.reply_of_run(run.id)
        return "" if reply is None else extract_explanation(reply.content)

    async def _resume(self, request: AgentInput, user_id: str) -> Run:
        """The run that has waited for this answer; one that has it already goes on as it does."""
        assert request.resume
        entry = request.resume[0]
        run = await self.runs.run(entry.interrupt_id, user_id=user_id)
        if entry.status == "cancelled":
            return await self.runs.cancel(run.id, user_id=user_id)
        if not isinstance(entry.payload, str) or not entry.payload.strip():
            raise BadInput("The payload that answers a run's question must be text.", field="resume")
        if run.state is RunState.WAITING_ON_HUMAN and not run.answered:
            return await self.runs.answer(run.id, entry.payload, user_id=user_id)
        return run

    async def _node(self, request: AgentInput, user_id: str) -> NodeRow | None:
        """What the thread is about; None for a new one."""
        props = request.forwarded_props or ForwardedProps()
        if props.node_id is not None:
            return await self.paths.node(props.node_id, user_id=user_id)
        first = await self.runs.run_of_key(_key(request.thread_id), user_id=user_id)
        for node_id in (request.thread_id, *(() if first is None else (first.node_id,))):
            with suppress(NotFound):
                return await self.paths.node(node_id, user_id=user_id)
        return None

    async def _grow_path(self, request: AgentInput, key: RequestKey, user_id: str) -> Run:
        """A new path on the topic that the last message names; nothing is left of it where its run cannot start."""
        props = request.forwarded_props or ForwardedProps()
        if props.agent not in (None, "topic"):
            raise BadInput("Say in forwardedProps.nodeId what this agent works on.", field="forwardedProps")
        if not (topic := last_words(request)):
            raise BadInput("Say in the thread's first message what its path shall be about.", field="messages")
        title = validate(NewBranch, {"title": topic}).title
        self.coverage.course_on(title)
        branch = await self.paths.create_branch(title, user_id=user_id)
        root = await self.paths.create_node(
            user_id=user_id, type="root", title=title, branch_id=branch.id, parent_id=None, desc=None
        )
        try:
            run = (await self.runs.start("topic", node=root, user_id=user_id, small=props.small, key=key)).run
        except SproutError:
            await self.paths.delete_branch(branch.id, user_id=user_id)
            raise
        if run.node_id != root.id:  # the same request, sent twice at once
            await self.paths.delete_branch(branch.id, user_id=user_id)
        return run

    async def _work_on(self, node: NodeRow, request: AgentInput, key: RequestKey, user_id: str) -> Run:
        props = request.forwarded_props or ForwardedProps()
        agent = props.agent or await self._agent_for(node, user_id)
        if agent == TUTOR:
            return await self._teach(node, request, key, user_id)
        if agent not in OWN_AGENTS and agent not in self.extra_agents:
            raise AgentNotFound(agent, (*OWN_AGENTS, TUTOR, *self.extra_agents))
        if OWN_AGENTS.get(agent, node.type) != node.type:
            raise BadInput(f"The agent {agent} works on a {OWN_AGENTS[agent]}, and {node.title!r} is a {node.type}.")
        task = None if agent in OWN_AGENTS else last_words(request) or None
        admission = await self.runs.start(agent, node=node, user_id=user_id, small=props.small, key=key, task=task)
        return admission.run

    async def _agent_for(self, node: NodeRow, user_id: str) -> str:
        """The tutor, once there is a path to teach."""
        if node.type != "root" or await self.paths.nodes(user_id=user_id, parent_id=node.id):
            return TUTOR
        return "topic"

    async def _teach(self, node: NodeRow, request: AgentInput, key: RequestKey, user_id: str) -> Run:
        """The tutor's turn in the part itself, or in the next one of a path or a concept.

        Where no lesson can be had yet, it is the run that makes one.
        """
        if node.type == "subconcept":
            return await self._take_turn(node, request, key, user_id)
        graph = await self.paths.graph(node.branch_id or "", user_id=user_id)
        runs = (await active_runs(self.runs, user_id, node.branch_id)).get(graph.branch.id, PathRuns())
        history = await self.conversations.lesson_history(user_id)
        step = path_step(graph, runs, history, concept_id=node.id if node.type == "concept" else None)
        if step.lesson is not None:
            return await self._take_turn(step.lesson.part, request, key, user_id)
        if step.run_id is not None:
            return await self.runs.run(step.run_id, user_id=user_id)
        if step.kind is StepKind.DONE:
            raise Conflict(
                "No lesson is open here: all is learned, or what it builds on comes first.", code="no_lesson"
            )
        agent, bare = ("topic", node) if step.concept is None else ("refinement", step.concept)
        return (await self.runs.start(agent, node=bare, user_id=user_id, key=key)).run

    async def _take_turn(self, part: NodeRow, request: AgentInput, key: RequestKey, user_id: str) -> Run:
        lesson = await self._open_lesson(part, user_id)
        task = TutorTask(session_id=lesson.session_id, content=_content(lesson, last_words(request)))
        return (await start_turn(self.runs, lesson, task, key)).run

    async def _open_lesson(self, part: NodeRow, user_id: str) -> Lesson:
        """The newest lesson of the part that is not over, or a new one."""
        sessions = await self.conversations.sessions(user_id, node_id=part.id)
        session = next((one for one in reversed(sessions) if one.ended_at is None), None)
        session = session or await self.conversations.start_session(user_id, node_id=part.id)
        return await self.lessons.lesson(session.id, user_id=user_id)


def last_words(request: AgentInput) -> str:
    """The text of the learner's last message; "" without one. Raises BadInput for anything but text."""
    said = next((one.content for one in reversed(request.messages) if isinstance(one, UserMessage)), "")
    parts = [TextPart(text=said)] if isinstance(said, str) else said
    if not all(isinstance(part, TextPart) for part in parts):
        raise BadInput("Only text can be sent here.", field="messages")
    return "\n\n".join(part.text for part in parts if isinstance(part, TextPart)).strip()


def _content(lesson: Lesson, words: str) -> str:
    """The words as the tutor reads them: where a question is open, an answer, unless a tag says otherwise.

    No words open a lesson. Raises BadInput: it is open.
    """
    if not words and lesson.messages:
        raise BadInput("Say something: the last message of the learner is empty.", field="messages")
    is_untagged = parse_input(words).kind is TurnKind.MESSAGE
    return f"[ANSWER] {words}" if is_untagged and lesson.pending is not None else words


def _key(thread_id: str, run_id: str | None = None) -> str:
    """The idempotency key of a request; without a run, what the keys of the thread's runs begin with."""
    ids = (thread_id,) if run_id is None else (thread_id, run_id)
    return ":".join(("ag-ui", *(sha256(one.encode()).hexdigest()[:40] for one in ids)))
