"""Schemas of request bodies and queries."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.alias_generators import to_camel

from sprout.agents.tutor.task import MAX_CONTENT, MAX_CRITERIA, Move, SelfMarkInput
from sprout.events import Mark
from sprout.learning.lessons.conversations import MessageKind
from sprout.learning.lessons.memories import MAX_MEMORY
from sprout.learning.marking.answer_keys import MAX_REASON
from sprout.learning.marking.grading import MAX_MISCONCEPTION
from sprout.learning.paths.contents import ContentStatus, Trigger
from sprout.learning.questions.assessments import AssessmentType
from sprout.learning.questions.questions import MAX_PROMPT, QuestionFormat

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Description = Annotated[str, StringConstraints(max_length=10_000)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PageSize = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}$")]
SURE_DESCRIPTION = "whether the learner says that they are sure; what is sure and wrong is treated first"
NodeType = Literal["root", "concept", "subconcept"]


class RequestModel(BaseModel):
    """A frozen request: camelCase names, no type conversion; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, alias_generator=to_camel)


class NoFields(RequestModel):
    """No body or no query."""


class UserRequest(RequestModel):
    """A request that may name its caller."""

    user_id: Id | None = Field(default=None, description="the caller, who may be left out; other ids are refused")


class ModelKeyChange(RequestModel):
    """A key of the model provider."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=300)] = Field(
        description="printable ASCII without spaces; it is never sent back"
    )


class BranchQuery(UserRequest):
    branch_id: Id | None = Field(default=None, description="only this path; by default all")


class FlashcardQuery(BranchQuery):
    node_id: Id | None = Field(default=None, description="only this topic, concept or part")
    due: Literal["true", "false"] = Field(default="false", description="only what is due for review")
    answers: Literal["true", "false"] = Field(
        default="false", description="true adds the questions that are not settled; for teachers, not for learners"
    )


class NextQuery(BranchQuery):
    node_id: Id | None = Field(default=None, description="only this concept; by default the whole path")


class ErasureQuery(UserRequest):
    """A deletion, which must be confirmed so that no program does it by mistake."""

    confirm: Annotated[str, StringConstraints(max_length=100)] = Field(default="", description="delete everything")


class NewBranch(UserRequest):
    title: Title


class TopicCheck(UserRequest):
    title: Title = Field(description="the topic as the learner names it")


class BranchChange(RequestModel):
    title: Title | None = None


class MapPlace(RequestModel):
    x: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = Field(description="px from the middle, at scale 1")
    layer: Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)] = Field(
        description="layers from the ground up"
    )


class MapPlaces(RequestModel):
    places: Annotated[dict[Id, MapPlace], Field(min_length=1, max_length=5_000)] = Field(
        description="by the id of each node"
    )


class NodeFilter(UserRequest):
    type: NodeType | None = None
    branch_id: Id | None = Field(default=None, description="only those of this branch")
    parent_id: Id | None = Field(default=None, description="only those right below this node")


class ChildFilter(RequestModel):
    child_type: Literal["concept", "subconcept"] | None = Field(
        default=None, description="only edges between nodes of this type"
    )


class NewNode(UserRequest):
    type: NodeType = Field(
        description="a topic is the root of a branch, concepts are below it, subconcepts below concepts"
    )
    title: Title
    branch_id: Id | None = Field(default=None, description="the branch; a child has its parent's")
    parent_id: Id | None = Field(default=None, description="a topic has none")
    desc: Description | None = Field(default=None, description="what the learner will understand")


class NodeChange(RequestModel):
    title: Title | None = Field(default=None, description="no sibling has the same")
    desc: Description | None = None
    accuracy_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="stored for clients that compute one"
    )


class ProgressFilter(UserRequest):
    node_id: Id | None = Field(default=None, description="only that on this node")


class AssessmentFilter(UserRequest):
    target_node_id: Id | None = Field(default=None, description="only those about this node")


class AssessmentChange(RequestModel):
    title: Title | None = None
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="an ISO 8601 time, UTC by default; null opens it again, left out it stays"
    )


class NewAssessment(UserRequest):
    target_node_id: Id = Field(description="the node that it is about")
    type: AssessmentType = "diagnostic"
    title: Title | None = None


class NewQuestion(RequestModel):
    format: QuestionFormat
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PROMPT)]
    node_id: Id | None = Field(
        default=None, description="the node of the assessment, or a part of it that the question is about"
    )
    options: Annotated[list[Annotated[str, StringConstraints(max_length=2_000)]], Field(max_length=50)] | None = Field(
        default=None, description="of a choice: two or more different texts"
    )
    correct_answer: Annotated[str, StringConstraints(max_length=20_000)] | None = Field(
        default=None, description="the text of the right option, or a good answer to an open question"
    )
    grading_rubric: JsonValue = Field(default=None, description="of an open question: the points of a good answer")
    difficulty: Annotated[int, Field(ge=1, le=5)] = Field(default=1, description="1 is easy")


class QuestionContest(UserRequest):
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_REASON)] | None = Field(
        default=None, description="what is wrong with the question"
    )


class AnswerSelfMark(UserRequest):
    verdicts: dict[str, Mark] = Field(
        min_length=1, max_length=MAX_CRITERIA, description="met, partly or missing by the id of each criterion"
    )
    misconception: Annotated[str, StringConstraints(max_length=MAX_MISCONCEPTION)] | None = Field(
        default=None, description="one of those that were offered, if it is the learner's"
    )


class QuestionSkip(UserRequest):
    """A question left out, which counts for nothing."""


class WaitQuery(RequestModel):
    wait: Literal["true", "false"] = Field(
        default="true", description="false returns the run at once; true waits for its end for a limited time"
    )


class NewAnswer(UserRequest):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know".

    The server marks; a client's own verdict is ignored.
    """

    question_id: Id
    answer_text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = Field(
        default=None, description="an answer in words or a number"
    )
    selected_option: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] | None = Field(
        default=None, description="the option that was chosen, by its text or id"
    )
    sure: bool | None = Field(default=None, description=SURE_DESCRIPTION)


