"""Diagnostic of a concept, complete or not at all: a request waits while its questions are being made."""

from starlette.responses import Response

from sprout.learning.questions.assessments import Diagnostic, DiagnosticInProgress, DiagnosticMissing
from sprout.runs.state import Run, RunError
from sprout.web.handlers.run_wait import wait_for_end
from sprout.web.http.dependencies import DiagnosticsAndRuns
from sprout.web.http.endpoint import Call, json_response
from sprout.web.http.failures import NotReady, RunFailed
from sprout.web.schemas.requests import NoFields, UserRequest
from sprout.web.schemas.responses import ConceptDiagnostic

NOT_READY = "The questions are still being made. Ask again in a moment."
NO_QUESTIONS = RunError("no_questions", "No questions could be made for this concept. Open it again.", retryable=True)

DiagnosticCall = Call[DiagnosticsAndRuns, UserRequest, NoFields]


async def get_diagnostic(call: DiagnosticCall) -> Response:
    """A concept's diagnostic; a missing one is made, by the run that opens the concept.

    Raises NotReady: that takes longer than a request waits. RunFailed, Conflict: it did not succeed.
    """
    found = await _find(call)
    if isinstance(found, Run):
        if await wait_for_end(call, call.dependencies.runs, found) is None:
            raise NotReady(NOT_READY)
        found = await _find(call, start=False)
    if isinstance(found, Run):
        raise NotReady(NOT_READY)
    return json_response(ConceptDiagnostic(**dict(found), concept_node_id=call.id))


async def _find(call: DiagnosticCall, *, start: bool = True) -> Diagnostic | Run:
    """The diagnostic, or the run that is making it; a missing one is started if `start`."""
    parts, user_id = call.dependencies, call.user_id
    try:
        return await parts.assessments.diagnostic(call.id, user_id=user_id)
    except DiagnosticInProgress as making:
        return await parts.runs.run(making.run_id, user_id=user_id)
    except DiagnosticMissing:
        if not start:
            raise RunFailed(NO_QUESTIONS) from None
    node = await parts.paths.node(call.id, user_id=user_id)
    await call.policy.rate_limiters.runs.take(user_id)
    return (await parts.runs.start("refinement", node=node, user_id=user_id)).run
