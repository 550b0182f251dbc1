"""Review sessions: sized, taken up anywhere, each question answered once."""

import asyncio

import pytest
from sqlalchemy import select, update

from sprout.errors import BadInput, Conflict, NotFound
from sprout.events import Mark
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.items import ItemSource
from sprout.learning.reviews.repository import ReviewAnswer, ReviewQuestion, SettingsChange
from sprout.store.assessment.misconceptions import SqlMisconceptions
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewItem
from tests.store.reviews.learned_path import ME, PARTS, RIGHT, WRONG, Learner, Prepared

_items, _nodes = table_of(ReviewItem), table_of(tables.Node)
ALL = [part for parts in PARTS.values() for part in parts]


async def test_V5_nothing_is_due_within_a_day_of_learning(learner: Learner) -> None:
    found = await learner.reviews.due(ME)
    assert (found.due, found.cards, found.paths) == (0, len(ALL), [])
    assert found.next_at is not None
    with pytest.raises(Conflict, match="Nothing is due"):
        await learner.start()


async def test_V2_all_that_was_learned_is_due_a_day_later(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    found = await learner.reviews.due(ME)
    assert (found.due, found.today, found.minutes, found.days, found.next_at) == (5, 5, 3, 0, None)
    assert [(path.branch_id, path.title, path.due) for path in found.paths] == [(learner.branch_id, "Chances", 5)]


async def test_V1_a_right_answer_a_day_later_masters_the_part_and_moves_its_date(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    title = session.question.title
    assert (await learner.progress(title)).mastered_at is None
    reply = await learner.reply()
    result = reply.result
    assert (result.mark, result.grade, result.answer, result.comes_back) == ("right", "good", RIGHT, False)
    assert [choice.grade for choice in result.choices] == list(ReviewGrade)
    progress, card = await learner.progress(title), await learner.card(title)
    assert progress.mastered_at == learner.clock.moment
    assert card.due_at > learner.clock.moment
    assert await learner.history(title) == [("good", False)]
    assert reply.session.done == 1


async def test_V1_a_slow_right_answer_is_hard_and_the_learner_may_say_otherwise(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    learner.clock.move(minutes=5)
    reply = await learner.reply(seconds=240)
    assert (reply.result.grade, reply.result.fits) == ("hard", "hard")
    session_id, item_id = reply.session.id, reply.result.item_id
    dates = {choice.grade: choice.due_at for choice in reply.result.choices}
    for grade in (ReviewGrade.EASY, ReviewGrade.GOOD):
        changed = await learner.reviews.choose_grade(session_id, item_id, grade, user_id=ME)
        assert (changed.result.grade, changed.result.fits) == (grade, "hard")
        assert {choice.grade: choice.due_at for choice in changed.result.choices} == dates
        assert await learner.history(reply.result.title) == [(grade.value, False)]
        card = await learner.card(reply.result.title)
        assert dates[grade].startswith(card.due_at.isoformat()[:19])


async def test_V1_a_grade_that_does_not_fit_the_answer_is_refused(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    reply = await learner.reply(WRONG)
    with pytest.raises(BadInput, match="again"):
        await learner.reviews.choose_grade(reply.session.id, reply.result.item_id, ReviewGrade.EASY, user_id=ME)
    assert await learner.history(reply.result.title) == [("again", False)]


async def test_V6_a_miss_shows_the_answer_and_comes_back_the_same_day_as_another_question(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    missed = await learner.reply(WRONG)
    result = missed.result
    assert (result.mark, result.grade, result.answer, result.comes_back) == ("not_yet", "again", RIGHT, True)
    assert [choice.grade for choice in result.choices] == ["again"]
    assert (missed.session.total, missed.session.segments[-1].comes_back) == (6, True)
    *_, last = await learner.finish()
    assert (last.result.title, last.result.comes_back) == (result.title, False)
    assert last.result.prompt != result.prompt
    assert last.session.ended_at is not None
    assert (last.session.done, last.session.recalled) == (6, 5)


async def test_V6_a_session_in_which_only_misses_are_left_is_still_due_today(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    await learner.reply(WRONG)
    for _ in range(session.total - 1):
        await learner.reply()
    left = await learner.reviews.due(ME)
    assert (left.due, left.today, left.minutes, left.session_id) == (1, 1, 1, session.id)
    assert [(path.branch_id, path.due) for path in left.paths] == [(learner.branch_id, 1)]
    taken_up, is_new = await learner.reviews.start_session(ME)
    assert (taken_up.id, is_new) == (session.id, False)
    await learner.finish()
    assert (await learner.reviews.due(ME)).today == 0


async def test_V5_what_is_due_is_named_part_by_part_with_what_a_review_covers(learner: Learner) -> None:
    assert await learner.reviews.due_parts(ME) == frozenset()
    learner.clock.move(days=1, minutes=1)
    assert await learner.reviews.due_parts(ME) == {*learner.parts.values()}
    await learner.start()
    await learner.finish()
    assert await learner.reviews.due_parts(ME) == frozenset()


async def test_H7_what_was_sure_and_wrong_comes_back_before_other_misses_and_after_a_few_questions(
    learner: Learner,
) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    unsure = (await learner.reply(WRONG)).result.title
    sure = (await learner.reply(WRONG, sure=True)).result.title
    rest = await learner.finish()
    titles = [one.result.title for one in rest]
    assert titles.index(sure) == 2, "two other questions lie between"
    assert titles[-1] == unsure
    assert len(titles) == len(ALL)
    assert rest[-1].session.ended_at is not None


async def test_H7_at_the_end_of_a_session_what_was_sure_and_wrong_comes_back_before_the_other_misses(
    learner: Learner,
) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    missed = [(await learner.reply(WRONG)).result.title for _ in ALL[:-1]]
    sure = (await learner.reply(WRONG, sure=True)).result.title
    titles = [one.result.title for one in await learner.finish()]
    assert titles == [missed[0], sure, *missed[1:]], "one question lies between"


async def test_H7_what_was_sure_and_wrong_is_the_first_review_of_its_next_day(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    device = await learner.start()
    missed: list[str] = []
    for _ in ALL:
        assert device.question is not None
        title = device.question.title
        is_missed = title in PARTS["Odds"]
        device = (await learner.reply(WRONG if is_missed else RIGHT, sure=is_missed and bool(missed))).session
        missed += [title] if is_missed else []
    await learner.finish(None)
    for title in missed:
        await learner.learn(title)
    learner.clock.move(days=60)
    session = await learner.start(minutes=20)
    assert session.question is not None
    assert session.question.title == missed[1], "the other one was missed earlier, so that it is forgotten rather"


async def test_V1_answering_twice_in_one_sitting_moves_no_date(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    missed = (await learner.reply(WRONG)).result
    card = await learner.card(missed.title)
    await learner.finish()
    assert await learner.history(missed.title) == [("again", False), ("good", False)]
    after = await learner.card(missed.title)
    assert (after.due_at, after.stability) == (card.due_at, card.stability)


async def test_V6_a_first_review_that_is_missed_keeps_its_card(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    missed = (await learner.reply(WRONG)).result
    assert (await learner.progress(missed.title)).completed_at is None
    card = await learner.card(missed.title)
    assert card.due_at > learner.clock.moment
    assert card.stability is not None


async def test_V6_a_part_that_is_missed_again_and_again_is_left_to_its_lesson(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    replies = await learner.finish(WRONG)
    assert len(replies) == 3 * len(ALL)
    assert replies[-1].session.ended_at is not None


async def test_I_do_not_know_is_no_evidence_but_comes_back(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    before = {title: await learner.progress(title) for title in ALL}
    reply = await learner.reply(None)
    assert (reply.result.mark, reply.result.grade, reply.result.comes_back) == ("not_known", "again", True)
    after = await learner.progress(reply.result.title)
    assert (after.mastery_score, after.completed_at) == (
        before[reply.result.title].mastery_score,
        before[reply.result.title].completed_at,
    )


async def test_V5_what_is_skipped_is_no_failure_and_waits_for_tomorrow(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    item, title = session.question.item_id, session.question.title
    card = await learner.card(title)
    for _ in range(2):
        learner.device = await learner.reviews.skip(session.id, item, user_id=ME)
        assert learner.device.done == 1
    await learner.finish()
    assert (await learner.history(title), await learner.card(title)) == ([], card)
    assert (await learner.reviews.due(ME)).due == 0
    learner.clock.move(days=1)
    assert (await learner.reviews.due(ME)).due == 1


async def test_V2_a_good_answer_credits_what_it_builds_on(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    await learner.finish()
    learner.clock.move(days=60)
    found = await learner.reviews.due(ME)
    assert found.due == 3, "Trees covers Shares and Splits"
    session = await learner.start()
    assert session.total == 3
    titles = []
    while learner.device is not None and learner.device.question is not None:
        question = learner.device.question
        titles.append((question.title, question.covers))
        await learner.reply()
    assert sorted(titles) == [("Back to chances", []), ("For and against", []), ("Trees", ["Shares", "Splits"])]
    assert await learner.history("Shares") == [("good", False), ("hard", True)]
    assert (await learner.reviews.due(ME)).due == 0
    for title in ALL:
        assert (await learner.card(title)).due_at > learner.clock.moment


async def test_V2_a_miss_gives_no_credit_and_a_grade_that_is_lowered_takes_it_back(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    await learner.start()
    await learner.finish()
    learner.clock.move(days=60)
    session = await learner.start()
    while session.question is not None and session.question.title != "Trees":
        session = (await learner.reply()).session
    before = await learner.card("Splits")
    reply = await learner.reply()
    assert (await learner.card("Splits")).due_at > before.due_at
    item = reply.result.item_id
    lowered = await learner.reviews.choose_grade(session.id, item, ReviewGrade.AGAIN, user_id=ME)
    assert lowered.result.comes_back
    after = await learner.card("Splits")
    assert (after.due_at, after.stability) == (before.due_at, before.stability)
    raised = await learner.reviews.choose_grade(session.id, item, ReviewGrade.GOOD, user_id=ME)
    assert not raised.result.comes_back
    assert (await learner.card("Splits")).due_at > before.due_at


async def test_V5_a_day_has_a_size_and_a_backlog_is_spread(learner: Learner) -> None:
    await learner.reviews.change_settings(ME, SettingsChange(minutes=5))
    learner.clock.move(days=14)
    await learner.start()
    for _ in range(5):
        learner.clock.move(seconds=115)
        await learner.reply(seconds=115)
    learner.clock.move(days=14)
    found = await learner.reviews.due(ME)
    assert (found.due, found.today, found.minutes, found.days) == (3, 2, 4, 1)
    session = await learner.start()
    assert session.total == 2
    await learner.finish()
    done = await learner.reviews.due(ME)
    assert (done.due, done.today, done.days, done.done_today) == (1, 0, 1, 2)
    with pytest.raises(Conflict, match="done"):
        await learner.start()
    assert (await learner.start(minutes=5)).total == 1


async def test_V4_a_session_alternates_between_concepts(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    assert [one.concept for one in await _asked(learner)] == ["Counts", "Odds", "Counts", "Odds", "Counts"]


async def test_V4_what_is_as_urgent_is_asked_in_the_order_of_the_path_whichever_was_made_first(
    learner: Learner,
) -> None:
    counts = [learner.parts[title] for title in PARTS["Counts"]]
    late = update(_nodes).where(_nodes.c.id.in_(counts)).values(creation=_nodes.c.creation + 1_000)
    await learner.database.write_tx(lambda tx: tx.connection.execute(late))  # as if they had come last of all
    learner.clock.move(days=1, minutes=1)
    titles = [one.title for one in await _asked(learner)]
    assert titles == ["Shares", "For and against", "Splits", "Back to chances", "Trees"]


async def _asked(learner: Learner) -> list[ReviewQuestion]:
    """The questions of a new session, each answered right."""
    session = await learner.start()
    found = []
    while session.question is not None:
        found.append(session.question)
        session = (await learner.reply()).session
    return found


async def test_V4_a_question_that_was_not_just_seen_is_asked(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    assert session.question.prompt.endswith("2)"), "two of the four were answered when it was learned"


@pytest.mark.parametrize(
    "source",
    [Prepared("For and against", QuestionDraft("How many chairs are left of three?", "numeric", RIGHT, 3, ("?",)))],
)
async def test_V4_a_prepared_question_is_asked_once_before_any_is_repeated(
    learner: Learner, source: ItemSource
) -> None:
    asked = []
    for _ in range(4):
        learner.clock.move(days=4_000)
        await learner.start(minutes=20)
        asked += [one.result for one in await learner.finish() if one.result.title == "For and against"]
    assert len({one.prompt for one in asked[:3]}) == 3
    assert [one.why for one in asked if "chairs" in one.prompt] == ["Count the chairs.\nTwo are left."]


async def test_C1_a_review_asks_what_can_clear_a_belief_that_is_a_day_old(learner: Learner) -> None:
    belief, part = "Whoever leaves is still counted.", "For and against"
    showed, reveals = await learner.question(part, 0), await learner.question(part, 3)
    grade = {"state": "graded", "score": 0.0, "correct": False, "misconceptions": [belief]}
    answers, questions = table_of(tables.Answer), table_of(tables.Question)
    wrong = update(answers).where(answers.c.question_id == showed.id).values(grade=grade, score=0.0, is_correct=False)
    known = [{"optionId": None, "answer": WRONG, "misconception": belief}]
    named = update(questions).where(questions.c.id == reveals.id).values(misconceptions=known)
    await learner.database.write_tx(lambda tx: (tx.connection.execute(wrong), tx.connection.execute(named)))
    mix_ups = SqlMisconceptions(learner.database)
    assert [one.state for one in await mix_ups.mix_ups(ME)] == ["open"]

    learner.clock.move(days=1, minutes=1)
    await learner.start(minutes=20)
    asked = [one.result.prompt for one in await learner.finish() if one.result.title == part]
    assert asked == [reveals.prompt], "the one before it was not asked either, but cannot show the belief"
    (found,) = await mix_ups.mix_ups(ME)
    assert (found.state, found.cleared_by is not None) == ("cleared", True)


async def test_a_session_is_taken_up_on_another_device(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    first = await learner.start()
    await learner.reply()
    other, is_new = await learner.reviews.start_session(ME)
    assert (other.id, is_new, other.done) == (first.id, False, 1)
    assert await learner.reviews.session(first.id, user_id=ME) == other == learner.device
    assert (await learner.reviews.due(ME)).session_id == first.id


async def test_devices_at_once_start_one_session(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    begun = await asyncio.gather(*(learner.reviews.start_session(ME) for _ in range(4)))
    assert len({session.id for session, _ in begun}) == 1
    assert [is_new for _, is_new in begun].count(True) == 1
    assert len(await learner.rows(select(_items.c.id))) == begun[0][0].total


async def test_of_an_answer_and_a_skip_at_once_one_counts(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    before, item, title = await learner.answers(), session.question.item_id, session.question.title
    replies = await asyncio.gather(
        learner.reviews.skip(session.id, item, user_id=ME),
        learner.reviews.answer(session.id, ReviewAnswer(item, text=RIGHT), user_id=ME),
        return_exceptions=True,
    )
    (refused,) = [one for one in replies if isinstance(one, BaseException)]
    assert isinstance(refused, Conflict)
    was_answered = refused is replies[0]
    assert refused.code == ("answered_already" if was_answered else "already_skipped")
    assert (await learner.answers() - before, len(await learner.history(title))) == (was_answered, was_answered)


async def test_yesterdays_session_is_over(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    first = await learner.start()
    learner.clock.move(days=1)
    assert (await learner.reviews.due(ME)).session_id is None
    second = await learner.start()
    assert second.id != first.id
    learner.device = first
    with pytest.raises(Conflict, match="over"):
        await learner.reply()


async def test_two_devices_answer_one_question_and_it_counts_once(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    before, title = await learner.answers(), session.question.title
    given = [ReviewAnswer(session.question.item_id, text=text) for text in (RIGHT, WRONG, RIGHT, RIGHT)]
    replies = await asyncio.gather(
        *(learner.reviews.answer(session.id, one, user_id=ME) for one in given), return_exceptions=True
    )
    refused = [one for one in replies if isinstance(one, BaseException)]
    assert all(isinstance(one, Conflict) and "answered already" in str(one) for one in refused)
    kept = {answer.text for answer, reply in zip(given, replies, strict=True) if reply not in refused}
    assert len(kept) == 1, "the same words sent again are no other answer"
    assert len(refused) == sum(answer.text not in kept for answer in given)
    assert await learner.answers() == before + 1
    assert len(await learner.history(title)) == 1


async def test_the_same_answer_sent_again_gets_the_same_reply(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    answer = ReviewAnswer(session.question.item_id, text=WRONG, seconds=3)
    replies = [await learner.reviews.answer(session.id, answer, user_id=ME) for _ in range(3)]
    assert replies[0] == replies[1] == replies[2]


async def test_a_question_whose_turn_has_not_come_is_not_answered(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    for item in session.segments[1:]:
        with pytest.raises(Conflict, match="turn"):
            await learner.reviews.answer(session.id, ReviewAnswer(item.id, text=RIGHT), user_id=ME)
    with pytest.raises(NotFound):
        await learner.reviews.answer(session.id, ReviewAnswer("nothing", text=RIGHT), user_id=ME)


@pytest.mark.parametrize("text", ["why do we have to do this?", "this is stupid"])
async def test_what_is_no_answer_is_refused_and_nothing_happens(learner: Learner, text: str) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    before = await learner.answers()
    with pytest.raises(BadInput, match="no answer yet"):
        await learner.reply(text)
    assert await learner.answers() == before
    assert await learner.reviews.session(session.id, user_id=ME) == session


async def test_A9_what_could_not_be_read_twice_is_compared_by_the_learner(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    first = await learner.reply("2 or 3")
    assert (first.result.mark, first.result.answer, first.result.grade) == ("unread", None, None)
    assert first.session.question == session.question
    second = await learner.reply("3 or 2")
    assert (second.result.mark, second.session.question) == ("to_compare", None)
    assert second.session.comparing == second.result
    assert second.result.compare is not None
    assert second.result.compare.model_answer == RIGHT


@pytest.mark.parametrize(("verdict", "grade"), [("met", "good"), ("partly", "hard"), ("missing", "again")])
async def test_A11_an_answer_that_its_learner_compares_is_graded_by_that_and_is_practice(
    learner: Learner, verdict: Mark, grade: str
) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert session.question is not None
    item, title = session.question.item_id, session.question.title
    await learner.reply("2 or 3")
    await learner.reply("3 or 2")
    before = await learner.progress(title)
    with pytest.raises(BadInput, match="c1"):
        await learner.reviews.self_mark(session.id, item, SelfMark({"c9": "met"}), user_id=ME)
    replies = [
        await learner.reviews.self_mark(session.id, item, SelfMark({"c1": verdict}), user_id=ME) for _ in range(2)
    ]
    assert replies[0].result == replies[1].result
    assert (replies[0].result.grade, replies[0].result.answer) == (grade, RIGHT)
    assert ReviewGrade.EASY not in [choice.grade for choice in replies[0].result.choices]
    assert await learner.history(title) == [(grade, False)]
    after = await learner.progress(title)
    assert (after.mastery_score, after.mastered_at) == (before.mastery_score, None)


async def test_sessions_are_their_owners(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    with pytest.raises(NotFound):
        await learner.reviews.session(session.id, user_id="somebody else")
    assert (await learner.reviews.due("somebody else")).due == 0


async def test_V6_a_day_tells_how_many_parts_of_a_path_were_missed_and_come_back(learner: Learner) -> None:
    learner.clock.move(days=1, minutes=1)
    session = await learner.start()
    assert (await learner.reviews.day(ME)).missed_in == {}
    while session.question is not None:
        session = (await learner.reply(None)).session
    day = await learner.reviews.day(ME)
    assert (dict(day.missed_in), len(day.done.missed)) == ({learner.branch_id: len(ALL)}, len(ALL))
    assert (day.due.today, day.coming[0].reviews) == (0, len(ALL)), "none is due, and none is fresh"
