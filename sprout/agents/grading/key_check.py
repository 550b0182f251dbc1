"""Key check: solves questions without their keys, before they are asked or when a learner contests one."""

import asyncio
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.fences import fenced, wrapped
from sprout.agents.prompt_elements import node_element, passage_elements
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import BadInput, ToolFailure
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_TITLE
from sprout.learning.marking.answer_keys import MAX_REASON, AnswerKeys, BlindQuestion, Solution
from sprout.learning.paths.passages import Passage
from sprout.learning.questions.questions import MAX_ANSWER, MAX_OPTION, MAX_PROMPT
from sprout.learning.text.normalization import folded
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import MENDED, Effect, Tool, tool
from sprout.loop.turn import TurnResult

KEY_CHECK = "key_check"
KEY_CHECK_POLICY = LoopPolicy(max_iterations=4, max_output_tokens=16_000)
PASSAGE_CHARACTERS = 12_000
CONTEST, SECOND_CHECK = "contest", "again"
MAX_QUOTED_PROMPT = 80


class SolutionInput(BaseModel):
    """The solution of one question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question_id: str
    option_id: Annotated[str | None, Field(description="mcq: the right option's; null unless exactly one is")] = None
    number: Annotated[str | None, Field(description="numeric: the bare number; null where none follows")] = None
    holds: Annotated[bool | None, Field(description="open_ended: whether its answer and criteria hold")] = None
    sure: Annotated[float, Field(ge=0, le=1, description="below 0.5 it is a guess")]


Solutions = Annotated[list[SolutionInput], Field(min_length=1, max_length=50)]


class QuestionSources(Protocol):
    """Sources of a question: its node, and the passages of the topic."""

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """The node. Raises NotFound: there is none, or it is another learner's."""
        ...

    async def passages(self, root_id: str) -> Sequence[Passage]:
        """All passages of the topic's documents."""
        ...


def contest_task(question_id: str) -> str:
    """The task of a run that checks a question which a learner contests."""
    return f"{CONTEST} {question_id}"


