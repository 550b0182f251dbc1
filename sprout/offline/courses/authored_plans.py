"""Plans of an authored course: its concepts for the topic agent, a concept's parts for the subconcept agent."""

import re

from sprout.offline.courses.course_format import Concept, Course, Edge, Question
from sprout.offline.courses.lesson_format import solution_steps
from sprout.offline.graph_plan import Plan, PlannedEdge, PlannedNode, PlannedQuestion


def concepts_plan(course: Course) -> Plan:
    """The concepts of a course; the closing text is its rationale."""
    ideas = [PlannedNode(concept.title, concept.desc) for concept in course.concepts]
    return Plan(course_opening(course.title), ideas, _planned_edges(course.edges), course.rationale)


def parts_plan(concept: Concept) -> Plan:
    """The subconcepts and questions of a concept, questions from easy to hard."""
    ideas = [PlannedNode(sub.title, sub.desc) for sub in concept.subconcepts]
    return concept_plan(concept.title, ideas, _planned_edges(concept.edges), [*map(_planned_question, concept.items)])


def course_opening(title: str) -> str:
    return f"I know a course on this: {title}."  # short: the first concept comes after it


def concept_plan(
    title: str, ideas: list[PlannedNode], edges: list[PlannedEdge], questions: list[PlannedQuestion]
) -> Plan:
    """Ideas and questions of the concept `title`, with the words around them."""
    items = sorted(questions, key=lambda item: int(item.input["difficulty"]))
    opening = f"For “{title}” the course has {len(ideas)} ideas and {len(items)} diagnostic questions."
    closing = f"“{title}” is ready: the questions cover where it begins and where its ideas come together."
    return Plan(opening, ideas, edges, closing, items)


def neutral_order(option: str) -> tuple[int, float, str]:
    """Numbers by size, words by letter: an order that says nothing about which option is right."""
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", option.replace(" ", "").rstrip("%"))
    return (0, float(number[0]), "") if number else (1, 0.0, option.casefold())


def _planned_question(question: Question) -> PlannedQuestion:
    fields: dict[str, object] = {
        "prompt": question.prompt,
        "format": question.format,
        "correct_answer": question.answer,
        "difficulty": question.difficulty,
        "tests": list(question.tests),
    }
    if question.solution:
        fields["solution"] = list(solution_steps(question.solution))
    if question.format == "mcq":
        options = [question.answer, *(wrong.option for wrong in question.wrong)]
        fields["options"] = sorted(options, key=neutral_order)
        fields["misconceptions"] = [wrong.model_dump() for wrong in question.wrong]
    if question.format == "open_ended":
        fields["criteria"] = [criterion.model_dump(exclude_none=True) for criterion in question.criteria]
        fields |= {"anchors": list(question.anchors)} if question.anchors else {}
    if question.terms:
        fields |= {"accepted": [*question.terms], "misconceptions": [wrong.model_dump() for wrong in question.wrong]}
    if question.program_tests:
        fields["program_tests"] = [test.model_dump(exclude_defaults=True) for test in question.program_tests]
    if question.format == "numeric":
        fields |= {"tolerance": question.tolerance or 0} | ({"unit": question.unit} if question.unit else {})
        fields["misconceptions"] = [
            {"option": value, "misconception": why, "slip": value in question.slips}
            for value, why in question.diagnostic_values.items()
        ]
    return PlannedQuestion(fields)


def _planned_edges(edges: tuple[Edge, ...]) -> list[PlannedEdge]:
    return [PlannedEdge(edge.source, edge.target, edge.why) for edge in edges]
