"""The whole surface at a glance: one table, from which the routes, the OpenAPI document and /docs are made."""

from collections.abc import Awaitable, Callable
from itertools import groupby
from operator import attrgetter

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sprout.errors import SproutError
from sprout.events import AssessmentRow, NodeRow, Wire
from sprout.learning.lessons.memories import MemoryRow
from sprout.learning.lessons.talk import ChatMessageRow, ChatSessionRow, HintRow
from sprout.learning.mastery.reports import EvidenceRow, ProgressReport
from sprout.learning.paths.contents import ContentRow, GenerationRow
from sprout.learning.paths.exchange import PathFile
from sprout.learning.paths.library import BranchRow, DocumentRow, EdgeRow, ProgressRow
from sprout.learning.paths.sources import CoveredPassage, NodeSources, PassageRow
from sprout.learning.questions.assessing import AnswerRow, QuestionRow
from sprout.web import (
    about,
    account,
    assessments,
    bodies,
    branches,
    changes,
    contents,
    documents,
    doubting,
    generating,
    graphs,
    lesson,
    nodes,
    pages,
    reports,
    review,
    runs,
    shown,
    sources,
    streams,
    talk,
    tutor,
)
from sprout.web.change_shown import ChangeRow, UndoneChange
from sprout.web.docs import docs_page
from sprout.web.endpoint import Answer, AnyEndpoint, Call, Endpoint
from sprout.web.failures import LastResort, expected, refused_by_routing, unexpected
from sprout.web.middleware import KnownHosts, Origins, Paced, SecurityHeaders
from sprout.web.openapi import openapi_document
from sprout.web.parts import WebParts
from sprout.web.run_shown import RunHandoff, RunRow

GZIP_MIN_BYTES = 1000
GZIP_LEVEL = 6
RUNS, UPLOADS = attrgetter("runs"), attrgetter("uploads")  # of a learner, with a pace of their own
EVENT_STREAM = Answer(200, "The run's events as they happen, after all that came before.", media="text/event-stream")
EVENTS_OF_ALL = Answer(
    200,
    "The events, each with its root run as `rootId`; the id of one is the cursor of all.",
    media="text/event-stream",
)
HTML_PAGE = Answer(200, "A page.", media="text/html")
IN_HAND = Answer(202, "It takes longer: the run that is going.", RunRow)
GOING_ALREADY = Answer(200, "The run that was going already.", RunRow)
DONE = Answer(204, "Done; there is nothing to say.")


def _one(says: str, model: type[Wire], status: int = 200) -> tuple[Answer, ...]:
    return (Answer(status, says, model),)


def _many(says: str, model: type[Wire]) -> tuple[Answer, ...]:
    return (Answer(200, says, model, many=True),)


async def _openapi(call: Call) -> Response:
    """The table of endpoints as an OpenAPI document."""
    return JSONResponse(openapi_document(ENDPOINTS, call.parts.version))


async def _docs(call: Call) -> Response:
    """The OpenAPI document as a page without a script."""
    return docs_page(openapi_document(ENDPOINTS, call.parts.version))


