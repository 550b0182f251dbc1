"""Validation of a request outside its messages as in the Messages API: fields, tools, thinking, limits."""

import re
from collections.abc import Mapping
from typing import Any

from sprout.offline.api.errors import invalid_request
from sprout.offline.api.message_validation import check_messages, check_text_blocks
from sprout.offline.api.model_limits import ModelLimits, model_limits
from sprout.offline.reply import Body

_FIELDS = frozenset(
    "model messages max_tokens system tools tool_choice thinking output_config stream stop_sequences metadata "
    "cache_control container diagnostics inference_geo service_tier speed".split()
)
_COUNT_FIELDS = frozenset("model messages system tools tool_choice thinking output_config cache_control speed".split())
_SAMPLING = ("temperature", "top_p", "top_k")
_TOOL_FIELDS = frozenset(
    "name description input_schema type cache_control strict eager_input_streaming defer_loading input_examples "
    "allowed_callers".split()
)
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_SCHEMA_TYPES = frozenset("object array string number integer boolean null".split())
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
MAX_BREAKPOINTS = 4
LEAST_THINKING_TOKENS = 1_024


def check_request(body: Body) -> None:
    """Raise the 400 that the API would answer to this body of POST /v1/messages."""
    _check_fields(body, _FIELDS)
    facts = model_limits(body["model"])
    _check_max_tokens(body, facts)
    _check_stop_sequences(body.get("stop_sequences"))
    if not isinstance(body.get("stream", False), bool):
        raise invalid_request("stream: Input should be a valid boolean")
    _check_prompt(body, facts)
    _check_thinking(body, facts)


def check_count_request(body: Body) -> None:
    """The same for POST /v1/messages/count_tokens."""
    _check_fields(body, _COUNT_FIELDS)
    _check_prompt(body, model_limits(body["model"]))


def _check_fields(body: Body, allowed: frozenset[str]) -> None:
    for name in _SAMPLING:
        if name in body:
            raise invalid_request(f"{name}: sampling parameters are not supported in this API version")
    for name in body:
        if name not in allowed:
            raise invalid_request(f"{name}: Extra inputs are not permitted")
    for name in ("model", "messages"):
        if name not in body:
            raise invalid_request(f"{name}: Field required")
    if not isinstance(body["model"], str) or not body["model"]:
        raise invalid_request("model: String should have at least 1 character")


def _check_max_tokens(body: Body, facts: ModelLimits) -> None:
    if "max_tokens" not in body:
        raise invalid_request("max_tokens: Field required")
    value = body["max_tokens"]
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid_request("max_tokens: Input should be a valid integer")
    if value < 1:
        raise invalid_request("max_tokens: Input should be greater than or equal to 1")
    if value > facts.max_output:
        raise invalid_request(
            f"max_tokens: {value} > {facts.max_output}, which is the maximum allowed number of output tokens "
            f"for {facts.id}"
        )


def _check_stop_sequences(sequences: Any) -> None:
    if sequences is None:
        return
    if not isinstance(sequences, list) or not all(isinstance(each, str) for each in sequences):
        raise invalid_request("stop_sequences: Input should be a valid list of strings")
    if not all(each.strip() for each in sequences):
        raise invalid_request("stop_sequences: each stop sequence must contain non-whitespace")


def _check_prompt(body: Body, facts: ModelLimits) -> None:
    _check_system(body.get("system"))
    names = _check_tools(body.get("tools"))
    _check_tool_choice(body, names, facts)
    check_messages(body["messages"], tools_given=bool(names))
    _check_breakpoints(body)


def _check_system(system: Any) -> None:
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        raise invalid_request("system: Input should be a valid string or list of text blocks")
    check_text_blocks(system, "system")


def _check_tools(tools: Any) -> set[str]:
    if tools is None:
        return set()
    if not isinstance(tools, list):
        raise invalid_request("tools: Input should be a valid list")
    names: set[str] = set()
    for at, tool in enumerate(tools):
        _check_tool(tool, f"tools.{at}")
        if tool["name"] in names:
            raise invalid_request("tools: Tool names must be unique.")
        names.add(tool["name"])
    return names


def _check_tool(tool: Any, at: str) -> None:
    if not isinstance(tool, dict):
        raise invalid_request(f"{at}: Input should be a valid dictionary")
    if tool.get("type") not in (None, "custom"):
        raise invalid_request(
            f"{at}: Input tag {tool['type']!r} found using 'type' does not match any of the expected tags"
        )
    at = f"{at}.custom"
    for name in tool:
        if name not in _TOOL_FIELDS:
            raise invalid_request(f"{at}.{name}: Extra inputs are not permitted")
    for name in ("name", "input_schema"):
        if name not in tool:
            raise invalid_request(f"{at}.{name}: Field required")
    if not isinstance(tool["name"], str) or not _TOOL_NAME.fullmatch(tool["name"]):
        raise invalid_request(f"{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if not isinstance(tool.get("description", ""), str):
        raise invalid_request(f"{at}.description: Input should be a valid string")
    _check_input_schema(tool["input_schema"], f"{at}.input_schema")


def _check_input_schema(schema: Any, at: str) -> None:
    if not isinstance(schema, dict):
        raise invalid_request(f"{at}: Input should be a valid dictionary")
    if schema.get("type") != "object":
        raise invalid_request(
            f"{at}.type: Input should be 'object'" if "type" in schema else f"{at}.type: Field required"
        )
    if {"oneOf", "allOf", "anyOf"} & schema.keys():
        raise invalid_request(f"{at}: input_schema does not support oneOf, allOf, or anyOf at the top level")
    _check_schema(schema, at)


def _check_schema(schema: Any, at: str) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict) or not _check_keywords(schema):
        raise invalid_request(f"{at}: JSON schema is invalid. It must match JSON Schema draft 2020-12")
    for name, inner in {**(schema.get("properties") or {}), **(schema.get("$defs") or {})}.items():
        _check_schema(inner, f"{at}.{name}")
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            _check_schema(schema[keyword], f"{at}.{keyword}")
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(keyword) or ():
            _check_schema(inner, f"{at}.{keyword}")


