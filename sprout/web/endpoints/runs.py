"""Endpoints of agent runs and their events."""

from operator import attrgetter

from sprout.accounts.access import LEARN, READ
from sprout.web.endpoints.shapes import EVENT_STREAM, EXISTING_RUN, LEARNER_EVENT_STREAM, RUN_LIMITER, one, rows
from sprout.web.handlers import path_review, runs
from sprout.web.handlers.ag_ui import agent_run
from sprout.web.handlers.ag_ui.thread import Thread
from sprout.web.http.dependencies import PathsAndRuns, WebDependencies
from sprout.web.http.endpoint import AnyEndpoint, Endpoint, group
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.schemas import requests, responses
from sprout.web.schemas.ag_ui_requests import AgentInput
from sprout.web.schemas.run_responses import RunHandoff, RunRow
from sprout.web.stream import learner_stream


def _agent_runs(web: WebDependencies) -> runs.AgentRuns:
    return runs.AgentRuns(web.runs, web.paths, web.teaching_repositories.assessments, web.extra_agents)


def _thread(web: WebDependencies) -> Thread:
    teaching = web.teaching_repositories
    return Thread(web.paths, web.runs, teaching.conversations, teaching.lessons, web.coverage, web.extra_agents)


# fmt: off
RUNS: tuple[AnyEndpoint, ...] = (
    *group("Runs", _agent_runs,
        Endpoint("POST", "/api/agents/topics/{id}/run", LEARN, runs.start_topic_run,
                 "Create a path from a topic, or join the run that creates it",
                 (EVENT_STREAM, Status(202, "With wait=false: the new run.", RunRow), EXISTING_RUN),
                 (404, 409, 422, 429, 503), query=requests.RunOptions, body=requests.RunRequest,
                 headers=("Idempotency-Key",), rate_limiter=RUN_LIMITER),
        Endpoint("POST", "/api/agents/concepts/{id}/run", LEARN, runs.start_concept_run,
                 "Open a concept: create its parts, adapt them to new answers, or join the run that does",
                 (EVENT_STREAM, Status(202, "With wait=false: the new run.", RunRow), EXISTING_RUN),
                 (404, 409, 422, 429, 503), query=requests.RunOptions, body=requests.RunRequest,
                 headers=("Idempotency-Key",), rate_limiter=RUN_LIMITER)),
    *group("Runs", lambda web: PathsAndRuns(web.paths, web.runs),
        Endpoint("POST", "/api/agents/nodes/{id}/review", LEARN, path_review.review_node,
                 "Review whether the path needs more after a node, and add it",
                 (Status(200, "The decision, and what was added.", responses.PathReview),
                  Status(202, "It takes longer: the active run.", RunRow)), (404, 409, 503),
                 body=requests.ReviewRequest, rate_limiter=RUN_LIMITER)),
    *group("Runs", _agent_runs,
        Endpoint("POST", "/api/agents/{name}/nodes/{id}/run", LEARN, runs.start_extra_agent_run,
                 "Run a configured extra agent on a node, or join its run",
                 (EVENT_STREAM, Status(202, "With wait=false: the new run.", RunRow), EXISTING_RUN),
                 (404, 409, 422, 429, 503), query=requests.RunOptions, body=requests.AgentRunRequest,
                 headers=("Idempotency-Key",), rate_limiter=RUN_LIMITER),
        Endpoint("GET", "/api/runs", READ, runs.list_runs, "The caller's runs, newest first",
                 rows("The runs.", RunRow), (404,), query=requests.RunFilter),
        Endpoint("GET", "/api/runs/{id}", READ, runs.get_run, "One run",
                 one("The run, with its journal and its last events.", RunHandoff), (404,)),
        Endpoint("GET", "/api/runs/{id}/events", READ, runs.follow_run, "The events of a run: replay, then live",
                 (EVENT_STREAM, Status(204, "The run is over and the cursor is at its end.")), (404, 429),
                 query=requests.CursorQuery, headers=("Last-Event-ID",)),
        Endpoint("POST", "/api/runs/{id}/cancel", LEARN, runs.cancel_run,
                 "Cancel a run; one that has ended is unchanged",
                 one("The run.", RunRow), (404,)),
        Endpoint("POST", "/api/runs/{id}/answer", LEARN, runs.answer_run, "Answer the question that a run waits with",
                 one("The run, which continues.", RunRow), (404, 409), body=requests.RunAnswer),
        Endpoint("POST", "/api/runs/{id}/resume", LEARN, runs.resume_run, "Resume an interrupted run",
                 one("The run.", RunRow), (404, 409)),
        Endpoint("POST", "/api/runs/{id}/retry", LEARN, runs.retry_run, "Start a run in place of one that has ended",
                 (Status(202, "The new run.", RunRow), EXISTING_RUN), (404, 409, 503), rate_limiter=RUN_LIMITER),
        Endpoint("POST", "/api/runs/{id}/discard", LEARN, runs.discard_run, "Discard a run that failed or waits",
                 one("The run.", RunRow), (404, 409))),
    *group("Runs", lambda web: web.runs,
        Endpoint("GET", "/api/events", READ, learner_stream.follow_learner,
                 "The events of all the caller's runs: active ones from their start or the cursor, then live",
                 (LEARNER_EVENT_STREAM,), (429,), query=requests.LearnerStreamQuery, headers=("Last-Event-ID",))),
    *group("Runs", _thread,
        Endpoint("POST", "/api/ag-ui", LEARN, agent_run.run_agent,
                 "Run an agent for a front end that speaks AG-UI 1.0, or join the run of the same `runId`",
                 (Status(200, "The run in the events of AG-UI, to its end or a question.",
                         media_type="text/event-stream"),),
                 (404, 409, 413, 422, 429, 503), body=AgentInput, max_bytes=attrgetter("graph_max_bytes"),
                 rate_limiter=RUN_LIMITER)),
)
# fmt: on
