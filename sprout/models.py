"""Model choice per agent, cost estimates of paths, the model client, and probes of the models in use."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from types import MappingProxyType
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from sprout.agents.path.subconcept import SUBCONCEPTS, SUBCONCEPTS_SMALL
from sprout.agents.path.topic import CONCEPTS, CONCEPTS_SMALL
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import Conflict, SetupError
from sprout.learning.lessons.lesson_history import DEFAULT_MINUTES
from sprout.llm.catalogue import facts_of
from sprout.llm.claude import Claude, claude_client
from sprout.llm.path_cost import estimate_path_cost, pace_of
from sprout.llm.probe import probe_model
from sprout.llm.routes import ModelRoutes
from sprout.loop.model import ChatModel, ModelTraits
from sprout.loop.policy import LoopPolicy
from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.demo.router import demo_model
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.public_address import is_near
from sprout.runs.execution.dependencies import ModelChoice
from sprout.runs.model_probes import ModelProbe, ModelProbes, ProbedModel

OFFLINE_FIRST_TOKEN_S = 0.3
ANTHROPIC = "https://api.anthropic.com"
SMALL_MODE, FALLBACK, LOCAL = "small mode", "fallback", "local model of classes"
NO_PROBES: Mapping[str, ModelProbe] = MappingProxyType({})


def choose_model(settings: Settings, agent: str, small: bool) -> ModelChoice:
    """The model of an agent, in small mode or not."""
    name = settings.model_of(agent, small=small)
    return ModelChoice(
        name,
        settings.fallback_of(name),
        settings.model_of(agent, small=True),
        settings.offline,
        _traits_of(name),
    )


def choose_local_model(settings: Settings) -> ModelChoice | None:
    """The local model for all agents, of which there is no fallback; None if none is configured.

    Raises SetupError: another model in use has its name, by which requests find their server.
    """
    name = settings.local_model
    if name is None:
        return None
    if name in _users_of_models(settings):
        raise SetupError(
            f"SPROUT_LOCAL_MODEL has the name of another model in use, {name!r}: give one of them another."
        )
    return ModelChoice(name, None, name, offline=False, traits=_traits_of(name))


def _traits_of(name: str) -> ModelTraits:
    facts = facts_of(name)
    return ModelTraits(facts.window, facts.max_output, facts.forces_tools and facts.thinking == "none", facts.priced)


def path_estimate(
    topic_model: str, subconcept_model: str, *, small: bool, probes: Mapping[str, ModelProbe] = NO_PROBES
) -> dict[str, JsonValue]:
    """The estimated size and cost of a path with these models, as shown on the page.

    `concepts` and `lessonMinutes` (of all its lessons together) go from the smallest path to the largest.
    """
    concepts, parts = (CONCEPTS_SMALL, SUBCONCEPTS_SMALL) if small else (CONCEPTS, SUBCONCEPTS)
    figures = estimate_path_cost(
        topic_model=topic_model,
        subconcept_model=subconcept_model,
        fewest=concepts.minimum,
        most=concepts.maximum,
        small=small,
        topic_pace=pace_of(probes.get(topic_model)),
        subconcept_pace=pace_of(probes.get(subconcept_model)),
    )
    return {
        **{to_camel(name): value for name, value in asdict(figures).items()},
        "concepts": [concepts.minimum, concepts.maximum],
        "lessonMinutes": [
            round(concepts.minimum * parts.minimum * DEFAULT_MINUTES),
            round(concepts.maximum * parts.maximum * DEFAULT_MINUTES),
        ],
    }


@asynccontextmanager
async def open_model(
    settings: Settings, added: AddedCourses, *, pace: Pace | None = None
) -> AsyncIterator[tuple[ChatModel, str | None]]:
    """The client of the configured model, or of the built-in one, with courses beside its own, and its address.

    Requests for the local model go to its own server.

    Args:
        pace: of the built-in one; as the settings say by default.
    """
    async with AsyncExitStack() as stack:
        base_url, built_in = settings.base_url, None
        if settings.offline:
            pace = pace or Pace(OFFLINE_FIRST_TOKEN_S, settings.offline_tokens_per_s)
            brain = demo_model(added)
            server = await stack.enter_async_context(running_offline_server(brain, pace=pace, keep_requests=0))
            base_url = built_in = server.base_url
        model: ChatModel = await stack.enter_async_context(_open_client(settings, settings.api_key, base_url))
        if settings.local_model is not None:
            local = await stack.enter_async_context(_open_client(settings, None, settings.local_base_url))
            model = ModelRoutes(model, {settings.local_model: local})
        yield model, built_in


@asynccontextmanager
async def _open_client(settings: Settings, api_key: str | None, base_url: str | None) -> AsyncIterator[Claude]:
    """The client of the models at one address."""
    policy = settings.policy("topic", LoopPolicy())
    client = claude_client(
        api_key=api_key or "not-needed",
        base_url=base_url,
        idle_s=policy.stream_idle_s,
        first_byte_s=first_byte_s(policy, base_url),
    )
    async with client:
        yield Claude(client, thinking_tokens=policy.thinking_tokens, idle_s=policy.stream_idle_s)


def first_byte_s(policy: LoopPolicy, base_url: str | None) -> float:
    """How long a reply may take to begin: longer on a machine of one's own, which reads long prompts slowly."""
    host = urlsplit(base_url or ANTHROPIC).hostname or ""
    return policy.local_first_byte_s if is_near(host) else policy.first_byte_s


