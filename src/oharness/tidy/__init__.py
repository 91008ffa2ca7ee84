"""Findings and merge plans, without a model: pure decisions."""
