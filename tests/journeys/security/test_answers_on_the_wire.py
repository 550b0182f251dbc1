"""A course is learned in a browser while every byte that the server sends or logs is looked through (faults.md I-8)."""

from playwright.async_api import Browser

from faults.learners.answer_leaks import listen_to_course

FEW = 3
MIB = 1024 * 1024


async def test_I8_no_byte_of_the_wire_or_the_log_tells_an_answer_a_rubric_or_a_prompt_before_its_time(
    browser: Browser,
) -> None:
    """Of each kind of nodes few are read one by one; `python -m faults answers` reads more."""
    heard = await listen_to_course(browser, few=FEW)
    assert heard.leaks == []
    assert heard.revealed_in_time > 0, "not even what may be told was heard: nothing was listened to"
    assert heard.words > 1_000
    assert heard.addresses > 200
    assert heard.wire_bytes > MIB
    assert heard.log_bytes > 0
