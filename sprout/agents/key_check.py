"""The key check: solves questions without their keys, before anybody is asked them or when a learner doubts one."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.fences import fenced, wrapped
from sprout.agents.fitting import Passages
from sprout.agents.prompts import Prompts, prompts_of
from sprout.agents.saving import correction
from sprout.errors import BadInput, ToolFailure
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE
from sprout.learning.marking.keys import MAX_REASON, Keys, Solution, ToSolve
from sprout.learning.paths.shelf import Shelf
from sprout.learning.questions.questions import MAX_ANSWER, MAX_OPTION, MAX_PROMPT
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

KEY_CHECK = "key_check"
KEY_CHECK_POLICY = LoopPolicy(max_iterations=4, max_output_tokens=16_000)
PASSAGE_CHARACTERS = 12_000
CONTEST, SECOND_LOOK = "contest", "again"
PROMPT_NAMED = 80


class SolutionInput(BaseModel):
    """What was found for one question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question_id: str
    option_id: Annotated[str | None, Field(description="mcq: the right option's; null unless exactly one is")] = None
    number: Annotated[str | None, Field(description="numeric: the bare number; null where none follows")] = None
    holds: Annotated[bool | None, Field(description="open_ended: whether its answer and criteria hold")] = None
    sure: Annotated[float, Field(ge=0, le=1, description="below 0.5 it is a guess")]


def contest_task(question_id: str) -> str:
    """The task of a run that looks again at a question which a learner says is wrong."""
    return f"{CONTEST} {question_id}"


