"""Checks of the models in use: what is known of each, and whether its provider answers."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

from sprout.commands.finding import Finding, FindingStatus
from sprout.config import AGENT_NAMES, Settings
from sprout.errors import SproutError
from sprout.llm.catalogue import catalogue
from sprout.llm.claude import Claude, claude_client
from sprout.llm.model_key import KeySource
from sprout.loop.context.estimate import Estimator, fixed_tokens
from sprout.loop.model import Message, ModelRequest, ReplyEnded, Text
from sprout.loop.policy import LoopPolicy
from sprout.models import model_address, models_in_use

PROBE_TIMEOUT_S = 50.0
PROBE_TOKENS = 1_000
KEYS: dict[KeySource | None, str] = {
    "environment": "with a key from the environment",
    "data_folder": "with the key that the data folder keeps",
    None: "without a key",
}
PROBE_WORDS = "Answer with the single word: ready"


def check_models(settings: Settings) -> Iterator[Finding]:
    if settings.offline:
        advice = (
            "the offline demo model, free and built in; for any topic with a real model set ANTHROPIC_API_KEY, or "
            "enter a key in the settings of the page"
        )
        yield Finding("model", FindingStatus.OK, advice)
        return
    where = settings.base_url or "Anthropic's API"
    yield Finding("provider", FindingStatus.OK, f"{where}, {KEYS[settings.key_source]}")
    for model, users in models_in_use(settings).items():
        known = model in catalogue()
        message = f"{model} for {_listed(users)}"
        if model == settings.local_model:
            message += f", at {model_address(settings, model)}"
        note = (
            ""
            if known
            else "; it is not in the catalogue: conservative values are assumed for its window, price and abilities"
        )
        yield Finding("model", FindingStatus.OK if known else FindingStatus.NOTE, message + note)


async def ask_models(settings: Settings) -> AsyncIterator[Finding]:
    """Whether each model answers, by one tiny call."""
    for model in models_in_use(settings):
        async with open_claude(settings, model) as claude:
            yield await _ask(claude, model)


async def _ask(claude: Claude, model: str) -> Finding:
    request = ModelRequest(
        model=model,
        system="This is a test of the connection.",
        messages=(Message("user", (Text(PROBE_WORDS),)),),
        tools=(),
        max_tokens=PROBE_TOKENS,
    )
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            parts = [part async for part in claude.reply(request)]
    except TimeoutError:
        return Finding(
            "probe", FindingStatus.BROKEN, f"{model} did not answer completely within {PROBE_TIMEOUT_S:.0f} s"
        )
    except SproutError as error:
        return Finding("probe", FindingStatus.BROKEN, f"{model}: {error}")
    if not any(isinstance(part, ReplyEnded) for part in parts):
        return Finding("probe", FindingStatus.BROKEN, f"{model}: its answer was cut off")
    took = f"{model} answered in {asyncio.get_running_loop().time() - began:.1f} s"
    return Finding("probe", FindingStatus.OK, f"{took}; {await _compare_token_counts(claude, request)}")


async def _compare_token_counts(claude: Claude, request: ModelRequest) -> str:
    """The loop's estimate of tokens beside the provider's count."""
    estimated = Estimator(fixed_tokens(request.system, ()))
    guess = estimated.tokens(estimated.size(request.messages))
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            return f"its server counts {await claude.prompt_tokens(request)} tokens where Sprout estimates {guess}"
    except (SproutError, TimeoutError):
        return "its server does not count tokens, so Sprout's estimate is corrected by what replies report"


@asynccontextmanager
async def open_claude(settings: Settings, model: str) -> AsyncIterator[Claude]:
    """The client of a model in use, for a command."""
    key, base_url = settings.api_key, settings.base_url
    if model == settings.local_model:
        key, base_url = None, settings.local_base_url
    client = claude_client(api_key=key or "none", base_url=base_url, idle_s=LoopPolicy().stream_idle_s)
    async with client:
        yield Claude(client, thinking_tokens={})


def _listed(users: Sequence[str]) -> str:
    """The agents of a model in words."""
    agents = [user for user in users if user in AGENT_NAMES]
    return ", ".join(["all agents", *users[len(agents) :]] if len(agents) == len(AGENT_NAMES) else users)
