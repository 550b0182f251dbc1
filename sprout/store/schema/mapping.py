"""Mapping of rows to the values of the contract."""

import json
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Literal, cast

from sqlalchemy import Row

from sprout.events import AssessmentRow, Compare, EdgeEnds, NodeRow, QuestionShown, ReadingShown, wire_time
from sprout.learning.lessons.conversations import (
    AttemptShown,
    ChatMessageRow,
    ChatSessionRow,
    CitationShown,
    HintRow,
    MessageKind,
)
from sprout.learning.paths.contents import ContentRow, ContentStatus, GenerationRow, Trigger
from sprout.learning.paths.repository import BranchRow, DocumentRow, EdgeRow, NodeDetail, ProgressRow
from sprout.learning.questions.assessments import AnswerRow, QuestionRow
from sprout.learning.sources import PassageRow
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import grade_response


def branch_row(branch: tables.Branch) -> BranchRow:
    """A branch as the contract has it."""
    return BranchRow(
        id=branch.id,
        title=branch.title,
        user_id=branch.user_id,
        created_at=wire_time(branch.created_at),
        updated_at=wire_time(branch.updated_at),
    )


def node_row(node: tables.Node | Row[*tuple[Any, ...]]) -> NodeRow:
    """A node as the contract has it."""
    return NodeRow(**_node_fields(node))


def node_detail(node: tables.Node) -> NodeDetail:
    """A node with the reason for it."""
    return NodeDetail(**_node_fields(node), reason=node.reason)


def edge_row(edge: tables.Edge) -> EdgeRow:
    """An edge as the contract has it."""
    return EdgeRow(
        id=edge.id,
        source_node_id=edge.source_node_id,
        target_node_id=edge.target_node_id,
        created_at=wire_time(edge.created_at),
    )


def edge_ends(edge: Row[*tuple[Any, ...]]) -> EdgeEnds:
    """An edge by its two ends."""
    return EdgeEnds(source_node_id=edge.source_node_id, target_node_id=edge.target_node_id)


def document_row(document: tables.Document, passages: int = 0) -> DocumentRow:
    """A document without its text; `passages` is their number."""
    return DocumentRow(
        id=document.id,
        node_id=document.node_id,
        original_filename=document.original_filename,
        mime_type=document.mime_type,
        file_size_bytes=document.file_size_bytes,
        extraction_status=cast(Literal["pending", "completed", "failed"], document.extraction_status),
        created_at=wire_time(document.created_at),
        extraction_error=document.extraction_error,
        extraction_code=document.extraction_code,
        retry_may_help=document.extraction_status == "failed" and document.retry_may_help,
        pages=document.pages,
        passages=passages,
    )


def progress_row(progress: tables.Progress) -> ProgressRow:
    """A learner's progress on a node, as the contract has it."""
    return ProgressRow(
        id=progress.id,
        user_id=progress.user_id,
        node_id=progress.node_id,
        first_entered_at=_time(progress.first_entered_at),
        last_entered_at=_time(progress.last_entered_at),
        completed_at=_time(progress.completed_at),
        mastered_at=_time(progress.mastered_at),
        mastery_score=progress.mastery_score,
        attempts_count=progress.attempts_count + progress.entered_count,
        has_generated_subnodes=progress.has_generated_subnodes,
        created_at=wire_time(progress.created_at),
        updated_at=wire_time(progress.updated_at),
    )


def assessment_row(assessment: tables.Assessment) -> AssessmentRow:
    """An assessment as the contract has it."""
    return AssessmentRow(
        id=assessment.id,
        user_id=assessment.user_id,
        target_node_id=assessment.target_node_id,
        type=cast(Literal["diagnostic", "quiz", "recall"], assessment.type),
        title=assessment.title,
        created_at=wire_time(assessment.created_at),
        completed_at=_time(assessment.completed_at),
    )


def question_shown(question: tables.Question) -> QuestionShown:
    """A question as a learner sees it; a number is typed in like any other open answer.

    Options come in the order of their random ids: their original order may reveal the key.
    """
    options = cast(list[dict[str, str]] | None, question.options)
    return QuestionShown(
        id=question.id,
        assessment_id=question.assessment_id,
        node_id=question.node_id,
        format="mcq" if question.format == "mcq" else "open_ended",
        prompt=question.prompt,
        options=None if options is None else [one["text"] for one in sorted(options, key=itemgetter("id"))],
        difficulty=question.difficulty,
    )


def answer_text(question: tables.Question) -> str:
    """The right answer with its unit; secret until the question is settled."""
    return f"{question.correct_answer or ''} {question.unit or ''}".strip()


