"""Scope of a concept: what the lesson on it reads is what the path has put into it."""

from collections import Counter

import pytest

from sprout.learning.structure.plain_view import text_of
from sprout.learning.structure.tree import Block
from sprout.offline.notes.document import documents_of_passages, read_document
from sprout.offline.notes.outline import stretches_of
from sprout.offline.notes.path import code_of, path_from_notes
from sprout.offline.notes.scope import own_parts
from tests.offline.notes.reading import FILES, passages_for
from tests.offline.sdk_client import NOTES

SAID = {
    thing: f"The {thing} moves water to the tank, and a man of the village minds the {thing} for a day. " * 16
    for thing in ("pump", "wheel", "dam", "canal")
}
SHORT = {thing: said[:180] for thing, said in SAID.items()}
OIL = "{n} промышленность росла быстро, и города страны кормились от добычи {n}. "
WAR = "{n} началась война на границе страны, и солдаты воевали за города {n} долгих лет. "
NOTATIONS = {
    "text before the first heading": f"{SHORT['pump']}\n\n# Wheels\n\n{SHORT['wheel']}\n\n# Dams\n\n{SAID['dam']}",
    "Turkish capitals": f"# TARİHİ IŞIK\n\n{SAID['pump']}\n\n# Sulama işleri\n\n{SAID['wheel']} tarihi ışık\n",
    "slides go on": f"# Dams\n\n{SAID['dam']}\n\n# Wheels\n\n{SAID['wheel']}\n\n# Wheels (cont’d)\n\n{SAID['pump']}",
    "slides that only go on": f"# Wheels\n\n{SAID['wheel']}\n\n# Cont.\n\n{SAID['pump']}\n\n# Dams\n\n{SAID['dam']}",
    "days": "".join(f"# 1{n}/9/17\n\n{said * 3}\n\n" for n, said in enumerate(SAID.values())),
    "a title that its slide says again": f"# Errors\n\n- Errors\n  - {SAID['pump']}\n\n# Dams\n\n{SAID['dam']}",
    "what is called something": f"# Errors\n\n- It is called a fault\n  - {SHORT['pump']}\n  - {SHORT['dam']}\n",
    "no headings": "\n\n".join((OIL if n < 5 else WAR).format(n="АБВГДЕЖЗИ"[n] * 3) * 7 for n in range(9)),
    "no headings before the first": "\n\n".join(
        [*((OIL if n < 5 else WAR).format(n="АБВГДЕЖЗИ"[n] * 3) * 7 for n in range(9)), f"# Wheels\n\n{SAID['wheel']}"]
    ),
}


def words(blocks: list[Block]) -> Counter[str]:
    return Counter(word for block in blocks for word in text_of(block).split())


@pytest.mark.parametrize("name", [*FILES, *NOTATIONS])
def test_the_lesson_on_a_concept_reads_all_that_its_path_has_put_into_it(name: str) -> None:
    text = NOTATIONS.get(name) or (NOTES / name).read_text()
    document = read_document(text)
    stretches = stretches_of([document], code_of([document]), most=10)
    path = path_from_notes([text], least=6, most=10)
    assert path is not None
    for stretch, node in zip(stretches, path.nodes, strict=True):
        documents = documents_of_passages(passages_for(name, text, node), desc=node.desc)
        parts = own_parts(documents, title=node.title, desc=node.desc, code=code_of(documents, node.desc))
        read = words([block for part in parts for block in part.all_blocks])
        assert read == words([*stretch.blocks]), node
