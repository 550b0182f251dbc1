"""Document readiness: a run waits until the learner's documents are extracted, and reports the unreadable ones."""

import asyncio
from collections.abc import Sequence

from sprout.agents.agent import Job, Team
from sprout.errors import SproutError
from sprout.events import ReasoningBlock
from sprout.ids import new_id
from sprout.learning.paths.passages import DocumentStatus, PassageRepository

MAX_WAIT_S = 180.0
POLL_INTERVAL_S = 0.25
MAX_NAMED = 10


class NotesUnreadable(SproutError):
    """No document could be read; the run does not fall back to general knowledge."""


async def wait_for_notes(
    documents: PassageRepository, root_id: str, job: Job, team: Team, *, wait_s: float = MAX_WAIT_S
) -> None:
    """Wait until the topic's documents are extracted; publish which of them could not be read.

    Raises NotesUnreadable: no document was read within `wait_s`, or none can be.
    """
    if job.resumed:
        return  # keep the documents that the run started with
    notes = await documents.document_statuses(root_id)
    if waiting := _quoted_names(notes, "pending"):
        await team.publish(_reasoning(f"Reading your notes first: {waiting}."))
    clock = asyncio.get_running_loop().time
    ends_at_s = clock() + wait_s
    while _with_status(notes, "pending") and clock() < ends_at_s:
        if not await team.pause(POLL_INTERVAL_S):
            return  # the run is being stopped
        notes = await documents.document_statuses(root_id)
    if notes and not _with_status(notes, "completed"):
        raise _failure(notes)
    if left := _unread_text(notes):
        await team.publish(_reasoning(f"{left} Your path is created from the others."))


def _failure(notes: Sequence[DocumentStatus]) -> NotesUnreadable:
    if _with_status(notes, "failed"):
        why = f"None of your notes could be read. {_unread_text(notes)} Remove them or add others, then start again."
        return NotesUnreadable(why, code="notes_unreadable")
    return NotesUnreadable(
        "Your notes are still being read: {names}. Start again in a few minutes.",
        code="notes_pending",
        names=_quoted_names(notes, "pending"),
    )


def _unread_text(notes: Sequence[DocumentStatus]) -> str:
    """A sentence for each document that has not been read."""
    failed = [
        f"“{note.filename}” could not be read: {note.problem}" for note in _with_status(notes, "failed")[:MAX_NAMED]
    ]
    late = [f"“{note.filename}” is still being read." for note in _with_status(notes, "pending")[:MAX_NAMED]]
    return " ".join((*failed, *late))


def _with_status(notes: Sequence[DocumentStatus], status: str) -> Sequence[DocumentStatus]:
    return [note for note in notes if note.status == status]


def _quoted_names(notes: Sequence[DocumentStatus], status: str) -> str:
    return ", ".join(f"“{note.filename}”" for note in _with_status(notes, status)[:MAX_NAMED])


def _reasoning(text: str) -> ReasoningBlock:
    return ReasoningBlock(block_id=new_id(), text=text)
