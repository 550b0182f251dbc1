"""Requests of a probe: tiny tools, a long prompt, and what a right answer to each is."""

from pydantic import JsonValue

from sprout.loop.model import Message, ModelRequest, Text, ToolSpec, ToolUse

NUMBERS = (7, 12, 31)
MANY_NUMBERS = (3, 5, 8)
FIRST_WORD, CODE_WORD = "CEDAR", "MAPLE"
REPLY_TOKENS = 500  # room for some thinking
WORDS_TOKENS = 300
LONG_LINES = 780  # about 12,500 tokens
MOST_TOKENS = 20_000  # of a whole probe, prompts and replies

SYSTEM = "You work with tools. Where you are asked to call a tool, call it; do not write about it."
NOTE_NUMBER = ToolSpec(
    "note_number",
    "Note one number.",
    {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)
BOOK: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "year": {"type": "integer"}},
    "required": ["title", "year"],
}
NOTE_SHELF = ToolSpec(
    "note_shelf",
    "Note the books of a shelf.",
    {"type": "object", "properties": {"books": {"type": "array", "items": BOOK}}, "required": ["books"]},
)


def words_request(model: str) -> ModelRequest:
    """A reply that is long enough to be timed, and begins as the system prompt says."""
    system = f"Begin every answer with the word {FIRST_WORD}."
    return _request(model, system, "Count from one to thirty in words.", max_tokens=WORDS_TOKENS)


def one_call_request(model: str, number: int) -> ModelRequest:
    return _request(model, SYSTEM, f"Call note_number with the number {number}.", NOTE_NUMBER)


def many_calls_request(model: str) -> ModelRequest:
    first, second, third = MANY_NUMBERS
    words = f"Call note_number once for each of {first}, {second} and {third}: three calls, all in this one reply."
    return _request(model, SYSTEM, words, NOTE_NUMBER)


def nested_request(model: str) -> ModelRequest:
    return _request(model, SYSTEM, "Call note_shelf once with two books: Emma of 1815 and Ulysses of 1922.", NOTE_SHELF)


def long_request(model: str) -> ModelRequest:
    """A word, then a lot else, then the question for that word."""
    lines = "\n".join(f"Line {at}: the heron of pond {at} waits for a fish." for at in range(1, LONG_LINES + 1))
    words = f"The code word is {CODE_WORD}.\n{lines}\nWhat is the code word? Answer with it alone."
    return _request(model, "Answer in one word.", words, max_tokens=WORDS_TOKENS)


def is_the_number(call: ToolUse, number: int) -> bool:
    """Whether the call notes this number; one that is written as text is mended in runs too."""
    return call.name == NOTE_NUMBER.name and str(call.input.get("number")).strip() == str(number)


def is_shelf(call: ToolUse) -> bool:
    """Whether the call has two books as the schema wants them."""
    books = call.input.get("books")
    return call.name == NOTE_SHELF.name and isinstance(books, list) and len(books) == 2 and all(map(_is_book, books))


def _is_book(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("title"), str) and isinstance(value.get("year"), int)


def _request(model: str, system: str, words: str, *tools: ToolSpec, max_tokens: int = REPLY_TOKENS) -> ModelRequest:
    return ModelRequest(model, system, (Message("user", (Text(words),)),), tools, max_tokens)
