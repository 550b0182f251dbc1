"""Question tool: saves the diagnostic questions of a concept and reports what is missing."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import Job
from sprout.agents.graph_edits import SizeRange, load_graph
from sprout.errors import InvalidQuestion, NoChangeNeeded
from sprout.learning.graph.graph import ConceptGraph, title_key
from sprout.learning.misconceptions.beliefs import beliefs_in
from sprout.learning.paths.repositories import Repositories
from sprout.learning.questions.draft_repair import mend_draft
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.questions.questions import (
    SOLVABLE_FORMATS,
    Criterion,
    Misconception,
    QuestionDraft,
    prompt_key,
)
from sprout.loop.model import ToolUse
from sprout.loop.tools import MENDED, UNCHANGED, Effect, Tool, tool

SECRET = frozenset(
    {
        "correct_answer",
        "criteria",
        "anchors",
        "tolerance",
        "unit",
        "misconceptions",
        "accepted",
        "program_tests",
        "solution",
    }
)
MAX_QUOTED_PROMPT = 80

FORMAT_SYNONYMS = {
    **dict.fromkeys(("multiple choice", "multiplechoice", "single choice", "choice", "quiz"), "mcq"),
    **dict.fromkeys(("open", "open question", "free text", "short answer", "text", "essay"), "open_ended"),
    **dict.fromkeys(("number", "numerical", "numeric answer", "calculation"), "numeric"),
}
DIFFICULTY_SYNONYMS = {"very easy": 1, "easy": 2, "medium": 3, "moderate": 3, "hard": 4, "difficult": 4, "very hard": 5}

NAMED_BEFORE = "one that was named before in its words, or by its id"

Prompt = Annotated[str, Field(min_length=1, description="the whole question, as the learner reads it")]
Format = Annotated[
    Literal["mcq", "open_ended", "numeric"],
    Field(
        description="mcq has options, open_ended has criteria, numeric has a bare number",
        json_schema_extra={"synonyms": {**FORMAT_SYNONYMS}},
    ),
]
CorrectAnswer = Annotated[str, Field(description="mcq: the right option's exact text; numeric: the number")]
Difficulty = Annotated[int, Field(ge=1, le=5, json_schema_extra={"synonyms": {**DIFFICULTY_SYNONYMS}})]
Tests = Annotated[list[str], Field(description="titles of the one or two subconcepts that it tests")]
Solution = Annotated[
    list[str] | None, Field(description="1-3 sentences on why it is right, for the learner, after the diagnostic")
]
Options = Annotated[list[str] | None, Field(description="mcq only: four, in any order")]
Tolerance = Annotated[float | None, Field(description="numeric only, in the answer's unit")]
Unit = Annotated[str | None, Field(description="numeric only")]
Anchors = Annotated[list[str] | None, Field(description="open_ended only: a partial answer, and another full one")]


class CriterionInput(BaseModel):
    """One thing that a full answer does."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra={"text_is": "statement"})

    label: Annotated[str, Field(description="safe to show: names the point without saying it")] = ""
    statement: Annotated[str, Field(description="what meets it")]
    weight: Annotated[float, Field(description="its share; the weights sum to 1")] = 0.0
    partly_if: Annotated[str | None, Field(description="what meets half of it")] = None
    misconception: Annotated[str | None, Field(description="what a learner believes who says the contrary")] = None


