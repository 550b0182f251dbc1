"""The teacher's desk on both databases: what waits there, and what a decision changes and puts back."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from sprout.accounts.desk import Desk, DeskPage, NothingToMark, QuestionDropped, UndoTooLate
from sprout.accounts.principal import AccountRole
from sprout.clock import utc_now
from sprout.errors import MissingRight, NotFound
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.marking.decisions import Decision
from sprout.learning.marking.grades import GradeState
from sprout.learning.questions.assessments import GivenAnswer, SelfMark
from sprout.store.account.account import SqlAccount
from sprout.store.desk.desk import SqlDesk
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.desk_tables import DeskDecision
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry, ReviewItem, ReviewSessionRow
from tests.statement_counter import count_statements
from tests.store.accounts.conftest import HERE, an_account
from tests.store.desk.conftest import CAKES, CHOICE, EQUAL, UNSURE, ClassAtWork

FITS: type[Desk] = SqlDesk  # mypy checks it
DECISIONS: tuple[Decision, ...] = ("right", "partly", "not_yet", "drop")


async def page(at_work: ClassAtWork) -> DeskPage:
    return await at_work.desk.desk(at_work.class_id, teacher_id=at_work.teacher)


async def waiting(at_work: ClassAtWork) -> list[tuple[str, str]]:
    return [(one.id, one.kind) for one in (await page(at_work)).items]


async def test_what_is_contested_unsure_or_flagged_waits_oldest_first_and_without_a_name(at_work: ClassAtWork) -> None:
    one, two, three = at_work.school.learners
    flagged = replace(UNSURE, state=GradeState.GRADED, score=1.0, correct=True, remedy=None, flagged=("odd",))
    first = await at_work.write(one, CAKES, "One cake has another size.")
    second = await at_work.choose(two, CHOICE, "3/8")
    await at_work.contest(two, second)
    third = await at_work.write(three, CAKES, "Marked by hand: all met.", flagged)
    await at_work.choose(three, CHOICE, "3/8")
    found = (await page(at_work)).items
    assert [(one.id, one.kind) for one in found] == [(first, "unsure"), (second, "disagrees"), (third, "flagged")]
    assert (found[0].path, found[0].concept) == ("Fractions", "A fraction as equal parts")
    assert found[0].model_answer.startswith("The cakes have different sizes")
    assert [(row.verdict, row.span) for row in found[0].criteria] == [("met", "another size"), ("missing", "")]
    assert (found[0].mark, found[0].sure, found[0].helped) == (None, 0.5, False)
    assert found[0].doubts == ["two looks differ"]
    assert (found[1].answer, found[1].mark, found[1].reason, found[1].outcome) == (
        "3/8",
        "missed",
        "It is not.",
        "held",
    )
    assert (found[1].model_answer, sorted(found[1].options)) == ("5/8", ["3/8", "5/3", "5/8", "8/5"])
    assert (found[2].mark, found[2].doubts[0]) == ("right", "odd")
    shown = (await page(at_work)).model_dump_json()
    assert not [word for word in (*at_work.school.learners, "L0", "L1", "L2") if word in shown]
    named = await at_work.desk.learner(at_work.class_id, second, teacher_id=at_work.teacher)
    assert (named.user_id, named.display_name) == (two, "L1")


async def test_what_is_still_being_checked_or_graded_waits_only_once_that_takes_too_long(at_work: ClassAtWork) -> None:
    one, two, _ = at_work.school.learners
    unread = await at_work.write(one, CAKES, "Different sizes.", None)
    checked = await at_work.choose(two, CHOICE, "3/8")
    await at_work.contest(two, checked, None)
    assert await waiting(at_work) == []

    def age(tx: WriteTransaction) -> None:
        answer = tx.session.exec(select(tables.Answer).where(tables.Answer.question_id == unread)).one()
        question = tx.session.exec(select(tables.Question).where(tables.Question.id == checked)).one()
        answer.created_at = utc_now() - timedelta(minutes=11)
        question.contest = {**question.contest, "at": answer.created_at.isoformat()}  # type: ignore[dict-item]
        tx.session.add_all([answer, question])

    await at_work.school.database.write_tx(age)
    assert sorted(await waiting(at_work)) == sorted([(unread, "unsure"), (checked, "disagrees")])


async def test_an_answer_that_its_learner_only_compared_waits_and_counts_once_it_is_decided(
    at_work: ClassAtWork,
) -> None:
    learner = at_work.school.learners[0]
    question_id = await at_work.write(learner, CAKES, "Different sizes.")
    question = await at_work.question(learner, CAKES)
    await at_work.assessments.change_assessment(
        question.assessment_id, user_id=learner, title=None, completed_at=utc_now()
    )
    (answer,) = await at_work.assessments.answers(question.assessment_id, user_id=learner)
    await at_work.assessments.record_self_mark(answer.id, SelfMark({"c1": "met", "c2": "met"}), user_id=learner)
    (item,) = (await page(at_work)).items
    assert (item.id, item.compared, item.sure) == (question_id, True, None)
    assert "The whole" not in await at_work.mastery(learner)
    await at_work.desk.decide(at_work.class_id, question_id, "right", teacher_id=at_work.teacher)
    assert (await at_work.mastery(learner))["The whole"][0] > 0.5


@pytest.mark.parametrize("decision", DECISIONS)
async def test_a_decision_is_the_grade_and_progress_follows_and_undoing_it_puts_everything_back(
    at_work: ClassAtWork, decision: Decision
) -> None:
    learner = at_work.school.learners[0]
    question_id = await at_work.choose(learner, CHOICE, "3/8")
    await at_work.contest(learner, question_id)
    before, mastery = await at_work.state(learner), await at_work.mastery(learner)
    made = await at_work.desk.decide(at_work.class_id, question_id, decision, teacher_id=at_work.teacher)
    assert (made.id, made.decision) == (question_id, decision)
    after = await at_work.mastery(learner)
    low, high = mastery["The denominator"][0], after.get("The denominator", (0.0, False))[0]
    assert {"right": high > low, "partly": high == low, "not_yet": high == low, "drop": high == 0}[decision]
    question = await at_work.question(learner, CHOICE)
    (answer,) = await at_work.assessments.answers(question.assessment_id, user_id=learner)
    if decision == "drop":
        assert question.state == "voided"
        assert (await at_work.keys.find_contest(question_id, user_id=learner)).outcome == "wrong"
    else:
        assert answer.score == {"right": 1.0, "partly": 0.5, "not_yet": 0.0}[decision]
        assert answer.feedback == fixed_text(f"decided_{decision}", "en")
    assert (await page(at_work)).items == []
    assert (await page(at_work)).decided == 1
    again = await at_work.desk.decide(at_work.class_id, question_id, decision, teacher_id=at_work.teacher)
    assert again == made
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    assert await at_work.state(learner) == before
    assert await waiting(at_work) == [(question_id, "disagrees")]
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)


async def test_any_other_decision_replaces_the_one_before_and_undo_goes_back_to_what_was_before_both(
    at_work: ClassAtWork,
) -> None:
    learner = at_work.school.learners[0]
    question_id = await at_work.write(learner, CAKES, "Different sizes.")
    before = await at_work.state(learner)
    states = {}
    for decision in DECISIONS:
        await at_work.desk.decide(at_work.class_id, question_id, decision, teacher_id=at_work.teacher)
        states[decision] = await at_work.mastery(learner)
    for decision in DECISIONS[::-1]:
        await at_work.desk.decide(at_work.class_id, question_id, decision, teacher_id=at_work.teacher)
        assert await at_work.mastery(learner) == states[decision]
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    assert await at_work.state(learner) == before


async def test_a_question_of_the_path_that_is_dropped_counts_for_nobody_and_comes_back_for_all(
    at_work: ClassAtWork,
) -> None:
    one, two, three = at_work.school.learners
    question_id = await at_work.choose(one, CHOICE, "3/8")
    await at_work.choose(two, CHOICE, "5/8")
    await at_work.contest(one, question_id)
    before = [await at_work.state(learner) for learner in at_work.school.learners]
    made = await at_work.desk.decide(at_work.class_id, question_id, "drop", teacher_id=at_work.teacher)
    assert made.dropped == 3, "two other learners, and the teacher's own"
    assert {(await at_work.question(who, CHOICE)).state for who in (one, two, three, at_work.teacher)} == {"voided"}
    values = [value for who in (one, two) for value in (await at_work.mastery(who)).values()]
    assert set(values) == {(0.0, False)}
    told = [[row.decision for row in await at_work.desk.decisions(who) if not row.seen] for who in (one, two, three)]
    assert told == [["drop"], ["drop"], []], "who never answered it is not told"
    assert await at_work.desk.decisions(at_work.teacher) == []
    late = await at_work.school.memberships.join_anew("BCDFGHJK", "Late", "card of late", origin=HERE)
    await at_work.school.giver.give_lacking()
    file = await at_work.school.exchange.export_path((await at_work.school.paths.branches(late))[0].id, user_id=late)
    assert CHOICE not in file.model_dump_json()
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    assert [await at_work.state(learner) for learner in at_work.school.learners] == before


async def test_a_question_that_was_made_for_one_learner_is_dropped_for_them_alone(at_work: ClassAtWork) -> None:
    one, two, _ = at_work.school.learners
    for learner in (one, two):
        question = await at_work.question(learner, CHOICE)
        await at_work.add(
            tables.Question(
                id=f"own-{learner}", assessment_id=question.assessment_id, node_id=question.node_id, position=99,
                format="numeric", prompt="Same words?", prompt_key="same words", correct_answer="7",
            )
        )  # fmt: skip
    question = await at_work.question(one, "Same words")
    await at_work.assessments.record_answer(question.assessment_id, GivenAnswer(question.id, text="8"), user_id=one)
    await at_work.contest(one, question.id, "unsettled")
    made = await at_work.desk.decide(at_work.class_id, question.id, "drop", teacher_id=at_work.teacher)
    assert made.dropped == 0
    assert (await at_work.question(two, "Same words")).state == "verified"


async def test_the_review_that_an_answer_was_given_in_follows_a_decision_and_its_undoing(
    at_work: ClassAtWork,
) -> None:
    learner, now = at_work.school.learners[0], utc_now()
    question_id = await at_work.choose(learner, EQUAL, "4/6")
    await at_work.contest(learner, question_id)
    nodes = await at_work.school.paths.nodes(user_id=learner, type="subconcept")
    part = next(node.id for node in nodes if node.title == "Reducing")
    question = await at_work.question(learner, EQUAL)
    (answer,) = await at_work.assessments.answers(question.assessment_id, user_id=learner)
    long_ago = now - timedelta(days=30)
    await at_work.add(
        ReviewCard(id="card", user_id=learner, node_id=part, learned_at=long_ago, due_at=now, seen_at=long_ago),
        ReviewSessionRow(id="session", user_id=learner, started_at=now, ended_at=now),
        ReviewItem(
            id="item", session_id="session", position=1, node_id=part, question_id=question_id, answer_id=answer.id,
            state="answered", settled_at=now, seconds=3.0,
        ),
        ReviewEntry(
            id="entry", user_id=learner, node_id=part, answer_id=answer.id, at=now, grade="again", retention=0.9
        ),
    )  # fmt: skip
    # The schedule as its one review makes it, so that what is put back can be compared.
    await at_work.desk.decide(at_work.class_id, question_id, "not_yet", teacher_id=at_work.teacher)
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    before = await at_work.state(learner)
    (missed,) = before["review_cards"]
    await at_work.desk.decide(at_work.class_id, question_id, "right", teacher_id=at_work.teacher)
    (recalled,) = (await at_work.state(learner))["review_cards"]
    assert recalled != missed
    assert "again" not in str((await at_work.state(learner))["reviews"])
    await at_work.desk.decide(at_work.class_id, question_id, "drop", teacher_id=at_work.teacher)
    assert (await at_work.state(learner))["reviews"] == []
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    assert await at_work.state(learner) == before


async def test_an_override_ends_with_a_decision_and_is_back_once_that_is_undone(
    at_work: ClassAtWork,
) -> None:
    learner = at_work.school.learners[0]
    question_id = await at_work.write(learner, CAKES, "Different sizes.")
    nodes = await at_work.school.paths.nodes(user_id=learner, type="subconcept")
    part = next(node.id for node in nodes if node.title == "The whole")
    await at_work.add(
        tables.Progress(id="p", user_id=learner, node_id=part, mastery_score=0.4, overridden_at=utc_now())
    )
    before = await at_work.state(learner)
    await at_work.desk.decide(at_work.class_id, question_id, "right", teacher_id=at_work.teacher)
    assert (await at_work.mastery(learner))["The whole"][0] != 0.4
    await at_work.desk.undo(at_work.class_id, question_id, teacher_id=at_work.teacher)
    kept = [row for row in (await at_work.state(learner))["user_node_progress"] if "p" in row]
    assert kept == [row for row in before["user_node_progress"] if "p" in row]


async def test_two_tabs_at_once_make_one_decision(at_work: ClassAtWork) -> None:
    learner = at_work.school.learners[0]
    question_id = await at_work.write(learner, CAKES, "Different sizes.")
    made = await asyncio.gather(
        *(
            SqlDesk(at_work.school.database).decide(at_work.class_id, question_id, decision, teacher_id=at_work.teacher)
            for decision in ("right", "right", "not_yet", "drop", "right")
        )
    )
    assert {one.id for one in made} == {question_id}
    async with at_work.school.database.open_read_session() as session:
        rows = (await session.exec(select(DeskDecision).where(DeskDecision.user_id == learner))).all()
    assert len(rows) == 1


async def test_a_question_that_is_gone_or_voided_meanwhile_is_not_decided(at_work: ClassAtWork) -> None:
    one, two, _ = at_work.school.learners
    gone, voided = await at_work.write(one, CAKES, "Sizes."), await at_work.choose(two, CHOICE, "3/8")

    def void(tx: WriteTransaction) -> None:
        question = tx.session.exec(select(tables.Question).where(tables.Question.id == voided)).one()
        question.state = "voided"
        tx.session.add(question)

    await at_work.contest(two, voided)
    await at_work.school.database.write_tx(void)
    (branch,) = await at_work.school.paths.branches(one)
    await at_work.school.paths.delete_branch(branch.id, user_id=one)
    with pytest.raises(NotFound):
        await at_work.desk.decide(at_work.class_id, gone, "right", teacher_id=at_work.teacher)
    with pytest.raises(QuestionDropped):
        await at_work.desk.decide(at_work.class_id, voided, "right", teacher_id=at_work.teacher)


async def test_a_contested_question_without_an_answer_can_be_dropped_or_kept(
    at_work: ClassAtWork,
) -> None:
    learner = at_work.school.learners[0]
    question = await at_work.question(learner, CHOICE)
    await at_work.contest(learner, question.id, "unsettled")
    (item,) = (await page(at_work)).items
    assert (item.id, item.answer, item.mark) == (question.id, None, None)
    with pytest.raises(NothingToMark):
        await at_work.desk.decide(at_work.class_id, question.id, "right", teacher_id=at_work.teacher)
    await at_work.desk.decide(at_work.class_id, question.id, "not_yet", teacher_id=at_work.teacher)
    assert await waiting(at_work) == []
    assert "The denominator" not in await at_work.mastery(learner)
    assert (await at_work.question(learner, CHOICE)).state == "verified"


async def test_what_a_learner_does_elsewhere_or_after_leaving_is_on_no_desk(at_work: ClassAtWork) -> None:
    one, two, three = at_work.school.learners
    own = await at_work.school.exchange.import_path(
        await at_work.school.exchange.export_path(at_work.school.branch_id, user_id=at_work.teacher), user_id=one
    )
    (copy,) = await at_work.school.given.copies(one)
    await at_work.school.paths.delete_branch(copy.branch_id, user_id=one)
    outside = await at_work.write(one, CAKES, "In a path of my own.")
    assert own.id != copy.branch_id
    left, stayed = await at_work.write(two, CAKES, "Sizes."), await at_work.write(three, CAKES, "Sizes.")
    assert await waiting(at_work) == [(left, "unsure"), (stayed, "unsure")]
    await at_work.school.memberships.leave(at_work.class_id, user_id=two, origin=HERE)
    assert await waiting(at_work) == [(stayed, "unsure")]
    for item in (outside, left, "no-such-item"):
        with pytest.raises(NotFound):
            await at_work.desk.decide(at_work.class_id, item, "right", teacher_id=at_work.teacher)
        with pytest.raises(NotFound):
            await at_work.desk.learner(at_work.class_id, item, teacher_id=at_work.teacher)
        with pytest.raises(NotFound):
            await at_work.desk.undo(at_work.class_id, item, teacher_id=at_work.teacher)


async def test_another_teacher_has_nothing_here_and_a_former_one_decides_nothing(at_work: ClassAtWork) -> None:
    school = at_work.school
    other = await an_account(school.accounts, "Olga", AccountRole.TEACHER)
    item = await at_work.write(school.learners[0], CAKES, "Sizes.")
    second = school.class_ids[1]
    for class_id, teacher_id in ((at_work.class_id, other), (second, school.teacher)):
        with pytest.raises(NotFound):
            await at_work.desk.decide(class_id, item, "right", teacher_id=teacher_id)
        with pytest.raises(NotFound):
            await at_work.desk.learner(class_id, item, teacher_id=teacher_id)
    with pytest.raises(NotFound):
        await at_work.desk.desk(at_work.class_id, teacher_id=other)
    owner = await an_account(school.accounts, "Owner", AccountRole.OWNER)
    assert owner
    await school.accounts.change(school.teacher, role=AccountRole.LEARNER, origin=HERE)
    with pytest.raises(MissingRight):
        await at_work.desk.decide(at_work.class_id, item, "right", teacher_id=school.teacher)


async def test_a_decision_is_told_to_its_learner_once_and_cannot_be_undone_after_a_while(at_work: ClassAtWork) -> None:
    learner = at_work.school.learners[0]
    item = await at_work.write(learner, CAKES, "Different sizes.")
    await at_work.desk.decide(at_work.class_id, item, "partly", teacher_id=at_work.teacher)
    (told,) = await at_work.desk.decisions(learner)
    assert (told.decision, told.said, told.class_name, told.seen) == ("partly", "Different sizes.", "BCDFGHJK", False)
    await at_work.desk.mark_seen(learner)
    assert [one.seen for one in await at_work.desk.decisions(learner)] == [True]

    def age(tx: WriteTransaction) -> None:
        made = tx.session.exec(select(DeskDecision)).one()
        made.decided_at = utc_now() - timedelta(minutes=11)
        tx.session.add(made)

    await at_work.school.database.write_tx(age)
    with pytest.raises(UndoTooLate):
        await at_work.desk.undo(at_work.class_id, item, teacher_id=at_work.teacher)
    await at_work.desk.decide(at_work.class_id, item, "right", teacher_id=at_work.teacher)
    assert [(one.decision, one.seen) for one in await at_work.desk.decisions(learner)] == [("right", False)]


async def test_erasing_a_learner_or_the_teacher_leaves_the_others_with_their_decisions(at_work: ClassAtWork) -> None:
    one, two, _ = at_work.school.learners
    item = await at_work.choose(one, CHOICE, "3/8")
    await at_work.choose(two, CHOICE, "5/8")
    await at_work.contest(one, item)
    await at_work.desk.decide(at_work.class_id, item, "drop", teacher_id=at_work.teacher)
    account = SqlAccount(at_work.school.database, storage=at_work.school.paths.storage)
    await account.erase(one)
    assert [row.decision for row in await at_work.desk.decisions(two)] == ["drop"]
    await account.erase(at_work.teacher)
    assert [(row.decision, row.class_name) for row in await at_work.desk.decisions(two)] == [("drop", None)]


async def test_the_desk_takes_as_many_statements_for_many_answers_as_for_one(at_work: ClassAtWork) -> None:
    one, two, three = at_work.school.learners
    await at_work.write(one, CAKES, "Sizes.")
    with count_statements(at_work.school.database) as few:
        await page(at_work)
    await at_work.write(two, CAKES, "Sizes.")
    await at_work.contest(three, await at_work.choose(three, CHOICE, "3/8"))
    with count_statements(at_work.school.database) as many:
        assert len((await page(at_work)).items) == 3
    assert len(many) == len(few)
