"""Rules in docs/rules: each code that a test's name, a docstring or a page cites is defined there, once a page."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RULES = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "rules").glob("*.md"))}
DEFINITION = re.compile(r"^- \*\*(§?[A-Z]{0,2}-?\d+[a-z]?)\*\*", re.MULTILINE)
CODES = {name: DEFINITION.findall(text) for name, text in RULES.items()}
KNOWN = {code.replace("-", "") for codes in CODES.values() for code in codes}
TRAPS = set(CODES["traps.md"])
NAME = re.compile(r"def test_((?:(?:[A-Z]{1,2}\d+[a-z]?|trap|\d+|to)_)+)\w+\(")
TITLE = re.compile(r"""\btest\(["`]([A-Z]{1,2}-?\d+[a-z]?)\b""")
CITATION = re.compile(r"\b(loop|runs|learning|faults|traps|teaching)\.md ((?:§|[A-Z]{1,2}-?)?\d+[a-z]?)\b")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def sources(*folders: str, suffix: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob(f"*{suffix}"))]


def cited_in_names() -> list[tuple[str, str]]:
    """Each code at the beginning of a test's name, with its file; a number stands for a trap."""
    named = [
        (code, path.name)
        for path in sources("tests", suffix=".py")
        for codes in NAME.findall(path.read_text(encoding="utf-8"))
        for code in codes.split("_")
        if code not in {"", "trap", "to"}
    ]
    titled = [
        (code.replace("-", ""), path.name)
        for path in sources("tests/web", suffix=".mjs")
        for code in TITLE.findall(path.read_text(encoding="utf-8"))
    ]
    return named + titled


def test_every_rule_that_a_tests_name_cites_is_in_the_rules() -> None:
    cited = cited_in_names()
    assert len(cited) > 500
    rules = {(code, file) for code, file in cited if not code.isdigit()}
    traps = {(code, file) for code, file in cited if code.isdigit() and int(code) <= len(TRAPS)}
    assert {(code, file) for code, file in rules if code not in KNOWN} == set()
    assert {(code, file) for code, file in traps if code not in TRAPS} == set()


def test_every_rule_that_is_cited_with_its_page_is_on_that_page() -> None:
    found = [
        (page, code, path.name)
        for path in sources("tests", "sprout", "faults", "bench", suffix=".py")
        for page, code in CITATION.findall(path.read_text(encoding="utf-8"))
    ]
    assert [one for one in found if one[1] not in CODES[f"{one[0]}.md"]] == []


def test_every_rule_that_the_sources_of_the_loop_cite_is_a_rule_of_the_loop_or_of_runs() -> None:
    page = (ROOT / "docs" / "loop-sources.md").read_text(encoding="utf-8")
    rows = [line.split("|")[2] for line in page.splitlines() if line.startswith("| ")]
    cited = {code for row in rows for code in re.findall(r"\b[A-Z]\d+\b", row)}
    assert len(cited) > 30
    assert cited - {"R3"} <= {*CODES["loop.md"], "F1"}  # R3 is a step of rule C7


def test_every_row_of_the_page_about_faults_is_a_rule() -> None:
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]-?\d+) \|", page, re.MULTILINE)
    assert len(rows) > 90
    assert [row for row in rows if row not in CODES["faults.md"]] == []


@pytest.mark.parametrize("name", RULES)
def test_no_rule_stands_twice_on_a_page_and_its_links_lead_somewhere(name: str) -> None:
    assert [code for code, count in Counter(CODES[name]).items() if count > 1] == []
    links = LINK.findall(RULES[name])
    assert [link for link in links if not (ROOT / "docs" / "rules" / link).exists()] == []


def test_the_index_lists_every_page() -> None:
    assert set(LINK.findall(RULES["README.md"])) >= RULES.keys() - {"README.md"}


def test_traps_are_numbered_without_a_gap() -> None:
    assert CODES["traps.md"] == [str(number) for number in range(1, len(TRAPS) + 1)]
