"""Helpers for our own tests and for those of plugin authors; nothing of the product imports them."""
