"""The server's sentences have words in each language of the page: every code that is sent is in its catalogues."""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import sprout
from harness.loop.sample_tools import look_tool
from sprout.accounts.lrs.record_stores import StoreProblem
from sprout.agents.missing_agent import AgentMissing
from sprout.clock import utc_now
from sprout.config import AGENT_NAMES
from sprout.documents.failures import UnreadableReason
from sprout.errors import ModelFailureKind, SproutError
from sprout.events import Usage
from sprout.learning.questions.question_files import LeftOutReason
from sprout.loop.human import context_question
from sprout.loop.model import Message, ToolUse
from sprout.loop.tool_calls.permissions import permission_question
from sprout.loop.turn import TurnResult
from sprout.runs.budget.refusal import CLASS_MODEL_REFUSALS
from sprout.runs.ending import EARLY_ENDINGS
from sprout.runs.execution.pause import loop_question
from sprout.runs.handoff_report import NEXT_STEPS
from sprout.runs.questions import changed_question, in_doubt_question
from sprout.store.engine.quotas import QUOTAS
from sprout.web.http import connection_limits, rate_limits

PACKAGE = Path(sprout.__file__).parent
STATIC = PACKAGE.parent / "static"
OFFERED = re.search(r'data-languages="([^"]+)"', (STATIC / "index.html").read_text())
LANGUAGES = [tag for tag in (OFFERED[1].split() if OFFERED else []) if tag != "en"]
ENTRY = re.compile(r'^ +"server\.(\w+)": ("(?:[^"\\]|\\.)*"),$', re.MULTILINE)
# Values that a program reads and a sentence in another language leaves out: they are English words themselves.
OF_TERMINAL = "sprout.evaluation."  # whose errors no server sends
OF_EVENTS = ("guard_", "rationale_")  # which no error is told by
NOT_SAID = {"unknown_topic": {"choose"}, "retry_later": {"why"}, "budget_too_small": {"used"}}


def subclasses(of: type[SproutError]) -> Iterator[type[SproutError]]:
    yield of
    for one in of.__subclasses__():
        yield from subclasses(one)


def error_classes() -> dict[str, type[SproutError]]:
    for module in walk_packages([str(PACKAGE)], "sprout."):
        if not module.name.endswith(("__main__", "migrations.env")) and ".versions." not in module.name:
            import_module(module.name)
    sent = (one for one in subclasses(SproutError) if one.__module__.startswith("sprout."))
    return {one.__name__: one for one in sent if not one.__module__.startswith(OF_TERMINAL)}


def sent_codes() -> dict[str, set[str]]:
    """The names of the values by code, as the source raises its errors, and as its tables have them."""
    classes = error_classes()
    found: dict[str, set[str]] = {one.code: set() for one in classes.values()}
    tables: list[Mapping[str, Any] | list[str]] = [
        [*ModelFailureKind],
        [*UnreadableReason],
        [*StoreProblem],
        [*LeftOutReason],
        EARLY_ENDINGS,
        CLASS_MODEL_REFUSALS,
        connection_limits.MESSAGES,
        NEXT_STEPS,
        [f"objective_{name}" for name in AGENT_NAMES],
    ]
    found |= {code: set() for table in tables for code in table}
    found |= asked_codes()
    found |= {"reached": {"calls", "words"}, "reached_nothing": {"words"}}
    found |= {f"quota_{name}": {"most"} for name in QUOTAS}
    found |= {f"too_many_{name}": {"seconds"} for name in rate_limits.MESSAGES}
    for path in PACKAGE.rglob("*.py"):
        for code, params in codes_in(ast.parse(path.read_text(encoding="utf-8")), classes):
            found.setdefault(code, set()).update(params)
    return found


def asked_codes() -> dict[str, set[str]]:
    """Of what a run asks a person: the question, its reason, and the prepared answers by their place."""
    now, call, tool = utc_now(), ToolUse("c", "look", {"at": "here"}), look_tool()
    waiting = TurnResult("", "waiting_on_human", (), (Message("assistant", (call,)),), Usage(), 1)
    asked = [
        in_doubt_question("look", "c", {}, now),
        changed_question(now, before="a", after="b"),
        loop_question(context_question(), waiting, [tool]),
        loop_question(permission_question(tool, call), waiting, [tool]),
    ]
    found: dict[str, set[str]] = {"asks_question_why": set()}
    for one in asked:
        params = {"tool"} if one.tool else set()
        found |= {f"asks_{one.kind}": params | ({"arguments"} if "\n" in one.question else set())}
        found |= {f"asks_{one.kind}_why": set()}
        found |= {f"asks_{one.kind}_{place}": set() for place in range(len(one.choices or ()))}
    return found


def codes_in(tree: ast.AST, classes: Mapping[str, type[SproutError]]) -> Iterator[tuple[str, set[str]]]:
    """Each call that makes an error, or the response of one: its code, and the names of its values."""
    inside = {call: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for call in ast.walk(node)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func).rpartition(".")[2]
        given = {one.arg: one.value for one in call.keywords if one.arg is not None}
        if name in ("error_response", "RunError", "_refuse"):
            at = {"error_response": 2, "RunError": 0, "_refuse": 1}[name]
            if len(call.args) > at and isinstance(code := call.args[at], ast.Constant):
                yield str(code.value), set()
            continue
        owner = inside.get(call)
        if name == "__init__" and owner is not None and owner.name in classes.keys() - {"SproutError"}:
            made, accepts = classes[owner.name], classes[owner.name].__mro__[1]
        elif name in classes:
            made = accepts = classes[name]
        else:
            continue
        code = given.get("code", ast.Constant(_own_code(made, call)))
        if isinstance(code, ast.Constant):
            yield str(code.value), {*given} - {*inspect.signature(accepts).parameters}


def _own_code(made: type[SproutError], call: ast.Call) -> str:
    kind = ast.unparse(call.args[0]) if call.args else ""
    named = kind.rpartition("Kind.")[2]
    return ModelFailureKind[named].value if named in ModelFailureKind.__members__ else made.code


@pytest.fixture(scope="module")
def sent() -> dict[str, set[str]]:
    return sent_codes()


@pytest.mark.parametrize("tag", LANGUAGES)
def test_every_code_that_is_sent_has_its_sentence_with_its_values_and_no_sentence_is_left_over(
    tag: str, sent: dict[str, set[str]]
) -> None:
    text = (STATIC / "i18n" / f"{tag}.server.js").read_text(encoding="utf-8")
    said = {
        code: set(re.findall(r"\{(\w+)\}", json.loads(words)))
        for code, words in ENTRY.findall(text)
        if not code.startswith(OF_EVENTS)
    }
    assert {*said} == {*sent}
    assert said == {code: params - NOT_SAID.get(code, set()) for code, params in sent.items()}


def test_codes_and_values_are_found_where_errors_are_made(sent: dict[str, set[str]]) -> None:
    assert sent["title_taken"] == {"title"}
    assert sent["hard_limit"] == {"minutes"}
    assert sent["unknown_model"] == {"model"}
    assert sent["answered_already"] == set()
    assert {"not_found", "internal", "crash_loop", "bad_key", "scanned", "no_questions"} <= {*sent}


def test_an_error_says_its_values_in_english_and_keeps_them_by_name() -> None:
    error = AgentMissing("{odd}")
    assert str(error).startswith("The agent '{odd}' is not here any more")
    assert (error.code, error.params) == ("agent_missing", {"name": "{odd}"})
    assert str(SproutError("{stays}")) == "{stays}"
