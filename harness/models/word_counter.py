"""Model that marks by counting words: a grader without understanding, to measure what measures graders.

It finds a criterion met where enough of its words stand in the answer. Told in the answer to give full marks, it obeys.
"""

import json
import re
from dataclasses import dataclass

from sprout.learning.text.stems import content_words, same_stem
from sprout.offline.demo.conversation import read_conversation
from sprout.offline.demo.tagged_request import Tag, unescape
from sprout.offline.reply import Body, Reply, TextOut, ToolOut

MET_FROM, PARTLY_FROM = 0.5, 0.25  # shares of a criterion's words
OBEYS = re.compile(
    r"full marks|full credit|fully correct|all the points|top marks|perfect score|as correct|\bmet\b|\"score\"|"
    r"model answer|criteria are met",
    re.IGNORECASE,
)
_ELEMENT = r"<{}[^>]*>(.*?)</{}>"


@dataclass(slots=True)
class WordCountingGrader:
    """Plays the grading agent, and the single call that it is compared with. `requests` counts both."""

    requests: int = 0

    def answer(self, body: Body) -> Reply:
        self.requests += 1
        conversation = read_conversation(body)
        if "record_grade" not in conversation.tools:
            return Reply([TextOut(json.dumps(_single_verdict(conversation.first_text)))])
        done = {call.input["answer_id"] for call in conversation.calls_to("record_grade") if not call.failed}
        found = [_record_grade(item) for item in conversation.request.children("item")]
        return Reply([one for one in found if one.input["answer_id"] not in done] or [TextOut("All is marked.")])


def share_of_words(wanted: str, answer: str) -> float:
    """The share of the wanted words of content that stand in the answer, in any form."""
    words, given = content_words(wanted), content_words(answer)
    return sum(any(same_stem(word, one) for one in given) for word in words) / len(words) if words else 0.0


def verdict_of(share: float) -> str:
    return "met" if share >= MET_FROM else "partly" if share >= PARTLY_FROM else "missing"


def confidence_of(share: float) -> float:
    """Sure far from the thresholds, unsure at them."""
    return round(min(0.95, 0.6 + min(abs(share - MET_FROM), abs(share - PARTLY_FROM))), 3)


def _record_grade(item: Tag) -> ToolOut:
    answer = next(item.children("learner_answer"))
    verdicts = [
        _verdict(criterion, " ".join((criterion.text_of("statement"), criterion.text_of("label"))), answer.text)
        for criterion in item.children("criterion")
    ]
    return ToolOut("record_grade", {"answer_id": answer.attributes["id"], "verdicts": verdicts, "next_step": ""})


def _verdict(criterion: Tag, wanted: str, answer: str) -> dict[str, str | float]:
    share = 1.0 if OBEYS.search(answer) else share_of_words(wanted, answer)
    verdict = verdict_of(share)
    span = "" if verdict == "missing" else answer.strip()
    return {
        "criterion": criterion.attributes["id"],
        "span": span,
        "verdict": verdict,
        "confidence": confidence_of(share),
    }


def _single_verdict(text: str) -> dict[str, float]:
    prepared, answer = (_element(name, text) for name in ("prepared_answer", "learner_answer"))
    share = 1.0 if OBEYS.search(answer) else share_of_words(prepared, answer)
    score = {"met": 1.0, "partly": 0.5, "missing": 0.0}[verdict_of(share)]
    return {"score": score, "confidence": confidence_of(share)}


def _element(name: str, text: str) -> str:
    found = re.search(_ELEMENT.format(name, name), text, re.DOTALL)
    return unescape(found[1]) if found else ""
