"""Reservation of a call against the rest of a day's budget (faults.md D16, I8)."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from sprout.runs.budget.arithmetic import (
    MIN_REPLY_TOKENS,
    Amount,
    Balance,
    Budget,
    BudgetDecision,
    Fits,
    Limit,
    MustWait,
    Period,
    Price,
    Refused,
    fit_call,
    next_reset,
    tightest,
)

NANO = 1_000_000_000
ANN, HERS = Budget("learner:ann", Period.DAY), Budget("learner:ann", Period.MONTH)
ALL = Budget("deployment", Period.DAY)
PRICE = Price(Amount(NANO // 10, 1_000), nano_usd_per_token=10_000, max_tokens=8_000)  # 10 cents, and up to 8 more

amounts = st.builds(Amount, st.integers(0, 3 * NANO), st.integers(0, 300_000))
limits = st.builds(Limit, st.none() | st.floats(0, 5), st.none() | st.integers(0, 500_000))
prices = st.builds(Price, amounts, st.integers(0, 50_000), st.integers(1, 64_000))


def asked(usd: float | None, balance: Balance, *, tokens: int | None = None) -> BudgetDecision:
    return fit_call(PRICE, {ANN: Limit(usd, tokens)}, {ANN: balance})


def cents(count: float) -> Amount:
    return Amount(round(count * NANO / 100))


@given(
    price=prices,
    both=st.tuples(limits, limits),
    balances=st.tuples(st.builds(Balance, amounts, amounts), st.builds(Balance, amounts, amounts)),
)
def test_I8_what_fits_is_never_more_than_any_budget_has_left(
    price: Price, both: tuple[Limit, Limit], balances: tuple[Balance, Balance]
) -> None:
    accounts = {ALL: balances[0], ANN: balances[1]}
    verdict = fit_call(price, dict(zip(accounts, both, strict=True)), accounts)
    if not isinstance(verdict, Fits):
        return
    assert min(MIN_REPLY_TOKENS, price.max_tokens) <= verdict.output_tokens <= price.max_tokens
    for limit, balance in zip(both, balances, strict=True):
        total = balance.spent.plus(balance.reserved).plus(verdict.worst)
        assert limit.usd is None or total.nano_usd <= round(limit.usd * NANO)
        assert limit.tokens is None or total.tokens <= limit.tokens


def test_a_call_that_fits_whole_is_not_cut_whatever_else_is_held() -> None:
    assert asked(1.0, Balance(cents(40), cents(42))) == Fits(8_000, Amount(cents(18).nano_usd, 9_000))


def test_a_call_waits_for_what_others_hold_and_is_cut_to_what_is_left_when_they_hold_nothing() -> None:
    assert isinstance(asked(1.0, Balance(cents(40), cents(43))), MustWait)
    assert asked(1.0, Balance(cents(85))) == Fits(5_000, Amount(cents(15).nano_usd, 6_000))


def test_a_call_is_refused_where_what_is_spent_leaves_no_reply_worth_having() -> None:
    assert asked(1.0, Balance(cents(89))) == Fits(1_000, Amount(cents(11).nano_usd, 2_000))
    assert asked(1.0, Balance(cents(89.1), cents(5))) == Refused(
        ANN, Balance(cents(89.1), cents(5)), fits_when_empty=True
    )
    assert asked(0.1, Balance()) == Refused(ANN, Balance(), fits_when_empty=False)
    assert asked(0.0, Balance()) == Refused(ANN, Balance(), fits_when_empty=False)


def test_tokens_count_beside_dollars_and_alone() -> None:
    assert asked(9.0, Balance(), tokens=4_000) == Fits(3_000, Amount(cents(13).nano_usd, 4_000))
    assert isinstance(asked(None, Balance(Amount(0, 2_001)), tokens=4_000), Refused)


def test_the_tightest_budget_decides() -> None:
    roomy, tight = Limit(9.0), Limit(0.15)
    assert fit_call(PRICE, {ALL: roomy, ANN: tight}, {ALL: Balance(), ANN: Balance()}) == Fits(
        5_000, Amount(cents(15).nano_usd, 6_000)
    )
    verdict = fit_call(PRICE, {ALL: tight, ANN: roomy}, {ALL: Balance(cents(10)), ANN: Balance()})
    assert isinstance(verdict, Refused)
    assert verdict.budget == ALL


def test_of_several_budgets_that_are_spent_the_one_that_is_free_again_last_is_named() -> None:
    spent = Balance(cents(100))
    verdict = fit_call(
        PRICE, {ANN: Limit(1.0), HERS: Limit(1.0), ALL: Limit(1.0)}, {ANN: spent, HERS: spent, ALL: spent}
    )
    assert isinstance(verdict, Refused)
    assert verdict.budget == HERS


def test_a_month_turns_at_midnight_UTC_of_its_first_day_and_a_day_at_every_midnight() -> None:
    for now, midnight, turn in (
        (
            datetime(2026, 12, 31, 23, 59, tzinfo=UTC),
            datetime(2027, 1, 1, tzinfo=UTC),
            datetime(2027, 1, 1, tzinfo=UTC),
        ),
        (datetime(2028, 2, 28, tzinfo=UTC), datetime(2028, 2, 29, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC)),
        (datetime(2027, 2, 1, 12, tzinfo=UTC), datetime(2027, 2, 2, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC)),
    ):
        assert next_reset(now) == midnight
        assert next_reset(now, Period.MONTH) == turn


def test_the_lower_of_two_limits_counts_and_a_missing_one_is_none() -> None:
    assert Limit(2.0, None).within(Limit(1.5, 900)) == Limit(1.5, 900)
    assert Limit(None, 50).within(Limit()) == Limit(None, 50)


def test_the_budget_of_which_most_is_spent_is_told_in_its_own_unit() -> None:
    limits = {ALL: Limit(10.0), ANN: Limit(5.0, 1_000), HERS: Limit(0.0)}
    used = tightest(limits, {ALL: Balance(cents(500)), ANN: Balance(Amount(0, 900)), HERS: Balance()})
    assert used is not None
    assert (used.budget, used.share) == (HERS, 1.0)
    used = tightest({ALL: limits[ALL], ANN: limits[ANN]}, {ALL: Balance(cents(500)), ANN: Balance(Amount(0, 900))})
    assert used is not None
    assert (used.budget, used.unit, used.spent, used.limit, used.share) == (ANN, "tokens", 900, 1_000, 0.9)
    assert tightest({}, {}) is None
