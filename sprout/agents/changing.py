"""The tools by which a path is adapted: each checks its evidence and its limits, and is one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field, JsonValue

from sprout.agents.agent import Team
from sprout.agents.observing import Ground
from sprout.agents.saving import Desc, SourceTitle, TargetTitle, Title, graph_under
from sprout.clock import utc_now
from sprout.errors import GraphRefused
from sprout.events import NodeRow
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import MAX_TITLE, ConceptGraph, Edit
from sprout.learning.mastery.adapting import (
    MOST_ADDED,
    MOST_CHANGES,
    bridged,
    checked_reason,
    cited,
    easier_entry,
    faults,
    new_faults,
    of_run,
    refuse_addition,
    refuse_more_repairs,
    refuse_no_door,
    refuse_no_gap,
    refuse_removal,
    refuse_too_much,
)
from sprout.learning.mastery.refining import Item
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Tool, tool

MOST_CITED = 20

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
    Field(max_length=MOST_CITED, description="`evidence` ids of at least two items that show it"),
]
SubconceptTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE, description="of a subconcept that is there")]
Anchor = Annotated[
    str | None, Field(max_length=MAX_TITLE, description="the concept that it comes after; this one if left out")
]


@dataclass(slots=True)
class Changing:
    """What one run may change of a concept and of the path around it.

    Args:
        node: what the run is about: the concept, or one of its subconcepts.
        opens_doors: whether additions need answers that were right, rather than answers that show a gap.
        most_added: by all runs, as long as it stands; None for no limit beside the run's.
    """

    ground: Ground
    node: NodeRow
    opens_doors: bool = False
    most_changes: int = MOST_CHANGES
    most_added: int | None = MOST_ADDED

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
            graph = await self.ground.parts()
            after = unlocks or []
            before = depends_on or ([] if after else self.usual_place(graph))
            used = await self.evidence_of(evidence, is_entry=not before)
            await self.refuse(graph, title, [graph.titled(one).id for one in after])
            why = checked_reason(reason)

            def operation(now_there: ConceptGraph) -> Edit:
                return bridged(now_there, title, desc, before, after, utc_now(), reason=why)

            return await self.added(self.ground.concept.id, operation, why, used, call)

        return add_subconcept

    def remove_subconcept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def remove_subconcept(
            title: SubconceptTitle, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Take out a subconcept that the learner has shown not to need; what it joined stays joined."""
            graph, changes = await self.ground.parts(), await self.scope()
            node, why = graph.titled(title), checked_reason(reason)
            used = cited(await self.ground.items(), evidence, await self.everything())
            refuse_too_much(changes, self.job_run, adds=False, open_count=0, most_changes=self.most_changes)
            known = await self.ground.refining.known(self.ground.concept.id, user_id=self.ground.job.user_id)
            refuse_removal(graph, node, used, known, [*changes])
            await self.ground.shelf.edit_graph(
                self.ground.concept.id,
                lambda now_there: now_there.remove(node.id, reason=why),
                actor=self.ground.job.actor(call.id),
                reason=why,
                evidence=_ids(used),
            )
            return {"removed": True, "title": node.title}

        return remove_subconcept

    def add_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, reason: Reason, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two subconcepts, to mend what validate_graph found."""
            why = checked_reason(reason)
            return await self.mended(lambda graph: graph.connect_titles(source_title, target_title, reason=why), call)

        return add_subconcept_edge

    def remove_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def remove_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, reason: Reason, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Take out an edge between two subconcepts, to mend what validate_graph found."""
            why = checked_reason(reason)
            return await self.mended(partial(_disconnected, source=source_title, target=target_title, why=why), call)

        return remove_subconcept_edge

    def add_prerequisite_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_prerequisite_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Add a concept before this one, where its very entries fail and no concept of the path covers the gap."""
            used, why = await self.evidence_of(evidence), checked_reason(reason)
            path = await self.ground.path()
            await self.refuse(path, title, [self.ground.concept.id])

            def operation(graph: ConceptGraph) -> Edit:
                return graph.insert_before(self.ground.concept.id, title, desc, utc_now(), reason=why)

            return await self.added(self.ground.root_id, operation, why, used, call)

        return add_prerequisite_concept

    def add_followup_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_followup_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Add a concept after this one, for a learner who solved all of it without help."""
            return await self.concept_after(self.ground.concept.title, title, desc, reason, evidence, call)

        return add_followup_concept

    def add_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def add_concept(
            title: Title, desc: Desc, reason: Reason, evidence: Evidence, call: ToolUse, insert_after: Anchor = None
        ) -> dict[str, JsonValue]:
            """Add a concept to the path, after another one; what built on that one builds on the new one then."""
            anchor = insert_after or self.ground.concept.title
            return await self.concept_after(anchor, title, desc, reason, evidence, call)

        return add_concept

    def validate_graph(self) -> Tool:
        @tool()
        async def validate_graph() -> dict[str, JsonValue]:
            """Check the subconcepts and their edges for circles, nodes without a way to them, needless edges."""
            graph = await self.ground.parts()
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
    def job_run(self) -> str:
        return self.ground.job.run_id

    def usual_place(self, graph: ConceptGraph) -> list[str]:
        """What an addition rests on that says nothing of its place: in a review the node that it is about."""
        return [self.node.title] if self.opens_doors and graph.has(self.node.title) else []

    async def evidence_of(self, answer_ids: Sequence[str], *, is_entry: bool = False) -> list[Item]:
        """The answers by which something is added. Raises GraphRefused."""
        items, changes = await self.ground.items(), await self.everything()
        if self.opens_doors:
            used = cited(items, answer_ids, changes)
            refuse_no_door(used)
            return used
        blank = easier_entry(items, answer_ids, changes, is_entry=is_entry)
        if blank is not None:
            return blank
        used = cited(items, answer_ids, changes)
        refuse_no_gap(used, items)
        return used

    async def concept_after(
        self, anchor: str, title: str, desc: str, reason: str, evidence: Sequence[str], call: ToolUse
    ) -> dict[str, JsonValue]:
        used, why = cited(await self.ground.items(), evidence, await self.everything()), checked_reason(reason)
        refuse_no_door(used)
        path = await self.ground.path()
        after = self._end_of_chain(path, path.titled(anchor).id, await self.ground.changes(self.ground.root_id))
        await self.refuse(path, title, [])

        def operation(graph: ConceptGraph) -> Edit:
            return graph.insert_after(after, title, desc, utc_now(), reason=why)

        return await self.added(self.ground.root_id, operation, why, used, call)

    async def refuse(self, graph: ConceptGraph, title: str, before: Sequence[str]) -> None:
        """Raises GraphRefused where nothing more is to be added to this graph, or not this."""
        changes = await self.ground.changes(graph.parent.id)
        known = await self.ground.refining.known(graph.parent.id, user_id=self.ground.job.user_id)
        refuse_addition(graph, title, before, changes)
        refuse_too_much(
            await self.scope(),
            self.job_run,
            adds=True,
            open_count=sum(node.id not in known or not known[node.id].mastered for node in graph.nodes),
            most_changes=self.most_changes,
            most_added=self.most_added,
        )

    async def scope(self) -> list[Change]:
        """The changes that count against the limits: all of the concept, and those of this run around it."""
        around = await self.ground.changes(self.ground.root_id)
        mine = [one for one in around if one.run_id == self.job_run]
        return [*await self.ground.changes(self.ground.concept.id), *mine]

    async def everything(self) -> list[Change]:
        """All changes by which an answer may have been used up."""
        return [*await self.ground.changes(self.ground.concept.id), *await self.ground.changes(self.ground.root_id)]

    async def added(
        self, parent_id: str, operation: Operation, why: str, used: Sequence[Item], call: ToolUse
    ) -> dict[str, JsonValue]:
        edit = await self.ground.shelf.edit_graph(
            parent_id, operation, actor=self.ground.job.actor(call.id), reason=why, evidence=_ids(used)
        )
        assert edit.node is not None
        return {"saved": True, "nodeId": edit.node.id, "title": edit.node.title}

    async def mended(self, operation: Operation, call: ToolUse) -> dict[str, JsonValue]:
        refuse_more_repairs(await self.scope(), self.job_run)
        edit = await self.ground.shelf.edit_graph(
            self.ground.concept.id, operation, actor=self.ground.job.actor(call.id)
        )
        return {"saved": True} if edit.events else {"saved": True, "existed": True}

    async def faults(self) -> dict[str, list[str]]:
        """By the id of the parent, what is wrong with a graph by what this run has changed."""
        found: dict[str, list[str]] = {}
        for parent_id in (self.ground.concept.id, self.ground.root_id):
            mine = of_run(await self.ground.changes(parent_id), self.job_run)
            graph = await graph_under(self.ground.shelf, parent_id, user_id=self.ground.job.user_id)
            if mine and (said := new_faults(graph, mine)):
                found[parent_id] = said
        return found

    async def made(self) -> list[Change]:
        """What this run has changed, as far as it stands."""
        return [
            one
            for parent_id in (self.ground.concept.id, self.ground.root_id)
            for one in of_run(await self.ground.changes(parent_id), self.job_run)
        ]

    async def hand_on(self, team: Team) -> None:
        """Have the parts of each concept that this run has added worked out."""
        for change in await self.made():
            for node in change.after.nodes:
                if node.type == "concept" and node.id in change.added:
                    await team.start("subconcept", node_id=node.id, label=f"subconcept_bootstrap:{node.title}")

    async def take_back(self) -> bool:
        """Take back what this run did to a graph that it would leave broken; whether anything was."""
        taken = 0
        for parent_id in await self.faults():
            taken += await self.ground.refining.take_back(parent_id, actor=self.ground.job.actor())
        return taken > 0

    def _end_of_chain(self, path: ConceptGraph, anchor_id: str, changes: Sequence[Change]) -> str:
        """The last of those that this run has already put after a concept."""
        mine = {node_id for one in of_run(changes, self.job_run) for node_id in one.added}
        while following := [one for one in path.dependents(anchor_id) if one in mine]:
            anchor_id = following[0]
        return anchor_id


def _disconnected(graph: ConceptGraph, *, source: str, target: str, why: str) -> Edit:
    edit = graph.disconnect(graph.titled(source).id, graph.titled(target).id, reason=why)
    if not edit.events:
        raise GraphRefused(f"There is no edge '{source}' → '{target}'.")
    return edit


def _ids(items: Sequence[Item]) -> list[str]:
    return [item.answer_id for item in items]
