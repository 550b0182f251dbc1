"""Data files: what a user names, read with errors that say where it is broken."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from sprout.errors import BadInput, SetupError
from sprout.learning.text.normalization import one_line
from sprout.yaml_loader import check_plain_yaml, load_yaml

MAX_FIELD = 1024 * 1024
Shape = TypeVar("Shape")
ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")  # the last reads anything; old sets were written on Windows


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises SetupError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}") from None


def read_text(path: Path) -> str:
    """The text of a file in one of the encodings that such sets come in. Raises SetupError."""
    return decode(read_bytes(path))


def decode(content: bytes) -> str:
    for encoding in ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 reads anything")


def sample_text(name: str) -> str:
    """The text of a sample that is shipped with Sprout."""
    return files("sprout.evaluation.samples").joinpath(name).read_text(encoding="utf-8")


def parse_yaml(text: str, path: Path, shape: TypeAdapter[Shape]) -> Shape:
    """The values of a YAML text in their shape. Raises BadInput, which names the place at fault."""
    try:
        check_plain_yaml(text)
        return shape.validate_python(load_yaml(text))
    except yaml.YAMLError as error:
        raise BadInput(f"{path} is no YAML: {one_line(str(error))}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}, {'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}") from None


def digest(*texts: str) -> str:
    """A hash of the data of a suite."""
    found = sha256()
    for text in texts:
        found.update(f"{len(text)}:".encode() + text.encode(errors="surrogatepass"))
    return found.hexdigest()


def table_rows(
    path: Path, text: str, columns: Iterable[str], *, delimiter: str = ",", quoted: bool = True
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a table with a heading, each with its line. Raises BadInput, which names the line at fault.

    Args:
        columns: that must be there; a row must have them all.
    """
    csv.field_size_limit(MAX_FIELD)
    reader = csv.DictReader(
        StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=quoted,
    )
    wanted = tuple(columns)
    try:
        present = [name.strip() for name in reader.fieldnames or ()]
        reader.fieldnames = present
        if missing := [name for name in wanted if name not in present]:
            raise BadInput(
                f"{path} has no column {', '.join(map(repr, missing))}; it has: {', '.join(present) or 'none'}"
            )
        for row in reader:
            if lacking := [name for name in wanted if row.get(name) is None]:
                raise BadInput(f"{path}, line {reader.line_num}: the value of {lacking[0]!r} is missing")
            yield reader.line_num, row
    except csv.Error as error:
        raise BadInput(f"{path}, line {reader.line_num}: {error}") from None


def as_number(path: Path, line: int, column: str, text: str) -> float:
    """A number in a table. Raises BadInput."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value != value or value in (float("inf"), float("-inf")):
        raise BadInput(f"{path}, line {line}: {column!r} is {text[:40]!r}, which is no number")
    return value


def require(found: Sequence[object], path: Path, what: str) -> None:
    """Raises BadInput: nothing was found."""
    if not found:
        raise BadInput(f"{path} holds no {what}")
