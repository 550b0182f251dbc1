"""Everything that can happen in a run, as one union: the log stores it, SSE sends it, the browser reduces it.

On the wire an event is its `kind` (the SSE event name) and one line of JSON with camelCase fields.
Deltas are sent while a block grows and are not durable: the block that they add up to is stored when it
completes. Neither are the control messages of a stream.
"""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """A frozen value with camelCase names on the wire that refuses unknown fields."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


class Usage(Wire):
    """Tokens and money, summed over model calls; failed attempts count too."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    cost_usd: float = 0.0

    def plus(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
        )


class ReachedLimit(Wire):
    """The limit at which a run ended; `amount` is its size in this unit."""

    unit: Literal["iterations", "tokens", "usd", "seconds"]
    amount: float = Field(gt=0)


class Caps(Wire):
    """Limits of a run's spending; None means no limit."""

    iterations: int = Field(description="model calls")
    tokens: int | None = None
    cost_usd: float | None = None


class NodeRow(Wire):
    """A node as the wire contract §1.1 has it: `null` where there is nothing, never left out."""

    id: str
    user_id: str
    type: Literal["root", "concept", "subconcept"]
    branch_id: str | None
    parent_id: str | None
    title: str
    desc: str | None
    accuracy_score: float = 0.0
    created_at: str
    updated_at: str


class EdgeEnds(Wire):
    """An edge by its two ends; the source is the prerequisite."""

    source_node_id: str = Field(description="what comes before")
    target_node_id: str = Field(description="what builds on it")


class AssessmentRow(Wire):
    """A diagnostic, a quiz or a recall about a node; `completedAt` is null until it is over."""

    id: str
    user_id: str
    target_node_id: str
    type: Literal["diagnostic", "quiz", "recall"]
    title: str | None
    created_at: str
    completed_at: str | None


class QuestionShown(Wire):
    """A question as a learner may see it: no answer, no criteria."""

    id: str
    assessment_id: str
    node_id: str | None
    format: Literal["mcq", "open_ended"]
    prompt: str
    options: list[str] | None
    difficulty: int


AnswerType = Literal["text", "code", "draw", "mcq"]
ResumeCause = Literal["cut_off", "answered", "asked"]
QuestionKind = Literal["question", "permission", "in_doubt", "changed", "context"]


class _Event(Wire):
    """Fields of every event: acting agent, run, and time (ISO 8601, UTC)."""

    durable: ClassVar[bool] = True

    agent: str | None = Field(default=None, description="who acts, such as topic or subconcept_bootstrap:<concept>")
    run_id: str | None = Field(default=None, description="of the run that did it: the root, or one that it has started")
    at: str | None = Field(default=None, description="when, in UTC")


class _Delta(_Event):
    """A piece of a block that is growing: its texts, in the order of arrival, are the block so far."""

    durable: ClassVar[bool] = False

    block_id: str = Field(description="of the block that grows")
    text: str = Field(description="what has come since the last delta")


class RunStarted(_Event):
    """The run is under way: the first event of a run, after `run_queued` where others were before it in its lane."""

    kind: Literal["run_started"] = "run_started"
    lane: str = Field(description="one run at a time is in a lane: one node and one kind of work")
    model: str
    caps: Caps
    offline: bool = Field(description="whether the built-in model is used")


class RunQueued(_Event):
    """The run waits for those before it in its lane; sent again when its position changes."""

    kind: Literal["run_queued"] = "run_queued"
    position: int = Field(ge=0, description="how many runs are before it")


class RunResumed(_Event):
    """The run is taken up again, for the `attempt`-th time: its text in flight is void, its open calls begin again."""

    kind: Literal["run_resumed"] = "run_resumed"
    attempt: int = Field(ge=1)
    cause: ResumeCause = Field(description="it was interrupted, a person answered, or a person requested it")


class AgentStart(_Event):
    """An agent begins to work; a helper of it says so too, in the same log."""

    kind: Literal["agent_start"] = "agent_start"


