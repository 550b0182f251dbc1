"""The page about the ASVS: a line for each requirement, an honest count, and tests that are there."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \| ([^|]*) ?\|$", PAGE, re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/.]+)::(\w+)`")
# How many requirements of level 1 and 2 each section of ASVS 5.0.0 has; they are numbered without a gap.
SECTIONS = {
    "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1,
    "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4,
    "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2,
    "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1,
    "9.1": 3, "9.2": 4,
    "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3,
}  # fmt: skip


def test_every_requirement_of_level_1_and_2_has_one_line() -> None:
    wanted = [f"{section}.{number}" for section, most in SECTIONS.items() for number in range(1, most + 1)]
    assert sorted(number for number, *_ in LINES) == sorted(wanted)


def test_every_test_that_is_named_is_there() -> None:
    named = [found for *_, tests in LINES for found in NAMED.findall(tests)]
    assert len(named) > 70
    for file, name in named:
        source = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {name}\(", source, re.MULTILINE), f"{file}::{name}"


def test_the_counts_are_those_of_the_table_and_what_is_not_met_is_said_first() -> None:
    states = Counter(state for _, state, *_ in LINES)
    assert (
        f"Of {len(LINES)} requirements {states['met']} are met, {states['partly']} partly,"
        f" {states['not met']} are not met, and {states['does not apply']} do not apply."
    ) in PAGE
    first = PAGE.partition("\n## ")[0]
    assert [number for number, state, *_ in LINES if state == "not met" and f"({number})" not in first] == []
    assert all(where.strip() for _, _, where, _ in LINES)
