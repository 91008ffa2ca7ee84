"""Plugin host, permissions, sessions and the agent loop; knows nothing of memory."""
