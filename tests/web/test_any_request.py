"""Whatever is asked, no answer is the server's fault: requests drawn from the OpenAPI document, in short.

`make faults ARGS=requests` plays the long form, 10,000 of them.
"""

from faults.http.random_requests import send_random_requests
from sprout.web.routes import ENDPOINTS

COUNT = 200
NEED_AN_ACCOUNT = ("Accounts", "Classes")


async def test_B5_no_request_gets_a_5xx_another_shape_or_what_is_another_learners() -> None:
    outcome = await send_random_requests(COUNT, seed=20_26, cases=2)
    assert outcome.faults == []
    assert outcome.log_errors == []
    assert outcome.broken == 0
    assert outcome.requests == COUNT
    assert outcome.foreign > COUNT / 20, "somebody else's ids are among those that are asked for"
    for_one_learner = [endpoint for endpoint in ENDPOINTS if endpoint.tag not in NEED_AN_ACCOUNT]
    assert len(outcome.by_operation) > len(for_one_learner) / 2, "most are reached with a request that is good"
