"""Chooses the parts and joins them; the only module that knows them all."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from sprout import __version__
from sprout.addresses import known_names
from sprout.agents.grading import GRADING_POLICY, grading_agent
from sprout.agents.key_check import KEY_CHECK_POLICY, key_check_agent
from sprout.agents.refinement import REFINEMENT_POLICY, refinement_agent
from sprout.agents.review import REVIEW_POLICY, review_agent
from sprout.agents.saving import PATH_POLICY
from sprout.agents.subconcept import subconcept_agent
from sprout.agents.topic import topic_agent
from sprout.agents.tutor import TUTOR_POLICY, tutor_agent
from sprout.allotted import budgets_of_a_day, cost_usd, limits_of_web, quotas
from sprout.config import AGENT_NAMES, Settings
from sprout.documents.extracting import Extractor
from sprout.documents.intake import Intake
from sprout.documents.kinds import recognised
from sprout.documents.passages import passages_of
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.errors import SetupError
from sprout.extending import AgentMaker, added_agents, added_tools
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.loop.tokens import count_tokens
from sprout.models import asked_model, chosen, estimated
from sprout.offline.courses import courses
from sprout.readiness import missing
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, live_runs
from sprout.runs.log import Claim
from sprout.runs.parts import Parts
from sprout.runs.purse import Purse, open_purse
from sprout.store.account import SqlAccount
from sprout.store.assessments import SqlAssessments
from sprout.store.bucket import BucketPlace, open_bucket
from sprout.store.contents import SqlContents
from sprout.store.database import Database, open_database
from sprout.store.exchange import SqlExchange
from sprout.store.files import Files
from sprout.store.gradebook import SqlGradebook
from sprout.store.keys import SqlKeys
from sprout.store.library import SqlLibrary
from sprout.store.memories import SqlMemories
from sprout.store.progressing import SqlProgress
from sprout.store.refining import SqlRefining
from sprout.store.reports import SqlReports
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.sources import SqlSources
from sprout.store.spending import SqlSpending
from sprout.store.storage import Storage
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from sprout.store.unread import SqlPile
from sprout.store.urls import sqlite_file
from sprout.telemetry.lines import LogLines
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.spans import RunSpans
from sprout.telemetry.tracing import tracing_to
from sprout.web.parts import WebParts

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
    library: SqlLibrary
    shelf: SqlShelf
    keys: SqlKeys
    exchange: SqlExchange
    tutoring: SqlTutoring
    memories: SqlMemories
    runs: LiveRuns
    metrics: Metrics
    purse: Purse
    model_url: str | None
    extra_agents: tuple[str, ...] = ()

    async def missing(self) -> str | None:
        """Why requests should be sent elsewhere now; None where nothing is missing."""
        return await missing(self.runs, self.database, self.model_url)

    async def status(self) -> dict[str, JsonValue]:
        """What a page has to know before anything else: the models, what they cost, what may be uploaded."""
        settings = self.settings
        models = {agent: settings.model_of(agent, small=False) for agent in ("topic", "subconcept")}
        small = settings.model_of("topic", small=True)
        return {
            "version": __version__,
            "model": {
                "name": models["topic"],
                "offline": settings.offline,
                "ready": True,
                "server": None if settings.base_url is None else urlsplit(settings.base_url).hostname,
                "note": OFFLINE_NOTE if settings.offline else None,
            },
            "models": {**models, "small": small},
            "agents": [*self.extra_agents],
            "limits": {
                "uploadMaxBytes": settings.upload_max_bytes,
                "uploadMaxFiles": settings.upload_max_files,
                "uploadTypes": list(UPLOAD_ENDINGS),
            },
            "estimate": {
                "small": estimated(small, small, small=True),
                "full": estimated(models["topic"], models["subconcept"], small=False),
            },
            "budget": await self.purse.standing(DEFAULT_USER_ID),
            "suggestions": [
                {"title": course.title, "desc": course.desc, "concepts": len(course.concepts)} for course in courses()
            ]
            if settings.offline
            else [],
        }


@asynccontextmanager
async def open_app(
    settings: Settings, *, extra_agents: Sequence[AgentMaker] = (), take_up: bool = False
) -> AsyncIterator[Sprout]:
    """Open everything that Sprout is made of; closed in reverse order. Raises SetupError, with what to mend.

    Args:
        extra_agents: agents besides those of the settings; one with the name of a built-in one takes its place.
        take_up: whether to go on with runs that were cut off: a server does.
    """
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(count_tokens, "")  # loads its table once, before a learner would wait for it
        database = await stack.enter_async_context(open_database(settings.database, quotas=quotas(settings)))
        bus, dispatcher = MemoryBus(), AsyncioDispatcher()
        store = SqlRunStore(database, bus.publish, dispatcher)
        shelf = SqlShelf(database, bus.publish, split=passages_of)
        keys = SqlKeys(database, bus.publish)
        refining = SqlRefining(database, bus.publish)
        files = await _storage(settings)
        pile = SqlPile(database, files=files)
        intake = Intake(pile, Extractor())
        library = SqlLibrary(database, bus.publish, files=files, to_read=intake.tell)
        tutoring, memories = SqlTutoring(database, bus.publish), SqlMemories(database, bus.publish)
        await library.ensure_user(DEFAULT_USER_ID)
        await library.sweep_files()
        await pile.nobody_reads()
        await stack.enter_async_context(intake.running(take_up=take_up))
        observer = await stack.enter_async_context(_observer(settings))
        gate = ModelGate(per_root=settings.runs.children, most=settings.runs.model_calls)
        observer.metrics.watch_gate(gate)
        purse = await stack.enter_async_context(open_purse(SqlSpending(database), budgets_of_a_day(settings), cost_usd))
        agents = [
            topic_agent(shelf, settings.policy("topic", PATH_POLICY)),
            subconcept_agent(
                shelf, settings.policy("subconcept", PATH_POLICY), keys=keys if settings.verify_keys else None
            ),
            key_check_agent(shelf, keys, settings.policy("key_check", KEY_CHECK_POLICY)),
            grading_agent(shelf, SqlGradebook(database, bus.publish), settings.policy("grading", GRADING_POLICY)),
            refinement_agent(shelf, refining, settings.policy("refinement", REFINEMENT_POLICY)),
            review_agent(shelf, refining, settings.policy("review", REVIEW_POLICY)),
        ]
        added = [*added_agents(settings, shelf), *(make(shelf, settings) for make in extra_agents)]
        agents += added
        agents.append(
            tutor_agent(
                tutoring,
                shelf,
                memories,
                settings.policy("tutor", TUTOR_POLICY),
                helpers=[agent.name for agent in agents],
                care_text=settings.care_text,
                extra_tools=added_tools(settings, shelf),
            )
        )
        model, model_url = await stack.enter_async_context(asked_model(settings))
        parts = Parts(
            store=store,
            bus=bus,
            dispatcher=dispatcher,
            claim=_claim(settings),
            model=model,
            agents={agent.name: agent for agent in agents},
            choose=partial(chosen, settings),
            gate=gate,
            observer=observer,
            purse=purse,
        )
        numbers = settings.runs
        runs = await stack.enter_async_context(
            live_runs(
                parts,
                beat_s=numbers.heartbeat_s,
                sweep_s=numbers.sweep_s,
                keep_events_days=numbers.keep_events_days,
                take_up=take_up,
            )
        )
        yield Sprout(
            settings,
            database,
            library,
            shelf,
            keys,
            SqlExchange(database),
            tutoring,
            memories,
            runs,
            observer.metrics,
            purse,
            model_url,
            tuple(agent.name for agent in added if agent.name not in AGENT_NAMES),
        )


def _claim(settings: Settings) -> Claim:
    """This process as a carrier of runs; on SQLite, whose file is locked, it is the only one."""
    numbers = settings.runs
    alone = sqlite_file(settings.database) is not None
    return Claim(new_id(), numbers.lease_s, alone=alone, resume=numbers.auto_resume)


async def _storage(settings: Settings) -> Storage:
    """Where documents are kept: in the data folder, or in the bucket that was named. Raises SetupError."""
    if settings.documents_url is None:
        return Files(settings.data_dir / "documents")
    chosen = settings.s3
    return await open_bucket(
        BucketPlace(
            settings.documents_url,
            endpoint=chosen.endpoint or settings.aws_endpoint_url,
            region=chosen.region or settings.aws_region,
            access_key_id=chosen.access_key_id or settings.aws_access_key_id,
            secret_access_key=chosen.secret_access_key or settings.aws_secret_access_key,
        )
    )


@asynccontextmanager
async def _observer(settings: Settings) -> AsyncIterator[RunObserver]:
    """Who looks on: counts and the log always, spans where a collector was named."""
    if not settings.traced:
        yield RunObserver(Metrics(), LogLines())
        return
    async with tracing_to(settings.otlp_endpoint, version=__version__) as tracer:
        yield RunObserver(Metrics(), LogLines(), RunSpans(tracer))


def static_dir() -> Path:
    """The folder of the page: inside the package where Sprout is installed, beside it in a checkout."""
    package = Path(str(files("sprout")))
    for folder in (package / "static", package.parent / "static"):
        if (folder / "index.html").is_file():
            return folder
    raise SetupError("The page's files are missing: install Sprout again.")


def web_parts(sprout: Sprout) -> WebParts:
    """What the web is given."""
    settings = sprout.settings
    return WebParts(
        library=sprout.library,
        assessments=SqlAssessments(sprout.database, with_keys=settings.expose_answers),
        contents=SqlContents(sprout.database),
        exchange=sprout.exchange,
        sources=SqlSources(sprout.database),
        keys=sprout.keys,
        progress=SqlProgress(sprout.database),
        talk=SqlTalk(sprout.database),
        tutoring=sprout.tutoring,
        memories=sprout.memories,
        reports=SqlReports(sprout.database),
        account=SqlAccount(sprout.database, files=sprout.library.files),
        runs=sprout.runs,
        metrics=sprout.metrics,
        recognised=partial(media_type_of, max_bytes=settings.upload_max_bytes),
        status=sprout.status,
        database_ok=sprout.database.answers,
        missing=sprout.missing,
        lifespan=lambda _: nullcontext(),
        static_dir=static_dir(),
        version=__version__,
        cors_origins=settings.cors_origins,
        allowed_hosts=known_names(settings.host),
        extra_agents=sprout.extra_agents,
        limits=limits_of_web(settings),
    )


def media_type_of(filename: str, mime_type: str, content: bytes, *, max_bytes: int) -> tuple[str, str]:
    """The name of a file and the media type of what its bytes are. Raises TooLarge, UnsupportedType, BadInput."""
    name, kind = recognised(filename, mime_type, content, max_bytes=max_bytes)
    return name, kind.media_type
