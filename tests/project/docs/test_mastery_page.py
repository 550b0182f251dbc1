"""docs/mastery.md: its numbers are those that the code computes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sprout.learning.mastery.knowledge_tracing import PARAMETERS
from sprout.learning.mastery.mastery import HIGHEST_OPEN, LEARNED_FROM, MASTERED_AFTER, Evidence, Mastery, mastery
from sprout.learning.mastery.milestones import stage
from sprout.learning.questions.questions import QuestionFormat

PAGE = (Path(__file__).parents[3] / "docs" / "mastery.md").read_text(encoding="utf-8")
EDGES = [("counting", "percentage"), ("counting", "comparing")]


def an_answer(
    step: int,
    score: float,
    *tests: str,
    question: int | None = None,
    format: QuestionFormat = "open_ended",
    level: int = 0,
    days: int = 0,
) -> Evidence:
    number = step if question is None else question
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days, minutes=step)
    return Evidence(
        f"a{step}", f"q{number}", f"prompt {number}", tests or ("percentage",), format, 3, score, level, at, step
    )


MIA = [
    an_answer(1, 0),
    an_answer(2, 1, question=1, level=1),
    an_answer(3, 1),
    an_answer(4, 1, format="mcq"),
    an_answer(5, 0, "percentage", "comparing"),
    an_answer(6, 1, days=1),
]


def rows(heading: str) -> list[list[str]]:
    """The cells of the rows of the first table below a heading."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def percent(known: Mastery) -> str:
    return str(round(known.value * 100))


def test_H4_each_row_of_the_example_is_what_the_code_computes() -> None:
    _, *told = rows("An example")
    computed = []
    for step in range(1, len(MIA) + 1):
        found = mastery(MIA[:step], EDGES)
        part, base = found["percentage"], found["counting"]
        state = stage(learned=part.learned, mastered=part.mastered)
        computed.append([str(step), percent(part), state, str(part.right_answers_needed), percent(base)])
    assert [[row[0], *row[2:]] for row in told] == computed
    assert percent(mastery(MIA, EDGES)["comparing"]) == "0"


def test_H4_the_calculation_by_hand_is_that_of_the_code() -> None:
    before, after = (mastery(MIA[:step], EDGES)["percentage"].known for step in (2, 3))
    noise = PARAMETERS.noise[3]
    bayes = before * (1 - noise.slip) / (before * (1 - noise.slip) + (1 - before) * noise.guess)
    right, wrong = f"{before:.3f} × {1 - noise.slip:.2f}", f"{1 - before:.3f} × {noise.guess}"
    for words in (
        f"the estimate is {before:.1%}".replace("%", " %"),
        f"with {1 - noise.slip:.0%} if she knew it and with {noise.guess:.0%}".replace("%", " %"),
        f"{right} / ({right} + {wrong})",
        f"= {bayes:.1%}".replace("%", " %"),
        f"Of the rest {PARAMETERS.learned:.0%}".replace("%", " %"),
        f"taught: {after:.1%}".replace("%", " %"),
        f"the assumed {PARAMETERS.initially_known:.0%}".replace("%", " %"),
    ):
        assert words in " ".join(PAGE.split()), words


def test_H4_the_tables_have_the_parameters_of_the_code() -> None:
    told = rows("The parameters")
    expected = (PARAMETERS.initially_known, PARAMETERS.learned, PARAMETERS.edge_weight)
    assert [float(row[1]) for row in told[1:4]] == [*expected]
    noise = {int(row[0]): tuple(map(float, row[1:])) for row in told[5:]}
    assert noise == {at: (one.slip, one.guess, one.chosen) for at, one in PARAMETERS.noise.items()}
    assert PARAMETERS.max_edges == 2


def test_H4c_the_limits_on_the_page_are_those_of_the_code() -> None:
    assert f"at least {LEARNED_FROM * 100:.0f} once a part is learned, and at most {HIGHEST_OPEN * 100:.0f}" in PAGE
    assert f"at least {MASTERED_AFTER.total_seconds() / 3600:.0f} hours later" in PAGE
