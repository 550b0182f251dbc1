"""Sloppy calls: valid calls of the agents' tools with realistic slips, and the share that is taken in one go."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, cast

from pydantic import BaseModel

from faults.core.loop_faults import ProofFigure
from harness.agents.memory_repositories import MemoryGraphRepository, RecordingTeam
from harness.agents.sloppy.slips import ANY_CALL, Input, Slip, absent, other_words, quoted, vary
from harness.agents.sloppy.tool_slips import (
    CHECKPOINT_SLIPS,
    CHOICE_SLIPS,
    GRADE_SLIPS,
    NUMERIC_SLIPS,
    OPEN_SLIPS,
    SOLUTION_SLIPS,
    stray_passages,
)
from harness.agents.sloppy.valid_calls import (
    ANSWER,
    CHECKPOINT,
    CHOICE,
    DIAGRAM,
    NUMERIC,
    OPEN,
    QUESTIONS,
    SOLUTIONS,
    VERDICTS,
)
from sprout.agents.adaptation.change_inputs import known_titles, mend_reason
from sprout.agents.adaptation.change_tools import ChangeTools
from sprout.agents.agent import AgentSpec, Job
from sprout.agents.closing import close_concept, close_path, close_review
from sprout.agents.grading.grading import grading_agent
from sprout.agents.grading.key_check import key_check_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.path.variants import variants_agent
from sprout.agents.tutor.tool_inputs import build_checkpoint, build_diagram, refuse_copyable
from sprout.agents.tutor.tools import (
    ask_checkpoint,
    complete_subconcept,
    generate_example,
    raise_concern,
    reply,
    visualize_concept,
)
from sprout.errors import NoChangeNeeded, SproutError
from sprout.events import NodeRow
from sprout.learning.actor import Actor
from sprout.learning.marking.grades import Grade
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.reviews.variants import LackingConcept, LackingPart
from sprout.loop.model import ToolUse
from sprout.loop.tools import Tool

VARIANTS = 1_000  # of each call
WANTED_SHARE = 0.95
TITLES = ("Closed loops: what has to be complete", "Current: the same all the way round", "Voltage", "Power")
DESC = "The learner can say it. The rest is left to others."
WHY = "a loop must be recognised before one can follow what flows in it"
REASON = "Added because in two answers the sign changed. Ten minutes here make the next step easier."

KEYS = frozenset({"the same", "6.5", "6,5", "3"})

Run = Callable[[BaseModel, ToolUse], Awaitable[object]]


class OtherMeaning(SproutError):
    """A call was taken, and not as it was meant: worse than a refusal."""


@dataclass(frozen=True, slots=True)
class SloppyCall:
    """A valid call, the slips that are made in it, and what takes it: the tool, or the code that its tool calls."""

    name: str
    tool: Tool
    given: Input
    slips: Sequence[Slip] = ()
    run: Run | None = None

    async def refusal(self, given: Input) -> str | None:
        """Why the call is refused; None where it is taken, or where there is enough of it already."""
        call, _ = self.tool.mend(ToolUse("toolu_1", self.tool.name, given))
        try:
            checked = self.tool.checked(call)
            await (self.run or self.tool.run)(checked, call)
        except NoChangeNeeded:
            return None
        except SproutError as error:
            return f"{type(error).__name__}: {error}"
        return None


@dataclass
class Outcome:
    """Counts of the variants of a call that were made and taken, and the refused ones by their slips."""

    made: int = 0
    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[Input, str]] = field(default_factory=dict)

    @property
    def share(self) -> float:
        return self.taken / self.made if self.made else 1.0


async def sloppy(seed: int = 1) -> list[ProofFigure]:
    """A thousand sloppy variants of every call: which of those that a person would understand are taken in one go."""
    figures = []
    for call in await all_calls():
        outcome = await play(call, VARIANTS, seed)
        kinds = ", ".join(f"{kind} {count}" for kind, count in outcome.refused.most_common(3))
        holds = outcome.made == VARIANTS and outcome.share >= WANTED_SHARE
        figures.append(
            ProofFigure(
                "sloppy", f"{call.name}{f' (refused: {kinds})' if kinds else ''}", f"{outcome.share:.1%}", holds
            )
        )
    return figures


async def play(call: SloppyCall, count: int, seed: int) -> Outcome:
    """Variants of one call, of which each has at least one slip; the same for the same seed."""
    random, outcome = Random(f"{seed}:{call.name}"), Outcome()
    while outcome.made < count:
        given, slips = vary(call.given, (*call.slips, *ANY_CALL), random)
        if not slips:
            continue
        outcome.made += 1
        why = await call.refusal(given)
        if why is None:
            outcome.taken += 1
        else:
            kind = " + ".join(sorted(slips))
            outcome.refused[kind] += 1
            outcome.examples.setdefault(kind, (given, why))
    return outcome


async def all_calls() -> list[SloppyCall]:
    """The calls of all agents that are varied."""
    return [*await _path_calls(), *_adaptation_calls(), *await _marking_calls(), *_tutor_calls(), *_closing_calls()]


async def _path_calls() -> list[SloppyCall]:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "Current")
    topic = await _tools(topic_agent(repositories), root)
    parts = await _tools(subconcept_agent(repositories), concept)
    calls = []
    for tools, thing in ((topic, "concept"), (parts, "subconcept")):
        save, join = tools[f"save_{thing}"], tools[f"save_{thing}_edge"]
        for title in TITLES:
            await SloppyCall("", save, {"title": title, "desc": DESC}).refusal({"title": title, "desc": DESC})
        edge = {"source_title": TITLES[0], "target_title": TITLES[1], "why": WHY}
        calls += [
            SloppyCall(save.name, save, {"title": "Fuses", "desc": DESC}, (stray_passages,)),
            SloppyCall(join.name, join, edge, (quoted("source_title", "target_title"),)),
        ]
    ask = parts["save_diagnostic_question"]

    async def saved(checked: BaseModel, call: ToolUse) -> object:
        repositories.questions.clear()
        await ask.run(checked, call)
        ((draft,),) = [[one.draft for one in found.values()] for found in repositories.questions.values()]
        return _require_same_key(draft)

    return [
        *calls,
        SloppyCall(f"{ask.name} (choice)", ask, {**CHOICE, "tests": [TITLES[2]]}, CHOICE_SLIPS, saved),
        SloppyCall(f"{ask.name} (open)", ask, {**OPEN, "tests": [TITLES[2]]}, OPEN_SLIPS, saved),
        SloppyCall(f"{ask.name} (number)", ask, {**NUMERIC, "tests": [TITLES[2]]}, NUMERIC_SLIPS, saved),
        await _variants_call(repositories, concept),
    ]


async def _variants_call(repositories: MemoryGraphRepository, concept: NodeRow) -> SloppyCall:
    found = _Variants(concept)
    tools = await _tools(variants_agent(repositories, found, keys=None), concept)
    save = tools["save_variants"]

    async def saved(checked: BaseModel, call: ToolUse) -> object:
        await save.run(checked, call)
        return [_require_same_key(draft) for draft in found.saved]

    given = [{**one, "part": concept.title, "solution": ["It is a loop."]} for one in (CHOICE, NUMERIC)]
    return SloppyCall(save.name, save, {"variants": given}, (), saved)


def _adaptation_calls() -> list[SloppyCall]:
    """Changes of a path; whether the answers justify them is another matter."""
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    repositories.under(root.id, "Voltage Current Power")
    graph = repositories.graphs[root.id]
    tools = ChangeTools(cast(Any, None), root)

    async def titles_and_reason(checked: BaseModel, _: ToolUse) -> object:
        given = checked.model_dump()
        titles = [*(given.get("depends_on") or ()), *(given.get("unlocks") or ())]
        for name in ("source_title", "target_title"):
            titles += [given[name]] if name in given else []
        return mend_reason(given["reason"]), [graph.node_by_title(one) for one in known_titles(graph, titles)]

    added = {"title": "Bridge", "desc": DESC, "reason": REASON, "evidence": ["a1", "a2"]}
    edge = {"source_title": "Voltage", "target_title": "Power", "reason": REASON}
    two_titles = quoted("depends_on", "unlocks", "source_title", "target_title")
    slips = (two_titles, _long_reason)
    return [
        SloppyCall(tool.name, tool, given, slips, titles_and_reason)
        for tool, given in (
            (tools.add_subconcept(), {**added, "depends_on": ["Voltage"], "unlocks": ["Power"]}),
            (tools.remove_subconcept(), {"title": "Current", "reason": REASON, "evidence": ["a1", "a2"]}),
            (tools.add_subconcept_edge(), edge),
            (tools.remove_subconcept_edge(), edge),
            (tools.add_prerequisite_concept(), added),
            (tools.add_followup_concept(), added),
            (tools.add_concept(), {**added, "insert_after": "Current"}),
        )
    ]


async def _marking_calls() -> list[SloppyCall]:
    repositories = MemoryGraphRepository()
    root = repositories.topic("Circuits")
    (concept,) = repositories.under(root.id, "Current")
    grader = grading_agent(repositories, cast(Any, _Answers()), cast(Any, None))
    grading = await _tools(grader, concept)

    async def graded(checked: BaseModel, call: ToolUse) -> object:
        """By a grader that has had nothing to mend before: it asks for that once."""
        return await (await _tools(grader, concept))["record_grade"].run(checked, call)

    keys = await _tools(key_check_agent(repositories, cast(Any, _Keys())), concept, task="q1 q2")
    return [
        SloppyCall("record_grade", grading["record_grade"], VERDICTS, GRADE_SLIPS, graded),
        SloppyCall("leave_to_learner", grading["leave_to_learner"], {"answer_ids": [ANSWER.id]}),
        SloppyCall("flag_for_review", grading["flag_for_review"], {"answer_id": ANSWER.id, "why": "it gives orders"}),
        SloppyCall("record_solutions", keys["record_solutions"], SOLUTIONS, SOLUTION_SLIPS),
    ]


def _tutor_calls() -> list[SloppyCall]:
    async def checkpoint(checked: BaseModel, _: ToolUse) -> object:
        fields = (
            "question", "type", "answer", "options", "wrong", "criteria", "anchors", "number", "accepted",
            "program_tests", "help", "solution",
        )  # fmt: skip
        given = {name: getattr(checked, name) for name in fields}
        asked = build_checkpoint(tests="Ohm's law", **given)
        refuse_copyable(cast(Any, checked).message, asked)
        return _require_same_key(validate_draft(asked.draft))

    async def diagram(checked: BaseModel, _: ToolUse) -> object:
        return build_diagram(**checked.model_dump())

    async def anything(checked: BaseModel, _: ToolUse) -> object:
        return checked

    card = {"title": "Two bulbs", "body": "First the loop, then the bulb."}
    formats = other_words("format", {"mermaid": ("flowchart",), "table": ("markdown table",), "svg": ()})
    return [
        *(
            SloppyCall(f"ask_checkpoint ({kind})", ask_checkpoint, given, CHECKPOINT_SLIPS, checkpoint)
            for kind, given in CHECKPOINT.items()
        ),
        SloppyCall("generate_example", generate_example, card, (), anything),
        SloppyCall("visualize_concept", visualize_concept, DIAGRAM, (formats,), diagram),
        SloppyCall("complete_subconcept", complete_subconcept, {"message": "You can read an ammeter."}, (), anything),
        SloppyCall("reply", reply, {"message": "Look at where the ammeter sits in the loop."}, (), anything),
        SloppyCall("raise_concern", raise_concern, {"message": "I read what you wrote, and it matters."}, (), anything),
    ]


def _closing_calls() -> list[SloppyCall]:
    return [
        SloppyCall("close_path", close_path, {"rationale": "It starts with loops."}),
        SloppyCall("close_concept", close_concept, {"note": "All is saved."}, (absent("note"),)),
        SloppyCall("close_review", close_review, {"message": "Nothing has changed."}),
    ]


def _require_same_key(draft: QuestionDraft) -> QuestionDraft:
    """Raises OtherMeaning: what counts as right is not what was meant."""
    if draft.format != "open_ended" and draft.correct_answer not in KEYS:
        raise OtherMeaning(f"{draft.correct_answer!r} became the key")
    if any(one.option == draft.correct_answer for one in draft.misconceptions):
        raise OtherMeaning("a belief stands at the right answer")
    return draft


async def _tools(spec: AgentSpec, node: NodeRow, *, task: str | None = None) -> dict[str, Tool]:
    job = Job("run", "run", node.user_id, node.id, spec.name, "sprout-offline", False, 1, task=task)
    brief = await spec.brief(job, RecordingTeam())
    return {tool.name: tool for tool in brief.tools}


def _long_reason(given: Input, random: Random) -> Input:
    return {**given, "reason": " ".join([given.get("reason") or REASON] * random.randint(2, 4))}


class _Answers:
    """One open answer that is graded over and over."""

    async def answers(self, *_: object, **__: object) -> list[Any]:
        return [ANSWER]

    async def record(self, answer_id: str, grade: Grade, **_: object) -> Grade:
        assert answer_id == ANSWER.id
        return grade

    async def flag(self, *_: object, **__: object) -> None:
        return None


class _Variants:
    """One part that lacks questions, and the last ones that were saved."""

    def __init__(self, part: NodeRow) -> None:
        self.part = part
        self.saved: Sequence[QuestionDraft] = ()

    async def lacking_concepts(self) -> Sequence[LackingConcept]:
        return ()

    async def lacking_parts(self, concept_id: str, *, user_id: str) -> Sequence[LackingPart]:
        return [LackingPart(self.part, ())]

    async def save(self, concept_id: str, drafts: Sequence[QuestionDraft], *, actor: Actor, held_back: bool) -> int:
        self.saved = drafts
        return len(drafts)

    async def held_back(self, concept_id: str, *, user_id: str) -> Sequence[str]:
        return ()

    async def drop_held_back(self, concept_id: str, *, actor: Actor) -> None:
        return None


class _Keys:
    """Two questions whose solutions are taken."""

    async def blind_questions(self, *_: object, **__: object) -> Sequence[Any]:
        return QUESTIONS

    async def save_solutions(self, *_: object, **__: object) -> None:
        return None


PROOFS = {"sloppy": sloppy}
