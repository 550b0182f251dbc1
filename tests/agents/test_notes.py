"""A run on a topic with documents: it waits for them, says which cannot be read, and makes nothing without any."""

from dataclasses import replace
from typing import Literal

import pytest

from sprout.agents.notes import NotesUnread, read_notes
from sprout.events import Reasoning
from sprout.learning.paths.shelf import Note
from tests.agents.driving import a_job
from tests.agents.memory_shelf import MemoryShelf, NotedTeam

PENDING, READ = Note("a.pdf", "pending"), Note("a.pdf", "completed")
LOCKED = Note("b.pdf", "failed", "It is protected by a password.")


async def looked(*looks: list[Note], team: NotedTeam, resumed: bool = False, wait_s: float = 60.0) -> list[str]:
    """What was told while the documents stood like this, look after look."""
    shelf = MemoryShelf(files=[*looks])
    root = shelf.topic("Light")
    job = replace(a_job(root), resumed=resumed)
    await read_notes(shelf, root.id, job, team, wait_s=wait_s)
    assert all(isinstance(event, Reasoning) for event in team.told)
    return [event.text for event in team.told if isinstance(event, Reasoning)]


async def test_a_topic_without_documents_waits_for_none_and_says_nothing() -> None:
    assert await looked([], team=NotedTeam()) == []
    assert await looked([READ], team=NotedTeam()) == []


async def test_a_run_waits_until_its_documents_are_read_and_says_so() -> None:
    told = await looked([PENDING], [PENDING], [READ], team=NotedTeam())
    assert told == ["Reading your notes first: “a.pdf”."]


async def test_what_cannot_be_read_is_told_with_its_reason_and_the_path_is_made_from_the_rest() -> None:
    told = await looked([PENDING, LOCKED], [READ, LOCKED], team=NotedTeam())
    assert told[1:] == ["“b.pdf” could not be read: It is protected by a password. The path is made from the others."]


@pytest.mark.parametrize(
    ("status", "says"), [("failed", "None of your notes could be read"), ("pending", "still being read")]
)
async def test_nothing_is_made_of_general_knowledge_where_no_document_could_be_read(
    status: Literal["failed", "pending"], says: str
) -> None:
    note = Note("a.pdf", status, "It has no text." if status == "failed" else None)
    with pytest.raises(NotesUnread, match=says) as refusal:
        await looked([note], team=NotedTeam(), wait_s=0.0)
    assert "start again" in str(refusal.value).casefold()


async def test_a_wait_that_is_over_goes_on_with_what_has_been_read() -> None:
    late = Note("c.pdf", "pending")
    told = await looked([READ, late], team=NotedTeam(), wait_s=0.0)
    assert told[1:] == ["“c.pdf” is still being read. The path is made from the others."]


async def test_a_run_that_is_stopped_while_it_waits_does_not_go_on_waiting() -> None:
    assert len(await looked([PENDING], team=NotedTeam(stopped=True))) == 1


async def test_a_run_that_is_taken_up_again_goes_by_what_it_began_with() -> None:
    assert await looked([PENDING], team=NotedTeam(), resumed=True) == []
