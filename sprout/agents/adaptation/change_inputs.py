"""Inputs of change tools: reasons and titles as a model writes them, brought into their form."""

from collections.abc import Sequence

from sprout.errors import NoChangeNeeded
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import ConceptGraph, title_key
from sprout.learning.mastery.adaptation_rules import MAX_REASON_WORDS, check_reason


def mend_reason(reason: str) -> str:
    """The reason within its limit: whole sentences as far as they go, else cut at a word. Raises InvalidGraphEdit: it
    is empty."""
    words = reason.split()
    if len(words) <= MAX_REASON_WORDS:
        return check_reason(reason)
    ends = [at for at, word in enumerate(words[:MAX_REASON_WORDS], start=1) if word[-1] in ".!?"]
    return " ".join(words[: ends[-1]]) if ends else " ".join(words[: MAX_REASON_WORDS - 1]) + " …"


def refuse_removed_before(graph: ConceptGraph, title: str, mine: Sequence[Change]) -> None:
    """Raises NoChangeNeeded where this run has taken the node of that title out already."""
    gone = {title_key(node.title) for change in mine for node in change.before.nodes if node.id in change.removed}
    if graph.find_title(title) is None and title_key(title) in gone:
        raise NoChangeNeeded(f"'{title}' has been taken out already.")


def known_titles(graph: ConceptGraph, titles: Sequence[str]) -> list[str]:
    """The titles as they are saved, without those of no node where others are left."""
    found = {title: graph.find_title(title) for title in titles}
    known = list(dict.fromkeys(node.title for node in found.values() if node is not None))
    return known or [*titles]
