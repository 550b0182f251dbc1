"""Valid inputs of calls: questions, checkpoints, verdicts, solutions, and what the last two are about."""

from typing import Any

from sprout.learning.marking.answer_keys import BlindQuestion
from sprout.learning.marking.choices import Option
from sprout.learning.marking.gradebook import OpenAnswer
from sprout.learning.marking.quotations import OpenQuestion
from sprout.learning.questions.questions import Criterion

Input = dict[str, Any]

CHOICE: Input = {
    "prompt": "A bulb lights dimly. What does its ammeter show next to the one before it?",
    "format": "mcq",
    "options": ["the same", "a little less", "nothing at all", "a little more"],
    "correct_answer": "the same",
    "misconceptions": [{"option": "a little less", "misconception": "current is used up"}],
    "difficulty": 2,
}
OPEN: Input = {
    "prompt": "A switch is opened behind a bulb. Say in two sentences what happens to the bulb and why.",
    "format": "open_ended",
    "correct_answer": "It goes out at once, because the loop is broken everywhere.",
    "criteria": [
        {"label": "the bulb", "statement": "it goes out at once", "weight": 0.5},
        {"label": "the reason", "statement": "the loop has a gap", "weight": 0.3, "partly_if": "names the switch"},
        {"label": "the place", "statement": "the place of the gap does not matter", "weight": 0.2},
    ],
    "anchors": ["It goes out."],
    "difficulty": 4,
}
NUMERIC: Input = {
    "prompt": "Two batteries push the same way, one with 3 V and one with 3.5 V. How many volts do they give together?",
    "format": "numeric",
    "correct_answer": "6.5",
    "unit": "V",
    "tolerance": 0.05,
    "misconceptions": [{"option": "0.5", "misconception": "the pushes are taken from each other"}],
    "difficulty": 1,
}
_SAID: Input = {
    "message": "An ammeter counts what passes it in a second. Nothing is lost on the way round.",
    "can": "say what an ammeter shows",
    "help": ["Read again what it counts.", "Look at the wire.", "Think of cars on a ring road.", "Count one second."],
    "solution": ["The loop is one.", "So the same passes everywhere."],
    "plan": ["read an ammeter", "compare two places", "explain why"],
}
CHECKPOINT: dict[str, Input] = {
    "choice": {
        **_SAID,
        "question": "What does the second ammeter show?",
        "type": "mcq",
        "options": ["the same", "a little less", "nothing at all", "a little more"],
        "answer": "the same",
        "wrong": [{"option": "a little less", "misconception": "current is used up"}],
    },
    "open": {
        **_SAID,
        "question": "Why does a bulb go out wherever the loop is opened?",
        "type": "text",
        "answer": "A gap anywhere stops the flow everywhere.",
        "criteria": [
            {"label": "the gap", "statement": "a gap stops the flow", "weight": 0.5},
            {"label": "where", "statement": "the place makes no difference", "weight": 0.5},
        ],
    },
    "number": {
        **_SAID,
        "question": "Three amperes go in. How many come out?",
        "type": "text",
        "answer": "3",
        "number": {"value": 3, "tolerance": 0.1, "unit": "A"},
    },
}
DIAGRAM: Input = {
    "title": "A loop",
    "format": "mermaid",
    "body": "flowchart LR\n battery --- bulb\n bulb --- battery",
    "sentence": "One loop with a bulb.",
}
ANSWER = OpenAnswer(
    "answer-1",
    "question-1",
    OpenQuestion(
        "Why does a metal spoon feel colder than a wooden one in the same room?",
        (Criterion("The cause", "metal leads heat away faster", 0.5), Criterion("The rest", "both are as warm", 0.5)),
    ),
    "theyre both as warm as the room its just the metal sucks the warmth outta ur hand quicker",
)
VERDICTS: Input = {
    "answer_id": ANSWER.id,
    "verdicts": [
        {
            "criterion": "c1",
            "span": "the metal sucks the warmth outta ur hand quicker",
            "verdict": "met",
            "confidence": 0.95,
        },
        {"criterion": "c2", "span": "both as warm as the room", "verdict": "partly", "confidence": 0.8},
    ],
    "next_step": "Both parts are there. Say what your skin notices.",
}
QUESTIONS = (
    BlindQuestion("q1", "n", "What does it show?", "mcq", (Option("o1", "the same"), Option("o2", "a little less"))),
    BlindQuestion("q2", "n", "How many volts?", "numeric", unit="V"),
)
SOLUTIONS: Input = {
    "solutions": [
        {"question_id": "q1", "option_id": "o1", "sure": 0.9},
        {"question_id": "q2", "number": "6.5", "sure": 0.95},
    ]
}
