"""P14 in short: some seeds of the loop on a played clock; `make faults` plays thousands."""

from faults.simulated import play


def test_P14_a_seed_gives_the_same_log_every_time_and_another_seed_another() -> None:
    once, again = [play(seed) for seed in range(20)], [play(seed) for seed in range(20)]
    assert [one.digest for one in once] == [one.digest for one in again]
    assert len({one.digest for one in once}) == len(once)
    assert [what for one in once for what in one.wrong] == []
    assert sum(one.steps for one in once) > 500
    assert sum(one.played_s for one in once) > 60, "on the played clock: nobody has waited for it"
