"""XML of question files, parsed without entities, document types and network."""

from typing import Any

from lxml import etree

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.zip_archive import MAX_PROLOG_BYTES, refuse_dtd

_PARSER = etree.XMLParser(
    resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
)


def parse_xml(content: bytes) -> Any:
    """The root element. Raises UnreadableDocument, also for a document type, which could define entities."""
    refuse_dtd(content[:MAX_PROLOG_BYTES])
    try:
        return etree.fromstring(content, _PARSER)
    except etree.XMLSyntaxError:
        raise unreadable(UnreadableReason.DAMAGED, detail="XML") from None
