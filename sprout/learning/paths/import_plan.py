"""Import plan: the rows of a path file, checked as a whole by the rules of graph and questions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sprout.errors import InvalidGraphEdit, InvalidQuestion
from sprout.events import EdgeEnds, NodeRow, wire_time
from sprout.ids import new_id
from sprout.learning.graph.graph import ConceptGraph, title_key
from sprout.learning.misconceptions.beliefs import Belief, belief_id, is_belief_id, rename_beliefs
from sprout.learning.paths.path_file import (
    BeliefItem,
    ConceptItem,
    EdgeItem,
    InvalidPath,
    PathFile,
    SubconceptItem,
    to_draft,
)
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import QuestionDraft, prompt_key
from sprout.learning.text.normalization import one_line, tidy


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    concept_id: str
    draft: QuestionDraft


@dataclass(frozen=True, slots=True)
class PlannedPath:
    """Rows that are ready to be written, each group in the order of the file; `nodes` holds parents before children.

    `title` is the branch's.
    """

    title: str
    root: NodeRow
    nodes: tuple[NodeRow, ...]
    edges: tuple[EdgeEnds, ...]
    questions: tuple[PlannedQuestion, ...]
    beliefs: tuple[Belief, ...] = ()


def plan_import(path: PathFile, *, user_id: str, branch_id: str, now: datetime) -> PlannedPath:
    """The rows of a path under new ids, all for one owner and branch.

    Raises InvalidPath, which names every item that breaks a rule; then nothing of the path is to be written.
    """
    root = _root(path, user_id, branch_id, now)
    planting = _ImportPlanner(now)
    planting.plan_beliefs(path.misconceptions)
    for place, title in (("title", path.title), ("topic.title", path.topic.title)):
        if not title_key(title):
            planting.faults.append(f"{place}: it is empty")
    concepts = planting.plan_siblings(root, path.concepts, path.edges, at="")
    for position, concept in enumerate(path.concepts):
        parent = concepts.by_position.get(position)
        if parent is not None:
            planting.plan_concept(parent, concept, at=f"concepts.{position}.")
    if planting.faults:
        raise InvalidPath(planting.faults)
    return PlannedPath(
        one_line(path.title),
        root,
        tuple(planting.nodes),
        tuple(planting.edges),
        tuple(planting.questions),
        tuple({belief.id: belief for belief in planting.beliefs.values()}.values()),
    )


@dataclass(frozen=True, slots=True)
class _Siblings:
    """Planned nodes under one parent, by their position in the file, and by key or folded title."""

    by_position: dict[int, NodeRow]
    by_name: dict[str, NodeRow]

    def find(self, name: str) -> NodeRow | None:
        return self.by_name.get(name) or self.by_name.get(title_key(name))


@dataclass(slots=True)
class _ImportPlanner:
    now: datetime
    nodes: list[NodeRow] = field(default_factory=list)
    edges: list[EdgeEnds] = field(default_factory=list)
    questions: list[PlannedQuestion] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    beliefs: dict[str, Belief] = field(default_factory=dict)

    def plan_beliefs(self, items: Sequence[BeliefItem]) -> None:
        """The misconceptions that the path names, by key."""
        for position, item in enumerate(items):
            statement = tidy(item.statement)
            if not statement:
                self.faults.append(f"misconceptions.{position}.statement: it is empty")
            elif item.key in self.beliefs:
                self.faults.append(f"misconceptions.{position}.key: '{item.key}' stands here twice")
            else:
                self.beliefs[item.key] = Belief(belief_id(statement), statement, tidy(item.contrast or "") or None)

    def plan_siblings(
        self, parent: NodeRow, items: Sequence[ConceptItem | SubconceptItem], edges: Sequence[EdgeItem], *, at: str
    ) -> _Siblings:
        kind = "concepts" if parent.type == "root" else "subconcepts"
        graph = ConceptGraph(parent)
        rows: dict[int, NodeRow] = {}
        for position, item in enumerate(items):
            place = f"{at}{kind}.{position}"
            try:
                edit = graph.add(item.title, item.desc, self.now)
            except InvalidGraphEdit as refusal:
                self.faults.append(f"{place}: {refusal}")
                continue
            if edit.created and edit.node is not None:
                graph, rows[position] = edit.graph, edit.node
            else:
                self.faults.append(f"{place}.title: '{item.title}' stands here twice")
        planted = _Siblings(rows, self._names(items, rows, at=f"{at}{kind}"))
        graph = self._connect(graph, planted, edges, at=f"{at}edges")
        self.nodes.extend(graph.nodes)
        self.edges.extend(graph.edges)
        return planted

    def plan_concept(self, parent: NodeRow, item: ConceptItem, *, at: str) -> None:
        """Everything under one concept."""
        subconcepts = self.plan_siblings(parent, item.subconcepts, item.edges, at=at)
        asked: set[str] = set()
        for position, question in enumerate(item.questions):
            place = f"{at}questions.{position}"
            tested = self._resolve_tests(question.tests, subconcepts, at=f"{place}.tests")
            try:
                draft = validate_draft(self._name_beliefs(to_draft(question, tuple(tested)), at=place))
            except InvalidQuestion as refusal:
                self.faults.append(f"{place}: {refusal}")
                continue
            if prompt_key(draft.prompt) in asked:
                self.faults.append(f"{place}.prompt: this question stands here twice")
            asked.add(prompt_key(draft.prompt))
            self.questions.append(PlannedQuestion(parent.id, draft))

    def _name_beliefs(self, draft: QuestionDraft, *, at: str) -> QuestionDraft:
        """The draft with the statement and the contrast of each misconception that it names by key."""

        def named(words: str) -> str:
            known = self.beliefs.get(words)
            if known is None and is_belief_id(words):
                self.faults.append(f"{at}: no misconception has the key '{words}'")
            return words if known is None else known.statement

        contrasts = [
            None if one.misconception not in self.beliefs else self.beliefs[one.misconception].contrast
            for one in draft.misconceptions
        ]
        wrong = tuple(replace(one, contrast=case) for one, case in zip(draft.misconceptions, contrasts, strict=True))
        return rename_beliefs(replace(draft, misconceptions=wrong), named)

    def _names(
        self, items: Sequence[ConceptItem | SubconceptItem], rows: dict[int, NodeRow], *, at: str
    ) -> dict[str, NodeRow]:
        names = {title_key(row.title): row for row in rows.values()}
        keys: set[str] = set()
        for position, item in enumerate(items):
            if item.key is None or position not in rows:
                continue
            if item.key in keys:
                self.faults.append(f"{at}.{position}.key: '{item.key}' stands here twice")
            keys.add(item.key)
            names[item.key] = rows[position]
        return names

    def _connect(self, graph: ConceptGraph, planted: _Siblings, edges: Sequence[EdgeItem], *, at: str) -> ConceptGraph:
        for position, edge in enumerate(edges):
            source, target = planted.find(edge.source), planted.find(edge.target)
            if source is None or target is None:
                missing = edge.source if source is None else edge.target
                self.faults.append(f"{at}.{position}: nothing here has the key or title '{missing}'")
                continue
            try:
                graph = graph.connect(source.id, target.id).graph
            except InvalidGraphEdit as refusal:
                self.faults.append(f"{at}.{position}: {refusal}")
        return graph

    def _resolve_tests(self, names: Sequence[str], subconcepts: _Siblings, *, at: str) -> Iterator[str]:
        for name in names:
            row = subconcepts.find(name)
            if row is None:
                self.faults.append(f"{at}: no subconcept has the key or title '{name}'")
            yield name if row is None else row.title


def _root(path: PathFile, user_id: str, branch_id: str, now: datetime) -> NodeRow:
    moment = wire_time(now)
    return NodeRow(
        id=new_id(),
        user_id=user_id,
        type="root",
        branch_id=branch_id,
        parent_id=None,
        title=one_line(path.topic.title),
        desc=tidy(path.topic.desc or "") or None,
        created_at=moment,
        updated_at=moment,
    )
