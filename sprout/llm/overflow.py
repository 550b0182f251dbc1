"""Words with which servers say that a prompt is too long, and the window that they name."""

import re

MAX_WINDOW = 100_000_000
NUMBER = r"(\d[\d,]*)"

# Anthropic, llama.cpp, vLLM, LM Studio, Ollama, LiteLLM and servers that speak as OpenAI's does.
TOO_LONG = re.compile(
    r"prompt is too long|exceed\w*[ _](?:the )?(?:\w+ ){0,2}context|context[ _](?:size|length|window)[ _]?exceeded"
    r"|maximum context (?:length|window)|longer than the maximum model length|too long to fit into the model"
    r"|greater than the context length|context length of|input length exceeds|contextwindowexceeded"
    r"|cannot truncate prompt|input prompt .{1,40} too long",
    re.IGNORECASE,
)
WINDOWS = tuple(
    re.compile(words.format(number=NUMBER), re.IGNORECASE)
    for words in (
        r"> {number} maximum",
        r"n_ctx\W{{1,4}}{number}",
        r"context size \({number}",
        r"context (?:length|window|size) (?:is|of)(?: only)? {number}",
        r"exceeds limit of {number}",
        r"\(context length {number}\)",
        r"maximum model length of {number}",
    )
)


def says_too_long(words: str) -> bool:
    """Whether a server's words mean that the prompt, or prompt and reply together, are longer than its window."""
    return TOO_LONG.search(words) is not None


def named_window(words: str) -> int | None:
    """The window in tokens that such words name; None where they name none."""
    for pattern in WINDOWS:
        if found := pattern.search(words):
            window = int(found[1].replace(",", "")[:12] or 0)
            return window if 0 < window <= MAX_WINDOW else None
    return None
