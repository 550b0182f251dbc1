"""Composition root: opens the parts of Sprout and joins them. The only module that knows them all."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from sprout import __version__
from sprout.accounts import given_paths, security_log
from sprout.accounts.lrs import sender
from sprout.accounts.mail_queue import MailQueue, open_mail_queue
from sprout.accounts.security_log import SecurityLogRetention
from sprout.agents.adaptation.refinement import refinement_agent
from sprout.agents.adaptation.review import review_agent
from sprout.agents.agent import AgentSpec
from sprout.agents.grading.grading import grading_agent
from sprout.agents.grading.key_check import KEY_CHECK, key_check_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.path.variants import VARIANTS, VARIANTS_POLICY, variants_agent
from sprout.agents.tutor.tutor import tutor_agent
from sprout.config import AGENT_NAMES, OFFLINE_MODEL, Settings
from sprout.documents.anki.package_writer import write_anki_package
from sprout.documents.document_worker import DocumentWorker
from sprout.documents.file_types import detect_file_type
from sprout.documents.question_files.file_reader import QuestionFileReader
from sprout.documents.sandbox.extractor import Extractor
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.record_store_client import HttpRecordStoreClient
from sprout.engines.smtp_mailer import SmtpMailer
from sprout.errors import SetupError, SproutError
from sprout.ids import new_id
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.marking.units import load_units
from sprout.learning.paths.topic_coverage import EveryTopic, TopicCoverage
from sprout.learning.reviews.items import NoItems
from sprout.learning.xapi.statements import StatementWriter
from sprout.limits import budget_limits, cost_usd, quotas, web_limits
from sprout.llm.calls_in_form import CallsInForm
from sprout.llm.model_key import ModelKey
from sprout.loop.context.tokenizer import count_tokens
from sprout.loop.model import ChatModel
from sprout.models import (
    ModelProber,
    choose_local_model,
    choose_model,
    open_model,
    path_estimate,
)
from sprout.offline.courses.added_course import NO_COURSES, AddedCourses
from sprout.offline.courses.course_folder import load_course_folder
from sprout.offline.courses.coverage import BuiltInCoverage
from sprout.offline.courses.review_items import CourseItems
from sprout.plugins import AgentFactory, load_agents, load_tools
from sprout.programs.runner import SandboxedRunner
from sprout.readiness import CONNECT_TIMEOUT_S, unready_reason
from sprout.review_variants import INTERVAL_S, VariantStarter
from sprout.roles import Role
from sprout.runs.budget.ledger import BudgetLedger, open_ledger
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.execution.dependencies import RunDependencies
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.run_store import WaitingRuns, WorkerLease
from sprout.shared_state import SharedState, open_shared_state
from sprout.sign_in import account_repositories, authentication
from sprout.store.accounts.given_paths import SqlGivenPaths
from sprout.store.accounts.security_log import SqlSecurityLog
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.s3_storage import S3Location, open_s3_storage
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.engine.urls import libpq_url, sqlite_file
from sprout.store.paths.paths import SqlPaths
from sprout.store.xapi.outbox import SqlOutbox
from sprout.stores import Stores, create_stores
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.run_log import RunLogger
from sprout.telemetry.spans import RunSpans
from sprout.telemetry.tracing import open_tracer
from sprout.web.http.dependencies import (
    PageFiles,
    PathRepositories,
    RequestPolicy,
    ServerProbes,
    TeachingRepositories,
    WebDependencies,
)
from sprout.web.http.open_streams import OpenStreams

log = logging.getLogger(__name__)

OFFLINE_NOTE = (
    "No model key is set, so Sprout uses its built-in offline model. It builds real paths from your notes; "
    "for any other topic, add a key."
)
UPLOAD_ENDINGS = (".pdf", ".docx", ".pptx", ".html", ".htm", ".md", ".markdown", ".txt")


@dataclass(frozen=True, slots=True)
class Sprout:
    """The parts of a running Sprout, joined."""

    settings: Settings
    database: Database
    stores: Stores
    runs: LiveRuns
    metrics: Metrics
    ledger: BudgetLedger
    model_url: str | None
    coverage: TopicCoverage
    shared: SharedState
    prober: ModelProber
    model_key: ModelKey
    mails: MailQueue | None = None
    extra_agents: tuple[str, ...] = ()

    async def unready_reason(self) -> str | None:
        """Why this server should get no requests now; None if it is ready."""
        return await unready_reason(self.runs, self.database, self.model_url)

    async def exposition(self, accept: str) -> tuple[bytes, str]:
        """The metrics of this process, and the runs of all processes that wait for a worker."""
        return self.metrics.exposition(accept, await self._waiting_runs())

    async def _waiting_runs(self) -> WaitingRuns | None:
        """None while the database does not respond: /readyz says so, and the process has metrics of its own."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return await self.stores.runs.waiting_runs()
        except (SproutError, TimeoutError):
            return None

    async def status(self, user_id: str) -> dict[str, JsonValue]:
        """The data that the page of a learner loads first: models, estimated costs, limits of uploads, budget."""
        settings = self.settings
        models = {agent: settings.model_of(agent, small=False) for agent in ("topic", "subconcept")}
        small = settings.model_of("topic", small=True)
        probed = await self.prober.latest()
        probes = {one.model: one.probe for one in probed if one.probe is not None}
        return {
            "version": __version__,
            "model": {
                "name": models["topic"],
                "offline": settings.offline,
                "ready": True,
                "server": None if settings.base_url is None else urlsplit(settings.base_url).hostname,
                "note": OFFLINE_NOTE if settings.offline else None,
                "keySource": self.model_key.source,
                "keyWaitsForRestart": self.model_key.waits_for_restart,
            },
            "localModel": _local_model(settings),
            "securityLogDays": settings.security_log_days,
            "models": {**models, "small": small},
            "probes": [one.model_dump(mode="json", by_alias=True) for one in probed],
            "agents": [*self.extra_agents],
            "limits": {
                "uploadMaxBytes": settings.upload_max_bytes,
                "uploadMaxFiles": settings.upload_max_files,
                "uploadTypes": list(UPLOAD_ENDINGS),
            },
            "estimate": {
                "small": path_estimate(small, small, small=True, probes=probes),
                "full": path_estimate(models["topic"], models["subconcept"], small=False, probes=probes),
            },
            "budget": await self.ledger.status(user_id),
            "suggestions": [
                {"title": course.title, "desc": course.desc, "concepts": course.concepts}
                for course in self.coverage.courses()
            ],
        }


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    extra_agents: Sequence[AgentFactory] = (),
    role: Role = Role.COMMAND,
    replace_model: ChatModel | None = None,
) -> AsyncIterator[Sprout]:
    """Open every part of Sprout; they are closed in reverse order. Raises SetupError, which says what to fix.

    Args:
        extra_agents: agents besides those of the settings; one with the name of a built-in one replaces it.
        replace_model: is called in place of the configured model, under the same names.
    """
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        # Both load their tables now, so that no learner waits for them.
        await asyncio.gather(asyncio.to_thread(count_tokens, ""), asyncio.to_thread(load_units))
        database = await stack.enter_async_context(open_database(settings.database, quotas=quotas(settings)))
        # Closed after the runs, whose last words go over its bus.
        shared = await stack.enter_async_context(open_shared_state(settings))
        bus, files = shared.bus, await _storage(settings)
        documents = SqlDocumentQueue(database, storage=files)
        document_worker = DocumentWorker(documents, Extractor())
        dispatcher, announce_document = await _dispatcher(settings, role, document_worker)
        paths = SqlPaths(database, bus.publish, storage=files, on_document_added=announce_document)
        added = await asyncio.to_thread(_added_courses, settings)
        items = CourseItems(added) if settings.offline else NoItems()
        stores = create_stores(settings, database, bus, dispatcher, paths, documents, items)
        await stores.prepare()
        if role is not Role.WEB:
            await stack.enter_async_context(document_worker.running(process_backlog=role.takes_work))
        observer = await stack.enter_async_context(_observer(settings))
        observer.metrics.watch_gate(shared.gate)
        budgets = open_ledger(
            stores.spending,
            budget_limits(settings),
            cost_usd,
            has_classes=bool(settings.auth),
            local_model=settings.local_model,
        )
        ledger = await stack.enter_async_context(budgets)
        extra = _extra_agents(settings, stores, extra_agents)
        coverage: TopicCoverage = BuiltInCoverage(added) if settings.offline else EveryTopic()
        model, model_url = await stack.enter_async_context(open_model(settings, added))
        dependencies = RunDependencies(
            store=stores.runs,
            bus=bus,
            dispatcher=dispatcher,
            lease=_lease(settings),
            model=replace_model or (model if settings.offline else CallsInForm(model, stores.probes)),
            agents={agent.name: agent for agent in _agents(settings, stores, coverage, extra)},
            choose_model=partial(choose_model, settings),
            local_model=choose_local_model(settings),
            gate=shared.gate,
            observer=observer,
            ledger=ledger,
            probes=None if settings.offline else stores.probes,
            memories=stores.memories,
            claims_new_runs=not role.shares_work,
        )
        runs = await stack.enter_async_context(_live_runs(settings, dependencies, role))
        if role.takes_work and (starter := _variant_starter(settings, stores, runs, ledger)) is not None:
            dispatcher.every(INTERVAL_S, starter.start_lacking)
        if role.takes_work and settings.auth:
            dispatcher.every(given_paths.INTERVAL_S, given_paths.PathGiver(SqlGivenPaths(database)).give_lacking)
            retention = SecurityLogRetention(SqlSecurityLog(database), settings.security_log_days)
            dispatcher.every(security_log.INTERVAL_S, retention.delete_old)
            dispatcher.every(sender.INTERVAL_S, _statement_sender(settings, database).send_waiting)
        mails = None
        if settings.smtp is not None and role is not Role.WORKER:
            mailer = SmtpMailer(settings.smtp, site=settings.public_url or "")
            mails = await stack.enter_async_context(open_mail_queue(mailer))
        yield Sprout(
            settings=settings,
            database=database,
            stores=stores,
            runs=runs,
            metrics=observer.metrics,
            ledger=ledger,
            model_url=model_url,
            coverage=coverage,
            shared=shared,
            prober=ModelProber(settings, model, stores.probes),
            model_key=ModelKey(
                settings.data_dir,
                settings.api_key,
                settings.key_source,
                many_processes=settings.redis_url is not None,
            ),
            mails=mails,
            extra_agents=tuple(agent.name for agent in extra if agent.name not in AGENT_NAMES),
        )


