"""Titles from a sentence: its claim, what it defines, why or when something is so; 3 to 8 words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from sprout.offline.notes.language import language as words_in
from sprout.offline.notes.language import phrases
from sprout.offline.notes.parser import words_of
from sprout.offline.notes.terms import Lexicon, stem

LEAST_TITLE_WORDS = 3
MOST_TITLE_WORDS = 8
TITLE_CHARACTERS = 70
BARE_CLAUSE_WORDS = 4
TELLING_CHARACTERS = 4
OPENING_PHRASE_WORDS = 6
_GLOSS = re.compile(r"^(?P<subject>[^\W\d_][^,:;.–]{1,40}): (?P<what>.{12,})$")
_LIST_GOES_ON = re.compile(r"^,\s*[\w’'-]+(?:\s[\w’'-]+){0,2}(?:,| or | and | oder | und | ou | et )")


class TitleForm(IntEnum):
    """Ways of making a title from a sentence, best first."""

    VERBATIM = 0
    CUT = 1
    TRIMMED = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """A title and how it was made."""

    title: str
    form: TitleForm


@dataclass(frozen=True, slots=True)
class Definition:
    """A sentence that says what something is: “A reservoir” “is” “a place where water stays”; key of the term."""

    key: str
    subject: str
    verb: str
    what: str


def find_claims(sentence: str, lexicon: Lexicon) -> list[Claim]:
    """Titles for the sentence, the best first; none where it cannot stand alone or has no short claim in it."""
    found = [
        Claim(_upper(title), form)
        for title, form in _forms(sentence.strip(" .!;:"), lexicon)
        if _fits(title, lexicon) and (form is TitleForm.VERBATIM or not _dangles(title, lexicon))
    ]
    return sorted(dict.fromkeys(found), key=lambda claim: claim.form)


def find_definition(sentence: str, lexicon: Lexicon) -> Definition | None:
    """The sentence's definition, if it has one and the text mentions the term elsewhere too."""
    given = words_in(lexicon.language)
    gloss = _GLOSS.match(sentence.strip(" ."))
    if gloss and lexicon.key_of(gloss["subject"]) in lexicon.marked:
        return Definition(lexicon.key_of(gloss["subject"]), gloss["subject"], given.is_, gloss["what"])
    for pattern in (given.patterns.called, given.patterns.definition):
        match = pattern.match(sentence.strip(" ."))
        key = _key_of_subject(match["subject"], lexicon) if match else ""
        if match and key in lexicon.named and not given.patterns.ranks.match(match["what"]):
            return Definition(
                key,
                match["subject"],
                match.groupdict().get("verb") or given.is_,
                lowercase_start(match["what"], lexicon),
            )
    return None


def needs_context(sentence: str, language: str) -> bool:
    """Return True if a sentence needs the one before it: it opens with a pronoun or a connecting word."""
    words, given = words_of(sentence), words_in(language).words
    if not words or (words[0] in given.trimmed_at and words[1:2] and words[1] in given.vague_starts):
        return True
    if language == "de" and words[0] in given.articles:  # “das” is a pronoun only where no noun follows
        return not any(word[:1].isupper() for word in sentence.split()[1:3])
    return words[0] in given.vague_starts


def lowercase_start(text: str, lexicon: Lexicon) -> str:
    """The text as it goes on in the middle of a sentence: without its first capital, unless that belongs to a name."""
    first = text.split(" ", 1)[0]
    bare, bare_word = (words_of(first) or [""])[0], first.strip(",;:")
    if len(first) > 1 and first[1] in "'’":  # French: L'Assemblée
        return text[:1].lower() + text[1:]
    if bare in words_in(lexicon.language).stopwords:
        return text[:1].lower() + text[1:]
    if lexicon.language == "de" or first[1:] != first[1:].lower() or bare_word in lexicon.proper:
        return text
    return text[:1].lower() + text[1:]


