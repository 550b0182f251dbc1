"""Diagnostic questions made from a text's own sentences: cloze, number, description, claim, reason, explanation."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sprout.offline.notes.language import Phrases, phrases
from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.reading import WORD, words_of
from sprout.offline.notes.terms import Lexicon, stems_of
from sprout.offline.notes.units import Unit, starts_vaguely
from sprout.offline.plan import Item

DISTRACTORS = 3
CLEAR = 1.0
GAP = "____"
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:[ \u202f]\d{3})+|\d+(?:[.,]\d+)?)(?![\w]|[.,]\d)\s?(%|[^\W\d_]{1,12})?")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|over|etwa|rund|ca\.?|ungefähr|fast|environ|près de)\s*$"
)


@dataclass(frozen=True, slots=True)
class _Source:
    """A sentence that may be asked about, and the subconcept that it belongs to."""

    sentence: str
    title: str


class ItemMaker:
    """Makes the questions on some units; no sentence is used twice, and the same text gives the same questions."""

    def __init__(self, units: Sequence[Unit], titles: Sequence[str], lexicon: Lexicon) -> None:
        self._units, self._titles, self._lexicon = units, titles, lexicon
        self._say: Phrases = phrases(lexicon.language)
        self._dice = random.Random("\n".join(unit.text for unit in units))
        self._used: set[str] = set()
        self._asked: set[str] = set()
        self._everywhere = _everywhere(units, lexicon)

    def items(self, most: int) -> list[Item]:
        """Up to `most` questions of mixed kinds, easy ones first."""
        kinds = [
            (self._described(), 2),
            (self._told(), 2),
            (self._clozes(), 3),
            (self._reasons(), 2),
            (self._statements(), 2),
            (self._numbers(), 1),
        ]
        made: list[dict[str, Any]] = []
        for turn in range(3):
            made += [item for kind, limit in kinds if turn < limit and (item := next(kind, None))]
        last = self._related()
        made = [*made[: most - 1], last] if last else made[:most]
        return sorted(map(Item, made), key=lambda item: int(item.input["difficulty"]))

    def _sources(self, *, vague: bool = False) -> Iterator[_Source]:
        """Sentences that stand on their own, first those of every unit's start, then the rest."""
        longest = max((len(unit.sentences) for unit in self._units), default=0)
        for at in range(longest):
            for unit, title in zip(self._units, self._titles, strict=True):
                if at >= len(unit.sentences):
                    continue
                sentence = unit.sentences[at]
                fits = 5 <= len(words_of(sentence)) <= 40 and (
                    vague or not starts_vaguely(sentence, self._lexicon.language)
                )
                if fits and sentence not in self._used:
                    yield _Source(sentence, title)

    def _clozes(self) -> Iterator[dict[str, Any]]:
        for source in self._sources():
            for key in self._lexicon.in_text(source.sentence)[:4]:
                term = self._as_written(source.sentence, key)
                if not term or key in self._asked or key in self._everywhere:
                    continue
                if len(options := self._like(key, source.sentence)) == DISTRACTORS:
                    gap = re.sub(rf"\b{re.escape(term)}\b", GAP, source.sentence)
                    self._take(source, key)
                    if term[0].isupper():  # small letters would show which options never opened this sentence
                        options = [(option[:1].upper() + option[1:], why) for option, why in options]
                    yield self._choice(self._say.cloze.format(sentence=gap), term, options, source, 2)
                    break

    def _described(self) -> Iterator[dict[str, Any]]:
        pattern = re.compile(
            rf"^(?:\S+ )?((?:\S+ ){{0,2}}\S+) ((?:{words_in(self._lexicon.language).defines}).{{20,}})$"
        )
        for source in self._sources():
            match = pattern.match(source.sentence)
            keys = self._lexicon.in_text(match[1]) if match else []
            if not match or not keys or keys[0] in self._lexicon.in_text(match[2]) or keys[0] in self._asked:
                continue
            if len(options := self._like(keys[0], source.sentence)) == DISTRACTORS:
                self._take(source, keys[0])
                prompt = self._say.described.format(description=match[2].rstrip(" ."))
                yield self._choice(prompt, self._lexicon.shown[keys[0]], options, source, 1)

    def _statements(self) -> Iterator[dict[str, Any]]:
        """What is said about a term, among things that the text says about others."""
        claims = self._claims()
        for key, begin, rest, source in claims:
            if source.sentence in self._used or key in self._asked:
                continue
            others = [
                (other_key, other_rest)
                for other_key, _, other_rest, other in claims
                if other_key != key
                and other.sentence != source.sentence
                and _number_of(other_rest, self._lexicon.language) == _number_of(rest, self._lexicon.language)
                and 0.6 <= len(other_rest) / len(rest) <= 1.6
                and key not in self._lexicon.in_text(other_rest)
            ]
            others.sort(key=lambda entry: abs(len(entry[1]) - len(rest)))
            unlike = {other_rest: other_key for other_key, other_rest in reversed(others)}
            chosen = sorted(unlike, key=lambda text: abs(len(text) - len(rest)))[:DISTRACTORS]
            if len(chosen) < DISTRACTORS:
                continue
            self._take(source, key)
            wrong = [(f"{begin} {text}", self._mixed_claims(key, unlike[text])) for text in chosen]
            prompt = self._say.statement.format(term=self._lexicon.shown[key])
            yield self._choice(prompt, f"{begin} {rest}", wrong, source, 3)

    def _claims(self) -> list[tuple[str, str, str, _Source]]:
        """Sentences that open with a term of their own: its key, the opening words, what is said, the sentence."""
        found = []
        for source in self._sources():
            words = source.sentence.split(" ")
            for size in (3, 2, 1):
                begin, rest = " ".join(words[:size]), " ".join(words[size:])
                keys = self._lexicon.in_text(begin)
                stems = stems_of(begin, self._lexicon.language)
                told = 3 <= len(rest.split()) <= 24 and self._says_something(rest)
                if told and keys and begin[-1].isalpha() and keys[0].split()[-1] == stems[-1]:
                    found.append((keys[0], begin, rest.rstrip(" ."), source))
                    break
        return found

    def _reasons(self) -> Iterator[dict[str, Any]]:
        pattern = re.compile(rf"^(.{{20,}}?)(?:{words_in(self._lexicon.language).reasons}) ?(.{{15,}})$")
        for source in self._sources():
            if match := pattern.match(source.sentence):
                self._used.add(source.sentence)
                effect, reason = match[1].strip(" ,"), _sentence(match[2])
                criteria = [(self._say.the_reason, reason, 0.7), (self._say.what_follows, source.sentence, 0.3)]
                yield self._open(self._say.reason.format(effect=effect), reason, criteria, [source.title], 4)

    def _told(self) -> Iterator[dict[str, Any]]:
        """An open question on one term, with the sentences about it as what is expected."""
        for unit in self._units:
            for key in self._unit_terms(unit):
                about = [
                    source for source in self._sources(vague=True) if key in self._lexicon.in_text(source.sentence)
                ]
                if key in self._asked or len(about) < 2:
                    continue
                self._asked.add(key)
                about = about[:3]
                self._used.update(source.sentence for source in about)
                weights = _shares(len(about))
                criteria = [
                    (self._label(source.sentence, source), source.sentence, weight)
                    for source, weight in zip(about, weights, strict=True)
                ]
                answer = " ".join(source.sentence for source in about)
                tests = list(dict.fromkeys(source.title for source in about))[:2]
                yield self._open(self._say.tell.format(term=self._lexicon.shown[key]), answer, criteria, tests, 3)
                break

    def _numbers(self) -> Iterator[dict[str, Any]]:
        for source in self._sources(vague=True):
            found = list(_NUMBER.finditer(source.sentence))
            if len(found) != 1 or len(found[0][1].replace(" ", "")) > 12:
                continue
            number = found[0]
            value = re.sub(r"[ \u202f]", "", number[1]).replace(",", "." if self._lexicon.language != "en" else "")
            gap = f"{source.sentence[: number.start(1)]}{GAP}{source.sentence[number.end(1) :]}"
            about = bool(_ABOUT.search(source.sentence[: number.start(1)]))
            self._used.add(source.sentence)
            yield {
                "prompt": self._say.number.format(sentence=gap),
                "format": "numeric",
                "correct_answer": value,
                "tolerance": round(abs(float(value)) * 0.05, 6) if about else 0,
                "difficulty": 2,
                "tests": [source.title],
            } | ({"unit": number[2]} if number[2] and not number[2][0].islower() else {})

    def _related(self) -> dict[str, Any] | None:
        """The last question: two units that speak of the same thing, put together."""
        best: tuple[float, dict[str, Any]] | None = None
        for at, one in enumerate(self._units):
            for other_at in range(at + 1, len(self._units)):
                pair = self._shared(one, self._units[other_at])
                if pair and (best is None or pair[0] >= best[0]):
                    titles = [self._titles[at], self._titles[other_at]]
                    best = pair[0], self._relation(titles, pair[1])
        return best[1] if best else None

    def _shared(self, one: Unit, other: Unit) -> tuple[float, list[str]] | None:
        """How much the weightiest term matters that both units use, and a sentence of each with it."""
        for key in self._lexicon.in_text(one.text):
            found = [self._beside_titles(unit, key) for unit in (one, other)]
            if all(found) and key not in self._everywhere:
                return min(6.0, self._lexicon.weight[key]), found
        return None

    def _beside_titles(self, unit: Unit, key: str) -> str:
        """A sentence with the term that is not a title as well: a prompt with that title would give it away."""
        titles = [title.casefold() for title in self._titles]
        return next(
            (
                sentence
                for sentence in unit.sentences
                if key in self._lexicon.in_text(sentence) and not any(title in sentence.casefold() for title in titles)
            ),
            "",
        )

    def _relation(self, titles: list[str], sentences: Sequence[str]) -> dict[str, Any]:
        criteria = [
            (self._label(sentence, _Source(sentence, title)), sentence, 0.5)
            for sentence, title in zip(sentences, titles, strict=True)
        ]
        prompt = self._say.relate.format(one=titles[0], other=titles[1])
        return self._open(prompt, " ".join(sentences), criteria, titles, 5)

    def _choice(
        self, prompt: str, answer: str, wrong: Sequence[tuple[str, str]], source: _Source, difficulty: int
    ) -> dict[str, Any]:
        options = [answer, *(option for option, _ in wrong)]
        self._dice.shuffle(options)
        return {
            "prompt": prompt,
            "format": "mcq",
            "options": options,
            "correct_answer": answer,
            "misconceptions": [{"option": option, "misconception": why} for option, why in wrong],
            "difficulty": difficulty,
            "tests": [source.title],
        }

    def _open(
        self, prompt: str, answer: str, criteria: Sequence[tuple[str, str, float]], tests: list[str], difficulty: int
    ) -> dict[str, Any]:
        return {
            "prompt": prompt,
            "format": "open_ended",
            "correct_answer": answer,
            "criteria": [
                {"label": label, "statement": statement, "weight": weight} for label, statement, weight in criteria
            ],
            "difficulty": difficulty,
            "tests": tests,
        }

    def _like(self, key: str, sentence: str) -> list[tuple[str, str]]:
        """Three other terms of the text that could stand in the place of this one, each with what it mixes up."""
        here = set(stems_of(sentence, self._lexicon.language))
        shown = self._lexicon.shown
        capital, size = shown[key][:1].isupper(), len(key.split())
        plural = shown[key].endswith("s") and self._lexicon.language != "de"
        fitting = [
            other
            for other, weight in self._lexicon.weight.items()
            if weight >= CLEAR
            and other not in self._everywhere
            and not set(other.split()) & (here | set(key.split()))
            and shown[other][:1].isupper() == capital
            and (shown[other].endswith("s") and self._lexicon.language != "de") == plural
        ]
        fitting.sort(key=lambda other: (abs(len(other.split()) - size), -min(6.0, self._lexicon.weight[other]), other))
        answer = shown[key]
        return [
            (shown[other], self._say.mixes_up.format(option=f"“{shown[other]}”", answer=f"“{answer}”"))
            for other in fitting[:DISTRACTORS]
        ]

    def _says_something(self, rest: str) -> bool:
        """Whether the words after a term begin with the verb of the sentence, as far as that can be told."""
        verb = rest.split(" ", maxsplit=1)[0]
        if verb in words_in(self._lexicon.language).be_and_can:
            return True
        ending = {"en": "s", "de": "t"}.get(self._lexicon.language)
        stems = stems_of(verb, self._lexicon.language)
        return bool(
            ending
            and verb.islower()
            and verb.isalpha()
            and verb.endswith(ending)
            and verb not in words_in(self._lexicon.language).stopwords
            and stems[0] not in self._lexicon.weight
        )

    def _mixed_claims(self, key: str, other: str) -> str:
        return self._say.mixes_up_claims.format(term=self._lexicon.shown[key], option=self._lexicon.shown[other])

    def _label(self, text: str, source: _Source) -> str:
        terms = self._lexicon.in_text(text)
        terms = terms[:1] + [term for term in terms[1:] if not set(term.split()) & set(terms[0].split())][:1]
        named = f" {self._say.and_} ".join(self._lexicon.shown[term] for term in terms)
        return self._say.what_it_says.format(term=named) if named else source.title

    def _as_written(self, sentence: str, key: str) -> str:
        """The term as this sentence has it; empty unless it stands there exactly once."""
        size, words = len(key.split()), WORD.findall(sentence)
        spans = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
        found = [span for span in spans if " ".join(stems_of(span, self._lexicon.language)) == key]
        return found[0] if len(found) == 1 and found[0] in sentence and sentence.count(found[0]) == 1 else ""

    def _unit_terms(self, unit: Unit) -> list[str]:
        counts = [key for sentence in unit.sentences for key in self._lexicon.in_text(sentence)]
        return sorted(set(counts), key=lambda key: (-counts.count(key) * self._lexicon.weight[key] ** 0.5, key))[:4]

    def _take(self, source: _Source, key: str) -> None:
        self._used.add(source.sentence)
        self._asked.add(key)


