"""Client of a Sprout server for Python: paths, runs, lessons, questions and reviews, in the types of the server."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2
from pydantic import BaseModel, TypeAdapter, ValidationError

from sprout.event_stream import RunEvents, ServerError, ServerUnreachable, check_response
from sprout.events import NodeRow
from sprout.learning.lessons.conversations import ChatSessionRow
from sprout.learning.paths.repository import BranchRow
from sprout.learning.questions.assessments import AnswerRow
from sprout.learning.reviews.day import ReviewsDue
from sprout.learning.reviews.repository import ReviewReply, ReviewSession
from sprout.web.http.parsing import validate
from sprout.web.schemas.requests import (
    AgentRunRequest,
    NewAnswer,
    NewBranch,
    NewNode,
    NewSession,
    RunAnswer,
    RunRequest,
    TutorTurn,
)
from sprout.web.schemas.responses import BranchOverview, BranchPage, ConceptDiagnostic, NextAction, TutorReply
from sprout.web.schemas.review_requests import NewReviewAnswer, NewReviewSession
from sprout.web.schemas.run_responses import RunHandoff, RunRow

LOCAL = "http://127.0.0.1:8000"
TIMEOUT = httpx2.Timeout(60, connect=10)
GIVE_UP_S = 300.0
NO_WAIT = {"wait": "false"}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewPath:
    """A path and the node of its topic, which a run grows it from."""

    branch: BranchRow
    topic: NodeRow


class SproutClient:
    """A learner's client: `async with SproutClient(url, token=…) as sprout`.

    Requests raise ServerError, with the server's code and words, ServerUnreachable, and BadInput for what would be
    refused anyway. Requests that were not answered may have been carried out.

    Args:
        url: of the server.
        token: an access token, where people sign in.
        give_up_s: how long the server may be away while a run is followed; None for ever.
    """

    def __init__(self, url: str = LOCAL, *, token: str | None = None, give_up_s: float | None = GIVE_UP_S) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx2.AsyncClient(base_url=url, headers=headers, timeout=TIMEOUT)
        self._give_up_s = give_up_s

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def create_path(self, title: str) -> NewPath:
        """A path on a topic, with nothing in it yet."""
        branch = await self._post(BranchRow, "/api/branches", validate(NewBranch, {"title": title}))
        topic = validate(NewNode, {"type": "root", "title": title, "branchId": branch.id})
        return NewPath(branch, await self._post(NodeRow, "/api/nodes", topic))

    async def paths(self) -> list[BranchOverview]:
        """The learner's paths, newest activity first."""
        return await self._get(list[BranchOverview], "/api/branches/summary")

    async def path(self, branch_id: str) -> BranchPage:
        """Nodes, edges, progress, documents and runs of a path."""
        return await self._get(BranchPage, f"/api/branches/{branch_id}/graph")

    async def grow(self, topic_id: str, *, small: bool = False) -> RunRow:
        """The run that grows a path from its topic; it goes on whether or not it is followed."""
        request = validate(RunRequest, {"small": small})
        return await self._post(RunRow, f"/api/agents/topics/{topic_id}/run", request, NO_WAIT)

    async def open_concept(self, concept_id: str) -> RunRow:
        """The run that makes the parts of a concept, or adapts them to new answers."""
        request = validate(RunRequest, {})
        return await self._post(RunRow, f"/api/agents/concepts/{concept_id}/run", request, NO_WAIT)

    async def run_agent(self, name: str, node_id: str, task: str = "") -> RunRow:
        """The run of an agent that was added to Sprout's own."""
        request = validate(AgentRunRequest, {"task": task})
        return await self._post(RunRow, f"/api/agents/{name}/nodes/{node_id}/run", request, NO_WAIT)

    async def run(self, run_id: str) -> RunHandoff:
        """A run, with its journal and its last events."""
        return await self._get(RunHandoff, f"/api/runs/{run_id}")

    def follow(self, run_id: str, *, after: int = 0) -> RunEvents:
        """The events of a run after a number, each once and in order, to its end."""
        return RunEvents(self._http, run_id, after=after, give_up_s=self._give_up_s)

    async def answer_run(self, run_id: str, answer: str) -> RunRow:
        """The run, which goes on with the answer to its question."""
        return await self._post(RunRow, f"/api/runs/{run_id}/answer", validate(RunAnswer, {"answer": answer}))

    async def cancel(self, run_id: str) -> RunRow:
        """The run, which is cancelled unless it has ended."""
        return await self._post(RunRow, f"/api/runs/{run_id}/cancel")

    async def next_step(self, branch_id: str | None = None) -> NextAction:
        """What the learner does next, in a path or over all."""
        query = {} if branch_id is None else {"branchId": branch_id}
        return await self._get(NextAction, "/api/next", query)

    async def start_lesson(self, part_id: str) -> ChatSessionRow:
        """A new conversation with the tutor about a part of a concept."""
        session = validate(NewSession, {"nodeId": part_id})
        return await self._post(ChatSessionRow, "/api/chat/sessions", session)

    async def take_turn(self, session_id: str, words: str = "", *, is_answer: bool = False) -> TutorReply:
        """The tutor's reply to words of the learner, or to an answer; no words open the lesson."""
        turn = validate(TutorTurn, {"content": f"[ANSWER] {words}" if is_answer else words})
        return await self._post(TutorReply, f"/api/chat/sessions/{session_id}/tutor", turn)

    async def diagnostic(self, concept_id: str) -> ConceptDiagnostic:
        """The questions that find out what the learner knows of a concept."""
        return await self._get(ConceptDiagnostic, f"/api/agents/concepts/{concept_id}/diagnostic")

    async def answer_question(
        self, assessment_id: str, question_id: str, *, text: str | None = None, option: str | None = None
    ) -> AnswerRow:
        """The attempt at a question, in words or by an option; neither of them is "I don't know"."""
        given: dict[str, object] = {"questionId": question_id, "answerText": text, "selectedOption": option}
        return await self._post(AnswerRow, f"/api/assessments/{assessment_id}/answers", validate(NewAnswer, given))

    async def reviews_due(self) -> ReviewsDue:
        """What is due for review, and how long it takes."""
        return await self._get(ReviewsDue, "/api/reviews/due")

    async def start_reviews(self, *, minutes: int | None = None, branch_id: str | None = None) -> ReviewSession:
        """A session of reviews with its first question, or today's that is not over."""
        size = validate(NewReviewSession, {"minutes": minutes, "branchId": branch_id})
        return await self._post(ReviewSession, "/api/reviews/sessions", size)

    async def answer_review(
        self, session_id: str, item_id: str, *, text: str | None = None, option: str | None = None
    ) -> ReviewReply:
        """The result of an answer, and the session with its next question."""
        given = validate(NewReviewAnswer, {"itemId": item_id, "answerText": text, "selectedOption": option})
        return await self._post(ReviewReply, f"/api/reviews/sessions/{session_id}/answers", given)

    async def _get(self, model: type[T], path: str, query: Mapping[str, str] | None = None) -> T:
        return await self._ask(model, "GET", path, query=query)

    async def _post(
        self, model: type[T], path: str, body: BaseModel | None = None, query: Mapping[str, str] | None = None
    ) -> T:
        sent = None if body is None else body.model_dump(by_alias=True, exclude_none=True)
        return await self._ask(model, "POST", path, query=query, json=sent)

    async def _ask(self, model: type[T], method: str, path: str, *, query: Mapping[str, str] | None, **more: Any) -> T:
        """The answer; fields that a newer server has besides are left out."""
        try:
            response = await self._http.request(method, path, params=query, **more)
        except httpx2.TransportError as error:
            raise ServerUnreachable(error) from None
        await check_response(response)
        try:
            return TypeAdapter(model).validate_json(response.content, extra="ignore")
        except ValidationError as error:
            message = f"The answer to {method} {path} is none of Sprout's: {error.error_count()} faults."
            raise ServerError(response.status_code, message, code="unknown_answer") from None
