"""Study steps for a concept that nothing is known about, and a plain word that content is missing."""

from functools import cache
from importlib.resources import files
from typing import Any

from sprout.offline.graph_plan import Plan, PlannedEdge, PlannedNode, PlannedQuestion
from sprout.yaml_loader import load_yaml

_NAME_CHARACTERS = 60


def outline_lesson(concept: str) -> Plan:
    """Study steps for one concept, and questions about whatever source the learner uses."""
    text, name = _texts(), _clip_title(concept)

    def filled(template: str) -> str:
        return template.replace("{t}", name)

    ideas = [PlannedNode(filled(step["title"]), filled(step["desc"])) for step in text["steps"]]
    links = [
        PlannedEdge(ideas[edge["source"]].title, ideas[edge["target"]].title, edge["why"]) for edge in text["edges"]
    ]
    items = [_question(row, filled(row["prompt"]), ideas) for row in text["questions"]]
    return Plan(filled(text["opening"]), ideas, links, filled(text["closing"]), items)


@cache
def _texts() -> dict[str, Any]:
    source = files("sprout.offline.demo.agents").joinpath("outline.yaml")
    texts: dict[str, Any] = load_yaml(source.read_text(encoding="utf-8"))
    return texts


def _question(row: dict[str, Any], prompt: str, ideas: list[PlannedNode]) -> PlannedQuestion:
    weight = 1 / len(row["criteria"])
    return PlannedQuestion(
        {
            "prompt": prompt,
            "format": "open_ended",
            "correct_answer": row["answer"],
            "criteria": [criterion | {"weight": weight} for criterion in row["criteria"]],
            "difficulty": row["difficulty"],
            "tests": [ideas[at].title for at in row["tests"]],
        }
    )


def _clip_title(text: str) -> str:
    return " ".join(text.split())[:_NAME_CHARACTERS].strip() or "this"
