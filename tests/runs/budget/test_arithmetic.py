"""Reservation of a call against the rest of a day's budget (faults.md D16, I8)."""

from hypothesis import given
from hypothesis import strategies as st

from sprout.runs.budget.arithmetic import (
    MIN_REPLY_TOKENS,
    Amount,
    Balance,
    BudgetDecision,
    DailyLimit,
    Fits,
    MustWait,
    Price,
    Refused,
    fit_call,
)

NANO = 1_000_000_000
PRICE = Price(Amount(NANO // 10, 1_000), nano_usd_per_token=10_000, max_tokens=8_000)  # 10 cents, and up to 8 more

amounts = st.builds(Amount, st.integers(0, 3 * NANO), st.integers(0, 300_000))
limits = st.builds(DailyLimit, st.none() | st.floats(0, 5), st.none() | st.integers(0, 500_000))
prices = st.builds(Price, amounts, st.integers(0, 50_000), st.integers(1, 64_000))


def asked(usd: float | None, balance: Balance, *, tokens: int | None = None) -> BudgetDecision:
    return fit_call(PRICE, {"ann": DailyLimit(usd, tokens)}, {"ann": balance})


def cents(count: float) -> Amount:
    return Amount(round(count * NANO / 100))


@given(
    price=prices,
    both=st.tuples(limits, limits),
    balances=st.tuples(st.builds(Balance, amounts, amounts), st.builds(Balance, amounts, amounts)),
)
def test_I8_what_fits_is_never_more_than_any_budget_has_left(
    price: Price, both: tuple[DailyLimit, DailyLimit], balances: tuple[Balance, Balance]
) -> None:
    accounts = {"deployment": balances[0], "learner": balances[1]}
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
        "ann", Balance(cents(89.1), cents(5)), fits_empty_day=True
    )
    assert asked(0.1, Balance()) == Refused("ann", Balance(), fits_empty_day=False)
    assert asked(0.0, Balance()) == Refused("ann", Balance(), fits_empty_day=False)


def test_tokens_count_beside_dollars_and_alone() -> None:
    assert asked(9.0, Balance(), tokens=4_000) == Fits(3_000, Amount(cents(13).nano_usd, 4_000))
    assert isinstance(asked(None, Balance(Amount(0, 2_001)), tokens=4_000), Refused)


def test_the_tightest_budget_decides() -> None:
    roomy, tight = DailyLimit(9.0), DailyLimit(0.15)
    assert fit_call(PRICE, {"a": roomy, "b": tight}, {"a": Balance(), "b": Balance()}) == Fits(
        5_000, Amount(cents(15).nano_usd, 6_000)
    )
    verdict = fit_call(PRICE, {"a": tight, "b": roomy}, {"a": Balance(cents(10)), "b": Balance()})
    assert isinstance(verdict, Refused)
    assert verdict.account == "a"
