"""Files that ask to be connected somewhere."""

from harness.documents.office_files import changed, slides_file, word_file
from harness.documents.pdf_files import printed
from sprout.documents.file_types import FileType

RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def related(content: bytes, part: str, url: str) -> bytes:
    """The file with relations to an address, of every kind that an office program would follow."""
    kinds = ("attachedTemplate", "image", "oleObject", "frame", "hyperlink", "subDocument")
    relations = "".join(
        f'<Relationship Id="x{kind}" Type="{RELATION}/{kind}" Target="{url}/{kind}" TargetMode="External"/>'
        for kind in kinds
    )
    return changed(
        content, {part: lambda data: data.replace(b"</Relationships>", f"{relations}</Relationships>".encode())}
    )


def phoning_home_files(url: str) -> dict[FileType, bytes]:
    """A file of each kind that can refer to an address, referring to this one."""
    page = (
        f'<!doctype html SYSTEM "{url}/dtd"><base href="{url}/"><link rel=stylesheet href="{url}/a.css">'
        f'<script src="{url}/a.js"></script><img src="{url}/a.png"><iframe src="{url}/a"></iframe>'
        f'<object data="{url}/b"></object><style>@import "{url}/b.css"</style><p>Heat.'
    )
    action = b"/OpenAction << /S /URI /URI (%s/pdf) >>" % url.encode()
    return {
        FileType.HTML: page.encode(),
        FileType.PDF: printed([["Heat is energy."]], catalog=action),
        FileType.DOCX: related(word_file(), "word/_rels/document.xml.rels", url),
        FileType.PPTX: related(slides_file(), "ppt/slides/_rels/slide1.xml.rels", url),
    }
