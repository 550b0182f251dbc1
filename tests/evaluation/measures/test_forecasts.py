"""Log loss, AUC, calibration and intervals beside another way to compute them (E1)."""

from fractions import Fraction
from itertools import product
from math import comb, log, sqrt
from random import Random
from statistics import fmean, pstdev, quantiles

import pytest

from sprout.evaluation.measures.forecasts import (
    Forecast,
    area_under_curve,
    base_rate_log_loss,
    calibration_error,
    log_loss,
    root_mean_square_error,
)
from sprout.evaluation.measures.resampling import bootstrap, mcnemar, percentile_interval, sign_probability

CLOSE = 1e-9


def random_forecasts(seed: int) -> list[Forecast]:
    drawn = Random(seed)
    return [(p := round(drawn.random(), 2), drawn.random() < 0.3 + 0.5 * p) for _ in range(drawn.randint(30, 150))]


@pytest.mark.parametrize("seed", range(8))
def test_E1_measures_of_forecasts_are_what_their_definitions_say(seed: int) -> None:
    made = [(min(0.99, max(0.01, p)), happened) for p, happened in random_forecasts(seed)]
    likelihood = Fraction(1)
    for p, happened in made:
        likelihood *= Fraction(p) if happened else 1 - Fraction(p)
    exact = -(log(likelihood.numerator) - log(likelihood.denominator)) / len(made)
    assert log_loss(made) == pytest.approx(exact, abs=CLOSE)

    pairs = list(product([p for p, one in made if one], [p for p, one in made if not one]))
    above = fmean(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs)
    assert area_under_curve(made) == pytest.approx(above, abs=CLOSE)

    brier = fmean((p - 1) ** 2 if happened else p**2 for p, happened in made)
    assert root_mean_square_error(made) == pytest.approx(sqrt(brier), abs=CLOSE)

    binned = [[(p, one) for p, one in made if at <= int(p * 10) < at + 1] for at in range(10)]
    error = sum(
        len(bin_) / len(made) * abs(fmean(p for p, _ in bin_) - fmean(float(one) for _, one in bin_))
        for bin_ in binned
        if bin_
    )
    assert calibration_error(made) == pytest.approx(error, abs=CLOSE)

    rate = sum(one for _, one in made) / len(made)
    assert base_rate_log_loss(made) == pytest.approx(-rate * log(rate) - (1 - rate) * log(1 - rate), abs=CLOSE)


def test_E1_a_certain_forecast_that_fails_is_bad_and_finite() -> None:
    assert 30 < (log_loss([(1.0, False)]) or 0) < 40
    assert area_under_curve([(0.4, True)]) is None
    assert log_loss([]) is calibration_error([]) is root_mean_square_error([]) is None


@pytest.mark.parametrize("seed", range(3))
def test_E1_the_bootstrap_is_the_quantiles_of_means_drawn_by_place(seed: int) -> None:
    drawn = Random(seed)
    values = [drawn.gauss(10, 3) for _ in range(60)]
    found = bootstrap(values, fmean, resamples=400)
    again = Random(20_131)  # the same draws, by place
    means = [fmean(values[at] for at in again.choices(range(len(values)), k=len(values))) for _ in range(400)]
    cuts = quantiles(means, n=40, method="inclusive")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((cuts[0], cuts[-1]), abs=CLOSE)
    error = pstdev(values) / sqrt(len(values))
    assert (found.low, found.high) == pytest.approx(
        (fmean(values) - 1.96 * error, fmean(values) + 1.96 * error), abs=0.25
    )


def test_E1_an_interval_needs_a_value_in_most_resamples() -> None:
    assert percentile_interval([1.0, 2.0], resamples=5) is None
    assert bootstrap([], fmean, resamples=10) is None


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 0), (1, 5), (8, 8), (0, 12), (86, 150), (700, 900)])
def test_E1_mcnemar_is_the_exact_sign_test(only_first: int, only_second: int) -> None:
    count = only_first + only_second
    fewer = min(only_first, only_second)
    both = sum(
        (Fraction(comb(count, at), 2**count) for at in range(count + 1) if min(at, count - at) <= fewer), Fraction()
    )
    assert mcnemar(only_first, only_second) == pytest.approx(float(both), rel=CLOSE)


def test_E1_mcnemar_of_the_approval_survey_of_agresti() -> None:
    """Agresti 1990: 150 against 86 of 1,600 changed their minds; the exact p-value is 3.7e-5."""
    assert mcnemar(86, 150) == pytest.approx(3.716e-5, rel=1e-3)


def test_E1_a_difference_that_never_changes_its_sign_is_told_from_chance() -> None:
    assert sign_probability([0.1] * 999) == pytest.approx(2 / 1_000)
    assert sign_probability([0.0] * 999) == 1.0
