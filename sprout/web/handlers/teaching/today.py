"""Today: everything that the home of a returning learner shows, in one answer."""

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from sprout.learning.paths.next_lesson import WhyNext
from sprout.learning.paths.repository import BranchSummary, PathGraph
from sprout.learning.placement.repository import PlacementOverview
from sprout.learning.reviews.day import LearnerDay, is_day_done
from sprout.learning.today.next_step import NextStep, PathRuns, next_step, path_step
from sprout.learning.today.plant import part_count, plant_leaves
from sprout.web.handlers.teaching.next_action import active_runs, is_learned, next_action
from sprout.web.http.dependencies import LearningDependencies
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import UserRequest
from sprout.web.schemas.responses import Today, TodayPath

MOST_PATHS = 8


async def get_today(call: Call[LearningDependencies, UserRequest]) -> Response:
    """The caller's day, what comes next, and the paths: those with something to learn first."""
    dependencies, user_id = call.dependencies, call.user_id
    day = await dependencies.reviews.day(user_id)
    summaries = sorted(await dependencies.paths.summaries(user_id), key=is_learned)
    shown = [one.branch.id for one in summaries[:MOST_PATHS]]
    graphs = await dependencies.paths.graphs(shown, user_id=user_id)
    runs = await active_runs(dependencies.runs, user_id)
    history = await dependencies.conversations.lesson_history(user_id)
    steps = [path_step(graph, runs.get(graph.branch.id, PathRuns()), history) for graph in graphs]
    paths = list(zip(graphs, steps, strict=True))
    not_begun = [graph.branch.id for graph, step in paths if _is_not_begun(graph, step)]
    placements = await dependencies.placements.overviews(not_begun, user_id=user_id)
    cleared = await dependencies.misconceptions.cleared_since(user_id, day.week_start)
    return json_response(_today(day, summaries, paths, placements, cleared))


def _is_not_begun(graph: PathGraph, step: NextStep) -> bool:
    """Whether the path has a first lesson, and neither it nor any part is begun."""
    lesson = step.lesson
    return lesson is not None and lesson.why is not WhyNext.STARTED and not plant_leaves(graph, ())


def _today(
    day: LearnerDay,
    summaries: Sequence[BranchSummary],
    paths: Sequence[tuple[PathGraph, NextStep]],
    placements: Mapping[str, PlacementOverview],
    cleared: Sequence[str],
) -> Today:
    return Today(
        date=day.date.isoformat(),
        minutes=day.minutes,
        time_zone=day.time_zone,
        begun=any(concept.begun or concept.learned for path in summaries for concept in path.concepts),
        done=is_day_done(day),
        due=day.due,
        next=next_action(next_step(step for _, step in paths), day.due),
        day=day.done,
        week=day.week,
        cleared=list(cleared),
        tomorrow=day.coming[0],
        paths=[_path(graph, step, day, placements.get(graph.branch.id)) for graph, step in paths],
        more_paths=len(summaries) - len(paths),
    )


def _path(graph: PathGraph, step: NextStep, day: LearnerDay, placement: PlacementOverview | None) -> TodayPath:
    return TodayPath(
        branch=graph.branch,
        leaves=plant_leaves(graph, day.due_parts),
        parts=part_count(graph),
        learned_today=sum(part.branch_id == graph.branch.id for part in day.done.learned),
        missed_today=day.missed_in.get(graph.branch.id, 0),
        next=next_action(step, day.due, graph.branch.id),
        placement=placement,
    )
