"""The work that is measured: what the model says, the same to Sprout and to the floor."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from sprout.offline.pace import Pace
from sprout.offline.reply import Body, Reply, TextOut, ToolOut

TURNS = 10
TEXT_DELTAS = 60
CHARACTERS_A_DELTA = 5  # on average, as the offline server cuts them
CALLS_A_TURN = 2
CALL_CHARACTERS = 500
NOTE = "note"

CONCEPTS = 8
SUBCONCEPTS = 8
QUESTIONS = 6
CALLS_A_REPLY = 4


class NoteTakingModel:
    """B1 and B3: ten turns of text and two notes each, then a last sentence."""

    def answer(self, body: Body) -> Reply:
        """The next turn, chosen by the number of turns in this conversation."""
        turn = _turns(body)
        if turn >= TURNS:
            return Reply([TextOut("All notes are taken.")])
        text = _prose(f"Turn {turn}: ", TEXT_DELTAS * CHARACTERS_A_DELTA)
        return Reply([TextOut(text), *(ToolOut(NOTE, {"text": _note(turn, call)}) for call in range(CALLS_A_TURN))])


class OnboardingModel:
    """B4: a topic of eight concepts, each with eight subconcepts, eight edges and six questions, four calls a reply."""

    def answer(self, body: Body) -> Reply:
        """The next reply of the agent that asks, recognised by its tools."""
        replies = topic_replies() if _has_tool(body, "save_concept") else subconcept_replies(_concept_of(body))
        turn = _turns(body)
        return replies[turn] if turn < len(replies) else Reply([TextOut("That is all.")])


def topic_replies() -> list[Reply]:
    """All replies of the topic agent for one path."""
    concepts = [
        ToolOut("save_concept", {"title": title, "desc": _prose(f"{title}. ", 130)}) for title in concept_titles()
    ]
    edges = [_edge("save_concept_edge", *pair) for pair in _pairs(concept_titles())]
    return [*_batches([*concepts, *edges]), Reply([TextOut(_prose("This path begins with what can be seen. ", 240))])]


def subconcept_replies(concept: str) -> list[Reply]:
    """All replies of the subconcept agent for one concept."""
    titles = [f"{concept}, step {number}" for number in range(1, SUBCONCEPTS + 1)]
    subconcepts = [ToolOut("save_subconcept", {"title": title, "desc": _prose(f"{title}. ", 120)}) for title in titles]
    edges = [_edge("save_subconcept_edge", *pair) for pair in _pairs(titles)]
    questions = [_question(concept, number, titles[number]) for number in range(QUESTIONS)]
    return [*_batches([*subconcepts, *edges, *questions]), Reply([TextOut("The concept can be learned now.")])]


def concept_titles() -> list[str]:
    """The titles of the topic's concepts, in order."""
    return [f"Concept {letter}" for letter in "ABCDEFGH"[:CONCEPTS]]


def critical_path_s(pace: Pace) -> tuple[float, float]:
    """The least time that the onboarding can take at this pace, and the time of its first node; seconds.

    A tool starts the instant its block is complete and takes no time, an agent starts the instant its concept is
    saved, and as many agents as there are concepts work at once.
    """
    now, saved = 0.0, []
    for reply in topic_replies():
        spent = 0.0
        for block in reply.blocks:
            spent += block_tokens(block)
            if isinstance(block, ToolOut) and block.name == "save_concept":
                saved.append((now + pace.due_s(spent), str(block.input["title"])))
        now += pace.due_s(spent)
    children = [at + _duration_s(subconcept_replies(title), pace) for at, title in saved]
    return max([now, *children]), saved[0][0]


def block_tokens(block: object) -> float:
    """Tokens that the offline server counts for a block when it paces a reply."""
    match block:
        case ToolOut():
            return len(block.json()) / 4
        case TextOut(text):
            return len(text) / 4
    raise TypeError(f"no such block here: {block!r}")


def _duration_s(replies: Sequence[Reply], pace: Pace) -> float:
    return sum(pace.due_s(sum(block_tokens(block) for block in reply.blocks)) for reply in replies)


def _turns(body: Body) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def _has_tool(body: Body, tool: str) -> bool:
    return any(offered["name"] == tool for offered in body.get("tools", []))


def _concept_of(body: Body) -> str:
    found = re.search(r"<concept\b[^>]*>\s*<title\b[^>]*>\s*(.*?)\s*</title>", _request(body), re.DOTALL)
    if found is None:
        raise ValueError("the request names no concept")
    return found[1]


def _request(body: Body) -> str:
    content = body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def _batches(calls: Sequence[ToolOut]) -> Iterator[Reply]:
    rest = iter(calls)
    while batch := list(islice(rest, CALLS_A_REPLY)):
        yield Reply(batch)


def _pairs(titles: Sequence[str]) -> list[tuple[str, str]]:
    """As many edges as there are titles: a chain, and one that closes a diamond."""
    return [*pairwise(titles), (titles[0], titles[2])]


def _edge(tool: str, source: str, target: str) -> ToolOut:
    return ToolOut(tool, {"source_title": source, "target_title": target, "why": f"{target} uses what {source} shows."})


def _question(concept: str, number: int, tested: str) -> ToolOut:
    given: dict[str, Any] = {
        "prompt": f"Question {number + 1} on {concept}: which of these follows from what this step says?",
        "format": "mcq",
        "options": [f"It follows in case {case} of number {number}" for case in ("one", "two", "three", "four")],
        "correct_answer": f"It follows in case one of number {number}",
        "difficulty": 1 + number % 5,
        "tests": [tested],
    }
    return ToolOut("save_diagnostic_question", given)


def _note(turn: int, call: int) -> str:
    # What surrounds the text in the call's JSON counts too.
    return _prose(f"Note {turn}.{call}: ", CALL_CHARACTERS - len('{"text": ""}'))


def _prose(opening: str, characters: int) -> str:
    return (opening + "light falls on water and bends as it goes in, " * (characters // 40 + 1))[:characters]
