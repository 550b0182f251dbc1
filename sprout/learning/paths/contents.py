"""Contents of a node, and the generation log of its children."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import JsonValue

from sprout.events import Wire

ContentStatus = Literal["draft", "active", "archived"]
Trigger = Literal["on_first_enter", "manual_regenerate", "system_refresh"]


class ContentRow(Wire):
    """Content of a node for the learner; `cards` is a JSON list in a string."""

    id: str
    node_id: str
    explanation_md: str
    visualization_kind: str | None
    visualization_payload: str | None
    cards: str | None
    generated_by_model: str | None
    generation_prompt_hash: str | None
    status: ContentStatus
    created_at: str


class GenerationRow(Wire):
    """A generation log entry: the origin of a node's children; `response_meta` is JSON in a string."""

    id: str
    node_id: str
    trigger: Trigger
    model: str | None
    prompt: str | None
    response_meta: str | None
    created_at: str


@dataclass(frozen=True, slots=True)
class NewContent:
    explanation_md: str
    visualization_kind: str | None = None
    visualization_payload: str | None = None
    generated_by_model: str | None = None
    generation_prompt_hash: str | None = None
    status: ContentStatus = "active"


@dataclass(frozen=True, slots=True)
class NewGeneration:
    trigger: Trigger
    model: str | None = None
    prompt: str | None = None
    response_meta: JsonValue = None


class Contents(Protocol):
    """Owner-scoped: a missing node and another learner's both raise NotFound."""

    async def contents(self, node_id: str, *, user_id: str) -> Sequence[ContentRow]:
        """All of a node, oldest first. Raises NotFound."""
        ...

    async def active_content(self, node_id: str, *, user_id: str) -> ContentRow | None:
        """Raises NotFound."""
        ...

    async def add_content(self, node_id: str, new: NewContent, *, user_id: str) -> ContentRow:
        """The new content; one that is active archives the one that was. Raises NotFound."""
        ...

    async def generations(self, node_id: str, *, user_id: str) -> Sequence[GenerationRow]:
        """All of a node, oldest first. Raises NotFound."""
        ...

    async def add_generation(self, node_id: str, new: NewGeneration, *, user_id: str) -> GenerationRow:
        """Raises NotFound."""
        ...
