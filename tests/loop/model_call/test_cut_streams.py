"""A recorded reply with thinking, text and two calls, cut all over: no letter lost or doubled, no call from a part."""

import pytest

from harness.loop.cut_streams import boundaries, cut_after_each, recorded_bytes

EVERY = {"cut": 19, "reset": 29}  # `python -m faults cuts` cuts after every byte


@pytest.mark.parametrize("how", EVERY)
async def test_a_cut_anywhere_loses_and_doubles_nothing_and_runs_no_half_call(how: str) -> None:
    raw = await recorded_bytes()
    positions = set(range(0, len(raw) + 1, EVERY[how]))
    if how == "cut":
        positions |= {position for position in boundaries(raw) if position <= len(raw)}
    outcomes = await cut_after_each(positions, how)
    assert len(outcomes) == len(positions) > len(raw) / 30
    assert [outcome for outcome in outcomes if not outcome.is_right] == []
