"""The scenarios that change what the model says, not how it arrives."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sprout.offline.faults.quirks import QUIRKS
from sprout.offline.faults.scenarios import Fault, Scenario
from sprout.offline.reply import Block, Body, Reply, TextOut, ThinkingOut, ToolOut

FILLER_SENTENCE = "This reply is long enough to be cut in the middle of a sentence, which is what happens now."


def apply_fault(reply: Reply, fault: Fault, body: Body, number: int) -> Reply:
    """The reply as the scenario has it; scenarios that leave the words alone return it unchanged.

    Those about tools use the reply's first call; where it has none they make one for the first tool on offer, and
    where no tool is on offer either they leave the reply as it is.
    """
    if quirk := QUIRKS.get(Scenario(fault.scenario)):
        return quirk(reply, body)
    change = _CHANGES.get(Scenario(fault.scenario))
    if change is None or (fault.scenario is Scenario.WINDOW_EXCEEDED and not fault.as_stop_reason):
        return reply
    return change(reply, body, number)


def example_input(schema: Mapping[str, Any], *, variant: int = 0) -> dict[str, Any]:
    """An input that fits an object schema in its required fields; another `variant` gives another text."""
    definitions = schema.get("$defs") or {}
    properties = schema.get("properties") or {}
    return {name: _example(properties.get(name) or {}, definitions, variant) for name in schema.get("required") or ()}


def _example(schema: Mapping[str, Any], definitions: Mapping[str, Any], variant: int) -> Any:
    if "$ref" in schema:
        return _example(definitions.get(schema["$ref"].rsplit("/", 1)[-1]) or {}, definitions, variant)
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _example(choices[0], definitions, variant)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return example_input({**schema, "$defs": definitions}, variant=variant)
        case "array":
            item = _example(schema.get("items") or {}, definitions, variant)
            return [item] * max(1, schema.get("minItems", 1))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return f"offline example {variant}" if variant else "offline example"


def _truncated_text(reply: Reply, body: Body, number: int) -> Reply:
    for at, block in enumerate(reply.blocks):
        if isinstance(block, TextOut) and len(block.text) > 1:
            cut: list[Block] = [*reply.blocks[:at], TextOut(block.text[: len(block.text) // 2])]
            return Reply(cut, "max_tokens")
    return Reply([TextOut(FILLER_SENTENCE[: len(FILLER_SENTENCE) // 2])], "max_tokens")


def _truncated_tool_json(reply: Reply, body: Body, number: int) -> Reply:
    def cut(call: ToolOut) -> ToolOut:
        text = call.json() or "{}"
        return ToolOut(call.name, raw_json=text[: max(1, len(text) // 2)])

    changed = _change_call(reply, body, cut)
    until = next((at for at, block in enumerate(changed.blocks) if isinstance(block, ToolOut)), len(changed.blocks))
    return Reply(changed.blocks[: until + 1], "max_tokens")


def _misspelled_tool(reply: Reply, body: Body, number: int) -> Reply:
    return _change_call(reply, body, lambda call: replace(call, name=_misspelled(call.name)))


def _unknown_tool(reply: Reply, body: Body, number: int) -> Reply:
    return _change_call(reply, body, lambda call: replace(call, name="summon_an_owl"))


def _invalid_tool_input(reply: Reply, body: Body, number: int) -> Reply:
    """The first required field is missing, and an unknown one is present."""

    def spoil(call: ToolOut) -> ToolOut:
        required = _tool_schema(body, call.name).get("required") or list(call.input)[:1]
        rest = {key: value for key, value in call.input.items() if key not in required[:1]}
        return ToolOut(call.name, rest | {"nobody_asked_for_this": [1, 2, 3]})

    return _change_call(reply, body, spoil)


def _malformed_tool_json(reply: Reply, body: Body, number: int) -> Reply:
    return _change_call(reply, body, lambda call: ToolOut(call.name, raw_json=(call.json() or "{}")[:-1] + ", oops: ]"))


def _identical_calls(reply: Reply, body: Body, number: int) -> Reply:
    call = _example_call(body)
    return Reply([call]) if call else reply


def _varying_calls(reply: Reply, body: Body, number: int) -> Reply:
    call = _example_call(body, variant=number)
    return Reply([call]) if call else reply


def _window_exceeded(reply: Reply, body: Body, number: int) -> Reply:
    return replace(_truncated_text(reply, body, number), stop_reason="model_context_window_exceeded")


def _refusal(reply: Reply, body: Body, number: int) -> Reply:
    details = {"type": "refusal", "category": "general_harms", "explanation": "The offline server plays a refusal."}
    return Reply([TextOut("I can't help with that.")], "refusal", stop_details=details)


def _pause_turn(reply: Reply, body: Body, number: int) -> Reply:
    """Content before the first tool call, or one sentence; a paused turn has no call that waits for an answer."""
    texts = [block for block in reply.blocks if isinstance(block, TextOut)]
    return Reply(texts[:1] or [TextOut("Let me go on in a moment.")], "pause_turn")


def _empty_reply(reply: Reply, body: Body, number: int) -> Reply:
    return Reply([], "end_turn")


_CHANGES: dict[Scenario, Callable[[Reply, Body, int], Reply]] = {
    Scenario.TRUNCATED_TEXT: _truncated_text,
    Scenario.TRUNCATED_TOOL_JSON: _truncated_tool_json,
    Scenario.MISSPELLED_TOOL: _misspelled_tool,
    Scenario.UNKNOWN_TOOL: _unknown_tool,
    Scenario.INVALID_TOOL_INPUT: _invalid_tool_input,
    Scenario.MALFORMED_TOOL_JSON: _malformed_tool_json,
    Scenario.IDENTICAL_CALLS: _identical_calls,
    Scenario.VARYING_CALLS: _varying_calls,
    Scenario.WINDOW_EXCEEDED: _window_exceeded,
    Scenario.REFUSAL: _refusal,
    Scenario.PAUSE_TURN: _pause_turn,
    Scenario.EMPTY_REPLY: _empty_reply,
}


def _change_call(reply: Reply, body: Body, change: Callable[[ToolOut], ToolOut]) -> Reply:
    """The reply with its first call changed, or with one made up and changed."""
    for at, block in enumerate(reply.blocks):
        if isinstance(block, ToolOut):
            return replace(reply, blocks=[*reply.blocks[:at], change(block), *reply.blocks[at + 1 :]])
    call = _example_call(body)
    if call is None:
        return reply
    before = [block for block in reply.blocks if isinstance(block, TextOut | ThinkingOut)]
    return Reply([*before, change(call)])


def _example_call(body: Body, *, variant: int = 0) -> ToolOut | None:
    tools = body.get("tools") or []
    if not tools:
        return None
    arguments = example_input(tools[0]["input_schema"], variant=variant)
    if variant and json.dumps(arguments) == json.dumps(example_input(tools[0]["input_schema"])):
        arguments |= {"attempt": variant}
    return ToolOut(tools[0]["name"], arguments)


def _tool_schema(body: Body, tool: str) -> Mapping[str, Any]:
    return next((each["input_schema"] for each in body.get("tools") or () if each["name"] == tool), {})


def _misspelled(name: str) -> str:
    """One letter doubled in the middle: an edit distance of 1."""
    at = len(name) // 2
    return name[:at] + name[at] + name[at:]
