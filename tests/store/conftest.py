"""The three stores on one database; what they publish is collected."""

import re
from pathlib import Path

import pytest

from sprout.learning.library import Library
from sprout.learning.shelf import Passage, Shelf
from sprout.runs.log import Logged, RunStore
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf

FITS: tuple[type[RunStore], type[Shelf], type[Library]] = (SqlRunStore, SqlShelf, SqlLibrary)  # mypy checks it


@pytest.fixture
def told() -> list[Logged]:
    """Every event that was published, in order."""
    return []


@pytest.fixture
def runs(database: Database, told: list[Logged]) -> SqlRunStore:
    return SqlRunStore(database, told.append)


@pytest.fixture
def shelf(database: Database, told: list[Logged]) -> SqlShelf:
    return SqlShelf(database, told.append, split=by_paragraph)


@pytest.fixture
def library(database: Database, told: list[Logged], data_dir: Path) -> SqlLibrary:
    return SqlLibrary(database, told.append, files=Files(data_dir))


def by_paragraph(filename: str, text: str) -> list[Passage]:
    return [Passage(filename, None, found[0], *found.span()) for found in re.finditer(r"[^\n]+", text)]
