"""The simulated prompt cache: what is read, what is written, and for how long it is kept."""

from typing import Any

from sprout.offline.api.prompt import parse_prompt
from sprout.offline.api.prompt_cache import InputUsage, PromptCache
from sprout.offline.script import Scripted
from sprout.offline.server import running_offline_server
from tests.offline.sdk_client import request_for, sdk_client

LONG = "word " * 480  # 600 tokens
MARK = {"cache_control": {"type": "ephemeral"}}


def text(words: str, *, marked: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": words} | (MARK if marked else {})


def charged(cache: PromptCache, *blocks: dict[str, Any], **fields: Any) -> InputUsage:
    return cache.charge(parse_prompt(request_for(messages=[{"role": "user", "content": list(blocks)}], **fields)))


def test_a_prefix_is_written_once_and_read_after_that_though_the_breakpoint_has_moved() -> None:
    cache = PromptCache()
    assert charged(cache, text(LONG, marked=True), text("abcd")) == InputUsage(1, 0, 600, 0)
    assert charged(cache, text(LONG), text("abcd", marked=True), text("efgh")) == InputUsage(1, 600, 1, 0)
    assert charged(cache, text(LONG), text("abcd"), text("efgh", marked=True)) == InputUsage(0, 601, 1, 0)


def test_a_changed_byte_early_on_voids_what_follows() -> None:
    cache = PromptCache()
    charged(cache, text(LONG, marked=True), system="Be brief.")
    assert charged(cache, text(LONG, marked=True), system="Be brief!").read == 0


def test_short_prefixes_are_not_cached() -> None:
    cache = PromptCache()
    assert charged(cache, text("short", marked=True)) == InputUsage(2, 0, 0, 0)


def test_a_prefix_is_forgotten_five_minutes_after_its_last_use() -> None:
    now = [0.0]
    cache = PromptCache(clock=lambda: now[0])
    charged(cache, text(LONG, marked=True))
    for moment, read in ((299.0, 600), (598.0, 600), (898.1, 0)):
        now[0] = moment
        assert charged(cache, text(LONG, marked=True)).read == read


def test_models_do_not_share_a_cache_and_without_a_breakpoint_there_is_none() -> None:
    cache = PromptCache()
    charged(cache, text(LONG, marked=True))
    assert charged(cache, text(LONG, marked=True), model="other").read == 0
    assert charged(cache, text(LONG)) == InputUsage(600, 0, 0, 0)


async def test_the_usage_of_a_reply_tells_of_the_cache() -> None:
    async with running_offline_server(Scripted()) as server, sdk_client(server) as client:
        request = request_for(LONG, cache_control={"type": "ephemeral"})
        first, second = [(await client.messages.create(**request)).usage for _ in range(2)]
    assert (first.cache_creation_input_tokens, first.cache_read_input_tokens, first.input_tokens) == (600, 0, 0)
    assert (second.cache_creation_input_tokens, second.cache_read_input_tokens, second.input_tokens) == (0, 600, 0)
