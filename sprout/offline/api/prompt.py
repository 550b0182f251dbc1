"""A request as one chain of pieces (tools, system, messages): what is counted, cached and signed."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sprout.offline.reply import Body

IMAGE_TOKENS = 1_600


@dataclass(frozen=True, slots=True)
class Piece:
    """One tool, system block or content block.

    `digest` stands for everything up to and including this piece; `before` for everything before it. Consecutive
    messages of one role make the same chain as the one message they are merged into.
    """

    role: str
    block: dict[str, Any]
    tokens: int
    before: bytes
    digest: bytes

    @property
    def cache_ttl(self) -> str | None:
        control = self.block.get("cache_control")
        return str(control.get("ttl") or "5m") if control else None


@dataclass(frozen=True, slots=True)
class Prompt:
    model: str
    pieces: tuple[Piece, ...]
    cache_ttl: str | None

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def digest(self) -> bytes:
        return self.pieces[-1].digest if self.pieces else b""


def estimate_tokens(characters: int) -> int:
    """Tokens for so many characters: a quarter, rounded up. The one place where the offline model counts."""
    return -(-characters // 4)


def parse_prompt(body: Body) -> Prompt:
    """The chain of a validated request."""
    digest = b""
    pieces = []
    for role, block in _blocks(body):
        before, text = digest, _canonical(block)
        digest = chain_digest(before, role, text)
        pieces.append(Piece(role, block, _tokens(block, text), before, digest))
    control = body.get("cache_control")
    return Prompt(body["model"], tuple(pieces), str(control.get("ttl") or "5m") if control else None)


def chain_digest(before: bytes, role: str, canonical: str) -> bytes:
    """The digest of the chain with one more piece at its end."""
    return hashlib.blake2b(b"\0".join((before, role.encode(), canonical.encode())), digest_size=16).digest()


def digest_after(prompt: Prompt, blocks: list[dict[str, Any]]) -> bytes:
    """The digest that the conversation has once these blocks of a reply stand at its end."""
    digest = prompt.digest
    for block in blocks:
        digest = chain_digest(digest, "assistant", _canonical(block))
    return digest


def content_blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Content as the list of blocks that a plain string is short for."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _blocks(body: Body) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in body.get("tools") or ():
        yield "tool", tool
    for block in content_blocks(body.get("system") or []):
        yield "system prompt", block
    for message in body["messages"]:
        for block in content_blocks(message["content"]):
            yield message["role"], block


def _canonical(block: dict[str, Any]) -> str:
    # Breakpoints move from turn to turn, and replies come back with fields that are null: neither changes the prompt.
    bare = {key: value for key, value in block.items() if key != "cache_control" and value is not None}
    return json.dumps(bare, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _tokens(block: dict[str, Any], canonical: str) -> int:
    kind = block.get("type")
    if kind == "image":
        return IMAGE_TOKENS
    if kind == "text":
        return estimate_tokens(len(block["text"]))
    content = block.get("content")
    if kind == "tool_result" and isinstance(content, list):
        return sum(_tokens(inner, _canonical(inner)) for inner in content) + 8
    return estimate_tokens(len(canonical))
