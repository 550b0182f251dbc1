"""Whatever the model says and the tools do: valid requests, nothing twice, nothing lost, one ending."""

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprout.offline.script import Step
from tests.loop.behaviours import SCRIPTS, hold


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(script=SCRIPTS, thinks=st.booleans(), renames=st.booleans())
async def test_whatever_happens_the_conversation_stays_valid_and_the_run_ends_once(
    script: Sequence[Step], thinks: bool, renames: bool
) -> None:
    await hold(script, thinks=thinks, renames=renames)
