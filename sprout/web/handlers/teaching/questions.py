"""Questions that a learner disputes or skips."""

from dataclasses import dataclass

from starlette.responses import Response

from sprout.agents.grading.key_check import KEY_CHECK, contest_task
from sprout.events import wire_time
from sprout.learning.marking.answer_keys import OUTCOME_TEXTS, AnswerKeys, Contest
from sprout.learning.paths.repository import PathRepository
from sprout.learning.questions.assessments import SelfMark
from sprout.web.handlers.run_wait import wait_for_end
from sprout.web.handlers.runs import admission_response
from sprout.web.http.dependencies import Runs, TeachingRepositories
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import AnswerSelfMark, NoFields, QuestionContest, QuestionSkip, WaitQuery
from sprout.web.schemas.responses import ContestResult


@dataclass(frozen=True, slots=True)
class ContestDependencies:
    """Answer keys, and the runs that check one again."""

    answer_keys: AnswerKeys
    paths: PathRepository
    runs: Runs


async def contest_question(call: Call[ContestDependencies, WaitQuery, QuestionContest]) -> Response:
    """200 with the result, also of an earlier dispute; 202 with the run if that takes longer than a request waits."""
    keys, runs = call.dependencies.answer_keys, call.dependencies.runs
    contest = await keys.contest(call.id, user_id=call.user_id, reason=call.body.reason or None)
    if contest.settled:
        return json_response(_contest_result(contest))
    node = await call.dependencies.paths.node(contest.node_id, user_id=call.user_id)
    admission = await runs.start(
        KEY_CHECK,
        node=node,
        user_id=call.user_id,
        task=contest_task(call.id),
        lane=f"{KEY_CHECK}:{call.id}",
        needs_model=False,  # the dispute is stored by now
    )
    if call.query.wait == "false" or await wait_for_end(call, runs, admission.run) is None:
        return admission_response(admission, 202)
    return json_response(_contest_result(await keys.find_contest(call.id, user_id=call.user_id)))


async def self_mark_answer(call: Call[TeachingRepositories, NoFields, AnswerSelfMark]) -> Response:
    """200 with the attempt and the learner's own verdicts, which are practice; 409 where it is not theirs to mark."""
    mark = SelfMark(call.body.verdicts, call.body.misconception)
    assessments = call.dependencies.assessments
    return json_response(await assessments.record_self_mark(call.id, mark, user_id=call.user_id))


async def get_drawing(call: Call[TeachingRepositories]) -> Response:
    """The drawing that the caller's answer is."""
    found = await call.dependencies.lessons.drawing_of_answer(call.id, user_id=call.user_id)
    return Response(found.data, media_type=found.media_type)


async def skip_question(call: Call[TeachingRepositories, NoFields, QuestionSkip]) -> Response:
    """201 with the skipped attempt, which doesn't count."""
    return json_response(await call.dependencies.assessments.skip_question(call.id, user_id=call.user_id), 201)


def _contest_result(contest: Contest) -> ContestResult:
    return ContestResult(
        question_id=contest.question_id,
        outcome=contest.outcome,
        says=None if contest.outcome is None else OUTCOME_TEXTS[contest.outcome],
        at=wire_time(contest.at),
    )
