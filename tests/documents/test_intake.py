"""Reading in the background: two at once, one failure harms no other, and a stop puts back what is being read."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from sprout.documents.extracting import Extracted, Extractor
from sprout.documents.intake import AT_ONCE, BROKE, Intake
from sprout.documents.kinds import Kind
from sprout.errors import StorageAway, Unreadable
from sprout.learning.paths.reading import Pile, Unread
from sprout.learning.paths.shelf import Passage


class Listed:
    """A pile in a list, with what became of each document."""

    def __init__(self, *names: str) -> None:
        self.waiting = [Unread(name, name, "text/markdown", name, "mine", 1) for name in names]
        self.became: dict[str, str] = {}
        self.changed = asyncio.Event()

    async def take(self) -> Unread | None:
        return self.waiting.pop(0) if self.waiting else None

    async def content(self, unread: Unread) -> bytes:
        if unread.filename == "away.md":
            raise StorageAway("The bucket does not answer.")
        return unread.filename.encode()

    async def hold(self, unread: Unread) -> bool:
        return True

    async def keep(self, unread: Unread, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        return self._becomes(unread, f"read: {text}")

    async def fail(self, unread: Unread, problem: str, *, again: bool) -> bool:
        return self._becomes(unread, f"failed: {problem} {again}")

    async def put_back(self, unread: Unread, *, counts: bool) -> None:
        self._becomes(unread, f"put back {counts}")

    def _becomes(self, unread: Unread, what: str) -> bool:
        self.became[unread.filename] = what
        self.changed.set()
        return True

    async def until(self, count: int) -> None:
        while len(self.became) < count:
            self.changed.clear()
            await self.changed.wait()


class Slow:
    """Reads each until it is let go, and knows how many were being read at once."""

    def __init__(self) -> None:
        self.going, self.most = 0, 0
        self.go_on = asyncio.Event()
        self.begun = asyncio.Event()

    async def extracted(self, name: str, kind: Kind, content: bytes) -> Extracted:
        self.going += 1
        self.most = max(self.most, self.going)
        self.begun.set()
        try:
            await self.go_on.wait()
        finally:
            self.going -= 1
        match name:
            case "locked.md":
                raise Unreadable("It is locked.", again=False)
            case "bug.md":
                raise ZeroDivisionError
        return Extracted(name, (), None)


FITS: type[Pile] = Listed  # mypy checks it


async def test_P3_one_that_cannot_be_read_one_that_meets_a_bug_and_one_that_is_away_harm_no_other() -> None:
    pile, slow = Listed("locked.md", "bug.md", "away.md", "sound.md"), Slow()
    slow.go_on.set()
    intake = Intake(pile, slow)
    async with asyncio.timeout(10), intake.running(take_up=True):
        await pile.until(4)
    assert pile.became == {
        "locked.md": "failed: It is locked. False",
        "bug.md": f"failed: {BROKE} True",
        "away.md": "put back True",
        "sound.md": "read: sound.md",
    }


async def test_at_most_two_are_read_at_once() -> None:
    pile, slow = Listed(*(f"{n}.md" for n in range(6))), Slow()
    async with asyncio.timeout(10), Intake(pile, slow).running(take_up=True):
        await slow.begun.wait()
        slow.go_on.set()
        await pile.until(6)
    assert slow.most <= AT_ONCE


async def test_a_stop_puts_back_what_is_being_read_and_does_not_count_it() -> None:
    pile, slow = Listed("a.md", "b.md", "c.md"), Slow()
    async with asyncio.timeout(10), Intake(pile, slow).running(take_up=True):
        while slow.going < AT_ONCE:
            await asyncio.sleep(0)
    assert pile.became == {"a.md": "put back False", "b.md": "put back False"}
    assert [one.filename for one in pile.waiting] == ["c.md"]


async def test_a_command_reads_only_once_it_has_brought_something_itself() -> None:
    pile = Listed("anothers.md")
    intake = Intake(pile, Extractor(), look_every_s=0.0)
    async with asyncio.timeout(10), intake.running(take_up=False):
        for _ in range(20):
            await asyncio.sleep(0)
        assert pile.became == {}
        intake.tell()
        await pile.until(1)
    assert pile.became == {"anothers.md": "read: anothers.md"}


async def test_what_another_process_has_left_is_found_without_being_told() -> None:
    pile = Listed()
    async with asyncio.timeout(10), Intake(pile, Extractor(), look_every_s=0.01).running(take_up=True):
        pile.waiting.append(Unread("left.md", "left.md", "text/markdown", "left.md", "mine", 2))
        await pile.until(1)
    assert pile.became == {"left.md": "read: left.md"}


async def test_an_error_of_who_has_it_open_comes_out_as_it_is() -> None:
    with suppress(Unreadable):
        async with Intake(Listed(), Extractor()).running(take_up=True):
            raise Unreadable("mine", again=False)
