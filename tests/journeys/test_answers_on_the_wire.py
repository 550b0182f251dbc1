"""A course is learned in a browser while every byte that the server sends or logs is looked through (faults.md I-8)."""

from playwright.async_api import Browser

from faults.answers import listened

MIB = 1024 * 1024


async def test_I8_no_byte_of_the_wire_or_the_log_tells_an_answer_a_rubric_or_a_prompt_before_its_time(
    browser: Browser,
) -> None:
    heard = await listened(browser)
    assert heard.leaks == []
    assert heard.told_in_time > 0, "not even what may be told was heard: nothing was listened to"
    assert heard.words > 1_000
    assert heard.addresses > 200
    assert heard.wire_bytes > MIB
    assert heard.log_bytes > 0
