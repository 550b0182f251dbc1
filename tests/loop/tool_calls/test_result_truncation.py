"""Truncation of tool results: what is cut is counted."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.loop.tool_calls.result_truncation import truncate_to_bytes


@given(st.text(max_size=400), st.integers(20, 100))
def test_T4_what_is_cut_says_how_many_bytes_are_missing(text: str, limit: int) -> None:
    cut = truncate_to_bytes(text, limit)
    if len(text.encode()) <= limit:
        assert cut == text
        return
    head, _, rest = cut.partition("\n[cut: ")
    count, _, tail = rest.partition(" bytes]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head.encode()) + int(count) + len(tail.encode()) == len(text.encode())
