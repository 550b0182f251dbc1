"""Course of the operator's folder: the plans that a path file or an authored course comes to, and its lessons."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

from sprout.events import EdgeEnds, NodeRow
from sprout.learning.paths.import_plan import PlannedPath, plan_import
from sprout.learning.paths.path_file import InvalidPath, PathFile
from sprout.learning.questions.questions import QuestionDraft
from sprout.offline.courses.authored_plans import (
    concept_plan,
    concepts_plan,
    course_opening,
    neutral_order,
    parts_plan,
)
from sprout.offline.courses.course_format import Course
from sprout.offline.courses.glossary_format import Term
from sprout.offline.courses.lesson_format import Contrast, Lesson
from sprout.offline.graph_plan import Plan, PlannedEdge, PlannedNode, PlannedQuestion

MAX_CONCEPTS, MAX_PARTS, MAX_QUESTIONS = 10, 12, 10
"""A whole path in its full size: what the agents take."""


@dataclass(frozen=True, slots=True)
class AddedCourse:
    """A course beside the built-in ones.

    Args:
        slug: name of its file without ending.
        path: its concepts.
        parts: title of a concept → its subconcepts and questions.
        terms: its glossary.
    """

    slug: str
    title: str
    aliases: tuple[str, ...]
    desc: str
    path: Plan
    parts: Mapping[str, Plan]
    lessons: tuple[Lesson, ...] = ()
    terms: tuple[Term, ...] = ()
    contrasts: tuple[Contrast, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AddedCourses:
    """The courses of one folder; two such sets are never equal, so that each can be a key of a cache."""

    courses: tuple[AddedCourse, ...] = ()
    by_slug: Mapping[str, AddedCourse] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_slug", {course.slug: course for course in self.courses})

    def find(self, slug: str) -> AddedCourse | None:
        return self.by_slug.get(slug)


NO_COURSES = AddedCourses()


def course_from_authored(course: Course) -> AddedCourse:
    """The course of a file in the format of the built-in ones."""
    parts = {concept.title: parts_plan(concept) for concept in course.concepts}
    return AddedCourse(
        course.slug,
        course.title,
        course.aliases,
        course.desc,
        concepts_plan(course),
        parts,
        contrasts=course.contrasts,
    )


def course_from_path(path: PathFile, slug: str) -> AddedCourse:
    """The course of a path file. Raises InvalidPath, which names every item at fault."""
    if faults := _size_faults(path):
        raise InvalidPath(faults)
    planned = plan_import(path, user_id="", branch_id="", now=datetime.now(UTC))
    concepts = [node for node in planned.nodes if node.type == "concept"]
    return AddedCourse(
        slug,
        planned.title,
        () if planned.root.title == planned.title else (planned.root.title,),
        planned.root.desc or "",
        _path_plan(planned, concepts),
        {concept.title: _parts_plan(planned, concept) for concept in concepts},
    )


def _size_faults(path: PathFile) -> list[str]:
    """Faults of a path that the agents could not grow whole."""
    if not 1 <= len(path.concepts) <= MAX_CONCEPTS:
        return [f"concepts: a course has 1 to {MAX_CONCEPTS} concepts, this one has {len(path.concepts)}"]
    faults = []
    for at, concept in enumerate(path.concepts):
        parts, questions = len(concept.subconcepts), len(concept.questions)
        if not 1 <= parts <= MAX_PARTS:
            faults.append(f"concepts.{at}: a concept has 1 to {MAX_PARTS} subconcepts, this one has {parts}")
        if questions > MAX_QUESTIONS:
            faults.append(f"concepts.{at}.questions: a concept has at most {MAX_QUESTIONS}, this one has {questions}")
    return faults


def _path_plan(planned: PlannedPath, concepts: Sequence[NodeRow]) -> Plan:
    desc = f"{planned.root.desc} " if planned.root.desc else ""
    count = "one concept" if len(concepts) == 1 else f"{len(concepts)} concepts"
    closing = f"{desc}This is a course of this server’s own, “{planned.title}”, with {count}."
    return Plan(course_opening(planned.title), _ideas(concepts), _edges(planned.edges, concepts), closing)


def _parts_plan(planned: PlannedPath, concept: NodeRow) -> Plan:
    parts = [node for node in planned.nodes if node.parent_id == concept.id]
    questions = [_question(one.draft) for one in planned.questions if one.concept_id == concept.id]
    return concept_plan(concept.title, _ideas(parts), _edges(planned.edges, parts), questions)


def _ideas(nodes: Sequence[NodeRow]) -> list[PlannedNode]:
    return [PlannedNode(node.title, node.desc or node.title) for node in nodes]


def _edges(edges: Sequence[EdgeEnds], nodes: Sequence[NodeRow]) -> list[PlannedEdge]:
    title = {node.id: node.title for node in nodes}
    return [
        PlannedEdge(source, target, f"“{target}” builds on “{source}”.")
        for edge in edges
        if (source := title.get(edge.source_node_id)) and (target := title.get(edge.target_node_id))
    ]


def _question(draft: QuestionDraft) -> PlannedQuestion:
    """The draft as the input of the tool that saves it; the order of options says nothing about which is right."""
    fields = {name: value for name, value in asdict(draft).items() if value not in (None, (), [])}
    if draft.options:
        fields["options"] = sorted(draft.options, key=neutral_order)
    return PlannedQuestion({name: [*value] if isinstance(value, tuple) else value for name, value in fields.items()})
