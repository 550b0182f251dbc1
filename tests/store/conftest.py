"""The three stores on one database; what they publish is collected."""

import re
from functools import partial
from pathlib import Path

import pytest

from harness.builders import CLAIM, RecordingDispatcher
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.repositories import Repositories
from sprout.learning.paths.repository import PathRepository
from sprout.learning.questions.assessments import Assessments
from sprout.runs.run_store import RunStore, StoredEvent
from sprout.runs.streaming.bus import BusMessage
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore

FITS: tuple[type[RunStore], type[Repositories], type[PathRepository], type[Assessments]] = (
    SqlRunStore,
    SqlPathRepository,
    SqlPaths,
    SqlAssessments,
)  # mypy checks it


@pytest.fixture
def published() -> list[StoredEvent]:
    """Every event that was published, in order."""
    return []


@pytest.fixture
def dispatcher() -> RecordingDispatcher:
    return RecordingDispatcher()


@pytest.fixture
async def runs(database: Database, published: list[StoredEvent], dispatcher: RecordingDispatcher) -> SqlRunStore:
    """The run store, with the lease of a live worker."""
    store = SqlRunStore(database, partial(collect, published), dispatcher)
    await store.acquire_lease(CLAIM)
    return store


@pytest.fixture
def repositories(database: Database, published: list[StoredEvent]) -> SqlPathRepository:
    return SqlPathRepository(database, partial(collect, published), split=by_paragraph)


@pytest.fixture
def paths(database: Database, published: list[StoredEvent], data_dir: Path) -> SqlPaths:
    return SqlPaths(database, partial(collect, published), storage=LocalStorage(data_dir))


@pytest.fixture
def document_queue(database: Database, paths: SqlPaths) -> SqlDocumentQueue:
    return SqlDocumentQueue(database, storage=paths.storage)


@pytest.fixture
def assessments(database: Database) -> SqlAssessments:
    return SqlAssessments(database)


def collect(published: list[StoredEvent], message: BusMessage) -> None:
    if isinstance(message, StoredEvent):
        published.append(message)


def by_paragraph(filename: str, text: str) -> list[Passage]:
    return [Passage(filename, None, found[0], *found.span()) for found in re.finditer(r"[^\n]+", text)]
