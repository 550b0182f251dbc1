"""Variants agent: writes fresh questions about learned parts, for reviews that come soon."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, NothingSaved, Team
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.fences import fenced, wrapped
from sprout.agents.grading.key_check import KeyCheckRequests
from sprout.agents.path.question_tool import (
    Accepted,
    CorrectAnswer,
    Difficulty,
    Format,
    MisconceptionInput,
    Options,
    Prompt,
    Tolerance,
    Unit,
)
from sprout.agents.prompt_elements import node_element, passage_elements
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import InvalidQuestion, ToolFailure
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_TITLE, title_key
from sprout.learning.marking.answer_keys import AnswerKeys
from sprout.learning.misconceptions.beliefs import belief_id
from sprout.learning.paths.repositories import Repositories
from sprout.learning.questions.draft_repair import mend_draft
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import (
    MAX_ANSWER,
    MAX_OPTION,
    MAX_PROMPT,
    QuestionDraft,
    prompt_key,
)
from sprout.learning.reviews.items import is_marked_at_once
from sprout.learning.reviews.variants import LackingPart, Variants
from sprout.learning.text.normalization import tidy
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import MENDED, Effect, Tool, tool
from sprout.loop.turn import TurnResult

VARIANTS = "variants"
VARIANTS_POLICY = LoopPolicy(max_iterations=4, max_output_tokens=12_000)
PASSAGE_CHARACTERS = 8_000
VARIANTS_OF_PART = "2-3"
MOST_PARTS = 6  # in one run; the others get theirs when these have some
MOST_ASKED = 12
MAX_VARIANTS = 3 * MOST_PARTS


class VariantInput(BaseModel):
    """One fresh question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: Annotated[str, Field(description="title of the part that it is about")]
    prompt: Prompt
    format: Format
    correct_answer: CorrectAnswer
    difficulty: Difficulty = 3
    solution: Annotated[list[str], Field(description="one to four sentences that lead to the answer")]
    options: Options = None
    tolerance: Tolerance = None
    unit: Unit = None
    misconceptions: list[MisconceptionInput] | None = None
    accepted: Accepted = None

    def to_draft(self, part: str) -> QuestionDraft:
        return QuestionDraft(
            prompt=self.prompt,
            format=self.format,
            correct_answer=self.correct_answer,
            difficulty=self.difficulty,
            tests=(part,),
            options=tuple(self.options or ()),
            tolerance=self.tolerance,
            unit=self.unit,
            misconceptions=tuple(one.to_misconception() for one in self.misconceptions or ()),
            accepted=tuple(self.accepted or ()),
            solution=tuple(step for one in self.solution if (step := tidy(one))),
        )


VariantInputs = Annotated[list[VariantInput], Field(min_length=1, max_length=MAX_VARIANTS)]


