"""Offline model without tools: a plain answer, or a shorter form of a long text."""

from sprout.learning.structure.sentences import sentences_of
from sprout.offline.demo.conversation import Conversation
from sprout.offline.reply import Reply, TextOut

LONG_CHARACTERS = 2_000
SUMMARY_SENTENCES = 8
SENTENCE_CHARACTERS = 300
OFFLINE_NOTICE = (
    "I am Sprout's offline demo model. I can build a path from notes that you upload, or play one of a few courses "
    "that are built in; for anything else, connect a real model in the settings."
)


def reply_plainly(conversation: Conversation) -> Reply:
    """An honest line; of a text too long to be a question, its sentences at even distances, as a summary."""
    text = conversation.last_text
    if len(text) < LONG_CHARACTERS:
        return Reply([TextOut(OFFLINE_NOTICE)])
    sentences = [sentence[:SENTENCE_CHARACTERS] for sentence in sentences_of(" ".join(text.split()))]
    step = max(1, len(sentences) // SUMMARY_SENTENCES)
    return Reply([TextOut(" ".join(sentences[::step][:SUMMARY_SENTENCES]))])
