"""The learner's next action, over all paths, in one, or in one of its concepts."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from sprout.errors import NotFound
from sprout.learning.lessons.conversations import Conversations
from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.next_lesson import next_lesson
from sprout.learning.paths.repository import BranchGraph, PathRepository
from sprout.runs.state import TERMINAL_STATES, Run, RunState
from sprout.web.http.dependencies import RunService
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NextQuery
from sprout.web.schemas.responses import NextAction

ACTIVE_STATES = [state for state in RunState if state not in TERMINAL_STATES]
_TOPIC = "topic"
_TO_DO = ("answer", "lesson")


@dataclass(frozen=True, slots=True)
class NextDependencies:
    """Paths, their runs, and the lessons that were begun."""

    paths: PathRepository
    runs: RunService
    conversations: Conversations


async def get_next(call: Call[NextDependencies, NextQuery]) -> Response:
    """The next action: of several paths, that of the one that was worked on last."""
    paths = call.dependencies.paths
    branch_ids = await _branches(call)
    active = await call.dependencies.runs.runs(
        user_id=call.user_id, branch_id=call.query.branch_id, include_conversations=False, states=ACTIVE_STATES
    )
    history = await call.dependencies.conversations.lesson_history(call.user_id)
    found: list[NextAction] = []
    for branch_id in branch_ids:
        graph = await paths.graph(branch_id, user_id=call.user_id)
        runs = [run for run in active if run.branch_id == branch_id]
        found.append(next_action(graph, runs, history, concept_id=call.query.node_id))
        if found[-1].kind in _TO_DO:
            break
    return json_response(
        next((one for one in found if one.kind in _TO_DO), found[0] if found else NextAction(kind="none"))
    )


async def _branches(call: Call[NextDependencies, NextQuery]) -> Sequence[str]:
    """The paths to look at in their order; those that are learned come last."""
    paths, query = call.dependencies.paths, call.query
    if query.branch_id is not None:
        return [query.branch_id]
    if query.node_id is not None:
        return [(await paths.node(query.node_id, user_id=call.user_id)).branch_id or ""]
    summaries = await paths.summaries(call.user_id)
    summaries.sort(key=lambda one: bool(one.concepts) and all(concept.learned for concept in one.concepts))
    return [one.branch.id for one in summaries]


def next_action(
    graph: BranchGraph, active: Sequence[Run], history: LessonHistory, *, concept_id: str | None = None
) -> NextAction:
    """The next action in one path, or in one of its concepts. Raises NotFound: it has no such concept.

    Args:
        active: the path's runs that have not ended.
    """
    concepts = [node for node in graph.nodes if node.type == "concept" and concept_id in (None, node.id)]
    if concept_id is not None and not concepts:
        raise NotFound("concept", concept_id)
    for run in active:
        if run.state is RunState.WAITING_ON_HUMAN:
            return NextAction(kind="answer", branch=graph.branch, run_id=run.id)
        if run.agent == _TOPIC:
            return NextAction(kind="growing", branch=graph.branch, run_id=run.id)
    lesson = next_lesson(graph, history.unfinished, history.taken, concept_id=concept_id)
    if lesson is None:
        filled = {node.parent_id for node in graph.nodes}
        bare = next((concept for concept in concepts if concept.id not in filled), None)
        is_done = bool(concepts) and bare is None
        return NextAction(kind="done" if is_done else "grow", branch=graph.branch, concept=bare)
    return NextAction(
        kind="lesson",
        branch=graph.branch,
        concept=lesson.concept,
        node=lesson.part,
        minutes=history.minutes(lesson.part.id),
        why=lesson.why,
        because=lesson.because,
        opens=lesson.opens,
        learned=lesson.learned,
        parts=lesson.parts,
    )