def variants_agent(
    repositories: Repositories, variants: Variants, policy: LoopPolicy = VARIANTS_POLICY, *, keys: AnswerKeys | None
) -> AgentSpec:
    """The agent that writes variants for a concept's parts that lack fresh questions; without such it does nothing.

    Args:
        keys: where the keys of choices and numbers are checked before they are asked; None asks them unchecked.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts = load_prompts("path/variants")

    async def brief(job: Job, team: Team) -> Brief:
        parts = await variants.lacking_parts(job.node_id, user_id=job.user_id)
        key_checks = KeyCheckRequests(keys, job, team) if keys is not None else None
        run = _VariantsRun(repositories, variants, prompts, job, key_checks, parts[:MOST_PARTS])
        return await run.brief() if parts or job.resumed else Brief()

    return AgentSpec(VARIANTS, VARIANTS, policy, brief, private=True)


@dataclass(slots=True)
class _VariantsRun:
    """One run of the agent; `asked` maps the key of each prompt about the concept to it and the parts that it tests."""

    repositories: Repositories
    variants: Variants
    prompts: Prompts
    job: Job
    key_checks: KeyCheckRequests | None
    parts: Sequence[LackingPart]
    asked: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    async def brief(self) -> Brief:
        known = await self.repositories.asked_questions(self.job.node_id, user_id=self.job.user_id)
        self.asked = {prompt_key(one.prompt): (one.prompt, one.tests) for one in known}
        return Brief(
            objective="Fresh questions for reviews that come soon.",
            system=self.prompts.system.fill(),
            messages=(Message("user", (Text(await self.request()),)),),
            tools=(self.save_variants(),),
            stop_checks=(self.check_saved,),
            finish=self.finish,
        )

    async def request(self) -> str:
        concept = await self.repositories.node(self.job.node_id, user_id=self.job.user_id)
        root = await self.repositories.node(concept.parent_id or concept.id, user_id=self.job.user_id)
        passages = await asyncio.to_thread(PassageIndex, await self.repositories.passages(root.id))
        fitting = passages.select(concept.title, concept.desc or "", characters=PASSAGE_CHARACTERS)
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=node_element(concept),
            size=f'<size variants="{VARIANTS_OF_PART}"/>',
            passages=passage_elements(fitting, limit=PASSAGE_CHARACTERS, with_ids=False),
            parts="\n".join(self.part_element(one) for one in self.parts),
        )

    def part_element(self, part: LackingPart) -> str:
        given = {prompt_key(one.prompt) for one in part.given}
        others = [
            prompt for key, (prompt, tests) in self.asked.items() if key not in given and part.node.title in tests
        ]
        return wrapped(
            "part",
            *_node_elements(part.node),
            *(_given_element(one) for one in part.given),
            *(fenced("asked", prompt, limit=MAX_PROMPT) for prompt in others[-MOST_ASKED:]),
            separator="\n",
        )

    def save_variants(self) -> Tool:
        @tool(effect=Effect.WRITE, stored=True, ends_turn=True, secret=frozenset({"variants"}))
        async def save_variants(variants: VariantInputs, call: ToolUse) -> dict[str, JsonValue]:
            """Save the variants of all parts; this ends your work. One that cannot be asked is left out."""
            drafts: dict[str, QuestionDraft] = {}
            left_out: list[JsonValue] = []
            for position, one in enumerate(variants, start=1):
                try:
                    draft = self.to_question(one)
                    drafts.setdefault(prompt_key(draft.prompt), draft)
                except InvalidQuestion as error:
                    left_out.append(f"variant {position} was left out: {error}")
            if not drafts:
                raise ToolFailure(" ".join(["No variant can be asked.", *map(str, left_out)]))
            saved = await self.variants.save(
                self.job.node_id,
                list(drafts.values()),
                actor=self.job.actor(call.id),
                held_back=self.key_checks is not None,
            )
            return {"saved": saved, **({MENDED: left_out} if left_out else {})}

        return save_variants

    def to_question(self, given: VariantInput) -> QuestionDraft:
        """The variant as a question that reviews may ask. Raises InvalidQuestion, which never says the answer."""
        titles = {title_key(one.node.title): one.node.title for one in self.parts}
        part = titles.get(title_key(given.part)) or (next(iter(titles.values())) if len(titles) == 1 else None)
        if part is None:
            raise InvalidQuestion(f"part names none of the parts. There are: {', '.join(titles.values())}.")
        mended, _ = mend_draft(given.to_draft(part))
        if not is_marked_at_once(mended):
            raise InvalidQuestion("An open_ended variant needs accepted terms: list them, or make it an mcq.")
        if not mended.solution:
            raise InvalidQuestion("solution is empty: write the way to the answer.")
        if prompt_key(mended.prompt) in self.asked:
            raise InvalidQuestion("This question was asked already: change its case.")
        return validate_draft(mended)

    async def check_saved(self, result: TurnResult) -> str | None:
        return None if _has_saved(result) else self.prompts.correction.fill_correction(["No variant is saved."])

    async def finish(self, result: TurnResult | None) -> AgentDone:
        if result is None:  # nothing was lacking when it began: what lacks since then has a run of its own
            return AgentDone(reason="end_turn", usage=Usage())
        if not _has_saved(result):
            raise NothingSaved("The model ended without a variant that can be asked.")
        if self.key_checks is not None:
            await self.key_checks.check(await self.variants.held_back(self.job.node_id, user_id=self.job.user_id))
            await self.variants.drop_held_back(self.job.node_id, actor=self.job.actor())
        return AgentDone(reason=result.reason, usage=result.usage)


def _has_saved(result: TurnResult) -> bool:
    return any(call.name == "save_variants" and not call.is_error for call in result.calls)


def _node_elements(node: NodeRow) -> tuple[str, str]:
    return fenced("title", node.title, limit=MAX_TITLE), fenced("desc", node.desc or "", limit=MAX_ANSWER)


def _given_element(draft: QuestionDraft) -> str:
    """A known question with its key, its beliefs and its solution."""
    unit = {"unit": draft.unit} if draft.unit else {}
    return wrapped(
        "given",
        fenced("prompt", draft.prompt, limit=MAX_PROMPT),
        *(fenced("option", option, limit=MAX_OPTION) for option in draft.options),
        fenced("answer", draft.correct_answer, limit=MAX_ANSWER),
        *(fenced("accepted", term, limit=MAX_OPTION) for term in draft.accepted),
        *(
            fenced("wrong", one.misconception, limit=MAX_ANSWER, answer=one.option, id=belief_id(one.misconception))
            for one in draft.misconceptions
            if not one.slip
        ),
        *(fenced("step", step, limit=MAX_ANSWER) for step in draft.solution),
        separator="\n",
        format=draft.format,
        difficulty=str(draft.difficulty),
        **unit,
    )