def _everywhere(units: Sequence[Unit], lexicon: Lexicon) -> frozenset[str]:
    """Terms in more than two fifths of the sentences: a gap where they stood would teach nothing."""
    found = [set(lexicon.in_text(sentence)) for unit in units for sentence in unit.sentences]
    if len(found) < 5:
        return frozenset()
    return frozenset(key for key in lexicon.weight if sum(key in each for each in found) > len(found) * 0.4)


def _shares(count: int) -> list[float]:
    """`count` weights that sum to 1 exactly, in hundredths."""
    each = round(1 / count, 2)
    return [*[each] * (count - 1), round(1 - each * (count - 1), 2)]


def _sentence(text: str) -> str:
    text = text.strip(" ,;")
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


def _number_of(rest: str, language: str) -> str:
    """`one` or `many`, by the verb that a sentence goes on with after its subject."""
    verb = (words_of(rest) or [""])[0]
    if language == "en":
        singular = verb in ("is", "was", "has") or (verb.endswith("s") and verb != "was")
        return "one" if singular else "past" if verb.endswith("ed") else "many"
    if language == "de":
        return "many" if verb in ("sind", "waren", "haben") or verb.endswith("en") else "one"
    return "many" if verb in ("sont", "ont", "étaient") or verb.endswith("ent") else "one"
