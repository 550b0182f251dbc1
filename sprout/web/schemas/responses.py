"""Schemas of responses that are not rows: lessons, overviews, results of generation and review."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sprout.events import (
    AnswerType,
    CardShown,
    Compare,
    CriterionShown,
    EdgeEnds,
    GradeStateShown,
    NodeRow,
    ReadingShown,
    Wire,
)
from sprout.learning.lessons.lesson_history import LessonStanding
from sprout.learning.marking.answer_keys import ContestOutcome
from sprout.learning.paths.left_out import LeftOutSection
from sprout.learning.paths.next_lesson import WhyNext
from sprout.learning.paths.repository import BranchGraph, BranchRow, BranchSummary, DocumentRow, EdgeRow
from sprout.learning.paths.topic_coverage import OfferedCourse
from sprout.learning.placement.repository import PlacementOverview
from sprout.learning.questions.assessments import Diagnostic, GradeShown
from sprout.learning.questions.questions import AnswerForm
from sprout.learning.reviews.day import DayDone, ForecastDay, ReviewsDue, WeekGains
from sprout.learning.today.next_step import StepKind
from sprout.web.schemas.run_responses import RunRow

Way = Literal["add_notes", "choose_course", "connect_model"]


class OpenLessonQuestion(Wire):
    """The open question of a lesson; `options` are those of a choice, in displayed order.

    Args:
        form: of the answer; one in `words` may be a program or a drawing, as `type` says.
        gap: whether it is a worked case with one step left out, so that answering it is practice.
        help: the help texts given so far, in order.
        attempts: number of the learner's.
        compare: the model answer beside the learner's last one; null unless it waits for their own verdicts.
        reading: what it is about in the learner's documents; its `settledBy` comes with the answer.
    """

    id: str
    prompt: str
    type: AnswerType
    options: list[str] | None
    form: AnswerForm
    gap: bool = False
    help: tuple[str, ...] = ()
    attempts: int = 0
    compare: Compare | None = None
    reading: ReadingShown | None = None


class NextReviews(Wire):
    """The reviews that fit what is left of the learner's day.

    Args:
        here: how many are due on the path that was asked about, or over all, whether or not they fit the day.
        session_id: today's session that is not over yet.
    """

    count: int
    minutes: int
    here: int
    session_id: str | None


class NextAction(Wire):
    """What a learner does next.

    Args:
        kind: a session of reviews; a lesson; an answer that a run waits for; waiting while agents make the path; making
            what is missing, a path or the parts of `concept`; nothing, in a path that is learned, or without any path.
        minutes: of the reviews, or of the lesson: what is left of it, as the learner's last lessons took.
        why, because: the reason for the lesson, and titles of what was learned that leads to it.
        opens: titles of what it opens.
        learned, parts: of the lesson's concept.
        run_id: the run that waits, or that makes the path.
        reviews: those that are due today, whatever comes next; null without any. Over all paths they come first; within
            a path they follow what is to be learned.
    """

    kind: StepKind
    branch: BranchRow | None = None
    concept: NodeRow | None = None
    node: NodeRow | None = None
    minutes: int | None = None
    why: WhyNext | None = None
    because: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    learned: int | None = None
    parts: int | None = None
    run_id: str | None = None
    reviews: NextReviews | None = None


class TodayPath(Wire):
    """A path as the learner's day shows it.

    Args:
        leaves: of its plant, a letter for each learned part in the order in which they were: n for new, m for
            mastered, d for due.
        parts: how many there are to learn.
        missed_today: how many were not recalled today, so that they come back.
        next: what comes next in it, reviews aside.
        placement: what it would take to find where one starts; null of a path that is begun, or has no lesson yet.
    """

    branch: BranchRow
    leaves: str
    parts: int
    learned_today: int
    missed_today: int
    next: NextAction
    placement: PlacementOverview | None


class Today(Wire):
    """The learner's day, which ends at their own hour.

    Args:
        date: the learner's.
        minutes: the size of a day that they chose.
        time_zone: by which it ends; null as long as it is not known, which is as UTC.
        begun: whether they have answered anything yet.
        done: whether it is enough for today.
        next: what comes after the reviews, over all paths.
        day: what was done since it began.
        cleared: the mix-ups that were cleared in the last seven days, as sentences, the last one first.
        paths: those with something to learn first; `more_paths` of them are not listed.
    """

    date: str
    minutes: int
    time_zone: str | None
    begun: bool
    done: bool
    due: ReviewsDue
    next: NextAction
    day: DayDone
    week: WeekGains
    cleared: list[str]
    tomorrow: ForecastDay
    paths: list[TodayPath]
    more_paths: int


class GradeSummary(Wire):
    """A grade as its learner sees it, without the answer key."""

    question_id: str
    answer_id: str
    state: GradeStateShown
    score: float | None
    correct: bool | None
    criteria: list[CriterionShown]
    next_step: str
    help_level: int


class TutorReply(Wire):
    """A turn of a lesson."""

    message: str = Field(description="the reply, with the open question")
    is_complete: bool = Field(description="whether the lesson is over")
    tools_used: tuple[str, ...] = Field(default=(), description="the tools of the turn, in order")
    reasoning: tuple[str, ...] = Field(
        default=(), description="always empty: the tutor's reasoning could reveal an answer"
    )
    run_id: str | None = Field(default=None, description="the run of the turn")
    question: OpenLessonQuestion | None = Field(default=None, description="the open question")
    reading: ReadingShown | None = Field(default=None, description="what is to be read now, where no question is open")
    graded: GradeSummary | None = Field(default=None, description="the grade of this turn's answer")
    cards: tuple[CardShown, ...] = Field(default=(), description="cards of the reply")


class LessonState(Wire):
    """State of a lesson.

    Args:
        question: the open question; `help_level` is the help given for it.
        reading: what is to be read now, where no question is open; any message goes on.
        plan: the goal of each step; `chunk` is the current step, from 1, or 0 before the first.
        asked: the steps that a question or a reading was about, in ascending order.
        evidence: the number of graded answers that `mastery` (0..1) is computed from.
        needed: the number of further questions that make it learned if each is answered right at once, without help.
        completed: whether it is learned, so that the lesson may end.
        mastered_from: from when on one right answer without help masters it; null if it is mastered, or not learned.
        graded: the newest attempt at the open question.
        cards: examples, exercises and diagrams, oldest first.
    """

    question: OpenLessonQuestion | None
    reading: ReadingShown | None
    help_level: int
    plan: tuple[str, ...]
    chunk: int
    asked: tuple[int, ...]
    mastery: float
    evidence: int
    needed: int
    completed: bool
    mastered: bool
    mastered_from: str | None
    graded: GradeShown | None
    cards: tuple[CardShown, ...]


class ConceptDiagnostic(Diagnostic):
    """A concept's diagnostic, for its page."""

    agent: Literal["concept"] = "concept"
    status: Literal["diagnostic_ready"] = "diagnostic_ready"
    concept_node_id: str


