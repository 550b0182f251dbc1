"""A path for a topic that nothing is known about: how to study it, and a plain word that content is missing."""

from functools import cache
from importlib.resources import files
from typing import Any

from sprout.offline.graph_plan import Plan, PlannedEdge, PlannedNode, PlannedQuestion
from sprout.yaml_loader import load_yaml

_NAME_WORDS = 3
_NAME_CHARACTERS = 60


def outline_path(topic: str) -> Plan:
    """An order in which any topic can be studied, with a rationale that says that the content is missing."""
    return _plan("path", topic)


def outline_lesson(concept: str) -> Plan:
    """Study steps for one concept, and questions about whatever source the learner uses."""
    return _plan("lesson", concept)


@cache
def _texts() -> dict[str, Any]:
    source = files("sprout.offline.demo.agents").joinpath("outline.yaml")
    texts: dict[str, Any] = load_yaml(source.read_text(encoding="utf-8"))
    return texts


def _plan(kind: str, subject: str) -> Plan:
    text = _texts()[kind]
    name = _short_topic(subject) if kind == "path" else _clip_title(subject)

    def filled(template: str) -> str:
        return template.replace("{t}", name)

    ideas = [PlannedNode(filled(step["title"]), filled(step["desc"])) for step in text["steps"]]
    links = [
        PlannedEdge(ideas[edge["source"]].title, ideas[edge["target"]].title, edge["why"]) for edge in text["edges"]
    ]
    items = [_question(row, filled(row["prompt"]), ideas) for row in text.get("questions", ())]
    closing = filled(text["closing"]).replace("{first}", ideas[0].title).replace("{second}", ideas[1].title)
    return Plan(filled(text["opening"]), ideas, links, closing, items)


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


def _short_topic(topic: str) -> str:
    """The first words of a topic: titles have room for no more."""
    return _clip_title(" ".join(topic.split()[:_NAME_WORDS]))


def _clip_title(text: str) -> str:
    return " ".join(text.split())[:_NAME_CHARACTERS].strip() or "this"
