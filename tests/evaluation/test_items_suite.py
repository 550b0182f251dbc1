"""Questions solved blind, guessed from their options and looked at for flaws (E2)."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.errors import BadInput
from sprout.evaluation.evaluation import ModelAccess, evaluate
from sprout.evaluation.items.flaws import flaws
from sprout.evaluation.items.item_set import read_items
from sprout.evaluation.items.items_suite import HIDDEN, items_suite
from sprout.evaluation.suite import NamedModel, Record
from sprout.learning.questions.questions import QuestionDraft
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.offline.server import running_offline_server

EXAMPLE = Path(__file__).parents[2] / "examples" / "fractions.yaml"
FISH = ("a bat", "a carp", "a cod", "an eel")
RIGHT = {  # of the questions whose planted key is wrong
    "Of a test's positive results 15 are true and 60 are false. "
    "What percentage of the people with a positive result are ill?": "20",
    "Three pens cost 4.50. What do seven pens cost?": "10.50",
    "Which planet is nearest to the sun?": "Mercury",
    "Which of these words is a verb?": "sing",
}


@dataclass
class GoodSolver:
    """Knows the right answers to the shipped questions, and takes the second option where the question is hidden."""

    asked: list[str] = field(default_factory=list)

    def answer(self, body: Body) -> Reply:
        conversation = read_conversation(body)
        if conversation.calls:
            return Reply([TextOut("Done.")])
        (question,) = conversation.request.children("question")
        prompt = question.text_of("prompt")
        self.asked.append(json.dumps(body["messages"]))
        options = {one.text: one.attributes["id"] for one in question.children("option")}
        keys = {one.draft.prompt: one.draft.correct_answer for one in read_items(None)[0]}
        right = RIGHT.get(prompt) or keys.get(prompt, "")
        found: dict[str, Any] = {"question_id": question.attributes["id"], "sure": 0.95}
        if prompt == HIDDEN:
            return _recorded(found | {"option_id": sorted(options.values())[1]})
        if options:
            return _recorded(found | {"option_id": options[right]})
        if question.attributes["format"] == "numeric":
            return _recorded(found | {"number": right})
        return _recorded(found | {"holds": True})


def _recorded(solution: dict[str, Any]) -> Reply:
    return Reply([ToolOut("record_solutions", {"solutions": [solution]})])


async def test_E2_planted_keys_and_flaws_are_found_and_good_questions_left_alone() -> None:
    suite, solver = items_suite(None), GoodSolver()
    async with running_offline_server(solver) as server, claude_at(server) as chat:
        outcomes = await evaluate(suite, ModelAccess(NamedModel("claude-haiku-5-5", chat)))
    records: list[Record] = [record for one in outcomes for record in one.records]
    values = {metric.name: metric.statistic(records) for metric in suite.metrics}
    assert values["wrong keys found"] == values["flaws found"] == values["checked"] == 1.0
    assert values["right keys doubted"] == 0.0
    assert values["second solver disagrees"] == pytest.approx(4 / 14)
    assert values["guessed from the options"] == pytest.approx(1 / 7)
    (pens,) = [one for one in solver.asked if "Three pens" in one]
    assert "9.50" not in pens  # the key is never sent


@pytest.mark.parametrize(
    ("draft", "found"),
    [
        (QuestionDraft("Which is NOT a fish?", "mcq", "a bat", 1, ("a",), options=FISH), ["negative"]),
        (QuestionDraft("Which is a fish?", "mcq", "a carp", 1, ("a",), options=("a carp", "a bat")), ["refused"]),
        (QuestionDraft("How much is 2 + 3?", "numeric", "5", 1, ("a",)), []),
        (QuestionDraft("Discuss the tides.", "open_ended", "The moon pulls.", 1, ("a",)), ["refused", "vague"]),
    ],
)  # fmt: skip
def test_E2_flaws_of_form_are_named(draft: QuestionDraft, found: list[str]) -> None:
    assert flaws(draft) == found


def test_E2_the_questions_of_a_path_file_are_read(tmp_path: Path) -> None:
    items, source = read_items(EXAMPLE)
    assert len(items) >= 2
    assert source.name == "fractions.yaml"
    (tmp_path / "a.yaml").write_text("- {fault: odd, question: {}}")
    with pytest.raises(BadInput, match=r"0\.fault"):
        read_items(tmp_path / "a.yaml")
