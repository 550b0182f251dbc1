"""Allow, deny, ask: rules over calls, and approvals of single ones."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprout.loop.human import allows
from sprout.loop.model import ToolUse
from sprout.loop.tool_calls.permissions import Approval, BadRule, Decision, Permissions, Rule, permission_question
from sprout.loop.tools import BadToolInput, Effect, Tool, tool

ALLOW, ASK, DENY = Decision.ALLOW, Decision.ASK, Decision.DENY


def sender() -> Tool:
    @tool(effect=Effect.WRITE, secret=frozenset({"key"}))
    async def send(
        to: str, text: str = "", copies: int = 1, urgent: bool = False, tags: list[str] | None = None, key: str = ""
    ) -> str:
        """Send a message."""
        return f"{to} {text} {copies} {urgent} {tags} {key}"

    return send


SEND = sender()


def call(**given: object) -> ToolUse:
    return ToolUse("toolu_1", "send", {"to": "anna", **given})  # type: ignore[dict-item]


def decided(*rules: Rule, default: Decision = ALLOW, **given: object) -> Decision:
    return Permissions(rules, default=default).decision(SEND, call(**given))


def test_L9_without_a_rule_the_default_holds() -> None:
    assert decided() is ALLOW
    assert decided(default=DENY) is DENY
    assert decided(Rule(DENY, "read_*"), default=ASK) is ASK


@pytest.mark.parametrize("rules", list(itertools.permutations([Rule(ALLOW, "send"), Rule(ASK, "s*"), Rule(DENY)])))
def test_L9_50_deny_is_stronger_than_ask_and_ask_than_allow_in_any_order(rules: tuple[Rule, ...]) -> None:
    assert decided(*rules, default=ALLOW) is DENY
    assert decided(*(rule for rule in rules if rule.decision is not DENY)) is ASK
    assert decided(*(rule for rule in rules if rule.decision is ALLOW), default=DENY) is ALLOW


@given(
    st.lists(st.builds(Rule, st.sampled_from(Decision), st.sampled_from(["send", "s?nd", "other", "*"])), max_size=6)
)
def test_L9_a_call_that_some_rule_denies_is_never_run(rules: list[Rule]) -> None:
    denied = any(rule.decision is DENY and rule.tool != "other" for rule in rules)
    assert (decided(*rules) is DENY) == denied


@pytest.mark.parametrize(
    ("pattern", "given", "matches"),
    [
        ({"to": "*@school.example"}, {"to": "a@school.example"}, True),
        ({"to": "*@school.example"}, {"to": "a@school.example.evil"}, False),
        ({"text": "rm -rf*"}, {"text": " rm \n -rf  /"}, True),
        ({"text": " rm  -rf*"}, {"text": "rm -rf /"}, True),
        ({"text": "*secret*"}, {"text": "a\nsecret\nb"}, True),
        ({"copies": "3"}, {"copies": 3.0}, True),
        ({"copies": "3"}, {"copies": "3"}, True),
        ({"urgent": "true"}, {"urgent": "yes"}, True),
        ({"urgent": "false"}, {}, True),
        ({"tags": '*"exam"*'}, {"tags": ["a", "exam"]}, True),
        ({"tags": "null"}, {}, True),
        ({"to": "anna", "copies": "1"}, {}, True),
        ({"to": "anna", "copies": "2"}, {}, False),
        ({"nowhere": "*"}, {}, False),
    ],
)
def test_50_a_rule_is_held_against_the_input_as_the_tool_would_get_it(
    pattern: dict[str, str], given: dict[str, object], matches: bool
) -> None:
    assert (decided(Rule(DENY, "send", pattern), default=ALLOW, **given) is DENY) == matches


def test_the_names_of_tools_are_matched_with_their_capitals() -> None:
    assert decided(Rule(DENY, "Send")) is ALLOW


def test_a_call_whose_input_does_not_fit_is_not_decided() -> None:
    with pytest.raises(BadToolInput, match="copies"):
        decided(copies="many")


def test_a_rule_that_can_never_apply_is_refused_when_it_is_made() -> None:
    with pytest.raises(BadRule, match="tool"):
        Rule(DENY, " ")


def test_49_50_an_approval_lets_that_one_call_run() -> None:
    permissions = Permissions([Rule(ASK, "send")])
    asked = call(text="Hello")
    assert permissions.decision(SEND, asked) is ASK
    assert permissions.decision(SEND, asked, {Approval.of(asked)}) is ALLOW
    reordered = ToolUse("toolu_1", "send", {"text": "Hello", "to": "anna"})
    assert permissions.decision(SEND, reordered, {Approval.of(asked)}) is ALLOW


@pytest.mark.parametrize(
    "other",
    [
        call(text="Hello!"),
        call(text="Hello\n"),
        call(text="Hello", copies=2),
        ToolUse("toolu_2", "send", {"to": "anna", "text": "Hello"}),
        ToolUse("toolu_1", "sent", {"to": "anna", "text": "Hello"}),
    ],
)
def test_50_an_approval_holds_for_no_other_call_and_no_other_input(other: ToolUse) -> None:
    permissions = Permissions([Rule(ASK)])
    assert permissions.decision(SEND, other, {Approval.of(call(text="Hello"))}) is ASK


def test_50_an_approval_does_not_lift_a_deny() -> None:
    assert Permissions([Rule(ASK), Rule(DENY)]).decision(SEND, call(), {Approval.of(call())}) is DENY


def test_the_question_shows_what_would_run_but_no_secret() -> None:
    question = permission_question(SEND, call(text="Hello {name}", key="s3cret"))
    assert "send" in question.question
    assert '"to": "anna"' in question.question
    assert "Hello {name}" in question.question
    assert '"copies": 1' in question.question
    assert "s3cret" not in question.question
    assert question.call_id == "toolu_1"
    assert question.choices is not None
    assert [allows(choice) for choice in question.choices] == [True, False]


def test_the_question_disguises_nothing() -> None:
    shown = permission_question(SEND, call(text="to\u202eanna\nrm -rf\u200b")).question
    assert "\\u202e" in shown
    assert "\\u200b" in shown
    assert "\\nrm -rf" in shown
    assert shown.count("\n") == 1


def test_the_question_about_an_endless_input_says_how_much_is_not_shown() -> None:
    shown = permission_question(SEND, call(text="x" * 1_000_000)).question
    assert len(shown) < 5_000
    assert "[cut: 99" in shown
