"""Numbers of options: which option a text names by the numbers that it states."""

import re
from collections.abc import Sequence

from sprout.learning.marking.answer_pieces import plain_text
from sprout.learning.marking.choice_clauses import words_alone, words_of
from sprout.learning.marking.choices import Option
from sprout.learning.marking.quantities import Quantity, iter_quantities
from sprout.learning.marking.stated_results import stated_results

_NUMBER = re.compile(r"\d+")
_BETWEEN_NUMBERS = re.compile(r"\A[^\d]*|\d+|[^\d]*\Z")
_BARE_NUMBER = re.compile(r"\d+(?:[.,]\d+)?(?: ?[^\W\d]{1,12}| ?%)?\.?")


def by_numbers(options: Sequence[Option], text: str) -> list[Option]:
    """The options whose numbers, two or more, are those of the text's first clause with as many: "2 3 4 and 5"; or the
    one that alone has those of the text, in any order, where options say nothing else of one number than of another:
    "140 don't, 60 do" for "60 and 140 pupils"."""
    clauses = [_NUMBER.findall(clause) for clause in re.split(r"[—–;:.!?]|-\s", text)]
    said = next((numbers for numbers in clauses if len(numbers) > 1), None)
    found = [option for option in options if _NUMBER.findall(option.text) == said]
    return found or _by_numbers_in_any_order(options, text)


def _by_numbers_in_any_order(options: Sequence[Option], text: str) -> list[Option]:
    are_alike = len({_NUMBER.sub("", words_alone(option.text)) for option in options}) == 1
    between = {word for option in options for word in words_alone(_BETWEEN_NUMBERS.sub(" ", option.text)).split()}
    said = sorted(_NUMBER.findall(text))
    having = [option for option in options if sorted(_NUMBER.findall(option.text)) == said]
    is_one = len(said) > 1 and len(having) == 1 and "?" not in text
    return having if is_one and are_alike and words_of("joints").issuperset(between) else []


def by_value(options: Sequence[Option], text: str) -> list[Option]:
    """The option with the text's one number, where every option is a number and at most its unit: "so it is 54"."""
    if not all(_BARE_NUMBER.fullmatch(option.text.strip()) for option in options):
        return []
    said = stated_results(text)
    values = {one.value for one in said.results}
    return [one for one in options if {found.value for found in stated_results(one.text).results} == values]


def by_own_number(options: Sequence[Option], text: str) -> list[Option]:
    """The option that alone has the one number that the text states, fillers and its working aside, where no option has
    more than one and two of them have one: "70 %" for "Its chance is 0.7", "7" for `days[7]`. A number that may be the
    place of an option is none."""
    numbers = [[*iter_quantities(plain_text(option.text))] for option in options]
    words = [word for word in words_alone(text).split() if word.isalpha()]
    said = stated_results(text).results
    if not words_of("fillers").issuperset(words) or len(said) != 1 or max(map(len, numbers), default=0) > 1:
        return []
    is_telling = sum(map(bool, numbers)) > 1 and said[0].value not in range(1, len(options) + 1)
    having = [option for option in options if _has(stated_results(option.text).results, said[0])]
    return having if is_telling and len(having) == 1 else []


def _has(values: Sequence[Quantity], said: Quantity) -> bool:
    """Whether one of the values is what is said, a percentage also as the share; not a share for a percentage, which
    may be the very mistake."""
    is_share = [(one.value, one.unit == "%") for one in values]
    return (said.value, said.unit == "%") in is_share or (said.unit == "%" and (said.value / 100, False) in is_share)