class NodeVisit(UserRequest):
    node_id: Id


class ProgressChange(RequestModel):
    """A manual override, valid until the next graded answer about the node; fields that are null or missing stay."""

    mastery_score: Annotated[float, Field(ge=0, le=1)] | None = Field(default=None, description="from 0 to 1")
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="an ISO 8601 time"
    )
    has_generated_subnodes: bool | None = None


class ContentBody(RequestModel):
    explanation_md: Annotated[str, StringConstraints(min_length=1, max_length=100_000)] = Field(description="Markdown")
    visualization_kind: Annotated[str, StringConstraints(max_length=100)] | None = None
    visualization_payload: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    generated_by_model: Annotated[str, StringConstraints(max_length=200)] | None = None
    generation_prompt_hash: Annotated[str, StringConstraints(max_length=200)] | None = None
    status: ContentStatus = Field(default="active", description="an active one archives the one before it")


class GenerationBody(RequestModel):
    trigger: Trigger
    model: Annotated[str, StringConstraints(max_length=200)] | None = None
    prompt: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    response_meta: JsonValue = Field(default=None, description="stored as text")


class NodeQuery(UserRequest):
    node_id: Id | None = Field(default=None, description="only what is about this node")


class NewSession(UserRequest):
    node_id: Id | None = Field(default=None, description="its node; a lesson needs one")


class SessionChange(RequestModel):
    ended_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="an ISO 8601 time; now by default"
    )


class NewMessage(UserRequest):
    role: Literal["user"] = Field(description="clients can't add messages of the tutor")
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    kind: MessageKind = "learning"
    was_successful: bool | None = None
    success_signal: JsonValue = Field(default=None, description="stored as text")


