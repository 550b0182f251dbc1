"""Items suite: questions are solved blind by a second solver, guessed from their options, and looked at for flaws."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sprout.agents.agent import Job
from sprout.agents.grading.key_check import KEY_CHECK, key_check_agent
from sprout.agents.prompts import Prompt, load_prompt
from sprout.evaluation.agent_run import SoloTeam, run_agent
from sprout.evaluation.items.flaws import flaws
from sprout.evaluation.items.item_set import CheckedItem, read_items
from sprout.evaluation.items.memory_keys import MemoryKeys
from sprout.evaluation.memory_node import LEARNER, NODE_ID
from sprout.evaluation.suite import Item, ItemModels, Metric, NamedModel, Record, Suite, mean, share
from sprout.learning.marking.answer_keys import MIN_CONFIDENCE, BlindQuestion, KeyVerdict, Solution, judge_key
from sprout.learning.marking.choices import Option
from sprout.learning.marking.number_grading import grade_number
from sprout.learning.marking.numeric_question import NumericQuestion
from sprout.learning.questions.questions import QuestionDraft

NAME = "items"
HIDDEN = "(The question is not shown. Which of the options is most likely right?)"
PROMPTS = ("grading/key_check", "grading/key_check.request", "correction")


def items_suite(path: Path | None) -> Suite:
    """The suite over shipped questions, or those of a file. Raises BadInput, SetupError."""
    items, source = read_items(path)
    return Suite(NAME, source, [Item(one.id, partial(_check, one)) for one in items], items_metrics(), items_prompts())


def items_metrics() -> list[Metric]:
    return [
        share("checked", "checked", None, "share of questions about which the second solver was sure"),
        share("second solver disagrees", "disagrees", "lower", "of those, share whose key it does not find"),
        share("wrong keys found", "key_found", "higher", "of planted wrong keys, share with which it disagrees"),
        share("right keys doubted", "doubted", "lower", "of questions without a planted fault, the same"),
        share("flawed", "flawed", "lower", "share with a flaw of form: negative, longest is right, two in one, …"),
        share("flaws found", "flaw_found", "higher", "of planted flaws, share that the rules see"),
        share(
            "guessed from the options",
            "guessed",
            "lower",
            "of choices, share solved without the question; 0.25 is chance",
        ),
        Metric("flaws a question", mean("flaws"), "lower", "on average"),
    ]


def items_prompts() -> dict[str, Prompt]:
    return {place: load_prompt(place) for place in PROMPTS}


async def _check(item: CheckedItem, models: ItemModels) -> Sequence[Record]:
    verdict = await _solve(item.draft, item.draft.prompt, models.tested)
    disagrees = None if verdict is KeyVerdict.UNSURE else verdict is KeyVerdict.DISAGREES
    found, guessed = flaws(item.draft), None
    if item.draft.format == "mcq":
        guessed = await _solve(item.draft, HIDDEN, models.tested) is KeyVerdict.AGREES
    return [
        {
            "checked": disagrees is not None,
            "disagrees": disagrees,
            "key_found": bool(disagrees) if item.fault == "wrong_key" else None,
            "doubted": bool(disagrees) if item.fault == "none" else None,
            "flawed": bool(found),
            "flaw_found": bool(found) if item.fault == "flawed" else None,
            "flaws": len(found),
            "guessed": guessed,
        }
    ]


async def _solve(draft: QuestionDraft, prompt: str, model: NamedModel) -> KeyVerdict:
    """The verdict on the key by a blind solution of the question, asked in these words."""
    options = tuple(Option(f"o{at}", text) for at, text in enumerate(draft.options, start=1))
    question = BlindQuestion("q1", NODE_ID, prompt, draft.format, options, draft.unit)
    if draft.format == "open_ended":
        question = replace(question, answer=draft.correct_answer, criteria=draft.criteria)
    keys = MemoryKeys(question, title="Questions")
    agent = key_check_agent(keys, keys)
    job = Job("items", "items", LEARNER, NODE_ID, KEY_CHECK, model.name, small=False, epoch=1)
    await run_agent(agent, job, SoloTeam({KEY_CHECK: agent}, model, job))
    right = next((one.id for one in options if one.text == draft.correct_answer), None)
    return KeyVerdict.UNSURE if keys.solution is None else _judge(draft, keys.solution, right)


def _judge(draft: QuestionDraft, solution: Solution, right: str | None) -> KeyVerdict:
    if draft.format != "numeric":
        return judge_key(draft.format, solution, right=right)
    if solution.sure < MIN_CONFIDENCE:
        return KeyVerdict.UNSURE
    if solution.number is None:
        return KeyVerdict.DISAGREES
    question = NumericQuestion(draft.prompt, draft.correct_answer, draft.unit, draft.tolerance)
    correct = grade_number(question, solution.number).correct
    return KeyVerdict.UNSURE if correct is None else KeyVerdict.AGREES if correct else KeyVerdict.DISAGREES
