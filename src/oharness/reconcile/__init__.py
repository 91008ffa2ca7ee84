"""The sync decision, as values in and values out; no I/O, no clock, no chance."""
