"""Permissions of tool calls: rules that allow a call, deny it, or ask a person."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from hashlib import sha256

from sprout.errors import SproutError
from sprout.loop.encoding.canonical_json import canonical_json
from sprout.loop.human import HumanQuestion
from sprout.loop.model import ToolUse
from sprout.loop.model_notices import notice
from sprout.loop.tool_calls.result_truncation import truncate_to_bytes
from sprout.loop.tools import Tool

SHOWN_ARGUMENTS_BYTES = 4_000


class Decision(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class BadRule(SproutError, ValueError):
    """A permission rule that can never apply; raised when it is made. A ValueError, so that settings name the field."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Permission rule: the decision on the calls that match. Raises BadRule for a pattern that nothing can match.

    Args:
        tool: a glob over tool names, case-sensitive.
        input: a glob for each field that must match. Texts are matched with white space folded, anything else as its
            canonical JSON (`true`, `3`, `["a","b"]`). A field that the call does not have matches no glob.
    """

    decision: Decision
    tool: str = "*"
    input: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.tool.strip():
            raise BadRule("a permission rule needs the name of a tool, or a pattern for it, not an empty text")

    def matches(self, name: str, arguments: Mapping[str, object]) -> bool:
        return fnmatchcase(name, self.tool) and all(
            key in arguments and fnmatchcase(_as_matched(arguments[key]), _fold_whitespace(pattern))
            for key, pattern in self.input.items()
        )


def _fold_whitespace(text: str) -> str:
    return " ".join(text.split())


def _as_matched(value: object) -> str:
    return _fold_whitespace(value) if isinstance(value, str) else canonical_json(value)


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to one call with these very arguments, to the letter."""

    call_id: str
    arguments_hash: str

    @classmethod
    def of(cls, call: ToolUse) -> "Approval":
        exact = json.dumps([call.name, dict(call.input)], sort_keys=True)
        return cls(call.id, sha256(exact.encode()).hexdigest())


class Permissions:
    """The rules of an agent: deny is stronger than ask, ask than allow; `default` is for calls that no rule matches."""

    def __init__(self, rules: Sequence[Rule] = (), *, default: Decision = Decision.ALLOW) -> None:
        self._rules = tuple(rules)
        self._default = default

    def decision(self, tool: Tool, call: ToolUse, approvals: Collection[Approval] = ()) -> Decision:
        """Decision on a call; an approval turns ask into allow, for its own call alone, and never a deny.

        Rules are matched against the input as the tool will get it: with defaults filled in and values converted, so
        that `"yes"` for true evades no rule. Raises BadToolInput.
        """
        arguments = checked_arguments(tool, call)
        found = {rule.decision for rule in self._rules if rule.matches(tool.name, arguments)}
        decision = next(
            (kind for kind in (Decision.DENY, Decision.ASK, Decision.ALLOW) if kind in found), self._default
        )
        return Decision.ALLOW if decision is Decision.ASK and Approval.of(call) in approvals else decision


def checked_arguments(tool: Tool, call: ToolUse) -> dict[str, object]:
    """The input with which the tool would run, as JSON values. Raises BadToolInput."""
    return tool.checked(call).model_dump(mode="json", by_alias=True)


def permission_question(tool: Tool, call: ToolUse) -> HumanQuestion:
    """Asks a person whether a call may run, showing the input it would run with, secret fields left out.

    What cannot be printed is shown as its code point, so that no invisible character disguises what is approved.
    Raises BadToolInput.
    """
    arguments = {key: value for key, value in checked_arguments(tool, call).items() if key not in tool.secret}
    exact = json.dumps(arguments, ensure_ascii=False)
    shown = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in exact)
    return HumanQuestion(
        notice("permission_question", name=tool.name, arguments=truncate_to_bytes(shown, SHOWN_ARGUMENTS_BYTES)),
        (notice("choice_allow"), notice("choice_deny")),
        notice("why_permission"),
        call.id,
    )
