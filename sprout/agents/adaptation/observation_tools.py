"""Observation tools: a learner's answers, the state of a graph for them, their history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.agents.agent import Job
from sprout.agents.graph_edits import load_graph
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.graph.node_states import node_states
from sprout.learning.graph.traversal import reachable
from sprout.learning.mastery.adaptation import AdaptationRepository, AnsweredQuestion
from sprout.learning.mastery.adaptation_rules import closing_nodes, undone_by_learner
from sprout.learning.misconceptions.repository import HeldBelief
from sprout.learning.paths.graph_repository import GraphRepository
from sprout.loop.tools import Tool, tool

STRENGTH_FROM = 0.7  # mean score of a part
MAX_STRENGTHS, MAX_GAPS = 8, 10
ADVANCED_FROM, INTERMEDIATE_FROM = 0.8, 0.5
NO_ANSWERS = "Nothing has been answered here yet."


@dataclass(frozen=True, slots=True)
class ConceptContext:
    """A concept of a learner's path, with its answers and changes."""

    graphs: GraphRepository
    adaptations: AdaptationRepository
    job: Job
    concept: NodeRow
    root_id: str

    async def subconcepts(self) -> ConceptGraph:
        """The subconcepts."""
        return await load_graph(self.graphs, self.concept.id, user_id=self.job.user_id)

    async def path(self) -> ConceptGraph:
        """The concepts of the topic."""
        return await load_graph(self.graphs, self.root_id, user_id=self.job.user_id)

    async def answers(self) -> Sequence[AnsweredQuestion]:
        return await self.adaptations.answers(self.concept.id, user_id=self.job.user_id)

    async def held_beliefs(self) -> Sequence[HeldBelief]:
        return await self.adaptations.held_beliefs(self.concept.id, user_id=self.job.user_id)

    async def changes(self, parent_id: str) -> Sequence[Change]:
        return await self.adaptations.changes(parent_id, user_id=self.job.user_id)

    async def answers_result(self, items: Sequence[AnsweredQuestion]) -> dict[str, JsonValue]:
        """The answers as an agent may see them: without the keys, and without how they are marked."""
        if not items:
            return {"gradedCount": 0, "message": NO_ANSWERS}
        titles = {node.id: node.title for node in (await self.subconcepts()).nodes}
        scores = [item.score for item in items if item.score is not None]
        means = _mean_scores(items, titles)
        gaps = [title for title, mean in means if mean < STRENGTH_FROM]
        believed = {titles.get(node_id) for item in items if item.surely_wrong for node_id in item.tests}
        return {
            "gradedCount": len(scores),
            "overallScore": round(sum(scores) / len(scores), 3) if scores else None,
            "strengths": [*[title for title, mean in means if mean >= STRENGTH_FROM][:MAX_STRENGTHS]],
            "gaps": [*sorted(gaps, key=lambda title: title not in believed)[:MAX_GAPS]],
            "heldMisconceptions": [_held_result(one) for one in await self.held_beliefs()],
            "items": [_answer_result(item, titles) for item in items],
        }

    def get_current_subconcepts(self) -> Tool:
        @tool()
        async def get_current_subconcepts() -> dict[str, JsonValue]:
            """The subconcepts with what builds on what, and how the learner stands with each."""
            graph = await self.subconcepts()
            known = await self.adaptations.child_progress(self.concept.id, user_id=self.job.user_id)
            pairs = [(edge.source_node_id, edge.target_node_id) for edge in graph.edges]
            learned = {node_id for node_id, one in known.items() if one.learned}
            mastered = {node_id for node_id, one in known.items() if one.mastered}
            started = {node_id for node_id, one in known.items() if one.started}
            ids = [node.id for node in graph.nodes]
            states = node_states(ids, pairs, learned=learned, mastered=mastered, started=started)
            last, titles = closing_nodes(graph), {node.id: node.title for node in graph.nodes}
            listed: list[JsonValue] = [
                {
                    "title": node.title,
                    "desc": node.desc,
                    "state": states[node.id].value,
                    "mastery": round(known[node.id].mastery, 2) if node.id in known else 0.0,
                    "begun": node.id in started,
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
            history = await self.adaptations.history(user_id=self.job.user_id)
            both = [*await self.changes(self.concept.id), *await self.changes(self.root_id)]
            undone: list[JsonValue] = [one.summary for one in undone_by_learner(both)]
            done = [one for one in history if one.learned]
            if not history:
                return {"completedConcepts": [], "overallLevel": "new student", "takenBack": undone}
            average = sum(one.mastery for one in history) / len(history)
            return {
                "completedConcepts": [{"title": one.title, "masteryScore": round(one.mastery, 2)} for one in done],
                "overallLevel": _level(average, any_done=bool(done)),
                "averageMastery": round(average, 3),
                "totalTrackedNodes": len(history),
                "totalCompleted": len(done),
                "takenBack": undone,
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


def _answer_result(item: AnsweredQuestion, titles: dict[str, str]) -> dict[str, JsonValue]:
    return {
        "evidence": item.answer_id,
        "prompt": item.prompt,
        "tests": [titles[node_id] for node_id in item.tests if node_id in titles],
        "choice": item.choice,
        "difficulty": item.difficulty,
        "correct": None if item.score is None else item.right,
        "score": item.score,
        "sure": item.sure,
        "feedback": item.feedback,
        "misconceptions": [*item.misconceptions],
        "blank": item.blank,
        "usable": item.usable,
        "whyNot": item.unusable_reason,
    }


def _held_result(belief: HeldBelief) -> dict[str, JsonValue]:
    return {
        "id": belief.id,
        "misconception": belief.statement,
        "contrast": belief.contrast,
        "about": [*belief.titles],
        "sure": belief.sure,
    }


def _mean_scores(items: Iterable[AnsweredQuestion], titles: dict[str, str]) -> list[tuple[str, float]]:
    """The mean score of each tested subconcept, in the order of the subconcepts."""
    scores: dict[str, list[float]] = {node_id: [] for node_id in titles}
    for item in items:
        for node_id in item.tests:
            if item.score is not None and node_id in scores:
                scores[node_id].append(item.score)
    return [(titles[node_id], sum(found) / len(found)) for node_id, found in scores.items() if found]


def _level(average: float, *, any_done: bool) -> str:
    if average >= ADVANCED_FROM:
        return "advanced"
    if average >= INTERMEDIATE_FROM:
        return "intermediate"
    return "beginner" if any_done else "new student"
