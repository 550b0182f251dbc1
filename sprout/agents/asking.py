"""Saving the diagnostic questions of one concept: what is refused, and what is still missing."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import Job
from sprout.agents.saving import Size, graph_under
from sprout.errors import QuestionRefused
from sprout.learning.graph.graph import ConceptGraph, title_key
from sprout.learning.paths.shelf import Shelf
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, checked, prompt_key
from sprout.loop.model import ToolUse
from sprout.loop.tools import Effect, Tool, tool

SECRET = frozenset({"correct_answer", "criteria", "anchors", "tolerance", "unit", "misconceptions"})
PROMPT_NAMED = 80

Format = Annotated[
    Literal["mcq", "open_ended", "numeric"],
    Field(description="mcq has options, open_ended has criteria, numeric has a bare number"),
]


class CriterionInput(BaseModel):
    """One thing that a full answer does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Annotated[str, Field(description="safe to show: names the point without saying it")]
    statement: Annotated[str, Field(description="what meets it")]
    weight: Annotated[float, Field(gt=0, le=1, description="its share; the weights sum to 1")]
    partly_if: Annotated[str | None, Field(description="what meets half of it")] = None
    misconception: Annotated[str | None, Field(description="what a learner believes who says the contrary")] = None


class MisconceptionInput(BaseModel):
    """The wrong thought behind a wrong option or a wrong number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    option: Annotated[str, Field(description="the option's exact text, or the number")]
    misconception: Annotated[str, Field(description="what a learner believes who chooses it")]


@dataclass(slots=True)
class Questions:
    """The questions of one run: `size` of them about `subconcepts`.

    `asked_about` has what each question tests, by the key of its prompt, and `kept` is how many the diagnostic has,
    those of an earlier run included. What did not hold when it was checked is in neither; `fallen` are the prompts of
    those of which that has become known since the last look.

    Args:
        held_back: whether a choice is not to be asked before its key is checked.
    """

    shelf: Shelf
    job: Job
    size: Size
    subconcepts: Size
    asked_about: dict[str, tuple[str, ...]] = field(default_factory=dict)
    kept: int = 0
    held_back: bool = False
    fallen: tuple[str, ...] = ()
    voided: frozenset[str] | None = None

    async def recall(self) -> list[str]:
        """Take in what is saved, also by an earlier run; the prompts of all."""
        asked = await self.shelf.asked(self.job.node_id, user_id=self.job.user_id)
        standing = [question for question in asked if not question.voided]
        self.asked_about = {prompt_key(question.prompt): question.tests for question in standing}
        self.kept = len(standing)
        voided = [question.prompt for question in asked if question.voided]
        self.fallen = () if self.voided is None else tuple(one for one in voided if one not in self.voided)
        self.voided = frozenset(voided)
        return [question.prompt for question in asked]

    def save_diagnostic_question(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True, secret=SECRET)
        async def save_diagnostic_question(
            prompt: Annotated[str, Field(min_length=1, description="the whole question, as the learner reads it")],
            format: Format,
            correct_answer: Annotated[
                str, Field(description="mcq: the right option's exact text; numeric: the number")
            ],
            difficulty: Annotated[int, Field(ge=1, le=5)],
            tests: Annotated[list[str], Field(description="titles of the one or two subconcepts that it tests")],
            call: ToolUse,
            options: Annotated[list[str] | None, Field(description="mcq only: four, in any order")] = None,
            criteria: Annotated[list[CriterionInput] | None, Field(description="open_ended only: 2-5")] = None,
            tolerance: Annotated[float | None, Field(description="numeric only, in the answer's unit")] = None,
            unit: Annotated[str | None, Field(description="numeric only")] = None,
            misconceptions: list[MisconceptionInput] | None = None,
            anchors: Annotated[
                list[str] | None, Field(description="open_ended only: a partial answer, and another full one")
            ] = None,
        ) -> dict[str, JsonValue]:
            """Save one diagnostic question. The answer and how it is marked stay secret. The same prompt again stays
            as it is."""
            draft = QuestionDraft(
                prompt=prompt,
                format=format,
                correct_answer=correct_answer,
                difficulty=difficulty,
                tests=tuple(tests),
                options=tuple(options or ()),
                criteria=tuple(
                    Criterion(c.label, c.statement, c.weight, c.partly_if, c.misconception) for c in criteria or ()
                ),
                tolerance=tolerance,
                unit=unit,
                misconceptions=tuple(Misconception(m.option, m.misconception) for m in misconceptions or ()),
                anchors=tuple(anchors or ()),
            )
            return await self.keep(checked(draft), call)

        return save_diagnostic_question

    async def keep(self, question: QuestionDraft, call: ToolUse) -> dict[str, JsonValue]:
        key = prompt_key(question.prompt)
        if self.kept >= self.size.most and key not in self.asked_about:
            raise QuestionRefused(self.size.full)
        self.refuse_strangers(question, await graph_under(self.shelf, self.job.node_id, user_id=self.job.user_id))
        saved = await self.shelf.save_question(
            self.job.node_id,
            question,
            actor=self.job.actor(call.id),
            held_back=self.held_back and question.format == "mcq",
        )
        self.kept += saved.created
        self.asked_about.setdefault(key, question.tests)
        told: dict[str, JsonValue] = {
            "saved": True,
            "format": question.format,
            "difficulty": question.difficulty,
            "position": saved.position,
        }
        return told if saved.created else {**told, "existed": True}

    def refuse_strangers(self, question: QuestionDraft, graph: ConceptGraph) -> None:
        """Refuse a question about what is no subconcept, once there are enough of them to know.

        Before that the title may still be on its way: questions may be saved first.
        """
        strangers = [title for title in question.tests if not graph.has(title)]
        if strangers and len(graph.nodes) >= self.subconcepts.least:
            known = ", ".join(f"'{node.title}'" for node in graph.nodes)
            raise QuestionRefused(f"tests names '{strangers[0]}', which is not a subconcept. There are: {known}.")

    def faults(self, graph: ConceptGraph) -> list[str]:
        """A sentence for everything that is still missing."""
        short = self.size.short_at(self.kept)
        return [*([short] if short else []), *self.to_replace(), *self.untested(graph), *self.never_saved(graph)]

    def to_replace(self) -> list[str]:
        """A sentence for each question that has fallen."""
        return [
            f"The question “{prompt[:PROMPT_NAMED]}” did not hold when it was solved without its key: write another."
            for prompt in self.fallen
        ]

    def untested(self, graph: ConceptGraph) -> list[str]:
        """A sentence for each entry that no question tests, while there is room for questions and all are known.

        In small mode nothing is said: there may be more entries than questions.
        """
        if self.job.small or len(self.asked_about) < self.kept or self.kept >= self.size.most:
            return []
        tested = self.tested_keys()
        entries = [node.title for node in graph.nodes if not graph.prerequisites(node.id)]
        return [
            f"No question tests '{title}', which is an entry." for title in entries if title_key(title) not in tested
        ]

    def never_saved(self, graph: ConceptGraph) -> list[str]:
        """A sentence for each title that a question tests and nobody saved, while there is room for it."""
        if len(graph.nodes) >= self.subconcepts.most:
            return []
        titles = dict.fromkeys(title for tests in self.asked_about.values() for title in tests)
        return [f"A question tests '{title}', which is not saved." for title in titles if not graph.has(title)]

    def tested_keys(self) -> set[str]:
        return {title_key(title) for tests in self.asked_about.values() for title in tests}
