"""Knowledge tracing over response logs, beside a hidden Markov model computed forwards (E2)."""

from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from sprout.errors import BadInput
from sprout.evaluation.evaluation import ModelAccess, evaluate
from sprout.evaluation.mastery.mastery_suite import mastery_suite
from sprout.evaluation.mastery.response_log import Response, read_assistments
from sprout.evaluation.mastery.simulated_responses import simulated_responses
from sprout.evaluation.mastery.tracing import predictions
from sprout.evaluation.measures.forecasts import log_loss
from sprout.evaluation.suite import NamedModel
from sprout.learning.mastery.knowledge_tracing import PARAMETERS
from sprout.loop.model import ChatModel

LOG = """order_id,user_id,problem_id,original,correct,answer_type,skill_id,skill_name
4,ann,p4,1,1,algebra,10,Area
1,ann,p1,1,0,choose_1,10,Area
2,ann,p2,1,1,algebra,10,Area
2,ann,p2,1,1,algebra,11,"Units, metric"
3,ann,p3,0,1,algebra,10,Area
1,bob,p1,1,1,choose_1,10,Area
2,bob,p9,1,0.5,algebra,,
"""


def likelihood_forwards(right: list[bool]) -> list[float]:
    """P(all answers up to each), by the forward algorithm of the two-state hidden Markov model."""
    noise = PARAMETERS.noise[3]
    emits = {True: (1 - noise.slip, noise.guess), False: (noise.slip, 1 - noise.guess)}
    known, unknown, found = PARAMETERS.initially_known, 1 - PARAMETERS.initially_known, [1.0]
    for one in right:
        known, unknown = known * emits[one][0], unknown * emits[one][1]
        found.append(known + unknown)
        known, unknown = known + unknown * PARAMETERS.learned, unknown * (1 - PARAMETERS.learned)
    return found


def test_E1_log_loss_of_plain_tracing_is_that_of_the_hidden_markov_model() -> None:
    for responses in list(simulated_responses().learners.values())[:30]:
        skill = responses[0].skills[:1]
        own = [Response(skill, one.right) for one in responses]
        made = [(one.plain, one.right) for one in predictions(own)]
        whole = likelihood_forwards([one.right for one in own])
        assert log_loss(made) == pytest.approx(-log(whole[-1]) / len(own), abs=1e-9)
        steps = [after / before for before, after in pairwise(whole)]
        assert [p if right else 1 - p for p, right in made] == pytest.approx(steps, abs=1e-9)


def test_E1_sprout_s_rule_is_the_plain_one_as_long_as_nothing_is_missed() -> None:
    made = list(predictions([Response(("a",), right=True)] * 6))
    assert [one.sprout for one in made] == pytest.approx([one.plain for one in made], abs=1e-9)
    assert [one.number for one in made] == [1, 2, 3, 4, 5, 6]


def test_E2_a_log_of_assistments_is_read_in_the_order_of_time_with_all_skills_of_an_answer(tmp_path: Path) -> None:
    file = tmp_path / "skill_builder_data.csv"
    file.write_text(LOG, encoding="latin-1")
    found = read_assistments(file).learners
    assert found["ann"] == [
        Response(("10",), right=False, format="mcq"),
        Response(("10", "11"), right=True),
        Response(("10",), right=True),
    ]
    assert found["bob"] == [Response(("10",), right=True, format="mcq")]  # what names no skill foretells nothing


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("user_id,correct\nann,1\n", "no column 'order_id'"),
        ("order_id,user_id,correct,skill_id\n1,ann,2,a\n", "line 2: 'correct' is 2"),
        ("order_id,user_id,correct,skill_id\n1,ann,yes,a\n", "line 2: 'correct' is 'yes'"),
        ("order_id,user_id,correct,skill_id\n1,ann\n", "line 2: the value of 'correct' is missing"),
        ("order_id,user_id,correct\n1,ann,1\n", "no answer with a skill"),
        ("", "no column"),
    ],
)
def test_E2_a_broken_log_is_refused_by_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=says):
        read_assistments(file)


async def test_E2_the_suite_foretells_better_than_the_base_rate(no_model: ChatModel) -> None:
    suite = mastery_suite(None)
    outcomes = await evaluate(suite, ModelAccess(NamedModel("none", no_model)))
    records = [record for one in outcomes for record in one.records]
    values = {metric.name: metric.statistic(records) or 0 for metric in suite.metrics}
    assert values["log loss"] < values["log loss of the base rate"]
    assert values["area under the curve"] > 0.7