def model_address(settings: Settings, model: str | None = None) -> str:
    """The address of the models, or of this one, without credentials."""
    is_local = model is not None and model == settings.local_model
    parts = urlsplit((settings.local_base_url if is_local else settings.base_url) or ANTHROPIC)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def model_addresses(settings: Settings) -> tuple[str, ...]:
    """The addresses of all models in use."""
    return tuple({model_address(settings, model): None for model in (None, settings.local_model)})


def models_in_use(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Each model that an agent would use, with its agents, for small mode, as a fallback and on paths of classes."""
    users = _users_of_models(settings)
    return users if settings.local_model is None else users | {settings.local_model: (LOCAL,)}


def _users_of_models(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The models of the server by their users, without the local one."""
    users: dict[str, dict[str, None]] = {}
    agents = (*AGENT_NAMES, *(name for name in settings.agents if name not in AGENT_NAMES))
    for agent in agents:
        users.setdefault(settings.model_of(agent, small=False), {})[agent] = None
    for agent in agents:
        users.setdefault(settings.model_of(agent, small=True), {})[SMALL_MODE] = None
    for model in [*users]:
        if (fallback := settings.fallback_of(model)) is not None:
            users.setdefault(fallback, {})[FALLBACK] = None
    return {model: tuple(names) for model, names in users.items()}


class ModelProber:
    """Probes the models in use, all at once, and knows their last probes."""

    def __init__(self, settings: Settings, model: ChatModel, probes: ModelProbes) -> None:
        self._settings = settings
        self._model = model
        self._probes = probes
        self._busy = asyncio.Lock()

    async def latest(self) -> list[ProbedModel]:
        """The models in use with their last probes."""
        found = {probe.model: probe for probe in await self._probes.all()}
        return [_probed(model, agents, found.get(model)) for model, agents in models_in_use(self._settings).items()]

    async def probe(self) -> list[ProbedModel]:
        """Probe every model in use; the results are stored.

        Raises Conflict: they are being probed already, or the model is the built-in one; ModelFailure.
        """
        if self._settings.offline:
            raise Conflict("The built-in offline model needs no probe.", code="probe_offline")
        if self._busy.locked():
            raise Conflict("The models are being probed already. Wait a minute.", code="probe_running")
        async with self._busy:
            await self._probe_all()
        return await self.latest()

    async def _probe_all(self) -> None:
        """Probe and store; the first failure is raised once what was found out about the others is stored."""
        settings = self._settings
        probes = (probe_model(self._model, one, model_address(settings, one)) for one in models_in_use(settings))
        outcomes = await asyncio.gather(*probes, return_exceptions=True)
        for probe in outcomes:
            if isinstance(probe, ModelProbe):
                await self._probes.save(probe)
        for failure in outcomes:
            if isinstance(failure, BaseException):
                raise failure


def _probed(model: str, agents: tuple[str, ...], probe: ModelProbe | None) -> ProbedModel:
    if probe is None:
        return ProbedModel(model=model, agents=agents)
    pace = pace_of(probe)
    minutes = None
    if pace is not None:
        small = agents == (SMALL_MODE,)
        minutes = cast(int, path_estimate(model, model, small=small, probes={model: probe})["minutes"])
    return ProbedModel(model=model, agents=agents, fitness=probe.fitness, minutes=minutes, probe=probe)
