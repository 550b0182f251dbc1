"""Question tool: saves the diagnostic questions of a concept and reports what is missing."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import Job
from sprout.agents.graph_edits import SizeRange, load_graph
from sprout.errors import InvalidQuestion, NoChangeNeeded
from sprout.learning.graph.graph import ConceptGraph, title_key
from sprout.learning.paths.repositories import Repositories
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft, prompt_key, validate_draft
from sprout.loop.model import ToolUse
from sprout.loop.tools import UNCHANGED, Effect, Tool, tool

SECRET = frozenset({"correct_answer", "criteria", "anchors", "tolerance", "unit", "misconceptions"})
MAX_QUOTED_PROMPT = 80

Prompt = Annotated[str, Field(min_length=1, description="the whole question, as the learner reads it")]
Format = Annotated[
    Literal["mcq", "open_ended", "numeric"],
    Field(description="mcq has options, open_ended has criteria, numeric has a bare number"),
]
CorrectAnswer = Annotated[str, Field(description="mcq: the right option's exact text; numeric: the number")]
Difficulty = Annotated[int, Field(ge=1, le=5)]
Tests = Annotated[list[str], Field(description="titles of the one or two subconcepts that it tests")]
Options = Annotated[list[str] | None, Field(description="mcq only: four, in any order")]
Tolerance = Annotated[float | None, Field(description="numeric only, in the answer's unit")]
Unit = Annotated[str | None, Field(description="numeric only")]
Anchors = Annotated[list[str] | None, Field(description="open_ended only: a partial answer, and another full one")]


class CriterionInput(BaseModel):
    """One thing that a full answer does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Annotated[str, Field(description="safe to show: names the point without saying it")]
    statement: Annotated[str, Field(description="what meets it")]
    weight: Annotated[float, Field(gt=0, le=1, description="its share; the weights sum to 1")]
    partly_if: Annotated[str | None, Field(description="what meets half of it")] = None
    misconception: Annotated[str | None, Field(description="what a learner believes who says the contrary")] = None


class MisconceptionInput(BaseModel):
    """The misconception behind a wrong option or a wrong number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    option: Annotated[str, Field(description="the option's exact text, or the number")]
    misconception: Annotated[str, Field(description="what a learner believes who chooses it")]


Criteria = Annotated[list[CriterionInput] | None, Field(description="open_ended only: 2-5")]


@dataclass(slots=True)
class QuestionTool:
    """The questions of one run: `size` of them about `subconcepts`.

    Args:
        tested_titles: what each question tests, by the key of its prompt.
        count: questions in the diagnostic, those of earlier runs included and voided ones not.
        hold_until_checked: choice questions are asked after their keys have been checked.
        newly_voided: prompts of the questions that were voided between the last two calls of `reload`.
        voided: prompts of all voided questions; None before the first `reload`.
    """

    repositories: Repositories
    job: Job
    size: SizeRange
    subconcepts: SizeRange
    tested_titles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    count: int = 0
    hold_until_checked: bool = False
    newly_voided: tuple[str, ...] = ()
    voided: frozenset[str] | None = None

    async def reload(self) -> list[str]:
        """Load the saved questions, those of earlier runs too; returns the prompts of all."""
        asked = await self.repositories.asked_questions(self.job.node_id, user_id=self.job.user_id)
        valid = [question for question in asked if not question.voided]
        self.tested_titles = {prompt_key(question.prompt): question.tests for question in valid}
        self.count = len(valid)
        voided = [question.prompt for question in asked if question.voided]
        self.newly_voided = () if self.voided is None else tuple(one for one in voided if one not in self.voided)
        self.voided = frozenset(voided)
        return [question.prompt for question in asked]

    def save_diagnostic_question(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True, secret=SECRET)
        async def save_diagnostic_question(
            prompt: Prompt,
            format: Format,
            correct_answer: CorrectAnswer,
            difficulty: Difficulty,
            tests: Tests,
            call: ToolUse,
            options: Options = None,
            criteria: Criteria = None,
            tolerance: Tolerance = None,
            unit: Unit = None,
            misconceptions: list[MisconceptionInput] | None = None,
            anchors: Anchors = None,
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
            return await self.save(validate_draft(draft), call)

        return save_diagnostic_question

    async def save(self, question: QuestionDraft, call: ToolUse) -> dict[str, JsonValue]:
        key = prompt_key(question.prompt)
        if self.count >= self.size.maximum and key not in self.tested_titles:
            raise NoChangeNeeded(self.size.full_message)
        self.refuse_unknown_subconcepts(
            question, await load_graph(self.repositories, self.job.node_id, user_id=self.job.user_id)
        )
        saved = await self.repositories.save_question(
            self.job.node_id,
            question,
            actor=self.job.actor(call.id),
            held_back=self.hold_until_checked and question.format == "mcq",
        )
        self.count += saved.created
        self.tested_titles.setdefault(key, question.tests)
        result: dict[str, JsonValue] = {
            "saved": True,
            "format": question.format,
            "difficulty": question.difficulty,
            "position": saved.position,
        }
        return result if saved.created else {**result, UNCHANGED: True}

    def refuse_unknown_subconcepts(self, question: QuestionDraft, graph: ConceptGraph) -> None:
        """Raises InvalidQuestion: it tests something that is not a subconcept.

        Checked once enough subconcepts are saved: before, a question may come ahead of its subconcept.
        """
        unknown = [title for title in question.tests if not graph.has_title(title)]
        if unknown and len(graph.nodes) >= self.subconcepts.minimum:
            known = ", ".join(f"'{node.title}'" for node in graph.nodes)
            raise InvalidQuestion(f"tests names '{unknown[0]}', which is not a subconcept. There are: {known}.")

    def faults(self, graph: ConceptGraph) -> list[str]:
        """A sentence for everything that is missing."""
        short = self.size.shortfall(self.count)
        return [
            *([short] if short else []),
            *self.voided_faults(),
            *self.untested_faults(graph),
            *self.unsaved_faults(graph),
        ]

    def voided_faults(self) -> list[str]:
        """A sentence for each newly voided question."""
        return [
            f"The question “{prompt[:MAX_QUOTED_PROMPT]}” did not hold when solved without its key: write another."
            for prompt in self.newly_voided
        ]

    def untested_faults(self, graph: ConceptGraph) -> list[str]:
        """A sentence for each entry point without a question, while there is room for more questions.

        None in small mode: there may be more entry points than questions.
        """
        if self.job.small or len(self.tested_titles) < self.count or self.count >= self.size.maximum:
            return []
        tested = self.tested_keys()
        entries = [node.title for node in graph.nodes if not graph.prerequisites(node.id)]
        return [
            f"No question tests '{title}', which is an entry." for title in entries if title_key(title) not in tested
        ]

    def unsaved_faults(self, graph: ConceptGraph) -> list[str]:
        """A sentence for each tested title that is not saved, while there is room for it."""
        if len(graph.nodes) >= self.subconcepts.maximum:
            return []
        titles = dict.fromkeys(title for tests in self.tested_titles.values() for title in tests)
        return [f"A question tests '{title}', which is not saved." for title in titles if not graph.has_title(title)]

    def tested_keys(self) -> set[str]:
        return {title_key(title) for tests in self.tested_titles.values() for title in tests}
