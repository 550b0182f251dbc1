"""Lesson steps: the taught chunks and cards that are stored at a subconcept."""

from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import select

from sprout.events import CardShown
from sprout.ids import new_id
from sprout.learning.lessons.checkpoints import AskedCheckpoint
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables

_CHUNK = "chunk"


def save_step(tx: WriteTransaction, node_id: str, explanation: str, question: AskedCheckpoint, *, again: bool) -> None:
    """Append the chunk to the node's content, whose concept is locked; `again` replaces the last one."""
    content = _active_content(tx, node_id) or _new_content(node_id, explanation)
    cards = _cards(content)
    chunks = [at for at, card in enumerate(cards) if card.get("kind", _CHUNK) == _CHUNK]
    kind = "text" if question.kind == "mcq" else question.kind
    chunk = {"explanation": explanation, "question": question.prompt, "questionType": kind, "kind": _CHUNK}
    if again and chunks:
        cards[chunks[-1]] = {**cards[chunks[-1]], **chunk}
    else:
        cards.append({"id": new_id(), "index": len(cards), **chunk})
    _save_cards(tx, content, cards)


def add_card(tx: WriteTransaction, node_id: str, card: CardShown, *, model: str | None) -> None:
    """Append a card to the node's content, whose concept is locked."""
    content = _active_content(tx, node_id) or _new_content(node_id, "", model=model)
    cards = _cards(content)
    fields = card.model_dump(mode="json", by_alias=True)
    cards.append({**fields, "index": len(cards), "explanation": card.body, "question": None, "questionType": None})
    _save_cards(tx, content, cards)


def _active_content(tx: WriteTransaction, node_id: str) -> tables.NodeContent | None:
    active = tables.NodeContent.status == "active"
    wanted = select(tables.NodeContent).where(tables.NodeContent.node_id == node_id, active)
    return tx.session.exec(wanted.execution_options(populate_existing=True)).first()


def _new_content(node_id: str, explanation: str, *, model: str | None = None) -> tables.NodeContent:
    return tables.NodeContent(id=new_id(), node_id=node_id, explanation_md=explanation, generated_by_model=model)


def _cards(content: tables.NodeContent) -> list[dict[str, Any]]:
    return list(cast(list[dict[str, Any]], content.cards or []))


def _save_cards(tx: WriteTransaction, content: tables.NodeContent, cards: list[dict[str, Any]]) -> None:
    chunks = [card for card in cards if card.get("kind", _CHUNK) == _CHUNK]
    if not content.explanation_md and chunks:
        content.explanation_md = chunks[0]["explanation"]
    content.cards = cast(JsonValue, cards)
    tx.session.add(content)
    tx.session.flush()
