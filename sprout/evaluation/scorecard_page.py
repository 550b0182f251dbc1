"""Scorecard page: a scorecard, or what two of them differ in, as Markdown."""

from collections.abc import Sequence

from sprout.evaluation.comparison import Comparison, Difference
from sprout.evaluation.scorecard import NO_MODEL, Measured, Scorecard

DIRECTIONS = {"higher": "↑", "lower": "↓", None: ""}


def scorecard_page(card: Scorecard) -> str:
    """The scorecard with its metrics as a table; ↑ and ↓ say which way is better."""
    judge = f", judged by `{card.judge}`" if card.judge else ""
    lines = [
        f"# {card.suite}" + (f": {card.model}" if card.model != NO_MODEL else ""),
        "",
        f"{card.data.items} items of {card.data.name} ({card.data.licence}){judge}.",
        "",
        metric_table(card),
        "",
        f"Intervals are the percentiles of {card.resamples} bootstrap resamples of the items.",
        "",
        "| made with | |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in card.versions.items()),
        *(f"| prompt {name} | version {one.version}, `{one.sha256[:12]}` |" for name, one in card.prompts.items()),
        f"| data | `{card.data.sha256[:12]}` |",
        f"| calls | {card.calls.count}, of them {card.calls.from_disk} found on disk |",
        f"| tokens | {_tokens(card)} in, {card.calls.usage.output_tokens} out |",
        f"| cost | ${card.calls.usage.cost_usd:.4f}, of it ${card.calls.spent_usd:.4f} spent by the last command |",
    ]
    return "\n".join(lines) + "\n"


def metric_table(card: Scorecard) -> str:
    """The metrics as a table."""
    rows = ["| metric | value | 95 % interval | what it is |", "| --- | --- | --- | --- |"]
    return "\n".join([*rows, *(_metric_row(one) for one in card.metrics)])


def comparison_page(found: Comparison) -> str:
    """Metrics that got better, that got worse, and those whose difference may be chance."""
    lines = [
        f"# {found.suite}: {found.first} → {found.second}",
        "",
        f"{found.items} items that both were measured on.",
        *(f"\n{note}" for note in found.notes),
    ]
    for title, verdict in (("Better", "better"), ("Worse", "worse"), ("Not told from chance", "same"), ("Changed", "")):
        chosen = [one for one in found.differences if one.verdict == verdict]
        if chosen:
            lines += ["", f"## {title}", "", *_difference_table(chosen)]
    return "\n".join(lines) + "\n"


def _difference_table(chosen: Sequence[Difference]) -> list[str]:
    return [
        "| metric | before | after | difference | 95 % interval | p | test |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(
            f"| {one.name} {DIRECTIONS[one.better]} | {_number(one.first)} | {_number(one.second)} |"
            f" {_number(one.by, signed=True)} | {_interval(one.low, one.high)} | {one.p:.3g} | {one.test} |"
            for one in chosen
        ),
    ]


def _metric_row(one: Measured) -> str:
    return (
        f"| {one.name} {DIRECTIONS[one.better]} | {_number(one.value)} | {_interval(one.low, one.high)} | {one.says} |"
    )


def _number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:+.3f}" if signed else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _tokens(card: Scorecard) -> int:
    usage = card.calls.usage
    return usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
