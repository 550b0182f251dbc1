"""Paths of a model beside an expert's order, and the notes that they take up (E1, E2)."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.loop.scripted_turn import claude_at
from sprout.errors import ModelFailure, ModelFailureKind
from sprout.evaluation.comparison import compare
from sprout.evaluation.evaluation import Interrupted, ModelAccess, Outcome, evaluate
from sprout.evaluation.graph.graph_suite import graph_metrics, graph_suite
from sprout.evaluation.replies.spending import Spending
from sprout.evaluation.scorecard import all_records, make_scorecard
from sprout.evaluation.suite import NamedModel
from sprout.llm.catalogue import facts_of
from sprout.loop.model import ModelTraits
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tagged_request import existing_titles
from sprout.offline.reply import Block, Body, Reply, TextOut, ToolOut
from sprout.offline.server import running_offline_server

SETS = """
name: Letters
licence: ours
sets:
  - topic: Letters
    concepts: [Ant, Bee, Cat, Dog]
    before: [[Ant, Bee], [Bee, Cat], [Cat, Dog]]
  - topic: Tea
    notes: |
      ## Leaves
      Green leaves are steamed and dried; black leaves are oxidised before.

      ## Kettles
      A kettle boils water, whose bubbles rise at one hundred degrees.
"""
JOINED = (
    ("Ant", "Bee"),
    ("Bee", "Cat"),
    ("Ant", "Cat"),
    ("Dog", "Cat"),
    ("Cat", "Ant"),
    ("Cat", "Fox"),
    ("Fox", "Dog"),
)


@dataclass
class Designer:
    """Joins the letters with one edge too many, one turned round and one that would close a cycle; of tea it teaches
    the leaves alone."""

    bodies: list[Body] = field(default_factory=list)

    def answer(self, body: Body) -> Reply:
        self.bodies.append(body)
        conversation = read_conversation(body)
        if any(call.name == "close_path" for call in conversation.calls):
            return Reply([TextOut("That is all.")])
        made: list[Block] = [_concept("Leaves that are oxidised or steamed")]
        if existing_titles(conversation.request):
            edges = [{"source_title": one, "target_title": other, "why": "So it is."} for one, other in JOINED]
            made = [_concept("Fox"), *(ToolOut("save_concept_edge", one) for one in edges)]
        return Reply([*made, ToolOut("close_path", {"rationale": "Done."})])


@dataclass
class Speechless:
    """Closes each path at once."""

    def answer(self, body: Body) -> Reply:
        if any(call.name == "close_path" for call in read_conversation(body).calls):
            return Reply([TextOut("That is all.")])
        return Reply([ToolOut("close_path", {"rationale": "I know nothing of it."})])


def _concept(title: str) -> ToolOut:
    return ToolOut("save_concept", {"title": title, "desc": f"About {title}."})


async def design(
    folder: Path, model: Designer | Speechless, *, budget_usd: float | None = None
) -> tuple[list[Outcome], ModelAccess]:
    file, facts = folder / "sets.yaml", facts_of("claude-haiku-5-5")
    file.write_text(SETS)
    async with running_offline_server(model) as server, claude_at(server) as chat:
        access = ModelAccess(
            NamedModel("claude-haiku-5-5", chat, ModelTraits(priced=facts.priced)),
            outcomes=folder / "outcomes",
            spending=Spending(budget_usd),
        )
        return await evaluate(graph_suite(file), access), access


async def test_E2_a_path_is_measured_as_the_topic_agent_makes_it(tmp_path: Path) -> None:
    designer = Designer()
    outcomes, _ = await design(tmp_path, designer)
    values = {one.name: one.statistic(all_records(outcomes)) for one in graph_metrics()}
    # Judged: Ant>Bee, Bee>Cat, Ant>Cat (implied) and Dog>Cat (turned round); the edges of Fox are its own matter.
    assert values["precision"] == pytest.approx(3 / 4)
    assert values["recall"] == pytest.approx(2 / 3)
    assert values["F1"] == pytest.approx(2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3))
    assert values["F1 of single edges"] == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))
    assert values["reversed"] == pytest.approx(1 / 4)
    assert values["needless"] == pytest.approx(1 / 5)  # Ant>Cat
    assert values["refused"] == pytest.approx(2 / 7)  # Cat>Ant, and Fox>Dog after Dog>Cat>Fox
    assert values["notes taken up"] == pytest.approx(1 / 2)
    asked = " ".join(str(body["messages"][0]) for body in designer.bodies)
    assert all(title in asked for title in ("Ant", "Bee", "Cat", "Dog", "oxidised"))


async def test_E1_a_path_that_was_made_is_not_made_again_and_the_budget_holds(tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match="budget") as caught:
        await design(tmp_path, Designer(), budget_usd=0.0)
    assert isinstance(caught.value.cause, ModelFailure)
    assert caught.value.cause.kind is ModelFailureKind.BUDGET_SPENT
    outcomes, _ = await design(tmp_path, Designer())
    idle = Designer()
    again, from_disk = await design(tmp_path, idle, budget_usd=0.0)
    assert again == outcomes
    assert idle.bodies == []
    assert from_disk.spending.total.output_tokens > 0


async def test_E2_a_model_that_makes_nothing_is_measured_as_nothing_and_compared(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    outcomes, access = await design(tmp_path / "nothing", Speechless())
    made, other = await design(tmp_path, Designer())
    suite = graph_suite(tmp_path / "sets.yaml")
    first, second = make_scorecard(suite, outcomes, access), make_scorecard(suite, made, other)
    values = {one.name: one.value for one in first.metrics}
    assert (values["precision"], values["recall"], values["F1"], values["notes taken up"]) == (None, 0.0, 0.0, 0.0)
    differences = {one.name: one for one in compare(first, second, suite.metrics).differences}
    assert differences["recall"].by == pytest.approx(2 / 3)
    assert "precision" not in differences
