"""What the agents that adapt a path look at: the learner's answers, the graph as it stands for them, their history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.agents.agent import Job
from sprout.agents.saving import graph_under
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.graph.standing import standings
from sprout.learning.graph.walks import reachable
from sprout.learning.mastery.adapting import closing, taken_back_by_learner
from sprout.learning.mastery.refining import RIGHT, Item, Refining
from sprout.learning.paths.shelf import Shelf
from sprout.loop.tools import Tool, tool

STRENGTHS_TOLD, GAPS_TOLD = 8, 10
ADVANCED, INTERMEDIATE = 0.8, 0.5
NO_ANSWERS = "Nothing has been answered here yet."


@dataclass(frozen=True, slots=True)
class Ground:
    """A concept of a learner's path, and what is known of it."""

    shelf: Shelf
    refining: Refining
    job: Job
    concept: NodeRow
    root_id: str

    async def parts(self) -> ConceptGraph:
        """The subconcepts."""
        return await graph_under(self.shelf, self.concept.id, user_id=self.job.user_id)

    async def path(self) -> ConceptGraph:
        """The concepts of the topic."""
        return await graph_under(self.shelf, self.root_id, user_id=self.job.user_id)

    async def items(self) -> Sequence[Item]:
        return await self.refining.items(self.concept.id, user_id=self.job.user_id)

    async def changes(self, parent_id: str) -> Sequence[Change]:
        return await self.refining.changes(parent_id, user_id=self.job.user_id)

    async def told_answers(self, items: Sequence[Item]) -> dict[str, JsonValue]:
        """The answers as an agent may see them: never what is right, nor how it is marked."""
        if not items:
            return {"gradedCount": 0, "message": NO_ANSWERS}
        titles = {node.id: node.title for node in (await self.parts()).nodes}
        scores = [item.score for item in items if item.score is not None]
        means = _means(items, titles)
        return {
            "gradedCount": len(scores),
            "overallScore": round(sum(scores) / len(scores), 3) if scores else None,
            "strengths": [*[title for title, mean in means if mean >= RIGHT][:STRENGTHS_TOLD]],
            "gaps": [*[title for title, mean in means if mean < RIGHT][:GAPS_TOLD]],
            "items": [_told(item, titles) for item in items],
        }

    def get_current_subconcepts(self) -> Tool:
        @tool()
        async def get_current_subconcepts() -> dict[str, JsonValue]:
            """The subconcepts with what builds on what, and how the learner stands with each."""
            graph = await self.parts()
            known = await self.refining.known(self.concept.id, user_id=self.job.user_id)
            pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
            mastered = {node_id for node_id, one in known.items() if one.mastered}
            begun = {node_id for node_id, one in known.items() if one.started}
            states = standings([node.id for node in graph.nodes], pairs, mastered=mastered, started=begun)
            last, titles = closing(graph), {node.id: node.title for node in graph.nodes}
            listed: list[JsonValue] = [
                {
                    "title": node.title,
                    "desc": node.desc,
                    "state": states[node.id].value,
                    "mastery": round(known[node.id].mastery, 2) if node.id in known else 0.0,
                    "begun": node.id in begun,
                    "closing": node.id in last,
                }
                for node in graph.nodes
            ]
            edges: list[JsonValue] = [{"source": titles[one], "target": titles[other]} for one, other in pairs]
            return {"count": len(listed), "subconcepts": listed, "edges": edges}

        return get_current_subconcepts

    def check_student_history(self) -> Tool:
        @tool()
        async def check_student_history() -> dict[str, JsonValue]:
            """What the learner has worked on so far in all paths, and which changes here they have taken back."""
            learned = await self.refining.history(user_id=self.job.user_id)
            both = [*await self.changes(self.concept.id), *await self.changes(self.root_id)]
            taken_back: list[JsonValue] = [one.in_words for one in taken_back_by_learner(both)]
            done = [one for one in learned if one.mastered]
            if not learned:
                return {"completedConcepts": [], "overallLevel": "new student", "takenBack": taken_back}
            average = sum(one.mastery for one in learned) / len(learned)
            return {
                "completedConcepts": [{"title": one.title, "masteryScore": round(one.mastery, 2)} for one in done],
                "overallLevel": _level(average, any_done=bool(done)),
                "averageMastery": round(average, 3),
                "totalTrackedNodes": len(learned),
                "totalCompleted": len(done),
                "takenBack": taken_back,
            }

        return check_student_history

    def get_future_concepts(self) -> Tool:
        @tool()
        async def get_future_concepts() -> dict[str, JsonValue]:
            """The concepts of the path that build on this one, and all others, by title."""
            graph = await self.path()
            pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
            later = reachable(pairs, [self.concept.id]) - {self.concept.id}
            others = [node.title for node in graph.nodes if node.id not in later and node.id != self.concept.id]
            return {
                "futureConcepts": [node.title for node in graph.nodes if node.id in later],
                "otherConcepts": [*others],
            }

        return get_future_concepts


def _told(item: Item, titles: dict[str, str]) -> dict[str, JsonValue]:
    return {
        "evidence": item.answer_id,
        "prompt": item.prompt,
        "tests": [titles[node_id] for node_id in item.tests if node_id in titles],
        "choice": item.choice,
        "difficulty": item.difficulty,
        "correct": None if item.score is None else item.right,
        "score": item.score,
        "feedback": item.feedback,
        "misconceptions": [*item.misconceptions],
        "blank": item.blank,
        "usable": item.usable,
        "whyNot": item.why_not,
    }


def _means(items: Iterable[Item], titles: dict[str, str]) -> list[tuple[str, float]]:
    """The mean score at each subconcept that was tested, in the order of the subconcepts."""
    scores: dict[str, list[float]] = {node_id: [] for node_id in titles}
    for item in items:
        for node_id in item.tests:
            if item.score is not None and node_id in scores:
                scores[node_id].append(item.score)
    return [(titles[node_id], sum(found) / len(found)) for node_id, found in scores.items() if found]


def _level(average: float, *, any_done: bool) -> str:
    if average >= ADVANCED:
        return "advanced"
    if average >= INTERMEDIATE:
        return "intermediate"
    return "beginner" if any_done else "new student"
