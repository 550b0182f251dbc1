"""Subcommands of the command line, and the values that their options take."""

import argparse
from collections.abc import Callable
from typing import Any

Command = Callable[[argparse.Namespace], int]


def add_command(commands: Any, name: str, command: Command, summary: str) -> argparse.ArgumentParser:
    """Add a command with a summary, which begins in small letters."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    parser.set_defaults(command=command)
    return parser


def port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: give a number from 0 to 65535")
    return int(text)


def pace(text: str) -> float:
    return _number(text, "a pace: give tokens per second, above 0", at_least=None)


def dollars(text: str) -> float:
    return _number(text, "an amount: give dollars, such as 2.50", at_least=0.0)


def topic(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("say what you want to learn")
    return text.strip()


def _number(text: str, wanted: str, *, at_least: float | None) -> float:
    """A finite number, above 0 where no least one is given."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    fits = value > 0 if at_least is None else value >= at_least
    if not fits or value == float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return value