def solution_text(question: tables.Question) -> str | None:
    """Why the right answer holds, as Markdown; secret until the question is settled."""
    return "\n".join(cast(list[str], question.solution or [])) or None


def question_row(question: tables.Question, *, with_key: bool = False) -> QuestionRow:
    """A question as the contract has it; with the key of a choice only on request."""
    shown = question_shown(question)
    return QuestionRow(
        correct_answer=question.correct_answer if with_key and question.format == "mcq" else None,
        **shown.model_dump(exclude={"options"}),
        options=_json(shown.options),
        created_at=wire_time(question.created_at),
    )


def answer_row(
    answer: tables.Answer,
    question: tables.Question,
    *,
    compare: Compare | None = None,
    is_settled: bool = False,
    passage: PassageRow | None = None,
) -> AnswerRow:
    """An attempt as the contract has it, with what its learner is to compare it with or, if it is settled, what would
    have been right, why, and where their documents say so."""
    return AnswerRow(
        id=answer.id,
        user_id=answer.user_id,
        assessment_id=answer.assessment_id,
        question_id=answer.question_id,
        answer_text=answer.answer_text,
        selected_option=answer.selected_option,
        is_correct=answer.is_correct,
        score=answer.score,
        feedback=answer.feedback,
        created_at=wire_time(answer.created_at),
        grade=grade_response(answer),
        skipped=question.state == "skipped",
        answer=answer_text(question) if is_settled else None,
        why=solution_text(question) if is_settled else None,
        passage=passage,
        compare=compare,
    )


def content_row(content: tables.NodeContent) -> ContentRow:
    """The content of a node, as the contract has it."""
    return ContentRow(
        id=content.id,
        node_id=content.node_id,
        explanation_md=content.explanation_md,
        visualization_kind=content.visualization_kind,
        visualization_payload=content.visualization_payload,
        cards=_json(content.cards),
        generated_by_model=content.generated_by_model,
        generation_prompt_hash=content.generation_prompt_hash,
        status=cast(ContentStatus, content.status),
        created_at=wire_time(content.created_at),
    )


def generation_row(generation: tables.NodeGeneration) -> GenerationRow:
    """The record of a generation, as the contract has it."""
    return GenerationRow(
        id=generation.id,
        node_id=generation.node_id,
        trigger=cast(Trigger, generation.trigger),
        model=generation.model,
        prompt=generation.prompt,
        response_meta=generation.response_meta,
        created_at=wire_time(generation.created_at),
    )


def session_row(session: tables.ChatSession) -> ChatSessionRow:
    """A conversation, as the contract has it."""
    return ChatSessionRow(
        id=session.id,
        user_id=session.user_id,
        node_id=session.node_id,
        started_at=wire_time(session.started_at),
        ended_at=_time(session.ended_at),
    )


def message_row(
    message: tables.ChatMessage,
    citations: Sequence[CitationShown] = (),
    attempt: AttemptShown | None = None,
    reading: ReadingShown | None = None,
) -> ChatMessageRow:
    """A message, as the contract has it, with its citations, the result of its attempt, and what is read before it."""
    return ChatMessageRow(
        id=message.id,
        session_id=message.session_id,
        user_id=message.user_id,
        role=cast(Literal["system", "user", "assistant"], message.role),
        kind=cast(MessageKind, message.kind),
        content=message.content,
        was_successful=message.was_successful,
        success_signal=_json(message.success_signal),
        created_at=wire_time(message.created_at),
        citations=tuple(citations),
        attempt=attempt,
        reading=reading,
    )


def hint_row(hint: tables.HintEvent) -> HintRow:
    """A hint, as the contract has it."""
    return HintRow(
        id=hint.id,
        user_id=hint.user_id,
        node_id=hint.node_id,
        session_id=hint.session_id,
        request_message_id=hint.request_message_id,
        response_message_id=hint.response_message_id,
        referenced_success_message_ids=_json(hint.referenced_success_message_ids),
        created_at=wire_time(hint.created_at),
    )


def _node_fields(node: tables.Node | Row[*tuple[Any, ...]]) -> dict[str, Any]:
    return {
        "id": node.id,
        "user_id": node.user_id,
        "type": node.type,
        "branch_id": node.branch_id,
        "parent_id": node.parent_id,
        "title": node.title,
        "desc": node.desc,
        "accuracy_score": node.accuracy_score,
        "created_at": wire_time(node.created_at),
        "updated_at": wire_time(node.updated_at),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else wire_time(moment)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