class AgentDone(_Event):
    """An agent came to its end; `reason` is one of the loop's endings."""

    kind: Literal["agent_done"] = "agent_done"
    reason: str
    usage: Usage
    concept_count: int | None = Field(default=None, description="of a topic: how many concepts the path has")
    rationale: str | None = Field(default=None, description="why the path is as it is, in the agent's words")
    rationale_code: str | None = Field(
        default=None, description="names the rationale, where it is in Sprout's own words"
    )
    reached_limit: ReachedLimit | None = Field(default=None, description="the limit that ended it, if one did")


class AgentError(_Event):
    """An agent failed. `message` is for a person and says what to do; it is never the provider's raw text."""

    kind: Literal["agent_error"] = "agent_error"
    code: str = Field(description="for programs, such as overloaded or bad_key")
    message: str
    params: dict[str, str | float] = Field(default={}, description="the values in the message, by name")
    retryable: bool = Field(description="whether the same run can succeed when it is tried again")
    reached_limit: ReachedLimit | None = Field(default=None, description="the limit that ended it, if one did")


class ReasoningDelta(_Delta):
    """Words of an agent on its way, while they are written."""

    kind: Literal["agent_reasoning_delta"] = "agent_reasoning_delta"


class ReasoningBlock(_Event):
    """Words of an agent on its way, whole."""

    kind: Literal["agent_reasoning"] = "agent_reasoning"
    block_id: str
    text: str


class ThinkingDelta(_Delta):
    """A piece of what a model thinks, where it shows that."""

    kind: Literal["thinking_delta"] = "thinking_delta"


class ThinkingBlock(_Event):
    """A model's complete thinking before its reply, where the model shows it."""

    kind: Literal["thinking"] = "thinking"
    block_id: str
    text: str


class MessageDelta(_Delta):
    """Words of the tutor to the learner, while they are written."""

    kind: Literal["message_delta"] = "message_delta"


class MessageBlock(_Event):
    """Words of the tutor to the learner, whole."""

    kind: Literal["message"] = "message"
    block_id: str
    text: str


class BlockSnapshot(_Event):
    """On (re)connect: the text so far of a block in flight; `of` is the kind of its deltas."""

    durable: ClassVar[bool] = False

    kind: Literal["block_snapshot"] = "block_snapshot"
    of: Literal["agent_reasoning_delta", "thinking_delta", "message_delta"]
    block_id: str
    text: str


class MessageReset(_Event):
    """The block belongs to an attempt that was given up; clients drop its text."""

    kind: Literal["message_reset"] = "message_reset"
    block_id: str


class ToolCalled(_Event):
    """A tool is about to run; fields of `input` that are secret have been removed."""

    kind: Literal["tool_call"] = "tool_call"
    call_id: str = Field(description="the same as in its tool_result")
    tool: str
    input: dict[str, JsonValue]


class ToolFinished(_Event):
    """A tool call is over; `summary` says in at most 200 characters what came of it."""

    kind: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    summary: str
    ok: bool
    duration_ms: int
    attempts: int = Field(description="how often it was tried")


class NodeCreated(_Event):
    """A node of the path: newly created, or sent again when an existing path is opened."""

    kind: Literal["node_created"] = "node_created"
    node: NodeRow
    reason: str | None = None


class NodeUpdated(_Event):
    """A node has another title or description, or another place."""

    kind: Literal["node_updated"] = "node_updated"
    node: NodeRow
    reason: str | None = None


class NodeRemoved(_Event):
    """A node is out of the path, and with it every edge that touched it."""

    kind: Literal["node_removed"] = "node_removed"
    node_id: str
    reason: str | None = None


class EdgeCreated(_Event):
    """One node now precedes another; both were sent before."""

    kind: Literal["edge_created"] = "edge_created"
    edge: EdgeEnds
    reason: str | None = None


class EdgeRemoved(_Event):
    """One node does not come before another any more."""

    kind: Literal["edge_removed"] = "edge_removed"
    source_node_id: str
    target_node_id: str
    reason: str | None = None


class DiagnosticStatus(_Event):
    """Progress of a concept's diagnostic, sent when the concept is opened."""

    kind: Literal["diagnostic_status"] = "diagnostic_status"
    concept_node_id: str
    assessment: AssessmentRow
    answered_count: int
    required_answers: int = Field(description="how many questions there are")


class QuestionReady(_Event):
    """A question of a diagnostic can be asked: its key was checked, or needed no check."""

    kind: Literal["question_ready"] = "question_ready"
    concept_node_id: str
    question: QuestionShown