def _forms(sentence: str, lexicon: Lexicon) -> Iterator[tuple[str, TitleForm]]:
    say, given = phrases(lexicon.language), words_in(lexicon.language)
    if gloss := _GLOSS.match(sentence):
        if lexicon.key_of(gloss["subject"]) in lexicon.marked or _says_what(gloss["what"], lexicon):
            yield (
                f"{gloss['subject']}: {_clause_end(lexicon).split(gloss['what'], maxsplit=1)[0].strip()}",
                TitleForm.VERBATIM,
            )
        return
    if match := given.patterns.why_given.match(sentence):
        yield say.why_title.format(claim=lowercase_start(match[1], lexicon)), TitleForm.VERBATIM
    if needs_context(sentence, lexicon.language) or any(mark in sentence for mark in '"“”„«»'):
        return
    if len(sentence.split()) <= MOST_TITLE_WORDS:
        yield sentence, TitleForm.VERBATIM
    if match := given.patterns.asks.match(sentence):
        yield match[1], TitleForm.VERBATIM
    elif defined := find_definition(sentence, lexicon):
        yield _what_is(defined, lexicon), TitleForm.VERBATIM
    elif match := given.patterns.means.match(sentence):
        yield say.means_title.format(subject=lowercase_start(match["subject"], lexicon)), TitleForm.VERBATIM
    elif match := given.patterns.how.match(sentence):
        groups = match.groupdict() | {"subject": lowercase_start(match["subject"], lexicon)}
        yield say.how_title.format(**groups), TitleForm.VERBATIM
    elif match := given.patterns.conditional.match(sentence):
        yield from _conditional(match, lexicon)
    elif words_of(sentence)[0] not in given.words.opens_clause:
        yield from _clauses(_without_opening_phrase(sentence, lexicon), lexicon)


def _says_what(gloss: str, lexicon: Lexicon) -> bool:
    """Return True if the text after a colon is a claim or a thing, and not a mere value: “holds the DNA”, “a layer”."""
    first = gloss.split(" ", 1)[0]
    return first.lower() in words_in(lexicon.language).words.articles or _is_verb(first, lexicon)


def _without_opening_phrase(sentence: str, lexicon: Lexicon) -> str:
    """“At a front, warm air slides up” → “warm air slides up”."""
    opening, comma, rest = sentence.partition(", ")
    begins = words_of(opening)[:1]
    cut = comma and begins and begins[0] in words_in(lexicon.language).words.trimmed_at and len(rest.split()) > 2
    return rest if cut and len(opening.split()) <= OPENING_PHRASE_WORDS else sentence


def _key_of_subject(subject: str, lexicon: Lexicon) -> str:
    """The key of “the discharge of a river”, or else of “the discharge”."""
    if needs_context(subject, lexicon.language):
        return ""
    given = words_in(lexicon.language).patterns
    return lexicon.key_of(subject) or lexicon.key_of(given.parted.split(subject, maxsplit=1)[0])


def _what_is(defined: Definition, lexicon: Lexicon) -> str:
    say = phrases(lexicon.language)
    many = defined.verb in words_in(lexicon.language).words.plural_verbs
    return (say.what_are_title if many else say.what_is_title).format(subject=lowercase_start(defined.subject, lexicon))


def _conditional(match: re.Match[str], lexicon: Lexicon) -> Iterator[tuple[str, TitleForm]]:
    """“When air cools, its relative humidity rises” → what then happens, or when it does."""
    say = phrases(lexicon.language)
    word, condition = match["word"].lower(), match["condition"]
    outcome = _clause_end(lexicon).split(match["outcome"], maxsplit=1)[0].strip(" ,;:–—-")
    if say.outcome_title and not needs_context(outcome, lexicon.language):
        yield say.outcome_title.format(outcome=outcome, word=word, condition=condition), TitleForm.VERBATIM
    yield say.condition_title.format(word=word, condition=condition), TitleForm.VERBATIM
    if say.outcome_title and not needs_context(outcome, lexicon.language):
        yield outcome, TitleForm.CUT


