"""The built-in memory plugin: registration only; the work is done in `oharness.memory`."""
