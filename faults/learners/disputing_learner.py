"""Scripted learner who disputes a wrong answer key, which is planted as an author's mistake would be."""

from dataclasses import dataclass
from typing import Any

from faults.leaks.learner_client import LearnerClient
from faults.learners.answer_book import KnownQuestion, known_questions
from faults.learners.scripted_learners import LearnerMessage, QuestionSituation, right_answer

REASON = "This question is wrong: I have worked it out again, and what it takes for right is not."


class DisputingLearner:
    """Knows all of it, and does not let a question pass that marks what is right as wrong."""

    name = "contester"

    def respond(self, asked: QuestionSituation) -> LearnerMessage:
        return right_answer(asked)

    def observe_reply(self, known: KnownQuestion, reply: str, level: int, *, settled: bool) -> None:
        """There is nothing to learn."""


@dataclass(frozen=True, slots=True)
class Dispute:
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
class WrongKey:
    """A choice that takes one of its wrong options for right."""

    known: KnownQuestion
    question_id: str
    assessment_id: str


async def plant_wrong_key(desk: LearnerClient, branch_id: str, concept_id: str) -> WrongKey | None:
    """A question with a wrong key at the end of the concept's diagnostic; None where no choice is at hand for it."""
    diagnostic = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
    graph = await desk.get(f"/api/branches/{branch_id}/graph")
    parts = {node["title"]: node["id"] for node in graph["nodes"] if node["parentId"] == concept_id}
    one = next((each for each in known_questions().values() if _fits(each, {*parts})), None)
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
    return WrongKey(one, asked["id"], assessment_id)


async def dispute_question(desk: LearnerClient, branch_id: str, concept_id: str, there: WrongKey) -> Dispute:
    """The learner answers it rightly, is marked wrong, and says that the question is."""
    before = await _progress(desk, branch_id)
    answers = f"/api/assessments/{there.assessment_id}/answers"
    given = await desk.post(answers, questionId=there.question_id, selectedOption=there.known.answer)
    path = f"/api/questions/{there.question_id}/contest"
    contest = await desk.post(path, reason=REASON)
    after = await _progress(desk, branch_id)
    again = await desk.post(path, reason=REASON)
    diagnostic = await desk.get(f"/api/agents/concepts/{concept_id}/diagnostic")
    return Dispute(
        there.known.prompt,
        given["isCorrect"],
        contest.get("outcome"),
        contest.get("says") or "",
        again.get("says") or "",
        before,
        after,
        any(question["id"] == there.question_id for question in diagnostic["questions"]),
    )


def _fits(one: KnownQuestion, titles: set[str]) -> bool:
    """Return True for the changed form of a choice question, in the lesson on one of these subconcepts."""
    return one.is_changed_form and one.kind == "mcq" and one.idea[0] in titles


async def _progress(desk: LearnerClient, branch_id: str) -> dict[str, Any]:
    graph = await desk.get(f"/api/branches/{branch_id}/graph")
    return {
        one["nodeId"]: (round(one["masteryScore"], 9), one["attemptsCount"], bool(one["completedAt"]))
        for one in graph["progress"]
        if one["attemptsCount"] or one["masteryScore"]
    }
