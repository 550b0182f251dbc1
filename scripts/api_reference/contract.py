"""Operations of the stable wire contract that other clients rely on; everything else may grow and change."""

OPERATIONS = frozenset(
    """
    get_api_health
    get_api_branches post_api_branches get_api_branches_id patch_api_branches_id delete_api_branches_id
    get_api_nodes post_api_nodes get_api_nodes_id patch_api_nodes_id delete_api_nodes_id
    get_api_nodes_id_children get_api_nodes_id_dependency_edges
    post_api_nodes_id_generate_concepts post_api_nodes_id_generate_subconcepts
    get_api_nodes_id_contents get_api_nodes_id_contents_active post_api_nodes_id_contents
    get_api_nodes_id_generations post_api_nodes_id_generations
    post_api_nodes_id_documents get_api_nodes_id_documents delete_api_nodes_id_documents_document_id
    get_api_assessments post_api_assessments get_api_assessments_id patch_api_assessments_id
    get_api_assessments_id_questions post_api_assessments_id_questions
    get_api_assessments_id_answers post_api_assessments_id_answers
    get_api_progress post_api_progress patch_api_progress_id
    get_api_chat_sessions post_api_chat_sessions patch_api_chat_sessions_id
    get_api_chat_sessions_id_messages post_api_chat_sessions_id_messages
    get_api_chat_hints post_api_chat_hints post_api_chat_sessions_id_tutor
    get_api_agents_concepts_id_diagnostic post_api_agents_nodes_id_review
    post_api_agents_topics_id_run post_api_agents_concepts_id_run
    """.split()
)

EVENTS = {
    "agent_start": "agent",
    "agent_reasoning": "agent, text",
    "tool_call": "agent, tool, input",
    "tool_result": "agent, tool, summary",
    "node_created": "node",
    "edge_created": "edge",
    "node_removed": "nodeId",
    "edge_removed": "sourceNodeId, targetNodeId",
    "diagnostic_status": "conceptNodeId, assessment, answeredCount, requiredAnswers",
    "agent_done": "agent, conceptCount, rationale",
    "agent_error": "agent, message",
}
