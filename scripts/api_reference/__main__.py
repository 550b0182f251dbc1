"""`python -m scripts.api_reference [record]`: write the pages, after playing the story anew where that is asked for."""

import argparse
import asyncio
import json
import sys
import tempfile
from contextlib import aclosing
from pathlib import Path

from scripts.api_reference.answer_shapes import printable_answer
from scripts.api_reference.examples import InvalidExample, check_complete, load_answers, load_story, matches_path
from scripts.api_reference.pages import operations, render_reference
from scripts.api_reference.paths import ANSWERS, ROOT
from scripts.api_reference.story_player import StoryFailed, play_story
from sprout.web.reference.openapi import openapi_document
from sprout.web.routes import ENDPOINTS


def main() -> int:
    """The exit code: 1 where an example is missing or the story broke."""
    parser = argparse.ArgumentParser(prog="python -m scripts.api_reference", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("write", "record"), default="write")
    what = parser.parse_args().what
    document = openapi_document(ENDPOINTS, "")
    try:
        steps = load_story()
        check_complete(document, steps)
        if what == "record":
            recorded = asyncio.run(_record_answers())
            ANSWERS.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pages = render_reference(document, steps, load_answers())
    except (InvalidExample, StoryFailed) as error:
        print(error)
        return 1
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(pages[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


async def _record_answers() -> dict[str, dict[str, str]]:
    """Record the shortened response of each example. Raises StoryFailed."""
    document = openapi_document(ENDPOINTS, "")
    where = {one.id: one for one in operations(document)}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        async with aclosing(play_story(load_story(), Path(folder))) as heard_of:
            async for example, heard in heard_of:
                operation = where[example.operation]
                fits = heard.method == operation.method and matches_path(operation.path, heard.url)
                if heard.status != example.status or heard.complaints or not fits:
                    text = heard.body.decode(errors="replace")[:500]
                    raise StoryFailed(
                        f"{example.key}: {heard.status} {heard.method} {heard.url} {heard.complaints}\n{text}"
                    )
                text = printable_answer(example.operation, heard.media, heard.body)
                found[example.key] = {"media": heard.media, "text": text}
    return found


if __name__ == "__main__":
    sys.exit(main())