def _local_model(settings: Settings) -> dict[str, JsonValue] | None:
    """The local model as the page names it; None if none is configured."""
    if settings.local_model is None:
        return None
    return {"name": settings.local_model, "server": urlsplit(settings.local_base_url or "").hostname}


def _added_courses(settings: Settings) -> AddedCourses:
    """The courses of the configured folder; files that cannot be used are logged, and stop nothing."""
    if not settings.offline or settings.courses_dir is None:
        return NO_COURSES
    found = load_course_folder(settings.courses_dir)
    for fault in found.faults:
        log.warning("courses.not_offered", extra={"path": str(fault.file), "line": fault.line, "reason": fault.reason})
    return found.added


def _extra_agents(settings: Settings, stores: Stores, factories: Sequence[AgentFactory]) -> list[AgentSpec]:
    graphs = stores.path_repository
    return [*load_agents(settings, graphs), *(make(graphs, settings) for make in factories)]


def _agents(settings: Settings, stores: Stores, coverage: TopicCoverage, extra: Sequence[AgentSpec]) -> list[AgentSpec]:
    """All agents; a later one replaces an earlier one of the same name. The tutor may delegate to the others, but not
    to the key check where its questions are authored, or keys are not to be checked."""
    graphs, keys, adaptations = stores.path_repository, stores.answer_keys, stores.adaptations
    programs = ProgramMarker(SandboxedRunner(), stores.gradebook)
    agents = [
        topic_agent(graphs, coverage=coverage),
        subconcept_agent(graphs, keys=keys if settings.verify_keys else None),
        key_check_agent(graphs, keys),
        grading_agent(graphs, stores.gradebook, programs),
        refinement_agent(graphs, adaptations),
        review_agent(graphs, adaptations),
        *extra,
    ]
    checks_lessons = settings.verify_keys and not settings.offline
    variants = variants_agent(graphs, stores.variants, keys=keys if settings.verify_keys else None)
    tutor = tutor_agent(
        stores.lessons,
        graphs,
        stores.memories,
        programs=programs,
        helpers=[agent.name for agent in agents if agent.name != KEY_CHECK or checks_lessons],
        care_text=settings.care_text,
        extra_tools=load_tools(settings, graphs),
    )
    return [_configured(agent, settings) for agent in (variants, *agents, tutor)]


