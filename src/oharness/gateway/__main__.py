"""Puts the gateway together from its settings and runs it."""
