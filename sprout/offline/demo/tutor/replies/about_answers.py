"""Side questions about an answer: "why is 90 % wrong?", "why not B?", "what did I do wrong?"."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from sprout.learning.marking.number_words import count_of
from sprout.learning.marking.stated_results import stated_results
from sprout.learning.text.normalization import folded
from sprout.offline.demo.tutor.composition import MOST_OF_ASIDE, Snippet, first_sentences
from sprout.offline.demo.tutor.lesson import PreparedQuestion
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion, quote_learner
from sprout.offline.demo.tutor.replies.own_reasoning import asks_reason
from sprout.offline.demo.tutor.replies.wrong_answers import reply_to
from sprout.offline.demo.tutor.templates import inner_quotes

LONGEST_NAMED = 3  # words of a number that is asked about

_CLAUSE = re.compile(r"[,;:.!?]+\s+")
_LEAD_IN = re.compile(r"\A(?:(?:but|so|and|wait|ok|okay|hm+|then|also|aber|und|sorry|no|yeah|well)\b[ ,.…]*)+")
_APOSTROPHE = re.compile(r"(?<=\w)['’`´](?=\w)")
_AROUND = " ,.;:!?…\"“”„'"


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer in the learner's words; `key` is what they are read as, the same for all ways to say it."""

    words: str
    key: str


def about_answer_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """What there is to say of the answer that the learner asks about; nothing if they ask about none.

    Of the options of a choice only those are spoken of that were given: each wrong one has a reply, so that the one
    without any would be the answer.
    """
    if now.pending.kind == "code":
        yield from _about_program(now)
        return
    question, given = now.question, _given_answers(now)
    asked = _asked_answer(now, given)
    if question is None or asked is None:
        return
    words = quote_learner(asked.words, now.templates) or now.templates.render("your_last_answer")
    is_given = asked.key in {one.key for one in given}
    texts = [*_findings(question, asked, now)] if is_given or question.kind != "mcq" else []
    allowed = (text for text in texts if now.check is None or now.check.passes(text))
    if fresh := next((text for text in allowed if folded(text) not in folded(now.turn.said)), ""):
        yield Snippet(fresh, whole=True)
        return
    if not texts and not is_given and asks_reason(now.turn.message) and any(map(str.isdigit, asked.words)):
        return  # "why is 9 not in it" asks, and offers no answer
    name = "about_said" if texts else "about_no_more" if is_given else "about_not_given"
    yield Snippet(now.templates.render(name, words=words), whole=True, repeatable=True)


def _about_program(now: OpenQuestion) -> Iterator[Snippet]:
    """The finding of the last program's run, once more, if the question is why that is wrong, or about a word of it:
    "why is sale wrong"."""
    found, asked = next(reversed(now.program_findings), ""), _words_asked_about(now.turn.message)
    if not found or asked is None or folded(asked) not in folded(found):
        return
    text = first_sentences(found, MOST_OF_ASIDE)
    yield Snippet(now.templates.render("about_program", text=inner_quotes(text)), whole=True, repeatable=True)


def _findings(question: PreparedQuestion, asked: _Answer, now: OpenQuestion) -> Iterator[str]:
    """The course's reply to the answer, and the belief or the slip that its marking finds behind it."""
    reply = _read(question, asked.words, now)
    if reply:
        yield reply
    if belief := _read(replace(question, replies=dict(question.wrong)), asked.words, now):
        words = quote_learner(asked.words, now.templates)
        is_slip = any(one == belief and answer in question.slips for answer, one in question.wrong)
        yield now.templates.render("about_slip" if is_slip else "about_belief", words=words, belief=belief)


def _asked_answer(now: OpenQuestion, given: Sequence[_Answer]) -> _Answer | None:
    """The answer that the message asks about: the one that it names, else the last that was given."""
    named = _words_asked_about(now.turn.message)
    if named is None or now.question is None:
        return None
    if not named:
        return given[-1] if given else None
    words = named.split()
    is_more = now.question.kind == "number" and any(not _is_of_number(word, now.question.unit) for word in words)
    too_long = is_more or (now.question.kind != "mcq" and len(words) > LONGEST_NAMED)
    key = "" if too_long else _key(now.question, named, now)
    return _Answer(named, key) if key else None


def _is_of_number(word: str, unit: str) -> bool:
    """Whether a word is a number, or its unit: "the 300 added" asks about something else."""
    return any(map(str.isdigit, word)) or word == "%" or folded(word) in folded(unit) or count_of(word) is not None


def _words_asked_about(message: str) -> str | None:
    """What a question about an answer has between its usual words, which may be nothing; None for another question."""
    clauses = (_APOSTROPHE.sub("", clause) for clause in _CLAUSE.split(message))
    begins, faults = _table()["begins"], _table()["faults"]
    for clause in clauses:
        words = [word for each in clause.split() if (word := each.strip(_AROUND))]
        if begins.match(_LEAD_IN.sub("", folded(clause))) and not faults.isdisjoint(map(str.casefold, words)):
            return " ".join(word for word in words if word.casefold() not in _table()["around"])
    return None


def _given_answers(now: OpenQuestion) -> list[_Answer]:
    """The answers to the open question so far that can be read, oldest first: as it is open, none was right."""
    if now.question is None:
        return []
    said = now.turn.since_posed()[1]
    read = (_Answer(words, _key(now.question, words, now)) for words in said if _words_asked_about(words) is None)
    return [one for one in read if one.key]


def _key(question: PreparedQuestion, words: str, now: OpenQuestion) -> str:
    """What the words are read as; empty where they are no answer of the kind that is asked for."""
    if question.kind == "number":
        found = stated_results(words, unit=question.unit or None, prompt=question.prompt).results
        return f"{found[0].value:g}" if len(found) == 1 else ""
    answers = question.options if question.kind == "mcq" else [*question.replies, *(one for one, _ in question.wrong)]
    return _read(replace(question, replies={one: one for one in answers}), words, now)


def _read(question: PreparedQuestion, words: str, now: OpenQuestion) -> str:
    return reply_to(question, words, now.pending.option_texts)


@cache
def _table() -> dict[str, Any]:
    file = files("sprout.offline.demo.tutor.replies").joinpath("about_answers.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    begins = re.compile(rf"(?:{'|'.join(table['begins'])})\b")
    return {"begins": begins} | {name: frozenset(table[name].split()) for name in ("faults", "around")}
