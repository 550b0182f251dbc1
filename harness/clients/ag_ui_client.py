"""A client of AG-UI: it refuses what breaks the rules of the protocol, and has what its own client would have."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from ag_ui.core import Event
from pydantic import TypeAdapter

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
TEXT, REASONING, TOOL = "TEXT_MESSAGE", "REASONING_MESSAGE", "TOOL_CALL"
OPENS = {f"{kind}_START": kind for kind in (TEXT, REASONING, TOOL)} | {
    "REASONING_START": "SPAN",
    "SUBAGENT_STARTED": "SUBAGENT",
}
CLOSES = {f"{kind}_END": kind for kind in (TEXT, REASONING, TOOL)} | {
    "REASONING_END": "SPAN",
    "SUBAGENT_FINISHED": "SUBAGENT",
    "SUBAGENT_ERROR": "SUBAGENT",
}
CONTINUES = {f"{TEXT}_CONTENT": TEXT, f"{REASONING}_CONTENT": REASONING, "TOOL_CALL_ARGS": TOOL}


class BrokenRule(Exception):
    """An event that the protocol does not allow here."""


class AgUiClient:
    """Messages by id and state of a thread that a front end has.

    Args:
        messages: those that it has already.
    """

    def __init__(self, messages: Iterable[dict[str, Any]] = ()) -> None:
        self.messages: dict[str, dict[str, Any]] = {one["id"]: deepcopy(one) for one in messages}
        self.state: Any = None
        self.types: list[str] = []
        self._open: set[tuple[str, str]] = set()

    def receive(self, sent: Sequence[dict[str, Any]]) -> "AgUiClient":
        """Events as they come over the wire. Raises BrokenRule, ValidationError."""
        for one in sent:
            EVENT.validate_python(one)
            self._check(one)
            self.types.append(one["type"])
            self._apply(one)
        return self

    def texts(self, role: str = "assistant") -> list[str]:
        return [one["content"] for one in self.messages.values() if one["role"] == role and one.get("content")]

    def _check(self, one: dict[str, Any]) -> None:
        kind, name = one["type"], str(_name(one))
        if not self.types and kind != "RUN_STARTED":
            raise BrokenRule(f"{kind} comes before RUN_STARTED")
        if {"RUN_FINISHED", "RUN_ERROR"} & {*self.types}:
            raise BrokenRule(f"{kind} comes after the end")
        if kind == "RUN_FINISHED" and self._open:
            raise BrokenRule(f"the run ends while {self._open} are open")
        if kind in OPENS:
            if (OPENS[kind], name) in self._open:
                raise BrokenRule(f"{kind} for {name}, which is open")
            self._open.add((OPENS[kind], name))
        closes = CLOSES.get(kind) or CONTINUES.get(kind)
        if closes and (closes, name) not in self._open:
            raise BrokenRule(f"{kind} for {name}, which is not open")
        if kind in CLOSES:
            self._open.discard((CLOSES[kind], name))

    def _apply(self, one: dict[str, Any]) -> None:
        match one["type"]:
            case "TEXT_MESSAGE_START":
                self.messages.setdefault(one["messageId"], {**_message(one, "assistant"), "content": ""})
            case "REASONING_MESSAGE_START":
                self.messages.setdefault(one["messageId"], {**_message(one, "reasoning"), "content": ""})
            case "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT":
                self.messages[one["messageId"]]["content"] += one["delta"]
            case "TOOL_CALL_START":
                call_id, function = one["toolCallId"], {"name": one["toolCallName"], "arguments": ""}
                call = {"id": call_id, "type": "function", "function": function}
                message = _message({**one, "messageId": call_id}, "assistant") | {"toolCalls": [call]}
                self.messages.setdefault(call_id, message)
            case "TOOL_CALL_ARGS":
                self.messages[one["toolCallId"]]["toolCalls"][0]["function"]["arguments"] += one["delta"]
            case "TOOL_CALL_RESULT":
                result = {"toolCallId": one["toolCallId"], "content": one["content"]}
                self.messages[one["messageId"]] = _message(one, "tool") | result
            case "MESSAGES_SNAPSHOT":
                self.messages = {message["id"]: message for message in deepcopy(one["messages"])}
            case "STATE_SNAPSHOT":
                self.state = deepcopy(one["snapshot"])
            case "STATE_DELTA":
                for operation in one["delta"]:
                    self._patch(operation)

    def _patch(self, operation: dict[str, Any]) -> None:
        """RFC 6902, as far as members of objects are added and removed."""
        *parents, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        target = self.state
        for part in parents:
            target = target[part]
        if operation["op"] == "add":
            target[last] = operation["value"]
        else:
            del target[last]


def _name(one: dict[str, Any]) -> object:
    names = ("toolCallId", "messageId") if one["type"].startswith("TOOL") else ("messageId", "subagentRunId")
    return next((one[name] for name in names if name in one), "")


def _message(one: dict[str, Any], role: str) -> dict[str, Any]:
    owner = {"subagentRunId": one["subagentRunId"]} if "subagentRunId" in one else {}
    return {"id": one["messageId"], "role": role, **owner}
