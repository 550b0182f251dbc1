"""Terminal view of a run: a line per event, a live status, and the path at the end."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue
from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from sprout.events import (
    AgentDone,
    AgentError,
    AgentStart,
    EdgeCreated,
    EdgeEnds,
    EdgeRemoved,
    Event,
    Guardrail,
    MessageDelta,
    MessageReset,
    ModelRetry,
    ModelSwitched,
    NodeCreated,
    NodeRemoved,
    NodeRow,
    NodeUpdated,
    QuestionReady,
    ReasoningBlock,
    ReasoningDelta,
    RunDone,
    RunQueued,
    RunStarted,
    ThinkingDelta,
    ToolCalled,
    ToolFinished,
    Usage,
    UsageReported,
    WaitingOnHuman,
)
from sprout.learning.text.normalization import one_line, tidy
from sprout.runs.ending import early_ending

MAX_LINE = 400
TAIL = 100
MAX_ACTIVE_LINES = 12

END_TEXTS = {
    "completed": ("The path is ready", "green"),
    "failed": ("The run failed", "red"),
    "cancelled": ("The run was stopped", "yellow"),
    "timed_out": ("The run exceeded the time limit", "yellow"),
    "waiting_on_human": ("The run is waiting for your answer: open the page of `sprout serve`", "yellow"),
}
TOOL_LINES: Mapping[str, Callable[[Mapping[str, JsonValue]], str]] = {
    "save_concept": lambda given: f"saved concept “{given.get('title')}”",
    "save_subconcept": lambda given: f"saved subconcept “{given.get('title')}”",
    "save_concept_edge": lambda given: f"“{given.get('source_title')}” comes before “{given.get('target_title')}”",
    "save_subconcept_edge": lambda given: f"“{given.get('source_title')}” comes before “{given.get('target_title')}”",
    "save_diagnostic_question": lambda given: f"wrote a question: {given.get('prompt')}",
    "extract_all_concept_contexts": lambda _: "looked up the concepts in the documents",
}
COUNTED_TOOLS = {
    "save_subconcept": ("subconcept", "subconcepts"),
    "save_subconcept_edge": ("edge", "edges"),
    "save_diagnostic_question": ("question", "questions"),
}


@dataclass(slots=True)
class _Agent:
    """An active agent: its start (monotonic seconds), its last activity, and its tool calls by tool."""

    label: str
    is_root: bool
    since: float
    activity: str = "starting"
    tool_counts: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """`topic`, or the concept of a child run."""
        return self.label.partition(":")[2] or self.label


@dataclass(slots=True)
class RunView:
    """The state of a run so far. Text of models and learners is shown without control characters.

    Args:
        clock: monotonic seconds.
    """

    topic: str
    clock: Callable[[], float] = time.monotonic
    usage: Usage = Usage()
    model: str = ""
    offline: bool = False
    rationale: str | None = None
    ending: RunDone | None = None
    nodes: dict[str, NodeRow] = field(default_factory=dict)
    edges: dict[EdgeEnds, None] = field(default_factory=dict)
    questions: Counter[str] = field(default_factory=Counter)
    _agents: dict[str, _Agent] = field(default_factory=dict)
    _calls: dict[str, ToolCalled] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _began: float | None = None
    _began_as: str | None = None
    _last_text: str = ""

    def update(self, event: Event) -> list[Text]:
        """Apply an event; the lines to print for it, often none."""
        if self._began is None:
            self._began = self.clock()
        return [*self._flush_text(event), *self._lines_for(event)]

    def _lines_for(self, event: Event) -> list[Text]:
        match event:
            case RunStarted() | RunQueued() | AgentStart() | AgentDone() | AgentError() | RunDone():
                return self._lifecycle(event)
            case NodeCreated() | NodeUpdated() | NodeRemoved() | EdgeCreated() | EdgeRemoved() | QuestionReady():
                return self._graph_change(event)
            case ToolCalled() | ToolFinished():
                return self._tool_lines(event)
            case ReasoningDelta() | ThinkingDelta() | MessageDelta() | MessageReset() | ReasoningBlock():
                return self._text_event(event)
            case UsageReported(usage=usage):
                self.usage = self.usage.plus(usage)
                return []
            case _:
                return self._notice(event)

    def status(self) -> RenderableType:
        """The live status: one line for each active agent, then time, tokens and cost."""
        active = list(self._agents.values())
        lines = [self._active_line(agent) for agent in active[:MAX_ACTIVE_LINES]]
        if len(active) > MAX_ACTIVE_LINES:
            lines.append(Text(f"  and {len(active) - MAX_ACTIVE_LINES} more agents", style="dim"))
        return Group(*lines, Text(self.figures(), style="dim"))

    def figures(self) -> str:
        """Time, tokens and cost so far in one line."""
        took = self.clock() - (self._began if self._began is not None else self.clock())
        cost = "free, offline demo model" if self.offline else f"${self.usage.cost_usd:.4f}"
        tokens = self.usage.input_tokens + self.usage.cache_read_tokens + self.usage.cache_write_tokens
        return f"{took:.0f} s · {tokens:,} tokens read · {self.usage.output_tokens:,} written · {cost}"

    def path(self) -> RenderableType:
        """The path as a tree: concepts in order with what they build on, and their subconcepts likewise."""
        tree = Tree(Text(_clean(self.topic), style="bold"))
        for concept in self._children_of_type("concept"):
            branch = tree.add(self._node_line(concept, style="bold"))
            for subconcept in self._children_of_type("subconcept", concept.id):
                branch.add(self._node_line(subconcept))
            count = self.questions[concept.id]
            if count:
                branch.add(Text(f"{count} diagnostic {'question' if count == 1 else 'questions'}", style="dim"))
        return tree

    def _lifecycle(self, event: Event) -> list[Text]:
        match event:
            case RunStarted(run_id=run_id, model=model, offline=offline):
                first = self._began_as is None
                self._began_as = self._began_as or run_id or ""
                self.model, self.offline = model, offline
                self._agents[run_id or ""] = _Agent(_clean(event.agent or "agent"), first, self.clock())
                if not first:
                    return []
                shown = "the offline demo model" if offline else model
                return [Text(f"Creating a path for “{_clean(self.topic)}” with {shown}", style="bold")]
            case RunQueued(position=position) if position > 0:
                return [Text(f"queued, {position} before this one", style="dim")]
            case AgentDone(rationale=rationale, reason=reason, reached_limit=limit):
                self.rationale = tidy(rationale) if rationale else self.rationale
                agent = self._agents.pop(event.run_id or "", None)
                early = early_ending(reason, limit)
                ended = [] if early is None else [_agent_line(agent, early, mark="!", style="yellow")]
                return [*self._summary(agent), *ended]
            case AgentError(message=message):
                agent = self._agents.pop(event.run_id or "", None)
                return [Text(f"{agent.name if agent else 'agent'}: {_clean(message)}", style="red")]
            case RunDone():
                self.ending = event
                self.usage = event.usage
                self._agents.clear()
        return []

    def _graph_change(self, event: Event) -> list[Text]:
        match event:
            case NodeCreated(node=node) | NodeUpdated(node=node):
                self.nodes[node.id] = node
            case NodeRemoved(node_id=node_id):
                self.nodes.pop(node_id, None)
            case EdgeCreated(edge=edge):
                self.edges[edge] = None
            case EdgeRemoved(source_node_id=source, target_node_id=target):
                self.edges.pop(EdgeEnds(source_node_id=source, target_node_id=target), None)
            case QuestionReady(concept_node_id=concept_id):
                self.questions[concept_id] += 1
        return []

    def _tool_lines(self, event: ToolCalled | ToolFinished) -> list[Text]:
        agent = self._agents.get(event.run_id or "")
        if isinstance(event, ToolCalled):
            self._calls[event.call_id] = event
            if agent:
                agent.activity = _call_text(event)
            return []
        call = self._calls.pop(event.call_id, None)
        if not event.ok:
            return [_agent_line(agent, f"{_tool_label(event.tool)}: {_clean(event.summary)}", mark="✗", style="yellow")]
        if agent is None or agent.is_root:
            return [_agent_line(agent, _call_text(call) if call else _tool_label(event.tool), mark="✓", style="green")]
        agent.tool_counts[event.tool] += 1
        return []

    def _text_event(self, event: Event) -> list[Text]:
        agent = self._agents.get(event.run_id or "")
        match event:
            case ReasoningDelta(block_id=block, text=text) | ThinkingDelta(block_id=block, text=text):
                self._texts[block] = (self._texts.get(block, "") + text)[-MAX_LINE:]
                if agent:
                    agent.activity = one_line(self._texts[block])[-TAIL:]
            case MessageReset(block_id=block):
                self._texts.pop(block, None)
            case ReasoningBlock(block_id=block, text=text):
                self._texts.pop(block, None)
                if agent is None or agent.is_root:
                    self._last_text = tidy(text)
        return []

    def _flush_text(self, event: Event) -> list[Text]:
        """The previous text of the topic agent; its last text is the rationale, which is printed at the end."""
        if event.run_id != self._began_as or not isinstance(
            event, ReasoningBlock | ToolCalled | AgentDone | AgentError
        ):
            return []
        words, self._last_text = self._last_text, ""
        if not words or (isinstance(event, AgentDone) and tidy(event.rationale or "") == words):
            return []
        return [Text(_clean(words), style="italic")]

    def _notice(self, event: Event) -> list[Text]:
        agent = self._agents.get(event.run_id or "")
        match event:
            case ModelRetry(why=why, delay_ms=delay_ms, attempt=attempt, of=of):
                after = f"trying again in {delay_ms / 1000:.1f} s ({attempt} of {of})"
                return [_agent_line(agent, f"{_clean(why)}, {after}", mark="…", style="yellow")]
            case ModelSwitched(from_model=old, to_model=new, why=why):
                return [
                    _agent_line(
                        agent, f"{_clean(why)}: continuing with {new} instead of {old}", mark="…", style="yellow"
                    )
                ]
            case Guardrail(noticed=noticed):
                return [_agent_line(agent, _clean(noticed), mark="!", style="yellow")]
            case WaitingOnHuman(question=question):
                return [_agent_line(agent, _clean(question), mark="?", style="cyan")]
        return []

    def _summary(self, agent: _Agent | None) -> list[Text]:
        if agent is None or agent.is_root or not agent.tool_counts:
            return []
        parts = [
            f"{agent.tool_counts[tool]} {words[agent.tool_counts[tool] != 1]}"
            for tool, words in COUNTED_TOOLS.items()
            if agent.tool_counts[tool]
        ]
        return [_agent_line(agent, ", ".join(parts) or "done", mark="✓", style="green")]

    def _active_line(self, agent: _Agent) -> Text:
        line = Text(f"  {agent.name} ", style="bold cyan")
        line.append(f"{self.clock() - agent.since:.0f} s ", style="dim")
        line.append(agent.activity)
        line.no_wrap, line.overflow = True, "ellipsis"
        return line

    def _children_of_type(self, kind: str, parent_id: str | None = None) -> list[NodeRow]:
        return [
            node
            for node in self.nodes.values()
            if node.type == kind and (parent_id is None or node.parent_id == parent_id)
        ]

    def _node_line(self, node: NodeRow, style: str = "") -> Text:
        line = Text(_clean(node.title), style=style)
        needed = [
            _clean(self.nodes[edge.source_node_id].title)
            for edge in self.edges
            if edge.target_node_id == node.id and edge.source_node_id in self.nodes
        ]
        if needed:
            line.append(f"  ← {', '.join(needed)}", style="not bold dim")
        return line


def _call_text(call: ToolCalled) -> str:
    line = TOOL_LINES.get(call.tool)
    return _clean(line(call.input)) if line else _tool_label(call.tool)


def _tool_label(tool: str) -> str:
    return _clean(tool.replace("_", " "))


def _agent_line(agent: _Agent | None, said: str, *, mark: str, style: str) -> Text:
    line = Text(f"{mark} ", style=style)
    if agent is not None and not agent.is_root:
        line.append(f"{agent.name}: ", style="bold")
    line.append(said, style="" if mark == "✓" else style)
    return line


def _clean(text: str) -> str:
    """Untrusted text on one line of limited length, without control characters."""
    line = one_line(text)
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…"