def key_check_agent(shelf: Shelf, keys: Keys, policy: LoopPolicy = KEY_CHECK_POLICY) -> AgentSpec:
    """The agent that solves questions blind. Its task names questions by their ids, one that is contested after the
    word `contest`; without a task it solves all that are unchecked of its concept.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of(KEY_CHECK)

    async def brief(job: Job, team: Team) -> Brief:
        first, *rest = (job.task or "").split() or [""]
        if first in (CONTEST, SECOND_LOOK):
            return await _contested(_Solving(shelf, keys, prompts, job), rest, team, again=first == SECOND_LOOK)
        ids = (job.task or "").split() or await keys.unchecked(job.node_id, user_id=job.user_id)
        solving = _Solving(shelf, keys, prompts, job, await keys.to_solve(ids, user_id=job.user_id))
        return await solving.brief() if solving.questions or job.resumed else Brief()

    return AgentSpec(KEY_CHECK, KEY_CHECK, policy, brief, private=True)


async def _contested(solving: "_Solving", rest: Sequence[str], team: Team, *, again: bool) -> Brief:
    """The brief of a look at a contested question; the first has a second one made, and then it is settled."""
    if not rest:
        raise BadInput("A contest names its question.")
    job, keys, question_id = solving.job, solving.keys, rest[0]
    contest = await keys.contested(question_id, user_id=job.user_id)
    if contest.outcome is not None and not job.resumed:
        return Brief()
    solving.questions = await keys.to_solve([question_id], user_id=job.user_id)
    solving.contest = True
    brief = await solving.brief()

    async def finish(result: TurnResult | None) -> AgentDone:
        if not again:
            await team.delegate(KEY_CHECK, f"{SECOND_LOOK} {question_id}", key="second-look")
            await keys.settle(question_id, actor=job.actor())
        return AgentDone(reason=result.reason if result else "end_turn", usage=result.usage if result else Usage())

    return replace(brief, objective="Whether a question that is doubted holds.", finish=finish)


@dataclass(slots=True)
class _Solving:
    """One run of the agent."""

    shelf: Shelf
    keys: Keys
    prompts: Prompts
    job: Job
    questions: Sequence[ToSolve] = ()
    contest: bool = False

    async def brief(self) -> Brief:
        return Brief(
            objective="Whether the questions hold when they are solved without their keys.",
            system=self.prompts.system.filled(),
            messages=(Message("user", (Text(await self.request()),)),),
            tools=(self.record_solutions(),),
            stop_checks=(self.what_is_missing,),
        )

    async def request(self) -> str:
        node = await self.shelf.node(self.job.node_id, user_id=self.job.user_id)
        concept, root = await self.places(node)
        passages = await asyncio.to_thread(Passages, await self.shelf.passages(root.id))
        fitting = passages.within(concept.title, concept.desc or "", characters=PASSAGE_CHARACTERS)
        reasons = [question.reason for question in self.questions if self.contest and question.reason]
        return self.prompts.request.filled(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=wrapped(
                "concept",
                fenced("title", concept.title, limit=MAX_TITLE),
                fenced("desc", concept.desc or "", limit=MAX_DESC),
            ),
            passages="\n".join(
                fenced("passage", one.text, limit=PASSAGE_CHARACTERS, doc=one.document, heading=one.heading or "")
                for one in fitting
            ),
            questions="\n".join(self.shown(question) for question in self.questions),
            reason="\n".join(fenced("reason", reason, limit=MAX_REASON) for reason in reasons),
        )

    async def places(self, node: NodeRow) -> tuple[NodeRow, NodeRow]:
        """The concept that a node is or belongs to, and its topic."""
        concept = node
        while node.parent_id is not None:
            concept, node = node, await self.shelf.node(node.parent_id, user_id=self.job.user_id)
        return concept, node

    def shown(self, question: ToSolve) -> str:
        """The question as the solver gets it: the options in an order that this run alone has."""
        options = random.Random(f"{self.job.run_id}:{question.id}").sample(question.options, len(question.options))
        unit = {"unit": question.unit} if question.unit else {}
        return wrapped(
            "question",
            fenced("prompt", question.prompt, limit=MAX_PROMPT),
            *(fenced("option", option.text, limit=MAX_OPTION, id=option.id) for option in options),
            *([fenced("answer", question.answer, limit=MAX_ANSWER)] if question.answer else []),
            *(
                fenced("criterion", one.statement, limit=MAX_ANSWER, label=one.label, partly=one.partly_if or "")
                for one in question.criteria
            ),
            separator="\n",
            id=question.id,
            format=question.format,
            **unit,
        )

    def record_solutions(self) -> Tool:
        @tool(effect=Effect.WRITE, stored=True, secret=frozenset({"solutions"}))
        async def record_solutions(
            solutions: Annotated[list[SolutionInput], Field(min_length=1, max_length=50)], call: ToolUse
        ) -> dict[str, JsonValue]:
            """Record what you found, one entry for each question."""
            found = [self.known(one) for one in solutions]
            actor = self.job.actor(call.id)
            if self.contest:
                await self.keys.keep_look(found[-1], actor=actor)
            else:
                await self.keys.keep_solutions(self.job.node_id, found, actor=actor)
            return {"recorded": len(found)}

        return record_solutions

    def known(self, given: SolutionInput) -> Solution:
        """The entry, of a question and an option that there are. Raises ToolFailure."""
        question = next((one for one in self.questions if one.id == given.question_id), None)
        if question is None:
            raise ToolFailure("An entry is for no question that you were given: copy the ids exactly.")
        if given.option_id is not None and all(option.id != given.option_id for option in question.options):
            raise ToolFailure("An option_id is not one of its question's: copy the ids exactly.")
        return Solution(given.question_id, given.sure, given.option_id, given.number, given.holds)

    async def what_is_missing(self, result: TurnResult) -> str | None:
        recorded = [call for call in result.calls if call.name == "record_solutions" and not call.is_error]
        solved = {str(one) for call in recorded for one in _ids_in(call.input)}
        left = [one.prompt for one in self.questions if one.id not in solved]
        faults = [f"There is no entry for the question “{prompt[:PROMPT_NAMED]}”." for prompt in left]
        return correction(self.prompts.correction, faults)


def _ids_in(given: Mapping[str, object]) -> list[object]:
    """The questions that a recorded call is about."""
    solutions = given.get("solutions")
    return [one.get("question_id") for one in solutions if isinstance(one, dict)] if isinstance(solutions, list) else []
