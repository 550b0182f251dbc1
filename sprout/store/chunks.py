"""What a lesson leaves at its subconcept: the chunks that were taught, and the cards beside them."""

from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import select

from sprout.events import CardShown
from sprout.ids import new_id
from sprout.learning.lessons.lesson import Posed
from sprout.store import tables
from sprout.store.write import Write

_CHUNK = "chunk"


def chunk_kept(write: Write, node_id: str, explanation: str, question: Posed, *, again: bool) -> None:
    """Add the chunk to what is taught at the node, whose concept is locked; `again`: in the place of the last one."""
    content = _active(write, node_id) or _new(node_id, explanation)
    cards = _cards(content)
    chunks = [at for at, card in enumerate(cards) if card.get("kind", _CHUNK) == _CHUNK]
    kind = "text" if question.kind == "mcq" else question.kind
    chunk = {"explanation": explanation, "question": question.prompt, "questionType": kind, "kind": _CHUNK}
    if again and chunks:
        cards[chunks[-1]] = {**cards[chunks[-1]], **chunk}
    else:
        cards.append({"id": new_id(), "index": len(cards), **chunk})
    _keep(write, content, cards)


def card_added(write: Write, node_id: str, card: CardShown, *, model: str | None) -> None:
    """Add a card to what is taught at the node, whose concept is locked."""
    content = _active(write, node_id) or _new(node_id, "", model=model)
    cards = _cards(content)
    kept = card.model_dump(mode="json", by_alias=True)
    cards.append({**kept, "index": len(cards), "explanation": card.body, "question": None, "questionType": None})
    _keep(write, content, cards)


def _active(write: Write, node_id: str) -> tables.NodeContent | None:
    active = tables.NodeContent.status == "active"
    wanted = select(tables.NodeContent).where(tables.NodeContent.node_id == node_id, active)
    return write.session.exec(wanted.execution_options(populate_existing=True)).first()


def _new(node_id: str, explanation: str, *, model: str | None = None) -> tables.NodeContent:
    return tables.NodeContent(id=new_id(), node_id=node_id, explanation_md=explanation, generated_by_model=model)


def _cards(content: tables.NodeContent) -> list[dict[str, Any]]:
    return list(cast(list[dict[str, Any]], content.cards or []))


def _keep(write: Write, content: tables.NodeContent, cards: list[dict[str, Any]]) -> None:
    chunks = [card for card in cards if card.get("kind", _CHUNK) == _CHUNK]
    if not content.explanation_md and chunks:
        content.explanation_md = chunks[0]["explanation"]
    content.cards = cast(JsonValue, cards)
    write.session.add(content)
    write.session.flush()
