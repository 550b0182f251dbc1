"""Tools that adapt a path. Each checks its evidence and its limits, and is one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.adaptation.change_inputs import known_titles, mend_reason, refuse_removed_before
from sprout.agents.adaptation.observation_tools import ConceptContext
from sprout.agents.agent import Team
from sprout.agents.closing import ClosingWords, close_review, closing_words
from sprout.agents.graph_edits import Desc, SourceTitle, TargetTitle, Title, edge_result, load_graph
from sprout.clock import utc_now
from sprout.errors import InvalidGraphEdit, NoChangeNeeded
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import MAX_TITLE, ConceptGraph, Edit
from sprout.learning.mastery.adaptation import AnsweredQuestion
from sprout.learning.mastery.adaptation_rules import (
    MAX_ADDED,
    MAX_CHANGES,
    MIN_EVIDENCE,
    blank_evidence,
    bridge_edit,
    changes_of_run,
    check_addition,
    check_limits,
    check_removal,
    check_repair_limit,
    cite,
    faults,
    new_faults,
    require_all_right,
    require_gap,
)
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

MAX_CITED = 20

Operation = Callable[[ConceptGraph], Edit]

Titles = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]] | None,
    Field(max_length=12, description="titles of subconcepts that are there"),
]
Reason = Annotated[
    str, Field(min_length=1, max_length=600, description="to the learner, at most 30 words: evidence, then purpose")
]
Evidence = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=100)]],
    Field(max_length=MAX_CITED, description="`evidence` ids of at least two items that show it"),
]
SubconceptTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="of a subconcept that is there")]
Anchor = Annotated[
    str | None, Field(max_length=MAX_TITLE, description="the concept that it comes after; this one if left out")
]


class UndoOutcome(StrEnum):
    """Outcome of undoing a run's changes at its end."""

    NOT_NEEDED = "not_needed"
    UNDONE = "undone"
    REFUSED = "refused"  # the learner has built on them since


