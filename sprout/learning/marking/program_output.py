"""Output of a program beside what it should print: where they differ, and how little."""

import re
import string

MAX_SHOWN = 300  # characters of an output

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{1,16}(?=>)")
_DIGIT = re.compile(r"\d")
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(r"[^\w\s]")
_SPACE_BY_COMMA = re.compile(r"""(?<=\S)\s+["']\s*,|,\s*f?["']\s+(?=\S)""")


def output_lines(output: str) -> list[str]:
    """The lines of an output without white space at their ends, and without empty lines at its end."""
    return [line.rstrip() for line in output.rstrip().split("\n")] if output.rstrip() else []


def cut_output(text: str) -> str:
    """The text, or its beginning, without the addresses of objects."""
    text = _ADDRESS.sub("", text)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def compare_output(begin: str, printed: list[str], expected: list[str]) -> str:
    """A sentence with the printed output and the expected one; of several lines, the first that differs.

    Args:
        begin: of the sentence, such as "With n = 2, your".
    """
    if len(printed) <= 1 and len(expected) <= 1:
        shown, wanted = (cut_output("\n".join(lines)) or "nothing" for lines in (printed, expected))
        return f"{begin} program printed {shown}; it should print {wanted}."
    line = next((at for at, (one, other) in enumerate(zip(printed, expected, strict=False)) if one != other), None)
    if line is not None:
        return (
            f"Line {line + 1} of the output differs. {begin} program printed "
            f"{cut_output(printed[line]) or 'an empty line'}; it should print "
            f"{cut_output(expected[line]) or 'an empty line'}."
        )
    fewer = (
        f"the next one should be {cut_output(expected[len(printed)])}" if len(printed) < len(expected) else "no more"
    )
    return f"{begin} program printed {_count(printed)}; it should print {_count(expected)}, {fewer}."


def compare_recorded(begin: str, value: str, expected: str, *, in_loop: bool) -> str:
    """A sentence with the numbers that a program printed, kept as a list, and those that it should have.

    Args:
        in_loop: whether a `print` of the program stands in a loop.
    """
    printed, wanted = (text.strip("[]") for text in (value, expected))
    if in_loop and printed != wanted and printed.endswith(f", {wanted}"):
        return f"{begin} program prints in every round: {cut_output(printed)}. Print once, behind the loop."
    return f"{begin} program printed {cut_output(printed) or 'no number'}; it should print {cut_output(wanted)}."


def near_miss(program: str, printed: list[str], expected: list[str]) -> str:
    """A sentence on a difference that is easily overlooked, of spaces, capitals, signs or lines; empty for others."""
    if not printed or not expected:
        return ""
    one, other = "\n".join(printed), "\n".join(expected)
    if printed != expected and _SPACE.sub(" ", one) == _SPACE.sub(" ", other) and len(printed) != len(expected):
        if len(printed) < len(expected):
            return "The values are right, and each stands on a line of its own: one `print` for each."
        return "The values are right, and they stand on one line: one `print` with commas between them."
    if len(expected) == 1 and printed[-1:] == expected:
        return "The last line is right: the `print` before it runs too often, as in a loop, and shows every step."
    pairs = zip(printed, expected, strict=False)
    shown, wanted = next(((mine, right) for mine, right in pairs if mine != right), ("", ""))
    if not shown or not wanted:
        return ""
    if re.search(rf"(?:\A|\s){re.escape(wanted)}(?=\s|\Z)", shown) and not _DIGIT.search(shown.replace(wanted, "", 1)):
        return "The value is right, and only the words beside it are too much."
    if _SPACE.sub("", shown) == _SPACE.sub("", wanted):
        return _miss_of_spaces(program, shown, wanted)
    if shown.casefold() == wanted.casefold():
        return _miss_of_capitals(shown, wanted)
    if _SIGN.sub("", shown) == _SIGN.sub("", wanted):
        return _miss_of_signs(shown, wanted)
    return ""


def _miss_of_spaces(program: str, shown: str, wanted: str) -> str:
    difference = shown.count(" ") - wanted.count(" ")
    if difference > 0 and _SPACE_BY_COMMA.search(program):
        return "There is a space too many: the comma in `print` already puts a space."
    many = "a space is" if abs(difference) == 1 else "spaces are"
    if difference > 0:
        return f"Only {many} too many: all else is right."
    return f"Only {many} missing: all else is right." if difference else "Only the spaces differ: all else is right."


def _miss_of_capitals(shown: str, wanted: str) -> str:
    mine, right = next((one, other) for one, other in zip(shown.split(), wanted.split(), strict=True) if one != other)
    letter = next(other for one, other in zip(mine, right, strict=False) if one != other)
    size = "capital" if letter.isupper() else "small"
    return f"Only capital letters differ: `{right.strip(string.punctuation)}` is written with a {size} {letter}."


def _miss_of_signs(shown: str, wanted: str) -> str:
    mine, right = _SIGN.findall(shown), _SIGN.findall(wanted)
    lacking = next((sign for sign in right if right.count(sign) > mine.count(sign)), "")
    extra = next((sign for sign in mine if mine.count(sign) > right.count(sign)), "")
    if lacking and extra:
        return f"Only a sign differs: there is {extra} where {lacking} should be."
    if extra:
        return f"Only a sign differs: {extra} is too many."
    return f"Only a sign differs: {lacking} is missing." if lacking else "Only the place of a sign differs."


def _count(lines: list[str]) -> str:
    return {0: "nothing", 1: "1 line"}.get(len(lines), f"{len(lines)} lines")
