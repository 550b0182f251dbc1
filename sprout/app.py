"""Chooses the parts and joins them; the only module that knows them all."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from sprout import __version__
from sprout.agents.agent import AgentSpec
from sprout.agents.grading import GRADING_POLICY, grading_agent
from sprout.agents.key_check import KEY_CHECK_POLICY, key_check_agent
from sprout.agents.refinement import REFINEMENT_POLICY, refinement_agent
from sprout.agents.review import REVIEW_POLICY, review_agent
from sprout.agents.saving import PATH_POLICY
from sprout.agents.subconcept import subconcept_agent
from sprout.agents.topic import topic_agent
from sprout.agents.tutor import TUTOR_POLICY, tutor_agent
from sprout.config import AGENT_NAMES, Settings
from sprout.documents.passages import passages_of
from sprout.documents.reading import read_document
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.errors import SetupError
from sprout.events import Usage
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.llm.catalogue import UNKNOWN, facts_of
from sprout.llm.claude import Claude, claude_client
from sprout.llm.estimate import estimate
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy
from sprout.loop.tokens import count_tokens
from sprout.offline.courses import courses
from sprout.offline.demo import demo_model
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.runs.budget import DEPLOYMENT, LEARNER, Limit
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, live_runs
from sprout.runs.log import Claim
from sprout.runs.parts import ModelChoice, Parts
from sprout.runs.purse import Purse, open_purse
from sprout.store.account import SqlAccount
from sprout.store.assessments import SqlAssessments
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
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from sprout.store.urls import sqlite_file
from sprout.telemetry.lines import LogLines
from sprout.telemetry.metrics import Metrics
from sprout.telemetry.observer import RunObserver
from sprout.telemetry.spans import RunSpans
from sprout.telemetry.tracing import tracing_to
from sprout.web.parts import LOCAL_HOSTS, Limits, WebParts

OFFLINE_FIRST_TOKEN_S = 0.3
OFFLINE_NOTE = (
    "No model key is set, so Sprout uses its built-in offline model. It builds real paths from your notes; "
    "for any other topic, add a key."
)
UPLOAD_ENDINGS = (".md", ".markdown", ".txt")
AgentMaker = Callable[[SqlShelf, Settings], AgentSpec]


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
            "limits": {
                "uploadMaxBytes": settings.upload_max_bytes,
                "uploadMaxFiles": settings.upload_max_files,
                "uploadTypes": list(UPLOAD_ENDINGS),
            },
            "estimate": {
                "small": _estimated(small, small, small=True),
                "full": _estimated(models["topic"], models["subconcept"], small=False),
            },
            "budget": await self.purse.standing(DEFAULT_USER_ID),
            "suggestions": [
                {"title": course.title, "desc": course.desc, "concepts": len(course.concepts)} for course in courses()
            ]
            if settings.offline
            else [],
        }


def _estimated(topic_model: str, subconcept_model: str, *, small: bool) -> dict[str, JsonValue]:
    figures = estimate(topic_model=topic_model, subconcept_model=subconcept_model, small=small)
    return {to_camel(name): value for name, value in asdict(figures).items()}


@asynccontextmanager
async def open_app(
    settings: Settings, *, extra_agents: Sequence[AgentMaker] = (), take_up: bool = False
) -> AsyncIterator[Sprout]:
    """Open everything that Sprout is made of; closed in reverse order. Raises SetupError, with what to mend.

    Args:
        take_up: whether to go on with runs that were cut off: a server does.
    """
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(count_tokens, "")  # loads its table once, before a learner would wait for it
        database = await stack.enter_async_context(open_database(settings.database))
        bus, dispatcher = MemoryBus(), AsyncioDispatcher()
        store = SqlRunStore(database, bus.publish, dispatcher)
        shelf = SqlShelf(database, bus.publish, split=passages_of)
        keys = SqlKeys(database, bus.publish)
        refining = SqlRefining(database, bus.publish)
        library = SqlLibrary(database, bus.publish, files=Files(settings.data_dir / "documents"))
        tutoring, memories = SqlTutoring(database, bus.publish), SqlMemories(database, bus.publish)
        await library.ensure_user(DEFAULT_USER_ID)
        await library.sweep_files()
        observer = await stack.enter_async_context(_observer(settings))
        gate = ModelGate(per_root=settings.runs.children, most=settings.runs.model_calls)
        observer.metrics.watch_gate(gate)
        purse = await stack.enter_async_context(open_purse(SqlSpending(database), _limits(settings), _cost_usd))
        agents = [
            topic_agent(shelf, settings.policy("topic", PATH_POLICY)),
            subconcept_agent(
                shelf, settings.policy("subconcept", PATH_POLICY), keys=keys if settings.verify_keys else None
            ),
            key_check_agent(shelf, keys, settings.policy("key_check", KEY_CHECK_POLICY)),
            grading_agent(shelf, SqlGradebook(database, bus.publish), settings.policy("grading", GRADING_POLICY)),
            refinement_agent(shelf, refining, settings.policy("refinement", REFINEMENT_POLICY)),
            review_agent(shelf, refining, settings.policy("review", REVIEW_POLICY)),
            *(make(shelf, settings) for make in extra_agents),
        ]
        agents.append(
            tutor_agent(
                tutoring,
                shelf,
                memories,
                settings.policy("tutor", TUTOR_POLICY),
                helpers=[agent.name for agent in agents],
                care_text=settings.care_text,
            )
        )
        parts = Parts(
            store=store,
            bus=bus,
            dispatcher=dispatcher,
            claim=_claim(settings),
            model=await stack.enter_async_context(_model(settings)),
            agents={agent.name: agent for agent in agents},
            choose=partial(_chosen, settings),
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
        )


def _claim(settings: Settings) -> Claim:
    """This process as a carrier of runs; on SQLite, whose file is locked, it is the only one."""
    numbers = settings.runs
    alone = sqlite_file(settings.database) is not None
    return Claim(new_id(), numbers.lease_s, alone=alone, resume=numbers.auto_resume)


@asynccontextmanager
async def _observer(settings: Settings) -> AsyncIterator[RunObserver]:
    """Who looks on: counts and the log always, spans where a collector was named."""
    if not settings.traced:
        yield RunObserver(Metrics(), LogLines())
        return
    async with tracing_to(settings.otlp_endpoint, version=__version__) as tracer:
        yield RunObserver(Metrics(), LogLines(), RunSpans(tracer))


def _chosen(settings: Settings, agent: str, small: bool) -> ModelChoice:
    name = settings.model_of(agent, small=small)
    facts = facts_of(name)
    return ModelChoice(
        name,
        settings.fallback_of(name),
        settings.model_of(agent, small=True),
        settings.offline,
        ModelTraits(facts.window, facts.max_output, facts.forces_tools and facts.thinking == "none", facts.priced),
    )


def _limits(settings: Settings) -> dict[str, Limit]:
    """The budgets of a day. Raises SetupError: one in dollars cannot be kept, since a model's price is not known."""
    budgets = settings.budgets
    if budgets.in_dollars_alone and (unpriced := _unpriced(settings)):
        raise SetupError(
            f"The price of the model {unpriced[0]!r} is not known, so a budget in dollars cannot be kept. Set one in "
            "tokens beside it: SPROUT_BUDGETS__LEARNER_TOKENS_PER_DAY, SPROUT_BUDGETS__DEPLOYMENT_TOKENS_PER_DAY."
        )
    return {
        LEARNER: Limit(budgets.learner_usd_per_day, budgets.learner_tokens_per_day),
        DEPLOYMENT: Limit(budgets.deployment_usd_per_day, budgets.deployment_tokens_per_day),
    }


