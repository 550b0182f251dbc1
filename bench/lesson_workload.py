"""The lesson that B9 measures: what its tutor and its grader say, at the length that models write."""

import re
from typing import Any

from sprout.offline.reply import Body, Reply, ToolOut

CHOICE_ANSWER, NUMBER_ANSWER, OPEN_ANSWER = "steam", "42", "carbon dioxide from the air"
EXPLANATION = (
    "A willow is planted in a tub. The dry soil is weighed, then the tree is watered with rain for five years and "
    "nothing else is added. At the end the tree is heavier by seventy kilograms, and the dried soil has lost less than "
    "a hundred grams. So almost nothing of the tree came out of the soil. Weighing before and after tells where a "
    "thing did not come from, and that is half of the way to where it did."
)
HELP = (
    "Read the two weighings once more, and put the numbers beside each other.",
    "Look at what was lost on one side and won on the other: which of them is too small?",
    "A candle gets lighter while it burns. Where does what it loses go? Finish that, then yours.",
    "One step: whatever came in had to pass through the leaves or the roots. Cross out one of them.",
)
_ASKED = re.compile(r"<question\b")


class LessonModel:
    """A tutor that asks a choice, a number, an open question and a choice, each in its one call, and a grader.

    The opening asks at once: a tutor that looks something up first takes a call more.
    """

    def answer(self, body: Body) -> Reply:
        """The reply of the agent that asks, recognised by its tools."""
        if any(offered["name"] == "record_grade" for offered in body.get("tools", [])):
            return Reply([_verdicts()])
        state = str(body["messages"][-1]["content"])
        if 'turn="clarification"' in state:
            return Reply([ToolOut("reply", {"message": EXPLANATION})])
        asked = len(_ASKED.findall(state))
        return Reply([QUESTIONS[min(asked, len(QUESTIONS) - 1)]])


def _verdicts() -> ToolOut:
    met = [
        {"criterion": "c1", "span": "carbon dioxide", "verdict": "met", "confidence": 0.95},
        {"criterion": "c2", "span": "from the air", "verdict": "met", "confidence": 0.95},
    ]
    step = "You name the gas and the place. Next, say what the leaf does with it."
    return ToolOut("record_grade", {"answer_id": "a", "verdicts": met, "next_step": step})


def _question(question: str, can: str, answer: str, **more: Any) -> ToolOut:
    given = {"message": EXPLANATION, "question": question, "type": "text", "can": can} | more
    secret = {key: given.pop(key) for key in ("wrong", "criteria", "number") if key in given}
    kept = {"answer": answer, "help": [*HELP], "solution": ["Put both sides beside each other.", f"So it is {answer}."]}
    return ToolOut("ask_checkpoint", given | kept | secret)


def _choice(question: str) -> ToolOut:
    beliefs = {"milk": "takes all that flows for a gas", "sand": "takes many solids for a gas", "stone": "guesses"}
    return _question(
        question,
        "tell a gas from what only flows",
        CHOICE_ANSWER,
        type="mcq",
        options=[CHOICE_ANSWER, *beliefs],
        wrong=[{"option": option, "misconception": belief} for option, belief in beliefs.items()],
    )


QUESTIONS = (
    _choice("Which of these is a gas?"),
    _question(
        "Six rows of seven pots stand in a greenhouse. How many pots are there?",
        "count what stands in rows",
        NUMBER_ANSWER,
        number={"value": 42, "misreadings": [{"value": 13, "misconception": "adds instead of multiplying"}]},
    ),
    _question(
        "What did most of the wood come from?",
        "say where the wood comes from",
        OPEN_ANSWER,
        criteria=[
            {"label": "the gas", "statement": "names carbon dioxide", "weight": 0.5, "misconception": "eats soil"},
            {"label": "the place", "statement": "says that it is taken from the air", "weight": 0.5},
        ],
    ),
    _choice("Which of these fills a room by itself?"),
)


def tokens_before_key() -> float:
    """Tokens of the opening's call before the first part that tells its answer, as the offline server counts them."""
    written = QUESTIONS[0].json()
    return written.index('"answer"') / 4
