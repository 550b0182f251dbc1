"""Model of the killed servers: it writes a small path, always the whole of it, however often it was cut off."""

from collections.abc import Iterator
from typing import Any

from sprout.offline.demo.conversation import Conversation, read_conversation
from sprout.offline.demo.router import demo_model
from sprout.offline.reply import Body, Reply, TextOut, ThinkingOut, ToolOut

CALLS_A_REPLY = 2
CONCEPTS = ("Light", "Shadow")
SUBCONCEPTS = ("first half", "second half")
QUESTIONS = 2
QUESTION = "Which way shall the path go?"


class SmallPathModel:
    """Two concepts of two parts and two questions each: says what is still to be said, two calls a reply.

    What it says depends only on which calls the conversation holds, so that a run that is taken up anywhere ends with
    the same path as one that was left in peace.
    """

    def answer(self, body: Body) -> Reply:
        """The next reply of the agent that asks, recognised by its tools."""
        conversation = read_conversation(body)
        done = [(call.name, call.input) for call in conversation.calls if not call.failed]
        left = [call for call in _remaining_calls(conversation) if (call.name, call.input) not in done]
        if not left:
            return Reply([TextOut("This path begins with what can be seen, and goes on to what cannot.")])
        text = f"Next comes what {left[0].name} is for, and then whatever builds on it, one thing after the other."
        alone = left[0].name == "ask_human"
        return Reply([ThinkingOut("What is first?"), TextOut(text), *left[: 1 if alone else CALLS_A_REPLY]])


class DemoWithSmallPath:
    """The small path, and whichever other agent as the built-in model has it."""

    def __init__(self) -> None:
        self._path, self._others = SmallPathModel(), demo_model()

    def answer(self, body: Body) -> Reply:
        tools = {tool["name"] for tool in body.get("tools", ())}
        return (self._path if tools & {"save_concept", "save_subconcept"} else self._others).answer(body)


def _remaining_calls(conversation: Conversation) -> Iterator[ToolOut]:
    if "ask_human" in conversation.tools:
        yield ToolOut("ask_human", {"question": QUESTION})
    if "save_concept" in conversation.tools:
        yield from _titles("save_concept", CONCEPTS)
    else:
        yield from _titles("save_subconcept", SUBCONCEPTS)
        yield from (ToolOut("save_diagnostic_question", _question(number)) for number in range(QUESTIONS))


def _titles(tool: str, titles: tuple[str, str]) -> Iterator[ToolOut]:
    for title in titles:
        yield ToolOut(tool, {"title": title, "desc": f"What {title.lower()} is. Why it matters here."})
    joined = {"source_title": titles[0], "target_title": titles[1], "why": f"{titles[1]} uses what {titles[0]} shows."}
    yield ToolOut(f"{tool}_edge", joined)


def _question(number: int) -> dict[str, Any]:
    return {
        "prompt": f"Question {number + 1}: which of these follows from what this part says?",
        "format": "mcq",
        "options": [f"It follows in case {case} of number {number}" for case in ("one", "two", "three", "four")],
        "correct_answer": f"It follows in case one of number {number}",
        "difficulty": 1 + number,
        "tests": [SUBCONCEPTS[number]],
    }
