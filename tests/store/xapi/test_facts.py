"""Learning facts on both databases: what learners did, for themselves and for the teacher of their class alone."""

from collections import Counter

import pytest
from sqlalchemy import insert
from sqlmodel import col, update

from harness.invariants.xapi_statements import faults_of
from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.learning.xapi.facts import LearningFacts, Verb
from sprout.learning.xapi.statements import StatementWriter
from sprout.store.schema.class_tables import PathCopy
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewEntry
from sprout.store.xapi.facts import SqlLearningFacts
from tests.statement_counter import count_statements
from tests.store.accounts.class_page import RIGHT, SAID, STAYS, WRONG, TaughtClass
from tests.store.accounts.conftest import HERE

FITS: type[LearningFacts] = SqlLearningFacts  # mypy checks it


async def test_O2_answers_and_what_was_reached_are_told_in_the_order_in_which_they_were_done(
    taught: TaughtClass,
) -> None:
    learner = taught.school.learners[0]
    (branch,) = await taught.school.paths.branches(learner)
    facts = await SqlLearningFacts(taught.school.database).of_path(branch.id, user_id=learner)
    told = Counter((fact.verb, fact.kind) for fact in facts)
    assert told[Verb.ANSWERED, "question"] == 12
    assert (told[Verb.COMPLETED, "concept"], told[Verb.COMPLETED, "path"]) == (3, 1)
    assert told[Verb.MASTERED, "part"] == told[Verb.MASTERED, "concept"] == 3
    assert [fact.at for fact in facts] == sorted(fact.at for fact in facts)
    answered = next(fact for fact in facts if fact.verb is Verb.ANSWERED)
    assert (answered.score, answered.success, answered.of_class) == (1.0, True, None)
    assert answered.concept is not None
    assert answered.concept.title == "Counting"
    mastered = next(fact for fact in facts if fact.kind == "part")
    assert (mastered.title, mastered.concept) == ("Counting by hand", answered.concept)
    assert (facts[-1].path.id, facts[-1].path.title) == (branch.id, "Numbers")


async def test_O2_reviews_are_told_with_their_time_and_credits_are_not(taught: TaughtClass) -> None:
    learner = taught.school.learners[0]
    (branch,) = await taught.school.paths.branches(learner)
    parts = await taught.school.paths.nodes(user_id=learner, type="subconcept")
    common = {"user_id": learner, "node_id": parts[0].id, "at": utc_now(), "retention": 0.9, "seconds": 7.5}
    kinds = (("again", False), ("hard", False), ("hard", True))
    rows = [{**common, "id": f"r{n}", "grade": grade, "is_credit": credit} for n, (grade, credit) in enumerate(kinds)]
    await taught.write(insert(table_of(ReviewEntry)).values(rows))
    facts = await SqlLearningFacts(taught.school.database).of_path(branch.id, user_id=learner)
    reviewed = [fact for fact in facts if fact.verb is Verb.REVIEWED]
    assert [(fact.kind, fact.object_id, fact.success, fact.seconds) for fact in reviewed] == [
        ("part", parts[0].id, False, 7.5),
        ("part", parts[0].id, True, 7.5),
    ]


async def test_O2_a_class_names_the_teachers_nodes_for_all_and_no_words_of_anyone(taught: TaughtClass) -> None:
    records = SqlLearningFacts(taught.school.database)
    await taught.answer(2, "Counting", SAID, WRONG)
    learners = await records.learners(taught.class_id, taught.given_id, teacher_id=taught.school.teacher)
    assert [*learners] == [*taught.school.learners]
    found = [
        await records.of_learner(taught.class_id, taught.given_id, one, teacher_id=taught.school.teacher)
        for one in learners
    ]
    counting = await taught.source_concept("Counting")
    for facts in found:
        concepts = {fact.concept.title: fact.concept.id for fact in facts if fact.concept}
        assert concepts["Counting"] == counting
        assert {fact.path.title for fact in facts} == {"Numbers"}
        assert len({fact.path.id for fact in facts}) == 1
    statements = StatementWriter("https://sprout.example").statements([one for facts in found for one in facts])
    assert [fault for one in statements for fault in faults_of(one)] == []
    for secret in (SAID, STAYS, "How many stay", f'"{RIGHT}"', f'"{WRONG}"', "L0"):
        assert secret not in str(statements)
    await taught.write(update(PathCopy).where(col(PathCopy.user_id) == learners[0]).values(origins={}))
    own = await records.of_learner(taught.class_id, taught.given_id, learners[0], teacher_id=taught.school.teacher)
    assert {fact.title or "" for fact in own if fact.kind in ("part", "concept")} == {""}, "what is theirs has no name"
    assert {fact.path.title for fact in own} == {"Numbers"}


async def test_O2_facts_take_as_many_statements_of_sql_however_many_there_are(taught: TaughtClass) -> None:
    records, teacher = SqlLearningFacts(taught.school.database), taught.school.teacher
    counts = []
    for learner in taught.school.learners:
        with count_statements(taught.school.database) as counted:
            await records.of_learner(taught.class_id, taught.given_id, learner, teacher_id=teacher)
        counts.append(len(counted))
    assert counts[0] == counts[1] <= 12


async def test_O2_nobody_else_is_told(taught: TaughtClass) -> None:
    school, records = taught.school, SqlLearningFacts(taught.school.database)
    (branch,) = await school.paths.branches(school.learners[0])
    with pytest.raises(NotFound):
        await records.of_path(branch.id, user_id=school.teacher)
    for class_id, teacher in ((taught.class_id, school.learners[0]), (school.class_ids[1], school.teacher)):
        with pytest.raises(NotFound):
            await records.learners(class_id, taught.given_id, teacher_id=teacher)
        with pytest.raises(NotFound):
            await records.of_learner(class_id, taught.given_id, school.learners[0], teacher_id=teacher)
    await school.memberships.leave(taught.class_id, user_id=school.learners[0], origin=HERE)
    left = await records.of_learner(taught.class_id, taught.given_id, school.learners[0], teacher_id=school.teacher)
    assert [*left] == []
