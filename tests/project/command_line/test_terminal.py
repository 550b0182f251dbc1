"""Terminal output of a run."""

import io

from rich.console import Console, RenderableType

from sprout.commands.terminal import RunView
from sprout.events import (
    AgentDone,
    AgentError,
    Caps,
    EdgeCreated,
    EdgeEnds,
    Event,
    MessageReset,
    ModelRetry,
    NodeCreated,
    NodeRow,
    QuestionReady,
    QuestionShown,
    ReachedLimit,
    ReasoningBlock,
    ReasoningDelta,
    RunDone,
    RunStarted,
    ToolCalled,
    ToolFinished,
    Usage,
    UsageReported,
)

SPENT = Usage(input_tokens=1_200, output_tokens=345, cost_usd=0.0123)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(renderable: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=160, force_terminal=False)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def lines(view: RunView, *events: Event) -> list[str]:
    return [line.plain for event in events for line in view.update(event)]


def a_view(clock: Clock | None = None) -> RunView:
    view = RunView("Light", clock=clock or Clock())
    view.update(_started("root", "topic"))
    return view


def test_a_tool_of_the_topic_agent_becomes_a_readable_line_once_it_has_worked() -> None:
    view = a_view()
    called = ToolCalled(run_id="root", call_id="1", tool="save_concept", input={"title": "Rays", "desc": "Straight."})
    assert lines(view, called) == []
    assert lines(view, _finished("root", "1", "save_concept")) == ["✓ saved concept “Rays”"]


def test_a_helpers_tools_are_told_in_one_line_when_it_is_done() -> None:
    view = a_view()
    view.update(_started("child", "subconcept_bootstrap:Rays"))
    for number in range(3):
        called = ToolCalled(
            run_id="child", call_id=str(number), tool="save_subconcept", input={"title": f"Part {number}"}
        )
        assert lines(view, called) == []
        assert lines(view, _finished("child", str(number), "save_subconcept")) == []
    done = AgentDone(run_id="child", agent="subconcept_bootstrap:Rays", reason="end_turn", usage=SPENT)
    assert lines(view, done) == ["✓ Rays: 3 subconcepts"]


def test_M3_a_helper_that_ended_early_says_at_which_limit() -> None:
    view = a_view()
    view.update(_started("child", "subconcept_bootstrap:Rays"))
    limit = ReachedLimit(unit="tokens", amount=4_000)
    done = AgentDone(run_id="child", agent="x", reason="budget", usage=SPENT, reached_limit=limit)
    assert lines(view, done) == ["! Rays: spent its budget of 4,000 tokens"]
    view.update(_started("other", "subconcept_bootstrap:Mirrors"))
    declined = AgentDone(run_id="other", agent="x", reason="refusal", usage=SPENT)
    assert lines(view, declined) == ["! Mirrors: was declined by the model"]


def test_a_tool_that_failed_says_why_also_for_a_helper() -> None:
    view = a_view()
    view.update(_started("child", "subconcept_bootstrap:Rays"))
    view.update(ToolCalled(run_id="child", call_id="1", tool="save_subconcept", input={"title": "Rays"}))
    failed = _finished("child", "1", "save_subconcept", ok=False, summary="There already is 'Rays'")
    assert lines(view, failed) == ["✗ Rays: save subconcept: There already is 'Rays'"]


def test_a_wait_for_the_model_is_shown_as_what_it_is() -> None:
    retry = ModelRetry(run_id="root", attempt=2, of=10, delay_ms=4_000, why="The model is overloaded")
    assert lines(a_view(), retry) == ["… The model is overloaded, trying again in 4.0 s (2 of 10)"]


def test_control_characters_of_a_model_never_reach_the_terminal() -> None:
    hostile = "\x1b[2Jgone\x07 \x9b31m [red]not markup[/red]\r\nnext \u202eline"
    view = a_view()
    view.update(NodeCreated(node=_node("c", "concept", hostile)))
    printed = lines(
        view,
        ReasoningBlock(run_id="root", block_id="b", text=hostile),
        AgentError(run_id="root", code="x", message=hostile, retryable=False),
    )
    everything = "".join([*printed, shown(view.path()), shown(view.status())])
    assert "[red]not markup[/red]" in everything
    assert not {"\x1b", "\x07", "\x9b", "\r", "\u202e"} & set(everything)


