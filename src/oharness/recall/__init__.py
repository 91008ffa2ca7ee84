"""Which notes fit a text: words, weights and choices, values in and values out."""
