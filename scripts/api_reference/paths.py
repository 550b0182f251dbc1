"""Folders of the API reference."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "api.md"
PAGES = ROOT / "docs" / "api"
EXAMPLES = PAGES / "examples.yaml"
ANSWERS = PAGES / "answers.json"
