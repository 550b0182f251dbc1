"""Comparison of two scorecards by paired tests, and what it refuses (E1)."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sprout.errors import BadInput, SetupError
from sprout.evaluation.comparison import compare
from sprout.evaluation.evaluation import ModelAccess, Outcome
from sprout.evaluation.scorecard import Scorecard, make_scorecard, read_scorecard, scorecard_json
from sprout.evaluation.scorecard_page import comparison_page, scorecard_page
from sprout.evaluation.suite import DataSource, Metric, NamedModel, Suite, mean, share
from sprout.loop.model import ChatModel

METRICS = (
    share("agreement", "agrees", "higher", "share that agrees"),
    Metric("error", mean("error"), "lower", "how far off"),
    Metric("speed", mean("speed"), None, "described alone"),
)


def card(
    chat: ChatModel, agrees: Sequence[bool], *, error: float = 0.0, name: str = "a", suite: str = "toy"
) -> Scorecard:
    outcomes = [
        Outcome(f"i{at}", ({"agrees": one, "error": error + at % 3, "speed": 1.0},)) for at, one in enumerate(agrees)
    ]
    toy = Suite(suite, DataSource("toys", "ours", "0" * 64), (), METRICS)
    return make_scorecard(toy, outcomes, ModelAccess(NamedModel(name, chat)), resamples=200)


def test_E1_flags_are_compared_by_mcnemar_and_means_by_a_paired_bootstrap(no_model: ChatModel) -> None:
    before = card(no_model, [True] * 5 + [False] * 15)
    after = card(no_model, [True] * 4 + [False] + [True] * 12 + [False] * 3, error=0.5, name="b")
    found = {one.name: one for one in compare(before, after, METRICS).differences}
    agreement, error, speed = found["agreement"], found["error"], found["speed"]
    assert agreement.test == "McNemar"
    assert agreement.verdict == "better"
    assert agreement.by == pytest.approx(11 / 20)
    assert agreement.p == pytest.approx(2 * (1 + 13) / 2**13)  # 1 against 12
    assert error.test == "paired bootstrap"
    assert error.verdict == "worse"
    assert error.by == pytest.approx(0.5)
    assert (error.low, error.high) == pytest.approx((0.5, 0.5))  # the same everywhere: pairs leave no other doubt
    assert (speed.verdict, speed.by) == ("", 0.0)
    page = comparison_page(compare(before, after, METRICS))
    assert page.index("## Better") < page.index("agreement") < page.index("## Worse") < page.index("error")


def test_E1_a_difference_of_a_few_items_is_not_told_from_chance(no_model: ChatModel) -> None:
    before, after = card(no_model, [True] * 10 + [False] * 10), card(no_model, [True] * 12 + [False] * 8)
    (agreement, *_) = compare(before, after, METRICS).differences
    assert agreement.verdict == "same"
    assert agreement.p == pytest.approx(0.5)


def test_E1_a_share_is_compared_on_what_both_have_marked(no_model: ChatModel) -> None:
    before, after = card(no_model, [True] * 6), card(no_model, [True] * 3 + [False] * 3)
    left_out = [one.model_copy(update={"records": [{**one.records[0], "agrees": None}]}) for one in before.items[2:]]
    marked_few = before.model_copy(update={"items": [*before.items[:2], *left_out]})
    (agreement, *_) = compare(marked_few, after, METRICS).differences
    assert agreement.first == agreement.second == 1.0
    assert agreement.verdict == "same"


def test_E1_what_does_not_compare_is_refused(no_model: ChatModel, tmp_path: Path) -> None:
    before, other = card(no_model, [True]), card(no_model, [True], suite="other")
    with pytest.raises(BadInput, match="only one suite compares"):
        compare(before, other, METRICS)
    apart = before.model_copy(update={"items": [one.model_copy(update={"id": "x"}) for one in before.items]})
    with pytest.raises(BadInput, match="no item in common"):
        compare(before, apart, METRICS)
    (tmp_path / "scorecard.json").write_text('{"format": 1, "suite": "toy"}')
    with pytest.raises(BadInput, match="no scorecard of this version"):
        read_scorecard(tmp_path)
    with pytest.raises(SetupError, match="cannot be read"):
        read_scorecard(tmp_path / "none.json")


def test_E1_a_scorecard_is_read_as_it_was_written(no_model: ChatModel, tmp_path: Path) -> None:
    made = card(no_model, [True, False, True])
    (tmp_path / "scorecard.json").write_text(scorecard_json(made))
    assert read_scorecard(tmp_path) == made
    assert "| agreement ↑ | 0.667 |" in scorecard_page(made)