class ReadingShown(Wire):
    """A stretch of the learner's document to read before a question about it, and its place.

    Args:
        text: Markdown.
        own_words: whether the answer is in own words, which the learner compares with what the passage says.
        settled_by: the pieces of `text` that settle the question, word for word; empty until it is settled.
    """

    passage_id: str = Field(description="of the passage that it begins with")
    document_id: str
    document: str
    heading: str | None
    page: int | None
    slides: bool
    text: str
    own_words: bool
    settled_by: list[str]


class CheckpointQuestion(_Event):
    """A question that the tutor asks; `type` is how it is answered, `options` are those of an mcq, `reading` is what it
    is about in the learner's documents."""

    kind: Literal["checkpoint_question"] = "checkpoint_question"
    question_id: str
    prompt: str
    type: AnswerType
    options: list[str] | None = None
    reading: ReadingShown | None = None


Mark = Literal["met", "partly", "missing"]


class CriterionShown(Wire):
    """A criterion as a learner sees it: its label, whether it is met, and the quoted words that show it."""

    label: str
    verdict: Mark | None
    span: str


class ComparedCriterionShown(Wire):
    """One thing that the model answer does, for the learner to tick."""

    id: str
    label: str
    statement: str


class Compare(Wire):
    """The learner's answer and the model answer, to be compared by the learner; `misconceptions` are expected ones.

    `yours` is what was written, beside a drawing if the answer is one (`drawn`).
    """

    answer_id: str
    yours: str
    drawn: bool
    model_answer: str
    criteria: list[ComparedCriterionShown]
    misconceptions: list[str]


GradeStateShown = Literal["graded", "self_marked", "unsure", "ungraded"]


class Graded(_Event):
    """The grade of an answer; without a mark, `score` is null and `state` gives the reason. Never contains the key."""

    kind: Literal["graded"] = "graded"
    question_id: str
    answer_id: str
    state: GradeStateShown
    score: float | None
    correct: bool | None
    criteria: list[CriterionShown]
    next_step: str
    help_level: int = Field(ge=0, le=4, description="how much help was given before, from none to the solution")


class MasteryChanged(_Event):
    """`evidence` counts the graded answers about the node; `completed` says that it is learned."""

    kind: Literal["mastery_changed"] = "mastery_changed"
    node_id: str
    mastery: float = Field(ge=0, le=1)
    evidence: int
    completed: bool
    mastered: bool


class ContestSettled(_Event):
    """Outcome of a dispute about a question: a wrong question is not asked again. Never contains the key."""

    kind: Literal["contest_settled"] = "contest_settled"
    question_id: str
    outcome: Literal["wrong", "held", "unsettled"]
    says: str


class CardShown(Wire):
    """A card beside the conversation; `body` is Markdown, of a diagram Mermaid or SVG as `format` says."""

    id: str
    kind: Literal["example", "exercise", "diagram", "care"]
    title: str
    format: Literal["markdown", "mermaid", "svg"] = "markdown"
    body: str


class CardReady(_Event):
    """A card stands beside the conversation: an example, an exercise, a diagram, or whom to turn to."""

    kind: Literal["card_ready"] = "card_ready"
    node_id: str
    card: CardShown


class ModelRetry(_Event):
    """A model call failed and is tried again; `why` is in plain words, `code` and `params` say it to programs."""

    kind: Literal["model_retry"] = "model_retry"
    attempt: int = Field(description="the one that comes, from 1")
    of: int
    delay_ms: int
    why: str
    code: str = Field(default="", description="of the failure, such as overloaded")
    params: dict[str, str | float] = Field(default={}, description="the values in `why`, by name")


class ModelSwitched(_Event):
    """Another model goes on with the run, such as the fallback while the first is overloaded."""

    kind: Literal["model_switched"] = "model_switched"
    from_model: str = Field(serialization_alias="from", validation_alias=AliasChoices("from_model", "from"))
    to_model: str = Field(serialization_alias="to", validation_alias=AliasChoices("to_model", "to"))
    why: str
    code: str = Field(default="", description="of the failure that it was switched for, such as overloaded")
    params: dict[str, str | float] = Field(default={}, description="the values in `why`, by name")


