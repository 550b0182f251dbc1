"""Model that calls no tools and answers in the JSON schema that it is given: what a template without tools leaves."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, TextOut, ToolOut

ABOUT_CALLS = "CEDAR. I have called everything that was asked for."


@dataclass(slots=True)
class AnswersInForm:
    """The built-in model behind such a template. `bodies` are the requests that asked for the form."""

    bodies: list[Body] = field(default_factory=list)

    def answer(self, body: Body) -> Reply:
        shape = (body.get("output_config") or {}).get("format")
        if shape is None:
            return Reply([TextOut(ABOUT_CALLS)])
        self.bodies.append(body)
        reply = demo_model().answer({**body, "tools": _tools(shape["schema"]), "messages": [*_messages(body)]})
        assert isinstance(reply, Reply)
        words = "\n".join(one.text for one in reply.blocks if isinstance(one, TextOut))
        calls = [{"name": one.name, "input": dict(one.input)} for one in reply.blocks if isinstance(one, ToolOut)]
        return Reply([TextOut(json.dumps({"words": words, "calls": calls}))], usage=reply.usage)


def _tools(schema: dict[str, Any]) -> list[dict[str, Any]]:
    each = schema["properties"]["calls"].get("items", {}).get("anyOf", [])
    return [{"name": one["properties"]["name"]["const"], "input_schema": one["properties"]["input"]} for one in each]


def _messages(body: Body) -> Iterator[dict[str, Any]]:
    """The messages as they would be with tools: calls and results out of their JSON."""
    ids: list[str] = []
    for place, message in enumerate(body["messages"]):
        (first, *rest) = message["content"]
        given = _object(first.get("text", ""))
        if message["role"] == "assistant" and "calls" in given:
            ids = [f"call_{place}_{number}" for number, _ in enumerate(given["calls"])]
            uses = [
                {"type": "tool_use", "id": id_, "name": one["name"], "input": one["input"]}
                for id_, one in zip(ids, given["calls"], strict=True)
            ]
            words = [{"type": "text", "text": given["words"]}] if given["words"] else []
            yield {"role": "assistant", "content": [*words, *uses]}
        elif "results" in given:
            told = [
                {"type": "tool_result", "tool_use_id": id_, "content": one["result"], "is_error": one["is_error"]}
                for id_, one in zip(ids, given["results"], strict=True)
            ]
            yield {"role": "user", "content": [*told, *rest]}
        else:
            yield message


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
