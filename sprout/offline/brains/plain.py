"""What the offline model says where no agent's tools are on offer: a plain answer, or a shorter form of a long text."""

from sprout.offline.brains.conversation import Conversation
from sprout.offline.notes.reading import sentences_of
from sprout.offline.reply import Reply, TextOut

LONG_CHARACTERS = 2_000
SENTENCES_KEPT = 8
SENTENCE_CHARACTERS = 300
HONEST = (
    "I am Sprout's offline demo model. I can build a path from notes that you upload, or play one of a few courses "
    "that are built in; for anything else, connect a real model in the settings."
)


def speak_plainly(conversation: Conversation) -> Reply:
    """An honest line; of a text too long to be a question, its sentences at even distances, as a summary."""
    text = conversation.last_text
    if len(text) < LONG_CHARACTERS:
        return Reply([TextOut(HONEST)])
    sentences = [sentence[:SENTENCE_CHARACTERS] for sentence in sentences_of(" ".join(text.split()))]
    step = max(1, len(sentences) // SENTENCES_KEPT)
    return Reply([TextOut(" ".join(sentences[::step][:SENTENCES_KEPT]))])
