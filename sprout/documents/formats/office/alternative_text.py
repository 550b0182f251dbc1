"""Alternative text of pictures in office files, where a person wrote it."""

import re

_GENERATED = re.compile(
    r"automati\w* (?:generiert|generated|générée?|generad[ao])|generated automatically|généré automatiquement|"
    r"^(?:a|an|ein|eine) (?:picture|image|screenshot|bild) containing|^(?:image result for|bildergebnis für)|"
    r"^ein bild, das .* enthält|^(?:une )?image contenant|^(?:imagen|interfaz) que contiene",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\S+\.(?:png|jpe?g|gif|bmp|svg|emf|wmf|tiff?|webp)|(?:https?:|file:|[a-z]:\\|/)\S.*", re.IGNORECASE
)
_OBJECT_NAME = re.compile(
    r"(?:picture|image|bild|grafik|imagen|graphic|shape|object|diagram|chart|logo|content placeholder|"
    r"inhaltsplatzhalter|рисунок|obraz|immagine|afbeelding|图片)\s*\d*",
    re.IGNORECASE,
)


def written_description(text: str | None) -> str:
    """The description; empty where a program made it, or where it is only a name."""
    found = " ".join((text or "").split())
    made = _GENERATED.search(found) or _FILE_NAME.fullmatch(found) or _OBJECT_NAME.fullmatch(found)
    return "" if made else found
