"""Corpora in tests: evenly chosen entries by default, all of them for `make faults ARGS="corpora"`."""

from collections.abc import Iterable
from typing import TypeVar

from harness.services import WHOLE_CORPORA

Entry = TypeVar("Entry")


def sample(entries: Iterable[Entry], *, every: int) -> list[Entry]:
    """The first of each `every` entries, all of them where the whole corpus is asked for."""
    return [*entries][:: 1 if WHOLE_CORPORA else every]
