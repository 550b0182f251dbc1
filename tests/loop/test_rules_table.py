"""Every numbered rule of the loop, and every trap of its part of the list, has a test that is named after it."""

import re
from pathlib import Path

import pytest

RULES = """
L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 L14 L15
E1 E2 E3 E4
T1 T2 T3 T4 T5 T6 T8 T9
D1 D2 D3 D4
C1 C2 C3 C4 C5 C6 C7 C8 C9
S1 S2
H1 H2 H3
J1 J2 J3 J4
""".split()
TRAPS = [*range(13, 51), 54, 55, 60, 61, 63, 64]
NAMES = [
    name
    for path in sorted(Path(__file__).parent.rglob("test_*.py"))
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_a_test_named_after_it(rule: str) -> None:
    assert [name for name in NAMES if name.startswith(f"test_{rule}_")]


@pytest.mark.parametrize("trap", TRAPS)
def test_each_trap_has_a_test_named_after_it(trap: int) -> None:
    assert [name for name in NAMES if re.match(rf"test_(\w+_)?{trap}_", name)]


def test_the_page_on_the_sources_of_the_loop_cites_tests_that_exist() -> None:
    tests = Path(__file__).parent.parent
    page = (tests.parent / "docs" / "loop-sources.md").read_text(encoding="utf-8")
    names = " ".join(path.read_text(encoding="utf-8") for path in tests.rglob("test_*.py"))
    cited = set(re.findall(r"`(test_\w+)`", page))
    assert len(cited) > 80
    assert [name for name in sorted(cited) if f"def {name}" not in names] == []


def test_the_page_on_the_sources_of_the_loop_cites_modules_that_exist() -> None:
    root = Path(__file__).parent.parent.parent
    page = (root / "docs" / "loop-sources.md").read_text(encoding="utf-8")
    cited = set(re.findall(r"`([a-z_]+(?:/[\w.]*)+|[a-z_]+\.py)`", page)) - {"tests/", "sprout/"}
    assert [name for name in sorted(cited) if not (root / "sprout" / name).exists()] == []
