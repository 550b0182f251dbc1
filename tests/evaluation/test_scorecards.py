"""The scorecards of the documentation are reached again: no metric falls behind what is committed (E1, E4)."""

import pytest

from scripts.scorecards import FOLDER, PAGE, SHOWN, measure, with_table
from sprout.evaluation.scorecard import Scorecard, all_records, read_scorecard

SLACK = 0.002  # a float may be summed in another order


def committed(name: str) -> Scorecard:
    return read_scorecard(FOLDER / f"{name}.json")


@pytest.mark.parametrize("name", [one for one in SHOWN if one != "leaks-offline"])  # played in test_leaks_suite.py
async def test_E1_no_metric_of_a_committed_scorecard_has_fallen(name: str) -> None:
    suite, outcomes, _ = await measure(name)
    now = {one.name: one.statistic(all_records(outcomes)) for one in suite.metrics}
    before = committed(name)
    assert {one.name for one in before.metrics} == now.keys()
    assert before.data.sha256 == suite.data.digest
    fallen = []
    for one in before.metrics:
        value = now[one.name]
        assert (value is None) == (one.value is None), one.name
        if value is not None and one.value is not None and one.better is not None:
            gained = value - one.value if one.better == "higher" else one.value - value
            fallen += [f"{one.name}: {one.value:.4f} → {value:.4f}"] if gained < -SLACK else []
    assert fallen == [], "python -m scripts.scorecards records new ones, if this is meant"


@pytest.mark.parametrize("name", SHOWN)
def test_E4_the_page_shows_the_committed_scorecards(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, name, committed(name)) == page