def _configured(agent: AgentSpec, settings: Settings) -> AgentSpec:
    """The agent with the settings of its loop. Raises SetupError."""
    return replace(
        agent,
        policy=settings.policy(agent.name, agent.policy),
        mechanisms=settings.mechanisms(agent.name, agent.mechanisms),
    )


def _variant_starter(settings: Settings, stores: Stores, runs: LiveRuns, ledger: BudgetLedger) -> VariantStarter | None:
    """The starter of runs for variants; None where the model is the offline one, which cannot write any."""
    model = settings.model_of(VARIANTS, small=False)
    if model == OFFLINE_MODEL:
        return None
    policy = settings.policy(VARIANTS, VARIANTS_POLICY)
    return VariantStarter(stores.variants, runs, ledger, model, policy.max_output_tokens)


def _statement_sender(settings: Settings, database: Database) -> sender.StatementSender:
    client = HttpRecordStoreClient(settings.lrs_hosts)
    return sender.StatementSender(SqlOutbox(database), client, StatementWriter(settings.public_url))


async def _dispatcher(
    settings: Settings, role: Role, document_worker: DocumentWorker
) -> tuple[Dispatcher, Callable[[WriteTransaction], None]]:
    """The dispatcher of the role, and what is done in a transaction that adds a document. Raises SetupError."""
    if not role.shares_work:
        return AsyncioDispatcher(), document_worker.wake_after
    # Imported where it is needed: it is in an extra.
    from sprout.engines.procrastinate_dispatcher import ProcrastinateDispatcher
    from sprout.engines.procrastinate_schema import require_current_queue

    url = libpq_url(settings.database)
    await asyncio.to_thread(require_current_queue, url)
    places = settings.worker_runs if role is Role.WORKER else 0
    dispatcher = ProcrastinateDispatcher(url, places=places, on_document=document_worker.wake)
    return dispatcher, dispatcher.announce_document


