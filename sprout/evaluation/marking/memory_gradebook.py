"""Memory gradebook: one answer and its grade, kept for as long as it is marked."""

from collections.abc import Sequence
from dataclasses import replace

from sprout.errors import NotFound
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.marking.gradebook import OpenAnswer, grade_after_look, with_flag
from sprout.learning.marking.grades import Grade

NODE_ID = "node"
LEARNER = "learner"
_EPOCH = "1970-01-01T00:00:00.000Z"


class MemoryGradebook:
    """A gradebook with one answer, and the node that it belongs to."""

    def __init__(self, answer: OpenAnswer, title: str) -> None:
        self.answer = answer
        self._title = title

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        if (node_id, user_id) != (NODE_ID, LEARNER):
            raise NotFound("node", node_id)
        return NodeRow(
            id=NODE_ID,
            user_id=LEARNER,
            type="concept",
            branch_id=None,
            parent_id=None,
            title=self._title,
            desc=None,
            created_at=_EPOCH,
            updated_at=_EPOCH,
        )

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