def _unpriced(settings: Settings) -> Sequence[str]:
    """The models in use whose price is not known."""
    models = {settings.model_of(agent, small=small) for agent in AGENT_NAMES for small in (False, True)}
    models |= {fallback for model in models if (fallback := settings.fallback_of(model)) is not None}
    return sorted(model for model in models if facts_of(model) is UNKNOWN)


def _cost_usd(model: str, usage: Usage) -> float | None:
    """What a usage of a model costs; None where its price is not known."""
    facts = facts_of(model)
    return None if facts is UNKNOWN else facts.priced(usage).cost_usd


@asynccontextmanager
async def _model(settings: Settings) -> AsyncIterator[Claude]:
    """The model behind the Messages API: the one that was named, or the built-in one on a port of its own."""
    policy = settings.policy("topic", LoopPolicy())
    async with AsyncExitStack() as stack:
        base_url = settings.base_url
        if settings.offline:
            pace = Pace(OFFLINE_FIRST_TOKEN_S, settings.offline_tokens_per_s)
            server = await stack.enter_async_context(running_offline_server(demo_model(), pace=pace, keep_requests=0))
            base_url = server.base_url
        client = claude_client(api_key=settings.api_key or "not-needed", base_url=base_url, idle_s=policy.stream_idle_s)
        yield Claude(await stack.enter_async_context(client), thinking_tokens=policy.thinking_tokens)


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
        read_document=partial(read_document, max_bytes=settings.upload_max_bytes),
        status=sprout.status,
        database_ok=sprout.database.answers,
        lifespan=lambda _: nullcontext(),
        static_dir=static_dir(),
        version=__version__,
        cors_origins=settings.cors_origins,
        allowed_hosts=(*LOCAL_HOSTS, bracketed(settings.host)),
        limits=Limits(upload_max_bytes=settings.upload_max_bytes, upload_max_files=settings.upload_max_files),
    )


def bracketed(host: str) -> str:
    """The host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