@dataclass(slots=True)
class ChangeTools:
    """Changes that one run may make to a concept and to the path around it.

    Args:
        node: subject of the run: the concept, or one of its subconcepts.
        extends_path: additions need right answers, rather than answers that show a gap.
        max_changes: additions and removals by this run.
        max_added: additions by all runs that have not been undone; None for no limit beside the run's.
    """

    context: ConceptContext
    node: NodeRow
    extends_path: bool = False
    max_changes: int = MAX_CHANGES
    max_added: int | None = MAX_ADDED

    def add_subconcept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_subconcept(
            title: Title,
            desc: Desc,
            reason: Reason,
            evidence: Evidence,
            call: ToolUse,
            depends_on: Titles = None,
            unlocks: Titles = None,
        ) -> dict[str, JsonValue]:
            """Add a subconcept after those that it depends on and before those that it unlocks."""
            graph = await self.context.subconcepts()
            after, before = known_titles(graph, unlocks or []), known_titles(graph, depends_on or [])
            before = before or ([] if after else self.default_prerequisites(graph))
            used = await self.resolve_evidence(evidence, is_entry=not before)
            await self.refuse_addition(graph, title, [graph.node_by_title(one).id for one in after])
            why = mend_reason(reason)

            def operation(current: ConceptGraph) -> Edit:
                return bridge_edit(current, title, desc, before, after, utc_now(), reason=why)

            return await self.add(self.context.concept.id, operation, why, used, call)

        return add_subconcept

    def remove_subconcept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def remove_subconcept(
            title: SubconceptTitle, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Take out a subconcept that the learner has shown not to need; what it joined stays joined."""
            graph, changes = await self.context.subconcepts(), await self.limiting_changes()
            refuse_removed_before(graph, title, changes_of_run(changes, self.run_id))
            node, why = graph.node_by_title(title), mend_reason(reason)
            used = await self.cite_usable(evidence)
            check_limits(changes, self.run_id, adds=False, open_count=0, max_changes=self.max_changes)
            known = await self.context.adaptations.child_progress(
                self.context.concept.id, user_id=self.context.job.user_id
            )
            check_removal(graph, node, used, known, [*changes])
            await self.context.graphs.edit_graph(
                self.context.concept.id,
                lambda current: current.remove(node.id, reason=why),
                actor=self.context.job.actor(call.id),
                reason=why,
                evidence=_answer_ids(used),
            )
            return {"removed": True, "title": node.title}

        return remove_subconcept

    def add_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, reason: Reason, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two subconcepts, to mend what validate_graph found."""
            why = mend_reason(reason)
            return await self.repair(lambda graph: graph.connect_titles(source_title, target_title, reason=why), call)

        return add_subconcept_edge

    def remove_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def remove_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, reason: Reason, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Take out an edge between two subconcepts, to mend what validate_graph found."""
            why = mend_reason(reason)
            return await self.repair(partial(_disconnect, source=source_title, target=target_title, why=why), call)

        return remove_subconcept_edge

    def add_prerequisite_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_prerequisite_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Add a concept before this one, where its very entries fail and no concept of the path covers the gap."""
            used, why = await self.resolve_evidence(evidence), mend_reason(reason)
            path = await self.context.path()
            await self.refuse_addition(path, title, [self.context.concept.id])

            def operation(graph: ConceptGraph) -> Edit:
                return graph.insert_before(self.context.concept.id, title, desc, utc_now(), reason=why)

            return await self.add(self.context.root_id, operation, why, used, call)

        return add_prerequisite_concept

    def add_followup_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_followup_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Add a concept after this one, for a learner who solved all of it without help."""
            return await self.insert_concept_after(self.context.concept.title, title, desc, reason, evidence, call)

        return add_followup_concept

    def add_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse, insert_after: Anchor = None
        ) -> dict[str, JsonValue]:
            """Add a concept to the path, after another one; what built on that one builds on the new one then."""
            anchor = insert_after or self.context.concept.title
            return await self.insert_concept_after(anchor, title, desc, reason, evidence, call)

        return add_concept

    def validate_graph(self) -> Tool:
        @tool()
        async def validate_graph() -> dict[str, JsonValue]:
            """Check the subconcepts and their edges for circles, nodes without a way to them, needless edges."""
            graph = await self.context.subconcepts()
            report = graph.validate()
            issues = [*faults(graph).values()]
            titles = {node.id: node.title for node in graph.nodes}
            return {
                "valid": not issues,
                "issues": [*issues],
                "orphanNodes": [titles[one] for one in report.orphans],
                "unreachableNodes": [titles[one] for one in report.unreachable],
                "totalNodes": len(graph.nodes),
                "totalEdges": len(graph.edges),
                "rootNodes": [node.title for node in graph.nodes if not graph.prerequisites(node.id)],
            }

        return validate_graph

    @property
    def run_id(self) -> str:
        return self.context.job.run_id

    def default_prerequisites(self, graph: ConceptGraph) -> list[str]:
        """Prerequisites of an addition that names no place: in a review, the subject of the run."""
        return [self.node.title] if self.extends_path and graph.has_title(self.node.title) else []

    async def resolve_evidence(self, answer_ids: Sequence[str], *, is_entry: bool = False) -> list[AnsweredQuestion]:
        """The answers that justify an addition. Raises InvalidGraphEdit."""
        items, changes = await self.context.answers(), await self.all_changes()
        if self.extends_path:
            used = await self.cite_usable(answer_ids)
            require_all_right(used)
            return used
        blank = blank_evidence(items, answer_ids, changes, is_entry=is_entry)
        if blank is not None:
            return blank
        used = await self.cite_usable(answer_ids)
        require_gap(used, items)
        return used

    async def cite_usable(self, answer_ids: Sequence[str]) -> list[AnsweredQuestion]:
        """The cited answers that are evidence, where enough of them are; raises InvalidGraphEdit as `cite` does."""
        items = await self.context.answers()
        usable = {item.answer_id for item in items if item.unusable_reason is None}
        kept = [one for one in dict.fromkeys(answer_ids) if one in usable]
        return cite(items, kept if len(kept) >= MIN_EVIDENCE else answer_ids, await self.all_changes())

    async def insert_concept_after(
        self, anchor: str, title: str, desc: str, reason: str, evidence: Sequence[str], call: ToolUse
    ) -> dict[str, JsonValue]:
        used, why = await self.cite_usable(evidence), mend_reason(reason)
        require_all_right(used)
        path = await self.context.path()
        after = self._end_of_chain(
            path, path.node_by_title(anchor).id, await self.context.changes(self.context.root_id)
        )
        await self.refuse_addition(path, title, [])

        def operation(graph: ConceptGraph) -> Edit:
            return graph.insert_after(after, title, desc, utc_now(), reason=why)

        return await self.add(self.context.root_id, operation, why, used, call)

    async def refuse_addition(self, graph: ConceptGraph, title: str, before: Sequence[str]) -> None:
        """Raises NoChangeNeeded: there is enough, or this is there already. InvalidGraphEdit: this may not be added."""
        changes = await self.context.changes(graph.parent.id)
        known = await self.context.adaptations.child_progress(graph.parent.id, user_id=self.context.job.user_id)
        check_addition(graph, title, before, changes)
        check_limits(
            await self.limiting_changes(),
            self.run_id,
            adds=True,
            open_count=sum(node.id not in known or not known[node.id].learned for node in graph.nodes),
            max_changes=self.max_changes,
            max_added=self.max_added,
        )

    async def limiting_changes(self) -> list[Change]:
        """Changes that count against the limits: all changes of the concept, and this run's changes around it."""
        around = await self.context.changes(self.context.root_id)
        mine = [one for one in around if one.run_id == self.run_id]
        return [*await self.context.changes(self.context.concept.id), *mine]

    async def all_changes(self) -> list[Change]:
        """All changes that may have used an answer as evidence."""
        return [*await self.context.changes(self.context.concept.id), *await self.context.changes(self.context.root_id)]

    async def add(
        self, parent_id: str, operation: Operation, why: str, used: Sequence[AnsweredQuestion], call: ToolUse
    ) -> dict[str, JsonValue]:
        edit = await self.context.graphs.edit_graph(
            parent_id, operation, actor=self.context.job.actor(call.id), reason=why, evidence=_answer_ids(used)
        )
        assert edit.node is not None
        return {"saved": True, "nodeId": edit.node.id, "title": edit.node.title}

    async def repair(self, operation: Operation, call: ToolUse) -> dict[str, JsonValue]:
        check_repair_limit(await self.limiting_changes(), self.run_id)
        edit = await self.context.graphs.edit_graph(
            self.context.concept.id, operation, actor=self.context.job.actor(call.id)
        )
        return edge_result(edit)

    async def faults(self) -> dict[str, list[str]]:
        """Faults that this run's changes caused, by the id of the graph's parent; a sound graph is left out."""
        found: dict[str, list[str]] = {}
        for parent_id in (self.context.concept.id, self.context.root_id):
            mine = changes_of_run(await self.context.changes(parent_id), self.run_id)
            graph = await load_graph(self.context.graphs, parent_id, user_id=self.context.job.user_id)
            if mine and (caused := new_faults(graph, mine)):
                found[parent_id] = caused
        return found

    async def fault_sentences(self) -> list[str]:
        """The faults of all graphs."""
        return [sentence for sentences in (await self.faults()).values() for sentence in sentences]

    async def own_changes(self) -> list[Change]:
        """This run's changes that have not been undone."""
        return [
            one
            for parent_id in (self.context.concept.id, self.context.root_id)
            for one in changes_of_run(await self.context.changes(parent_id), self.run_id)
        ]

    async def start_subconcepts(self, team: Team) -> None:
        """Start a subconcept run for each concept that this run added."""
        for change in await self.own_changes():
            for node in change.after.nodes:
                if node.type == "concept" and node.id in change.added:
                    await team.start("subconcept", node_id=node.id, label=f"subconcept_bootstrap:{node.title}")

    async def finish(
        self, result: TurnResult, team: Team, *, rationales: Mapping[UndoOutcome, ClosingWords]
    ) -> ClosingWords:
        """Undo broken changes and start work on added concepts; the run's rationale.

        Args:
            rationales: texts that replace the model's closing words after an undo.
        """
        outcome = await self.undo_broken()
        await self.start_subconcepts(team)
        return rationales.get(outcome) or ClosingWords(closing_words(result, close_review, "message"))

    async def undo_broken(self) -> UndoOutcome:
        """Undo this run's changes of each graph that they would leave with a fault."""
        undone = 0
        try:
            for parent_id in await self.faults():
                undone += await self.context.adaptations.undo_run(parent_id, actor=self.context.job.actor())
        except InvalidGraphEdit:
            return UndoOutcome.REFUSED
        return UndoOutcome.UNDONE if undone else UndoOutcome.NOT_NEEDED

    def _end_of_chain(self, path: ConceptGraph, anchor_id: str, changes: Sequence[Change]) -> str:
        """The last of the concepts that this run has already added after one another behind a concept."""
        mine = {node_id for one in changes_of_run(changes, self.run_id) for node_id in one.added}
        while following := [one for one in path.dependents(anchor_id) if one in mine]:
            anchor_id = following[0]
        return anchor_id


def _disconnect(graph: ConceptGraph, *, source: str, target: str, why: str) -> Edit:
    edit = graph.disconnect(graph.node_by_title(source).id, graph.node_by_title(target).id, reason=why)
    if not edit.events:
        raise NoChangeNeeded(f"There is no edge '{source}' → '{target}'.")
    return edit


def _answer_ids(items: Sequence[AnsweredQuestion]) -> list[str]:
    return [item.answer_id for item in items]
