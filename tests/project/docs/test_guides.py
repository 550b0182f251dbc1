"""The guides do what they say: every block of theirs is run as it stands, or says why it is not."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from sprout.config import MIB, RunSettings
from sprout.documents.limits import ReadingLimits
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE
from sprout.learning.paths.path_file import MAX_FILE_CHARACTERS, PathFile
from sprout.learning.questions.question_files import MAX_FILE_QUESTIONS
from sprout.loop.policy import LoopPolicy
from sprout.store.reviews.question_imports import MAX_QUESTIONS
from sprout.web.http.limits import WebLimits
from tests.project.docs.guide_runner import ROOT, Block, GuideRunner, matches_output, parse_blocks

DOCS = ROOT / "docs"
# Their commands are run by tests of their own: test_database_page.py, and those of the parts that they describe.
ELSEWHERE = {"database.md", "container.md", "faults.md", "benchmarks.md", "capacity.md", "releasing.md"}
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.glob("*.md")) if page.name not in ELSEWHERE and not page.name.startswith("api")),
    *sorted((DOCS / "guides").glob("*.md")),
]
RUN = {"sh", "console", "python"}
READ = {"yaml", "json", "markdown", "text"}
REASONS = {
    "needs a key": 3,
    "needs another model server": 3,
    "needs Docker": 2,
    "needs the server to be stopped": 1,
    "needs PostgreSQL and Redis": 2,
    "needs PostgreSQL": 1,
    "needs a name that the world knows": 1,
    "needs the code of a class": 1,
}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def blocks() -> list[tuple[Path, Block]]:
    return [(page, block) for page in PAGES for block in parse_blocks(page)]


@pytest.mark.parametrize("page", [page for page in PAGES if parse_blocks(page)], ids=lambda page: page.name)
async def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    async with GuideRunner(tmp_path) as reader:
        for block in parse_blocks(page):
            if (block.file or block.language in RUN | {"yaml", "json", "markdown"}) and block.skip_reason is None:
                await reader.run_block(block)


def test_every_block_is_run_or_read_or_says_why_not() -> None:
    assert {block.language for _, block in blocks()} <= RUN | READ
    reasons = Counter(block.skip_reason for _, block in blocks() if block.skip_reason is not None)
    assert {reason: count for reason, count in reasons.items() if count > REASONS.get(reason, 0)} == {}
    remarks = {block.remark for _, block in blocks()}
    assert {one for one in remarks if not one.startswith(("not run: ", "file: ", "the servers are "))} <= {""}


def test_what_a_page_shows_as_data_is_data() -> None:
    for _, block in blocks():
        if block.language == "yaml":
            assert yaml.safe_load(block.text)
        elif block.language == "json":
            assert json.loads(block.text)


def test_every_link_leads_somewhere() -> None:
    lost = []
    for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "deploy").rglob("*.md")):
        for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
            file = (page.parent / target).resolve() if target else page
            if not file.exists():
                lost.append(f"{page.name}: {target}")
            elif heading and heading not in anchors_of(file):
                lost.append(f"{page.name}: {target}#{heading}")
    assert lost == []


def test_the_limits_are_those_of_the_program() -> None:
    page, web, runs, loop = (
        (DOCS / "limits.md").read_text(encoding="utf-8"),
        WebLimits(),
        RunSettings.model_validate({}),
        LoopPolicy(),
    )
    for remark in (
        f"| {MAX_TITLE} and {MAX_DESC:,} characters |",
        f"| {MAX_FILE_CHARACTERS:,} characters, 200 concepts, 200 parts and 200 questions each |",
        f"a document has at most {ReadingLimits().characters:,} characters |",
        f"and {MAX_FILE_QUESTIONS:,} questions; a concept has at most {MAX_QUESTIONS:,} |",
        f"| {web.json_max_bytes // 10**6} MB of JSON, {web.graph_max_bytes // 10**6} MB for a path,",
        f"{web.turn_max_bytes // MIB} MiB for a turn",
        f"| {web.streams_per_learner} for a learner, {web.streams_per_address} for an address |",
        f"| {runs.model_calls}, of which one run with its helpers has {runs.children} |",
        f"| {loop.max_iterations} model calls and {loop.hard_limit_s / 60:.0f} minutes,",
    ):
        assert remark in page
    schema = PathFile.model_json_schema(by_alias=True)
    most = {schema["properties"]["concepts"]["maxItems"]}
    most |= {schema["$defs"]["ConceptItem"]["properties"][name]["maxItems"] for name in ("subconcepts", "questions")}
    assert most == {200}


@cache
def anchors_of(page: Path) -> set[str]:
    """The anchors of a page: those of its headings, and those that are named."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = re.findall(r'<a id="(.+?)">', text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles} | {*named}


def test_what_fits_is_distinguished_from_what_does_not() -> None:
    assert matches_output("one\ntwo 3 s\n", "one\ntwo … s")
    assert not matches_output("one\ntwo 3 s\n", "one")
    assert not matches_output("one\n", "one\ntwo")


async def test_a_page_that_says_what_is_not_so_is_found(tmp_path: Path) -> None:
    async with GuideRunner(tmp_path) as reader:
        await reader.run_block(Block("sh", "word=leaf\n", ""))
        await reader.run_block(Block("console", "$ echo $word\nleaf\n", ""))
        with pytest.raises(AssertionError, match="the page says"):
            await reader.run_block(Block("console", "$ echo $word\nroot\n", ""))
        with pytest.raises(AssertionError, match="this failed"):
            await reader.run_block(Block("sh", "ls nowhere\necho on\n", ""))
