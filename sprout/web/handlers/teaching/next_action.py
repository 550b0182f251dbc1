"""The learner's next action, over all paths, in one, or in one of its concepts."""

from starlette.responses import Response

from sprout.learning.lessons.lesson_history import LessonHistory
from sprout.learning.paths.repository import BranchSummary
from sprout.learning.reviews.day import ReviewsDue
from sprout.learning.today.next_step import (
    WITHIN_A_PATH,
    NextStep,
    PathRuns,
    StepKind,
    next_step,
    path_step,
    review_step,
)
from sprout.runs.state import UNFINISHED_STATES, Run, RunState
from sprout.web.http.dependencies import LearningDependencies, Runs
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NextQuery
from sprout.web.schemas.responses import NextAction, NextReviews

_TOPIC = "topic"


async def get_next(call: Call[LearningDependencies, NextQuery]) -> Response:
    """The next action: of several paths, that of the one that was worked on last."""
    query, paths = call.query, call.dependencies.paths
    due = await call.dependencies.reviews.due(call.user_id)
    reviews = review_step(due)
    branch_id = query.branch_id
    if branch_id is None and query.node_id is not None:
        branch_id = (await paths.node(query.node_id, user_id=call.user_id)).branch_id or ""
    if branch_id is not None:
        steps = [await _path_step(call, branch_id), *([reviews] if reviews else ())]
        return json_response(next_action(next_step(steps, order=WITHIN_A_PATH), due, branch_id))
    step = reviews or await _over_all(call)  # nothing comes before reviews, so that no path need be loaded
    return json_response(next_action(step, due))


def next_action(step: NextStep, due: ReviewsDue, branch_id: str | None = None) -> NextAction:
    """The step as the page has it, with the reviews that are due today beside it."""
    lesson = step.lesson
    action = NextAction(
        kind=step.kind,
        branch=step.branch,
        concept=step.concept,
        minutes=step.minutes,
        run_id=step.run_id,
        reviews=_reviews(due, branch_id),
    )
    if lesson is None:
        return action
    of_lesson = {
        "node": lesson.part,
        "why": lesson.why,
        "because": lesson.because,
        "opens": lesson.opens,
        "learned": lesson.learned,
        "parts": lesson.parts,
    }
    return action.model_copy(update=of_lesson)


async def active_runs(runs: Runs, user_id: str, branch_id: str | None = None) -> dict[str, PathRuns]:
    """Branch → its runs that have not ended."""
    found: dict[str, PathRuns] = {}
    active = await runs.runs(
        user_id=user_id, branch_id=branch_id, include_conversations=False, states=UNFINISHED_STATES
    )
    for run in active:
        if run.branch_id is not None:
            found[run.branch_id] = _with(found.get(run.branch_id, PathRuns()), run)
    return found


def _with(known: PathRuns, run: Run) -> PathRuns:
    """The runs of a path with one more, which is older than those known."""
    making = known.making or (run.id if run.agent == _TOPIC else None)
    waiting = known.waiting or (run.id if run.state is RunState.WAITING_ON_HUMAN else None)
    return PathRuns(making, waiting)


def _reviews(due: ReviewsDue, branch_id: str | None) -> NextReviews | None:
    if not due.today:
        return None
    here = due.due if branch_id is None else sum(path.due for path in due.paths if path.branch_id == branch_id)
    return NextReviews(count=due.today, minutes=due.minutes, here=here, session_id=due.session_id)


async def _path_step(call: Call[LearningDependencies, NextQuery], branch_id: str) -> NextStep:
    runs = await active_runs(call.dependencies.runs, call.user_id, branch_id)
    return await _step_of(call, branch_id, runs.get(branch_id, PathRuns()), await _history(call))


async def _over_all(call: Call[LearningDependencies, NextQuery]) -> NextStep:
    """The next step over all paths, from their graphs up to the first one with a lesson."""
    summaries = await call.dependencies.paths.summaries(call.user_id)
    steps: list[NextStep] = []
    if open_paths := [one.branch.id for one in summaries if not is_learned(one)]:
        runs, history = await active_runs(call.dependencies.runs, call.user_id), await _history(call)
        for branch_id in open_paths:
            steps.append(await _step_of(call, branch_id, runs.get(branch_id, PathRuns()), history))
            if steps[-1].kind is StepKind.LESSON:
                break
    elif summaries:
        steps.append(NextStep(StepKind.DONE, summaries[0].branch))
    return next_step(steps)


async def _step_of(
    call: Call[LearningDependencies, NextQuery], branch_id: str, runs: PathRuns, history: LessonHistory
) -> NextStep:
    graph = await call.dependencies.paths.graph(branch_id, user_id=call.user_id)
    return path_step(graph, runs, history, concept_id=call.query.node_id)


async def _history(call: Call[LearningDependencies, NextQuery]) -> LessonHistory:
    return await call.dependencies.conversations.lesson_history(call.user_id)


def is_learned(path: BranchSummary) -> bool:
    """Whether there is nothing left to learn in a path."""
    return bool(path.concepts) and all(concept.learned for concept in path.concepts)
