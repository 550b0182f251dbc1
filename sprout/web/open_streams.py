"""How many event streams are open, and where it is one too many."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sprout.errors import TooMany

RETRY_AFTER_S = 10.0


class TooManyStreams(TooMany):
    """A learner, or an address, has as many streams open as it may have."""

    def __init__(self, most: int) -> None:
        text = f"{most} event streams are open already. Close some pages, and try again."
        super().__init__(text, retry_after_s=RETRY_AFTER_S)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who wants a stream, and how many may be open for this learner and this address."""

    user_id: str
    address: str
    per_learner: int
    per_address: int


class OpenStreams:
    """Counts the streams of this process, by learner and by address."""

    def __init__(self) -> None:
        self._of_learner: Counter[str] = Counter()
        self._of_address: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many there are."""
        return self._of_learner.total()

    def refuse_one_too_many(self, reader: Reader) -> None:
        """Raises TooManyStreams where there is no room for another."""
        for open_, most in (
            (self._of_learner[reader.user_id], reader.per_learner),
            (self._of_address[reader.address], reader.per_address),
        ):
            if open_ >= most:
                raise TooManyStreams(most)

    @contextmanager
    def another(self, reader: Reader) -> Iterator[None]:
        """Count a stream as open for as long as this is. Raises TooManyStreams."""
        self.refuse_one_too_many(reader)
        places = ((self._of_learner, reader.user_id), (self._of_address, reader.address))
        for counts, name in places:
            counts[name] += 1
        try:
            yield
        finally:
            for counts, name in places:
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]
