"""Lessons judged by a rubric, and the judge beside a person's marks (E2)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.config import OFFLINE_MODEL
from sprout.errors import BadInput
from sprout.evaluation.data_files import sample_text
from sprout.evaluation.dialogue.dialogue_suite import SAMPLE, dialogue_suite
from sprout.evaluation.dialogue.transcript import ROWS, read_transcripts
from sprout.evaluation.evaluation import ModelAccess, Outcome, evaluate
from sprout.evaluation.suite import NamedModel
from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, TextOut
from sprout.offline.server import running_offline_server

GIVEN = read_transcripts(sample_text(SAMPLE), Path(SAMPLE))
PLAYED = {
    "no_leak": 2,
    "reads_attempt": 2,
    "truth": None,
    "load": 3,
    "adaptation": 1,
    "learners_share": 2,
    "honesty": 2,
}


class Judging:
    """The built-in model, and a judge that gives a person's marks, one too many for each `load`, and refuses once."""

    def __init__(self) -> None:
        self._others = demo_model()
        self.seen: list[str] = []

    def answer(self, body: Body) -> Reply:
        text = body["messages"][0]["content"]
        shown = text if isinstance(text, str) else "".join(block.get("text", "") for block in text)
        if "<transcript" not in shown:
            return self._others.answer(body)
        self.seen.append(shown)
        given = next((one for one in GIVEN if one.said[-1].text[:40] in shown), None)
        if given is not None and given.name == "a wall":
            return Reply([TextOut("I would rather not judge this.")], stop_reason="refusal")
        marks = PLAYED if given is None else {**given.marks, "load": min(3, (given.marks.get("load") or 0) + 1)}
        return Reply([TextOut(f"Here: {json.dumps(marks)}")])


async def judged(model: Judging) -> list[Outcome]:
    """All given transcripts, and one played lesson."""
    suite = dialogue_suite(None)
    given = [one for one in suite.items if one.id.startswith("given/")]
    played = [one for one in suite.items if one.id.startswith("played/")]
    async with running_offline_server(model) as server, claude_at(server) as chat:
        access = ModelAccess(NamedModel(OFFLINE_MODEL, chat), judge=NamedModel("judge", chat))
        return await evaluate(replace(suite, items=[*given, *played[:1]]), access)


async def test_E2_lessons_are_judged_and_the_judge_is_compared_with_people() -> None:
    model = Judging()
    outcomes = await judged(model)
    records = [record for one in outcomes for record in one.records]
    values = {one.name: one.statistic(records) for one in dialogue_suite(None).metrics}
    assert len(GIVEN) == 6
    assert values["judged"] == pytest.approx(6 / 7)
    assert values["lessons that pass"] == 1.0
    assert values["lessons: load"] == 3.0
    assert values["lessons: truth"] is None
    marked = [
        (row, mark) for one in GIVEN if one.name != "a wall" for row in ROWS if (mark := one.marks.get(row)) is not None
    ]
    raised = [mark for row, mark in marked if row == "load" and mark < 3]
    assert values["judge's bias"] == pytest.approx(len(raised) / len(marked))
    assert (values["judge's agreement"] or 0) < 1.0
    lesson = next(one for one in model.seen if "LEARNER: idk" in one)
    assert "LEARNER: hint" in lesson
    assert "<open_answer" in lesson
    assert "[question]" in lesson


async def test_E2_a_judge_that_refuses_leaves_no_marks() -> None:
    class Refusing(Judging):
        def answer(self, body: Body) -> Reply:
            reply = super().answer(body)
            return reply if body.get("tools") else Reply([TextOut("No.")], stop_reason="refusal")

    records = [record for one in await judged(Refusing()) for record in one.records]
    values = {one.name: one.statistic(records) for one in dialogue_suite(None).metrics}
    assert values["judged"] == 0.0
    assert values["judge's kappa"] is values["lessons that pass"] is None


@pytest.mark.parametrize(
    ("text", "says"),
    [("[]", "no transcripts"), ("- {name: x, said: []}", "0.said"), ("- {", "no YAML")],
)
def test_E2_broken_transcripts_are_refused_by_their_place(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(BadInput, match=says):
        dialogue_suite(tmp_path / "a.yaml")
