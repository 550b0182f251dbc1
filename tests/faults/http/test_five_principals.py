"""Memberships in the proof of five people: a name is seen by right if its pupil was a member during the request."""

import pytest

from faults.http.five_principals import Stay

NOON_S = 1_795_780_800.0


@pytest.mark.parametrize(
    ("began_s", "ended_s", "is_touched"),
    [
        (-9, None, True),
        (-9, 1, True),  # removed while the answer was made
        (1, None, True),  # joined while it was made
        (1, 1, True),
        (-9, -1, False),  # removed before it was asked
        (3, None, False),  # joined after the answer
    ],
)
def test_a_membership_counts_that_held_between_the_request_and_its_answer(
    began_s: int, ended_s: int | None, is_touched: bool
) -> None:
    stay = Stay("teacher", NOON_S + began_s, None if ended_s is None else NOON_S + ended_s)
    assert stay.touches(NOON_S, NOON_S + 2) is is_touched
