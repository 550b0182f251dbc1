"""Whatever the model says and the tools do: valid requests, nothing twice, nothing lost, one ending."""

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.loop.invariants import SCRIPTS, run_and_check
from sprout.offline.script import Step


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(script=SCRIPTS, thinks=st.booleans(), renames=st.booleans())
async def test_whatever_happens_the_conversation_stays_valid_and_the_run_ends_once(
    script: Sequence[Step], thinks: bool, renames: bool
) -> None:
    await run_and_check(script, thinks=thinks, renames=renames)