# fmt: off
ENDPOINTS: tuple[AnyEndpoint, ...] = (
    Endpoint("GET", "/api/health", about.health, "Server", "Whether the server and its database answer",
             _one("It is well.", shown.Health), (503,)),
    Endpoint("GET", "/api/status", about.status, "Server", "Version, models, limits, estimates and suggested topics",
             (Answer(200, "An object with version, model, models, limits, estimate and suggestions."),)),
    Endpoint("GET", "/api/schema/events", about.event_schema, "Server", "The JSON Schema of every event of a run",
             (Answer(200, "A JSON Schema."),)),

    Endpoint("GET", "/healthz", about.alive, "Server", "Whether the process is alive",
             _one("It is.", shown.Health)),
    Endpoint("GET", "/readyz", about.ready, "Server",
             "Whether requests can be served: the database, its schema, the built-in model, and not about to stop",
             _one("They can.", shown.Health), (503,)),
    Endpoint("GET", "/metrics", about.metrics, "Server", "What is counted, for Prometheus",
             (Answer(200, "The figures.", media="text/plain"),)),

    Endpoint("GET", "/api/branches", branches.listed, "Branches", "All branches of the caller, oldest first",
             _many("The branches.", BranchRow), (404,), query=bodies.Owner),
    Endpoint("POST", "/api/branches", branches.created, "Branches", "Make a branch",
             _one("The new branch.", BranchRow, 201), (404, 409), body=bodies.NewBranch),
    Endpoint("GET", "/api/branches/summary", branches.overviews, "Branches", "The list of paths",
             _many("The branches, newest activity first.", shown.BranchOverview), (404,), query=bodies.MaybeOwner),
    Endpoint("GET", "/api/branches/{id}", branches.shown, "Branches", "One branch",
             _one("The branch.", BranchRow), (404,)),
    Endpoint("PATCH", "/api/branches/{id}", branches.renamed, "Branches", "Rename a branch",
             _one("The branch, renamed.", BranchRow), (404, 409), body=bodies.BranchChange),
    Endpoint("DELETE", "/api/branches/{id}", branches.deleted, "Branches", "Delete a branch and everything of it",
             (DONE,), (404, 409)),
    Endpoint("GET", "/api/branches/{id}/graph", branches.graph, "Branches", "Everything that a branch's page draws",
             _one("Nodes, edges, progress, documents and runs.", shown.BranchPage), (404,)),
    Endpoint("GET", "/api/branches/{id}/changes", changes.listed, "Branches",
             "Who changed the path, how and why, newest first",
             _many("The changes.", ChangeRow), (404,), query=bodies.ChangeFilter),
    Endpoint("POST", "/api/changes/{id}/undo", changes.undone, "Branches",
             "Take a change of the path back; done again, the answer is the same",
             _one("The change by which it is undone, and what stands under its parent now.", UndoneChange),
             (404, 409)),

    Endpoint("GET", "/api/nodes", nodes.listed, "Nodes", "The caller's nodes, in the order of creation",
             _many("The nodes that fit all filters.", NodeRow), (404,), query=bodies.NodeFilter),
    Endpoint("POST", "/api/nodes", nodes.created, "Nodes", "Make a node",
             _one("The new node.", NodeRow, 201), (404, 409), body=bodies.NewNode),
    Endpoint("GET", "/api/nodes/{id}", nodes.shown, "Nodes", "One node",
             _one("The node.", NodeRow), (404,)),
    Endpoint("PATCH", "/api/nodes/{id}", nodes.changed, "Nodes", "Change a node's title, description or accuracy",
             _one("The node, changed.", NodeRow), (404, 409), body=bodies.NodeChange),
    Endpoint("DELETE", "/api/nodes/{id}", nodes.deleted, "Nodes", "Delete a node without children",
             (DONE,), (404, 409)),
    Endpoint("GET", "/api/nodes/{id}/children", nodes.children, "Nodes", "The nodes below a node",
             _many("The children, in the order of creation.", NodeRow), (404,)),
    Endpoint("GET", "/api/nodes/{id}/dependency-edges", nodes.dependency_edges, "Nodes",
             "The edges among the children of a node; the source is the prerequisite",
             _many("The edges.", EdgeRow), (404,), query=bodies.ChildFilter),
    Endpoint("GET", "/api/progress", nodes.progress, "Nodes", "The caller's progress on nodes",
             _many("The progress rows.", ProgressRow), (404,), query=bodies.ProgressFilter),
    Endpoint("POST", "/api/progress", nodes.entered, "Nodes", "Note that the caller comes to a node",
             (Answer(201, "The new progress row.", ProgressRow), Answer(200, "The one that there was.", ProgressRow)),
             (404,), body=bodies.Entered),
    Endpoint("PATCH", "/api/progress/{id}", nodes.overruled, "Nodes",
             "Overrule progress: it stands until the next graded answer about the node",
             _one("The progress row.", ProgressRow), (404,), body=bodies.ProgressChange),
    Endpoint("POST", "/api/nodes/{id}/generate-concepts", generating.concepts, "Nodes",
             "Have a topic's concepts made, and wait for them",
             (Answer(201, "The new concepts.", shown.ConceptsMade),
              Answer(200, "Those that there are.", shown.ConceptsMade), IN_HAND), (404, 409, 503),
             body=bodies.RunOrder, paced=RUNS),
    Endpoint("POST", "/api/nodes/{id}/generate-subconcepts", generating.subconcepts, "Nodes",
             "Have a concept's parts made, and wait for them",
             (Answer(201, "The new subconcepts.", shown.SubconceptsMade),
              Answer(200, "Those that there are.", shown.SubconceptsMade), IN_HAND), (404, 409, 503),
             body=bodies.RunOrder, paced=RUNS),

    Endpoint("GET", "/api/nodes/{id}/contents", contents.listed, "Contents", "What was ever taught at a node",
             _many("The contents, oldest first.", ContentRow), (404,)),
    Endpoint("POST", "/api/nodes/{id}/contents", contents.added, "Contents",
             "Add a content; an active one archives the one before it",
             _one("The new content.", ContentRow, 201), (404,), body=bodies.ContentBody),
    Endpoint("GET", "/api/nodes/{id}/contents/active", contents.active, "Contents", "What is taught at a node now",
             (Answer(200, "The content, or null.", ContentRow, or_null=True),), (404,)),
    Endpoint("GET", "/api/nodes/{id}/generations", contents.generations, "Contents",
             "Who made what is under a node", _many("The notes, oldest first.", GenerationRow), (404,)),
    Endpoint("POST", "/api/nodes/{id}/generations", contents.generation_added, "Contents",
             "Note who made what is under a node",
             _one("The new note.", GenerationRow, 201), (404,), body=bodies.GenerationBody),

    Endpoint("POST", "/api/nodes/{id}/documents", documents.uploaded, "Documents",
             "Add files to a topic, to be read in the background",
             _one("The documents, all or none.", shown.Uploaded, 201), (404, 409, 413, 415, 503),
             form_field=documents.FORM_FIELD, paced=UPLOADS),
    Endpoint("GET", "/api/nodes/{id}/documents", documents.listed, "Documents", "The documents of a topic",
             _many("The documents.", DocumentRow), (404,)),
    Endpoint("POST", "/api/nodes/{id}/documents/{document_id}/retry", documents.retried, "Documents",
             "Have a document read again that could not be read",
             (Answer(202, "It waits to be read.", DocumentRow),
              Answer(200, "It has not failed, and is as it was.", DocumentRow)), (404,)),
    Endpoint("DELETE", "/api/nodes/{id}/documents/{document_id}", documents.deleted, "Documents", "Delete a document",
             (DONE,), (404, 409)),

    Endpoint("GET", "/api/nodes/{id}/search", sources.found, "Documents",
             "Passages of a topic's documents by words that stand in them, best first",
             _many("The passages.", PassageRow), (404,), query=bodies.SourceSearch),
    Endpoint("GET", "/api/nodes/{id}/sources", sources.of_node, "Documents", "The passages that a node teaches from",
             _one("The passages; none and general knowledge, or none and no documents.", NodeSources), (404,)),
    Endpoint("GET", "/api/passages/{id}", sources.shown, "Documents", "One passage and its place in its document",
             _one("The passage.", PassageRow), (404,)),
    Endpoint("GET", "/api/documents/{id}/passages", sources.document, "Documents",
             "A whole document, or with a limit a piece of it",
             _many("Its passages, in the order of the text.", PassageRow), (404,), query=bodies.PassagePlace),
    Endpoint("GET", "/api/documents/{id}/file", documents.original, "Documents", "A document as it was uploaded",
             (Answer(200, "The file, to be saved.", media="*/*"),), (404, 422, 503)),
    Endpoint("GET", "/api/branches/{id}/coverage", sources.coverage, "Documents",
             "Which passages are taught by which nodes, and which by none",
             _many("All passages, in the order of upload and text.", CoveredPassage), (404,)),

    Endpoint("POST", "/api/graphs", graphs.planted, "Graphs",
             "Plant a whole path: concepts, subconcepts, edges and questions, all or nothing",
             _one("The new branch, and how much was planted.", shown.Planted, 201), (409,), body=PathFile,
             read_body=graphs.path_in, max_bytes=attrgetter("graph_max_bytes")),
    Endpoint("GET", "/api/graphs/{id}", graphs.exported, "Graphs",
             "A branch as a file that can be planted again; with answers=true its questions too",
             (Answer(200, "The path, as JSON or as YAML."), Answer(200, "", media=graphs.YAML)), (404,),
             query=bodies.GraphOptions),
    Endpoint("GET", "/api/schema/graph", graphs.schema, "Graphs", "The JSON Schema of a path that can be planted",
             (Answer(200, "A JSON Schema."),)),

    Endpoint("GET", "/api/assessments", assessments.listed, "Assessments", "The caller's assessments, oldest first",
             _many("The assessments.", AssessmentRow), (404,), query=bodies.AssessmentFilter),
    Endpoint("POST", "/api/assessments", assessments.created, "Assessments",
             "Make an assessment; a node has one diagnostic",
             (Answer(201, "The new assessment.", AssessmentRow),
              Answer(200, "The diagnostic that there was.", AssessmentRow)), (404,),
             body=bodies.NewAssessment),
    Endpoint("GET", "/api/assessments/{id}", assessments.shown, "Assessments", "One assessment",
             _one("The assessment.", AssessmentRow), (404,)),
    Endpoint("PATCH", "/api/assessments/{id}", assessments.changed, "Assessments",
             "Rename an assessment, or end it before every question is answered",
             _one("The assessment, changed.", AssessmentRow), (404,), body=bodies.AssessmentChange),
    Endpoint("GET", "/api/assessments/{id}/questions", assessments.questions, "Assessments",
             "The questions of an assessment, without what is right",
             _many("The questions, in their order.", QuestionRow), (404,)),
    Endpoint("POST", "/api/assessments/{id}/questions", assessments.question_added, "Assessments",
             "Add a question of one's own",
             _one("The question, without what is right.", QuestionRow, 201), (404, 409), body=bodies.NewQuestion),
    Endpoint("GET", "/api/assessments/{id}/answers", assessments.answers, "Assessments",
             "The caller's attempts; the newest for a question counts",
             _many("The attempts, oldest first.", AnswerRow), (404,), query=bodies.MaybeOwner),
    Endpoint("POST", "/api/assessments/{id}/answers", assessments.answered, "Assessments",
             "Answer a question; choices and numbers are marked at once, and progress follows",
             _one("The attempt with the server's verdict.", AnswerRow, 201), (404,), body=bodies.NewAnswer),
    Endpoint("POST", "/api/questions/{id}/contest", doubting.contested, "Assessments",
             "Say that a question is wrong: it is solved again, and taken out where it does not hold",
             (Answer(200, "What came of it, also where it was asked before.", shown.ContestShown), IN_HAND),
             (404, 409, 503), query=bodies.Patience, body=bodies.QuestionContest, paced=RUNS),
    Endpoint("POST", "/api/questions/{id}/skip", doubting.skipped, "Assessments", "Leave a question out",
             _one("The attempt, which says nothing.", AnswerRow, 201), (404,), body=bodies.Skipped),
    Endpoint("GET", "/api/chat/sessions", talk.sessions, "Conversations", "The caller's sessions, oldest first",
             _many("The sessions.", ChatSessionRow), (404,), query=bodies.OfNode),
    Endpoint("POST", "/api/chat/sessions", talk.begun, "Conversations", "Begin a session, about a node or none",
             _one("The new session.", ChatSessionRow, 201), (404,), body=bodies.NewSession),
    Endpoint("PATCH", "/api/chat/sessions/{id}", talk.ended, "Conversations", "End a session",
             _one("The session.", ChatSessionRow), (404,), body=bodies.SessionChange),
    Endpoint("GET", "/api/chat/sessions/{id}/messages", talk.messages, "Conversations", "What was said in a session",
             _many("The messages, oldest first.", ChatMessageRow), (404,)),
    Endpoint("POST", "/api/chat/sessions/{id}/messages", talk.said, "Conversations", "Keep what the caller says",
             _one("The new message.", ChatMessageRow, 201), (404,), body=bodies.NewMessage),
    Endpoint("GET", "/api/chat/sessions/{id}/lesson", lesson.stands, "Conversations",
             "What is open in a lesson, and how far it has come",
             _one("The open question, the plan, mastery, the newest grade and the cards.", shown.LessonShown), (404,)),
    Endpoint("POST", "/api/chat/sessions/{id}/tutor", tutor.turned, "Conversations",
             "A turn of a lesson: the tutor's reply as one object, or as its stream where that is accepted",
             (Answer(200, "The reply; where the turn failed, what happened and the same question.", shown.TutorReply),
              EVENT_STREAM), (404, 409, 422, 429, 503), body=bodies.TutorTurn, max_bytes=attrgetter("turn_max_bytes"),
             headers=("Accept", "Idempotency-Key"), paced=RUNS),
    Endpoint("GET", "/api/chat/hints", talk.hints, "Conversations", "The hints that the caller asked for",
             _many("The hints, oldest first.", HintRow), (404,), query=bodies.OfNode),
    Endpoint("POST", "/api/chat/hints", talk.hint_noted, "Conversations", "Note that a hint was asked for",
             _one("The new hint.", HintRow, 201), (404,), body=bodies.HintBody),

    Endpoint("GET", "/api/memories", tutor.memories, "Memory", "What is kept of the caller from lesson to lesson",
             _many("The entries, oldest first.", MemoryRow), (404,), query=bodies.MaybeOwner),
    Endpoint("PATCH", "/api/memories/{id}", tutor.memory_changed, "Memory", "Change an entry",
             _one("The entry.", MemoryRow), (404,), body=bodies.MemoryChange),
    Endpoint("DELETE", "/api/memories/{id}", tutor.memory_forgotten, "Memory", "Delete an entry", (DONE,), (404,)),

    Endpoint("GET", "/api/learner/progress", reports.progress, "Learner",
             "How far the caller has come, and how: mastery and its course, when they learned, what it cost",
             _one("The report, of all paths or of one.", ProgressReport), (404,), query=bodies.OfBranch),
    Endpoint("GET", "/api/nodes/{id}/evidence", reports.evidence, "Learner",
             "The caller's answers that the mastery of a node goes by, newest first",
             _many("The answers, with what may be seen of their grades.", EvidenceRow), (404,)),
    Endpoint("GET", "/api/learner/answers.csv", reports.answers, "Learner", "All answers as a table",
             (Answer(200, "The table.", media=reports.CSV),), (404,), query=bodies.OfBranch),
    Endpoint("GET", "/api/learner/mastery.csv", reports.masteries, "Learner", "Mastery of all subconcepts as a table",
             (Answer(200, "The table.", media=reports.CSV),), (404,), query=bodies.OfBranch),
    Endpoint("GET", "/api/learner/cards.txt", reports.flashcards, "Learner",
             "Examples, exercises and what was answered right, as cards for Anki",
             (Answer(200, "A file for Anki's text import.", media=reports.TEXT),), (404,), query=bodies.OfBranch),
    Endpoint("GET", "/api/learner/archive", account.archived, "Learner", "Everything of the caller in one file",
             (Answer(200, "A ZIP file.", media=account.ZIP),), (404,), query=bodies.MaybeOwner),
    Endpoint("DELETE", "/api/learner", account.erased, "Learner",
             "Delete everything of the caller: paths, answers, conversations, memories, documents, backups",
             (DONE,), (404, 409, 503), query=bodies.Erasure),

    Endpoint("GET", "/api/agents/concepts/{id}/diagnostic", assessments.diagnostic, "Assessments",
             "A concept's diagnostic, as far as it is made; asking makes nothing",
             _one("The diagnostic.", shown.DiagnosticShown), (404,), query=bodies.Owner),

    Endpoint("POST", "/api/agents/topics/{id}/run", runs.topic_started, "Runs",
             "Grow a path from a topic, or join the run that is growing it",
             (EVENT_STREAM, Answer(202, "With wait=false: the new run.", RunRow), GOING_ALREADY),
             (404, 409, 422, 429, 503), query=bodies.RunOptions, body=bodies.RunOrder,
             headers=("Idempotency-Key",), paced=RUNS),
    Endpoint("POST", "/api/agents/concepts/{id}/run", runs.concept_started, "Runs",
             "Open a concept: have its parts made, have them adapted to new answers, or join the run that does",
             (EVENT_STREAM, Answer(202, "With wait=false: the new run.", RunRow), GOING_ALREADY),
             (404, 409, 422, 429, 503), query=bodies.RunOptions, body=bodies.RunOrder,
             headers=("Idempotency-Key",), paced=RUNS),
    Endpoint("POST", "/api/agents/nodes/{id}/review", review.reviewed, "Runs",
             "Look whether the path needs something more after a node, and add that",
             (Answer(200, "What was decided, and what was added.", shown.Reviewed),
              Answer(202, "It takes longer: the run that is at it.", RunRow)),
             (404, 409, 503), body=bodies.ReviewOrder, paced=RUNS),
    Endpoint("POST", "/api/agents/{name}/nodes/{id}/run", runs.extra_started, "Runs",
             "Have an agent that was added by configuration work on a node, or join the run in which it does",
             (EVENT_STREAM, Answer(202, "With wait=false: the new run.", RunRow), GOING_ALREADY),
             (404, 409, 422, 429, 503), query=bodies.RunOptions, body=bodies.AgentOrder,
             headers=("Idempotency-Key",), paced=RUNS),
    Endpoint("GET", "/api/runs", runs.listed, "Runs", "The caller's runs, newest first",
             _many("The runs.", RunRow), (404,), query=bodies.RunFilter),
    Endpoint("GET", "/api/runs/{id}", runs.shown, "Runs", "One run",
             _one("The run, with its journal and its last events.", RunHandoff), (404,)),
    Endpoint("GET", "/api/runs/{id}/events", runs.followed, "Runs", "The events of a run: replay, then live",
             (EVENT_STREAM, Answer(204, "The run is over and the cursor is at its end.")), (404, 429),
             query=bodies.Cursor, headers=("Last-Event-ID",)),
    Endpoint("POST", "/api/runs/{id}/cancel", runs.cancelled, "Runs", "Stop a run; one that has ended stays as it is",
             _one("The run.", RunRow), (404,)),
    Endpoint("POST", "/api/runs/{id}/answer", runs.answered, "Runs", "Answer the question that a run waits with",
             _one("The run, which goes on.", RunRow), (404, 409), body=bodies.RunAnswer),
    Endpoint("POST", "/api/runs/{id}/resume", runs.resumed, "Runs", "Have a run taken up again that was cut off",
             _one("The run.", RunRow), (404, 409)),
    Endpoint("POST", "/api/runs/{id}/retry", runs.retried, "Runs", "Start a run in place of one that has ended",
             (Answer(202, "The new run.", RunRow), GOING_ALREADY), (404, 409, 503), paced=RUNS),
    Endpoint("POST", "/api/runs/{id}/discard", runs.discarded, "Runs", "Put away a run that failed or waits",
             _one("The run.", RunRow), (404, 409)),
    Endpoint("GET", "/api/events", streams.followed, "Runs",
             "The events of all the caller's runs: what has not ended from its start or the cursor, then live",
             (EVENTS_OF_ALL,), (429,), query=bodies.Cursors, headers=("Last-Event-ID",)),

    Endpoint("GET", "/", pages.home, "Pages", "The page", (HTML_PAGE,)),
    Endpoint("GET", "/frames/diagram", pages.diagram_frame, "Pages", "The frame that diagrams are drawn in",
             (HTML_PAGE,)),
    Endpoint("GET", "/static/{version}/{path:path}", pages.static_file, "Pages", "A file of the page",
             (Answer(200, "The file.", media="*/*"),), (404,)),
    Endpoint("GET", "/docs", _docs, "Pages", "This API, to read", (HTML_PAGE,)),
    Endpoint("GET", "/openapi.json", _openapi, "Pages", "This API, for programs", (Answer(200, "OpenAPI 3.1."),)),
)
# fmt: on


