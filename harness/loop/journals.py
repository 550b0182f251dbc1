"""Journals of runs that are not stored."""

from sprout.loop.journal import Journal, OpenJournal


def unstored_journal(content: Journal | None = None) -> OpenJournal:
    """A journal that lives as long as the object."""

    async def discard(_: Journal) -> None:
        return

    return OpenJournal(content or Journal(), discard)
