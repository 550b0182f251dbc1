"""Everything that can happen in a run, as one union: the log stores it, SSE sends it, the browser reduces it.

On the wire an event is its `kind` (the SSE event name) and one line of JSON with camelCase fields.
Deltas are the only events that are not durable: they are sent while a block grows, and the block that
they add up to is stored when it completes.
"""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Literal

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


class Caps(Wire):
    """What a run may spend at most; None means without limit."""

    iterations: int
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

    source_node_id: str
    target_node_id: str


class AssessmentRow(Wire):
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


class _Event(Wire):
    """What every event carries: the acting agent, the run that did it, and when (ISO time, UTC)."""

    durable: ClassVar[bool] = True

    agent: str | None = None
    run_id: str | None = None
    at: str | None = None


class _Delta(_Event):
    durable: ClassVar[bool] = False

    block_id: str
    text: str


class RunStarted(_Event):
    kind: Literal["run_started"] = "run_started"
    lane: str
    model: str
    caps: Caps
    offline: bool


class RunQueued(_Event):
    kind: Literal["run_queued"] = "run_queued"
    position: int = Field(ge=0)


class RunResumed(_Event):
    """The run is taken up again, for the `attempt`-th time: its text in flight is void, its open calls begin again."""

    kind: Literal["run_resumed"] = "run_resumed"
    attempt: int = Field(ge=1)
    cause: ResumeCause


class AgentStart(_Event):
    kind: Literal["agent_start"] = "agent_start"


class AgentDone(_Event):
    """An agent came to its end; `reason` is one of the loop's endings."""

    kind: Literal["agent_done"] = "agent_done"
    reason: str
    usage: Usage
    concept_count: int | None = None
    rationale: str | None = None


class AgentError(_Event):
    """An agent failed. `message` is for a person and says what to do; it is never the provider's raw text."""

    kind: Literal["agent_error"] = "agent_error"
    code: str
    message: str
    retryable: bool


class ReasoningDelta(_Delta):
    kind: Literal["agent_reasoning_delta"] = "agent_reasoning_delta"


class Reasoning(_Event):
    kind: Literal["agent_reasoning"] = "agent_reasoning"
    block_id: str
    text: str


class ThinkingDelta(_Delta):
    kind: Literal["thinking_delta"] = "thinking_delta"


class Thinking(_Event):
    kind: Literal["thinking"] = "thinking"
    block_id: str
    text: str


class MessageDelta(_Delta):
    kind: Literal["message_delta"] = "message_delta"


class Message(_Event):
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
    call_id: str
    tool: str
    input: dict[str, JsonValue]


class ToolFinished(_Event):
    kind: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    summary: str
    ok: bool
    duration_ms: int
    attempts: int


class NodeCreated(_Event):
    kind: Literal["node_created"] = "node_created"
    node: NodeRow
    reason: str | None = None


class NodeUpdated(_Event):
    kind: Literal["node_updated"] = "node_updated"
    node: NodeRow
    reason: str | None = None


class NodeRemoved(_Event):
    kind: Literal["node_removed"] = "node_removed"
    node_id: str
    reason: str | None = None


class EdgeCreated(_Event):
    kind: Literal["edge_created"] = "edge_created"
    edge: EdgeEnds
    reason: str | None = None


class EdgeRemoved(_Event):
    kind: Literal["edge_removed"] = "edge_removed"
    source_node_id: str
    target_node_id: str
    reason: str | None = None


class DiagnosticStatus(_Event):
    kind: Literal["diagnostic_status"] = "diagnostic_status"
    concept_node_id: str
    assessment: AssessmentRow
    answered_count: int
    required_answers: int


class QuestionReady(_Event):
    kind: Literal["question_ready"] = "question_ready"
    concept_node_id: str
    question: QuestionShown


class CheckpointQuestion(_Event):
    """A question that the tutor asks; `type` is how it is answered, `options` are those of an mcq."""

    kind: Literal["checkpoint_question"] = "checkpoint_question"
    question_id: str
    prompt: str
    type: AnswerType
    options: list[str] | None = None


class CriterionShown(Wire):
    """What a learner sees of a criterion: its label, whether it is met, and the words of theirs that show it."""

    label: str
    verdict: Literal["met", "partly", "missing"] | None
    span: str


class Graded(_Event):
    """The grade of an answer; `score` is null and `state` says why where there is none. Never what is right."""

    kind: Literal["graded"] = "graded"
    question_id: str
    answer_id: str
    state: Literal["graded", "unsure", "ungraded"]
    score: float | None
    correct: bool | None
    criteria: list[CriterionShown]
    next_step: str
    help_level: int = Field(ge=0, le=4)


class MasteryChanged(_Event):
    """`evidence` counts the graded answers about the node."""

    kind: Literal["mastery_changed"] = "mastery_changed"
    node_id: str
    mastery: float = Field(ge=0, le=1)
    evidence: int
    completed: bool


class ContestSettled(_Event):
    """What became of a learner's word that a question is wrong: one that was is not asked any more. Never the key."""

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
    kind: Literal["card_ready"] = "card_ready"
    node_id: str
    card: CardShown


class ModelRetry(_Event):
    """A model call failed and is tried again; `why` is in plain words."""

    kind: Literal["model_retry"] = "model_retry"
    attempt: int
    of: int
    delay_ms: int
    why: str


class ModelSwitched(_Event):
    kind: Literal["model_switched"] = "model_switched"
    from_model: str = Field(serialization_alias="from", validation_alias=AliasChoices("from_model", "from"))
    to_model: str = Field(serialization_alias="to", validation_alias=AliasChoices("to_model", "to"))
    why: str


class ContextCompacted(_Event):
    kind: Literal["context_compacted"] = "context_compacted"
    rung: str
    tokens_before: int
    tokens_after: int


class Guardrail(_Event):
    """The loop noticed something and stepped in: a repaired tool name, a thrash, a nudge."""

    kind: Literal["guardrail"] = "guardrail"
    level: int
    tool: str | None
    noticed: str


class WaitingOnHuman(_Event):
    kind: Literal["waiting_on_human"] = "waiting_on_human"
    question: str
    choices: list[str] | None
    why: str


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
    retry_ms: int


class RunDone(_Event):
    """Always the last event of a root run, always exactly one."""

    kind: Literal["run_done"] = "run_done"
    status: Literal["completed", "failed", "cancelled", "timed_out"]
    reason: str
    usage: Usage


GraphEvent = NodeCreated | NodeUpdated | NodeRemoved | EdgeCreated | EdgeRemoved

Event = Annotated[
    RunStarted
    | RunQueued
    | RunResumed
    | AgentStart
    | AgentDone
    | AgentError
    | ReasoningDelta
    | Reasoning
    | ThinkingDelta
    | Thinking
    | MessageDelta
    | Message
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
    | UsageReported
    | Resync
    | Reconnect
    | RunDone,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


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