def web_app(parts: WebParts) -> Starlette:
    """The application over HTTP."""
    app = Starlette(
        routes=routes(parts),
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Origins, allowed=parts.cors_origins),
            Middleware(KnownHosts, allowed=parts.allowed_hosts),
            Middleware(Paced, buckets=parts.paces.requests),
            Middleware(LastResort),
            Middleware(GZipMiddleware, minimum_size=GZIP_MIN_BYTES, compresslevel=GZIP_LEVEL),
        ],
        exception_handlers={SproutError: expected, HTTPException: refused_by_routing, Exception: unexpected},
        lifespan=parts.lifespan,
    )
    app.router.redirect_slashes = False
    app.router.default = _elsewhere(parts)
    return app


def routes(parts: WebParts) -> list[Route]:
    """One route per address, in the order of the table, so that a refused method is told all that the address takes."""
    in_order = sorted(ENDPOINTS, key=lambda endpoint: _first_place[endpoint.path])
    return [_route(path, list(group), parts) for path, group in groupby(in_order, key=lambda endpoint: endpoint.path)]


_first_place = {endpoint.path: place for place, endpoint in reversed(list(enumerate(ENDPOINTS)))}


def _route(path: str, endpoints: list[AnyEndpoint], parts: WebParts) -> Route:
    by_method = {endpoint.method: endpoint for endpoint in endpoints}

    async def answer(request: Request) -> Response:
        return await by_method["GET" if request.method == "HEAD" else request.method].answer(request, parts)

    return Route(path, answer, methods=list(by_method), name=path)


def _elsewhere(parts: WebParts) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope) if scope["type"] == "http" else None
        if request is None or not pages.wants_page(request):
            raise HTTPException(404)
        await (await pages.page(parts))(scope, receive, send)

    return answer
