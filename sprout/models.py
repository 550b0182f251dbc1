"""Model choice per agent, cost estimates of paths, and the model client."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from sprout.agents.path.subconcept import SUBCONCEPTS, SUBCONCEPTS_SMALL
from sprout.agents.path.topic import CONCEPTS, CONCEPTS_SMALL
from sprout.config import Settings
from sprout.learning.lessons.lesson_history import DEFAULT_MINUTES
from sprout.llm.catalogue import facts_of
from sprout.llm.claude import Claude, claude_client
from sprout.llm.path_cost import estimate_path_cost
from sprout.loop.model import ModelTraits
from sprout.loop.policy import LoopPolicy
from sprout.offline.courses.added_course import AddedCourses
from sprout.offline.demo.router import demo_model
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.runs.execution.dependencies import ModelChoice

OFFLINE_FIRST_TOKEN_S = 0.3


def choose_model(settings: Settings, agent: str, small: bool) -> ModelChoice:
    """The model of an agent, in small mode or not."""
    name = settings.model_of(agent, small=small)
    facts = facts_of(name)
    return ModelChoice(
        name,
        settings.fallback_of(name),
        settings.model_of(agent, small=True),
        settings.offline,
        ModelTraits(facts.window, facts.max_output, facts.forces_tools and facts.thinking == "none", facts.priced),
    )


def path_estimate(topic_model: str, subconcept_model: str, *, small: bool) -> dict[str, JsonValue]:
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
) -> AsyncIterator[tuple[Claude, str | None]]:
    """The client of the configured model, or of the built-in one, with courses beside its own, and its address.

    Args:
        pace: of the built-in one; as the settings say by default.
    """
    policy = settings.policy("topic", LoopPolicy())
    async with AsyncExitStack() as stack:
        base_url, built_in = settings.base_url, None
        if settings.offline:
            pace = pace or Pace(OFFLINE_FIRST_TOKEN_S, settings.offline_tokens_per_s)
            brain = demo_model(added)
            server = await stack.enter_async_context(running_offline_server(brain, pace=pace, keep_requests=0))
            base_url = built_in = server.base_url
        client = claude_client(api_key=settings.api_key or "not-needed", base_url=base_url, idle_s=policy.stream_idle_s)
        yield Claude(await stack.enter_async_context(client), thinking_tokens=policy.thinking_tokens), built_in
