"""Mechanisms of the loop as settings: each field of an agent can be set, nonsense is refused, doctor prints them."""

import json
import re
from pathlib import Path

import httpx2
import pytest

from sprout.config import Settings, load_settings
from sprout.errors import SetupError
from sprout.loop.context.strategy import Auto, SlidingWindow, Summarize, Unlimited
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.tool_calls.permissions import Decision, Rule
from sprout.loop.tools import Profile
from sprout.offline.script import Scripted
from sprout.offline.server import running_offline_server
from tests.project.commands import run_sprout
from tests.project.extended_server import ROOT, STUDY_GUIDE, USER, model_settings, sprout_serving

PAGE = ROOT / "docs" / "agents.md"
RULES = [{"decision": "ask", "tool": "save_*", "input": {"title": "A*"}}, {"decision": "deny", "tool": "drop"}]
MEANT = (Rule(Decision.ASK, "save_*", {"title": "A*"}), Rule(Decision.DENY, "drop"))


def settings_with(monkeypatch: pytest.MonkeyPatch, agent: str, **fields: str) -> Settings:
    """The settings with these fields of an agent in the environment."""
    monkeypatch.setenv("SPROUT_EXTRA_AGENTS", "plan_agent:make_agent")
    for name, value in fields.items():
        monkeypatch.setenv(f"SPROUT_AGENTS__{agent.upper()}__{name.upper()}", value)
    return load_settings()


FIELDS = [
    ({"strategy": "unlimited"}, LoopMechanisms(strategy="unlimited")),
    (
        {"strategy": "sliding_window", "strategy_tokens": "9000"},
        LoopMechanisms(strategy="sliding_window", strategy_tokens=9_000),
    ),
    ({"recursive_summary": "true"}, LoopMechanisms(recursive_summary=True)),
    ({"permissions": json.dumps(RULES)}, LoopMechanisms(permissions=MEANT)),
    ({"profile": "conversational"}, LoopMechanisms(profile=Profile.CONVERSATIONAL)),
    ({"journal": "true"}, LoopMechanisms(journal=True)),
    ({"memory": "true"}, LoopMechanisms(memory=True)),
    ({"lookup": "get_parts"}, LoopMechanisms(lookup="get_parts")),
    ({"token_target": "1200"}, LoopMechanisms(token_target=1_200)),
    ({"asks": "true"}, LoopMechanisms(asks=True)),
]


