"""Model that orders concepts by the alphabet: a designer without understanding, to measure what measures graphs."""

import re
from dataclasses import dataclass
from itertools import pairwise

from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tagged_request import existing_titles
from sprout.offline.reply import Block, Body, Reply, TextOut, ToolOut

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
MOST = 6


@dataclass(slots=True)
class AlphabeticalPath:
    """Plays the topic agent: joins each concept to the next by the alphabet, and makes new ones of the first headings.

    `requests` counts its replies.
    """

    requests: int = 0

    def answer(self, body: Body) -> Reply:
        self.requests += 1
        conversation = read_conversation(body)
        if any(call.name == "close_path" for call in conversation.calls):
            return Reply([TextOut("That is all.")])
        text = "\n".join(tag.text for tag in conversation.request.children("document"))
        fresh = [one.strip() for one in HEADING.findall(text)[:MOST]]
        titles = sorted(existing_titles(conversation.request)) or sorted(fresh)
        saved: list[Block] = [ToolOut("save_concept", {"title": one, "desc": f"About {one}."}) for one in fresh]
        edges = [
            ToolOut("save_concept_edge", {"source_title": one, "target_title": after, "why": "It comes first."})
            for one, after in pairwise(titles)
        ]
        return Reply([*saved, *edges, ToolOut("close_path", {"rationale": "By the alphabet."})])
