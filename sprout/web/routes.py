"""Endpoints of the HTTP API: one table, from which the routes, the OpenAPI document and /docs are made."""

from collections.abc import Awaitable, Callable
from functools import cache
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

from sprout.accounts.access import ADMIN, CALENDAR, IN_PERSON, LEARN, PUBLIC, READ, READ_CLASS, SEED, TEACH
from sprout.accounts.accounts import AccountRow, PersonRow
from sprout.accounts.class_budgets import ClassBudgetRow
from sprout.accounts.class_page.contrasts import ContrastRow
from sprout.accounts.class_page.progress import ClassProgress, ConceptReport, SeenPath
from sprout.accounts.classes import ClassRow, JoinedClass, MemberRow, OpenClass
from sprout.accounts.concerns import ConcernsPage
from sprout.accounts.desk import DeskDecisionRow, DeskLearner, DeskPage, TeacherDecision
from sprout.accounts.given_paths import CopiedPathRow, GivenPathRow
from sprout.accounts.identities import LinkedIdentityRow
from sprout.accounts.passkeys import PasskeyRow
from sprout.accounts.path_updates import PathUpdateRow
from sprout.accounts.security_log import SecurityEventRow
from sprout.accounts.sessions import SessionRow
from sprout.accounts.shared_lessons import LessonShare, SharedLessonRow, SharedMessage
from sprout.accounts.tokens import NewTokenRow, TokenRow
from sprout.errors import SproutError
from sprout.events import AssessmentRow, NodeRow, Wire
from sprout.learning.lessons.conversations import ChatMessageRow, ChatSessionRow, HintRow
from sprout.learning.lessons.memories import MemoryRow
from sprout.learning.mastery.reports import EvidenceRow, ProgressReport
from sprout.learning.misconceptions.repository import MixUp
from sprout.learning.paths.contents import ContentRow, GenerationRow
from sprout.learning.paths.path_file import PathFile
from sprout.learning.paths.repository import BranchRow, DocumentRow, EdgeRow, ProgressRow
from sprout.learning.placement.repository import PlacementOverview, PlacementSession
from sprout.learning.questions.assessments import AnswerRow, QuestionRow
from sprout.learning.reviews.calendar import MEDIA_TYPE
from sprout.learning.reviews.costs import RetentionCost
from sprout.learning.reviews.day import ReviewsDue
from sprout.learning.reviews.repository import ReviewReply, ReviewSession, ReviewSettings
from sprout.learning.sources import CoveredPassage, NodeSources, PassageRow
from sprout.web.handlers import account, pages, path_review, runs, server
from sprout.web.handlers.accounts import (
    class_page,
    classes,
    desk,
    identities,
    memberships,
    own_account,
    passkeys,
    people,
    sign_in,
)
from sprout.web.handlers.paths import (
    branches,
    changes,
    contents,
    documents,
    generation,
    graphs,
    left_out,
    nodes,
    sources,
    topics,
)
from sprout.web.handlers.teaching import (
    assessments,
    conversations,
    diagnostics,
    lessons,
    memories,
    next_action,
    placements,
    questions,
    reports,
    reviews,
    today,
    tutor,
)
from sprout.web.http.dependencies import (
    DiagnosticsAndRuns,
    PageFiles,
    PathsAndRuns,
    PathsRunsAndLessons,
    WebDependencies,
)
from sprout.web.http.endpoint import AnyEndpoint, Call, Endpoint, group
from sprout.web.http.endpoint import ResponseSpec as Status
from sprout.web.http.failures import CatchAllErrors, handle_expected, handle_http_exception, handle_unexpected
from sprout.web.http.limits import LOCAL_HOSTS, LOCAL_ORIGINS, PROBES
from sprout.web.http.middleware import AllowedHosts, CrossOriginPolicy, RequestRateLimit, SecurityHeaders
from sprout.web.reference.docs import docs_html, docs_page
from sprout.web.reference.openapi import Json, openapi_document
from sprout.web.schemas import (
    account_requests,
    account_responses,
    class_requests,
    class_responses,
    passkey_requests,
    placement_requests,
    requests,
    responses,
    review_requests,
)
from sprout.web.schemas.change_responses import ChangeRow, UndoneChange
from sprout.web.schemas.run_responses import RunHandoff, RunRow
from sprout.web.stream import learner_stream

GZIP_MIN_BYTES = 200
GZIP_LEVEL = 6
RUN_LIMITER, UPLOAD_LIMITER = attrgetter("runs"), attrgetter("uploads")  # per learner
EVENT_STREAM = Status(200, "The run's events: the stored ones, then live.", media_type="text/event-stream")
LEARNER_EVENT_STREAM = Status(
    200,
    "The events, each with its root run as `rootId`; its id is the cursor of all runs.",
    media_type="text/event-stream",
)
HTML_PAGE = Status(200, "A page.", media_type="text/html")
RUN_IN_PROGRESS = Status(202, "It takes longer: the active run.", RunRow)
EXISTING_RUN = Status(200, "The run that was active already.", RunRow)
NO_CONTENT = Status(204, "Done.")
PASSKEY_OPTIONS = (Status(200, "What the browser is asked for.", account_responses.PasskeyOptions),)


def _agent_runs(web: WebDependencies) -> runs.AgentRuns:
    return runs.AgentRuns(web.runs, web.paths, web.teaching_repositories.assessments, web.extra_agents)


def _one(description: str, model: type[Wire], status: int = 200) -> tuple[Status, ...]:
    return (Status(status, description, model),)


def _list(description: str, model: type[Wire]) -> tuple[Status, ...]:
    return (Status(200, description, model, many=True),)


async def _openapi(call: Call[PageFiles]) -> Response:
    """The table of endpoints as an OpenAPI document."""
    return JSONResponse(_document(call.dependencies.version))


async def _docs(call: Call[PageFiles]) -> Response:
    """The OpenAPI document as a page without a script."""
    return docs_page(_docs_html(call.dependencies.version))


@cache
def _document(version: str) -> Json:
    """The OpenAPI document. Made once: it takes a fifth of a second, in which no stream would go on."""
    return openapi_document(ENDPOINTS, version)


@cache
def _docs_html(version: str) -> str:
    return docs_html(_document(version))