@pytest.mark.parametrize(("fields", "wanted"), FIELDS)
def test_M1_each_mechanism_of_an_added_agent_can_be_set(
    fields: dict[str, str], wanted: LoopMechanisms, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_with(monkeypatch, "plan", **fields)
    assert settings.mechanisms("plan", LoopMechanisms()) == wanted != LoopMechanisms()
    assert settings.mechanisms("other", LoopMechanisms()) == LoopMechanisms()


def test_M1_no_mechanism_is_left_out_here_nor_on_the_page_about_agents() -> None:
    assert {name for fields, _ in FIELDS for name in fields} == set(LoopMechanisms.model_fields)
    _, _, section = PAGE.read_text(encoding="utf-8").partition("### Mechanisms\n")
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == [*LoopMechanisms.model_fields]


def test_M1_a_setting_changes_its_own_field_of_what_the_agent_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    own = LoopMechanisms(strategy="sliding_window", strategy_tokens=9_000, permissions=MEANT, journal=True)
    settings = settings_with(monkeypatch, "plan", strategy_tokens="500", journal="false")
    assert settings.mechanisms("plan", own) == own.model_copy(update={"strategy_tokens": 500, "journal": False})


@pytest.mark.parametrize(
    ("fields", "strategy"),
    [
        ({}, Auto()),
        ({"recursive_summary": "true"}, Auto(recursive=True)),
        ({"strategy": "unlimited"}, Unlimited()),
        ({"strategy": "sliding_window", "strategy_tokens": "7"}, SlidingWindow(7)),
        ({"strategy": "summarize", "strategy_tokens": "7", "recursive_summary": "true"}, Summarize(7, recursive=True)),
    ],
)
def test_M1_the_strategy_that_was_set_is_the_one_that_the_loop_gets(
    fields: dict[str, str], strategy: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_with(monkeypatch, "plan", **fields)
    assert settings.mechanisms("plan", LoopMechanisms()).context_strategy() == strategy


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"strategy": "window"}, "strategy: "),
        ({"strategy": "sliding_window"}, "strategy_tokens goes with"),
        ({"strategy_tokens": "500"}, "strategy_tokens goes with"),
        ({"strategy": "summarize", "strategy_tokens": "0"}, "strategy_tokens: "),
        ({"strategy": "unlimited", "recursive_summary": "true"}, "recursive_summary does not go with"),
        ({"recursive_summary": "perhaps"}, "recursive_summary: "),
        ({"journal": "often"}, "journal: "),
        ({"token_target": "-1"}, "token_target: "),
        ({"asks": "7"}, "asks: "),
        ({"permissions": "ask save_guide"}, "permissions: "),
        ({"permissions": '{"decision": "ask"}'}, "permissions: "),
        ({"permissions": '[{"decision": "perhaps", "tool": "save_*"}]'}, "permissions.0.decision: "),
        ({"permissions": '[{"decision": "ask", "tol": "save_*"}]'}, "permissions.0.tol: "),
        ({"permissions": '[{"decision": "ask", "tool": " "}]'}, "permissions.0: "),
    ],
)
def test_M1_what_is_no_value_is_refused_by_agent_and_field(
    fields: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_with(monkeypatch, "plan", **fields)
    with pytest.raises(SetupError, match="'plan' cannot be used") as refused:
        settings.mechanisms("plan", LoopMechanisms())
    assert says in str(refused.value)


async def test_M1_a_server_whose_mechanisms_are_nonsense_does_not_start(tmp_path: Path) -> None:
    for agent in ("topic", "study_guide"):
        field = {f"SPROUT_AGENTS__{agent.upper()}__JOURNAL": "often"}
        ran = await run_sprout("serve", "--port", "0", folder=tmp_path, **STUDY_GUIDE, **field)
        assert ran.code == 1
        assert f"sprout: The settings of the loop for {agent!r} cannot be used. journal: " in ran.err


@pytest.mark.parametrize(("journal", "has_journal"), [("true", True), ("false", False)])
async def test_M1_a_setting_takes_a_mechanism_from_a_built_in_agent(
    journal: str, has_journal: bool, tmp_path: Path
) -> None:
    async with (
        running_offline_server(Scripted()) as model,
        sprout_serving(tmp_path, SPROUT_AGENTS__TOPIC__JOURNAL=journal, **model_settings(model)) as (_, address),
        httpx2.AsyncClient(base_url=address, timeout=60) as client,
    ):
        branch = (await client.post("/api/branches", json={**USER, "title": "Light"})).json()
        topic = {**USER, "type": "root", "title": "Light", "branchId": branch["id"]}
        node = (await client.post("/api/nodes", json=topic)).json()
        ran = await client.post(f"/api/agents/topics/{node['id']}/run", json=USER)
    assert ran.status_code == 200, ran.text
    offered = {tool["name"] for tool in model.requests[0].body["tools"]}
    assert "save_concept" in offered
    assert ("update_run_journal" in offered) is has_journal


async def test_M1_doctor_prints_the_mechanisms_in_force_and_their_sources(tmp_path: Path) -> None:
    settings = {
        "SPROUT_AGENTS__TOPIC__JOURNAL": "false",
        "SPROUT_AGENTS__STUDY_GUIDE__STRATEGY_TOKENS": "9000",
        "SPROUT_AGENTS__GRADING__PERMISSIONS": json.dumps(RULES),
    }
    ran = await run_sprout("doctor", folder=tmp_path, **STUDY_GUIDE, **settings)
    assert ran.code == 0, ran.out
    rows = {tuple(line.split()[:2]): " ".join(line.split()[2:]) for line in ran.out.splitlines() if line.strip()}
    assert rows["topic", "journal"] == "no SPROUT_AGENTS"
    assert rows["topic", "recursive_summary"] == "yes the agent's own"
    assert rows["grading", "permissions"] == "ask save_* title=A*, deny drop SPROUT_AGENTS"
    assert rows["study_guide", "permissions"] == "ask save_guide the agent's own"
    assert rows["study_guide", "strategy"] == "sliding_window the agent's own"
    assert rows["study_guide", "strategy_tokens"] == "9,000 SPROUT_AGENTS"
    assert not [row for row in rows if row[0] in ("summary", "review")]


async def test_M1_doctor_says_which_mechanism_cannot_be_used(tmp_path: Path) -> None:
    ran = await run_sprout("doctor", folder=tmp_path, SPROUT_AGENTS__REVIEW__TOKEN_TARGET="many")
    assert ran.code == 1
    assert "The settings of the loop for 'review' cannot be used. token_target: " in ran.out
    assert "Traceback" not in ran.err
