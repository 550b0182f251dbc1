"""A run on a topic with documents: it waits for them, says which cannot be read, and makes nothing without any."""

from dataclasses import replace
from typing import Literal

import pytest

from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from sprout.agents.documents.readiness import NotesUnreadable, wait_for_notes
from sprout.events import ReasoningBlock
from sprout.learning.paths.passages import DocumentStatus
from tests.agents.driving import a_job

PENDING, READ = DocumentStatus("a.pdf", "pending"), DocumentStatus("a.pdf", "completed")
LOCKED = DocumentStatus("b.pdf", "failed", "It is protected by a password.")


async def looked(
    *looks: list[DocumentStatus], team: RecordingTeam, resumed: bool = False, wait_s: float = 60.0
) -> list[str]:
    """Answers of the tool while the documents are in these states, one look after another."""
    repositories = MemoryGraphRepository(statuses=[*looks])
    root = repositories.topic("Light")
    job = replace(a_job(root), resumed=resumed)
    await wait_for_notes(repositories, root.id, job, team, wait_s=wait_s)
    assert all(isinstance(event, ReasoningBlock) for event in team.published)
    return [event.text for event in team.published if isinstance(event, ReasoningBlock)]


async def test_a_topic_without_documents_waits_for_none_and_says_nothing() -> None:
    assert await looked([], team=RecordingTeam()) == []
    assert await looked([READ], team=RecordingTeam()) == []


async def test_a_run_waits_until_its_documents_are_read_and_says_so() -> None:
    answer = await looked([PENDING], [PENDING], [READ], team=RecordingTeam())
    assert answer == ["Reading your notes first: “a.pdf”."]


async def test_what_cannot_be_read_is_told_with_its_reason_and_the_path_is_made_from_the_rest() -> None:
    answer = await looked([PENDING, LOCKED], [READ, LOCKED], team=RecordingTeam())
    assert answer[1:] == [
        "“b.pdf” could not be read: It is protected by a password. Your path is created from the others."
    ]


@pytest.mark.parametrize(
    ("status", "says"), [("failed", "None of your notes could be read"), ("pending", "still being read")]
)
async def test_nothing_is_made_of_general_knowledge_where_no_document_could_be_read(
    status: Literal["failed", "pending"], says: str
) -> None:
    note = DocumentStatus("a.pdf", status, "It has no text." if status == "failed" else None)
    with pytest.raises(NotesUnreadable, match=says) as refusal:
        await looked([note], team=RecordingTeam(), wait_s=0.0)
    assert "start again" in str(refusal.value).casefold()


async def test_a_wait_that_is_over_goes_on_with_what_has_been_read() -> None:
    late = DocumentStatus("c.pdf", "pending")
    answer = await looked([READ, late], team=RecordingTeam(), wait_s=0.0)
    assert answer[1:] == ["“c.pdf” is still being read. Your path is created from the others."]


async def test_a_run_that_is_stopped_while_it_waits_does_not_go_on_waiting() -> None:
    assert len(await looked([PENDING], team=RecordingTeam(stopped=True))) == 1


async def test_a_run_that_is_taken_up_again_goes_by_what_it_began_with() -> None:
    assert await looked([PENDING], team=RecordingTeam(), resumed=True) == []
