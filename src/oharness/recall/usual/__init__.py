"""How usual words are in talk of any kind, before any note is known; one module for each language."""
