"""A learner who is right against a wrong key, and says so: the key is planted, as somebody who errs would plant it."""

from dataclasses import dataclass
from typing import Any

from faults.desk import Desk
from faults.pupils import Asked, Words, right
from faults.textbook import Known, textbook

REASON = "This question is wrong: I have worked it out again, and what it takes for right is not."


class Contester:
    """Knows all of it, and does not let a question pass that marks what is right as wrong."""

    name = "contester"

    def says(self, asked: Asked) -> Words:
        return right(asked)

    def hears(self, known: Known, reply: str, level: int, *, settled: bool) -> None:
        """There is nothing to learn."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question whose key is wrong, and what came of the learner's word against it.

    Args:
        correct: how the right answer was marked by the wrong key.
        outcome, says: what the server came to, and what it said.
        again: what it said when it was asked once more.
        before, after: progress by node before the question was answered and when it was decided.
        asked_still: whether it is among the questions of the diagnostic afterwards.
    """

    prompt: str
    correct: bool | None
    outcome: str | None
    says: str
    again: str
    before: dict[str, Any]
    after: dict[str, Any]
    asked_still: bool


@dataclass(frozen=True, slots=True)
class Planted:
    """A choice that takes one of its wrong options for right."""

    one: Known
    question_id: str
    assessment_id: str


async def planted(desk: Desk, branch_id: str, concept_id: str) -> Planted | None:
    """A question with a wrong key at the end of the concept's diagnostic; None where no choice is at hand for it."""
    diagnostic = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
    graph = await desk.get(f"/api/branches/{branch_id}/graph")
    parts = {node["title"]: node["id"] for node in graph["nodes"] if node["parentId"] == concept_id}
    one = next((each for each in textbook().values() if _fits(each, {*parts})), None)
    if one is None:
        return None
    assessment_id = diagnostic["assessment"]["id"]
    asked = await desk.post(
        f"/api/assessments/{assessment_id}/questions",
        nodeId=parts[one.idea[0]],
        format="mcq",
        prompt=one.prompt,
        options=sorted([one.answer, *(wrong.text for wrong in one.wrong)]),
        correctAnswer=one.wrong[0].text,
    )
    return Planted(one, asked["id"], assessment_id)


async def doubted(desk: Desk, branch_id: str, concept_id: str, there: Planted) -> Doubt:
    """The learner answers it rightly, is marked wrong, and says that the question is."""
    before = await _progress(desk, branch_id)
    answers = f"/api/assessments/{there.assessment_id}/answers"
    given = await desk.post(answers, questionId=there.question_id, selectedOption=there.one.answer)
    path = f"/api/questions/{there.question_id}/contest"
    contest = await desk.post(path, reason=REASON)
    after = await _progress(desk, branch_id)
    again = await desk.post(path, reason=REASON)
    diagnostic = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
    return Doubt(
        there.one.prompt,
        given["isCorrect"],
        contest.get("outcome"),
        contest.get("says") or "",
        again.get("says") or "",
        before,
        after,
        any(question["id"] == there.question_id for question in diagnostic["questions"]),
    )


def _fits(one: Known, titles: set[str]) -> bool:
    """Whether it is a choice in its changed form, of the lesson on one of these subconcepts."""
    return one.changed and one.kind == "mcq" and one.idea[0] in titles


async def _progress(desk: Desk, branch_id: str) -> dict[str, Any]:
    graph = await desk.get(f"/api/branches/{branch_id}/graph")
    return {
        one["nodeId"]: (round(one["masteryScore"], 9), one["attemptsCount"], bool(one["completedAt"]))
        for one in graph["progress"]
        if one["attemptsCount"] or one["masteryScore"]
    }
