"""The answers to a learner who says that a question is wrong, or leaves it out."""

from starlette.responses import Response

from sprout.agents.key_check import KEY_CHECK, contest_task
from sprout.events import wire_time
from sprout.learning.marking.keys import SAYS, Contest
from sprout.web.bodies import Nothing, Patience, QuestionContest, Skipped
from sprout.web.endpoint import Call, row
from sprout.web.runs import admitted
from sprout.web.shown import ContestShown
from sprout.web.waiting import ended_soon


async def contested(call: Call[Patience, QuestionContest]) -> Response:
    """200 with what came of it, also where it was asked before; 202 with the run where that takes longer."""
    keys, runs = call.parts.keys, call.parts.runs
    contest = await keys.contest(call.id, user_id=call.user_id, reason=call.body.reason or None)
    if contest.settled:
        return row(_shown(contest))
    node = await call.parts.library.node(contest.node_id, user_id=call.user_id)
    admission = await runs.start(
        KEY_CHECK, node=node, user_id=call.user_id, task=contest_task(call.id), lane=f"{KEY_CHECK}:{call.id}"
    )
    if call.query.wait == "false" or await ended_soon(call, admission.run) is None:
        return admitted(admission, 202)
    return row(_shown(await keys.contested(call.id, user_id=call.user_id)))


async def skipped(call: Call[Nothing, Skipped]) -> Response:
    """201 with the attempt that says nothing."""
    return row(await call.parts.assessments.skip(call.id, user_id=call.user_id), 201)


def _shown(contest: Contest) -> ContestShown:
    return ContestShown(
        question_id=contest.question_id,
        outcome=contest.outcome,
        says=None if contest.outcome is None else SAYS[contest.outcome],
        at=wire_time(contest.at),
    )