class ImportedPath(Wire):
    """An imported path."""

    branch: BranchRow
    concepts: int
    subconcepts: int
    edges: int
    questions: int


class CourseRow(Wire):
    """A course that can be chosen by its title."""

    title: str
    desc: str
    concepts: int = Field(description="how many it has")
    near: bool = Field(description="whether one of its names comes close to a word of the topic")

    @classmethod
    def of(cls, course: OfferedCourse) -> "CourseRow":
        return cls(title=course.title, desc=course.desc, concepts=course.concepts, near=course.near)


class Failure(Wire):
    """Every error: its text, the same for programs, and with some errors further fields."""

    error: str = Field(description="for people, in English")
    code: str = Field(description="names the text, such as not_found")
    params: dict[str, str | float] = Field(default={}, description="the values in the text, by name")
    active_run_id: str | None = Field(default=None, description="the run that is active there already")
    undo_first: str | None = Field(default=None, description="the later change that builds on the one to undo")
    ways: tuple[Way, ...] = Field(default=(), description="of an unknown topic: what the learner can do instead")
    courses: tuple[CourseRow, ...] = Field(
        default=(), description="of an unknown topic: all courses that can be chosen, the nearest first"
    )


class CheckedTopic(Wire):
    """A topic of which a path can be made."""

    title: str
    course: CourseRow | None = Field(description="the course that it names; null where the model needs none")


