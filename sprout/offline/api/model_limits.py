"""The models that the offline server plays: limits, and what each refuses."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

OFFLINE_MODEL = "sprout-offline"


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """Limits of a model that decide whether a request is refused. Sizes in tokens."""

    id: str
    max_input: int = 200_000
    max_output: int = 64_000
    thinking: frozenset[str] = frozenset({"adaptive", "enabled", "disabled", "between_tools"})
    forced_tools: bool = True
    thinking_shown: bool = True


_CURRENT: dict[str, Any] = {"max_input": 1_000_000, "max_output": 128_000, "thinking_shown": False}
_ALWAYS_THINKING: dict[str, Any] = _CURRENT | {"thinking": frozenset({"adaptive"}), "forced_tools": False}
_LIMITS = {
    facts.id: facts
    for facts in (
        ModelLimits(OFFLINE_MODEL),
        ModelLimits("claude-fable-5-2", **_ALWAYS_THINKING),
        ModelLimits("claude-fable-5-1", **_ALWAYS_THINKING),
        ModelLimits("claude-opus-5-5", **_ALWAYS_THINKING),
        ModelLimits("claude-sonnet-5-5", **_ALWAYS_THINKING | {"thinking": frozenset({"adaptive", "between_tools"})}),
        ModelLimits("claude-haiku-5-5", **_CURRENT | {"thinking": frozenset({"adaptive", "disabled"})}),
        ModelLimits("claude-haiku-4-5", thinking=frozenset({"enabled", "disabled"})),
    )
}


def model_limits(model: str) -> ModelLimits:
    """The facts of a model; a name that is not known is taken for one with the offline model's limits."""
    return _LIMITS.get(model) or ModelLimits(model)


def listed_models() -> list[dict[str, Any]]:
    """The body's `data` of GET /v1/models: the offline model alone, as the others are only played."""
    return [model_info(OFFLINE_MODEL)]


def model_info(model: str) -> dict[str, Any]:
    """The body of GET /v1/models/{id}."""
    facts = model_limits(model)
    return {
        "type": "model",
        "id": facts.id,
        "display_name": "Sprout offline demo model" if facts.id == OFFLINE_MODEL else facts.id,
        "created_at": datetime(2026, 11, 1, tzinfo=UTC).isoformat().replace("+00:00", "Z"),
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "max_input_tokens": facts.max_input,
        "max_tokens": facts.max_output,
        "capabilities": _capabilities(facts),
    }


def _capabilities(facts: ModelLimits) -> dict[str, Any]:
    def support(yes: bool) -> dict[str, bool]:
        return {"supported": yes}

    no = support(False)
    return {
        "batch": no,
        "citations": no,
        "code_execution": no,
        "context_management": no,
        "effort": support(False) | dict.fromkeys(("low", "medium", "high", "xhigh", "max"), no),
        "image_input": support(True),
        "pdf_input": support(True),
        "server_tools": {"supported": False, "code_execution": no, "web_search": no},
        "structured_outputs": no,
        "thinking": {
            "supported": True,
            "types": {
                kind: support(kind in facts.thinking) for kind in ("adaptive", "between_tools", "disabled", "enabled")
            },
        },
    }
