"""Language models: every provider of one library, servers that speak chat completions, and `offline`."""