class ContextCompacted(_Event):
    """The conversation was made shorter so that it fits the model; what is stored stays whole."""

    kind: Literal["context_compacted"] = "context_compacted"
    rung: str = Field(description="how: clear, summary, prune, deep_prune, collapse or truncate")
    tokens_before: int
    tokens_after: int


class Guardrail(_Event):
    """The loop noticed something and stepped in: a repaired tool name, a thrash, a nudge."""

    kind: Literal["guardrail"] = "guardrail"
    level: int = Field(description="1 a hint to the model, 2 an order, 3 a person is asked; 0 a repair")
    tool: str | None
    noticed: str = Field(description="in plain words")


class WaitingOnHuman(_Event):
    """The run waits for a person: `POST /api/runs/{id}/answer` has it go on. No time runs meanwhile."""

    kind: Literal["waiting_on_human"] = "waiting_on_human"
    of: QuestionKind = Field(default="question", description="`question` is in the words of the model, others are ours")
    question: str
    choices: list[str] | None
    why: str
    tool: str | None = Field(default=None, description="the tool that the question is about")


class RunWaiting(_Event):
    """The run waits for a person, and the stream that its request opened ends: `GET /api/runs/{id}` shows the question,
    `POST /api/runs/{id}/answer` has it go on, and `GET /api/runs/{id}/events` follows it further."""

    durable: ClassVar[bool] = False

    kind: Literal["run_waiting"] = "run_waiting"
    question: str
    choices: list[str] | None


class UsageReported(_Event):
    """After each model call: the usage of that call alone."""

    kind: Literal["usage"] = "usage"
    usage: Usage


class Resync(_Event):
    """The cursor cannot be continued: drop what is shown, the log follows from its start."""

    durable: ClassVar[bool] = False

    kind: Literal["resync"] = "resync"
    why: str


class Reconnect(_Event):
    """The server goes away: come back after `retry_ms`."""

    durable: ClassVar[bool] = False

    kind: Literal["reconnect"] = "reconnect"
    retry_ms: int = Field(description="also sent as the SSE field retry")


class RunDone(_Event):
    """Always the last event of a root run, always exactly one."""

    kind: Literal["run_done"] = "run_done"
    status: Literal["completed", "failed", "cancelled", "timed_out"]
    reason: str = Field(description="how it ended, such as end_turn, max_iterations, budget or cancelled")
    usage: Usage
    reached_limit: ReachedLimit | None = Field(default=None, description="the limit that ended it, if one did")


GraphEvent = NodeCreated | NodeUpdated | NodeRemoved | EdgeCreated | EdgeRemoved

Event = Annotated[
    RunStarted
    | RunQueued
    | RunResumed
    | AgentStart
    | AgentDone
    | AgentError
    | ReasoningDelta
    | ReasoningBlock
    | ThinkingDelta
    | ThinkingBlock
    | MessageDelta
    | MessageBlock
    | BlockSnapshot
    | MessageReset
    | ToolCalled
    | ToolFinished
    | NodeCreated
    | NodeUpdated
    | NodeRemoved
    | EdgeCreated
    | EdgeRemoved
    | DiagnosticStatus
    | QuestionReady
    | CheckpointQuestion
    | Graded
    | MasteryChanged
    | ContestSettled
    | CardReady
    | ModelRetry
    | ModelSwitched
    | ContextCompacted
    | Guardrail
    | WaitingOnHuman
    | RunWaiting
    | UsageReported
    | Resync
    | Reconnect
    | RunDone,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)

BlockEnd = ReasoningBlock | ThinkingBlock | MessageBlock | MessageReset
BLOCK_ENDS = get_args(BlockEnd)
BLOCK_END_KINDS = frozenset(one.model_fields["kind"].default for one in BLOCK_ENDS)
LAST_EVENT_KIND = "run_done"  # of a root run


def wire_time(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`: the one sortable format on the wire."""
    in_utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)  # what a database gives is, thousands of times
    return in_utc.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def wire_data(event: Event) -> str:
    """One line of JSON: the event's fields without its kind, which travels as the SSE event name.

    The common fields are left out where they are unset; everything else stands, `null` included.
    """
    unset = {name for name in ("agent", "run_id", "at") if getattr(event, name) is None}
    return event.model_dump_json(exclude=unset | {"kind"})