# fmt: off
ENDPOINTS: tuple[AnyEndpoint, ...] = (
    *group("Server", lambda web: web.server_probes,
        Endpoint("GET", "/api/health", PUBLIC, server.get_health, "Whether the server and its database answer",
                 _one("Healthy.", responses.Health), (503,)),
        Endpoint("GET", "/api/status", READ, server.get_status,
                 "Version, models, limits, estimates and suggested topics",
                 (Status(200, "An object with version, model, models, limits, estimate and suggestions."),)),
        Endpoint("GET", "/api/schema/events", PUBLIC, server.get_event_schema,
                 "The JSON Schema of every event of a run",
                 (Status(200, "A JSON Schema."),)),
        Endpoint("GET", "/healthz", PUBLIC, server.get_liveness, "Whether the process is alive",
                 _one("Alive.", responses.Health)),
        Endpoint("GET", "/readyz", PUBLIC, server.get_readiness,
                 "Whether requests can be served: database, schema and built-in model respond, no shutdown",
                 _one("Ready.", responses.Health), (503,)),
        Endpoint("GET", "/metrics", ADMIN, server.get_metrics, "Metrics for Prometheus",
                 (Status(200, "The metrics.", media_type="text/plain"),))),

    *group("Branches", lambda web: web.coverage,
        Endpoint("POST", "/api/topics/check", READ, topics.check_topic,
                 "Whether a path can be made of a topic without notes, asked before anything is made",
                 _one("It can be.", responses.CheckedTopic), (404,), body=requests.TopicCheck)),
    *group("Branches", lambda web: PathsAndRuns(web.paths, web.runs),
        Endpoint("GET", "/api/branches", READ, branches.list_branches, "All branches of the caller, oldest first",
                 _list("The branches.", BranchRow), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/branches", LEARN, branches.create_branch, "Create a branch",
                 _one("The new branch.", BranchRow, 201), (404, 409), body=requests.NewBranch),
        Endpoint("GET", "/api/branches/summary", READ, branches.list_overviews, "The list of paths",
                 _list("The branches, newest activity first.", responses.BranchOverview), (404,),
                 query=requests.UserRequest),
        Endpoint("GET", "/api/branches/{id}", READ, branches.get_branch, "One branch",
                 _one("The branch.", BranchRow), (404,)),
        Endpoint("PATCH", "/api/branches/{id}", LEARN, branches.rename_branch, "Rename a branch",
                 _one("The branch, renamed.", BranchRow), (404, 409), body=requests.BranchChange),
        Endpoint("DELETE", "/api/branches/{id}", LEARN, branches.delete_branch,
                 "Stop the runs of a branch, and delete it and all of it",
                 (NO_CONTENT,), (404, 409)),
        Endpoint("PATCH", "/api/branches/{id}/places", LEARN, branches.keep_places,
                 "Store where nodes stand on the map, beside the places of the others",
                 (NO_CONTENT,), (404,), body=requests.MapPlaces)),
    *group("Branches", lambda web: PathsRunsAndLessons(
               web.paths, web.runs, web.teaching_repositories.conversations),
        Endpoint("GET", "/api/branches/{id}/graph", READ, branches.get_graph,
                 "Everything that the page of a branch shows",
                 _one("Nodes, edges, progress, documents and runs.", responses.BranchPage), (404,))),
    *group("Branches", lambda web: web.path_repositories,
        Endpoint("GET", "/api/branches/{id}/changes", READ, changes.list_changes,
                 "Who changed the path, how and why, newest first",
                 _list("The changes.", ChangeRow), (404,), query=requests.ChangeFilter),
        Endpoint("POST", "/api/changes/{id}/undo", LEARN, changes.undo_change,
                 "Undo a change of the path; repeated, the response is the same",
                 _one("The change that undoes it, and what is under its parent now.", UndoneChange),
                 (404, 409))),

    *group("Nodes", lambda web: web.path_repositories,
        Endpoint("GET", "/api/nodes", READ, nodes.list_nodes, "The caller's nodes, in the order of creation",
                 _list("The nodes that match all filters.", NodeRow), (404,), query=requests.NodeFilter),
        Endpoint("POST", "/api/nodes", LEARN, nodes.create_node, "Create a node",
                 _one("The new node.", NodeRow, 201), (404, 409), body=requests.NewNode),
        Endpoint("GET", "/api/nodes/{id}", READ, nodes.get_node, "One node", _one("The node.", NodeRow), (404,)),
        Endpoint("PATCH", "/api/nodes/{id}", LEARN, nodes.update_node, "Change a node's title, description or accuracy",
                 _one("The node, changed.", NodeRow), (404, 409), body=requests.NodeChange),
        Endpoint("DELETE", "/api/nodes/{id}", LEARN, nodes.delete_node, "Delete a node without children",
                 (NO_CONTENT,), (404, 409)),
        Endpoint("GET", "/api/nodes/{id}/children", READ, nodes.list_children, "The nodes below a node",
                 _list("The children, in the order of creation.", NodeRow), (404,)),
        Endpoint("GET", "/api/nodes/{id}/dependency-edges", READ, nodes.list_dependency_edges,
                 "The edges among the children of a node; the source is the prerequisite",
                 _list("The edges.", EdgeRow), (404,), query=requests.ChildFilter),
        Endpoint("GET", "/api/progress", READ, nodes.list_progress, "The caller's progress on nodes",
                 _list("The progress rows.", ProgressRow), (404,), query=requests.ProgressFilter),
        Endpoint("POST", "/api/progress", LEARN, nodes.enter_node, "Record the caller's visit of a node",
                 (Status(201, "The new progress row.", ProgressRow),
                  Status(200, "The existing one.", ProgressRow)), (404,), body=requests.NodeVisit),
        Endpoint("PATCH", "/api/progress/{id}", LEARN, nodes.overrule_progress,
                 "Overrule progress until the next graded answer about the node",
                 _one("The progress row.", ProgressRow), (404,), body=requests.ProgressChange)),
    *group("Nodes", lambda web: PathsAndRuns(web.paths, web.runs),
        Endpoint("POST", "/api/nodes/{id}/generate-concepts", LEARN, generation.generate_concepts,
                 "Generate a topic's concepts, and wait for them",
                 (Status(201, "The new concepts.", responses.GeneratedConcepts),
                  Status(200, "The existing ones.", responses.GeneratedConcepts), RUN_IN_PROGRESS), (404, 409, 503),
                 body=requests.RunRequest, rate_limiter=RUN_LIMITER),
        Endpoint("POST", "/api/nodes/{id}/generate-subconcepts", LEARN, generation.generate_subconcepts,
                 "Generate a concept's parts, and wait for them",
                 (Status(201, "The new subconcepts.", responses.GeneratedSubconcepts),
                  Status(200, "The existing ones.", responses.GeneratedSubconcepts), RUN_IN_PROGRESS),
                 (404, 409, 503), body=requests.RunRequest, rate_limiter=RUN_LIMITER)),

    *group("Contents", lambda web: web.path_repositories,
        Endpoint("GET", "/api/nodes/{id}/contents", READ, contents.list_contents, "All contents of a node",
                 _list("The contents, oldest first.", ContentRow), (404,)),
        Endpoint("POST", "/api/nodes/{id}/contents", LEARN, contents.add_content,
                 "Add a content; an active one archives the one before it",
                 _one("The new content.", ContentRow, 201), (404,), body=requests.ContentBody),
        Endpoint("GET", "/api/nodes/{id}/contents/active", READ, contents.get_active_content,
                 "The active content of a node",
                 (Status(200, "The content, or null.", ContentRow, nullable=True),), (404,)),
        Endpoint("GET", "/api/nodes/{id}/generations", READ, contents.list_generations,
                 "How the children of a node were generated",
                 _list("The generations, oldest first.", GenerationRow), (404,)),
        Endpoint("POST", "/api/nodes/{id}/generations", LEARN, contents.add_generation,
                 "Record how the children of a node were generated",
                 _one("The new generation.", GenerationRow, 201), (404,), body=requests.GenerationBody)),

    *group("Documents", lambda web: documents.DocumentDependencies(web.paths, web.detect_media_type),
        Endpoint("POST", "/api/nodes/{id}/documents", LEARN, documents.upload_documents,
                 "Upload documents to a topic, read in the background",
                 _one("The documents, all or none.", responses.UploadResult, 201), (404, 409, 413, 415, 503),
                 form_field=documents.FORM_FIELD, rate_limiter=UPLOAD_LIMITER),
        Endpoint("GET", "/api/nodes/{id}/documents", READ, documents.list_documents, "The documents of a topic",
                 _list("The documents.", DocumentRow), (404,)),
        Endpoint("POST", "/api/nodes/{id}/documents/{document_id}/retry", LEARN, documents.retry_document,
                 "Retry a document that could not be read",
                 (Status(202, "It is queued again.", DocumentRow),
                  Status(200, "It has not failed, and is unchanged.", DocumentRow)), (404,)),
        Endpoint("DELETE", "/api/nodes/{id}/documents/{document_id}", LEARN, documents.delete_document,
                 "Delete a document",
                 (NO_CONTENT,), (404, 409)),
        Endpoint("GET", "/api/documents/{id}/file", READ, documents.download_original, "A document as it was uploaded",
                 (Status(200, "The file, as a download.", media_type="*/*"),), (404, 422, 503))),
    *group("Documents", lambda web: web.path_repositories,
        Endpoint("GET", "/api/nodes/{id}/search", READ, sources.search_passages,
                 "Search the passages of a topic's documents, best first",
                 _list("The passages.", PassageRow), (404,), query=requests.SourceSearch),
        Endpoint("GET", "/api/nodes/{id}/sources", READ, sources.get_node_sources,
                 "The passages that a node teaches from",
                 _one("The passages; none for general knowledge or without documents.", NodeSources),
                 (404,)),
        Endpoint("GET", "/api/passages/{id}", READ, sources.get_passage, "One passage and its place in its document",
                 _one("The passage.", PassageRow), (404,)),
        Endpoint("GET", "/api/documents/{id}/passages", READ, sources.list_document_passages,
                 "The passages of a document, all or a page",
                 _list("Its passages, in the order of the text.", PassageRow), (404,), query=requests.PassagePageQuery),
        Endpoint("GET", "/api/branches/{id}/coverage", READ, sources.get_coverage,
                 "Which passages are taught by which nodes, and which by none",
                 _list("All passages, in the order of upload and text.", CoveredPassage), (404,))),
    *group("Documents",
        lambda web: left_out.LeftOutDependencies(web.path_repositories.left_out, web.paths, web.runs),
        Endpoint("GET", "/api/branches/{id}/left-out", READ, left_out.list_left_out,
                 "The sections of a path's documents that no concept teaches, each with the reason",
                 _one("The sections, in the order of upload and text.", responses.LeftOutSections), (404,)),
        Endpoint("POST", "/api/documents/{id}/concepts", LEARN, left_out.bring_in,
                 "Bring a section of a document into its path: add a concept on it, and create its parts",
                 (Status(201, "The new concept, and the run that creates its parts.", responses.SectionBroughtIn),
                  Status(200, "The concept that teaches it already.", responses.SectionBroughtIn)),
                 (404, 409, 503), body=requests.SectionChoice, rate_limiter=RUN_LIMITER)),

    *group("Graphs", lambda web: web.path_repositories,
        Endpoint("POST", "/api/graphs", SEED, graphs.import_path,
                 "Import a whole path: concepts, subconcepts, edges and questions, all or nothing",
                 _one("The new branch, and what was imported.", responses.ImportedPath, 201), (409,), body=PathFile,
                 parse_body=graphs.parse_path, max_bytes=attrgetter("graph_max_bytes")),
        Endpoint("GET", "/api/graphs/{id}", READ, graphs.export_path,
                 "Export a branch as a file; with answers=true its questions too",
                 (Status(200, "The path, as JSON or as YAML."), Status(200, "", media_type=graphs.YAML)), (404,),
                 query=requests.GraphOptions),
        Endpoint("GET", "/api/schema/graph", PUBLIC, graphs.get_path_schema, "The JSON Schema of a path file",
                 (Status(200, "A JSON Schema."),))),

    *group("Assessments", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/assessments", READ, assessments.list_assessments,
                 "The caller's assessments, oldest first",
                 _list("The assessments.", AssessmentRow), (404,), query=requests.AssessmentFilter),
        Endpoint("POST", "/api/assessments", LEARN, assessments.create_assessment,
                 "Create an assessment; a node has one diagnostic",
                 (Status(201, "The new assessment.", AssessmentRow),
                  Status(200, "The existing diagnostic.", AssessmentRow)), (404,), body=requests.NewAssessment),
        Endpoint("GET", "/api/assessments/{id}", READ, assessments.get_assessment, "One assessment",
                 _one("The assessment.", AssessmentRow), (404,)),
        Endpoint("PATCH", "/api/assessments/{id}", LEARN, assessments.update_assessment,
                 "Rename an assessment, or end it before every question is answered",
                 _one("The assessment, changed.", AssessmentRow), (404,), body=requests.AssessmentChange),
        Endpoint("GET", "/api/assessments/{id}/questions", READ, assessments.list_questions,
                 "The questions of an assessment, without answer keys",
                 _list("The questions, in their order.", QuestionRow), (404,)),
        Endpoint("POST", "/api/assessments/{id}/questions", LEARN, assessments.add_question, "Add a question",
                 _one("The question, without its answer key.", QuestionRow, 201),
                 (404, 409), body=requests.NewQuestion),
        Endpoint("GET", "/api/assessments/{id}/answers", READ, assessments.list_answers,
                 "The caller's attempts; the newest for a question counts",
                 _list("The attempts, oldest first.", AnswerRow), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/assessments/{id}/answers", LEARN, assessments.submit_answer,
                 "Answer a question; choices and numbers are marked at once, and progress follows",
                 _one("The attempt with the server's verdict.", AnswerRow, 201), (404,), body=requests.NewAnswer)),
    *group("Assessments",
        lambda web: questions.ContestDependencies(web.teaching_repositories.answer_keys, web.paths, web.runs),
        Endpoint("POST", "/api/questions/{id}/contest", LEARN, questions.contest_question,
                 "Dispute a question: it is checked again, and voided if it is wrong",
                 (Status(200, "The result, also of an earlier dispute.", responses.ContestResult),
                  RUN_IN_PROGRESS), (404, 409, 503), query=requests.WaitQuery, body=requests.QuestionContest,
                 rate_limiter=RUN_LIMITER)),
    *group("Assessments", lambda web: web.teaching_repositories,
        Endpoint("POST", "/api/questions/{id}/skip", LEARN, questions.skip_question, "Skip a question",
                 _one("The attempt, which doesn't count.", AnswerRow, 201), (404,), body=requests.QuestionSkip),
        Endpoint("POST", "/api/answers/{id}/self-mark", LEARN, questions.self_mark_answer,
                 "Mark one's own answer, which has no grader, beside the model answer",
                 _one("The attempt, with the learner's verdicts.", AnswerRow), (404, 409),
                 body=requests.AnswerSelfMark)),

    *group("Conversations", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/chat/sessions", READ, conversations.list_sessions, "The caller's sessions, oldest first",
                 _list("The sessions.", ChatSessionRow), (404,), query=requests.NodeQuery),
        Endpoint("POST", "/api/chat/sessions", LEARN, conversations.begin_session,
                 "Start a session, about a node or none",
                 _one("The new session.", ChatSessionRow, 201), (404,), body=requests.NewSession),
        Endpoint("PATCH", "/api/chat/sessions/{id}", LEARN, conversations.end_session, "End a session",
                 _one("The session.", ChatSessionRow), (404,), body=requests.SessionChange),
        Endpoint("GET", "/api/chat/sessions/{id}/messages", READ, conversations.list_messages,
                 "The messages of a session",
                 _list("The messages, oldest first.", ChatMessageRow), (404,)),
        Endpoint("POST", "/api/chat/sessions/{id}/messages", LEARN, conversations.add_message,
                 "Add a message of the caller",
                 _one("The new message.", ChatMessageRow, 201), (404,), body=requests.NewMessage)),
    *group("Conversations",
        lambda web: lessons.LessonDependencies(web.teaching_repositories.lessons, web.path_repositories.contents),
        Endpoint("GET", "/api/chat/sessions/{id}/lesson", READ, lessons.get_lesson,
                 "The open question and the progress of a lesson",
                 _one("The open question, the plan, mastery, the newest grade and the cards.", responses.LessonState),
                 (404,))),
    *group("Conversations", lambda web: tutor.TutorDependencies(web.teaching_repositories.lessons, web.runs),
        Endpoint("POST", "/api/chat/sessions/{id}/tutor", LEARN, tutor.take_turn,
                 "A turn of a lesson: the tutor's reply as one object, or as a stream if that is accepted",
                 (Status(200, "The reply; if the turn failed, why, and the same question.", responses.TutorReply),
                  EVENT_STREAM), (404, 409, 422, 429, 503), body=requests.TutorTurn,
                 max_bytes=attrgetter("turn_max_bytes"), headers=("Accept", "Idempotency-Key"),
                 rate_limiter=RUN_LIMITER)),
    *group("Conversations", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/chat/hints", READ, conversations.list_hints, "The hints that the caller requested",
                 _list("The hints, oldest first.", HintRow), (404,), query=requests.NodeQuery),
        Endpoint("POST", "/api/chat/hints", LEARN, conversations.add_hint, "Record that a hint was requested",
                 _one("The new hint.", HintRow, 201), (404,), body=requests.HintBody)),

    *group("Memory", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/memories", READ, memories.list_memories, "What the tutor remembers of the caller",
                 _list("The entries, oldest first.", MemoryRow), (404,), query=requests.UserRequest),
        Endpoint("PATCH", "/api/memories/{id}", LEARN, memories.update_memory, "Change an entry",
                 _one("The entry.", MemoryRow), (404,), body=requests.MemoryChange),
        Endpoint("DELETE", "/api/memories/{id}", LEARN, memories.delete_memory,
                 "Delete an entry", (NO_CONTENT,), (404,))),

    *group("Learner", lambda web: next_action.NextDependencies(
               web.paths, web.runs, web.teaching_repositories.conversations, web.teaching_repositories.reviews),
        Endpoint("GET", "/api/next", READ, next_action.get_next,
                 "What comes next for the caller: over all paths, in one, or in one of its concepts",
                 _one("The next action.", responses.NextAction), (404,), query=requests.NextQuery),
        Endpoint("GET", "/api/today", READ, today.get_today,
                 "The caller's day: what is due, what comes next, what was gained, and the paths",
                 _one("The day.", responses.Today), (404,), query=requests.UserRequest)),
    *group("Learner", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/learner/progress", READ, reports.get_progress,
                 "The caller's progress: mastery over time, activity, cost",
                 _one("The report, of all paths or of one.", ProgressReport), (404,), query=requests.BranchQuery),
        Endpoint("GET", "/api/misconceptions", READ, reports.list_mix_ups,
                 "The caller's mix-ups: what was believed, when it showed, what cleared it; open ones first",
                 _list("The mix-ups, of all paths or of one.", MixUp), (404,), query=requests.BranchQuery),
        Endpoint("GET", "/api/nodes/{id}/evidence", READ, reports.list_evidence,
                 "The answers that the mastery of a node is computed from, newest first",
                 _list("The answers with the visible part of their grades.", EvidenceRow), (404,)),
        Endpoint("GET", "/api/learner/answers.csv", READ, reports.download_answers, "All answers as a table",
                 (Status(200, "The table.", media_type=reports.CSV),), (404,), query=requests.BranchQuery),
        Endpoint("GET", "/api/learner/mastery.csv", READ, reports.download_mastery,
                 "Mastery of all subconcepts as a table",
                 (Status(200, "The table.", media_type=reports.CSV),), (404,), query=requests.BranchQuery),
        Endpoint("GET", "/api/learner/cards.txt", READ, reports.download_flashcards,
                 "Examples, exercises and correct answers as cards for Anki",
                 (Status(200, "A file for Anki's text import.", media_type=reports.TEXT),), (404,),
                 query=requests.BranchQuery)),
    *group("Reviews", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/reviews/due", READ, reviews.get_due, "What is due for review, and how long it takes",
                 _one("The summary.", ReviewsDue), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/reviews/sessions", LEARN, reviews.start_session,
                 "Start a session of reviews, or take up today's",
                 (Status(201, "The new session with its first question.", ReviewSession),
                  Status(200, "Today's session, which is not over.", ReviewSession)), (404, 409),
                 body=review_requests.NewReviewSession),
        Endpoint("GET", "/api/reviews/sessions/{id}", READ, reviews.get_session, "A session and its open question",
                 _one("The session.", ReviewSession), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/reviews/sessions/{id}/answers", LEARN, reviews.submit_answer,
                 "Answer the open question of a session; the grade that fits counts at once",
                 _one("The result, and the session with its next question.", ReviewReply, 201), (404, 409),
                 body=review_requests.NewReviewAnswer),
        Endpoint("POST", "/api/reviews/sessions/{id}/marks", LEARN, reviews.self_mark,
                 "Mark one's own answer in words beside the model answer",
                 _one("The result, and the session.", ReviewReply), (404, 409), body=review_requests.ReviewSelfMark),
        Endpoint("POST", "/api/reviews/sessions/{id}/grades", LEARN, reviews.choose_grade,
                 "Choose another grade than the one that fits an answer",
                 _one("The result, and the session.", ReviewReply), (404, 409), body=review_requests.NewReviewGrade),
        Endpoint("POST", "/api/reviews/sessions/{id}/skip", LEARN, reviews.skip_item,
                 "Skip a question for today, which counts for nothing",
                 _one("The session with its next question.", ReviewSession), (404, 409),
                 body=review_requests.ReviewSkip),
        Endpoint("GET", "/api/reviews/settings", READ, reviews.get_settings, "The caller's settings of reviews",
                 _one("The settings.", ReviewSettings), (404,), query=requests.UserRequest),
        Endpoint("GET", "/api/reviews/calendar.ics", CALENDAR, reviews.get_calendar,
                 "The reviews of the next two weeks, a day each, for a calendar program",
                 (Status(200, "A calendar by RFC 5545.", media_type=MEDIA_TYPE),), (404,),
                 query=review_requests.CalendarQuery),
        Endpoint("GET", "/api/reviews/costs", READ, reviews.list_costs,
                 "How many reviews a day each choice of retention takes with the caller's cards",
                 _list("The choices, the lowest first.", RetentionCost), (404,), query=requests.UserRequest),
        Endpoint("PATCH", "/api/reviews/settings", LEARN, reviews.change_settings, "Change settings of reviews",
                 _one("The settings, changed.", ReviewSettings), (404,),
                 body=review_requests.ReviewSettingsChange)),
    *group("Placement", lambda web: web.teaching_repositories,
        Endpoint("GET", "/api/branches/{id}/placement", READ, placements.get_overview,
                 "How long it takes to find where one starts on a path, and the last time that it was done",
                 _one("The overview.", PlacementOverview), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/placements", LEARN, placements.start_placement,
                 "Find where one starts on a path, or check a node that one knows",
                 (Status(201, "The new placement with its first question.", PlacementSession),
                  Status(200, "The open placement of the path, or check of the node.", PlacementSession)), (404, 409),
                 body=placement_requests.NewPlacement),
        Endpoint("GET", "/api/placements/{id}", READ, placements.get_placement,
                 "A placement and its open question, or what it found",
                 _one("The placement.", PlacementSession), (404,), query=requests.UserRequest),
        Endpoint("POST", "/api/placements/{id}/answers", LEARN, placements.submit_answer,
                 "Answer the open question of a placement",
                 _one("The placement with its next question.", PlacementSession, 201), (404, 409),
                 body=placement_requests.NewPlacementAnswer),
        Endpoint("POST", "/api/placements/{id}/skip", LEARN, placements.skip_item,
                 "Skip a question, which says nothing",
                 _one("The placement with its next question.", PlacementSession), (404, 409),
                 body=placement_requests.PlacementSkip),
        Endpoint("POST", "/api/placements/{id}/finish", LEARN, placements.finish_placement,
                 "End a placement now, with what its answers show",
                 _one("The placement with what it found.", PlacementSession), (404,),
                 body=placement_requests.PlacementEnd),
        Endpoint("POST", "/api/placements/{id}/overrules", LEARN, placements.overrule_node,
                 "Say that one knows a part or does not, or take that back",
                 _one("The placement with what it found.", PlacementSession), (404, 409),
                 body=placement_requests.NewOverrule)),
    *group("Learner", lambda web: account.AccountDependencies(web.account, web.runs),
        Endpoint("GET", "/api/learner/archive", IN_PERSON, account.download_archive,
                 "All data of the caller in one file",
                 (Status(200, "A ZIP file.", media_type=account.ZIP),), (404,), query=requests.UserRequest),
        Endpoint("DELETE", "/api/learner", IN_PERSON, account.erase_account,
                 "Delete all data of the caller: paths, answers, conversations, memories, documents, backups",
                 (NO_CONTENT,), (404, 409, 503), query=requests.ErasureQuery)),

    *group("Accounts", lambda web: web.account_repositories,
        Endpoint("GET", "/api/sign-in", PUBLIC, sign_in.get_methods, "The ways to sign in",
                 _one("The ways; none on a server for one learner.", account_responses.SignInMethods)),
        Endpoint("POST", "/api/sign-in", PUBLIC, sign_in.sign_in, "Sign in with a password",
                 (Status(200, "The account; the session is in a cookie.", AccountRow),
                  Status(202, "A passkey is asked for too.", account_responses.PasskeyOptions)), (401, 404),
                 body=account_requests.SignInRequest),
        Endpoint("POST", "/api/sign-in/set-up", PUBLIC, sign_in.set_up_owner,
                 "Create the first owner, with the code that the server prints at its start",
                 _one("The account, which is signed in.", AccountRow, 201), (404, 409, 410),
                 body=account_requests.OwnerSetUp),
        Endpoint("POST", "/api/sign-in/password", PUBLIC, sign_in.set_password,
                 "Set a password, with the code of a link for it",
                 _one("The account, which is signed in.", AccountRow), (404, 410),
                 body=account_requests.PasswordFromLink),
        Endpoint("POST", "/api/sign-in/set-up/link", PUBLIC, sign_in.invite_owner,
                 "Create the first owner, who chooses by a link how to sign in",
                 _one("The link.", account_responses.PasswordLink, 201), (404, 409, 410),
                 body=passkey_requests.OwnerInvitation),
        Endpoint("POST", "/api/sign-in/passkey/options", PUBLIC, passkeys.get_sign_in_options,
                 "Begin to sign in with a passkey", PASSKEY_OPTIONS, (404,)),
        Endpoint("POST", "/api/sign-in/passkey", PUBLIC, passkeys.sign_in, "Sign in with a passkey",
                 _one("The account; the session is in a cookie.", AccountRow), (401, 404, 410),
                 body=passkey_requests.PasskeySignInRequest),
        Endpoint("POST", "/api/sign-in/link/passkey/options", PUBLIC, passkeys.get_options_by_link,
                 "Begin to add a passkey, with the code of a link", PASSKEY_OPTIONS, (404, 410),
                 body=passkey_requests.LinkCode),
        Endpoint("POST", "/api/sign-in/link/passkey", PUBLIC, passkeys.add_by_link,
                 "Add a passkey, with the code of a link",
                 _one("The account, which is signed in.", AccountRow), (404, 409, 410),
                 body=passkey_requests.PasskeyFromLink),
        Endpoint("POST", "/api/sign-in/oidc", PUBLIC, identities.visit_provider,
                 "Begin to sign in at the OpenID provider",
                 _one("Where to go.", account_responses.ProviderAddress), (404, 410, 503),
                 body=passkey_requests.ProviderVisitRequest),
        Endpoint("GET", identities.CALLBACK_PATH, PUBLIC, identities.come_back, "Come back from the OpenID provider",
                 (Status(303, "To a page of this server.", media_type="text/html"),), (404,),
                 query=passkey_requests.ProviderCallback),
        Endpoint("POST", "/api/sign-out", IN_PERSON, sign_in.sign_out, "Sign out", (NO_CONTENT,)),
        Endpoint("GET", "/api/account", READ, own_account.get_caller, "Who calls, and with which rights",
                 _one("The caller.", account_responses.Caller)),
        Endpoint("PATCH", "/api/account", IN_PERSON, own_account.change_account, "Change one's own account",
                 _one("The account, changed.", AccountRow), (404,), body=account_requests.AccountChange),
        Endpoint("POST", "/api/account/password", IN_PERSON, own_account.change_password,
                 "Change one's password, which ends all sessions and begins a new one",
                 _one("The account; the new session is in a cookie.", AccountRow), (404,),
                 body=account_requests.PasswordChange),
        Endpoint("GET", "/api/account/sessions", IN_PERSON, own_account.list_sessions, "Where one is signed in",
                 _list("The sessions, the newest use first.", SessionRow)),
        Endpoint("DELETE", "/api/account/sessions", IN_PERSON, own_account.end_all_sessions, "Sign out everywhere",
                 (NO_CONTENT,), (404,)),
        Endpoint("DELETE", "/api/account/sessions/{id}", IN_PERSON, own_account.end_session, "End one session",
                 (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/account/tokens", IN_PERSON, own_account.list_tokens, "One's access tokens",
                 _list("The tokens without their secrets, the newest first.", TokenRow)),
        Endpoint("POST", "/api/account/tokens", IN_PERSON, own_account.create_token,
                 "Create an access token, which is shown once",
                 _one("The token.", NewTokenRow, 201), (404, 409), body=account_requests.TokenRequest),
        Endpoint("DELETE", "/api/account/tokens/{id}", IN_PERSON, own_account.revoke_token, "Revoke an access token",
                 (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/account/passkeys", IN_PERSON, passkeys.list_passkeys, "One's passkeys",
                 _list("The passkeys, in the order of creation.", PasskeyRow)),
        Endpoint("POST", "/api/account/passkeys/options", IN_PERSON, passkeys.get_creation_options,
                 "Begin to add a passkey", PASSKEY_OPTIONS, (404,)),
        Endpoint("POST", "/api/account/passkeys", IN_PERSON, passkeys.add_passkey, "Add a passkey",
                 _one("The passkey.", PasskeyRow, 201), (404, 409, 410), body=passkey_requests.NewPasskeyRequest),
        Endpoint("DELETE", "/api/account/passkeys/{id}", IN_PERSON, passkeys.remove_passkey, "Remove a passkey",
                 (NO_CONTENT,), (404, 409)),
        Endpoint("PUT", "/api/account/second-factor", IN_PERSON, passkeys.change_second_factor,
                 "Decide whether signing in with the password takes a passkey too",
                 _one("The account, changed.", AccountRow), (404, 409), body=passkey_requests.SecondFactorChange),
        Endpoint("GET", "/api/account/identities", IN_PERSON, identities.list_identities,
                 "Who one is at the OpenID provider", _list("The linked identities.", LinkedIdentityRow)),
        Endpoint("POST", "/api/account/identities", IN_PERSON, identities.visit_provider_to_link,
                 "Begin to link oneself at the OpenID provider",
                 _one("Where to go.", account_responses.ProviderAddress), (404, 503)),
        Endpoint("DELETE", "/api/account/identities/{id}", IN_PERSON, identities.unlink_identity,
                 "Unlink oneself at the OpenID provider", (NO_CONTENT,), (404, 409)),
        Endpoint("GET", "/api/people", ADMIN, people.list_people, "All accounts",
                 _list("The accounts, in the order of creation.", PersonRow)),
        Endpoint("POST", "/api/people", ADMIN, people.invite_person,
                 "Create an account, and a link with which its person sets a password",
                 _one("The account and the link.", account_responses.InvitedPerson, 201), (409,),
                 body=account_requests.NewPerson),
        Endpoint("PATCH", "/api/people/{id}", ADMIN, people.change_person,
                 "Change an account's name to show, its role, or whether it may sign in",
                 _one("The account, changed.", AccountRow), (404, 409), body=account_requests.PersonChange),
        Endpoint("POST", "/api/people/{id}/link", ADMIN, people.create_link,
                 "Create a new link with which a person sets their password",
                 _one("The link; an earlier one is void.", account_responses.PasswordLink, 201), (404,)),
        Endpoint("GET", "/api/security-log", ADMIN, people.list_events, "What happened to accounts, newest first",
                 _list("The events.", SecurityEventRow), query=account_requests.SecurityLogQuery),
        Endpoint("GET", "/api/security-log.csv", ADMIN, people.download_events, "The security log as a table",
                 (Status(200, "The newest 10,000 events.", media_type=people.CSV),))),
    *group("Classes", lambda web: web.account_repositories,
        Endpoint("GET", "/api/classes", READ_CLASS, classes.list_classes, "The caller's classes",
                 _list("The classes, in the order of creation.", ClassRow)),
        Endpoint("POST", "/api/classes", TEACH, classes.create_class, "Create a class",
                 _one("The class, which has no code yet.", ClassRow, 201), (404, 413), body=class_requests.NewClass),
        Endpoint("GET", "/api/classes/{id}", READ_CLASS, classes.get_class, "One class",
                 _one("The class.", ClassRow), (404,)),
        Endpoint("PATCH", "/api/classes/{id}", TEACH, classes.change_class, "Change a class",
                 _one("The class, changed.", ClassRow), (404,), body=class_requests.ClassChange),
        Endpoint("DELETE", "/api/classes/{id}", TEACH, classes.delete_class,
                 "Delete a class; its learners keep what they have", (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/classes/{id}/budget", READ_CLASS, classes.get_budget, "The budget of a class",
                 _one("The budget and what is spent of it, for the class's teacher and for owners.", ClassBudgetRow),
                 (404,)),
        Endpoint("PUT", "/api/classes/{id}/budget", TEACH, classes.set_budget, "Set the budget of a class",
                 _one("The budget and what is spent of it.", ClassBudgetRow), (404,),
                 body=class_requests.ClassBudget),
        Endpoint("POST", "/api/classes/{id}/code", TEACH, classes.issue_code,
                 "Create the code with which learners join; an earlier one is dead",
                 _one("The class with its code.", ClassRow, 201), (404, 409), body=class_requests.ClassCodeRequest),
        Endpoint("DELETE", "/api/classes/{id}/code", TEACH, classes.revoke_code, "Revoke the code of a class",
                 (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/classes/{id}/learners", READ_CLASS, classes.list_members, "The learners of a class",
                 _list("The learners, in the order in which they joined.", MemberRow), (404,)),
        Endpoint("DELETE", "/api/classes/{id}/learners/{learner_id}", TEACH, classes.remove_member,
                 "Remove a learner from a class; they keep what they have", (NO_CONTENT,), (404,)),
        Endpoint("POST", "/api/classes/{id}/learners/{learner_id}/card", TEACH, classes.create_card,
                 "Create a new card for a learner who joined without an account, shown once; the one before is void",
                 _one("The card.", class_responses.CardRow, 201), (404, 409)),
        Endpoint("GET", "/api/classes/{id}/paths", READ_CLASS, classes.list_given_paths,
                 "The paths that are given to a class",
                 _list("The paths, in the order of giving.", GivenPathRow), (404,)),
        Endpoint("POST", "/api/classes/{id}/paths", TEACH, classes.give_path,
                 "Give a path to a class: each learner gets a copy of their own, also those who join later",
                 (Status(201, "The path.", GivenPathRow),
                  Status(200, "It was given already, and has the date now.", GivenPathRow)), (404, 409),
                 body=class_requests.PathGift),
        Endpoint("DELETE", "/api/classes/{id}/paths/{given_id}", TEACH, classes.withdraw_path,
                 "Give a path to no more learners; the copies stay", (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/classes/{id}/paths/{given_id}/progress", READ_CLASS, class_page.get_progress,
                 "How far the learners of a class are with a path: states, doubt, what is due, mix-ups",
                 _one("The progress.", ClassProgress), (404,)),
        Endpoint("GET", "/api/classes/{id}/paths/{given_id}/progress.csv", READ_CLASS, class_page.download_progress,
                 "The progress of a class as a table: a row for each learner and concept",
                 (Status(200, "The table.", media_type=class_page.CSV),), (404,)),
        Endpoint("GET", "/api/classes/{id}/learners/{learner_id}/concepts/{node_id}", READ_CLASS,
                 class_page.get_concept, "How a learner stands with a concept of a given path; none of their words",
                 _one("The standing, and the last ten answers.", ConceptReport), (404,)),
        Endpoint("POST", "/api/classes/{id}/contrasts", TEACH, class_page.send_contrast,
                 "Send those who hold a mix-up a question on it, first in their next review session",
                 _one("When, and to how many.", ContrastRow, 201), (404, 409), body=class_requests.ContrastRequest),
        Endpoint("GET", "/api/account/classes/{id}/seen", READ, class_page.get_seen,
                 "What the teacher of a class sees of the caller",
                 _list("The paths that are given to the class.", SeenPath), (404,)),
        Endpoint("POST", "/api/class-code", PUBLIC, memberships.find_class, "The class that a code is for",
                 _one("The class and its teacher.", OpenClass), (404, 410), body=class_requests.ClassCode),
        Endpoint("POST", "/api/sign-in/class", PUBLIC, memberships.join_anew,
                 "Join a class without an account: get one, and a card with which to come back",
                 _one("The account, which is signed in, and its card.", class_responses.JoinedPupil, 201),
                 (404, 410, 413), body=class_requests.NewPupil),
        Endpoint("POST", "/api/sign-in/card", PUBLIC, memberships.sign_in_by_card, "Sign in with a card",
                 _one("The account; the session is in a cookie.", AccountRow), (401, 404),
                 body=class_requests.CardSignIn),
        Endpoint("GET", "/api/account/classes", READ, memberships.list_joined, "The classes that the caller has joined",
                 _list("The classes, in the order of joining.", JoinedClass)),
        Endpoint("POST", "/api/account/classes", IN_PERSON, memberships.join_class, "Join a class with its code",
                 _one("The class.", JoinedClass, 201), (404, 409, 410, 413), body=class_requests.ClassCode),
        Endpoint("GET", "/api/account/paths", READ, memberships.list_copies,
                 "The caller's paths that teachers have given, and by when they are to be learned",
                 _list("The paths, in the order of getting them.", CopiedPathRow)),
        Endpoint("GET", "/api/branches/{id}/update", READ, memberships.get_update,
                 "What a teacher has changed in the path that a branch is a copy of",
                 (Status(200, "The update, or null.", PathUpdateRow, nullable=True),), (404,)),
        Endpoint("POST", "/api/branches/{id}/update", LEARN, memberships.accept_update,
                 "Take over what a teacher has added and described differently; nothing is taken away",
                 (NO_CONTENT,), (404, 409, 413), body=class_requests.UpdateAcceptance),
        Endpoint("DELETE", "/api/account/classes/{id}", IN_PERSON, memberships.leave_class,
                 "Leave a class; one keeps what one has", (NO_CONTENT,), (404,))),
    *group("Classes", lambda web: web.account_repositories.desks,
        Endpoint("GET", "/api/classes/{id}/desk", READ_CLASS, desk.get_desk,
                 "Answers of a class that wait for a person to decide, in its given paths, without names",
                 _one("What waits, oldest first, at most 200.", DeskPage), (404,)),
        Endpoint("GET", "/api/classes/{id}/desk/{item_id}/learner", READ_CLASS, desk.get_learner,
                 "Whose answer it is", _one("The learner.", DeskLearner), (404,)),
        Endpoint("POST", "/api/classes/{id}/desk/{item_id}", TEACH, desk.decide,
                 "Decide about an answer, or change the decision; the learner's progress follows",
                 _one("The decision.", DeskDecisionRow), (404, 409), body=class_requests.DeskVerdict),
        Endpoint("DELETE", "/api/classes/{id}/desk/{item_id}", TEACH, desk.undo,
                 "Undo a decision of the last ten minutes", (NO_CONTENT,), (404, 409)),
        Endpoint("GET", "/api/classes/{id}/concerns", READ_CLASS, desk.list_concerns,
                 "Signs of distress in lessons of the given paths: who and when, never the words",
                 _one("The concerns, newest first, and what to do.", ConcernsPage), (404,)),
        Endpoint("POST", "/api/classes/{id}/concerns/{concern_id}/seen", TEACH, desk.mark_concern_seen,
                 "Say that one knows of a concern", (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/classes/{id}/shared", READ_CLASS, desk.list_shared,
                 "The conversations that learners have shared with a class",
                 _list("The conversations, newest first.", SharedLessonRow), (404,)),
        Endpoint("GET", "/api/classes/{id}/shared/{session_id}", READ_CLASS, desk.read_shared,
                 "A conversation that is shared with a class",
                 _list("The messages, oldest first.", SharedMessage), (404,)),
        Endpoint("GET", "/api/chat/sessions/{id}/share", READ, desk.get_share,
                 "With whom the caller shares a conversation",
                 (Status(200, "The class, or null.", LessonShare, nullable=True),), (404,)),
        Endpoint("POST", "/api/chat/sessions/{id}/share", IN_PERSON, desk.share,
                 "Let the teacher of one class read a conversation",
                 _one("The class.", LessonShare), (404, 409), body=class_requests.NewShare),
        Endpoint("DELETE", "/api/chat/sessions/{id}/share", IN_PERSON, desk.stop_sharing,
                 "Stop sharing a conversation", (NO_CONTENT,), (404,)),
        Endpoint("GET", "/api/account/decisions", READ, desk.list_decisions,
                 "What teachers have decided about the caller's questions",
                 _list("The decisions, newest first, at most 50.", TeacherDecision)),
        Endpoint("POST", "/api/account/decisions/seen", LEARN, desk.mark_decisions_seen,
                 "Say that one has seen all decisions so far", (NO_CONTENT,))),

    *group("Assessments",
        lambda web: DiagnosticsAndRuns(web.teaching_repositories.assessments, web.paths, web.runs),
        Endpoint("GET", "/api/agents/concepts/{id}/diagnostic", READ, diagnostics.get_diagnostic,
                 "A concept's diagnostic; the request waits while its questions are being made",
                 _one("The diagnostic.", responses.ConceptDiagnostic), (404, 409, 422, 429, 503),
                 query=requests.UserRequest)),

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
                 _list("The runs.", RunRow), (404,), query=requests.RunFilter),
        Endpoint("GET", "/api/runs/{id}", READ, runs.get_run, "One run",
                 _one("The run, with its journal and its last events.", RunHandoff), (404,)),
        Endpoint("GET", "/api/runs/{id}/events", READ, runs.follow_run, "The events of a run: replay, then live",
                 (EVENT_STREAM, Status(204, "The run is over and the cursor is at its end.")), (404, 429),
                 query=requests.CursorQuery, headers=("Last-Event-ID",)),
        Endpoint("POST", "/api/runs/{id}/cancel", LEARN, runs.cancel_run,
                 "Cancel a run; one that has ended is unchanged",
                 _one("The run.", RunRow), (404,)),
        Endpoint("POST", "/api/runs/{id}/answer", LEARN, runs.answer_run, "Answer the question that a run waits with",
                 _one("The run, which continues.", RunRow), (404, 409), body=requests.RunAnswer),
        Endpoint("POST", "/api/runs/{id}/resume", LEARN, runs.resume_run, "Resume an interrupted run",
                 _one("The run.", RunRow), (404, 409)),
        Endpoint("POST", "/api/runs/{id}/retry", LEARN, runs.retry_run, "Start a run in place of one that has ended",
                 (Status(202, "The new run.", RunRow), EXISTING_RUN), (404, 409, 503), rate_limiter=RUN_LIMITER),
        Endpoint("POST", "/api/runs/{id}/discard", LEARN, runs.discard_run, "Discard a run that failed or waits",
                 _one("The run.", RunRow), (404, 409))),
    *group("Runs", lambda web: web.runs,
        Endpoint("GET", "/api/events", READ, learner_stream.follow_learner,
                 "The events of all the caller's runs: active ones from their start or the cursor, then live",
                 (LEARNER_EVENT_STREAM,), (429,), query=requests.LearnerStreamQuery, headers=("Last-Event-ID",))),

    *group("Pages", lambda web: web.page_files,
        Endpoint("GET", "/", PUBLIC, pages.get_page, "The page", (HTML_PAGE,)),
        Endpoint("GET", "/frames/diagram", PUBLIC, pages.get_diagram_frame, "The frame that diagrams are drawn in",
                 (HTML_PAGE,)),
        Endpoint("GET", "/static/{version}/{path:path}", PUBLIC, pages.get_static_file, "A file of the page",
                 (Status(200, "The file.", media_type="*/*"),), (404,)),
        Endpoint("GET", "/docs", PUBLIC, _docs, "The API reference", (HTML_PAGE,)),
        Endpoint("GET", "/openapi.json", PUBLIC, _openapi, "The OpenAPI document", (Status(200, "OpenAPI 3.1."),))),
)
# fmt: on


def web_app(
    dependencies: WebDependencies,
    *,
    cors_origins: tuple[str, ...] = LOCAL_ORIGINS,
    allowed_hosts: tuple[str, ...] = LOCAL_HOSTS,
) -> Starlette:
    """The application over HTTP.

    Args:
        cors_origins: origins that may call from a browser: exact, with `:*` for any port, or `*` for all.
        allowed_hosts: names without port that the Host header may carry; `*` for all.
    """
    app = _application(dependencies, routes(dependencies), cors_origins, allowed_hosts)
    app.router.default = _fallback(dependencies.page_files)
    return app


def probe_app(dependencies: WebDependencies, *, allowed_hosts: tuple[str, ...] = LOCAL_HOSTS) -> Starlette:
    """The application of a worker, which only says how it is."""
    probes = [route for route in routes(dependencies) if route.path in PROBES]
    return _application(dependencies, probes, (), allowed_hosts)


def _application(
    dependencies: WebDependencies, served: list[Route], cors_origins: tuple[str, ...], allowed_hosts: tuple[str, ...]
) -> Starlette:
    app = Starlette(
        routes=served,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(CrossOriginPolicy, allowed=cors_origins),
            Middleware(AllowedHosts, allowed=allowed_hosts),
            Middleware(RequestRateLimit, limiter=dependencies.policy.rate_limiters.requests),
            Middleware(CatchAllErrors),
            Middleware(GZipMiddleware, minimum_size=GZIP_MIN_BYTES, compresslevel=GZIP_LEVEL),
        ],
        exception_handlers={
            SproutError: handle_expected,
            HTTPException: handle_http_exception,
            Exception: handle_unexpected,
        },
    )
    app.router.redirect_slashes = False
    return app


def routes(dependencies: WebDependencies) -> list[Route]:
    """One route per address, in the order of the table, so that a 405 lists all methods of the address."""
    in_order = sorted(ENDPOINTS, key=lambda endpoint: _first_place[endpoint.path])
    return [
        _route(path, list(group), dependencies) for path, group in groupby(in_order, key=lambda endpoint: endpoint.path)
    ]


_first_place = {endpoint.path: place for place, endpoint in reversed(list(enumerate(ENDPOINTS)))}


def _route(path: str, endpoints: list[AnyEndpoint], dependencies: WebDependencies) -> Route:
    by_method = {endpoint.method: endpoint for endpoint in endpoints}

    async def answer(request: Request) -> Response:
        return await by_method["GET" if request.method == "HEAD" else request.method].handle(request, dependencies)

    return Route(path, answer, methods=list(by_method), name=path)


def _fallback(page: PageFiles) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope) if scope["type"] == "http" else None
        if request is None or not pages.wants_page(request):
            raise HTTPException(404)
        await (await pages.render_page(page.folder))(scope, receive, send)

    return answer
