"""Every prompt file is as its front matter says."""

import re
from pathlib import Path

import pytest

import sprout.agents
from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.prompts import load_prompt, read_prompt
from sprout.errors import SetupError
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.engine.database import Database
from tests.agents.classroom import classroom
from tests.agents.driving import a_job, briefed

FOLDER = Path(sprout.agents.__path__[0])
NAMES = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md"))
GOOD = "---\nversion: 3\nplaceholders: [who, what]\nbudget_words: 5\n---\nTell {who}:\n{what}\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_keeps_its_budget(name: str) -> None:
    prompt = load_prompt(name)
    assert 0 < prompt.words <= prompt.budget_words <= 900


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_neither_shouts_nor_threatens(name: str) -> None:
    text = load_prompt(name).text
    shouted = [word for word in text.split() if len(word) > 3 and word.isalpha() and word.isupper()]
    assert shouted == []
    assert "never use tools" not in text.lower()


@pytest.mark.parametrize(
    "name", [one for one in NAMES if "." not in one.removesuffix(".short") and one != "correction"]
)
def test_a_system_prompt_has_the_parts_of_the_guide_in_order(name: str) -> None:
    headings = [line[2:] for line in load_prompt(name).text.split("\n") if line.startswith("# ")]
    assert headings == ["Outcome", "What you are given", "Do", "Rules", "Quality bar", "Done when"]


@pytest.mark.parametrize(("name", "agent"), [("path/topic", topic_agent), ("path/subconcept", subconcept_agent)])
async def test_the_tools_that_a_prompt_names_and_the_tools_on_offer_are_the_same(name: str, agent: object) -> None:
    repositories = MemoryGraphRepository(notes=[Passage("notes.md", None, "Voltage pushes.", 0, 15)])
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "Voltage")
    spec = topic_agent(repositories) if agent is topic_agent else subconcept_agent(repositories)
    brief = await briefed(spec, root if agent is topic_agent else concept)
    text = load_prompt(name).text
    offered = {tool.name for tool in brief.tools}
    assert all(f"`{tool}`" in text for tool in offered)
    named = {word.strip("`") for word in text.split() if word.startswith(("`save_", "`extract_", "`close_"))}
    assert {tool.rstrip("`:,.") for tool in named} <= offered


@pytest.mark.parametrize(("name", "agent"), [("path/topic", topic_agent), ("path/subconcept", subconcept_agent)])
async def test_O8_a_small_path_has_prompts_in_a_short_form_and_a_lighter_set_of_tools(name: str, agent: object) -> None:
    repositories = MemoryGraphRepository(notes=[Passage("notes.md", None, "Voltage pushes.", 0, 15, id="p1")])
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "Voltage")
    spec = topic_agent(repositories) if agent is topic_agent else subconcept_agent(repositories)
    node = root if agent is topic_agent else concept
    whole, small = await briefed(spec, node), await briefed(spec, node, small=True)
    short = load_prompt(f"{name}.short")
    assert short.words < load_prompt(name).words / 2
    offered = {tool.name for tool in small.tools}
    assert offered < {tool.name for tool in whole.tools}
    assert all(f"`{tool}`" in short.text for tool in offered)
    assert small.system.split("\n")[2] == short.text.split("\n")[2].replace("{concepts}", "1-2")


@pytest.mark.parametrize(("name", "agent"), [("refinement", "concept_refinement"), ("review", "path_review")])
async def test_the_tools_of_those_that_adapt_a_path_are_named_in_their_prompts(
    name: str, agent: str, database: Database, data_dir: Path
) -> None:
    async with classroom(database, data_dir) as room:
        spec = room.agents[name]
        brief = await spec.brief(a_job(room.concept, label=agent, user_id=DEFAULT_USER_ID), RecordingTeam())
    text = load_prompt(f"adaptation/{name}").text
    offered = {tool.name for tool in brief.tools}
    named = {
        word.strip("`,.:;)")
        for word in text.split()
        if re.match(r"`(add|remove|get|check|validate|grade|close)_", word)
    }
    assert named == offered
    assert spec.label == agent


def test_a_prompt_is_filled_in_one_go_and_what_is_filled_in_is_not_read_again() -> None:
    prompt = read_prompt("greeting", GOOD)
    assert (prompt.version, prompt.words) == (3, 3)
    assert prompt.fill(who="Ada", what="{who} \\1 {else}") == "Tell Ada:\n{who} \\1 {else}"


def test_a_line_of_nothing_but_an_empty_placeholder_is_left_out() -> None:
    assert read_prompt("greeting", GOOD).fill(who="", what="") == "Tell :"


@pytest.mark.parametrize("values", [{"who": "Ada"}, {"who": "Ada", "what": "x", "why": "y"}, {}])
def test_a_missing_or_surplus_value_is_an_error(values: dict[str, str]) -> None:
    with pytest.raises(SetupError, match="'greeting' wants the values what, who"):
        read_prompt("greeting", GOOD).fill(**values)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Tell {who}", "does not begin with front matter"),
        (GOOD.replace("[who, what]", "[who]"), "differ in what"),
        (GOOD.replace("[who, what]", "[who, what, why]"), "differ in why"),
        (GOOD.replace("version: 3\n", ""), "front matter of prompt 'greeting' cannot be read"),
        (GOOD.replace("version: 3", "version: ["), "cannot be read"),
        (GOOD.replace("version: 3", "version: 3\nmood: gay"), "cannot be read"),
    ],
)
def test_a_broken_prompt_file_is_an_error_when_it_is_read(content: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        read_prompt("greeting", content)


def test_a_prompt_that_is_not_there_is_an_error_that_names_the_file() -> None:
    with pytest.raises(SetupError, match=r"nobody\.md is missing"):
        load_prompt("nobody")
