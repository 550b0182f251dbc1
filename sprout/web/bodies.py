"""What a request may say: bodies and queries."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.alias_generators import to_camel

from sprout.agents.tutor_task import LONGEST_WORDS
from sprout.learning.lessons.memories import LONGEST_MEMORY
from sprout.learning.lessons.talk import MessageKind
from sprout.learning.marking.keys import MAX_REASON
from sprout.learning.paths.contents import ContentStatus, Trigger
from sprout.learning.questions.assessing import AssessmentType
from sprout.learning.questions.questions import MAX_PROMPT, QuestionFormat

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


Description = Annotated[str, StringConstraints(max_length=10_000)]


Id = Annotated[str, StringConstraints(min_length=1, max_length=100)]


PageSize = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,3}$")]


NodeType = Literal["root", "concept", "subconcept"]


class Asked(BaseModel):
    """A frozen request: camelCase names, no conversion between types; fields that nobody knows are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, alias_generator=to_camel)


class Nothing(Asked):
    """Where nothing is asked for."""


class Owner(Asked):
    """A query that must say whose rows are wanted; only one's own are."""

    user_id: Id


class MaybeOwner(Asked):
    user_id: Id | None = None


class OfBranch(MaybeOwner):
    """`branchId` is the one path that is meant; without it all are."""

    branch_id: Id | None = None


class Erasure(MaybeOwner):
    """`confirm` is "delete everything": so that no program does it by mistake."""

    confirm: Annotated[str, StringConstraints(max_length=100)] = ""


class NewBranch(Asked):
    title: Title
    user_id: Id


class BranchChange(Asked):
    title: Title | None = None


class NodeFilter(MaybeOwner):
    type: NodeType | None = None
    branch_id: Id | None = None
    parent_id: Id | None = None


class ChildFilter(Asked):
    child_type: Literal["concept", "subconcept"] | None = None


class NewNode(Asked):
    user_id: Id
    type: NodeType
    title: Title
    branch_id: Id | None = None
    parent_id: Id | None = None
    desc: Description | None = None


class NodeChange(Asked):
    title: Title | None = None
    desc: Description | None = None
    accuracy_score: Annotated[float, Field(ge=0, le=1)] | None = None


class ProgressFilter(Owner):
    node_id: Id | None = None


class AssessmentFilter(MaybeOwner):
    target_node_id: Id | None = None


class AssessmentChange(Asked):
    """`completedAt` is a time as ISO 8601 writes it; one without a zone is UTC."""

    title: Title | None = None
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = None


class NewAssessment(Asked):
    user_id: Id
    target_node_id: Id
    type: AssessmentType = "diagnostic"
    title: Title | None = None


class NewQuestion(Asked):
    """`nodeId` is the assessment's own node or a part of it that the question is about. Of a choice, `correctAnswer` is
    the text of one of the options; of an open question `gradingRubric` has the points of a good answer.
    """

    format: QuestionFormat
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PROMPT)]
    node_id: Id | None = None
    options: Annotated[list[Annotated[str, StringConstraints(max_length=2_000)]], Field(max_length=50)] | None = None
    correct_answer: Annotated[str, StringConstraints(max_length=20_000)] | None = None
    grading_rubric: JsonValue = None
    difficulty: Annotated[int, Field(ge=1, le=5)] = 1


class QuestionContest(Asked):
    """`reason` is what the learner says is wrong with the question."""

    user_id: Id
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_REASON)] | None = None


class Skipped(Asked):
    user_id: Id


class Patience(Asked):
    """`wait=false` answers at once with the run; otherwise the answer waits for its end, but not for ever."""

    wait: Literal["true", "false"] = "true"


class NewAnswer(Asked):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know".

    What a client says of right and wrong is not read: the server marks.
    """

    user_id: Id
    question_id: Id
    answer_text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = None
    selected_option: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] | None = None


class Entered(Asked):
    user_id: Id
    node_id: Id


class ProgressChange(Asked):
    """A person's word: it stands until the next graded answer about the node. What is null or left out stays."""

    mastery_score: Annotated[float, Field(ge=0, le=1)] | None = None
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = None
    has_generated_subnodes: bool | None = None


