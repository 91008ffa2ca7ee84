"""The client side of sync: one pass for one directory, and what it needs."""
