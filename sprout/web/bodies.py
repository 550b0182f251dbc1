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
CALLER = "the caller; nobody else's id is taken"
NodeType = Literal["root", "concept", "subconcept"]


class Asked(BaseModel):
    """A frozen request: camelCase names, no conversion between types; fields that nobody knows are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, alias_generator=to_camel)


class Nothing(Asked):
    """Where nothing is asked for."""


class Owner(Asked):
    """A query that must say whose rows are wanted; only one's own are."""

    user_id: Id = Field(description=CALLER)


class MaybeOwner(Asked):
    user_id: Id | None = Field(default=None, description=CALLER)


class OfBranch(MaybeOwner):
    branch_id: Id | None = Field(default=None, description="the one path that is meant; without it all are")


class Erasure(MaybeOwner):
    """So that no program does it by mistake, it has to be confirmed."""

    confirm: Annotated[str, StringConstraints(max_length=100)] = Field(default="", description="delete everything")


class NewBranch(Asked):
    title: Title
    user_id: Id = Field(description=CALLER)


class BranchChange(Asked):
    title: Title | None = None


class NodeFilter(MaybeOwner):
    type: NodeType | None = None
    branch_id: Id | None = Field(default=None, description="only those of this branch")
    parent_id: Id | None = Field(default=None, description="only those right below this node")


class ChildFilter(Asked):
    child_type: Literal["concept", "subconcept"] | None = Field(
        default=None, description="only edges between nodes of this type"
    )


class NewNode(Asked):
    user_id: Id = Field(description=CALLER)
    type: NodeType = Field(
        description="a topic is the root of a branch, concepts are below it, subconcepts below concepts"
    )
    title: Title
    branch_id: Id | None = Field(default=None, description="where it belongs; a child has its parent's")
    parent_id: Id | None = Field(default=None, description="a topic has none")
    desc: Description | None = Field(default=None, description="what there is to understand")


class NodeChange(Asked):
    title: Title | None = Field(default=None, description="no sibling has the same")
    desc: Description | None = None
    accuracy_score: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="kept for clients that compute one"
    )


class ProgressFilter(Owner):
    node_id: Id | None = Field(default=None, description="only that on this node")


class AssessmentFilter(MaybeOwner):
    target_node_id: Id | None = Field(default=None, description="only those about this node")


class AssessmentChange(Asked):
    title: Title | None = None
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="a time as ISO 8601 writes it; one without a zone is UTC"
    )


class NewAssessment(Asked):
    user_id: Id = Field(description=CALLER)
    target_node_id: Id = Field(description="the node that it is about")
    type: AssessmentType = "diagnostic"
    title: Title | None = None


class NewQuestion(Asked):
    format: QuestionFormat
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PROMPT)]
    node_id: Id | None = Field(
        default=None, description="the node of the assessment, or a part of it that the question is about"
    )
    options: Annotated[list[Annotated[str, StringConstraints(max_length=2_000)]], Field(max_length=50)] | None = Field(
        default=None, description="of a choice: two or more, each another text"
    )
    correct_answer: Annotated[str, StringConstraints(max_length=20_000)] | None = Field(
        default=None, description="of a choice the text of one of the options; of an open question a good answer"
    )
    grading_rubric: JsonValue = Field(default=None, description="of an open question: the points of a good answer")
    difficulty: Annotated[int, Field(ge=1, le=5)] = Field(default=1, description="1 is easy")


class QuestionContest(Asked):
    user_id: Id = Field(description=CALLER)
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_REASON)] | None = Field(
        default=None, description="what is wrong with the question"
    )


class Skipped(Asked):
    user_id: Id = Field(description=CALLER)


class Patience(Asked):
    wait: Literal["true", "false"] = Field(
        default="true", description="false answers at once with the run; true waits for its end, but not for ever"
    )


class NewAnswer(Asked):
    """An answer in words or the option that was chosen, by its text or id; neither of them is "I don't know".

    What a client says of right and wrong is not read: the server marks.
    """

    user_id: Id = Field(description=CALLER)
    question_id: Id
    answer_text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = Field(
        default=None, description="an answer in words or a number"
    )
    selected_option: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] | None = Field(
        default=None, description="the option that was chosen, by its text or id"
    )


class Entered(Asked):
    user_id: Id = Field(description=CALLER)
    node_id: Id


class ProgressChange(Asked):
    """A person's word: it stands until the next graded answer about the node. What is null or left out stays."""

    mastery_score: Annotated[float, Field(ge=0, le=1)] | None = Field(default=None, description="0 nothing, 1 all")
    completed_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="a time as ISO 8601 writes it"
    )
    has_generated_subnodes: bool | None = None


class ContentBody(Asked):
    explanation_md: Annotated[str, StringConstraints(min_length=1, max_length=100_000)] = Field(description="Markdown")
    visualization_kind: Annotated[str, StringConstraints(max_length=100)] | None = None
    visualization_payload: Annotated[str, StringConstraints(max_length=200_000)] | None = None
    generated_by_model: Annotated[str, StringConstraints(max_length=200)] | None = None
    generation_prompt_hash: Annotated[str, StringConstraints(max_length=200)] | None = None
    status: ContentStatus = Field(default="active", description="an active one archives the one before it")


