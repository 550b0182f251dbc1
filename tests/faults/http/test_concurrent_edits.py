"""D-12 in short: some histories of tabs at one concept on both databases; `make faults` plays hundreds."""

from pathlib import Path

import pytest

from faults.http.concurrent_edits import explain_histories
from harness.invariants.linearizability import HistoryOperation, linearize

LATER = 10
REACHED = {
    *("add 201", "add 409", "rename 200", "remove 204", "list 200"),
    *("ask 201", "ask 409", "answer 201", "answers 200", "standing 200"),
}


async def test_D12_what_is_done_at_once_is_explained_by_some_order(database_url: str, tmp_path: Path) -> None:
    outcome = await explain_histories(range(8), tmp_path, database_url=database_url)
    assert outcome.anomalies == []
    assert outcome.concurrent > outcome.statuses.total() / 4, "they waited for each other"
    assert outcome.statuses.keys() >= REACHED


def put(words: str, asked_ns: int, answered_ns: int, *, before: int, after: int) -> HistoryOperation[int]:
    """A deed that finds one number and leaves another."""
    return HistoryOperation(words, asked_ns, answered_ns, lambda state: after if state == before else None)


def test_an_order_is_found_where_the_deeds_overlap() -> None:
    first, second = put("a", 0, LATER, before=1, after=2), put("b", 1, 2, before=0, after=1)
    assert linearize([first, second], 0) == [second, first]


@pytest.mark.parametrize(
    "deeds",
    [
        [put("answered first", 0, 1, before=1, after=2), put("asked then", 2, 3, before=0, after=1)],
        [put("read", 0, LATER, before=0, after=1), put("read the same and wrote too", 1, 2, before=0, after=1)],
        [put("nobody wrote it", 0, 1, before=7, after=7)],
    ],
)
def test_no_order_is_found_where_one_was_answered_too_early_or_both_had_the_same_before(
    deeds: list[HistoryOperation[int]],
) -> None:
    assert linearize(deeds, 0) is None
