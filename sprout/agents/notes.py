"""The learner's documents before a path is made of them: waited for while they are read; what cannot be is told."""

import asyncio
from collections.abc import Sequence

from sprout.agents.agent import Job, Team
from sprout.errors import SproutError
from sprout.events import Reasoning
from sprout.ids import new_id
from sprout.learning.paths.shelf import Note, Shelf

WAIT_S = 180.0
LOOK_EVERY_S = 0.25
MOST_NAMED = 10


class NotesUnread(SproutError):
    """There are documents and none could be read: nothing is made of general knowledge in their place."""


async def read_notes(shelf: Shelf, root_id: str, job: Job, team: Team, *, wait_s: float = WAIT_S) -> None:
    """Come back once the topic's documents are read, or some of them are and the others cannot be, which is told.

    Raises NotesUnread: none can be read, or none was in so many seconds.
    """
    if job.resumed:
        return  # what the run began with stays
    notes = await shelf.documents(root_id)
    if waiting := _named(notes, "pending"):
        await team.tell(_said(f"Reading your notes first: {waiting}."))
    clock = asyncio.get_running_loop().time
    ends_at_s = clock() + wait_s
    while _of(notes, "pending") and clock() < ends_at_s:
        if not await team.pause(LOOK_EVERY_S):
            return  # the run is stopped, and makes nothing of them
        notes = await shelf.documents(root_id)
    if notes and not _of(notes, "completed"):
        raise NotesUnread(_refusal(notes))
    if left := _left_out(notes):
        await team.tell(_said(f"{left} The path is made from the others."))


def _refusal(notes: Sequence[Note]) -> str:
    if _of(notes, "failed"):
        return f"None of your notes could be read. {_left_out(notes)} Remove them or add others, and start again."
    return f"Your notes are still being read: {_named(notes, 'pending')}. Start again in a few minutes."


def _left_out(notes: Sequence[Note]) -> str:
    """A sentence for each document that has not been read."""
    failed = [f"“{note.filename}” could not be read: {note.problem}" for note in _of(notes, "failed")[:MOST_NAMED]]
    late = [f"“{note.filename}” is still being read." for note in _of(notes, "pending")[:MOST_NAMED]]
    return " ".join((*failed, *late))


def _of(notes: Sequence[Note], status: str) -> Sequence[Note]:
    return [note for note in notes if note.status == status]


def _named(notes: Sequence[Note], status: str) -> str:
    return ", ".join(f"“{note.filename}”" for note in _of(notes, status)[:MOST_NAMED])


def _said(text: str) -> Reasoning:
    return Reasoning(block_id=new_id(), text=text)
