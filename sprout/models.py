"""The model that each agent is given, what it is likely to cost, and the client that asks it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from sprout.config import Settings
from sprout.llm.catalogue import facts_of
from sprout.llm.claude import Claude, claude_client
from sprout.llm.estimate import estimate
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy
from sprout.offline.demo import demo_model
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.runs.parts import ModelChoice

OFFLINE_FIRST_TOKEN_S = 0.3


def chosen(settings: Settings, agent: str, small: bool) -> ModelChoice:
    """The model of an agent, on a small path or another."""
    name = settings.model_of(agent, small=small)
    facts = facts_of(name)
    return ModelChoice(
        name,
        settings.fallback_of(name),
        settings.model_of(agent, small=True),
        settings.offline,
        ModelTraits(facts.window, facts.max_output, facts.forces_tools and facts.thinking == "none", facts.priced),
    )


def estimated(topic_model: str, subconcept_model: str, *, small: bool) -> dict[str, JsonValue]:
    """What a path of these models is likely to take, as the page has it."""
    figures = estimate(topic_model=topic_model, subconcept_model=subconcept_model, small=small)
    return {to_camel(name): value for name, value in asdict(figures).items()}


@asynccontextmanager
async def asked_model(settings: Settings) -> AsyncIterator[tuple[Claude, str | None]]:
    """The model behind the Messages API: the one that was named, or the built-in one, with where that is."""
    policy = settings.policy("topic", LoopPolicy())
    async with AsyncExitStack() as stack:
        base_url, built_in = settings.base_url, None
        if settings.offline:
            pace = Pace(OFFLINE_FIRST_TOKEN_S, settings.offline_tokens_per_s)
            server = await stack.enter_async_context(running_offline_server(demo_model(), pace=pace, keep_requests=0))
            base_url = built_in = server.base_url
        client = claude_client(api_key=settings.api_key or "not-needed", base_url=base_url, idle_s=policy.stream_idle_s)
        yield Claude(await stack.enter_async_context(client), thinking_tokens=policy.thinking_tokens), built_in