def _clauses(sentence: str, lexicon: Lexicon) -> Iterator[tuple[str, TitleForm]]:
    """The main clause, as it stands or as what it is a reason or a time for, and shorter forms of it."""
    say, given = phrases(lexicon.language), words_in(lexicon.language)
    head = _clause_end(lexicon).split(sentence, maxsplit=1)[0]
    rest = sentence[len(head) :]
    head = head.strip(" .!?:;,–—-")
    relative = words_of(rest)[:1] and words_of(rest)[0] in given.words.relatives
    goes_on = _LIST_GOES_ON.match(rest) and words_of(rest)[0] not in given.words.opens_clause
    if goes_on or (relative and not any(_is_verb(word, lexicon) for word in head.split())):
        return
    inverted = words_of(head)[:1] and words_of(head)[0] in given.words.trimmed_at
    if say.why_title and given.patterns.reason_word.match(rest) and not inverted:
        yield say.why_title.format(claim=lowercase_start(head, lexicon)), TitleForm.VERBATIM
    if say.when_title and given.patterns.when_word.match(rest) and len(head.split()) <= BARE_CLAUSE_WORDS:
        yield say.when_title.format(claim=lowercase_start(head, lexicon)), TitleForm.VERBATIM
    for clause in (head, given.patterns.and_verb.split(head, maxsplit=1)[0]):
        yield from ((title, TitleForm.CUT) for title in _tighten(clause, lexicon))
        yield from ((title, TitleForm.TRIMMED) for title in _trim_prepositions(clause, lexicon))


def _tighten(clause: str, lexicon: Lexicon) -> Iterator[str]:
    """The clause, and without the words that a headline can do without."""
    given = words_in(lexicon.language)
    brief = given.patterns.fillers.sub("", clause)
    yield brief
    first, _, rest = brief.partition(" ")
    if given.may_lose_article and first.lower() in given.words.articles:
        yield rest


def _trim_prepositions(clause: str, lexicon: Lexicon) -> Iterator[str]:
    """The clause without what its last prepositions add, where a verb and what belongs to it stay."""
    words, given = clause.split(), words_in(lexicon.language)
    for at in range(min(len(words) - 1, MOST_TITLE_WORDS), LEAST_TITLE_WORDS, -1):
        verb = next((place for place in range(1, at) if _is_verb(words[place], lexicon)), None)
        title = " ".join(words[:at])
        if verb is None or words[at] not in given.words.trimmed_at or words[at + 1 : at + 2] == []:
            continue
        whole = words[at + 1] not in given.words.relatives and not given.patterns.parts_clause.search(title)
        if whole and at - verb - 1 >= (2 if words[verb] in given.words.verbs else 1):
            yield title


def _is_verb(word: str, lexicon: Lexicon) -> bool:
    """Return True if the word is surely a verb: in a list, or by its ending and not a noun of the text."""
    given = words_in(lexicon.language)
    if word in given.words.verbs:
        return True
    known = word in given.stopwords or stem(word, lexicon.language) in lexicon.weight
    return word.isalpha() and word.islower() and word.endswith(given.verb_endings) and not known


def _fits(title: str, lexicon: Lexicon) -> bool:
    """Return True if the title is short and has a topic."""
    if not LEAST_TITLE_WORDS <= len(title.split()) <= MOST_TITLE_WORDS or len(title) > TITLE_CHARACTERS:
        return False
    given, words = words_in(lexicon.language), words_of(title)
    telling = any(len(word) >= TELLING_CHARACTERS and word not in given.stopwords for word in words)
    return (
        telling
        and not given.words.points_back & set(words[1:])
        and title.count("(") == title.count(")")
        and " – " not in title
    )


def _dangles(title: str, lexicon: Lexicon) -> bool:
    """Return True if a cut clause ends where more has to follow: “decides”, “to decide”, “of the”."""
    words, given = words_of(title), words_in(lexicon.language)
    last_is_little = words[-1] in given.stopwords and words[-1] not in given.words.may_end_title
    return last_is_little or words[-2] in given.words.infinitive_marks


def _clause_end(lexicon: Lexicon) -> re.Pattern[str]:
    return words_in(lexicon.language).patterns.clause_end


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
