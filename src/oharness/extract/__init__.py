"""From a conversation to checked notes: pure decisions around one call of the small model."""
