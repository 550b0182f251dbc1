"""Plugins in SPROUT_EXTRA_AGENTS and SPROUT_TUTOR_TOOLS: loaded, or refused in one line with the reason."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from harness.agents.memory_repositories import MemoryGraphRepository
from sprout.config import load_settings
from sprout.errors import SetupError
from sprout.plugins import load_agents, load_tools
from tests.project.commands import start_sprout

ROOT = Path(__file__).parents[3]
GOOD = """
from sprout.agents.agent import AgentSpec, Brief
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import tool

async def brief(job, team):
    return Brief()

def spec(name, lane="mine"):
    return lambda repositories, settings: AgentSpec(name, lane, settings.policy(name, LoopPolicy()), brief)

good, spaced, tutor, twin, topic = spec("good"), spec("so so"), spec("tutor"), spec("good"), spec("topic")
in_talk = spec("good", "conversation")

def broken(repositories, settings):
    return {}["nothing"]

def wrong(repositories, settings):
    return "an agent"

nothing = 3

@tool()
async def weather() -> str:
    "Tell the weather."
    return "fine"

@tool(ends_turn=True)
async def goodbye() -> str:
    "End it."
    return "bye"

from sprout.agents.tutor.extra_tools import LessonContext

@tool(of=LessonContext)
async def forecast(lesson: LessonContext) -> str:
    "Tell the weather to come."
    return lesson.language

@tool()
async def memory_store(text: str) -> str:
    "Take the place of another."
    return text

def lookup(lesson):
    @tool()
    async def look() -> str:
        "Look around."
        return lesson.subconcept.title
    return look

def no_tool(lesson):
    return lesson
"""


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with modules of somebody else."""
    (tmp_path / "theirs.py").write_text(dedent(GOOD))
    (tmp_path / "unfinished.py").write_text("def make(:\n")
    (tmp_path / "needy.py").write_text("\nimport not_there_at_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("theirs", "unfinished", "needy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("theirs", "write it as module:name"),
        ("nowhere:make", "there is no module 'nowhere': install it, or put its folder on PYTHONPATH"),
        ("theirs.inner:make", "there is no module 'theirs.inner'"),
        ("needy:make", "there is no module 'not_there_at_all' (needy.py, line 2)"),
        ("unfinished:make", "SyntaxError: invalid syntax (unfinished.py, line 1)"),
        ("theirs:absent", "theirs has no 'absent'"),
        ("theirs:nothing", "it is of type int, not a function of (repositories, settings)"),
        ("theirs:broken", "KeyError: 'nothing' (theirs.py, line 16)"),
        ("theirs:wrong", "it makes a str, not an AgentSpec"),
        ("theirs:spaced", "'so so' is no name for an agent"),
        ("theirs:tutor", "the tutor cannot be replaced"),
        ("theirs:in_talk", "'conversation' cannot be the lane of its runs"),
        ("theirs:good,theirs:twin", "there is another agent 'good'"),
    ],
)
def test_an_agent_that_cannot_be_used_is_refused_in_one_line(entry: str, says: str) -> None:
    settings = load_settings(extra_agents=entry)
    with pytest.raises(SetupError) as refused:
        load_agents(settings, MemoryGraphRepository())
    last = entry.rpartition(",")[2]
    assert str(refused.value).startswith(f"SPROUT_EXTRA_AGENTS: '{last}' cannot be used: ")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("theirs:nothing", "it is of type int, neither a Tool nor a function that makes one"),
        ("theirs:goodbye", "'goodbye' ends the turn or speaks to the learner"),
        ("theirs:forecast", "'forecast' is about a LessonContext: give a function that returns it `about` one"),
        ("theirs:memory_store", "the tutor has a tool 'memory_store' already"),
        ("theirs:no_tool", "it makes a LessonContext, not a Tool"),
        ("theirs:weather, theirs:weather", "the tutor has a tool 'weather' already"),
    ],
)
def test_a_tool_that_cannot_be_used_is_refused_in_one_line(entry: str, says: str) -> None:
    with pytest.raises(SetupError, match="SPROUT_TUTOR_TOOLS: ") as refused:
        load_tools(load_settings(tutor_tools=entry), MemoryGraphRepository())
    assert says in str(refused.value)


def test_several_are_loaded_in_their_order_with_the_numbers_of_their_settings() -> None:
    settings = load_settings(
        extra_agents=" theirs:good , theirs:topic ",
        tutor_tools="theirs:weather,theirs:lookup",
        agents={"good": {"max_iterations": 3, "model": "claude-haiku-5-5"}},
        api_key="a key",
    )
    repositories = MemoryGraphRepository()
    good, topic = load_agents(settings, repositories)
    assert (good.name, good.policy.max_iterations, topic.name) == ("good", 3, "topic")
    assert settings.model_of("good", small=False) == "claude-haiku-5-5"
    assert settings.model_of("some_other", small=False) == settings.model_of("tutor", small=False)
    assert [tool.name for tool in load_tools(settings, repositories)] == ["weather", "look"]


def test_a_setting_of_an_agent_that_is_not_there_is_refused() -> None:
    with pytest.raises(SetupError, match="there is no agent 'tutr'; there are: topic"):
        load_settings(agents={"tutr": {"model": "x"}})
    misspelt = load_settings(extra_agents="theirs:good", agents={"god": {"model": "x"}})
    with pytest.raises(SetupError, match="SPROUT_AGENTS__GOD is about no agent; there are: good, grading"):
        load_agents(misspelt, MemoryGraphRepository())


async def test_doctor_shows_what_is_added_and_a_server_without_it_does_not_start(modules: Path) -> None:
    path = {"PYTHONPATH": f"{ROOT}:{modules}"}
    added = {"SPROUT_EXTRA_AGENTS": "theirs:good", "SPROUT_TUTOR_TOOLS": "theirs:lookup", **path}
    code, out, _ = await run_sprout("doctor", folder=modules, **added)
    assert code == 0
    assert "good of theirs:good, additional, with sprout-offline" in out
    assert "look of theirs:lookup" in out
    broken = {"SPROUT_EXTRA_AGENTS": "theirs:god", **path}
    code, out, _ = await run_sprout("doctor", folder=modules, **broken)
    assert (code, "theirs has no 'god'" in out) == (1, True)
    code, _, err = await run_sprout("serve", "--port", "0", folder=modules, **broken)
    assert (code, err.splitlines()[-1]) == (
        1,
        "sprout: SPROUT_EXTRA_AGENTS: 'theirs:god' cannot be used: theirs has no 'god'",
    )


async def run_sprout(*arguments: str, folder: Path, **settings: str) -> tuple[int | None, str, str]:
    process = await start_sprout(*arguments, folder=folder, **settings)
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()
