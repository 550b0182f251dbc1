"""What must hold of lessons, answers and progress after whatever has happened to the runs in which they came about."""

from sqlalchemy import text
from sqlmodel import select

from sprout.clock import utc_now
from sprout.store import tables
from sprout.store.mastering import update_progress
from sprout.store.rows import node_row
from sprout.store.write import Write

UNSAID = """
    select runs.id from runs left join chat_messages on chat_messages.id = runs.id
    where runs.agent = 'tutor' and runs.state = 'completed' and chat_messages.id is null
"""
UNPENDING = """
    select chat_sessions.id from chat_sessions join questions on questions.id = chat_sessions.pending_question_id
    join assessments on assessments.id = questions.assessment_id
    where questions.state in ('voided', 'drafted') or assessments.target_node_id <> chat_sessions.node_id
"""
TWICE = """
    select question_id from answers group by question_id, created_at having count(*) > 1
"""


def lesson_faults(write: Write) -> list[str]:
    """Of each turn that was completed there is the reply, and progress is what the graded answers say (H4)."""
    found = [f"the tutor's run {row.id} has left no reply" for row in write.connection.execute(text(UNSAID))]
    found += [f"session {row.id} asks what is not its own" for row in write.connection.execute(text(UNPENDING))]
    found += [f"question {row.question_id} was answered twice at once" for row in write.connection.execute(text(TWICE))]
    for concept in write.session.exec(select(tables.Node).where(tables.Node.type == "concept")).all():
        news = update_progress(write, node_row(concept), concept.user_id, utc_now())
        found += [f"the progress of {one.node_id} was not that of its answers" for one in news]
    return found