def _live_runs(settings: Settings, dependencies: RunDependencies, role: Role) -> AbstractAsyncContextManager[LiveRuns]:
    timing = settings.runs
    return live_runs(
        dependencies,
        heartbeat_s=timing.heartbeat_s,
        sweep_s=timing.sweep_s,
        keep_events_days=timing.keep_events_days,
        executes=role is not Role.WEB,
        resume=role.takes_work,
    )


def _lease(settings: Settings) -> WorkerLease:
    """The lease of this process; exclusive on SQLite, whose file is locked."""
    exclusive = sqlite_file(settings.database) is not None
    return WorkerLease(new_id(), settings.runs.lease_s, exclusive=exclusive, auto_resume=settings.runs.auto_resume)


async def _storage(settings: Settings) -> Storage:
    """The storage of documents: the data folder, or the configured bucket. Raises SetupError."""
    if settings.documents_url is None:
        return LocalStorage(settings.data_dir / "documents")
    s3 = settings.s3
    return await open_s3_storage(
        S3Location(
            settings.documents_url,
            endpoint=s3.endpoint or settings.aws_endpoint_url,
            region=s3.region or settings.aws_region,
            access_key_id=s3.access_key_id or settings.aws_access_key_id,
            secret_access_key=s3.secret_access_key or settings.aws_secret_access_key,
        )
    )


@asynccontextmanager
async def _observer(settings: Settings) -> AsyncIterator[RunObserver]:
    """Metrics and the log always; spans where a collector is configured."""
    if not settings.tracing_enabled:
        yield RunObserver(Metrics(), RunLogger())
        return
    async with open_tracer(settings.otlp_endpoint, version=__version__) as tracer:
        yield RunObserver(Metrics(), RunLogger(), RunSpans(tracer))


def static_dir() -> Path:
    """The folder of the page: inside an installed package, beside it in a checkout."""
    package = Path(str(files("sprout")))
    for folder in (package / "static", package.parent / "static"):
        if (folder / "index.html").is_file():
            return folder
    raise SetupError("The page's files are missing: install Sprout again.")


def web_dependencies(sprout: Sprout) -> WebDependencies:
    """The dependencies of the web application."""
    settings, stores = sprout.settings, sprout.stores
    accounts = account_repositories(settings, sprout.database, sprout.shared.take_token, sprout.mails)
    return WebDependencies(
        path_repositories=PathRepositories(
            paths=stores.paths,
            contents=stores.contents,
            exchange=stores.exchange,
            sources=stores.sources,
            left_out=stores.left_out,
            progress=stores.progress,
            question_sets=stores.question_sets,
        ),
        teaching_repositories=TeachingRepositories(
            assessments=stores.assessments,
            answer_keys=stores.answer_keys,
            conversations=stores.conversations,
            lessons=stores.lessons,
            memories=stores.memories,
            reports=stores.reports,
            misconceptions=stores.misconceptions,
            reviews=stores.reviews,
            placements=stores.placements,
            flashcards=stores.flashcards,
            question_imports=stores.question_imports,
        ),
        account=stores.account,
        account_repositories=accounts,
        runs=sprout.runs,
        server_probes=ServerProbes(
            status=sprout.status,
            database_ok=sprout.database.is_reachable,
            metrics=sprout.exposition,
            unready_reason=sprout.unready_reason,
            probe_models=sprout.prober.probe,
        ),
        model_key=sprout.model_key,
        page_files=PageFiles(static_dir(), __version__),
        detect_media_type=partial(recognise_upload, max_bytes=settings.upload_max_bytes),
        write_flashcards=write_anki_package,
        read_question_file=QuestionFileReader().read,
        extra_agents=sprout.extra_agents,
        coverage=sprout.coverage,
        policy=RequestPolicy(
            authentication(settings, accounts),
            web_limits(settings),
            open_streams=OpenStreams(sprout.metrics.track_stream, sprout.shared.learner_streams),
            take_token=sprout.shared.take_token,
        ),
    )


def recognise_upload(filename: str, mime_type: str, content: bytes, *, max_bytes: int) -> tuple[str, str]:
    """The name of an upload, and its media type by its bytes. Raises TooLarge, UnsupportedType, BadInput."""
    name, kind = detect_file_type(filename, mime_type, content, max_bytes=max_bytes)
    return name, kind.media_type