def test_what_the_topic_agent_says_is_told_when_it_goes_on() -> None:
    view = a_view()
    assert lines(view, ReasoningBlock(run_id="root", block_id="b", text="First the basics.")) == []
    called = ToolCalled(run_id="root", call_id="1", tool="save_concept", input={"title": "Rays"})
    assert lines(view, called) == ["First the basics."]


def test_its_last_words_are_the_rationale_and_told_once() -> None:
    view = a_view()
    event = ReasoningBlock(run_id="root", block_id="b", text="It begins with rays.\n")
    done = AgentDone(run_id="root", agent="topic", reason="end_turn", usage=SPENT, rationale="It begins with rays.")
    assert lines(view, event, done) == []
    assert view.rationale == "It begins with rays."


def test_the_status_follows_the_text_that_is_being_written_and_forgets_what_was_withdrawn() -> None:
    view = a_view()
    view.update(ReasoningDelta(run_id="root", block_id="b", text="First I think "))
    view.update(ReasoningDelta(run_id="root", block_id="b", text="about rays"))
    assert "First I think about rays" in shown(view.status())
    view.update(MessageReset(run_id="root", block_id="b"))
    view.update(ReasoningDelta(run_id="root", block_id="b", text="Again"))
    assert "First" not in shown(view.status())


def test_time_tokens_and_cost_tick_and_end_with_the_runs_own_figures() -> None:
    clock = Clock()
    view = a_view(clock)
    clock.now += 12
    view.update(UsageReported(run_id="root", usage=SPENT))
    assert view.figures() == "12 s · 1,200 tokens read · 345 written · $0.0123"
    view.update(RunDone(run_id="root", status="completed", reason="end_turn", usage=SPENT.plus(SPENT)))
    assert view.figures() == "12 s · 2,400 tokens read · 690 written · $0.0246"


def test_a_free_run_says_so() -> None:
    view = RunView("Light", clock=Clock())
    view.update(_started("root", "topic", offline=True))
    assert view.figures().endswith("free, offline demo model")


def test_the_path_shows_what_builds_on_what() -> None:
    view = a_view()
    for node in (
        _node("a", "concept", "Rays"),
        _node("b", "concept", "Mirrors"),
        _node("c", "subconcept", "Plane", "b"),
    ):
        view.update(NodeCreated(node=node))
    view.update(EdgeCreated(edge=EdgeEnds(source_node_id="a", target_node_id="b")))
    view.update(QuestionReady(concept_node_id="b", question=_question()))
    tree = [line.rstrip() for line in shown(view.path()).splitlines()]
    assert tree == [
        "Light",
        "├── Rays",
        "└── Mirrors  ← Rays",
        "    ├── Plane",
        "    └── 1 diagnostic question",
    ]


def _started(run_id: str, agent: str, *, offline: bool = False) -> RunStarted:
    return RunStarted(
        run_id=run_id, agent=agent, lane="topic:1", model="some-model", caps=Caps(iterations=15), offline=offline
    )


def _finished(run_id: str, call_id: str, tool: str, *, ok: bool = True, summary: str = "saved") -> ToolFinished:
    return ToolFinished(run_id=run_id, call_id=call_id, tool=tool, summary=summary, ok=ok, duration_ms=3, attempts=1)


def _node(node_id: str, kind: str, title: str, parent_id: str = "root") -> NodeRow:
    return NodeRow.model_validate(
        {"id": node_id, "user_id": "u", "type": kind, "branch_id": "x", "parent_id": parent_id, "title": title}
        | {"desc": None, "created_at": "2026-11-20T12:00:00.000Z", "updated_at": "2026-11-20T12:00:00.000Z"}
    )


def _question() -> QuestionShown:
    return QuestionShown(
        id="q", assessment_id="s", node_id=None, format="open_ended", prompt="Why?", options=None, difficulty=1
    )
