"""Conversations in the browser: what was said, what happens now, and who is asked."""
