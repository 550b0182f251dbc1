"""Sentences of the page for the events of the security log: each kind has one, in every language."""

import re
from pathlib import Path

import pytest

from sprout.accounts.security_log import SecurityEventKind

CATALOGUES = sorted((Path(__file__).parents[4] / "static" / "i18n").glob("*.people.js"))


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.name)
def test_the_page_has_a_sentence_for_each_kind_of_event(catalogue: Path) -> None:
    said = set(re.findall(r'"pp\.log\.(\w+)": "[^"]+"', catalogue.read_text(encoding="utf-8")))
    assert said == set(SecurityEventKind)
