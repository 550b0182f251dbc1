"""Slips that models make in the input of a call: each gives the input a form that a person would still understand."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

Input = dict[str, Any]
Slip = Callable[[Input, Random], Input]


def vary(given: Mapping[str, Any], slips: Sequence[Slip], random: Random, *, most: int = 3) -> tuple[Input, list[str]]:
    """The input after one to `most` slips, made in the order in which they stand, and the names of those that changed
    it."""
    made: list[str] = []
    changed = deepcopy(dict(given))
    chosen = sorted(random.sample(range(len(slips)), min(len(slips), random.randint(1, most))))
    for slip in (slips[at] for at in chosen):
        after = slip(deepcopy(changed), random)
        if after != changed:
            made.append(slip.__name__)
            changed = after
    return changed, made


def extra_field(given: Input, random: Random) -> Input:
    return {**given, random.choice(("id", "notes", "confidence_level", "type_of", "metadata")): "x"}


def null_field(given: Input, random: Random) -> Input:
    return {**given, random.choice(("comment", "parent", "hint")): None}


def other_case_of_names(given: Input, random: Random) -> Input:
    """camelCase, PascalCase or hyphens in the names of fields."""
    change: Callable[[str], str] = random.choice(
        (
            lambda name: re.sub(r"_(\w)", lambda found: found[1].upper(), name),
            lambda name: name.replace("_", "-"),
            lambda name: name.title().replace("_", ""),
        )
    )
    return {change(name): value for name, value in given.items()}


def wrapped_input(given: Input, random: Random) -> Input:
    inner = json.dumps(given) if random.random() < 0.3 else given
    return {random.choice(("input", "arguments", "parameters")): inner}


def number_as_text(given: Input, random: Random) -> Input:
    return _at_numbers(given, lambda number: f"{number:g}" if random.random() < 0.6 else f" {number:g} ")


def comma_in_numbers(given: Input, random: Random) -> Input:
    """The decimal comma, with more or fewer than three digits after it."""
    return _at_numbers(
        given,
        lambda number: f"{number:g}".replace(".", ",") if 0 < len(f"{number:g}".partition(".")[2]) != 3 else number,
    )


def list_as_json(given: Input, random: Random) -> Input:
    return _at_one(given, random, list, json.dumps)


def list_as_lines(given: Input, random: Random) -> Input:
    mark = random.choice(("- ", "* ", "{}. ", "{}) ", ""))

    def lines(items: list[Any]) -> Any:
        if len(items) < 2 or not all(isinstance(one, str) and "\n" not in one for one in items):
            return items
        return "\n".join(mark.format(number) + one for number, one in enumerate(items, start=1))

    return _at_one(given, random, list, lines)


def one_for_a_list(given: Input, random: Random) -> Input:
    def alone(items: list[Any]) -> Any:
        return items[0] if len(items) == 1 and "," not in str(items[0]) else items

    return _at_one(given, random, list, alone)


def object_for_a_list(given: Input, random: Random) -> Input:
    """Items by their numbers, as some models write lists."""
    return _at_one(given, random, list, lambda items: {str(number): one for number, one in enumerate(items, start=1)})


def list_for_one(given: Input, random: Random) -> Input:
    return _at_one(given, random, str, lambda text: [text])


def blanks_in_lists(given: Input, random: Random) -> Input:
    return _at_one(given, random, list, lambda items: [*items, random.choice(("", None, "  "))])


def padded_text(given: Input, random: Random) -> Input:
    return _at_one(given, random, str, lambda text: f"\n {text} \n")


ANY_CALL: tuple[Slip, ...] = (
    extra_field,
    null_field,
    number_as_text,
    comma_in_numbers,
    list_as_json,
    list_as_lines,
    one_for_a_list,
    object_for_a_list,
    list_for_one,
    blanks_in_lists,
    padded_text,
    other_case_of_names,
    wrapped_input,
)


def absent(*optional: str) -> Slip:
    """Null or an empty value for an optional field."""

    def null_or_empty(given: Input, random: Random) -> Input:
        return {**given, random.choice(optional): random.choice((None, "", [], "  "))}

    return null_or_empty


def other_words(name: str, words: Mapping[str, Sequence[str]]) -> Slip:
    """Another word for a value of a fixed set, or the same in other case."""

    def synonym(given: Input, random: Random) -> Input:
        value = given.get(name)
        if not isinstance(value, str) or value not in words:
            return given
        return {**given, name: random.choice((value.upper(), value.title(), f" {value}", *words[value]))}

    return synonym


def quoted(*names: str) -> Slip:
    """Quotation marks, capitals or a full stop around a title that is there."""

    def requoted_title(given: Input, random: Random) -> Input:
        name = random.choice(names)
        change = random.choice(("“{}”", '"{}"', "'{}'", "{}.", " {} "))

        def changed(title: str) -> str:
            return change.format(random.choice((title, title.upper(), title.lower())))

        match given.get(name):
            case str() as title:
                return {**given, name: changed(title)}
            case [*titles] if all(isinstance(title, str) for title in titles):
                return {**given, name: [changed(title) for title in titles]}
            case _:
                return given

    return requoted_title


def too_many(name: str, count: int) -> Slip:
    """More items than there may be."""

    def more_than_enough(given: Input, random: Random) -> Input:
        items = given.get(name)
        if not isinstance(items, list) or not items:
            return given
        return {**given, name: [*items, *(_another(items[-1], number) for number in range(count))]}

    return more_than_enough


def _another(item: Any, number: int) -> Any:
    if isinstance(item, dict):
        return {key: _another(value, number) if isinstance(value, str) else value for key, value in item.items()}
    return f"{item} ({number})"


def _at_one(given: Input, random: Random, kind: type, change: Callable[[Any], Any]) -> Input:
    """The input with the change at one of its outermost fields of that kind."""
    names = [name for name, value in given.items() if isinstance(value, kind)]
    if not names:
        return given
    name = random.choice(names)
    return {**given, name: change(given[name])}


def _at_numbers(given: Input, change: Callable[[float], Any]) -> Input:
    return {name: _changed_numbers(one, change) for name, one in given.items()}


def _changed_numbers(value: Any, change: Callable[[float], Any]) -> Any:
    if isinstance(value, dict):
        return {name: _changed_numbers(one, change) for name, one in value.items()}
    if isinstance(value, list):
        return [_changed_numbers(one, change) for one in value]
    return change(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
