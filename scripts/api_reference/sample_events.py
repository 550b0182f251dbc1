"""One event of every kind, as it could come in a lesson about light: what the page of events shows."""

from sprout.events import (
    AgentDone,
    AgentError,
    AgentStart,
    AssessmentRow,
    BlockSnapshot,
    Caps,
    CardReady,
    CardShown,
    CheckpointQuestion,
    ContestSettled,
    ContextCompacted,
    CriterionShown,
    DiagnosticStatus,
    EdgeCreated,
    EdgeEnds,
    EdgeRemoved,
    Event,
    Graded,
    Guardrail,
    MasteryChanged,
    MessageBlock,
    MessageDelta,
    MessageReset,
    ModelRetry,
    ModelSwitched,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
    QuestionReady,
    QuestionShown,
    ReasoningBlock,
    ReasoningDelta,
    Reconnect,
    Resync,
    RunDone,
    RunQueued,
    RunResumed,
    RunStarted,
    RunWaiting,
    ThinkingBlock,
    ThinkingDelta,
    ToolCalled,
    ToolFinished,
    Usage,
    UsageReported,
    WaitingOnHuman,
)
from sprout.learning.paths.repository import DEFAULT_USER_ID

RUN = "01a20204-2837-7468-9c64-fee0afd4828e"
AT = "2026-11-22T09:00:00.000Z"
USAGE = Usage(input_tokens=120, output_tokens=340, cache_write_tokens=2100, cache_read_tokens=6300, cost_usd=0.0093)
NODE = NodeRow(
    id="01a20204-2def-76d3-a142-e8a67067d6c8",
    user_id=DEFAULT_USER_ID,
    type="concept",
    branch_id="01a20204-21bb-77b6-b0ec-0e85931d4aea",
    parent_id="01a20204-2419-72ac-9e0e-6b52ccaa80f5",
    title="Refraction",
    desc="Why light changes its direction at a surface.",
    created_at=AT,
    updated_at=AT,
)
EDGE = EdgeEnds(source_node_id="01a20204-2de1-70a5-8c15-1c30a5a0c3f7", target_node_id=NODE.id)
ASSESSMENT = AssessmentRow(
    id="01a20204-3548-701e-9492-3ccfe73dc281",
    user_id=DEFAULT_USER_ID,
    target_node_id=NODE.id,
    type="diagnostic",
    title="Diagnostic for Refraction",
    created_at=AT,
    completed_at=None,
)
ASKED = "01a20204-5431-74c3-b11b-7d90d1fe19b4"
PROMPT = "Why does a straw in water look broken?"
CRITERION = CriterionShown(label="the change of direction", verdict="met", span="the light bends")


def sample_events() -> list[Event]:
    """Every kind once, in the order of the union."""
    return [event if event.kind in UNOWNED_EVENTS else event.model_copy(update=_common(event)) for event in _EVENTS]


def _common(event: Event) -> dict[str, str]:
    agent = "tutor" if event.kind in TUTOR_EVENTS else "topic"
    return {"agent": agent, "run_id": RUN, "at": AT}


UNOWNED_EVENTS = {"resync", "reconnect"}
TUTOR_EVENTS = {
    "message_delta",
    "message",
    "message_reset",
    "checkpoint_question",
    "graded",
    "mastery_changed",
    "card_ready",
}
_EVENTS: list[Event] = [
    RunStarted(lane=f"topic:{NODE.parent_id}", model="claude-opus-5-5", caps=Caps(iterations=15), offline=False),
    RunQueued(position=1),
    RunResumed(attempt=2, cause="cut_off"),
    AgentStart(),
    AgentDone(reason="end_turn", usage=USAGE, concept_count=6, rationale="From mirrors, which are seen, to waves."),
    AgentError(code="overloaded", message="The model is overloaded. Try again in a minute.", retryable=True),
    ReasoningDelta(block_id="b1", text="First what a mirror "),
    ReasoningBlock(block_id="b1", text="First what a mirror does, since it can be seen."),
    ThinkingDelta(block_id="b2", text="The notes speak of "),
    ThinkingBlock(block_id="b2", text="The notes speak of the normal before they say what it is."),
    MessageDelta(block_id="b3", text="Light goes slower "),
    MessageBlock(block_id="b3", text="Light goes slower in water than in air."),
    BlockSnapshot(of="message_delta", block_id="b3", text="Light goes slower "),
    MessageReset(block_id="b3"),
    ToolCalled(call_id="c1", tool="save_concept", input={"title": NODE.title, "desc": NODE.desc}),
    ToolFinished(
        call_id="c1", tool="save_concept", summary='{"saved":true,"position":2}', ok=True, duration_ms=12, attempts=1
    ),
    NodeCreated(node=NODE),
    NodeUpdated(node=NODE, reason="Two answers took reflection for refraction."),
    NodeRemoved(node_id=NODE.id, reason="All its parts are mastered already."),
    EdgeCreated(edge=EDGE),
    EdgeRemoved(source_node_id=EDGE.source_node_id, target_node_id=EDGE.target_node_id, reason="A bridge is between."),
    DiagnosticStatus(concept_node_id=NODE.id, assessment=ASSESSMENT, answered_count=1, required_answers=3),
    QuestionReady(
        concept_node_id=NODE.id,
        question=QuestionShown(
            id=ASKED,
            assessment_id=ASSESSMENT.id,
            node_id=NODE.id,
            format="open_ended",
            prompt=PROMPT,
            options=None,
            difficulty=3,
        ),
    ),
    CheckpointQuestion(question_id=ASKED, prompt=PROMPT, type="text"),
    Graded(
        question_id=ASKED,
        answer_id="01a20204-553d-71e0-a746-694eeadef01c",
        state="graded",
        score=0.5,
        correct=False,
        criteria=[CRITERION],
        next_step="Say what the light passes between where it bends.",
        help_level=0,
    ),
    MasteryChanged(node_id=NODE.id, mastery=0.62, evidence=3, completed=False, mastered=False),
    ContestSettled(question_id=ASKED, outcome="held", says="It was solved again, and its answer holds."),
    CardReady(
        node_id=NODE.id,
        card=CardShown(id="k1", kind="example", title="A straw in water", body="Seen **from the side**, it is broken."),
    ),
    ModelRetry(attempt=1, of=10, delay_ms=500, why="The model is overloaded."),
    ModelSwitched(from_model="claude-opus-5-5", to_model="claude-sonnet-5-5", why="The model is overloaded."),
    ContextCompacted(rung="clear", tokens_before=152_000, tokens_after=61_000),
    Guardrail(level=1, tool="save_concept", noticed="save_concept was called three times with the same arguments"),
    WaitingOnHuman(
        question="Which of the two courses are the notes from?",
        choices=["The first", "The second"],
        why="The agent asks.",
    ),
    RunWaiting(question="Which of the two courses are the notes from?", choices=None),
    UsageReported(usage=USAGE),
    Resync(why="The log has no such event: here it is from its start."),
    Reconnect(retry_ms=1400),
    RunDone(status="completed", reason="end_turn", usage=USAGE),
]
