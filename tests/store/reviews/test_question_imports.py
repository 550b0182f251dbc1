"""Questions of files in reviews, on both databases (O2): asked when their part is due, each once, all or nothing."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from sprout.clock import utc_now
from sprout.errors import BadInput, NotFound, TooLarge
from sprout.events import NodeRow
from sprout.learning.graph.graph import ConceptGraph
from sprout.learning.questions.question_files import (
    LeftOutQuestion,
    LeftOutReason,
    QuestionFile,
    check_file,
    with_tested_parts,
)
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.engine.database import Database
from sprout.store.reviews import question_imports
from sprout.store.reviews.question_imports import SqlQuestionImports
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from tests.store.reviews.learned_path import ANSWERED, ME, PARTS, Clock, Learner, a_path, learn_path

_nodes, _questions = table_of(tables.Node), table_of(tables.Question)
CONCEPT = NodeRow(
    id="c",
    user_id=ME,
    type="concept",
    branch_id="b",
    parent_id="t",
    title="Counts",
    desc=None,
    created_at="",
    updated_at="",
)
NUMBER = QuestionDraft("How many branches has the tree of two tosses?", "numeric", "4", 1, ("Trees",))


@pytest.fixture
async def spent(database: Database, clock: Clock) -> Learner:
    """A learner who has answered all questions about the parts that they learned."""
    return await learn_path(database, clock, path=a_path(questions=ANSWERED))


async def concept_of(learner: Learner, part: str) -> str:
    wanted = select(_nodes.c.parent_id).where(_nodes.c.id == learner.parts[part])
    return str((await learner.rows(wanted))[0].parent_id)


async def stored(learner: Learner) -> int:
    return int((await learner.rows(select(func.count(_questions.c.id))))[0][0])


async def test_O2_a_question_of_a_file_is_asked_in_the_review_of_its_part(database: Database, spent: Learner) -> None:
    imports = SqlQuestionImports(database)
    file = QuestionFile((NUMBER, replace(NUMBER, prompt=f"  {NUMBER.prompt.upper()} ")))
    found = await imports.import_questions(await concept_of(spent, "Trees"), file, user_id=ME)
    assert (found.added, found.already_there) == (1, 1), "the same words are the same question"
    spent.clock.move(days=1, minutes=1)
    await spent.start(minutes=20)
    asked = {}
    while spent.device is not None and spent.device.question is not None:
        asked[spent.device.question.prompt] = spent.device.question.node_id
        await spent.reply("4")
    assert asked[NUMBER.prompt] == spent.parts["Trees"]
    again = await imports.import_questions(spent.parts["Trees"], file, user_id=ME)
    assert (again.added, again.already_there) == (0, 2)


async def test_O2_a_file_is_for_its_learners_own_concept_and_within_its_limit(
    database: Database, spent: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports, concept = SqlQuestionImports(database), await concept_of(spent, "Trees")
    before = await stored(spent)
    with pytest.raises(NotFound):
        await imports.import_questions(concept, QuestionFile((NUMBER,)), user_id="somebody else")
    (topic,) = await spent.rows(select(_nodes.c.parent_id).where(_nodes.c.id == concept))
    with pytest.raises(BadInput):
        await imports.import_questions(topic.parent_id, QuestionFile((NUMBER,)), user_id=ME)
    monkeypatch.setattr(question_imports, "MAX_QUESTIONS", before)
    many = tuple(replace(NUMBER, prompt=f"What is {number} and 2?") for number in range(before))
    with pytest.raises(TooLarge):
        await imports.import_questions(concept, QuestionFile(many), user_id=ME)
    assert await stored(spent) == before


def test_Q5_a_question_of_a_file_is_checked_like_any_other() -> None:
    choice = QuestionDraft("Which one is it?", "mcq", "cheese", 1, (), options=("cheese", "bread"))
    faulty = {
        LeftOutReason.OPTIONS: replace(choice, options=("cheese", " Cheese", "bread")),
        LeftOutReason.ANSWER: replace(choice, correct_answer="butter"),
        LeftOutReason.TELLS_ANSWER: replace(choice, prompt="Which is it, cheese?"),
        LeftOutReason.NO_ANSWER: QuestionDraft("Why?", "open_ended", "", 1, ()),
        LeftOutReason.PROMPT: replace(choice, prompt=" \u200b"),
        LeftOutReason.SOLUTION: replace(choice, solution=("long " * 1_000,)),
    }
    known = (LeftOutQuestion("x", LeftOutReason.MEDIA),)
    found = check_file(QuestionFile((choice, *faulty.values()), known))
    assert found.questions == (choice,)
    assert [one.reason for one in found.left_out] == [LeftOutReason.MEDIA, *faulty]


@pytest.mark.parametrize(
    ("labels", "words", "tested"),
    [
        (("top", " shares "), "How many trees?", ("Shares",)),
        (("Elsewhere",), "How many trees are there?", ("Trees",)),
        ((), "How many?", ("Shares", "Splits", "Trees")),
    ],
)
def test_O2_a_question_tests_the_part_that_the_file_names_or_its_words_speak_of(
    labels: tuple[str, ...], words: str, tested: tuple[str, ...]
) -> None:
    graph = ConceptGraph(CONCEPT)
    for title in PARTS["Counts"]:
        graph = graph.add(title, None, utc_now()).graph
    parts = graph.nodes
    assert with_tested_parts(replace(NUMBER, tests=labels, prompt=words), parts).tests == tested
