"""Phrases that the page sends for a learner's buttons, understood in every language of the page."""

import re
from pathlib import Path

import pytest

from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.attempts import is_genuine_attempt

CATALOGUES = sorted((Path(__file__).parents[4] / "static" / "i18n").glob("*.learn.js"))


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.name)
@pytest.mark.parametrize("key", ["tu.said_idk", "tu.said_help"])
def test_the_buttons_beside_a_question_send_words_that_are_no_try(catalogue: Path, key: str) -> None:
    assert not is_genuine_attempt(_sentence(catalogue, key), prompt="What is 9 % of 800?")


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.name)
def test_not_knowing_in_a_diagnostic_is_an_answer_that_says_nothing(catalogue: Path) -> None:
    assert says_nothing(_sentence(catalogue, "dg.idk"))


def _sentence(catalogue: Path, key: str) -> str:
    found = re.search(rf'"{re.escape(key)}": "([^"]+)"', catalogue.read_text(encoding="utf-8"))
    assert found, key
    return found[1]
