"""A log of what tools were called, by which permission, and how it ended."""
