"""Invariants of lessons, answers and progress, whatever has happened to their runs."""

from sqlalchemy import text
from sqlmodel import select

from sprout.clock import utc_now
from sprout.store.assessment.mastery import update_progress
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.mapping import node_row

TURNS_WITHOUT_REPLY = """
    select runs.id from runs left join chat_messages on chat_messages.id = runs.id
    where runs.agent = 'tutor' and runs.state = 'completed' and chat_messages.id is null
"""
SESSIONS_WITH_LOST_QUESTION = """
    select chat_sessions.id from chat_sessions join questions on questions.id = chat_sessions.pending_question_id
    join assessments on assessments.id = questions.assessment_id
    where questions.state in ('voided', 'drafted') or assessments.target_node_id <> chat_sessions.node_id
"""
DUPLICATE_ANSWERS = """
    select question_id from answers group by question_id, created_at having count(*) > 1
"""


def lesson_faults(write: WriteTransaction) -> list[str]:
    """Of each turn that was completed there is the reply, and progress is what the graded answers say (H4)."""
    found = [
        f"the tutor's run {row.id} has left no reply" for row in write.connection.execute(text(TURNS_WITHOUT_REPLY))
    ]
    found += [
        f"session {row.id} asks what is not its own"
        for row in write.connection.execute(text(SESSIONS_WITH_LOST_QUESTION))
    ]
    found += [
        f"question {row.question_id} was answered twice at once"
        for row in write.connection.execute(text(DUPLICATE_ANSWERS))
    ]
    for concept in write.session.exec(select(tables.Node).where(tables.Node.type == "concept")).all():
        change = update_progress(write, node_row(concept), concept.user_id, utc_now())
        found += [f"the progress of {one.node_id} was not that of its answers" for one in change]
    return found
