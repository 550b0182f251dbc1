"""Numbers and letters of a task: where the one that a side question is about stands, and what it stands for."""

import re
from collections.abc import Iterator

from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.stems import shared_stems, stem, stems
from sprout.offline.courses.course_search import faint_words
from sprout.offline.demo.tutor.composition import Snippet
from sprout.offline.demo.tutor.replies.open_question import OpenQuestion
from sprout.offline.demo.tutor.templates import inner_quotes

LONGEST_PLACE = 14  # words; of a longer sentence only the clause is quoted
FEWEST_WORDS = 2  # with letters: “3 to 1” says nothing of the 3
MOST_NUMBERS = 2
MOST_ELSE = 1  # words of the message that the place has not

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CLAUSE = re.compile(r"[;:,]\s+(?:and |or |but )?|\s+(?:and|but)\s+")
_EVERYWHERE = ("0", "1")  # "why 1 in 500" asks about the 500
_DATE = re.compile(
    r"\d+(?:st|nd|rd|th|\.)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez)\w*", re.IGNORECASE
)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_SOUGHT = re.compile(r"\bwhat is ([a-z])\?", re.IGNORECASE)


def numbers_in(text: str) -> list[str]:
    """The numbers of a text in digits, in order, without marks of thousands."""
    return [number.replace(",", ".") for number in _NUMBER.findall(_THOUSANDS.sub("", text))]


def task_number_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """Places in the open question of the numbers of which the message asks what they are, unless it is mostly about
    something else."""
    message = now.turn.message
    about = stems([message]) - {stem(word) for word in faint_words()}
    places = dict[str, str]()
    named = [*dict.fromkeys(numbers_in(_DATE.sub("", message)))]
    telling = [number for number in named if number not in _EVERYWHERE] or named
    for number in telling[:MOST_NUMBERS]:
        if place := _place_of(number, now.pending.prompt):
            places.setdefault(place, number)
    if places and len(about) - shared_stems(about, stems([*places])) <= MOST_ELSE:
        yield Snippet(" ".join(_render(now, number, place) for place, number in places.items()), whole=True)


def sought_letter_snippets(now: OpenQuestion) -> Iterator[Snippet]:
    """That the letter that is asked about stands for the number that the question wants."""
    sought = _SOUGHT.search(now.pending.prompt)
    if sought and sought[1] in now.turn.message.split():
        words = now.templates.render("quote", words=sought[1])
        yield Snippet(now.templates.render("aside_sought", letter=words), whole=True)


def _render(now: OpenQuestion, number: str, place: str) -> str:
    quoted = now.templates.render("quote", words=inner_quotes(place))
    return now.templates.render("aside_task", number=number, text=quoted)


def _place_of(number: str, text: str) -> str:
    """The sentence in which the number stands, or its clause; empty if there is none."""
    for sentence in sentences_of(" ".join(_CODE.sub(" … ", text).split())):
        if number not in numbers_in(sentence):
            continue
        clauses = [clause for clause in _CLAUSE.split(sentence) if number in numbers_in(clause)]
        is_long = len(sentence.split()) > LONGEST_PLACE
        best = next((one for one in clauses if _says_enough(one)), sentence) if is_long else sentence
        if _says_enough(best):
            return best.strip(" “”.")
    return ""


def _says_enough(place: str) -> bool:
    return sum(any(map(str.isalpha, word)) for word in place.split()) >= FEWEST_WORDS
