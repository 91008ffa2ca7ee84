"""Vocabulary every part shares: standard library only, no I/O."""