class GenerationBody(Asked):
    trigger: Trigger
    model: Annotated[str, StringConstraints(max_length=200)] | None = None
    prompt: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    response_meta: JsonValue = Field(default=None, description="kept as text")


class OfNode(MaybeOwner):
    node_id: Id | None = Field(default=None, description="only what is about this node")


class NewSession(Asked):
    user_id: Id = Field(description=CALLER)
    node_id: Id | None = Field(default=None, description="what it is about; a lesson needs one")


class SessionChange(Asked):
    ended_at: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="a time as ISO 8601 writes it; now by default"
    )


class NewMessage(Asked):
    user_id: Id = Field(description=CALLER)
    role: Literal["user"] = Field(description="nobody puts words into the mouth of the tutor")
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    kind: MessageKind = "learning"
    was_successful: bool | None = None
    success_signal: JsonValue = Field(default=None, description="kept as text")


class TutorTurn(Asked):
    user_id: Id = Field(description=CALLER)
    content: Annotated[str, StringConstraints(max_length=LONGEST_WORDS)] = Field(
        default="", description="begins with [ANSWER] or [CLARIFICATION], as it is meant; nothing opens the lesson"
    )
    drawing_image_data_url: str | None = Field(
        default=None, description="a PNG or JPEG as a data URL that goes with an answer; what is none is ignored"
    )


class MemoryChange(Asked):
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MEMORY)]


class HintBody(Asked):
    user_id: Id = Field(description=CALLER)
    node_id: Id
    session_id: Id | None = None
    request_message_id: Id | None = None
    response_message_id: Id | None = None
    referenced_success_message_ids: Annotated[list[Id], Field(max_length=1_000)] | None = None


class GraphOptions(Asked):
    answers: Literal["true", "false"] = Field(
        default="false",
        description="true: the questions too, with what is right; for who makes a course, not for who takes it",
    )
    format: Literal["json", "yaml"] = "json"


class RunOrder(Asked):
    user_id: Id = Field(description=CALLER)
    small: bool = Field(default=False, description="a path of a few concepts")


class AgentOrder(RunOrder):
    """`task` says in words what is wanted of the agent, where it takes some."""

    task: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = None


class ReviewOrder(Asked):
    user_id: Id = Field(description=CALLER)
    overview: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)] | None = Field(
        default=None, description="how the path stands, in words"
    )
    max_additions: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | None = Field(
        default=None, description="taken to the nearest of 0 to 4; 2 by default"
    )


class RunOptions(Asked):
    on_busy: Literal["attach", "enqueue", "reject", "interrupt"] = Field(
        default="attach", description="where a run is going: join it, queue behind it, be refused, or take its place"
    )
    wait: Literal["true", "false"] = Field(
        default="true", description="false answers with the run instead of its stream"
    )
    cancel_on_disconnect: Literal["true", "false"] = Field(
        default="false", alias="cancel_on_disconnect", description="true: whoever leaves the stream stops the run"
    )


class RunFilter(MaybeOwner):
    branch_id: Id | None = Field(default=None, description="only those of this branch")
    agent: Id | None = Field(default=None, description="such as topic or tutor")
    state: Annotated[str, StringConstraints(max_length=200)] | None = Field(
        default=None,
        description="one or several, with commas, such as running,waiting_on_human",
    )
    before: Id | None = Field(default=None, description="the id of the run after which the list goes on")
    limit: PageSize | None = Field(default=None, description="50 by default, at most 200")


class ChangeFilter(Asked):
    before: Id | None = Field(default=None, description="the id of the change after which the list goes on")
    limit: PageSize | None = Field(default=None, description="50 by default, at most 200")


class SourceSearch(Asked):
    q: Annotated[str, StringConstraints(max_length=300)] = Field(
        default="", description="words that stand in the passages; without any, none is found"
    )


class PassagePlace(Asked):
    """All passages; with `limit` only so many, the first or those next to the passage `after` or `before`."""

    after: Id | None = None
    before: Id | None = None
    limit: PageSize | None = None


class RunAnswer(Asked):
    answer: Annotated[str, StringConstraints(min_length=1, max_length=20_000)] = Field(
        description="in words, or one of the choices as it is"
    )
    result: Annotated[str, StringConstraints(max_length=20_000)] | None = Field(
        default=None, description="what a call in doubt has brought, where it has happened"
    )


class Cursor(Asked):
    after: str | None = Field(default=None, description="the id of the last event that the client has")
    cancel_on_disconnect: Literal["true", "false"] = Field(
        default="false", alias="cancel_on_disconnect", description="true: whoever leaves the stream stops the run"
    )


class Cursors(Asked):
    after: str | None = Field(default=None, description="the id of the last event of this stream that the client has")
    follow: Literal["true", "false"] = Field(
        default="true", description="false ends the stream once all that there is was told"
    )
