"""Licences of packages from their own metadata, and the list of licences allowed for dependencies."""

import re
from importlib.metadata import Distribution

# Distributors of Sprout only have to keep the notices of these; MPL-2.0 binds changed files of its own alone.
ALLOWED = frozenset(
    "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CNRI-Python ISC MIT MIT-0 MIT-CMU MPL-2.0 OFL-1.1 PSF-2.0".split()
)
# By package: the licence that it is taken with all the same, and why that is fine.
EXCEPTIONS = {
    "anki": (
        "AGPL-3.0-or-later",
        "for tests alone: it opens the decks that Sprout writes, and no part of it is passed on",
    ),
    "frozendict": (
        "LGPL-3.0-only",
        "of genanki, imported unchanged from a package of its own that anybody can exchange",
    ),
    "orjson": ("MPL-2.0 AND (Apache-2.0 OR MIT)", "of anki, for tests alone; each part is allowed by itself"),
    "pysocks": ("BSD", "of anki, for tests alone; its licence file is the 3-clause BSD License"),
    "psycopg": ("LGPL-3.0-only", "an extra, imported unchanged from a package of its own that anybody can exchange"),
    "pypdfium2": (
        "BSD-3-Clause, Apache-2.0, dependency licenses",
        "PDFium and its libraries (FreeType, libjpeg-turbo, libtiff, …) only ask for their notices, which it has",
    ),
    "promql-parser": ("unknown", "for tests alone; its licence file is the MIT License"),
    "psycopg-binary": ("LGPL-3.0-only", "the compiled half of psycopg, taken in the same way"),
    "psycopg-pool": ("LGPL-3.0-only", "the connection pool of psycopg, taken in the same way"),
}
# What packages without an SPDX expression say instead.
SPDX_NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}
UNKNOWN = "unknown"


def licence_of(package: Distribution) -> str:
    """An SPDX expression, or the words of the package where they say nothing that is known; `unknown` without any.

    Of several classifiers each has to be kept: whether one may choose, they do not say.
    """
    about = package.metadata.json
    if expression := about.get("license_expression"):
        return str(expression)
    classifiers = [each for each in about.get("classifier", ()) if each.startswith("License :: OSI Approved :: ")]
    if classifiers:
        return " AND ".join(sorted(SPDX_NAMES.get(each, each) for each in classifiers))
    first_line = str(about.get("license") or UNKNOWN).strip().splitlines()[0].strip()
    return "MIT" if first_line == "MIT License" else SPDX_NAMES.get(first_line, first_line)


def is_allowed(name: str, licence: str) -> bool:
    """Return True if a package may be a dependency: one alternative of its licence is allowed in all parts."""
    if EXCEPTIONS.get(name, ("", ""))[0] == licence:
        return True
    alternatives = re.split(r" OR ", licence)
    return any(all(part in ALLOWED for part in alternative.split(" AND ")) for alternative in alternatives)