class TutorTurn(UserRequest):
    content: Annotated[str, StringConstraints(max_length=MAX_CONTENT)] = Field(
        default="", description="begins with [ANSWER] or [CLARIFICATION]; empty text opens the lesson"
    )
    drawing_image_data_url: str | None = Field(
        default=None, description="a PNG or JPEG as a data URL, with an answer; anything else is ignored"
    )
    question_id: Id | None = Field(
        default=None,
        description="the question that an answer is given to; by default the one that was shown last. One that is no "
        "longer open is not counted",
    )
    move: Move | None = Field(
        default=None,
        description="in place of words: help is the next hint, show the solution and then a fresh question, change "
        "another question",
    )
    self_mark: SelfMarkInput | None = Field(
        default=None, description="in place of words, while the question is to be compared: the learner's own verdicts"
    )
    sure: bool | None = Field(default=None, description=SURE_DESCRIPTION)

    @property
    def said_by_button(self) -> bool:
        """Whether there are no words to read."""
        return self.move is not None or self.self_mark is not None


class MemoryChange(RequestModel):
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_MEMORY)]


class HintBody(UserRequest):
    node_id: Id
    session_id: Id | None = None
    request_message_id: Id | None = None
    response_message_id: Id | None = None
    referenced_success_message_ids: Annotated[list[Id], Field(max_length=1_000)] | None = None


class GraphOptions(RequestModel):
    answers: Literal["true", "false"] = Field(
        default="false",
        description="true includes the questions with their answer keys; for authors of a course, not for learners",
    )
    format: Literal["json", "yaml"] = "json"


class RunRequest(UserRequest):
    small: bool = Field(default=False, description="a path of a few concepts")


class AgentRunRequest(RunRequest):
    """`task` is the instruction for agents that take one."""

    task: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = None


class ReviewRequest(UserRequest):
    overview: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = Field(
        default=None, description="the state of the path, in words"
    )
    max_additions: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | None = Field(
        default=None, description="clamped to 0 to 4; 2 by default"
    )


class RunOptions(RequestModel):
    on_busy: Literal["attach", "enqueue", "reject", "interrupt"] = Field(
        default="attach", description="if a run is active: join it, queue behind it, be refused, or replace it"
    )
    wait: Literal["true", "false"] = Field(default="true", description="false returns the run instead of its stream")
    cancel_on_disconnect: Literal["true", "false"] = Field(
        default="false", alias="cancel_on_disconnect", description="true cancels the run when the client disconnects"
    )


class RunFilter(UserRequest):
    branch_id: Id | None = Field(default=None, description="only those of this branch")
    agent: Id | None = Field(default=None, description="such as topic or tutor")
    state: Annotated[str, StringConstraints(max_length=200)] | None = Field(
        default=None,
        description="one or more, separated by commas, such as running,waiting_on_human",
    )
    before: Id | None = Field(default=None, description="the id of the run before the next page")
    limit: PageSize | None = Field(default=None, description="50 by default, at most 200")


class ChangeFilter(RequestModel):
    before: Id | None = Field(default=None, description="the id of the change before the next page")
    limit: PageSize | None = Field(default=None, description="50 by default, at most 200")


class SourceSearch(RequestModel):
    q: Annotated[str, StringConstraints(max_length=300)] = Field(
        default="",
        description="words to find in any of their forms, phrases in quotation marks; without any, no results",
    )


class PassagePageQuery(RequestModel):
    """All passages, or at most `limit`: the first ones, or those next to the passage `after` or `before`."""

    after: Id | None = None
    before: Id | None = None
    limit: PageSize | None = None


class SectionChoice(UserRequest):
    start: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        description="where the section begins, as the list of left-out sections says"
    )
    small: bool = Field(default=False, description="a concept of a few parts")


class RunAnswer(RequestModel):
    answer: Annotated[str, StringConstraints(min_length=1, max_length=20_000)] = Field(
        description="in words, or one of the choices verbatim"
    )
    result: Annotated[str, StringConstraints(max_length=20_000)] | None = Field(
        default=None, description="the result of a call in doubt, if it has happened"
    )


class CursorQuery(RequestModel):
    after: str | None = Field(default=None, description="the id of the last event that the client has")
    cancel_on_disconnect: Literal["true", "false"] = Field(
        default="false", alias="cancel_on_disconnect", description="true cancels the run when the client disconnects"
    )


class LearnerStreamQuery(RequestModel):
    after: str | None = Field(default=None, description="the id of the last event of this stream that the client has")
    follow: Literal["true", "false"] = Field(
        default="true", description="false ends the stream after the stored events"
    )
