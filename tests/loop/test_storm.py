"""A server that fails nearly every third call: every run ends with a reason, and none spoils its conversation."""

from harness.loop.storms import storm

ENDINGS = {"end_turn", "refusal", "max_iterations", "waiting_on_human"}


async def test_in_a_storm_every_run_ends_with_a_reason_and_none_hangs_or_is_poisoned() -> None:
    weather = await storm(25, seed=11)
    assert sum(weather.endings.values()) == weather.runs == 25
    assert (weather.hung, weather.poisoned, weather.invalid) == (0, 0, 0)
    assert {ending for ending in weather.endings if not ending.startswith("failed: ")} <= ENDINGS
    assert 0.15 < sum(weather.faults.values()) / weather.requests < 0.45
    assert weather.endings["end_turn"] > weather.runs / 2
