"""Memory gradebook: one answer and its grade, kept for as long as it is marked."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.errors import NotFound
from sprout.evaluation.memory_node import memory_node
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.marking.gradebook import OpenAnswer, grade_after_look, with_flag
from sprout.learning.marking.grades import Grade


class MemoryGradebook:
    """A gradebook with one answer, and the node that it belongs to."""

    def __init__(self, answer: OpenAnswer, title: str) -> None:
        self.answer = answer
        self._title = title

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        return memory_node(node_id, user_id, type="concept", title=self._title)

    async def answers(self, node_id: str, *, user_id: str, ids: Sequence[str] = ()) -> Sequence[OpenAnswer]:
        await self.node(node_id, user_id=user_id)
        return [self.answer] if not ids or self.answer.id in ids else []

    async def record(self, answer_id: str, sample: Grade, *, actor: Actor) -> Grade:
        grade = grade_after_look(self._grade_of(answer_id), sample, look=actor.run_id or "")
        self.answer = replace(self.answer, grade=grade)
        return grade

    async def flag(self, answer_id: str, why: str, *, actor: Actor) -> None:
        self.answer = replace(self.answer, grade=with_flag(self._grade_of(answer_id), why))

    def _grade_of(self, answer_id: str) -> Grade | None:
        if answer_id != self.answer.id:
            raise NotFound("answer", answer_id)
        return self.answer.grade
