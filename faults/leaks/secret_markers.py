"""Courses in which every secret text has a word that stands nowhere else, so that a leak shows in any byte."""

import asyncio
import json
import os
import re
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import yaml

from faults.leaks.decodings import decodings
from harness.free_port import free_port
from harness.servers.server_process import END_S, ROOT, START_S, NotServing
from sprout.learning.structure.sentences import sentences_of
from sprout.learning.text.normalization import one_line
from sprout.offline.demo.tutor.content.from_course import gap_prompt

LETTERS = 5
WORD = re.compile(rf"zq[a-z]{{{LETTERS}}}qz", re.IGNORECASE)
_WITH_BLANK = re.compile(rf" ?{WORD.pattern}", re.IGNORECASE)
IN_BYTES = re.compile(WORD.pattern.encode(), re.IGNORECASE)
_LAST_SIGNS = re.compile(r"[\s.!?…”\"'’)]*\Z")
_FENCE = "```"
_MODEL = """
import os, sys, threading
from sprout.cli import main

def until_nobody_listens():
    sys.stdin.read()
    os._exit(0)

threading.Thread(target=until_nobody_listens, daemon=True).start()
sys.exit(main())
"""


def without_markers(text: str) -> str:
    """The text as its author wrote it."""
    return _WITH_BLANK.sub("", text)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Location of the text that contains a marker word.

    Args:
        prompts: of the questions that the text belongs to, each on one line; for an agent's prompt, its name.
        source: "answer", "criterion", "misconception", "help 1" to "help 4", "because", "solution" or, for an
            agent's prompt, "prompt".
    """

    prompts: tuple[str, ...]
    source: str


class SecretMarkers:
    """Words that stand nowhere else, each with the text that it was put into.

    A misconception that several questions can show has one word, as it is known by its text.
    """

    def __init__(self) -> None:
        self.hidden: dict[str, MarkedText] = {}
        self._numbers = count()
        self._misconceptions: dict[str, str] = {}

    def mark_text(self, text: str, hidden: MarkedText) -> str:
        """The text with one new word in each of its sentences; code has it in a comment."""
        word = self._misconception_marker(text, hidden) if hidden.source == "misconception" else self.new_marker(hidden)
        if _FENCE in text:
            return f"{text.rstrip()}\n\n{word}"
        sentences = [*sentences_of(text)]
        if "\n" in text or not sentences:
            return f"{text.rstrip()}\n# {word}"
        return " ".join(_LAST_SIGNS.sub(lambda end: f" {word}{end[0]}", each, count=1) for each in sentences)

    def find_in(self, raw: bytes) -> list[MarkedText]:
        """The secret texts of which the bytes tell something, plainly or in any disguise."""
        words = {found.decode().lower() for reading in decodings(raw) for found in IN_BYTES.findall(reading)}
        return [self.hidden[word] for word in words if word in self.hidden]

    def _misconception_marker(self, text: str, hidden: MarkedText) -> str:
        """The word of this misconception, which is now one of these questions too."""
        known = self._misconceptions.get(text)
        if known is None:
            self._misconceptions[text] = self.new_marker(hidden)
            return self._misconceptions[text]
        self.hidden[known] = replace(hidden, prompts=self.hidden[known].prompts + hidden.prompts)
        return known

    def new_marker(self, hidden: MarkedText) -> str:
        """A new word for this text."""
        number, letters = next(self._numbers), ""
        for _ in range(LETTERS):
            number, at = divmod(number, len(ascii_lowercase))
            letters += ascii_lowercase[at]
        word = f"zq{letters}qz"
        self.hidden[word] = hidden
        return word


def mark_package(folder: Path) -> SecretMarkers:
    """Copy Sprout into the folder, and put a word into every secret text of its courses there."""
    shutil.copytree(ROOT / "sprout", folder / "sprout")
    canaries = SecretMarkers()
    offline = folder / "sprout" / "offline"
    for file in sorted((offline / "courses").glob("*.yaml")):
        course = _read(file)
        for question in _items(course):
            _mark_question(question, canaries)
        _write(file, course)
    for file in sorted((offline / "courses").glob("*/[0-9]*.yaml")):
        written = _read(file)
        for lesson in written:
            _mark_lesson(lesson, canaries)
        _write(file, written)
    nothing = offline / "demo" / "tutor" / "content" / "study_skills.yaml"
    lesson = _read(nothing)
    _mark_lesson(lesson, canaries)
    _write(nothing, lesson)
    return canaries


def mark_prompts(folder: Path, canaries: SecretMarkers) -> None:
    """Insert a marker word into every prompt of the copied agents in this folder."""
    prompts = sorted((folder / "sprout" / "agents").rglob("*.md"))
    if not prompts:
        raise FileNotFoundError("no prompts below sprout/agents: nothing would be marked")
    for file in prompts:
        word = canaries.new_marker(MarkedText((file.stem,), "prompt"))
        file.write_text(f"{file.read_text(encoding='utf-8').rstrip()} {word}\n", encoding="utf-8")


@asynccontextmanager
async def serve_marked_model(folder: Path) -> AsyncIterator[str]:
    """The base URL of the offline model that teaches the courses of this copy, in a process of its own."""
    port = free_port()
    environment = {"PATH": os.defpath, "PYTHONPATH": str(folder), "PYTHONUTF8": "1", "HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _MODEL, "model-server", "--port", str(port)),
        cwd=folder,
        env=environment,
        stdin=PIPE,  # closes with us, whatever ends us
        stdout=PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            line = (await process.stdout.readline()).decode()
        if not line.startswith("The offline demo model is at "):
            raise NotServing("the model did not come up")
        yield line.split()[-1]
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(END_S):
            await process.wait()


def _items(course: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for concept in course["concepts"]:
        yield from concept["items"]


def _mark_lesson(lesson: dict[str, Any], canaries: SecretMarkers) -> None:
    if gap := lesson.get("gap"):
        prompt = one_line(gap_prompt(gap["case"]))
        for part, source in (("help", "help 1"), ("because", "because")):
            gap[part] = canaries.mark_text(gap[part], MarkedText((prompt,), source))
    for step in lesson["steps"]:
        _mark_question(step["asks"], canaries)
        _mark_question(step["again"], canaries)


def _mark_question(question: dict[str, Any], canaries: SecretMarkers) -> None:
    """Mark all that a learner may not read yet; options and numbers have no room for a word."""
    prompt = one_line(question["prompt"])

    def mark(holder: dict[Any, Any], key: Any, part: str) -> None:
        if holder.get(key):
            holder[key] = canaries.mark_text(holder[key], MarkedText((prompt,), part))

    runs = question.get("program_tests") or question.get("tests", ())
    programs = [one for one in runs if isinstance(one, dict)]  # else titles of what it tests
    if question.get("criteria") or programs:
        mark(question, "answer", "answer")
        question["anchors"] = [
            canaries.mark_text(text, MarkedText((prompt,), "answer")) for text in question.get("anchors", ())
        ]
        if not question["anchors"]:
            del question["anchors"]
        mark(question, "partial", "answer")
    for criterion in question.get("criteria", ()):
        mark(criterion, "statement", "criterion")
        mark(criterion, "partly_if", "criterion")
        mark(criterion, "misconception", "misconception")
    for holder in (*question.get("wrong", ()), *programs):
        mark(holder, "misconception", "misconception")
    for value in question.get("diagnostic_values", {}):
        mark(question["diagnostic_values"], value, "misconception")
    for level, text in enumerate(question.get("help", ()), start=1):
        question["help"][level - 1] = canaries.mark_text(text, MarkedText((prompt,), f"help {level}"))
    for part in ("because", "solution"):
        mark(question, part, part)


def _read(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _write(file: Path, written: Any) -> None:
    """As JSON, which is YAML too, and in which any title can stand."""
    file.write_text(json.dumps(written, ensure_ascii=False, default=str), encoding="utf-8")
