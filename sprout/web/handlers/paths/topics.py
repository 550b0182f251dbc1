"""Topics: whether a path can be made of one, asked before anything is made."""

from starlette.responses import Response

from sprout.learning.paths.topic_coverage import TopicCoverage
from sprout.web.http.endpoint import Call, json_response
from sprout.web.schemas.requests import NoFields, TopicCheck
from sprout.web.schemas.responses import CheckedTopic, CourseRow


async def check_topic(call: Call[TopicCoverage, NoFields, TopicCheck]) -> Response:
    """200 if the model can make a path of the topic without notes, else 422 with what to do instead."""
    course = call.dependencies.course_on(call.body.title)
    offered = None if course is None else CourseRow.of(course)
    return json_response(CheckedTopic(title=call.body.title, course=offered))
