"""Parts that lack fresh questions, and the ones that are stored for them, on both databases (learning.md V7, Q3)."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, select

from harness.builders import a_run
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.reviews.variants import LackingPart
from sprout.runs.state import RunState
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.engine.database import Database
from sprout.store.reviews.variants import SqlVariants
from sprout.store.runs.mapping import columns_of, runs
from sprout.store.schema import run_tables, tables
from sprout.store.schema.columns import table_of
from tests.store.reviews.learned_path import ANSWERED, ME, PARTS, Clock, Learner, a_path, learn_path

_questions, _keys = table_of(tables.Question), table_of(run_tables.IdempotencyKey)


@pytest.fixture
async def spent(database: Database, clock: Clock) -> Learner:
    """A learner who has answered all questions about the parts that they learned."""
    return await learn_path(database, clock, path=a_path(questions=ANSWERED))


@pytest.fixture
def variants(database: Database, clock: Clock) -> SqlVariants:
    return SqlVariants(database, lambda _: None, now=clock)


def a_variant(part: LackingPart, prompt: str = "Of nine, seven go. What stays?") -> QuestionDraft:
    return replace(part.given[0], prompt=prompt, solution=("Count on.",))


async def concepts(variants: SqlVariants) -> list[str]:
    return [one.concept.title for one in await variants.lacking_concepts()]


async def test_V7_a_part_lacks_questions_once_all_were_asked(learner: Learner, variants: SqlVariants) -> None:
    assert await variants.lacking_concepts() == []  # half of them were not
    learner.clock.move(days=1, minutes=1)
    for _ in range(2):
        await learner.start()
        await learner.finish("9")
        learner.clock.move(days=1)
    assert await concepts(variants) != []


async def test_V7_parts_get_variants_concept_by_concept(spent: Learner, variants: SqlVariants) -> None:
    first, second = await variants.lacking_concepts()
    assert {first.concept.title, second.concept.title} == set(PARTS)
    lacking = {one.concept.title: [node_id for node_id, _ in one.cards] for one in (first, second)}
    assert lacking == {concept: [spent.parts[part] for part in parts] for concept, parts in PARTS.items()}
    odds = first if first.concept.title == "Odds" else second
    parts = await variants.lacking_parts(odds.concept.id, user_id=ME)
    assert [part.node.title for part in parts] == list(PARTS["Odds"])
    assert [len(part.given) for part in parts] == [ANSWERED, ANSWERED]
    assert await variants.save(odds.concept.id, [a_variant(parts[0])], actor=Actor(ME), held_back=False) == 1
    (left,) = [one for one in await variants.lacking_concepts() if one.concept.title == "Odds"]
    assert [node_id for node_id, _ in left.cards] == [spent.parts[PARTS["Odds"][1]]]
    assert left.key != odds.key


async def test_V7_a_concept_whose_run_was_started_is_left_out_until_its_cards_change(
    spent: Learner, variants: SqlVariants, database: Database
) -> None:
    first, second = await variants.lacking_concepts()
    run = a_run(first.concept, agent="variants", state=RunState.RUNNING)
    started = {"user_id": ME, "key": first.key, "digest": first.key, "run_id": run.id, "created_at": utc_now()}

    await database.write_tx(lambda tx: tx.connection.execute(insert(runs), columns_of(run)))
    await database.write_tx(lambda tx: tx.connection.execute(insert(_keys), started))
    assert await variants.lacking_concepts() == [second]
    spent.clock.move(days=1, minutes=1)
    await spent.start()
    await spent.finish("9")
    assert first.concept in [one.concept for one in await variants.lacking_concepts()]


async def test_V7_small_paths_and_learners_who_stay_away_get_none(
    spent: Learner, variants: SqlVariants, database: Database
) -> None:
    lacking = await variants.lacking_concepts()
    spent.clock.move(days=8)
    assert await variants.lacking_concepts() == []
    spent.clock.move(days=-8)
    small = [columns_of(a_run(one.concept, agent="subconcept", small=True)) for one in lacking]
    await database.write_tx(lambda tx: tx.connection.execute(insert(runs), small))
    assert await variants.lacking_concepts() == []


async def test_Q3_a_variant_that_waits_for_its_check_is_asked_by_nothing(
    spent: Learner, variants: SqlVariants, database: Database
) -> None:
    lacking = next(one for one in await variants.lacking_concepts() if one.concept.title == "Odds")
    concept_id, actor = lacking.concept.id, Actor(ME)
    parts = await variants.lacking_parts(concept_id, user_id=ME)
    items = [a_variant(part, f"{part.node.title}: of nine, seven go. What stays?") for part in parts]
    for saved in (len(items), 0):
        assert await variants.save(concept_id, items, actor=actor, held_back=True) == saved
    await SqlAnswerKeys(database, lambda _: None).release_held_back(concept_id, actor=actor)
    assert len(await variants.held_back(concept_id, user_id=ME)) == len(items)
    spent.clock.move(days=1, minutes=1)
    await spent.start()
    asked = [reply.result.prompt for reply in await spent.finish()]
    assert len(asked) == 5
    assert not {item.prompt for item in items} & set(asked)
    await variants.drop_held_back(concept_id, actor=actor)
    assert await variants.held_back(concept_id, user_id=ME) == []
    wanted = select(_questions.c.state, _questions.c.solution).where(
        _questions.c.prompt.in_([item.prompt for item in items])
    )
    assert [tuple(row) for row in await spent.rows(wanted)] == [("voided", ["Count on."])] * len(items)
