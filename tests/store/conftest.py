"""The three stores on one database; what they publish is collected."""

import re
from functools import partial
from pathlib import Path

import pytest

from sprout.learning.paths.library import Library
from sprout.learning.paths.shelf import Passage, Shelf
from sprout.learning.questions.assessing import Assessments
from sprout.runs.bus import News
from sprout.runs.log import Logged, RunStore
from sprout.store.assessments import SqlAssessments
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.unread import SqlPile
from tests.builders import CLAIM, NotedWakeUps

FITS: tuple[type[RunStore], type[Shelf], type[Library], type[Assessments]] = (
    SqlRunStore,
    SqlShelf,
    SqlLibrary,
    SqlAssessments,
)  # mypy checks it


@pytest.fixture
def told() -> list[Logged]:
    """Every event that was published, in order."""
    return []


@pytest.fixture
def dispatcher() -> NotedWakeUps:
    return NotedWakeUps()


@pytest.fixture
async def runs(database: Database, told: list[Logged], dispatcher: NotedWakeUps) -> SqlRunStore:
    """The store, with a carrier that is alive."""
    store = SqlRunStore(database, partial(collect, told), dispatcher)
    await store.enrol(CLAIM)
    return store


@pytest.fixture
def shelf(database: Database, told: list[Logged]) -> SqlShelf:
    return SqlShelf(database, partial(collect, told), split=by_paragraph)


@pytest.fixture
def library(database: Database, told: list[Logged], data_dir: Path) -> SqlLibrary:
    return SqlLibrary(database, partial(collect, told), files=Files(data_dir))


@pytest.fixture
def pile(database: Database, library: SqlLibrary) -> SqlPile:
    return SqlPile(database, files=library.files)


@pytest.fixture
def assessments(database: Database) -> SqlAssessments:
    return SqlAssessments(database)


def collect(told: list[Logged], news: News) -> None:
    if isinstance(news, Logged):
        told.append(news)


def by_paragraph(filename: str, text: str) -> list[Passage]:
    return [Passage(filename, None, found[0], *found.span()) for found in re.finditer(r"[^\n]+", text)]