class MisconceptionInput(BaseModel):
    """The misconception behind a wrong option, number or term."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    option: Annotated[str, Field(description="the option's exact text, the number or the term")]
    misconception: Annotated[str, Field(description=f"what a learner believes who chooses it; {NAMED_BEFORE}")]
    contrast: Annotated[str | None, Field(description="another case, in which that belief fails; for the learner")] = (
        None
    )
    slip: Annotated[bool, Field(description="a slip of the pen or a misreading, and no belief")] = False

    def to_misconception(self) -> Misconception:
        return Misconception(self.option, self.misconception, self.contrast, self.slip)


class ProgramTestInput(BaseModel):
    """A run of the learner's Python program: `prints`, or `after` and `gives`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: Annotated[str, Field(description="code that runs before the program")] = ""
    typed: Annotated[str, Field(description="lines that input() reads")] = ""
    prints: Annotated[str | None, Field(description="all that it must print")] = None
    after: Annotated[str | None, Field(description="an expression to evaluate after it, such as area(2, 3)")] = None
    gives: Annotated[str | None, Field(description="the repr of its value, such as 6 or 'six'")] = None
    misconception: Annotated[str | None, Field(description="what a learner believes whose program fails this")] = None

    def to_test(self) -> ProgramTest:
        return ProgramTest(**self.model_dump())


Criteria = Annotated[
    list[CriterionInput] | None, Field(description="open_ended only: 2-5, unless accepted or program_tests")
]
Accepted = Annotated[
    list[str] | None, Field(description="where the answer is a term, a name or a date: it and its synonyms")
]
ProgramTests = Annotated[list[ProgramTestInput] | None, Field(description="where the answer is a program: 1-8 runs")]


@dataclass(slots=True)
class QuestionTool:
    """The questions of one run: `size` of them about `subconcepts`.

    Args:
        tested_titles: what each question tests, by the key of its prompt.
        count: questions in the diagnostic, those of earlier runs included and voided ones not.
        hold_until_checked: choices and numbers are asked after their keys have been checked.
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
            solution: Solution = None,
            options: Options = None,
            criteria: Criteria = None,
            tolerance: Tolerance = None,
            unit: Unit = None,
            misconceptions: list[MisconceptionInput] | None = None,
            anchors: Anchors = None,
            accepted: Accepted = None,
            program_tests: ProgramTests = None,
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
                misconceptions=tuple(one.to_misconception() for one in misconceptions or ()),
                anchors=tuple(anchors or ()),
                program_tests=tuple(test.to_test() for test in program_tests or ()),
                accepted=tuple(accepted or ()),
                solution=tuple(solution or ()),
            )
            mended, notes = mend_draft(draft)
            result = await self.save(validate_draft(mended), call)
            return {**result, MENDED: [*notes]} if notes else result

        return save_diagnostic_question

    async def save(self, question: QuestionDraft, call: ToolUse) -> dict[str, JsonValue]:
        key = prompt_key(question.prompt)
        if self.count >= self.size.maximum and key not in self.tested_titles:
            raise NoChangeNeeded(self.size.full_message)
        graph = await load_graph(self.repositories, self.job.node_id, user_id=self.job.user_id)
        question = self.with_saved_titles(question, graph)
        self.refuse_unknown_subconcepts(question, graph)
        saved = await self.repositories.save_question(
            self.job.node_id,
            question,
            actor=self.job.actor(call.id),
            held_back=self.hold_until_checked and question.format in SOLVABLE_FORMATS,
        )
        self.count += saved.created
        self.tested_titles.setdefault(key, question.tests)
        result: dict[str, JsonValue] = {
            "saved": True,
            "format": question.format,
            "difficulty": question.difficulty,
            "position": saved.position,
            **({"misconceptionIds": [*beliefs]} if (beliefs := beliefs_in(question)) else {}),
        }
        return result if saved.created else {**result, UNCHANGED: True}

    def with_saved_titles(self, question: QuestionDraft, graph: ConceptGraph) -> QuestionDraft:
        """The question with the titles of its subconcepts as they are saved; once there are enough of them, those that
        are of none are left out where another one is left."""
        found = {title: graph.find_title(title) for title in question.tests}
        known = tuple(dict.fromkeys(node.title for node in found.values() if node is not None))
        if known and len(graph.nodes) >= self.subconcepts.minimum:
            return replace(question, tests=known)
        return replace(question, tests=tuple(node.title if node else title for title, node in found.items()))

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
