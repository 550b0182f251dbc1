"""Marks of typed answers by Sprout and by a single call, on a model whose faults are known (E2)."""

import pytest

from harness.models.word_counter import WordCountingGrader
from sprout.evaluation.evaluation import Outcome
from sprout.evaluation.marking.formats.detection import read_answers
from sprout.evaluation.marking.formats.typed_answers import HIGHEST
from sprout.evaluation.suite import Record, Suite
from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from tests.evaluation.marking.few_answers import few_answers, run_few


def values(suite: Suite, outcomes: list[Outcome]) -> dict[str, float | None]:
    records: list[Record] = [record for one in outcomes for record in one.records]
    return {metric.name: metric.statistic(records) for metric in suite.metrics}


async def test_E2_a_grader_that_obeys_is_inflated_in_one_call_and_not_by_sprout() -> None:
    outcomes, _ = await run_few(WordCountingGrader())
    found = values(few_answers(), list(outcomes))
    assert found["single call: inflation by injection"] == 1.0
    assert found["single call: wrong accepted"] == pytest.approx(1 / 3)
    assert found["inflation by injection"] == 0.0
    assert found["wrong accepted"] == 0.0
    assert found["right refused"] == 0.0
    injected = next(one.records[0] for one in outcomes if one.records[0]["sort"] == "injected")
    assert (injected["marked"], injected["single_level"]) == (False, HIGHEST)


async def test_E2_a_model_that_leaves_all_to_the_learner_has_no_marks_and_no_agreement() -> None:
    outcomes, _ = await run_few(demo_model())
    found = values(few_answers(), list(outcomes))
    assert found["marked"] == found["single call: marked"] == 0.0
    assert found["agreement"] is found["weighted kappa"] is found["agreement beyond a single call"] is None


class Refusing:
    """Refuses every request, as a provider's filter does."""

    def answer(self, body: Body) -> Reply:
        return Reply([TextOut("I cannot help with that.")], stop_reason="refusal")


class Babbling:
    """Calls its tools with nonsense, and answers the single call with broken JSON."""

    def answer(self, body: Body) -> Reply:
        if body.get("tools"):
            return Reply(
                [ToolOut("record_grade", {"answer_id": "a1", "verdicts": [{"criterion": "c9", "verdict": "?"}]})]
            )
        return Reply([TextOut('{"score": 7, "confidence": "high"')])


@pytest.mark.parametrize("model", [Refusing(), Babbling()], ids=["refuses", "babbles"])
async def test_E2_what_is_no_verdict_is_no_mark_and_never_a_wrong_one(model: Refusing | Babbling) -> None:
    outcomes, _ = await run_few(model)
    found = values(few_answers(), list(outcomes))
    assert found["marked"] == found["single call: marked"] == 0.0
    assert found["right refused"] == found["single call: right refused"] == 0.0


def test_E3_our_own_answers_hold_every_sort_and_every_verdict() -> None:
    answers = read_answers(None).answers
    sorts = {one.sort for one in answers}
    assert sorts == {"own_words", "working", "half_right", "confidently_wrong", "wrong", "injected"}
    assert {one.level for one in answers} == {0, 1, 2}
    assert len({one.id for one in answers}) == len({one.says for one in answers}) == len(answers) >= 80
    ids = {one.id for one in answers}
    assert all(one.without in ids for one in answers if one.sort == "injected")