def key_check_agent(sources: QuestionSources, keys: AnswerKeys, policy: LoopPolicy = KEY_CHECK_POLICY) -> AgentSpec:
    """The agent that solves questions without their keys. Its task lists ids of questions, or one contested question
    after the word `contest`; without a task it solves all unchecked questions of its concept.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts = load_prompts("grading/key_check")

    async def brief(job: Job, team: Team) -> Brief:
        first, *rest = (job.task or "").split() or [""]
        if first in (CONTEST, SECOND_CHECK):
            return await _brief_for_contest(
                _KeyCheckRun(sources, keys, prompts, job), rest, team, again=first == SECOND_CHECK
            )
        ids = (job.task or "").split() or await keys.unchecked_ids(job.node_id, user_id=job.user_id)
        questions = await keys.blind_questions(ids, user_id=job.user_id)
        run = _KeyCheckRun(sources, keys, prompts, job, questions)
        return await run.brief() if questions or job.resumed else Brief()

    return AgentSpec(KEY_CHECK, KEY_CHECK, policy, brief, private=True)


async def _brief_for_contest(run: "_KeyCheckRun", rest: Sequence[str], team: Team, *, again: bool) -> Brief:
    """The brief for a contested question; the first run requests a second one, then settles the contest."""
    if not rest:
        raise BadInput("A contest names its question.")
    job, keys, question_id = run.job, run.keys, rest[0]
    contest = await keys.find_contest(question_id, user_id=job.user_id)
    if contest.outcome is not None and not job.resumed:
        return Brief()
    run.questions = await keys.blind_questions([question_id], user_id=job.user_id)
    run.is_contest = True
    brief = await run.brief()

    async def finish(result: TurnResult | None) -> AgentDone:
        if not again:
            await team.delegate(KEY_CHECK, f"{SECOND_CHECK} {question_id}", key="second-look")
            await keys.settle_contest(question_id, actor=job.actor())
        return AgentDone(reason=result.reason if result else "end_turn", usage=result.usage if result else Usage())

    return replace(brief, objective="Check a contested question.", finish=finish)


@dataclass(slots=True)
class _KeyCheckRun:
    """One run of the agent."""

    sources: QuestionSources
    keys: AnswerKeys
    prompts: Prompts
    job: Job
    questions: Sequence[BlindQuestion] = ()
    is_contest: bool = False

    async def brief(self) -> Brief:
        return Brief(
            objective="Check the questions by solving them without their keys.",
            system=self.prompts.system.fill(),
            messages=(Message("user", (Text(await self.request()),)),),
            tools=(self.record_solutions(),),
            stop_checks=(self.check_all_solved,),
        )

    async def request(self) -> str:
        node = await self.sources.node(self.job.node_id, user_id=self.job.user_id)
        concept, root = await self.concept_and_topic(node)
        passages = await asyncio.to_thread(PassageIndex, await self.sources.passages(root.id))
        fitting = passages.select(concept.title, concept.desc or "", characters=PASSAGE_CHARACTERS)
        reasons = [question.reason for question in self.questions if self.is_contest and question.reason]
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=node_element(concept),
            passages=passage_elements(fitting, limit=PASSAGE_CHARACTERS, with_ids=False),
            questions="\n".join(self.question_element(question) for question in self.questions),
            reason="\n".join(fenced("reason", reason, limit=MAX_REASON) for reason in reasons),
        )

    async def concept_and_topic(self, node: NodeRow) -> tuple[NodeRow, NodeRow]:
        """The concept that a node is or belongs to, and its topic."""
        concept = node
        while node.parent_id is not None:
            concept, node = node, await self.sources.node(node.parent_id, user_id=self.job.user_id)
        return concept, node

    def question_element(self, question: BlindQuestion) -> str:
        """The question for the solver, with its options in an order of this run's own."""
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
        @tool(effect=Effect.WRITE, stored=True, ends_turn=True, secret=frozenset({"solutions"}))
        async def record_solutions(solutions: Solutions, call: ToolUse) -> dict[str, JsonValue]:
            """Record what you found, one entry for each question; this ends your work."""
            read = [self.to_solution(one) for one in solutions]
            found = [one for one in read if one is not None]
            if not found:
                raise ToolFailure("No entry is for a question that you were given, by its id and its option's id.")
            actor = self.job.actor(call.id)
            if self.is_contest:
                await self.keys.save_contest_solution(found[-1], actor=actor)
            else:
                await self.keys.save_solutions(self.job.node_id, found, actor=actor)
            left_out = len(read) - len(found)
            return {"recorded": len(found), **({MENDED: [f"{left_out} entries were left out"]} if left_out else {})}

        return record_solutions

    def to_solution(self, given: SolutionInput) -> Solution | None:
        """The entry as a solution; None where it is of no question that was given, or names none of its options, which
        is not the same as finding none of them right."""
        question = next((one for one in self.questions if one.id == given.question_id), None)
        finds = given.option_id is not None or given.number is not None or given.holds is not None
        if question is None and finds and len(self.questions) == 1:
            question = self.questions[0]
        if question is None:
            return None
        option_id = given.option_id
        if option_id is not None and question.options:
            named = {folded(one.text): one.id for one in question.options} | {
                one.id: one.id for one in question.options
            }
            option_id = named.get(option_id) or named.get(folded(option_id))
            if option_id is None:
                return None
        return Solution(question.id, given.sure, option_id, given.number, given.holds)

    def solutions_in(self, given: Mapping[str, object]) -> list[Solution]:
        """The solutions in a call's input that can be read."""
        try:
            entries = TypeAdapter(Solutions).validate_python(given.get("solutions"))
        except ValidationError:
            return []
        return [solution for one in entries if (solution := self.to_solution(one)) is not None]

    async def check_all_solved(self, result: TurnResult) -> str | None:
        recorded = [call for call in result.calls if call.name == "record_solutions" and not call.is_error]
        solved = {one.question_id for call in recorded for one in self.solutions_in(call.input)}
        left = [one.prompt for one in self.questions if one.id not in solved]
        faults = [f"There is no entry for the question “{prompt[:MAX_QUOTED_PROMPT]}”." for prompt in left]
        return self.prompts.correction.fill_correction(faults)


@dataclass(frozen=True, slots=True)
class KeyCheckRequests:
    """Key checks of one run's new questions, done by child runs before the questions are asked."""

    keys: AnswerKeys
    job: Job
    team: Team

    async def check_new(self) -> None:
        """Have all unchecked questions of the concept checked, and wait."""
        await self.check(await self.keys.unchecked_ids(self.job.node_id, user_id=self.job.user_id))

    async def check(self, ids: Sequence[str]) -> None:
        """Have questions checked, and wait; a check that fails leaves them as they are.

        The same questions are not checked twice in a run, even after a crash: their ids are the key of the child run.
        """
        if ids:
            digest = hashlib.sha256(" ".join(sorted(ids)).encode()).hexdigest()[:16]
            await self.team.delegate(KEY_CHECK, " ".join(ids), key=f"keys:{digest}")

    async def release_unchecked(self) -> None:
        """Ask the questions that could not be checked: otherwise the diagnostic would never come, and a learner who
        doubts a question can contest it."""
        await self.keys.release_held_back(self.job.node_id, actor=self.job.actor())
