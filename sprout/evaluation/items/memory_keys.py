"""Memory keys: one question to be solved blind, and the solution that was found."""

from collections.abc import Sequence

from sprout.errors import NotFound
from sprout.evaluation.memory_node import memory_node
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.marking.answer_keys import BlindQuestion, Contest, Solution
from sprout.learning.paths.passages import Passage


class MemoryKeys:
    """Answer keys with one question, which is not contested, and its node, which has no notes."""

    def __init__(self, question: BlindQuestion, title: str) -> None:
        self._question = question
        self._title = title
        self.solution: Solution | None = None

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        return memory_node(node_id, user_id, type="root", title=self._title)

    async def passages(self, root_id: str) -> Sequence[Passage]:
        return []

    async def unchecked_ids(self, node_id: str, *, user_id: str) -> Sequence[str]:
        return [] if self.solution else [self._question.id]

    async def blind_questions(self, question_ids: Sequence[str], *, user_id: str) -> Sequence[BlindQuestion]:
        return [self._question for one in question_ids if one == self._question.id]

    async def save_solutions(self, node_id: str, solutions: Sequence[Solution], *, actor: Actor) -> None:
        self.solution = next((one for one in solutions if one.question_id == self._question.id), self.solution)

    async def release_held_back(self, node_id: str, *, actor: Actor) -> None:
        """Nothing is held back."""

    async def contest(self, question_id: str, *, user_id: str, reason: str | None) -> Contest:
        raise NotFound("question", question_id)

    async def find_contest(self, question_id: str, *, user_id: str) -> Contest:
        raise NotFound("contest", question_id)

    async def save_contest_solution(self, solution: Solution, *, actor: Actor) -> None:
        raise NotFound("contest", solution.question_id)

    async def settle_contest(self, question_id: str, *, actor: Actor) -> None:
        raise NotFound("contest", question_id)