def _check_keywords(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type", "object")
    required = schema.get("required", [])
    return (
        all(isinstance(kind, str) and kind in _SCHEMA_TYPES for kind in (kinds if isinstance(kinds, list) else [kinds]))
        and isinstance(schema.get("properties", {}), dict)
        and isinstance(schema.get("enum", []), list)
        and isinstance(required, list)
        and all(isinstance(name, str) for name in required)
    )


def _check_tool_choice(body: Body, names: set[str], facts: ModelLimits) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind not in ("auto", "any", "tool", "none"):
        raise invalid_request(
            "tool_choice: Input tag found using 'type' does not match any of: 'auto', 'any', 'tool', 'none'"
        )
    if not names:
        raise invalid_request("tool_choice: tool_choice may only be specified while providing tools")
    if kind == "tool" and choice.get("name") not in names:
        raise invalid_request(f"tool_choice: Tool {choice.get('name')!r} not found in provided tools")
    if kind not in ("any", "tool"):
        return
    if not facts.forced_tools:
        raise invalid_request(f"tool_choice: type {kind!r} is not supported by {facts.id}. Use 'auto' or 'none'")
    if (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        raise invalid_request("Thinking may not be enabled when tool_choice forces tool use.")


def _check_thinking(body: Body, facts: ModelLimits) -> None:
    effort = _check_effort(body.get("output_config"))
    thinking = body.get("thinking")
    if thinking is None:
        return
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    if kind not in ("adaptive", "enabled", "disabled", "between_tools"):
        raise invalid_request("thinking.type: Input should be 'adaptive', 'enabled', 'disabled' or 'between_tools'")
    if kind not in facts.thinking:
        raise invalid_request(f"thinking.type: {kind!r} is not supported by {facts.id}")
    if kind == "between_tools" and effort in ("xhigh", "max"):
        raise invalid_request(f"thinking.type: 'between_tools' is not allowed with effort {effort!r}")
    if thinking.get("display") not in (None, "summarized", "omitted"):
        raise invalid_request("thinking.display: Input should be 'summarized' or 'omitted'")
    if extra := thinking.keys() - {"type", "display", "budget_tokens"}:
        raise invalid_request(f"thinking.{kind}.{min(extra)}: Extra inputs are not permitted")
    _check_budget(thinking, kind, body["max_tokens"])


def _check_budget(thinking: Mapping[str, Any], kind: str, max_tokens: int) -> None:
    budget = thinking.get("budget_tokens")
    if kind != "enabled":
        if "budget_tokens" in thinking:
            raise invalid_request(f"thinking.{kind}.budget_tokens: Extra inputs are not permitted")
        return
    if not isinstance(budget, int) or budget < LEAST_THINKING_TOKENS:
        raise invalid_request("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if budget >= max_tokens:
        raise invalid_request("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_effort(config: Any) -> str | None:
    if config is None:
        return None
    if not isinstance(config, dict) or config.keys() - {"effort", "format"}:
        raise invalid_request("output_config: Extra inputs are not permitted")
    effort = config.get("effort")
    if effort is not None and effort not in _EFFORTS:
        raise invalid_request("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
    shape = config.get("format")
    if shape is not None and (
        not isinstance(shape, dict) or shape.get("type") != "json_schema" or "schema" not in shape
    ):
        raise invalid_request("output_config.format: Input should be a json_schema format with a schema")
    return effort


def _check_breakpoints(body: Body) -> None:
    controls = list(_cache_controls(body))
    for control in controls:
        fits = isinstance(control, dict) and control.get("type") == "ephemeral" and not control.keys() - {"type", "ttl"}
        if not fits or control.get("ttl") not in (None, "5m", "1h"):
            raise invalid_request("cache_control: Input should be {'type': 'ephemeral'} with a ttl of '5m' or '1h'")
    if len(controls) > MAX_BREAKPOINTS:
        raise invalid_request(f"A maximum of 4 blocks with cache_control may be provided. Found {len(controls)}.")
    ttls = [control.get("ttl") or "5m" for control in controls]
    if "5m" in ttls and "1h" in ttls[ttls.index("5m") :]:
        raise invalid_request("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")


def _cache_controls(body: Body) -> list[Any]:
    """Every breakpoint in the order of the prompt: tools, system, messages, then the one of the whole request."""
    system, found = body.get("system"), []
    blocks = [*(body.get("tools") or ()), *(system if isinstance(system, list) else ())]
    for message in body["messages"]:
        blocks += message["content"] if isinstance(message["content"], list) else ()
    for block in blocks:
        found.append(block.get("cache_control"))
        if isinstance(inner := block.get("content"), list):
            found += [each.get("cache_control") for each in inner if isinstance(each, dict)]
    return [control for control in [*found, body.get("cache_control")] if control is not None]
