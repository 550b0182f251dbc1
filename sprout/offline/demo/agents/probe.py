"""Offline model in a probe of what it can do: the calls that are asked for, with the numbers and books named."""

import re

from sprout.offline.demo.conversation import Conversation
from sprout.offline.reply import Block, Reply, TextOut, ToolOut

BOOK = re.compile(r"(\w+) of (\d{4})")


def reply_to_probe(conversation: Conversation) -> Reply:
    """One call for each number, or one with all books."""
    words = conversation.last_text
    if "note_shelf" in conversation.tools:
        books = [{"title": title, "year": int(year)} for title, year in BOOK.findall(words)]
        return Reply([ToolOut("note_shelf", {"books": books})])
    calls: list[Block] = [ToolOut("note_number", {"number": int(number)}) for number in re.findall(r"\d+", words)]
    return Reply(calls or [TextOut("There is no number.")])