class ContentBody(Asked):
    explanation_md: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    visualization_kind: Annotated[str, StringConstraints(max_length=100)] | None = None
    visualization_payload: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    generated_by_model: Annotated[str, StringConstraints(max_length=200)] | None = None
    generation_prompt_hash: Annotated[str, StringConstraints(max_length=200)] | None = None
    status: ContentStatus = "active"


class GenerationBody(Asked):
    """`responseMeta` is any JSON; it is kept as text."""

    trigger: Trigger
    model: Annotated[str, StringConstraints(max_length=200)] | None = None
    prompt: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    response_meta: JsonValue = None


class OfNode(MaybeOwner):
    node_id: Id | None = None


class NewSession(Asked):
    user_id: Id
    node_id: Id | None = None


class SessionChange(Asked):
    """`endedAt` is a time as ISO 8601 writes it, now by default."""

    ended_at: Annotated[str, StringConstraints(max_length=40)] | None = None


class NewMessage(Asked):
    """`role` can only be that of the caller: nobody puts words into the tutor's mouth. `successSignal` is any JSON."""

    user_id: Id
    role: Literal["user"]
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    kind: MessageKind = "learning"
    was_successful: bool | None = None
    success_signal: JsonValue = None


class TutorTurn(Asked):
    """`content` begins with [ANSWER] or [CLARIFICATION], as it is meant; nothing opens the lesson.

    `drawingImageDataUrl` is a PNG or JPEG that goes with an answer; what is none is ignored.
    """

    user_id: Id
    content: Annotated[str, StringConstraints(max_length=LONGEST_WORDS)] = ""
    drawing_image_data_url: str | None = None


class MemoryChange(Asked):
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MEMORY)]


class HintBody(Asked):
    user_id: Id
    node_id: Id
    session_id: Id | None = None
    request_message_id: Id | None = None
    response_message_id: Id | None = None
    referenced_success_message_ids: Annotated[list[Id], Field(max_length=1_000)] | None = None


class GraphOptions(Asked):
    """`answers=true` exports the questions too, with what is right: for who makes a course, not for who takes it."""

    answers: Literal["true", "false"] = "false"
    format: Literal["json", "yaml"] = "json"


class RunOrder(Asked):
    """`small` asks for a path of a few concepts."""

    user_id: Id
    small: bool = False


class ReviewOrder(Asked):
    """`overview` says in words how the path stands; `maxAdditions` is taken to the nearest of 0 to 4."""

    user_id: Id
    overview: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = None
    max_additions: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | None = None


class RunOptions(Asked):
    """`wait=false` answers with the run instead of its stream; `onBusy` says what becomes of it where one is going."""

    on_busy: Literal["attach", "enqueue", "reject", "interrupt"] = "attach"
    wait: Literal["true", "false"] = "true"
    cancel_on_disconnect: Literal["true", "false"] = Field(default="false", alias="cancel_on_disconnect")


class RunFilter(MaybeOwner):
    """`state` is one or several, with commas; `before` is the id of the run after which the list goes on."""

    branch_id: Id | None = None
    agent: Id | None = None
    state: Annotated[str, StringConstraints(max_length=200)] | None = None
    before: Id | None = None
    limit: PageSize | None = None


class ChangeFilter(Asked):
    """`before` is the id of the change after which the list goes on."""

    before: Id | None = None
    limit: PageSize | None = None


class SourceSearch(Asked):
    """`q`: words that stand in the passages; without any, none is found."""

    q: Annotated[str, StringConstraints(max_length=300)] = ""


class RunAnswer(Asked):
    """`result` is what a call in doubt has brought, where it has happened."""

    answer: Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
    result: Annotated[str, StringConstraints(max_length=20_000)] | None = None


class Cursor(Asked):
    """`after` is the id of the last event that the client has; the header Last-Event-ID goes before it."""

    after: str | None = None
    cancel_on_disconnect: Literal["true", "false"] = Field(default="false", alias="cancel_on_disconnect")


class Cursors(Asked):
    """`after` is the id of the last event of the learner's stream; the header Last-Event-ID goes before it."""

    after: str | None = None
