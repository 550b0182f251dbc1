"""Sentences of the page for the agents' tools: each tool has one while it works, one after it and one for several."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from sprout import agents
from sprout.loop.journal import Journal, OpenJournal, journal_tools

CATALOGUES = sorted((Path(__file__).parents[2] / "static" / "i18n").glob("*.run.js"))
FORMS = {"doing", "done", "many"}
DECORATED = re.compile(r"@tool\((?:[^()]|\([^()]*\))*\)\s+(?:async )?def (\w+)")
FOR_TOOLS_OF_OTHERS = "other"


async def store_nothing(_: Journal) -> None:
    """Take a journal that nobody writes."""


def tool_names() -> set[str]:
    """The tools that the modules of the agents define, and those of the journal."""
    modules = pkgutil.walk_packages(agents.__path__, f"{agents.__name__}.")
    sources = (Path(importlib.import_module(one.name).__file__ or "") for one in modules if not one.ispkg)
    defined = {name for source in sources for name in DECORATED.findall(source.read_text(encoding="utf-8"))}
    return defined | {tool.name for tool in journal_tools(OpenJournal(Journal(), store_nothing))}


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.name)
def test_the_page_says_what_each_tool_does(catalogue: Path) -> None:
    said: dict[str, set[str]] = {}
    for tool, form in re.findall(r'"tool\.(\w+)\.(\w+)": "[^"]+"', catalogue.read_text(encoding="utf-8")):
        said.setdefault(tool, set()).add(form)
    assert said == dict.fromkeys(tool_names() | {FOR_TOOLS_OF_OTHERS}, FORMS)
