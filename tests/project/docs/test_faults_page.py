"""The page about faults: it has a line for every row, and every test and proof that it names is there."""

import re
from pathlib import Path

from faults.__main__ import PROOFS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| ([A-Z]-?\d+) \|(.*)\|$", PAGE, re.MULTILINE)
ROWS = {"P": 14, "N": 17, "D-": 12, "B": 12, "X": 8, "I-": 19, "Z": 11}
NAMED = re.compile(r"`((?:tests|faults)/[\w/.]+)(?:::(\w+))?`")
NAMES = NAMED.findall(PAGE)


def test_every_row_has_one_line_and_each_line_shows_something_or_says_what_is_open() -> None:
    assert [row for row, _ in LINES] == [f"{letter}{n}" for letter, most in ROWS.items() for n in range(1, most + 1)]
    assert [row for row, cells in LINES if not NAMED.search(cells) and "open" not in cells] == []


def test_every_test_and_proof_that_is_named_is_there() -> None:
    assert len(NAMES) > 100
    for file, name in NAMES:
        source = (ROOT / file).read_text(encoding="utf-8")
        assert not name or re.search(rf"^(async )?def {name}\(", source, re.MULTILINE), f"{file}::{name}"


def test_every_proof_that_is_named_can_be_played() -> None:
    played = {proof.__name__ for proof in PROOFS.values()}
    assert {name for file, name in NAMES if file.startswith("faults/")} <= played