class Health(Wire):
    status: Literal["ok"] = "ok"
    timestamp: str


class SnakeCaseModel(BaseModel):
    """A frozen model with snake_case names on the wire."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ConceptAddition(SnakeCaseModel):
    title: str
    desc: str | None
    insert_after: str | None
    reason: str | None


class SubconceptAddition(SnakeCaseModel):
    title: str
    desc: str | None
    depends_on: list[str]
    unlocks: list[str]
    reason: str | None


class ReviewDecision(SnakeCaseModel):
    """The decision of a review."""

    should_add: bool
    notes: str | None
    concept_additions: list[ConceptAddition]
    subconcept_additions: list[SubconceptAddition]


class TitledEdge(Wire):
    """An edge by the titles of its two ends; the source is the prerequisite."""

    source: str
    target: str


class PathReview(Wire):
    """The result of a review of the path around a node."""

    agent: Literal["path_review"] = "path_review"
    status: Literal["no_change", "updated"]
    node_id: str
    level: Literal["concept", "subconcept"]
    decision: ReviewDecision
    inserted_nodes: list[NodeRow]
    created_edges: list[TitledEdge]


class BranchOverview(BranchSummary):
    """A branch in the list of paths, with its newest runs."""

    active_run_id: str | None
    last_run: RunRow | None


class BranchPage(BranchGraph):
    """Everything of a branch, its root runs newest first.

    Args:
        minutes: node → minutes that its lessons will still take; without what is learned.
        lessons: part → how its newest lesson stands. One that was left may be continued, one that is over opens what
            builds on it.
        due: ids of the parts that are due for review.
    """

    minutes: dict[str, int]
    lessons: dict[str, LessonStanding]
    due: list[str]
    runs: list[RunRow]


class LeftOutSections(Wire):
    """The sections that no concept teaches; while the path is `growing` they are not known yet, and none is given."""

    growing: bool
    sections: list[LeftOutSection]


class SectionBroughtIn(Wire):
    """The concept on a section; `run` creates its parts, null where it has them."""

    created: bool
    concept: NodeRow
    run: RunRow | None


class GeneratedConcepts(Wire):
    """The concepts of a topic; edges by titles if they are new, else as rows."""

    generated: bool
    concepts: list[NodeRow]
    edges: list[TitledEdge] | list[EdgeRow]


class GeneratedSubconcepts(Wire):
    """The parts of a concept, like the concepts of a topic."""

    generated: bool
    subconcepts: list[NodeRow]
    edges: list[TitledEdge] | list[EdgeRow]


class ContestResult(Wire):
    """The result of a disputed question; `outcome` is null while it is checked."""

    question_id: str
    outcome: ContestOutcome | None
    says: str | None
    at: str


class UploadedDocument(DocumentRow):
    extracted_text_length: int


class UploadResult(Wire):
    uploaded: list[UploadedDocument]


def titled_edges(edges: Sequence[EdgeRow] | Sequence[EdgeEnds], nodes: Sequence[NodeRow]) -> list[TitledEdge]:
    """The edges by the titles of their ends; without those to a node that was deleted meanwhile."""
    titles = {node.id: node.title for node in nodes}
    return [
        TitledEdge(source=titles[edge.source_node_id], target=titles[edge.target_node_id])
        for edge in edges
        if {edge.source_node_id, edge.target_node_id} <= titles.keys()
    ]
