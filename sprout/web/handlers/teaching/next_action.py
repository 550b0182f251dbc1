"""The learner's next action, over all paths, in one, or in one of its concepts."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from sprout.errors import NotFound
from sprout.learning.lessons.conversations import Conversations
from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.next_lesson import next_lesson
from sprout.learning.paths.repository import BranchGraph, BranchSummary, PathRepository
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
    query, paths = call.query, call.dependencies.paths
    if query.branch_id is not None:
        return json_response(await _over([query.branch_id], call))
    if query.node_id is not None:
        node = await paths.node(query.node_id, user_id=call.user_id)
        return json_response(await _over([node.branch_id or ""], call))
    summaries = await paths.summaries(call.user_id)
    to_learn = [one.branch.id for one in summaries if not _is_learned(one)]
    if not summaries or to_learn:
        return json_response(await _over(to_learn, call))
    return json_response(NextAction(kind="done", branch=summaries[0].branch))


async def _over(branch_ids: Sequence[str], call: Call[NextDependencies, NextQuery]) -> NextAction:
    """The next action of the first of the paths that has something to do, else of the first one."""
    active = await call.dependencies.runs.runs(
        user_id=call.user_id, branch_id=call.query.branch_id, include_conversations=False, states=ACTIVE_STATES
    )
    history = await call.dependencies.conversations.lesson_history(call.user_id)
    first: NextAction | None = None
    for branch_id in branch_ids:
        graph = await call.dependencies.paths.graph(branch_id, user_id=call.user_id)
        runs = [run for run in active if run.branch_id == branch_id]
        action = next_action(graph, runs, history, concept_id=call.query.node_id)
        if action.kind in _TO_DO:
            return action
        first = first or action
    return first or NextAction(kind="none")


def _is_learned(path: BranchSummary) -> bool:
    return bool(path.concepts) and all(concept.learned for concept in path.concepts)


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
