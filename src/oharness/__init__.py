"""oHarness: the memory of an AI agent harness. Public names for embedders are in `oharness.api`."""
